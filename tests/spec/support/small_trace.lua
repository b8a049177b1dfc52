--- A trace of a few records, as a file of tandem's JSON Lines: tracks and rows of any category.
local encode = require("tandem.io.json").encode

local small_trace = {}

---@class tests.SmallTrace
---@field private lines string[]
---@field private tracks integer
---@field private layouts table<string, integer>
local SmallTrace = {}
SmallTrace.__index = SmallTrace

---@param source? { path?: string, rank?: integer }  what the file says of itself
---@return tests.SmallTrace
function small_trace.new(source)
  local trace = setmetatable({ lines = {}, tracks = 0, layouts = {}, made = 0 }, SmallTrace)
  trace:line { record = "header", format = "tandem-jsonl", version = 1 }
  trace:line { record = "source", source = 0, path = source and source.path or "small",
    rank = source and source.rank, format = "kineto", detail = "" }
  return trace
end

---@private
function SmallTrace:line(record) self.lines[#self.lines + 1] = encode(record) end

---@private
function SmallTrace:track(about)
  about.record, about.track = "track", self.tracks
  self.tracks = self.tracks + 1
  self:line(about)
  return about.track
end

--- A thread of process 7 by default.
---@return integer track
function SmallTrace:thread(tid, pid)
  pid = pid or 7
  return self:track { process = ("python (%d)"):format(pid), name = ("thread %d"):format(tid),
    kind = "thread", lane = "CPU", pid = pid, tid = tid }
end

--- A stream of process 7 by default.
---@return integer track
function SmallTrace:stream(stream, device, pid)
  return self:track { process = ("GPU #%d"):format(device or 0),
    name = ("stream %d"):format(stream), kind = "stream", lane = "GPU", pid = pid or 7,
    device = device or 0, stream = stream }
end

local JSON <const> = { payload = true, ["Input Dims"] = true, ["Input type"] = true,
  ["Concrete Inputs"] = true }

local function type_of(value, key)
  if JSON[key] then return "json" end
  return type(value) == "string" and "text" or math.type(value) == "integer" and "int" or "real"
end

---@param category string
---@param track integer
---@param name string
---@param start_ns integer
---@param end_ns integer
---@param args? table<string, any>
---@param shape? string  default: "span"
function SmallTrace:add(category, track, name, start_ns, end_ns, args, shape)
  shape = shape or "span"
  local keys, key = {}, category .. " " .. shape
  for name_of in pairs(args or {}) do keys[#keys + 1] = name_of end
  table.sort(keys)
  for i, name_of in ipairs(keys) do
    key = key .. " " .. name_of
    keys[i] = ('["%s","%s"]'):format(name_of, type_of(args[name_of], name_of))
  end
  local layout = self.layouts[key]
  if not layout then
    layout = self.made
    self.made = self.made + 1
    self.layouts[key] = layout
    self.lines[#self.lines + 1] = ('{"record":"layout","layout":%d,"category":"%s","shape":"%s",'
      .. '"args":[%s]}'):format(layout, category, shape, table.concat(keys, ","))
  end
  self:line { record = shape, layout = layout, track = track, name = name, start_ns = start_ns,
    dur_ns = end_ns - start_ns, args = args }
end

--- A file of it beside the store of a fixture.
---@param data tests.AnalysisFixture
---@param name string
---@return string path
function SmallTrace:write(data, name)
  return data.stores:write(name, table.concat(self.lines, "\n") .. "\n")
end

--- The run of it in the store of a fixture.
---@param data tests.AnalysisFixture
---@param name string
---@return tandem.Run
function SmallTrace:import(data, name)
  local _, err, code = data.stores:tandem("import", self:write(data, name))
  assert(code == 0, err)
  return data:run(name)
end

return small_trace
