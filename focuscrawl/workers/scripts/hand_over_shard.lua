-- Ends the lease of a shard, so that another worker can claim it; O(1). ARGV: owner.

if call('GET', PREFIX .. ':owner') ~= ARGV[1] then
    return 0
end
return call('DEL', PREFIX .. ':owner')
