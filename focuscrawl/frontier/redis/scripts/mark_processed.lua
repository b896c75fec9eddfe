-- Records that the response to a leased URL was received; O(1). ARGV: owner, key.

local refusal = check_owner(ARGV[1])
if refusal then
    return refusal
end
if call('HEXISTS', LEASES, ARGV[2]) == 1 then
    call('HSET', LEASES, ARGV[2], '1')
end
return 1
