-- What `tandem serve` carries: one measurement each, against a server of its own. Requests need
-- wrk; a line "absent=WHAT" says what this machine lacks. Called by lua_cases.lua.

local served = require "tests.spec.support.served"

local measures = {}

local CONNECTIONS <const>, SECONDS <const>, UPLOAD_BYTES <const> = 64, 3, 1000000000

-- Calls work(server, directory) with a fresh server, or says that there can be none.
local function with_server(work)
  if not served.there() then
    print "absent=curl, or serve.so, which make builds where libmicrohttpd is"
    return
  end
  local at = served.shell("mktemp -d " .. served.directory .. "/bench/serve-XXXXXX"):match "%S+"
  local server = served.start(at)
  local ok, message = xpcall(work, debug.traceback, server, at)
  served.stop(server)
  os.execute("rm -rf " .. at)
  if not ok then error(message, 0) end
end

---Requests of one run's summary, by wrk; any error of theirs is one of ours.
function measures.requests()
  if not os.execute "command -v wrk >/dev/null 2>&1" then
    print "absent=wrk"
    return
  end
  with_server(function(server)
    local status = served.ask(server, "/v1/runs", [[-d '{"scenario_id":"demo","duration":"5s"}']])
    assert(status == 201, "the run was not simulated")
    local told = served.shell(("wrk -t2 -c%d -d%ds --latency %s/v1/runs/last 2>&1"):format(
      CONNECTIONS, SECONDS, server.url))
    local count, seconds, unit = told:match "(%d+) requests in ([%d.]+)(m?s)"
    assert(count, told)
    assert(not told:find "Socket errors" and not told:find "Non%-2xx", told)
    seconds = tonumber(seconds) / (unit == "ms" and 1e3 or 1)
    io.stderr:write(("  %d connections, no error, half within %s, 99 %% within %s\n"):format(
      CONNECTIONS, told:match "50%%%s+(%S+)", told:match "99%%%s+(%S+)"))
    print(("amount=%s seconds=%.6f cpu=%.6f"):format(count, seconds, seconds))
  end)
end

local function memory(server, field)
  local file = assert(io.open(("/proc/%s/status"):format(server.pid)))
  local text = file:read "a"
  file:close()
  return tonumber(text:match(field .. ":%s*(%d+)")) * 1024
end

---What a long upload adds to the server's memory at its peak.
function measures.upload()
  with_server(function(server)
    served.ask(server, "/v1/realtraces", "-H 'Content-Type: application/octet-stream' -d short")
    local before = memory(server, "VmRSS")
    local began = require("tandem.core").clock()
    local told = served.shell(("head -c %d /dev/zero | curl -s -o /dev/null -w '%%{http_code}' "
      .. "-X POST -T - -H 'Content-Type: application/octet-stream' "
      .. "-H 'Prefer: respond-async' %s/v1/realtraces"):format(UPLOAD_BYTES, server.url))
    local seconds = require("tandem.core").clock() - began
    assert(told == "202", told)
    local received = select(2, served.ask(server, "/metrics")):match "received_bytes_total (%d+)"
    assert(tonumber(received) >= UPLOAD_BYTES, received)
    local after, peak = memory(server, "VmRSS"), memory(server, "VmHWM")
    io.stderr:write(("  %d bytes in %.1f s: %.1f MB before, %.1f MB after, %.1f MB at the peak\n")
      :format(UPLOAD_BYTES, seconds, before / 1e6, after / 1e6, peak / 1e6))
    print(("amount=%d seconds=%.6f cpu=%.6f"):format(UPLOAD_BYTES, seconds, seconds))
    print(("bytes=%d before=%d after=%d"):format(peak - before, before, after))
  end)
end

return measures
