-- Returns what the owner of a shard keeps in memory; O(hosts): number of unfinished URLs, due time of the
-- first delayed one or '', hosts with waiting URLs, suspects (packed arrival and key), keys of leases.

local hosts, counts = {}, call('HGETALL', HOSTS)
for n = 1, #counts, 2 do
    if string.sub(counts[n], 1, 1) == 'w' and counts[n + 1] ~= '0' then
        hosts[#hosts + 1] = string.sub(counts[n], 2)
    end
end
local suspects = {}
for _, key in ipairs(call('SMEMBERS', PREFIX .. ':suspects')) do
    local row = read_row(key)
    suspects[#suspects + 1] = row and rank(row)
end
local due = call('ZRANGE', DUE, 0, 0, 'WITHSCORES')[2] or ''
return {tonumber(call('HGET', FACTS, 'unfinished') or 0), due, hosts, suspects, call('HKEYS', LEASES)}
