-- Queues delayed URLs that are due; O(log n) each. ARGV: owner, now, largest number.
-- Returns the due time of the first that is still delayed ('' for none), then for each woken one: its
-- key, host, and a packed (1, score, arrival).

local refusal = check_owner(ARGV[1])
if refusal then
    return refusal
end
local woken = {''}
for _, key in ipairs(call('ZRANGE', DUE, '-inf', ARGV[2], 'BYSCORE', 'LIMIT', 0, ARGV[3])) do
    local row = read_row(key)
    call('ZREM', DUE, key)
    if row then
        row.state, row.due = WAITING, NO_DUE
        write_row(row)
        enqueue(row)
        woken[#woken + 1] = key
        woken[#woken + 1] = row.host
        woken[#woken + 1] = struct.pack('<Bdd', 1, row.score, row.arrival)
    end
end
woken[1] = call('ZRANGE', DUE, 0, 0, 'WITHSCORES')[2] or ''
return woken
