--- Recorded arrivals: CSV (quoted fields, CRLF) and JSON Lines, columns mapped; rows of a script.
-- Owns the two readers, recognising the Azure (TIMESTAMP, ContextTokens, GeneratedTokens) and
-- Mooncake (timestamp in ms, input_length, output_length, hash_ids) layouts, turning times into
-- seconds from the first arrival, and writing rows as the CSV that is read here. Nothing is skipped
-- silently: a bad row is an error that names its line.

local expr = require "tandem.expr"
local json = require "tandem.json"
local nearest = require "tandem.nearest"

local replay = {}

-- Layouts recognised by their columns: where each attribute comes from.
local layouts = {
  { name = "Azure", needs = { "TIMESTAMP", "ContextTokens", "GeneratedTokens" },
    columns = { arrival = "TIMESTAMP", prompt_tokens = "ContextTokens",
      output_tokens = "GeneratedTokens", tokens = "GeneratedTokens" } },
  { name = "Mooncake", needs = { "timestamp", "input_length", "output_length" }, scale = 1e-3,
    columns = { arrival = "timestamp", prompt_tokens = "input_length",
      output_tokens = "output_length", tokens = "output_length" } },
  { name = "ns arrivals", needs = { "arrival_time_ns", "input_toks", "output_toks" }, scale = 1e-9,
    columns = { arrival = "arrival_time_ns", prompt_tokens = "input_toks",
      output_tokens = "output_toks", tokens = "output_toks" } },
}

local arrival_names = { "arrival", "arrival_s", "arrival_ms", "arrival_us", "arrival_ns",
  "arrival_time", "timestamp", "time", "t", "ts", "TIMESTAMP", "Timestamp" }

local suffix_scale = { { "_ns$", 1e-9 }, { "_us$", 1e-6 }, { "_ms$", 1e-3 }, { "_s$", 1.0 } }

