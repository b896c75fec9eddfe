-- Records whether a leased page is being read; O(1). ARGV: owner, key, "1", "0", or "-" for a silent host.

local refusal = check_owner(ARGV[1])
if refusal then
    return refusal
end
if call('HEXISTS', LEASES, ARGV[2]) == 1 then
    call('HSET', LEASES, ARGV[2], ARGV[3])
end
return 1
