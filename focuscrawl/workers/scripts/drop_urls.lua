-- Drops waiting URLs; O(log n) each. ARGV: owner, reason, then either keys, or '' and a host, of which up
-- to 1,000 are dropped (its delayed ones: O(delayed URLs of the shard)).
-- Returns for each that waited: its key, host, and a packed (is queued, score, arrival).

local BATCH = 1000

local function keys_of(host)
    local keys = {}
    for _, member in ipairs(call('ZRANGE', queue_of(host), 0, BATCH - 1)) do
        keys[#keys + 1] = string.sub(member, 9)
    end
    if #keys > 0 then
        return keys
    end
    for _, key in ipairs(call('ZRANGE', DUE, 0, -1)) do
        local row = #keys < BATCH and read_row(key)
        if row and row.host == host then
            keys[#keys + 1] = key
        end
    end
    return keys
end

local refusal = check_owner(ARGV[1])
if refusal then
    return refusal
end
local dropped = {}
local keys = ARGV[3] == '' and keys_of(ARGV[4]) or {unpack(ARGV, 3)}
for _, key in ipairs(keys) do
    local row = read_row(key)
    if row and is_waiting(row) then
        dequeue(row)
        dropped[#dropped + 1] = row.key
        dropped[#dropped + 1] = row.host
        dropped[#dropped + 1] = struct.pack('<Bdd', row.state == WAITING and 1 or 0, row.score, row.arrival)
        finish(row, DROPPED, ARGV[2])
    end
end
return dropped
