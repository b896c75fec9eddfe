-- Restores queues, leases and counts of a shard from the rows of its URLs, after somebody has deleted
-- keys; O(URLs with a row). ARGV: owner. Returns the number of unfinished URLs that were missing.

local refusal = check_owner(ARGV[1])
if refusal then
    return refusal
end
for _, field in ipairs(call('HKEYS', HOSTS)) do
    if string.sub(field, 1, 1) == 'w' then
        call('UNLINK', queue_of(string.sub(field, 2)))
    end
end
local unfinished, waiting, leased = 0, {}, {}
for _, key in ipairs(call('HKEYS', URLS)) do
    local row = read_row(key)
    if row.state < DONE then
        if row.state == LEASED and call('HEXISTS', LEASES, key) == 0 then
            row.state = WAITING
            write_row(row)
        end
        if row.state == LEASED then
            leased[row.host] = (leased[row.host] or 0) + 1
        else
            enqueue(row)
        end
        waiting[row.host] = (waiting[row.host] or 0) + 1
        unfinished = unfinished + 1
    end
end
for _, field in ipairs(call('HKEYS', HOSTS)) do
    local letter, host = string.sub(field, 1, 1), string.sub(field, 2)
    if letter == 'w' or letter == 'l' then
        call('HSET', HOSTS, field, (letter == 'w' and waiting or leased)[host] or 0)
    end
end
for host, number in pairs(waiting) do
    call('HSET', HOSTS, 'w' .. host, number, 'l' .. host, leased[host] or 0)
end
local missing = (call('HGET', FACTS, 'unfinished') or 0) - unfinished
local buckets = 1
while call('EXISTS', seen_key(buckets)) == 1 do
    buckets = buckets + 1
end
call('HSET', FACTS, 'unfinished', unfinished)
call('HSETNX', FACTS, 'buckets', buckets)
return math.max(0, missing)
