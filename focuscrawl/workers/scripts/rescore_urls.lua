-- Sets the scores of waiting URLs; O(log n) each. ARGV: owner, then for each: key, score.
-- Returns for each that changed: its key, host, and a packed (is queued, score before, arrival).

local refusal = check_owner(ARGV[1])
if refusal then
    return refusal
end
local changed = {}
for n = 2, #ARGV, 2 do
    local row, score = read_row(ARGV[n]), tonumber(ARGV[n + 1])
    if row and is_waiting(row) and row.score ~= score then
        changed[#changed + 1] = row.key
        changed[#changed + 1] = row.host
        changed[#changed + 1] = struct.pack('<Bdd', row.state == WAITING and 1 or 0, row.score, row.arrival)
        dequeue(row)
        row.score = score
        write_row(row)
        enqueue(row)
    end
end
return changed
