-- Ends a crawl on which nobody works, so that its keys can be deleted; O(workers + generations). KEYS[1] is the crawl's hash.
-- The hash stays and its generation counts on: a worker that was stopped meanwhile belongs to one that was ended, and is told.
-- Returns the number of workers that live, and the generations whose keys are still there.

local time = call('TIME')
local workers, ended = KEYS[1] .. ':workers', KEYS[1] .. ':ended'
call('ZREMRANGEBYSCORE', workers, '-inf', exact(time[1] + time[2] / 1e6))
local living, generation = call('ZCARD', workers), call('HGET', KEYS[1], 'generation')
if living == 0 and generation then
    call('SADD', ended, generation)
    call('HSET', KEYS[1], 'generation', tonumber(generation) + 1, 'state', 'deleted')
    call('HDEL', KEYS[1], 'arguments')
end
return {living, call('SMEMBERS', ended)}
