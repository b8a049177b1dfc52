--- Recorded requests: arrivals, sizes, conversations and blocks of prompts, from files or rows.
-- Owns how rows become columns of a model, in order of time, and writing rows as the CSV that is
-- read here. Reading is rows.lua's, what columns mean layouts.lua's, sessions of agents are
-- sessions.lua's and families.lua's, when requests come again schedule.lua's, whether blocks of
-- prompts fit a server's llm/prefixes.lua's. Nothing is skipped silently: a bad row is an error
-- that names its line. Called by td.replay and td.resample (language/recordings.lua) and by
-- visits/arrivals.lua.

local blocks = require "tandem.replay.blocks"
local canonical = require "tandem.scenario.canonical"
local core = require "tandem.core"
local families = require "tandem.replay.families"
local layouts = require "tandem.replay.layouts"
local nearest = require "tandem.text.nearest"
local recorded_rows = require "tandem.replay.rows"
local schedule = require "tandem.replay.schedule"
local safe = require "tandem.text.safe"
local sessions = require "tandem.replay.sessions"
local text = require "tandem.replay.text"

local replay = { timestamp_ns = text.timestamp_ns }

---@class tandem.RecordedBlocks
---@field tokens integer  of each id; the last of a row may cover fewer
---@field runs integer[]  of ids from 0: first, count, …; equal leading ids are equal prefixes
---@field ends integer[]  how many ids there are up to each row's last
---@field count integer   of ids

---@class tandem.ReplayData
---@field times number[]|nil  of units (rows, or conversations): seconds from the first, rising
---@field period number|nil   seconds until they may come again
---@field origin tandem.Origin|nil  what of the recording they count from
---@field count integer       rows
---@field attrs table<string, number[]> one value per row
---@field turns integer[]|nil first row of each conversation, from 0
---@field blocks tandem.RecordedBlocks|nil
---@field roots integer[]|nil  conversations that arrive, from 0; nil: all do
---@field begun integer[]|nil  pairs: a row, the conversation that it begins
---@field joins integer[]|nil  rows that wait for who was begun before

---@class tandem.Origin
---@field tick number   the first row's time, as it is written
---@field scale number  seconds of a tick
---@field from number   seconds behind it that were cut
---@field speed number

-- What was read, row by row, before anything is put in order.
---@class tandem.Recorded
---@field ticks number[]|nil
---@field scale number
---@field attrs table<string, number[]>
---@field sessions any[]|nil
---@field blocks integer[][]|nil  runs of ids, as blocks.lua has them
---@field block_tokens integer|nil
---@field count integer
---@field begun_by table<any, integer>|nil  sessions of agents: the row that begins a sub-agent
---@field joins table<integer, boolean>|nil the rows that wait for sub-agents
---@field local_clock boolean|nil each session's times are its own
---@field distinct integer|nil    how many ids there are

-- ---- reading

-- Whether a row is one of those asked for.
local function matches(row, position, where)
  for column, wanted in next, where or {} do
    local value = row[position[column]]
    if value ~= wanted and tostring(value) ~= tostring(wanted) then return false end
  end
  return true
end

local function blocks_of(list, intern)
  local runs = {}
  if type(list) == "table" then
    for id in text.items(list) do blocks.push(runs, intern(id)) end
  end
  return runs
end

