-- Ends a lease without an outcome: the URL waits again; O(log n).
-- ARGV: owner, key, due time ('' for a lease that is undone, else the URL has one more try).

local refusal = check_owner(ARGV[1])
if refusal then
    return refusal
end
local row, due = read_row(ARGV[2]), tonumber(ARGV[3])
if call('HDEL', LEASES, ARGV[2]) == 0 or not row then
    return 0
end
row.state, row.due = due and DELAYED or WAITING, due or NO_DUE
call('HINCRBY', HOSTS, 'l' .. row.host, -1)
row.tries = row.tries + (due and 1 or 0)
write_row(row)
enqueue(row)
return 1
