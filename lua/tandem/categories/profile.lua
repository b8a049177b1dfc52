--- Profiles side by side: what `tandem categories` is given, what it finds, result.csv.
--
-- Owns the words IN[,ENGINE[,MODEL[,ELAPSED_S]]], the files that are imported for the while, and
-- the table of kernels. A profile has a column for each of its GPUs: GPUs are never merged.
local csv = require "tandem.io.csv"

local profile = {}

local USAGE <const> = 2

---@class tandem.CategoryInput
---@field source string    a run or a file
---@field file boolean
---@field engine? string
---@field model? string
---@field elapsed? integer  ns

---@class tandem.CategoryColumn
---@field name string        "llama_vllm_run1_0", with its GPU where there are several
---@field device? string
---@field wall_ns integer
---@field gpu_ns integer
---@field unmatched_ns integer
---@field total_ns integer
---@field categories table[]  rows of the analysis
---@field kernels table[]

---@class tandem.CategoryProfile
---@field name string
---@field answer tandem.Answer
---@field columns tandem.CategoryColumn[]

local function is_file(path)
  local file = io.open(path, "rb")
  local readable = file and file:read(0) ~= nil
  if file then file:close() end
  return readable
end

local function is_empty(path)
  local file <close> = io.open(path, "rb")
  local bytes, why = nil, "absent"
  if file then bytes, why = file:read(1) end
  return not bytes and not why
end

local function seconds(word, whole)
  local value = tonumber(word)
  if not value or value ~= value or value < 0 or value >= 9e6 then
    return nil, ("'%s': the elapsed time is in seconds, not '%s'"):format(whole, word)
  end
  return value > 0 and math.floor(value * 1e9 + 0.5) or nil
end

