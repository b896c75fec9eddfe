-- Deletes what all workers of a crawl share, if nobody works on it; O(workers + generations). KEYS[1] is the crawl's hash.
-- ARGV: generation whose shards and those of all earlier ones are deleted, 0 in the first of two calls. That one ends the
-- crawl, so that a worker that joins between both begins the next generation, and the second call leaves it alone.
-- Returns the number of workers that live, the generation, and the generations whose keys are still there.

local time = call('TIME')
local workers, ended = KEYS[1] .. ':workers', KEYS[1] .. ':ended'
call('ZREMRANGEBYSCORE', workers, '-inf', exact(time[1] + time[2] / 1e6))
local living, generation = call('ZCARD', workers), call('HGET', KEYS[1], 'generation')
if living > 0 or not generation then
    return {living, tonumber(generation or 0), {}}
end
if ARGV[1] == '0' then
    call('HSET', KEYS[1], 'state', 'over')
    call('SADD', ended, generation)
elseif ARGV[1] == generation and call('SCARD', ended) == 0 then
    call('UNLINK', KEYS[1], workers, ended)
end
return {living, tonumber(generation), call('SMEMBERS', ended)}
