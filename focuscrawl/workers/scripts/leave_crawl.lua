-- Removes a worker from a crawl; O(log workers). KEYS[1] is the crawl's hash.
-- ARGV: worker, generation, '1' if nothing waits in the whole crawl, so that the next run begins a new one
-- (unless other workers live: one that has just joined may be about to push its seeds).

local time, workers = call('TIME'), KEYS[1] .. ':workers'
call('ZREM', workers, ARGV[1])
call('ZREMRANGEBYSCORE', workers, '-inf', exact(time[1] + time[2] / 1e6))
if ARGV[3] == '1' and call('ZCARD', workers) == 0 and call('HGET', KEYS[1], 'generation') == ARGV[2] then
    call('HSET', KEYS[1], 'state', 'over')
end
return 1
