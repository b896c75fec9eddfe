-- Publishes the score of a worker's best URL; O(workers). KEYS[1] is the hash of scores.
-- ARGV: worker, score or '' for none, seconds for which a score counts.
-- Returns the best score of the other workers, '' for none.

local time = call('TIME')
local now, best = time[1] + time[2] / 1e6, nil
if ARGV[2] == '' then
    call('HDEL', KEYS[1], ARGV[1])
else
    call('HSET', KEYS[1], ARGV[1], ARGV[2] .. ' ' .. exact(now))
end
local found = call('HGETALL', KEYS[1])
for n = 1, #found, 2 do
    local score, since = string.match(found[n + 1], '(%S+) (%S+)')
    if tonumber(since) < now - ARGV[3] then
        call('HDEL', KEYS[1], found[n])
    elseif found[n] ~= ARGV[1] and (best == nil or tonumber(score) > best) then
        best = tonumber(score)
    end
end
return best and exact(best) or ''
