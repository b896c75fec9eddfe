-- Joins a crawl, or begins its next generation; O(workers). KEYS[1] is the crawl's hash.
-- ARGV: version of the layout, arguments of the crawl, worker, seconds until it counts as dead, generation in which nothing waits
-- (0 if URLs do): without workers it is over, although its last ones died before they could say so; a random mark, which is that
-- of the generation unless it has one: a worker that misses it knows that the server has lost its data.
-- Returns the generation (0 if its hash was deleted while workers live), the arguments and the version of the layout of the
-- crawl, the number of other workers that live, the earlier generations whose keys are still there, and the mark. The worker is
-- registered unless the version or the arguments are others.

local function field(name)
    return call('HGET', KEYS[1], name)
end

local time = call('TIME')
local now = time[1] + time[2] / 1e6
local workers, ended = KEYS[1] .. ':workers', KEYS[1] .. ':ended'
call('ZREMRANGEBYSCORE', workers, '-inf', exact(now))
local living = call('ZCARD', workers)
local generation = tonumber(field('generation') or 0)
if generation == 0 and living > 0 then
    return {0, '', ARGV[1], living, {}, ''}
end
if generation > 0 and (field('layout') ~= ARGV[1] or (living > 0 and (field('arguments') or ARGV[2]) ~= ARGV[2])) then
    return {generation, field('arguments') or '', field('layout'), living, {}, ''}
end
local is_open = field('state') == 'open' and (living > 0 or generation ~= tonumber(ARGV[5]))
if not is_open then
    if generation > 0 then
        call('SADD', ended, generation)
    end
    generation = generation + 1
    call('HSET', KEYS[1], 'generation', generation, 'state', 'open', 'layout', ARGV[1])
elseif living == 0 then
    -- The first worker of a further run: its budget and its counts are those of the run.
    call('DEL', KEYS[1] .. ':' .. generation .. ':pages', KEYS[1] .. ':' .. generation .. ':counts')
end
call('HSET', KEYS[1], 'arguments', ARGV[2])
call('ZADD', workers, exact(now + ARGV[4]), ARGV[3])
local mark = KEYS[1] .. ':' .. generation .. ':mark'
call('SET', mark, ARGV[6], 'NX')
return {generation, ARGV[2], ARGV[1], living, call('SMEMBERS', ended), call('GET', mark)}
