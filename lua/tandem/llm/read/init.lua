--- Measurements of LLM servers read, whatever wrote them: requests as benchmark clients report
-- them, steps as engines log them, seconds of a running server, operating points, operator tables.
--
-- A file is known by its content: JSON, JSON Lines, CSV or a log, and the fields that its kind must
-- have. Owns recognition; what the fields mean is said by one file a family. Called by
-- tandem.llm.calibrate.

local cjson = require "cjson"
local core = require "tandem.core"
local csv_reader = require "tandem.io.csv_reader"
local format = require "tandem.text.format"
local infile = require "tandem.io.infile"
local json_file = require "tandem.io.json_file"
local keys = require "tandem.text.nearest"
local records = require "tandem.io.records"
local text_file = require "tandem.io.text_file"

local read = {}

---@class tandem.llm.MeasuredRequest
---@field at_s number       since the first
---@field prompt integer|nil  tokens; nil of clients that count none
---@field output integer|nil
---@field ttft_s number|nil
---@field e2e_s number
---@field first_byte_s number|nil  where no token is told
---@field class string|nil
---@field hashes integer[]|nil  of its prompt's blocks, where a script knows them

---@class tandem.llm.MeasuredStep
---@field y number                  seconds
---@field x table<string, number>   terms of td.affine

---@class tandem.llm.Measured
---@field kind "requests"|"steps"|"series"|"points"|"tables"
---@field format string
---@field notes string[]
---@field requests tandem.llm.MeasuredRequest[]|nil  in order of time
---@field left_out integer|nil  requests that failed or had no answer
---@field tokenless boolean|nil  the client counts no tokens
---@field clock "client"|"engine"|nil  where times of requests start
---@field engine table|nil  settings that the file tells, keys of td.generate's engine
---@field steps tandem.llm.MeasuredStep[]|nil  steps, or seconds of a server
---@field points tandem.llm.Point[]|nil
---@field folder string|nil  of operator tables

---@class tandem.llm.Reader
---@field name string
---@field shape "json"|"lines"|"csv"|"log"
---@field fields (string|string[])[]  that it must have; a list: one of them
---@field keep table<string, true|"sum">|nil  all keys that it reads of JSON; nil: any
---@field read fun(data: any, from: tandem.llm.ReadFrom): table|nil, string|nil

---@class tandem.llm.ReadFrom
---@field path string
---@field has fun(field: string|string[]): string|nil  how the file spells a field

local FAMILIES <const> = { "bench_serving", "aiperf", "guidellm", "inference_perf",
  "inferencex", "rows", "k6", "mlperf", "logs" }

