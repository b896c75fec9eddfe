-- Pushes links to URLs of the shard, under the rule `max`; O(links), and O(log n) of a host's queue each.
-- ARGV: owner, number of inbox entries, their ids (deleted), then for each link: key, host, url, score,
-- its rounded score, payload, due time or '', URL of the page or '', number of arrival.
-- Returns for each link a packed (LinkResult, score before, arrival).

local FINAL, KNOWN, RAISED, RAISED_DELAYED, NEW, NEW_DELAYED = 0, 1, 2, 3, 4, 5
local KEPT_SOURCES = 4

local function with_source(sources, page, score)
    local found = sources == '' and {} or cjson.decode(sources)
    local at = 1
    while at <= #found and found[at][2] >= score do
        at = at + 1
    end
    if at > KEPT_SOURCES then
        return sources
    end
    table.insert(found, at, {page, score})
    found[KEPT_SOURCES + 1] = nil
    return cjson.encode(found)
end

local function insert(key, link)
    local due = tonumber(link.due)
    local row = {
        key = key, score = tonumber(link.score), arrival = tonumber(link.arrival), due = due or NO_DUE,
        state = due and DELAYED or WAITING, tries = 0, lost = 0, host = link.host, url = link.url,
        reason = '', sources = with_source('', link.page, tonumber(link.rounded)), payload = link.payload,
    }
    write_row(row)
    enqueue(row)
    call('HINCRBY', HOSTS, 'w' .. row.host, 1)
    call('HINCRBY', FACTS, 'unfinished', 1)
    return due and NEW_DELAYED or NEW, row.score, row.arrival
end

local function raise(row, link)
    local before, is_delayed = row.score, row.state == DELAYED
    dequeue(row)
    row.score, row.payload = tonumber(link.score), link.payload
    row.sources = with_source(row.sources, link.page, tonumber(link.rounded))
    write_row(row)
    enqueue(row)
    return is_delayed and RAISED_DELAYED or RAISED, before, row.arrival
end

local function push(key, link)
    local state, row = state_of(key)
    if not state then
        return insert(key, link)
    elseif not row or row.state >= DONE then
        return FINAL, 0, 0
    elseif row.state == LEASED or tonumber(link.score) <= row.score then
        return KNOWN, row.score, row.arrival
    end
    return raise(row, link)
end

local refusal = check_owner(ARGV[1])
if refusal then
    return refusal
end
local results, at = {}, 3 + tonumber(ARGV[2])
for n = 3, at - 1 do
    call('XDEL', PREFIX .. ':inbox', ARGV[n])
end
while at <= #ARGV do
    local link = {
        host = ARGV[at + 1], url = ARGV[at + 2], score = ARGV[at + 3], rounded = ARGV[at + 4],
        payload = ARGV[at + 5], due = ARGV[at + 6], page = ARGV[at + 7], arrival = ARGV[at + 8],
    }
    results[#results + 1] = struct.pack('<Bdd', push(ARGV[at], link))
    at = at + 9
end
return results
