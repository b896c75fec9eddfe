-- Limits the due times of delayed URLs; O(log n) for each that is later. ARGV: owner, latest time.
-- Returns the due time of the first delayed URL, '' for none.

local refusal = check_owner(ARGV[1])
if refusal then
    return refusal
end
for _, key in ipairs(call('ZRANGE', DUE, '(' .. ARGV[2], '+inf', 'BYSCORE')) do
    local row = read_row(key)
    if row then
        row.due = tonumber(ARGV[2])
        write_row(row)
        enqueue(row)
    end
end
return call('ZRANGE', DUE, 0, 0, 'WITHSCORES')[2] or ''
