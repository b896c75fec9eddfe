-- Prelude of scripts that look up ended URLs: sets of integers in buckets of about 256, which Redis
-- stores in 8 bytes a member up to 512 members. Buckets grow by linear hashing (Litwin 1980,
-- "Linear hashing: a new tool for file and table addressing"): every 256 new members split one.

local PER_BUCKET = 256

-- The upper 58 bits of a key in decimal: with a digit for the state they fit a signed 64-bit integer.
-- Lua's numbers hold only 53 bits exactly, so the number is built from two halves, 13 bits at a time.
local function digits(key)
    local first, second = struct.unpack('>I4I4', key)
    local high, low = math.floor(first / 1e9), first % 1e9
    for _, bits in ipairs({math.floor(second / 2 ^ 19), math.floor(second / 64) % 8192}) do
        low = low * 8192 + bits
        local carry = math.floor(low / 1e9)
        high, low = high * 8192 + carry, low - carry * 1e9
    end
    return string.format('%d%09d', high, low)
end

local function bucket_of(number, buckets)
    local power = 1
    while power * 2 <= buckets do
        power = power * 2
    end
    -- The last nine digits before that of the state.
    local hash = tonumber(string.sub(number, -9))
    local bucket = hash % (power * 2)
    return bucket < buckets and bucket or hash % power, power
end

local known_buckets

local function buckets()
    known_buckets = known_buckets or tonumber(call('HGET', FACTS, 'buckets') or 1)
    return known_buckets
end

local function seen_key(bucket)
    return PREFIX .. ':seen:' .. bucket
end

-- Returns the state of an ended URL without a row, nil for an unknown one.
local function seen_state(key)
    local number = digits(key)
    local found = call('SMISMEMBER', seen_key(bucket_of(number, buckets())),
        number .. DONE, number .. FAILED, number .. DROPPED)
    for at, is_member in ipairs(found) do
        if is_member == 1 then
            return DONE + at - 1
        end
    end
end

local function split_bucket(count)
    local _, power = bucket_of('0', count)
    local old = seen_key(count - power)
    known_buckets = count + 1
    call('HSET', FACTS, 'buckets', known_buckets)
    for _, member in ipairs(call('SMEMBERS', old)) do
        local bucket = bucket_of(string.sub(member, 1, -2), count + 1)
        if bucket == count then
            call('SMOVE', old, seen_key(bucket), member)
        end
    end
end

local function add_seen(key, state)
    local number, count = digits(key), buckets()
    if call('SADD', seen_key(bucket_of(number, count)), number .. state) == 1
        and call('HINCRBY', FACTS, 'seen', 1) > PER_BUCKET * count then
        split_bucket(count)
    end
end

local function state_of(key)
    local row = read_row(key)
    if row then
        return row.state, row
    end
    return seen_state(key)
end

-- Ends a waiting or leased URL. Its row is kept for a while, to explain it.
local function finish(row, state, reason)
    call('HINCRBY', HOSTS, 'w' .. row.host, -1)
    call('HINCRBY', HOSTS, LETTER[state] .. row.host, 1)
    call('HINCRBY', PREFIX .. ':outcomes', LETTER[state] .. reason, 1)
    call('HINCRBY', FACTS, 'unfinished', -1)
    call('HINCRBY', FACTS, 'ended', 1)
    if row.lost > 0 then
        call('SREM', PREFIX .. ':suspects', row.key)
    end
    row.state, row.reason, row.due = state, reason, NO_DUE
    write_row(row)
    if call('RPUSH', PREFIX .. ':recent', row.key) > KEPT then
        local oldest = read_row(call('LPOP', PREFIX .. ':recent'))
        if oldest then
            add_seen(oldest.key, oldest.state)
            call('HDEL', URLS, oldest.key)
        end
    end
end
