-- Takes pages of a budget; O(1). KEYS[1] counts those that were taken. ARGV: number wanted, budget.
-- Returns the number taken.

local taken = tonumber(call('GET', KEYS[1]) or 0)
local granted = math.max(0, math.min(tonumber(ARGV[1]), ARGV[2] - taken))
call('INCRBY', KEYS[1], granted)
return granted
