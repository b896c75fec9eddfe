-- Claims a shard that nobody owns, and recovers the leases of its last owner; O(leases).
-- ARGV: worker, seconds of the lease, most losses of a URL, outcome of a URL that was lost more often.
-- Returns false if somebody owns it, else its epoch, the number of recovered leases, and the URLs that
-- kill crawlers.

local epoch = tonumber(call('HGET', FACTS, 'epoch') or 0) + 1
if not call('SET', PREFIX .. ':owner', ARGV[1] .. ' ' .. epoch, 'NX', 'PX', math.floor(ARGV[2] * 1000)) then
    return false
end
call('HSET', FACTS, 'epoch', epoch)
local recovered, fatal, leases = 0, {}, call('HGETALL', LEASES)
for n = 1, #leases, 2 do
    local row = read_row(leases[n])
    -- Somebody has deleted the rows.
    if not row then
        break
    end
    local again = row.lost > 0 and leases[n + 1] == '1'
    if leases[n + 1] ~= '-' then
        row.lost = math.max(row.lost, 1) + (again and 1 or 0)
    end
    recovered = recovered + 1
    call('HINCRBY', HOSTS, 'l' .. row.host, -1)
    if row.lost > tonumber(ARGV[3]) then
        fatal[#fatal + 1] = row.url
        call('HSET', PREFIX .. ':fatal', row.key, row.url)
        finish(row, FAILED, ARGV[4])
    else
        row.state = WAITING
        write_row(row)
        enqueue(row)
        if row.lost > 0 then
            call('SADD', PREFIX .. ':suspects', row.key)
        end
    end
end
call('DEL', LEASES)
return {epoch, recovered, fatal}
