-- Ends leases with an outcome; O(1) each. ARGV: owner, then for each: key, state, reason.
-- Returns the number of leases that were ended.

local refusal = check_owner(ARGV[1])
if refusal then
    return refusal
end
local count = 0
for n = 2, #ARGV, 3 do
    local row = read_row(ARGV[n])
    if row and call('HDEL', LEASES, ARGV[n]) == 1 then
        call('HINCRBY', HOSTS, 'l' .. row.host, -1)
        finish(row, tonumber(ARGV[n + 1]), ARGV[n + 2])
        count = count + 1
    end
end
return count