local function readers()
  local list = {}
  for _, family in ipairs(FAMILIES) do
    for _, reader in ipairs(require("tandem.llm.read." .. family)) do list[#list + 1] = reader end
  end
  return list
end

-- ---- shapes

local function decode(text)
  local ok, value = pcall(cjson.decode, text)
  return ok and type(value) == "table" and value or nil
end

local LINE_MOST <const> = 1 << 20 -- bytes of a line of a log: nothing that is read stands behind

-- Lines that are not blank; a carriage return alone ends one too, as bars of progress have it.
local function lines_of(source)
  return records.of(function()
    local file, parts = text_file.open(source), nil
    return file and function()
      while true do
        local part = parts and parts()
        if part and part:find "%S" then return part end
        if not part then
          local line = file:line_start(LINE_MOST)
          if not line then return nil end
          parts = line:find("\r", 1, true) and line:gmatch "[^\r]+" or nil
          if not parts and line:find "%S" then return line end
        end
      end
    end
  end)
end

local HEADER <const> = "^[%w_ ./%-\"]+,[%w_ ./%-\",()%%]*$"

-- A row as values by name, numbers as such.
local function named(names, fields)
  local row = {}
  for i, field in ipairs(fields) do
    if names[i] and field ~= "" then row[names[i]] = tonumber(field) or field end
  end
  return row
end

-- A table: its names and rows; nil: it is none. `problem` is what ended it too early.
local function csv(source)
  local file = text_file.open(source)
  local header = file and csv_reader.rows(file)()
  if not header then return nil end
  local names, data = {}, {}
  for i, name in ipairs(header) do names[i] = name:match "^%s*(.-)%s*$" end
  data.names, data.rows = names, records.of(function()
    local next_row = csv_reader.rows(text_file.open(source))
    next_row()
    return function()
      local fields, problem = next_row()
      data.problem = not fields and problem or nil
      return fields and named(names, fields)
    end
  end)
  return data
end

-- What readers of a shape are given: a whole object with the fields that they want of it, or its
-- records one by one.
local function json_shape(source)
  local survey = json_file.survey(source)
  if not survey or survey.count == 0 then return nil end
  local function objects(reader) return json_file.records(source, survey.count, reader.keep) end
  local whole = survey.count == 1 and not survey.is_list and not survey.cut
  return { lines = objects, fields = survey.fields, cut = survey.cut,
    json = whole and function(reader) return objects(reader)[1] end
      or survey.is_list and not survey.cut and objects or nil }
end

local function same(data) return function() return data end end

-- The shape of a text, what gives what is in it, and which fields its records have.
local function text_shape(source)
  local lines = lines_of(source)
  local found = (lines[1] or ""):gsub("^\239\187\191", ""):find(HEADER) and csv(source)
  if not found then return { log = same(lines), fields = {} } end
  local fields = {}
  for _, name in ipairs(found.names) do fields[name] = true end
  return { csv = same(found), fields = fields }
end

-- ---- recognition

local function finder(fields)
  return function(field)
    for _, name in ipairs(type(field) == "table" and field or { field }) do
      if fields[name] ~= nil and fields[name] ~= cjson.null then return name end
    end
  end
end

local function missing_of(reader, has)
  local missing = {}
  for _, field in ipairs(reader.fields) do
    if not has(field) then missing[#missing + 1] = type(field) == "table" and field[1] or field end
  end
  return missing
end

-- The reader that knows the file, or nil and the nearest with what it misses.
local function reader_of(shape)
  local has, nearest, best = finder(shape.fields), nil, 0
  for _, reader in ipairs(readers()) do
    local data = shape[reader.shape]
    if data and reader.shape == "log" then
      if reader.knows(data()) then return reader, data(), has end
    elseif data then
      local missing = missing_of(reader, has)
      if #missing == 0 then return reader, data(reader), has end
      local share = 1 - #missing / #reader.fields
      if share > best then best, nearest = share, { reader = reader, missing = missing } end
    end
  end
  return nil, nearest
end

-- ---- settings beside the measurements

-- What vLLM takes where its configuration does not say.
local function engine_of(meta)
  local args, cache = meta.engine_kwargs, meta.kv_cache
  local scheduler = type(meta.resolved_config) == "table" and meta.resolved_config.scheduler_config
  scheduler = type(scheduler) == "table" and scheduler or {}
  local engine = { max_seqs = args.max_num_seqs, max_batched_tokens = args.max_num_batched_tokens,
    chunked_prefill = scheduler.enable_chunked_prefill,
    long_prefill_tokens = scheduler.long_prefill_token_threshold,
    reserve_full_input = scheduler.scheduler_reserve_full_isl,
    plans_ahead = scheduler.async_scheduling }
  if engine.plans_ahead == nil then
    local major, minor = tostring(meta.vllm_version):match "^(%d+)%.(%d+)"
    engine.plans_ahead = major ~= nil and (tonumber(major) > 0 or tonumber(minor) >= 14)
  end
  if type(cache) == "table" and cache.num_gpu_blocks then
    engine.kv_blocks, engine.block_tokens = cache.num_gpu_blocks - 1, cache.block_size
  end
  for key, value in pairs(engine) do
    if value == cjson.null then engine[key] = nil end
  end
  return engine
end

--- The shape of a file that may be one of ours; nil where there is no such file, false where it is
--- somebody else's; with why, where it is a table that cannot be read.
local function shape_of_file(path)
  local head = core.recognize(path)
  if not head or head == "" then return nil end -- a folder has nothing to read
  local source = { path = path }
  if text_file.is_table(head) then
    local file, problem = text_file.open(source)
    if not file then return false, problem end
    return text_shape(source)
  end
  if head:find("\0", 1, true) or head:find('"traceEvents"', 1, true) then return false end
  return head:find "^[\239\187\191%s]*[%[{]" and json_shape(source) or text_shape(source)
end

local function beside(path)
  local text = infile.read((path:match "^(.*/)" or "") .. "meta.json")
  local meta = text and decode(text)
  return meta and type(meta.engine_kwargs) == "table" and engine_of(meta) or nil
end

-- ---- a path

-- The stages of an inference-perf run, where its requests were not kept: a point each.
local function stages_of(path)
  local all
  if infile.read(path .. "/per_request_lifecycle_metrics.json") then return nil end
  for number = 0, math.huge do
    local file = ("%s/stage_%d_lifecycle_metrics.json"):format(path, number)
    if not infile.read(file) then return all end
    local one, message = read.file(file)
    all = all or { kind = "points", format = "inference-perf stages", points = {}, notes = {} }
    if one then
      one.points[1].position = number + 1
      all.points[#all.points + 1] = one.points[1]
      all.notes[1] = all.notes[1] or one.notes[1]
    else
      all.notes[#all.notes + 1] = message
    end
  end
end

local function of_folder(path)
  path = path:gsub("/*$", "")
  if infile.read(path .. "/dense.csv") then
    return { kind = "tables", format = "operator tables", folder = path, notes = {} }
  end
  local stages = stages_of(path)
  if stages then return stages end
  for _, name in ipairs { "per_request.csv", "requests.jsonl",
    "per_request_lifecycle_metrics.json", "profile_export.jsonl" } do
    if infile.read(path .. "/" .. name) then return read.file(path .. "/" .. name) end
  end
end

local function told_nearest(path, nearest)
  if not nearest or #nearest.missing > #nearest.reader.fields / 2 then return nil end
  return ("%s: nearest to %s, but without %s"):format(path, nearest.reader.name,
    format.list(nearest.missing))
end

local REQUEST <const> = { "at_s", "e2e_s", "ttft_s", "first_byte_s", "prompt", "output" }

local function is_possible(value) return value >= 0 and value < math.huge end

-- Why times and counts cannot be: nothing of a server is endless, or less than nothing.
local function impossible(measured)
  for i, r in ipairs(measured.requests or {}) do
    for _, name in ipairs(REQUEST) do
      if r[name] and not is_possible(r[name]) then
        return ("request %d, in order of time: its %s is %s"):format(i, name, r[name])
      end
    end
  end
  for i, point in ipairs(measured.points or {}) do
    for _, name in ipairs(keys.sorted_keys(point)) do
      if math.type(point[name]) and not is_possible(point[name]) then
        return ("point %d: its %s is %s"):format(i, name, point[name])
      end
    end
  end
end

local function is_before(a, b)
  return a.at_s < b.at_s or a.at_s == b.at_s and a.position < b.position
end

-- Most files are in order, and long.
local function sort(requests)
  for i = 2, #requests do
    if is_before(requests[i], requests[i - 1]) then return table.sort(requests, is_before) end
  end
end

--- What a file or a folder holds. Nil and a line when it is nearly something that is read; nil
--- alone when it is nothing of LLM servers.
---@param path string
---@return tandem.llm.Measured|nil
---@return string|nil message
function read.file(path)
  local shape, unread = shape_of_file(path)
  if shape == false then return nil, unread and ("%s: %s"):format(path, unread) end
  if not shape then return of_folder(path) end
  if shape.csv and shape.fields.layer and shape.fields.time_us then
    return of_folder(path:match "^(.*)/[^/]*$" or ".")
  end
  local reader, data, has = reader_of(shape)
  if not reader then return nil, told_nearest(path, data) end
  local measured, message = reader.read(data, { path = path, has = has })
  if data.problem then measured, message = nil, data.problem end
  if not measured then return nil, ("%s: %s"):format(path, message) end
  measured.format, measured.notes = measured.format or reader.name, measured.notes or {}
  if shape.cut then
    table.insert(measured.notes, "its last record ends in the middle and is left out")
  end
  if measured.kind == "requests" then
    measured.engine = measured.engine or beside(path)
    if #measured.requests == 0 then
      return nil, ("%s: %s without a request that was served"):format(path, reader.name)
    end
    sort(measured.requests)
    local first = measured.requests[1].at_s
    for _, r in ipairs(measured.requests) do r.at_s = r.at_s - first end
  end
  local why = impossible(measured)
  if why then return nil, ("%s: %s"):format(path, why) end
  return measured
end

return read
