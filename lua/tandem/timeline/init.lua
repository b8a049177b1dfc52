--- A timeline of one run or two: a page that opens from disk, with everything the runs hold.
--
-- Owns what the page is told: the runs' data (src/write/timeline/timeline.h has the format), their
-- clocks, the words for them. The page's frame is page/timeline.lua's, its behaviour
-- src/viewer/timeline's. Called by `tandem view`, pages and scripts.
local core = require "tandem.core"
local html = require "tandem.page.html"
local memory = require "tandem.timeline.memory"

local timeline = {}

local lanes = { "QUEUE", "CPU", "H2D", "GPU", "D2H", "COMM", "OTHER" }

---@class tandem.TimelineOptions
---@field from_ns? integer  leave out what ends before, on the first run's clock
---@field to_ns? integer    leave out what begins after
---@field align? string     how the second run's clock is found: tandem.Clock's ways
---@field offset? string|number
---@field clock? tandem.Clock  the second run's, where it has been found already
---@field title? string
---@field map? tandem.Map   whose stages have lanes of their own
---@field most? integer     spans and nodes over them, about: a run that has more is thinned
---@field moments? integer[]  on the first run's clock: spans that begin or end there stay

---@class tandem.Timeline
---@field meta string   a JSON object: schema tandem.timeline/2
---@field data string   blocks, a line each
---@field title string
---@field runs tandem.Run[]
---@field origin_ns integer  where its time begins, on the first run's clock
---@field thinned? { spans: integer, all: integer, whole_ns: integer?, group: integer }  where
--- not all spans are there; timeline.h says what these are
---@field is_empty boolean   moments without a length and no counters: nothing is drawn

local function word_of(run, runs)
  if #runs == 1 then return run.kind end
  if runs[1].kind ~= runs[2].kind then return run.kind end
  return run == runs[1] and "first" or "second"
end

-- Members of the object that `json` is, before its own.
local function with_members(json, members)
  local head = html.json(members, { lists = { memory = true, at = true, value = true,
    notes = true } })
    :match "^%s*{(.*)}%s*$"
  return "{" .. head .. "," .. html.json_inside(json):sub(2)
end

-- A run's part of what two may have together.
local function most_of(run, runs, most)
  local all = 0
  for _, one in ipairs(runs) do all = all + (one.span_count or 0) end
  return math.max(1, math.floor(most * ((run.span_count or 0) / math.max(all, 1))))
end

local function origin_of(json)
  return math.tointeger(tonumber(json:match '"origin":"(%-?%d+)"')) or 0
end

-- What is true of all runs together.
local function thinned_of(jsons)
  local told = { spans = 0, all = 0, whole_ns = 0, group = 0 }
  for _, json in ipairs(jsons) do
    local head, all = json:match '"thinned":(%b{})', tonumber(json:match '"spans":(%d+),"chunks"')
    local function number(key)
      return head and math.tointeger(tonumber(head:match(('"%s":(%%d+)'):format(key))))
    end
    told.all, told.spans = told.all + all, told.spans + (number "spans" or all)
    told.group = math.max(told.group, number "group" or 0)
    if head and told.whole_ns then
      local whole_ns = number "whole_ns"
      told.whole_ns = whole_ns and math.max(told.whole_ns, whole_ns)
    end
  end
  return told.group > 0 and told or nil
end

local function is_empty(jsons)
  for _, json in ipairs(jsons) do
    if not json:find '"spans":0,"chunks"' or not json:find('"counters":[]', 1, true) then
      return false
    end
  end
  return true
end

local function title_of(run, other)
  local name, second = run.name or run.id, other and (other.name or other.id)
  if not other then return name end
  if name == second then name, second = name .. " " .. run.id, second .. " " .. other.id end
  return name .. " and " .. second
end

-- Nanoseconds that are added to times of the second run, from its origin, to get those from the
-- first one's origin.
local function shift_of(runs, jsons, options)
  local found, message, code = options.clock, nil, nil
  if not found then
    found, message, code = require("tandem.overlay.clock").align(runs[1], runs[2],
      { by = options.align, offset = options.offset, drift = "off" })
  end
  if not found then return nil, message, code end
  return origin_of(jsons[2]) + found.offset_ns - origin_of(jsons[1]), found
end

--- The timeline of a run, or of two on one clock.
---@param run tandem.Run
---@param other? tandem.Run
---@param options? tandem.TimelineOptions
---@return tandem.Timeline|nil
---@return string|nil message
---@return integer|nil code
function timeline.of(run, other, options)
  options = options or {}
  local runs, wanted = { run, other }, {}
  for i, one in ipairs(runs) do
    wanted[i] = { store = one.store.path, run = one.id,
      from_ns = i == 1 and options.from_ns or nil, to_ns = i == 1 and options.to_ns or nil,
      most = options.most and most_of(one, runs, options.most) or nil,
      moments = i == 1 and options.moments or nil }
  end
  local made, message, code = core.timeline(wanted)
  if not made then return nil, message, code end
  local shift, found = 0, nil
  if other then
    shift, found, code = shift_of(runs, made.runs, options)
    if not shift then return nil, found --[[@as string]], code end
  end
  local parts, is_whole = {}, not options.from_ns and not options.to_ns
  for i, one in ipairs(runs) do
    parts[i] = with_members(made.runs[i], { id = one.id, name = one.name or one.id,
      kind = one.kind, word = word_of(one, runs), shift_ns = i == 2 and shift or 0,
      notes = is_whole and require("tandem.store.notes").of(one) or nil,
      memory = memory.of(one, origin_of(made.runs[i])) })
  end
  local stages
  if options.map then
    stages, message, code = require("tandem.timeline.stages").of(run, options.map,
      origin_of(made.runs[1]))
    if not stages then return nil, message, code end
  end
  local title = options.title or title_of(run, other)
  local head = html.json({ schema = "tandem.timeline/2", title = title, lanes = lanes,
    generator = "tandem " .. core.version(), clock = found or nil,
    blocks = made.lengths, stages = stages },
    { lists = { lanes = true, blocks = true, stages = true, start = true, length = true,
      request = true } })
  return { title = title, runs = runs, data = made.data, origin_ns = origin_of(made.runs[1]),
    thinned = thinned_of(made.runs), is_empty = is_empty(made.runs),
    meta = ('{"runs":[%s],%s'):format(table.concat(parts, ",\n"), head:gsub("^%s*{", "", 1)) }
end

return timeline