-- The attributes' names, and empty columns for them.
local function empty(columns)
  local names, attrs = {}, {}
  for k in pairs(columns) do
    if k ~= "arrival" then
      names[#names + 1] = k
      attrs[k] = {}
    end
  end
  table.sort(names)
  return names, attrs
end

-- A time as a number or a date; a recording has one or the other.
local function tick_of(when, dated)
  if dated then return type(when) == "string" and text.timestamp_ns(when) or nil end
  local number = tonumber(when)
  return number == number and number or nil
end

-- One row into the columns; nil, and the column and value that are wrong.
local function take(out, names, columns, row, position, n)
  local value
  if columns.of.arrival then
    value = row[position[columns.of.arrival]]
    if out.dated == nil then out.dated = tonumber(value) == nil end
    out.ticks[n] = tick_of(value, out.dated)
    if not out.ticks[n] then return nil, columns.of.arrival, value, "time" end
  end
  for _, k in ipairs(names) do
    value = row[position[columns.of[k]]]
    if type(value) == "table" then value = text.first(value) end
    local number = tonumber(value)
    if number == nil then return nil, columns.of[k], value, "number" end
    out.attrs[k][n] = number + 0.0
  end
  if columns.session then
    value = row[position[columns.session]]
    if value == nil or type(value) == "table" then
      return nil, columns.session, nil, "name of a session"
    end
    out.sessions[n] = value
  end
  return true
end

local function unknown_column(options, position, names)
  for column in next, options.where or {} do
    if position[column] == nil then
      return ("there is no column '%s'; %s"):format(column, nearest.hint(column, names))
    end
  end
end

-- Sessions say themselves what their columns are.
local function recorded_sessions(options, source)
  local asked = options.format == "sessions"
  if not asked and ((options.format or "auto") ~= "auto" or options.columns) then return false end
  local kind = sessions.kind(source)
  if not kind then
    if not asked then return false end
    return nil, options.file .. ": holds no known sessions (tandem help sub-agents)", "file"
  end
  for _, key in ipairs { "columns", "where", "scale" } do
    if options[key] then return nil, "sessions of agents have columns of their own", key end
  end
  local windowed = options.from or options.to
  return sessions.read(source, kind, { file = options.file, hash_tokens = options.hash_tokens,
    bytes_per_token = options.bytes_per_token, limit = not windowed and options.limit or nil })
end

local function columns_asked(options, rows, timeless)
  local columns, problem, key
  if rows.format ~= "conversations" then
    columns, problem, key = layouts.choose(options, rows.names, rows.sample, timeless)
  elseif timeless then
    columns = { scale = 1.0, session = "session",
      of = { prompt_tokens = "prompt_tokens", output_tokens = "output_tokens" } }
  else
    problem, key = ("%s: conversations without times; td.poisson { rps = …, sizes = td.resample "
      .. "{ file = … } } gives them some"):format(options.file), "file"
  end
  if not columns then return nil, problem, key end
  local absent = unknown_column(options, rows.position, rows.names)
  if absent then return nil, absent, "where" end
  return columns
end

-- Reads a file into columns, in the order in which it is written.
local function recorded(options, source, timeless)
  local rec, wrong, at_fault = recorded_sessions(options, source)
  if rec ~= false then return rec, wrong, at_fault end
  local rows, unreadable = recorded_rows.read(options, source)
  if not rows then return nil, unreadable, "file" end
  local columns, problem, key = columns_asked(options, rows, timeless)
  if not columns then return nil, problem, key end
  local attr_names, attrs = empty(columns.of)
  local out = { attrs = attrs, scale = columns.scale, ticks = columns.of.arrival and {},
    sessions = columns.session and {}, block_tokens = columns.block_tokens,
    blocks = columns.blocks and {} }
  local intern, n = blocks.interner(), 0
  local by_row = options.limit and not (options.from or options.to or out.sessions)
  while not (by_row and n == options.limit) do
    local row, line = rows.next()
    if not row and line then return nil, ("%s: %s"):format(options.file, line), "file" end
    if not row then break end
    if matches(row, rows.position, options.where) then
      n = n + 1
      local ok, column, value, wanted = take(out, attr_names, columns, row, rows.position, n)
      if not ok then
        return nil, ("%s:%d: column '%s': %s is not a %s"):format(options.file, line, column,
          value == nil and "nothing" or ("'%s'"):format(tostring(value)), wanted), "file"
      end
      if out.blocks then out.blocks[n] = blocks_of(row[columns.blocks], intern) end
    end
  end
  if n == 0 then return nil, ("%s: no row is so"):format(options.file), "where" end
  out.count = n
  if out.dated then out.scale = 1e-9 end
  return out
end

-- ---- order

-- Seconds between two ticks. Subtract before scaling: integer nanoseconds keep every digit.
local function between(first, tick, scale)
  local divisor = scale < 1 and math.floor(1 / scale + 0.5) or nil
  return divisor and (tick - first) / divisor or (tick - first) * scale
end

-- Seconds from the first, row by row, and its tick; 0 where there are no times.
local function seconds(rec)
  local ticks, out = rec.ticks, {}
  if not ticks then
    for i = 1, rec.count do out[i] = 0.0 end
    return out
  end
  local origin = ticks[1]
  for _, t in ipairs(ticks) do origin = math.min(origin, t) end
  for i, t in ipairs(ticks) do out[i] = between(origin, t, rec.scale) end
  return out, origin
end

-- Rows of each unit, units in order of their first row's time, ties as written.
local function units_of(rec, at)
  local order, sorted = {}, true
  for i = 1, rec.count do
    order[i] = i
    sorted = sorted and (i == 1 or at[i] >= at[i - 1])
  end
  if not sorted then
    table.sort(order, function(a, b)
      if at[a] ~= at[b] then return at[a] < at[b] end
      return a < b
    end)
  end
  local units, by_session = {}, {}
  for _, i in ipairs(order) do
    local unit = rec.sessions and by_session[rec.sessions[i]]
    if not unit then
      unit = {}
      units[#units + 1] = unit
      if rec.sessions then by_session[rec.sessions[i]] = unit end
    end
    unit[#unit + 1] = i
  end
  return units
end

-- Columns of the units that a plan names, in its order. Copies of a unit share no prompt.
local function gather(rec, units, plan)
  local out = { count = 0, attrs = {}, turns = rec.sessions and {},
    blocks = rec.blocks and blocks.rows(rec.block_tokens) }
  for name in pairs(rec.attrs) do out.attrs[name] = {} end
  if rec.sessions then out.attrs.turns = {} end
  local distinct = 0
  for _, runs in ipairs(plan.copies and rec.blocks or {}) do
    distinct = math.max(distinct, blocks.bound(runs))
  end
  local n = 0
  for k, number in ipairs(plan.units) do
    local unit, copy = units[number], plan.copies and plan.copies[k] or 0
    if out.turns then out.turns[k] = n end
    for _, i in ipairs(unit) do
      n = n + 1
      for name, values in pairs(rec.attrs) do out.attrs[name][n] = values[i] end
      if rec.sessions then out.attrs.turns[n] = #unit + 0.0 end
      if out.blocks then blocks.add_row(out.blocks, rec.blocks[i], copy * distinct) end
    end
  end
  out.count = n
  if out.blocks and out.blocks.count == 0 then out.blocks = nil end
  return out
end

local function arrange(rec, options)
  if rec.begun_by then return families.arrange(rec, options) end
  local at, origin = seconds(rec)
  local units, times = units_of(rec, at), {}
  for k, unit in ipairs(units) do times[k] = at[unit[1]] end
  local plan, problem, key = schedule.make(times, options)
  if not plan then return nil, problem, key end
  local data = gather(rec, units, plan)
  data.times, data.period = plan.times, plan.period
  if origin then
    data.origin = { tick = origin, scale = rec.scale, from = options.from or 0, speed = plan.speed }
  end
  return data
end

-- ---- what was read before

-- Variants of a scenario read the same file again and again; what they share is never written to.
local KEPT <const> = 4
local read_before = {}

-- What says which rows there are, and what they become.
local READING <const> = { "file", "columns", "format", "scale", "where", "hash_tokens",
  "bytes_per_token", "limit", "from", "to" }
local PACE <const> = { "from", "to", "limit", "sample", "speed", "rps", "time", "order" }

local function options_as_text(options, names)
  local out = {}
  for i, name in ipairs(names) do out[i] = canonical.text(options[name]) end
  return table.concat(out, "|")
end

local function read_once(options, directory, timeless)
  local source, unreadable = text.source(options.file, directory)
  if not source then return nil, unreadable, "file" end
  local key = tostring(timeless) .. options_as_text(options, READING)
  local digest = source.text and core.digest.sha256(source.text)
    or core.digest.sha256_file(source.path)
  for i, one in ipairs(read_before) do
    if one.key == key and one.digest == digest then
      table.insert(read_before, 1, table.remove(read_before, i))
      return one
    end
  end
  local rec, problem, at_fault = recorded(options, source, timeless)
  if not rec then return nil, problem, at_fault end
  table.insert(read_before, 1, { key = key, digest = digest, rec = rec })
  read_before[KEPT + 1] = nil
  return read_before[1]
end

-- What `make` arranges of a recording, remembered with it.
local function arranged(options, directory, timeless, make)
  local one, problem, key = read_once(options, directory, timeless)
  if not one then return nil, safe.printed(problem), key end -- it may quote the file
  local pace = options_as_text(options, PACE)
  if one.pace ~= pace then
    local data
    data, problem, key = make(one.rec)
    if not data then return nil, problem, key end
    one.pace, one.data = pace, data
  end
  return one.data
end

--- How much later than the earliest of them each of some replays of one recording begins.
---@param all tandem.ReplayData[]
---@return number[] seconds, each at its own speed
function replay.offsets(all)
  local first, begins, out = all[1].origin, {}, {}
  for i, data in ipairs(all) do
    begins[i] = between(first.tick, data.origin.tick, first.scale) + data.origin.from
  end
  local least = math.min(table.unpack(begins))
  for i, data in ipairs(all) do out[i] = (begins[i] - least) / data.origin.speed end
  return out
end

--- Read a trace.
---@param options table the keys of td.replay
---@param directory string|nil where relative names start
---@return tandem.ReplayData|nil
---@return string|nil problem
---@return string|nil key of the option that is at fault
function replay.load(options, directory)
  return arranged(options, directory, nil, function(rec) return arrange(rec, options) end)
end

--- Read what requests were like, without when they came: for td.resample. Rows that are drawn at
--- random share no prompts.
---@param options table the keys of td.resample
---@param directory string|nil
---@return tandem.ReplayData|nil
---@return string|nil problem
---@return string|nil key
function replay.sizes(options, directory)
  local random = options.order ~= "recorded"
  return arranged(options, directory, true, function(rec)
    local data, problem, key = arrange({ attrs = rec.attrs, sessions = rec.sessions,
      blocks = (rec.begun_by or not random) and rec.blocks or nil,
      block_tokens = rec.block_tokens, count = rec.count, begun_by = rec.begun_by,
      joins = rec.joins, distinct = rec.distinct, local_clock = true },
      { limit = options.limit }) -- no ticks: as it is written
    if not data then return nil, problem, key end
    data.times, data.period, data.random = nil, nil, random or nil
    if next(data.attrs) == nil then
      return nil, ("%s: no column holds numbers"):format(options.file), "file"
    end
    return data
  end)
end

--- Arrivals from rows that are checked: numbers by name, `arrival` in seconds.
---@param options table  rows, and the keys of td.replay that say when they come
---@return tandem.ReplayData|nil
---@return string|nil problem
---@return string|nil key
function replay.of_rows(options)
  local rows, ticks, attrs = options.rows, {}, {}
  local names = {}
  for _, name in ipairs(nearest.sorted_keys(rows[1])) do
    if name ~= "arrival" then
      names[#names + 1] = name
      attrs[name] = {}
    end
  end
  local windowed = options.from or options.to
  for i = 1, windowed and #rows or math.min(#rows, options.limit or #rows) do
    local row, count = rows[i], 0
    if not row.arrival then return nil, ("row %d has no arrival"):format(i) end
    ticks[i] = row.arrival
    for _, name in ipairs(names) do
      if not row[name] then
        return nil, ("row %d has no '%s', which row 1 has"):format(i, name)
      end
      attrs[name][i] = row[name]
    end
    for _ in next, row do count = count + 1 end
    if count > #names + 1 then
      for _, name in ipairs(nearest.sorted_keys(row)) do
        if not rows[1][name] then
          return nil, ("row %d has '%s', which row 1 has not"):format(i, name)
        end
      end
    end
  end
  return arrange({ ticks = ticks, scale = 1.0, attrs = attrs, count = #ticks }, options)
end

--- Rows as the CSV that td.replay reads; arrivals to the nanosecond.
---@param rows table<string, number>[]  as td.replay { rows = … } takes them
---@return string
function replay.csv_of(rows)
  local names = {}
  for _, name in ipairs(nearest.sorted_keys(rows[1] or {})) do
    if name ~= "arrival" then names[#names + 1] = name end
  end
  local csv = require "tandem.io.csv"
  local lines, cells = { csv.line { "arrival", table.unpack(names) } }, {}
  for i, row in ipairs(rows) do
    cells[1] = ("%.9f"):format(row.arrival)
    for k, name in ipairs(names) do cells[k + 1] = row[name] end
    lines[i + 1] = csv.line(cells)
  end
  return table.concat(lines, "\n") .. "\n"
end

return replay
