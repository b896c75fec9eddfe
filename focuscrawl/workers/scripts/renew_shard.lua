-- Renews the lease of a shard; O(1). ARGV: owner, seconds. Returns 1, or 0 if it belongs to another.

if call('GET', PREFIX .. ':owner') ~= ARGV[1] then
    return 0
end
-- Somebody may have deleted the facts.
call('HSETNX', FACTS, 'epoch', string.match(ARGV[1], '%d+$'))
call('PEXPIRE', PREFIX .. ':owner', math.floor(ARGV[2] * 1000))
return 1
