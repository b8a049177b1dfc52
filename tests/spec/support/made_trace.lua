--- Small measured traces with known answers, written as tandem's own JSON Lines.
local json = require "tandem.io.json"

local made_trace = {}

---@class tests.MadeTrace
---@field private lines string[]
---@field private layouts table<string, integer>
---@field private tracks integer
---@field private sources integer
local Made = {}
Made.__index = Made

local function put(made, record) made.lines[#made.lines + 1] = json.encode(record) end

--- A trace of one process of one file; `rank` may be told.
---@param rank? integer
---@return tests.MadeTrace
function made_trace.new(rank)
  local made = setmetatable({ lines = {}, layouts = {}, count = 0, tracks = 0, sources = 0 }, Made)
  put(made, { record = "header", format = "tandem-jsonl", version = 1, program = "0", run = "0",
    name = "made" })
  return made:source(rank)
end

--- A further file in the same trace.
---@param rank? integer
---@return tests.MadeTrace
function Made:source(rank)
  put(self, { record = "source", source = self.sources, path = ("rank%d"):format(self.sources),
    format = "made", rank = rank, offset_ns = 0 })
  self.sources = self.sources + 1
  return self
end

local function track(made, about)
  about.record, about.track = "track", made.tracks
  made.tracks = made.tracks + 1
  put(made, about)
  return about.track
end

---@param tid? integer
---@param pid? integer
---@return integer track
function Made:thread(tid, pid)
  return track(self, { process = ("python (%d)"):format(pid or 1), kind = "thread", lane = "CPU",
    name = ("thread %d"):format(tid or 1), pid = pid or 1, tid = tid or 1 })
end

---@param stream? integer
---@param device? integer|false  false: the track does not say
---@param pid? integer|false     likewise
---@return integer track
function Made:stream(stream, device, pid)
  return track(self, { process = ("GPU #%d"):format(device or 0), kind = "stream", lane = "GPU",
    name = ("stream %d"):format(stream or 7), pid = pid ~= false and (pid or 1) or nil,
    device = device ~= false and (device or 0) or nil, context = 1, stream = stream or 7 })
end

local TEXTS <const> = { kind = true, cuda_sync_kind = true, domain = true,
  ["Process Group Ranks"] = true }

local function layout(made, category, args, shape)
  local names = {}
  for name in pairs(args) do names[#names + 1] = name end
  table.sort(names)
  local key = category .. "\0" .. table.concat(names, "\0")
  if not made.layouts[key] then
    made.layouts[key] = made.count
    made.count = made.count + 1
    local list = {}
    for i, name in ipairs(names) do list[i] = ('["%s","%s"]'):format(name,
      TEXTS[name] and "text" or "int") end
    made.lines[#made.lines + 1] = ('{"record":"layout","layout":%d,"category":"%s","shape":"%s",'
      .. '"args":[%s]}'):format(made.layouts[key], (category:gsub("\1", "")), shape or "span",
      table.concat(list, ","))
  end
  return made.layouts[key]
end

--- A span, in microseconds from the beginning.
---@param category string
---@param on integer  a track
---@param name string
---@param from number
---@param to number
---@param args? table<string, any>
---@return tests.MadeTrace
function Made:span(category, on, name, from, to, args)
  put(self, { record = "span", layout = layout(self, category, args or {}), track = on, name = name,
    start_ns = from * 1000 // 1 | 0, dur_ns = (to - from) * 1000 // 1 | 0, args = args })
  return self
end

--- A span that may overlap others of its track; times as above.
---@param category string
---@param on integer  a track
---@param name string
---@param from number
---@param to number
---@return tests.MadeTrace
function Made:free(category, on, name, from, to)
  put(self, { record = "async", layout = layout(self, category .. "\1", {}, "async"), track = on,
    name = name, start_ns = from * 1000 // 1 | 0, dur_ns = (to - from) * 1000 // 1 | 0 })
  return self
end

--- A record without a duration.
---@param category string
---@param on integer  a track
---@param name string
---@param at number
---@param args? table<string, any>
---@return tests.MadeTrace
function Made:instant(category, on, name, at, args)
  put(self, { record = "instant", layout = layout(self, category, args or {}, "instant"),
    track = on, name = name, start_ns = at * 1000 // 1 | 0, dur_ns = 0, args = args })
  return self
end

--- A call that launches and what it launches.
---@param thread integer
---@param stream integer
---@param id integer  the correlation
---@param call number[]   from, to
---@param work number[]   from, to
---@param name? string
---@return tests.MadeTrace
function Made:launch(thread, stream, id, call, work, name)
  self:span("runtime", thread, "cudaLaunchKernel", call[1], call[2], { correlation = id })
  return self:span("kernel", stream, name or "kernel", work[1], work[2], { correlation = id })
end

--- The file's text.
---@return string
function Made:text() return table.concat(self.lines, "\n") .. "\n" end

--- Imports it into the fixture's store; the run.
---@param stores tests.StoreFixture
---@return tandem.Run
function Made:run(stores)
  local path = stores:write("made.jsonl", self:text())
  local _, err, code = stores:tandem("import", path, "--align", "none")
  assert(code == 0, err)
  local store = assert(require("tandem").store(stores:path "a.db"))
  return assert(store:run "last")
end

return made_trace
