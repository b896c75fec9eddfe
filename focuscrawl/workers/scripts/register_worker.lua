-- Records that a worker lives, by the server's clock; O(workers). KEYS[1] is the crawl's hash.
-- ARGV: worker, seconds until it counts as dead, its generation, version of the layout, mark of the generation. Returns the
-- workers that live, none if the mark is another, so that the data is lost, and false if the generation was ended and its keys
-- were deleted while this worker was stopped.

local generation = call('HGET', KEYS[1], 'generation')
if generation and generation ~= ARGV[3] then
    -- What the worker has sent since then is deleted by the next one that joins.
    call('SADD', KEYS[1] .. ':ended', ARGV[3])
    return false
end
if (call('GET', KEYS[1] .. ':' .. ARGV[3] .. ':mark') or '') ~= ARGV[5] then
    return {}
end
if not generation then
    -- Somebody has deleted the hash; the next worker that joins writes the arguments.
    call('HSET', KEYS[1], 'generation', ARGV[3], 'state', 'open', 'layout', ARGV[4])
end
local time, workers = call('TIME'), KEYS[1] .. ':workers'
local now = time[1] + time[2] / 1e6
call('ZADD', workers, exact(now + ARGV[2]), ARGV[1])
call('ZREMRANGEBYSCORE', workers, '-inf', exact(now))
return call('ZRANGE', workers, 0, -1)
