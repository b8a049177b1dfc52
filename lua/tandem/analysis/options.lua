--- Options that analyses share, and the filter that all of them take.
--
-- Owns their names, how texts of the command line become the filter of core.view, and the checks of
-- what a script gives. Used by the descriptions beside this file, view.lua and cli/analysis.lua.
local nearest = require "tandem.text.nearest"

local options = {}

---@class tandem.AnalysisOption
---@field name string      "by": --by on the command line, by = … in Lua
---@field value? string    name of its value in help; without one it is a flag
---@field kind? "number"|"integer"|"time"  what the value must be (default: text). Times are "5ms"
---                        or nanoseconds; the analysis gets nanoseconds
---@field choices? string[]
---@field rows? boolean   how many rows a long table has: where few are shown, no more are made
---@field help string

--- A row for each device, stream, process or rank.
---@type tandem.AnalysisOption
options.each = { name = "each", value = "WHAT", choices = { "device", "stream", "process", "rank" },
  help = "Separate rows for each of them (default: all together)." }

--- The same of what runs on the host.
---@type tandem.AnalysisOption
options.each_host = { name = "each", value = "WHAT", choices = { "process", "rank", "thread" },
  help = "Separate rows for each of them (default: all together)." }

--- Names of ranges, what only counts left out, or as they are.
---@type tandem.AnalysisOption
options.names = { name = "names", value = "HOW", choices = { "folded", "whole" },
  help = "folded (the default): names that differ in what only counts (layer 3, ProfilerStep#7, "
    .. "seq = 12) are one row, with * for it; whole: each name as it is." }

--- Whose rules say which kernels communicate.
---@type tandem.AnalysisOption
options.rules = { name = "rules", value = "WHOSE", choices = { "tandem", "hta" },
  help = "Which kernels are what, by name: tandem (the default: nccl, rccl, hccl communicate) or "
    .. "hta (HolisticTraceAnalysis: also hip… communicates, and dma… is memory)." }

--- Which GPU work counts.
---@type tandem.AnalysisOption
options.work = { name = "work", value = "WHICH", choices = { "all", "launched", "whole_steps" },
  help = "all (the default); launched: only work whose launch was recorded, as TraceLens counts; "
    .. "whole_steps: only what was launched before the last ProfilerStep# began, as "
    .. "HolisticTraceAnalysis counts." }

---@class tandem.AnalysisFilter
---@field range? string    "100ms..250ms" from the run's first record; either side may be missing
---@field nvtx? string     "name" or "name@domain": only while such a range is open
---@field device? integer   one GPU, as its file numbers it
---@field stream? integer   one stream
---@field process? integer  its pid
---@field thread? integer   its tid
---@field rank? integer     one rank

--- In the order that help shows them.
---@type tandem.AnalysisOption[]
options.filter = {
  { name = "range", value = "FROM..TO", help = "What touches this time, from the first record of "
    .. "the run: 100ms..250ms, 2s.., ..5s." },
  { name = "nvtx", value = "NAME[@DOMAIN]", help = "What happens while an NVTX range or annotation "
    .. "of this name, whole or folded, is open." },
  { name = "device", value = "N", kind = "integer", help = "One GPU, as its file numbers it." },
  { name = "stream", value = "N", kind = "integer", help = "One stream." },
  { name = "process", value = "PID", kind = "integer", help = "One process." },
  { name = "thread", value = "TID", kind = "integer", help = "One thread; of GPUs what it "
    .. "launched." },
  { name = "rank", value = "N", kind = "integer", help = "One rank, by its number." },
}

--- Nanoseconds of "5ms", 5e6 or 5000000.
---@param value string|number
---@return integer|nil
---@return string|nil message
function options.nanoseconds(value)
  local ns = value
  if type(value) ~= "number" then
    local seconds, message = require("tandem.units").as(value, "s")
    if not seconds then return nil, message end
    ns = seconds * 1e9
  end
  ns = math.tointeger(ns) or math.tointeger(math.floor(ns + 0.5))
  if not ns then return nil, ("%s is not a time of less than 292 years"):format(value) end
  return ns