--- Split CSV text into rows of fields.
---@param text string
---@return string[][]|nil rows
---@return integer[]|string lines line number of each row, or the problem
function replay.csv(text)
  local rows, line_numbers = {}, {}
  local at, line, size = 1, 1, #text
  if text:sub(1, 3) == "\239\187\191" then at = 4 end
  while at <= size do
    local row, start = {}, line
    while true do
      if text:byte(at) == 34 then -- a quoted field
        local parts, from = {}, at + 1
        while true do
          local stop = text:find('"', from, true)
          if not stop then return nil, ("line %d: a quoted field is not closed"):format(start) end
          parts[#parts + 1] = text:sub(from, stop - 1)
          if text:byte(stop + 1) ~= 34 then
            at = stop + 1
            break
          end
          parts[#parts + 1] = '"'
          from = stop + 2
        end
        local value = table.concat(parts)
        for _ in value:gmatch("\n") do line = line + 1 end
        row[#row + 1] = value
        if at <= size and not text:find("^[,\r\n]", at) then
          return nil, ("line %d: text after a closing quote"):format(line)
        end
      else
        local stop = text:find("[,\n]", at) or size + 1
        local value = text:sub(at, stop - 1)
        if text:byte(stop) ~= 44 then value = value:gsub("\r$", "") end
        row[#row + 1] = value
        at = stop
      end
      if text:byte(at) == 44 then
        at = at + 1
      else
        break
      end
    end
    if text:byte(at) == 13 then at = at + 1 end
    at = at + 1
    line = line + 1
    if #row > 1 or row[1] ~= "" then
      rows[#rows + 1] = row
      line_numbers[#line_numbers + 1] = start
    end
  end
  return rows, line_numbers
end

-- The top-level scalars of one JSON object, without building its lists: a trace line may hold
-- thousands of token ids. Returns nil when the line is not that simple; json.decode then judges.
local function quick_fields(text)
  if not text:find("^%s*{") or text:find("\\", 1, true) then return nil end
  local out, at = {}, text:find("{", 1, true) + 1
  while true do
    local key, value_at = text:match('^%s*"([^"]*)"%s*:%s*()', at)
    if not key then return nil end
    local c = text:sub(value_at, value_at)
    local stop
    if c == "[" then
      stop = select(2, text:find("^%b[]", value_at))
      out[key] = tonumber(text:match("^%[%s*(-?%d[%d%.eE+-]*)", value_at))
      out[key] = { first = out[key] }
    elseif c == '"' then
      stop = select(2, text:find('^"[^"]*"', value_at))
      out[key] = stop and text:sub(value_at + 1, stop - 1)
    elseif c == "{" then
      return nil
    else
      stop = select(2, text:find("^[^,}%s]+", value_at))
      out[key] = stop and tonumber(text:sub(value_at, stop)) or nil
    end
    if not stop then return nil end
    local separator, after = text:match("^%s*([,}])()", stop + 1)
    if separator == "}" then return text:find("^%s*$", after) and out or nil end
    if not separator then return nil end
    at = after
  end
end

local function read_jsonl(text, limit)
  local rows, line_numbers, line = {}, {}, 0
  for raw in (text .. "\n"):gmatch("(.-)\r?\n") do
    line = line + 1
    if raw:find("%S") then
      local fields = quick_fields(raw)
      if not fields then
        local value, wrong = json.decode(raw)
        if type(value) ~= "table" then
          return nil, ("line %d: %s"):format(line, wrong and wrong.message or "is not an object")
        end
        fields = value
        for k, v in pairs(fields) do
          if type(v) == "table" then fields[k] = { first = v[1] } end
        end
      end
      rows[#rows + 1] = fields
      line_numbers[#line_numbers + 1] = line
      if limit and #rows >= limit then break end
    end
  end
  return rows, line_numbers
end

-- Days from 1970-01-01 of a proleptic Gregorian date.
local function days(y, m, d)
  y = m <= 2 and y - 1 or y
  local era = y // 400
  local yoe = y - era * 400
  local doy = (153 * (m + (m > 2 and -3 or 9)) + 2) // 5 + d - 1
  return era * 146097 + yoe * 365 + yoe // 4 - yoe // 100 + doy - 719468
end

--- A date and time as integer nanoseconds since 1970 (UTC unless an offset is written).
---@param text string "2023-11-16 18:17:03.9799600", "2023-11-16T18:17:03Z", …+01:00
---@return integer|nil
function replay.timestamp_ns(text)
  local y, mo, d, h, mi, s, rest =
    text:match("^%s*(%d%d%d%d)-(%d%d)-(%d%d)[T ](%d%d):(%d%d):(%d%d)(.-)%s*$")
  if not y then return nil end
  local fraction, zone = rest:match("^%.(%d+)(.*)$")
  zone = zone or rest
  local ns = tonumber(((fraction or "") .. "000000000"):sub(1, 9))
  local offset = 0
  if zone ~= "" and zone ~= "Z" then
    local sign, zh, zm = zone:match("^([+-])(%d%d):?(%d%d)$")
    if not sign then return nil end
    offset = (zh * 3600 + zm * 60) * (sign == "-" and -1 or 1)
  end
  mo, d, h, mi, s = tonumber(mo), tonumber(d), tonumber(h), tonumber(mi), tonumber(s)
  if mo < 1 or mo > 12 or d < 1 or d > 31 or h > 23 or mi > 59 or s > 60 then return nil end
  local seconds = days(tonumber(y), mo, d) * 86400 + h * 3600 + mi * 60 + s
  return math.tointeger((seconds - offset) * 1000000000 + ns)
end

local function read_text(file, directory)
  local paths = { file }
  if directory and directory ~= "" and file:sub(1, 1) ~= "/" then
    table.insert(paths, 1, directory .. "/" .. file)
  end
  for _, path in ipairs(paths) do
    local handle = io.open(path, "rb")
    if handle then
      local text = handle:read("a")
      handle:close()
      if text then return text end
    end
  end
  local ok, embedded = pcall(require, "tandem.embedded")
  for _, path in ipairs(paths) do
    local text = ok and type(embedded) == "table" and embedded.read(path)
    if text then return text end
  end
  return nil, ("cannot read '%s'"):format(file)
end

local function column_names(rows, format)
  local names, seen = {}, {}
  if format == "csv" then
    for _, name in ipairs(rows[1]) do names[#names + 1] = name end
    return names
  end
  for i = 1, math.min(#rows, 20) do
    for _, k in ipairs(nearest.sorted_keys(rows[i])) do
      if not seen[k] then
        seen[k] = true
        names[#names + 1] = k
      end
    end
  end
  table.sort(names)
  return names
end

local function has_all(set, names)
  for _, n in ipairs(names) do
    if not set[n] then return false end
  end
  return true
end

-- Which column is the arrival, which are attributes, and how long a unit of time is.
local function choose_columns(options, names, sample)
  local set = {}
  for _, n in ipairs(names) do set[n] = true end
  local columns, scale, layout = {}, options.scale, nil
  for _, candidate in ipairs(layouts) do
    if has_all(set, candidate.needs) then
      layout = candidate
      break
    end
  end
  if options.columns then
    for k, v in pairs(options.columns) do
      if not set[v] then
        return nil, ("there is no column '%s'; %s"):format(v, nearest.hint(v, names)), "columns"
      end
      columns[k] = v
    end
  elseif layout then
    for k, v in pairs(layout.columns) do columns[k] = v end
    if set.hash_ids then columns.prefix = "hash_ids" end
  else
    for _, n in ipairs(names) do
      local value = sample[n]
      local is_number = type(value) == "number" or (type(value) == "string" and tonumber(value))
      if n:find("^[%a_][%w_]*$") and is_number
        and (n == "arrival" or not expr.request_fields[n]) then
        columns[n] = n
      end
    end
  end
  if not columns.arrival then
    for _, n in ipairs(layout and { layout.columns.arrival } or arrival_names) do
      if set[n] then
        columns.arrival = n
        break
      end
    end
    if not columns.arrival then
      return nil, ("no arrival column; say which: columns = { arrival = \"…\" } (%s)"):format(
        nearest.hint("", names)), "columns"
    end
    if not options.columns then columns[columns.arrival] = nil end
  end
  if not scale then
    scale = layout and columns.arrival == layout.columns.arrival and layout.scale or nil
    for _, rule in ipairs(suffix_scale) do
      if not scale and columns.arrival:find(rule[1]) then scale = rule[2] end
    end
  end
  return columns, scale or 1.0
end

local function sort_by_time(times, attrs)
  local order, sorted = {}, true
  for i = 1, #times do
    order[i] = i
    if i > 1 and times[i] < times[i - 1] then sorted = false end
  end
  if sorted then return times, attrs end
  table.sort(order, function(a, b)
    if times[a] ~= times[b] then return times[a] < times[b] end
    return a < b
  end)
  local function permute(list)
    local out = {}
    for i, from in ipairs(order) do out[i] = list[from] end
    return out
  end
  local out = {}
  for k, list in pairs(attrs) do out[k] = permute(list) end
  return permute(times), out
end

---@class tandem.ReplayData
---@field times number[] seconds from the first arrival, rising
---@field attrs table<string, number[]> one value per request

-- Times in any unit and order as seconds from the first.
local function from_first(ticks, scale, speed, attrs)
  local times, origin = {}, ticks[1]
  for _, t in ipairs(ticks) do origin = math.min(origin, t) end
  -- Subtract before scaling: integer nanoseconds keep every digit.
  local divisor = scale < 1 and math.floor(1 / scale + 0.5) or nil
  for i, t in ipairs(ticks) do
    local d = t - origin
    times[i] = (divisor and d / divisor or d * scale) / (speed or 1)
  end
  times, attrs = sort_by_time(times, attrs)
  return { times = times, attrs = attrs }
end

--- Read a trace.
---@param options table the keys of td.replay: file, columns, format, scale, speed, limit
---@param directory string|nil where relative names start
---@return tandem.ReplayData|nil
---@return string|nil problem
---@return string|nil key of the option that is at fault
function replay.load(options, directory)
  local text, unreadable = read_text(options.file, directory)
  if not text then return nil, unreadable, "file" end
  for magic, unpack in pairs { ["\x1f\x8b"] = "gunzip -k", ["\x28\xb5\x2f\xfd"] = "unzstd" } do
    if text:sub(1, #magic) == magic then
      return nil, ("%s is compressed; unpack it first (%s)"):format(options.file, unpack), "file"
    end
  end
  local format = options.format
  if not format or format == "auto" then
    format = text:find("^[\239\187\191%s]*{") and "jsonl" or "csv"
  end
  local rows, line_numbers
  if format == "csv" then rows, line_numbers = replay.csv(text)
  else rows, line_numbers = read_jsonl(text, options.limit) end
  if not rows then return nil, options.file .. ": " .. line_numbers, "file" end
  local first = format == "csv" and 2 or 1
  if #rows < first then return nil, options.file .. ": holds no requests", "file" end
  local names = column_names(rows, format)
  local place = {}
  for i, n in ipairs(names) do place[n] = format == "csv" and i or n end
  local sample = {}
  for _, n in ipairs(names) do sample[n] = rows[first][place[n]] end
  local columns, scale, at_fault = choose_columns(options, names, sample)
  if not columns then return nil, scale, at_fault end

  local ticks, attrs, attr_names = {}, {}, {}
  for k in pairs(columns) do
    if k ~= "arrival" then
      attr_names[#attr_names + 1] = k
      attrs[k] = {}
    end
  end
  table.sort(attr_names)
  local last = options.limit and math.min(#rows, first + options.limit - 1) or #rows
  local dated
  for i = first, last do
    local row, n = rows[i], i - first + 1
    local function bad(column, value)
      return nil, ("%s:%d: column '%s': %s is not a %s"):format(options.file, line_numbers[i],
        column, value == nil and "nothing" or ("'%s'"):format(tostring(value)),
        column == columns.arrival and "time" or "number"), "file"
    end
    local when = row[place[columns.arrival]]
    local number = tonumber(when)
    if dated == nil then dated = number == nil end
    ticks[n] = dated and type(when) == "string" and replay.timestamp_ns(when)
      or not dated and number or nil
    if ticks[n] == nil or ticks[n] ~= ticks[n] then return bad(columns.arrival, when) end
    for _, k in ipairs(attr_names) do
      local value = row[place[columns[k]]]
      if type(value) == "table" then value = value.first or 0 end
      local as_number = tonumber(value)
      if as_number == nil then return bad(columns[k], value) end
      attrs[k][n] = as_number + 0.0
    end
  end
  return from_first(ticks, dated and 1e-9 or scale, options.speed, attrs)
end

--- Arrivals from rows that are checked: numbers by name, `arrival` in seconds.
---@param options { rows: table<string, number>[], speed: number|nil, limit: integer|nil }
---@return tandem.ReplayData|nil
---@return string|nil problem
function replay.of_rows(options)
  local rows, ticks, attrs = options.rows, {}, {}
  local names = {}
  for _, name in ipairs(nearest.sorted_keys(rows[1])) do
    if name ~= "arrival" then
      names[#names + 1] = name
      attrs[name] = {}
    end
  end
  for i = 1, math.min(#rows, options.limit or #rows) do
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
  return from_first(ticks, 1.0, options.speed, attrs)
end

-- A number that reads back as the same.
local function exact(value)
  local short = ("%.15g"):format(value)
  return tonumber(short) == value and short or ("%.17g"):format(value)
end

--- Rows as the CSV that td.replay reads; arrivals to the nanosecond.
---@param rows table<string, number>[]  as td.replay { rows = … } takes them
---@return string
function replay.csv_of(rows)
  local names = {}
  for _, name in ipairs(nearest.sorted_keys(rows[1] or {})) do
    if name ~= "arrival" then names[#names + 1] = name end
  end
  local lines, cells = { table.concat({ "arrival", table.unpack(names) }, ",") }, {}
  for i, row in ipairs(rows) do
    cells[1] = ("%.9f"):format(row.arrival)
    for k, name in ipairs(names) do cells[k + 1] = exact(row[name]) end
    lines[i + 1] = table.concat(cells, ",")
  end
  return table.concat(lines, "\n") .. "\n"
end

return replay
