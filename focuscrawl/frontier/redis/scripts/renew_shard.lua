-- Renews the lease of a shard; O(1). ARGV: owner, seconds. Returns 1, or 0 if it belongs to another.

if call('GET', PREFIX .. ':owner') ~= ARGV[1] then
    return 0
end
call('PEXPIRE', PREFIX .. ':owner', math.floor(ARGV[2] * 1000))
return 1
