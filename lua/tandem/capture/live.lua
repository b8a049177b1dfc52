--- What a running capture does, second by second.
--
-- Owns the difference between two looks at a capture file and the lines that tell it. What the
-- file holds is counted by src/read/capture/follow.c. Used by the commands watch and capture.
local format = require "tandem.text.format"

local live = {}

local TOP <const> = 5
local LOAD_BYTES <const> = 16 << 20 -- in one interval: weights rather than inputs

---@class tandem.Live
---@field sums table        of the last look
---@field before table|nil  of the one before
---@field seconds number    between both
local Live = {}
Live.__index = Live

--- Opens a capture file.
---@param path string
---@return tandem.Live|nil
---@return string|nil message
---@return integer|nil code
function live.open(path)
  local follower, message, code = require("tandem.core").capture.follow(path)
  if not follower then return nil, message, code end
  return setmetatable({ follower = follower, path = path, results = 0 }, Live)
end

-- What came since the last look, by sort and name, and in all.
local function change(now, before)
  local delta = { call = {}, kernel = {}, copy = {}, range = {} }
  for i, one in ipairs(now.names) do
    local was = before and before.names[i] or { count = 0, bytes = 0, ns = 0 }
    if one.count > was.count then
      local list = delta[one.sort]
      list[#list + 1] = { name = one.name or "?", count = one.count - was.count,
        bytes = one.bytes - was.bytes, ns = one.ns - was.ns }
    end
  end
  return delta
end

local function sum_of(list, field, pattern)
  local sum = 0
  for _, one in ipairs(list) do
    if not pattern or one.name:find(pattern) then sum = sum + one[field] end
  end
  return sum
end

--- Looks again.
---@return boolean|nil
---@return string|nil message
---@return integer|nil code
function Live:look()
  local sums, message, code = self.follower:look()
  if not sums then return nil, message, code end
  local now = require("tandem.core").clock()
  self.before, self.sums = self.sums, sums
  self.seconds = self.at and now - self.at or (sums.last_ns - sums.start_ns) / 1e9
  self.at = now
  self.delta = change(sums, self.before)
  self.launches = sum_of(self.delta.call, "count", "Launch")
  self.results = self.results + sum_of(self.delta.copy, "count", "^DtoH$")
  return true
end

--- The phase that the last interval looks like.
---@return string
function Live:phase()
  local delta = self.delta
  local calls = sum_of(delta.call, "count")
  local loaded = sum_of(delta.copy, "bytes", "^HtoD$") + sum_of(delta.call, "bytes", "HtoD")
  local allocated = sum_of(delta.call, "count", "Alloc")
  local kernels = self.launches + sum_of(delta.kernel, "count")
  if not self.sums.recording and not self.sums.ended then return "paused" end
  if calls + kernels == 0 then return "idle" end
  if self.results == 0 and (loaded >= LOAD_BYTES or allocated > kernels) then
    return "weight load"
  end
  if kernels > 0 then return "execution" end
  if sum_of(delta.call, "count", "Free") + sum_of(delta.call, "count", "Destroy") > calls / 2 then
    return "cleanup"
  end
  if self.results == 0 and #delta.copy == 0 then return "init" end
  return loaded > 0 and "input" or "output"
end

local function per_second(value, seconds) return seconds > 0 and value / seconds or 0 end

-- "GPU 0 87 %": of the time that records of the GPU have come for.
local function busy_of(self, i)
  local now, was = self.sums.devices[i], self.before and self.before.devices[i]
  if not now.last_ns then return nil end
  local from = was and was.last_ns or self.sums.start_ns
  if now.last_ns <= from then return nil end
  return (now.busy_ns - (was and was.busy_ns or 0)) / (now.last_ns - from)
end

-- { name, value } pairs, in the order in which they are told.
local function figures(self)
  local list, seconds, delta = {}, self.seconds, self.delta
  local function add(name, value) list[#list + 1] = { name, value } end
  add("calls", format.rate(per_second(sum_of(delta.call, "count"), seconds)))
  add("launches", format.rate(per_second(self.launches, seconds)))
  if #delta.kernel > 0 then
    add("kernels", format.rate(per_second(sum_of(delta.kernel, "count"), seconds)))
  end
  for _, copy in ipairs(delta.copy) do
    add("copies " .. copy.name, ("%s, %s"):format(
      format.quantity(per_second(copy.bytes, seconds), "speed"),
      format.rate(per_second(copy.count, seconds))))
  end
  for i, device in ipairs(self.sums.devices) do
    local busy = busy_of(self, i)
    if device.peak > 0 or busy then
      add(("GPU %d"):format(device.number), ("%s%s"):format(
        device.peak > 0 and ("%s in use (most %s)"):format(format.bytes(device.held),
          format.bytes(device.peak)) or "",
        busy and (device.peak > 0 and ", busy " or "busy ") .. format.percent(busy) or ""))
    end
  end
  if self.sums.lost > 0 then add("lost", format.integer(self.sums.lost)) end
  return list
end

local function elapsed(self)
  return format.time(math.max(0, (self.sums.last_ns - self.sums.start_ns) / 1e9))
end

--- One line, for a pipe and for a terminal that is the program's too.
---@return string
function Live:line()
  local parts = { elapsed(self), self:phase() }
  for _, one in ipairs(figures(self)) do parts[#parts + 1] = one[1] .. " " .. one[2] end
  return table.concat(parts, " · ")
end

local function top(list, style, title, lines)
  if #list == 0 then return end
  table.sort(list, function(a, b)
    if a.ns ~= b.ns then return a.ns > b.ns end
    return a.name < b.name
  end)
  local rows = {}
  for i = 1, math.min(TOP, #list) do
    rows[i] = { list[i].name, format.integer(list[i].count), format.time(list[i].ns / 1e9) }
  end
  lines[#lines + 1] = ""
  table.move(require("tandem.text.columns").lines({ { title = title },
    { title = "times", align = "right" }, { title = "time", align = "right" } }, rows,
    { style = style, indent = 2 }), 1, TOP + 1, #lines + 1, lines)
end

--- The whole picture, for a terminal.
---@param style tandem.Style
---@return string[]
function Live:lines(style)
  local sums = self.sums
  local lines = { style:paint(require("tandem.plot.style").cut(style:text(sums.command), 60),
    "bold"), style:text(("  %s · %s · %s · %s"):format(elapsed(self), self:phase(),
      format.plural(sums.processes, "process", "processes"), format.bytes(sums.bytes))) }
  local rows = {}
  for i, one in ipairs(figures(self)) do rows[i] = { one[1], one[2] } end
  table.move(require("tandem.text.columns").lines({ { title = "" }, { title = "" } }, rows,
    { style = style, indent = 2 }), 1, #rows, #lines + 1, lines)
  top(self.delta.call, style, "calls", lines)
  top(self.delta.kernel, style, "kernels", lines)
  return lines
end

function Live:close() self.follower:close() end

--- A function for `record.run` that says a line every second.
---@param path string
---@param console tandem.Console
---@return fun()
function live.watcher(path, console)
  local clock = require("tandem.core").clock
  local self, at = nil, clock()
  return function()
    if clock() - at < 1 then return end
    at = clock()
    self = self or live.open(path)
    if self and self:look() then console:note(self:line()) end
  end
end

return live
