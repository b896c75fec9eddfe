-- Returns the states of URLs, -1 for unknown ones; O(1) each. ARGV: keys.

local states = {}
for n, key in ipairs(ARGV) do
    states[n] = state_of(key) or -1
end
return states