--- What a word of the command line means. Commas in the name of a file are fine.
---@param word string
---@return tandem.CategoryInput|nil
---@return string|nil message
function profile.parse(word)
  if is_file(word) then return { source = word, file = true } end
  local parts = {}
  for part in (word .. ","):gmatch "([^,]*)," do parts[#parts + 1] = part end
  local source = table.concat(parts, ",", 1, math.max(1, #parts - 3))
  for count = #parts, 1, -1 do
    local path = table.concat(parts, ",", 1, count)
    if #parts - count <= 3 and is_file(path) then
      source = path
      break
    end
  end
  local _, commas = source:gsub(",", "")
  local rest = table.move(parts, commas + 2, #parts, 1, {})
  local made = { source = source, file = is_file(source) or false }
  if rest[1] and rest[1] ~= "" then made.engine = rest[1] end
  if rest[2] and rest[2] ~= "" then made.model = rest[2] end
  if rest[3] and rest[3] ~= "" then
    local message
    made.elapsed, message = seconds(rest[3], word)
    if message then return nil, message end
  end
  return made
end

-- Paths as people and tables have them: without directories and the endings of traces.
local function short_name(name)
  name = name:match "[^/]+$" or name
  return (name:gsub("%.gz$", ""):gsub("%.zst$", ""):gsub("%.nsys%-rep$", ""):gsub("%.sqlite$", "")
    :gsub("%.json$", ""))
end

-- Model, engine, name and number, so that two of the same name stay apart.
local function title_of(input, run, index)
  local words = {}
  for _, word in ipairs { input.model or false, input.engine or false } do
    if word then words[#words + 1] = word end
  end
  words[#words + 1] = short_name(input.file and input.source or run.name)
  words[#words + 1] = tostring(index - 1)
  return table.concat(words, "_")
end

local function part_name(row)
  local words = {}
  if row.rank then words[#words + 1] = ("rank %d"):format(row.rank) end
  if row.device then words[#words + 1] = row.device end
  return #words > 0 and table.concat(words, ", ") or nil
end

--- What the rows of a `time` frame are of, each under a name of its own; nil for all GPUs.
---@param times table[]
---@return (string|nil)[] names  by position
function profile.part_names(times)
  local names, seen = {}, {}
  for i, row in ipairs(times) do
    local name = part_name(row)
    if name then
      seen[name] = (seen[name] or 0) + 1
      names[i] = seen[name] > 1 and ("%s (%d)"):format(name, seen[name]) or name
    end
  end
  return names
end

--- The rows of a frame by the part that they are of.
---@param answer tandem.Answer
---@param frame string
---@return table<integer, table[]>
function profile.rows_by_part(answer, frame)
  local parts = {}
  for _, row in ipairs(answer:frame(frame).rows) do
    parts[row.part] = parts[row.part] or {}
    table.insert(parts[row.part], row)
  end
  return parts
end

local function columns_of(name, answer)
  local times, columns = answer:frame("time").rows, {}
  local devices = profile.part_names(times)
  local categories = profile.rows_by_part(answer, "categories")
  local kernels = profile.rows_by_part(answer, "kernels")
  for i, time in ipairs(times) do
    local device = devices[i]
    columns[i] = { name = #times > 1 and device and name .. ", " .. device or name,
      device = device, wall_ns = time.wall_ns, gpu_ns = time.gpu_ns, total_ns = time.total_ns,
      unmatched_ns = time.unmatched_ns,
      categories = categories[time.part] or {}, kernels = kernels[time.part] or {} }
  end
  return columns
end

-- ---- runs ----

---@class tandem.CategoryRuns
---@field store? tandem.Store      of runs that are kept
---@field open fun(): tandem.Store|nil, string|nil, integer|nil
---@field private scratch? tandem.Store
---@field private path? string
local Runs = {}
Runs.__index = Runs

--- Where profiles come from. To be closed: it removes what was imported.
---@param open fun(): tandem.Store|nil, string|nil, integer|nil  the store of kept runs
---@return tandem.CategoryRuns
function profile.runs(open) return setmetatable({ open = open }, Runs) end

local function import(self, path)
  local core = require "tandem.core"
  local date = require "tandem.io.date"
  self.path = self.path or assert(core.files.temporary())
  local id, message, code = core.import { store = self.path, files = { path },
    name = path:match "[^/]+$", version = core.version(), created_utc_ns = date.now_ns(),
    without = {} }
  if not id then return nil, require("tandem.io.filekind").told(tostring(message)), code end
  if not self.scratch then
    self.scratch, message, code = require("tandem.store").open(self.path,
      { interruptible = true })
    if not self.scratch then return nil, message, code end
  end
  return self.scratch:run(id)
end

--- The run of an input.
---@param input tandem.CategoryInput
---@return tandem.Run|nil
---@return string|nil message
---@return integer|nil code
function Runs:find(input)
  if input.file then return import(self, input.source) end
  if not self.store then
    local message, code
    self.store, message, code = self.open()
    if not self.store then
      return nil, ("%s is %s, and %s"):format(input.source, is_empty(input.source) and
        "an empty file" or "not a file", message), code
    end
  end
  return self.store:run(input.source)
end

function Runs:close()
  if self.scratch then self.scratch:close() end
  if self.store then self.store:close() end
  local discard = require("tandem.core").files.discard
  for _, ending in ipairs(self.path and { "", "-wal", "-shm" } or {}) do
    discard(self.path .. ending)
  end
  self.scratch, self.store, self.path = nil, nil, nil
end
Runs.__close = Runs.close

--- Asks for the categories of an input.
---@param runs tandem.CategoryRuns
---@param input tandem.CategoryInput
---@param index integer  its position on the command line
---@param options table  of the analysis and the filter; what the input says goes first
---@return tandem.CategoryProfile|nil
---@return string|nil message
---@return integer|nil code
function profile.ask(runs, input, index, options)
  local run, message, code = runs:find(input)
  if not run then return nil, message, code end
  local given = {}
  for key, value in pairs(options) do given[key] = value end
  for _, key in ipairs { "engine", "model", "elapsed" } do given[key] = input[key] or given[key] end
  local answer
  answer, message, code = require("tandem.analysis").ask(run, "categories", given)
  if not answer then return nil, message, code or USAGE end
  local name = title_of(input, run, index)
  return { name = name, answer = answer, columns = columns_of(name, answer) }
end

-- ---- result.csv ----

local TITLES <const> = { "Model_Engine", "Category", "Instances", "Name", "Elapsed Time (sec)",
  "Total Time (sec)", "Device", "Rule" }

local function seconds_cell(ns) return ns and ("%.9f"):format(ns / 1e9) end

--- The kernels of all profiles, the longest of each GPU first: which category, by which rule, how
--- long. The first five columns are those of gputrc2graph's table.
---@param profiles tandem.CategoryProfile[]
---@param most? integer   kernels of each GPU; default: all
---@return string
function profile.to_csv(profiles, most)
  local lines = { csv.line(TITLES) }
  local function add(...)
    lines[#lines + 1] = csv.line({ ... }, select("#", ...))
  end
  for _, one in ipairs(profiles) do
    for _, column in ipairs(one.columns) do
      for i = 1, math.min(#column.kernels, most or math.huge) do
        local row = column.kernels[i]
        add(one.name, row.category or "unmatched", row.count, row.name,
          seconds_cell(row.elapsed_ns), seconds_cell(row.total_ns), column.device, row.rule)
      end
      add(one.name, "CPU(non-GPU)", nil, "CPU(non-GPU)",
        seconds_cell(column.wall_ns - column.gpu_ns), nil, column.device, nil)
    end
  end
  return table.concat(lines, "\n") .. "\n"
end

return profile