end

-- A time after another; the last that there is when it would lie behind that.
local function after(first, ns)
  return first + 0.0 + ns >= 2 ^ 63 and math.maxinteger or first + ns
end

local function window(run, text)
  local from, to = text:match "^(.-)%.%.(.-)$"
  if not from then
    return nil, nil, ("a range is FROM..TO, such as 100ms..250ms, not '%s'"):format(text)
  end
  local first = run.first_ns or 0
  local ends = {}
  for i, one in ipairs { from, to } do
    if one ~= "" then
      local ns, message = options.nanoseconds(one)
      if not ns then return nil, nil, message end
      ends[i] = after(first, ns)
    end
  end
  if ends[1] and ends[2] and ends[1] > ends[2] then
    return nil, nil, ("the range %s ends before it begins"):format(text)
  end
  return ends[1], ends[2]
end

local function value_of(option, value)
  if not option.value then return value and true or nil end
  if option.kind == "time" then
    local ns, message = options.nanoseconds(value)
    if message then return nil, ("%s: %s"):format(option.name, message) end
    if ns < 0 then
      return nil, ("%s wants a time from 0 on, not '%s'"):format(option.name, tostring(value))
    end
    return ns
  end
  if option.kind then
    local number = tonumber(value)
    if option.kind == "integer" then number = math.tointeger(number) end
    if not number then
      return nil, ("%s wants a %s, not '%s'"):format(option.name, option.kind == "integer"
        and "whole number" or "number", tostring(value))
    end
    return number
  end
  for _, choice in ipairs(option.choices or { value }) do
    if choice == value then return value end
  end
  return nil, ("%s cannot be '%s'; %s"):format(option.name, tostring(value),
    nearest.hint(tostring(value), option.choices))
end

--- The filter of core.view for what a person gave.
---@param run tandem.Run
---@param given tandem.AnalysisFilter
---@return table|nil
---@return string|nil message
function options.view_filter(run, given)
  local checked = {}
  for _, option in ipairs(options.filter) do
    local value = given[option.name]
    if value ~= nil and not option.kind and type(value) ~= "string" then
      return nil, ("%s wants %s, not '%s'"):format(option.name, option.value, tostring(value))
    elseif value ~= nil then
      local one, message = value_of(option, value)
      if message then return nil, message end
      checked[option.name] = one
    end
  end
  given = checked
  local filter = { device = given.device, stream = given.stream, pid = given.process,
    tid = given.thread, rank = given.rank }
  if given.range then
    local message
    filter.from_ns, filter.to_ns, message = window(run, given.range)
    if message then return nil, message end
  end
  if given.nvtx then
    filter.range, filter.domain = given.nvtx:match "^(.*)@([^@]*)$"
    filter.range = filter.range or given.nvtx
  end
  return filter
end

local function is_filter(name)
  for _, one in ipairs(options.filter) do
    if one.name == name then return true end
  end
  return false
end

--- Splits what a caller gave into the filter and the options of an analysis.
---@param description tandem.Analysis
---@param given table<string, any>
---@return tandem.AnalysisFilter|nil filter
---@return table<string, any>|string chosen  or the message
function options.split(description, given)
  local filter, chosen, names = {}, {}, {}
  local known = {}
  for _, option in ipairs(description.options or {}) do
    known[option.name] = option
    names[#names + 1] = option.name
  end
  for _, option in ipairs(options.filter) do names[#names + 1] = option.name end
  for name, value in pairs(given) do
    if known[name] then
      local converted, message = value_of(known[name], value)
      if message then return nil, message end
      chosen[name] = converted
    elseif is_filter(name) then
      filter[name] = value
    else
      return nil, ("there is no option '%s'; %s"):format(tostring(name),
        nearest.hint(tostring(name), names))
    end
  end
  return filter, chosen
end

return options
