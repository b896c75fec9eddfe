-- Leases waiting URLs; O(log n) each. ARGV: owner, keys.
-- Returns their rows, '' for one that neither waits nor is leased.

local refusal = check_owner(ARGV[1])
if refusal then
    return refusal
end
local rows = {}
for n = 2, #ARGV do
    local row = read_row(ARGV[n])
    if row and row.state == WAITING then
        dequeue(row)
        row.state = LEASED
        write_row(row)
        call('HSET', LEASES, row.key, '0')
        call('HINCRBY', HOSTS, 'l' .. row.host, 1)
    end
    -- A leased one is returned as well: the first reply may not have arrived.
    rows[#rows + 1] = row and row.state == LEASED and call('HGET', URLS, row.key) or ''
end
return rows
