-- Deletes the keys of a shard of an earlier generation; O(hosts + buckets), values in the background.

for _, field in ipairs(call('HKEYS', HOSTS)) do
    if string.sub(field, 1, 1) == 'w' then
        call('UNLINK', queue_of(string.sub(field, 2)))
    end
end
for bucket = 0, buckets() - 1 do
    call('UNLINK', seen_key(bucket))
end
for _, name in ipairs({'owner', 'facts', 'urls', 'due', 'leases', 'suspects', 'recent', 'hosts', 'outcomes', 'inbox', 'fatal'}) do
    call('UNLINK', PREFIX .. ':' .. name)
end
return 1
