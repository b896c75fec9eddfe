-- Prelude of all scripts: the keys and rows of one shard, KEYS[1] being the prefix of its keys.
--
-- PREFIX:owner     string   "worker epoch", expires with the lease of the shard
-- PREFIX:facts     hash     epoch, unfinished, ended, seen, buckets
-- PREFIX:urls      hash     key of a URL (8 bytes) -> row; waiting, leased, and the last KEPT ended ones
-- PREFIX:queue:H   zset     waiting URLs of host H: score negated, member = arrival and key (16 bytes)
-- PREFIX:due       zset     delayed URLs: due time, key
-- PREFIX:leases    hash     key -> "1" while the page is being read, else "0"
-- PREFIX:suspects  set      keys of URLs that were lost with a worker and have not ended
-- PREFIX:recent    list     keys of the ended URLs that still have a row, oldest first
-- PREFIX:seen:N    set      bucket N of the other ended URLs, as integers
-- PREFIX:hosts     hash     state letter and host -> number of URLs; leased ones count as waiting
-- PREFIX:outcomes  hash     state letter and reason -> number of URLs
-- PREFIX:inbox     stream   links found by other workers
-- PREFIX:fatal     hash     key -> URL of the pages that kill workers

local PREFIX = KEYS[1]
local WAITING, DELAYED, LEASED, DONE, FAILED, DROPPED = 0, 1, 2, 3, 4, 5
local LETTER = {[DONE] = 'd', [FAILED] = 'f', [DROPPED] = 'x'}
local ROW = '<dddBHBI2c0I4c0I2c0I4c0I4c0'
local KEPT = 400
local NO_DUE = 0

local call = redis.call
local URLS, FACTS, DUE, LEASES = PREFIX .. ':urls', PREFIX .. ':facts', PREFIX .. ':due', PREFIX .. ':leases'
local HOSTS = PREFIX .. ':hosts'

local function exact(number)
    return string.format('%.17g', number)
end

-- A worker whose lease of the shard has ended must not write to it.
local function check_owner(owner)
    if call('GET', PREFIX .. ':owner') ~= owner then
        return redis.error_reply('FENCED ' .. PREFIX .. ' belongs to another worker')
    end
end

local function read_row(key)
    local text = call('HGET', URLS, key)
    if not text then
        return nil
    end
    local row = {key = key}
    row.score, row.arrival, row.due, row.state, row.tries, row.lost, row.host, row.url, row.reason,
        row.sources, row.payload = struct.unpack(ROW, text)
    return row
end

local function write_row(row)
    call('HSET', URLS, row.key, struct.pack(ROW, row.score, row.arrival, row.due, row.state, row.tries,
        row.lost, #row.host, row.host, #row.url, row.url, #row.reason, row.reason,
        #row.sources, row.sources, #row.payload, row.payload))
end

local function queue_of(host)
    return PREFIX .. ':queue:' .. host
end

local function rank(row)
    return struct.pack('>I8', row.arrival) .. row.key
end

local function enqueue(row)
    if row.state == DELAYED then
        call('ZADD', DUE, exact(row.due), row.key)
    else
        call('ZADD', queue_of(row.host), exact(-row.score), rank(row))
    end
end

local function dequeue(row)
    if row.state == DELAYED then
        call('ZREM', DUE, row.key)
    else
        call('ZREM', queue_of(row.host), rank(row))
    end
end

-- Leased rows do not hold their score in a queue.
local function is_waiting(row)
    return row.state == WAITING or row.state == DELAYED
end
