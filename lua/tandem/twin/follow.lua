--- Production beside its twin: a server's metrics fetched again and again, and compared window by
--- window.
--
-- The network is asked for one address and nothing else, because the caller named it. What scrapes
-- said is kept until their window is over. Called by `tandem twin --follow`.
local drift = require "tandem.twin.drift"
local metrics = require "tandem.metrics"
local names = require "tandem.metrics.names"
local slow = require "tandem.twin.slow"

local follow = {}

local MOST_BYTES <const> = 64 * 2 ^ 20
local LEAST_COVERED <const> = 0.9 -- of a window that is judged

-- What the address answers, as a file's instances; nil and why not.
local function scrape(line, url, options)
  local answer, message, kind = line:ask { method = "GET", url = url, most = MOST_BYTES,
    stall_s = math.max(1, options.every_s), connect_s = math.max(1, options.every_s),
    authorities = options.authorities,
    headers = { "Accept: application/openmetrics-text, text/plain;version=0.0.4" } }
  if not answer then return nil, message, kind == "stopped" end
  if answer.status ~= 200 then return nil, ("it answers %d"):format(answer.status) end
  -- A scrape that does not say when it was made has the time in its file's name.
  local file <close> = require("tandem.io.scratch").new(os.date "!-%Y-%m-%dT%H:%M:%SZ.prom")
  local written, why = require("tandem.io.outfile").write(file.path, answer.body)
  local instances
  if written then instances, why = metrics.read { file.path } end
  if not instances then return nil, why end
  return instances
end

-- A window out of its scrapes: figures and how long it was; nil and why there is none.
local function window_of(scrapes, model)
  local whole = metrics.joined(scrapes)
  local kept, dialect = names.servers(whole, model)
  if not kept then return nil, dialect --[[@as string]] end
  local merged = metrics.merged(kept)
  local known = names.of(merged, dialect --[[@as tandem.metrics.Dialect]])
  return drift.seen(merged, known), nil, merged.times[1], merged.times[#merged.times]
end

local function time_of(instances)
  local last = 0
  for _, one in ipairs(instances) do last = math.max(last, one.times[#one.times]) end
  return last
end

---@class tandem.twin.Followed
---@field windows integer   judged
---@field drifted integer  of them, alone or slowly
---@field stopped boolean

--- Follows until it is told to stop: by Ctrl-C, or after so many windows.
---@param twin tandem.Twin
---@param options { url: string, every_s: number, window_s: number, windows: integer?, alarm:
--- number?, model: string?, authorities: string?, tell: function, note: function }
---@return tandem.twin.Followed|nil
---@return string|nil message
---@return integer|nil code
function follow.run(twin, options)
  local detector, message, code = drift.of(twin, options.window_s, options.alarm)
  if not detector then return nil, message, code end
  local native
  native, message = require("tandem.module").open("upload", "luaopen_tandem_upload")
  if not native then return nil, message, 4 end
  local slowly = slow.of(detector, options.windows)
  local line, out = native.open(), { windows = 0, drifted = 0, stopped = false }
  local scrapes, told = {}, nil
  options.note(detector, nil, slowly)
  while not (options.windows and out.windows >= options.windows) do
    local one, why, stopped = scrape(line, options.url, options)
    if one then
      scrapes[#scrapes + 1], told = one, nil
      local began, now = time_of(scrapes[1]), time_of(one)
      if now - began >= options.window_s * (1 - 1e-9) then
        local seen, wrong, from, to = window_of(scrapes, options.model)
        if not seen and wrong then return nil, wrong, 3 end
        local covered = #scrapes > 1 and (to - from) / (now - began) >= LEAST_COVERED
        local rows, drifted = detector:judge(covered and seen or nil, to - from)
        local moved = slowly:add(covered and seen or nil, to - from, from)
        out.windows = out.windows + 1
        if drifted or moved then out.drifted = out.drifted + 1 end
        options.tell(from, to, rows, drifted, moved)
        scrapes = { one }
      end
    elseif not stopped and not told then -- once, not every time
      told = true
      options.note(nil, why)
    end
    if stopped or not native.wait(options.every_s) then
      out.stopped = true
      break
    end
  end
  line:close()
  return out
end

return follow
