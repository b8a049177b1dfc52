--- Which columns of a recording are what: layouts of published traces, and what an author says.
-- Owns the layouts, the names that arrivals go by, the unit of their times. Called by
-- tandem.replay.

local expr = require "tandem.expr"
local nearest = require "tandem.text.nearest"

local layouts = {}

---@class tandem.Layout
---@field name string
---@field needs string[]      columns by which it is known
---@field columns table<string, string>
---@field scale number|nil    seconds of a unit of time
---@field block_tokens integer|nil  tokens of each of `hash_ids`

local function sizes(prompt, output, arrival)
  return { arrival = arrival, prompt_tokens = prompt, output_tokens = output, tokens = output }
end

---@type tandem.Layout[]
local known = {
  { name = "Azure", needs = { "TIMESTAMP", "ContextTokens", "GeneratedTokens" },
    columns = sizes("ContextTokens", "GeneratedTokens", "TIMESTAMP") },
  { name = "BurstGPT", needs = { "Timestamp", "Model", "Request tokens", "Response tokens" },
    columns = sizes("Request tokens", "Response tokens", "Timestamp") },
  { name = "Bailian", needs = { "chat_id", "parent_chat_id", "timestamp", "input_length",
      "output_length" }, scale = 1.0, block_tokens = 16,
    columns = sizes("input_length", "output_length", "timestamp") },
  { name = "Mooncake", needs = { "timestamp", "input_length", "output_length" }, scale = 1e-3,
    block_tokens = 512, columns = sizes("input_length", "output_length", "timestamp") },
  { name = "ns arrivals", needs = { "arrival_time_ns", "input_toks", "output_toks" }, scale = 1e-9,
    columns = sizes("input_toks", "output_toks", "arrival_time_ns") },
}

local arrival_names = { "arrival", "arrival_s", "arrival_ms", "arrival_us", "arrival_ns",
  "arrival_time", "timestamp", "time", "t", "ts", "TIMESTAMP", "Timestamp" }

local suffix_scale = { { "_ns$", 1e-9 }, { "_us$", 1e-6 }, { "_ms$", 1e-3 }, { "_s$", 1.0 } }

local function layout_of(set)
  for _, layout in ipairs(known) do
    local all = true
    for _, name in ipairs(layout.needs) do all = all and set[name] end
    if all then return layout end
  end
end

--- The published layout that columns make known.
---@param names string[]
---@return tandem.Layout|nil
function layouts.known(names)
  local set = {}
  for _, n in ipairs(names) do set[n] = true end
  return layout_of(set)
end

-- Every column that holds numbers, under its own name.
local function numbers(names, sample)
  local columns = {}
  for _, n in ipairs(names) do
    local value = sample[n]
    local is_number = type(value) == "number" or (type(value) == "string" and tonumber(value))
    if n:find("^[%a_][%w_]*$") and is_number
      and (n == "arrival" or not expr.request_fields[n]) then
      columns[n] = n
    end
  end
  return columns
end

local function find_arrival(columns, set, layout, given)
  for _, n in ipairs(layout and { layout.columns.arrival } or arrival_names) do
    if set[n] then
      if not given then columns[n] = nil end
      columns.arrival = n
      return true
    end
  end
  return false
end

local function scale_of(column, layout)
  if layout and column == layout.columns.arrival and layout.scale then return layout.scale end
  for _, rule in ipairs(suffix_scale) do
    if column:find(rule[1]) then return rule[2] end
  end
  return 1.0
end

---@class tandem.Columns
---@field of table<string, string>  attribute → column; `arrival` among them
---@field session string|nil         the column whose equal values are one conversation
---@field scale number              seconds of a unit of time
---@field blocks string|nil         the column with the blocks of prompts
---@field block_tokens integer|nil

--- Which column is the arrival, which are attributes, how long a unit of time is.
---@param options table  columns, scale, hash_tokens of td.replay
---@param names string[] all columns
---@param sample table   a row by column
---@param timeless boolean|nil  arrivals are not asked for
---@return tandem.Columns|nil
---@return string|nil problem
---@return string|nil key of the option at fault
function layouts.choose(options, names, sample, timeless)
  local set = {}
  for _, n in ipairs(names) do set[n] = true end
  local layout, columns = layout_of(set), {}
  for k, v in pairs(options.columns or {}) do
    if not set[v] then
      return nil, ("there is no column '%s'; %s"):format(v, nearest.hint(v, names)), "columns"
    end
    columns[k] = v
  end
  if not options.columns and layout then
    for k, v in pairs(layout.columns) do columns[k] = v end
    if set.hash_ids then columns.prefix = "hash_ids" end
  elseif not options.columns then
    columns = numbers(names, sample)
  end
  if not columns.arrival and not find_arrival(columns, set, layout, options.columns)
    and not timeless then
    return nil, ("no arrival column; say which: columns = { arrival = \"…\" } (%s)"):format(
      nearest.hint("", names)), "columns"
  end
  local block_tokens = options.hash_tokens or layout and layout.block_tokens
  if options.hash_tokens and not set.hash_ids then
    return nil, "there is no column 'hash_ids' whose items could name so many tokens",
      "hash_tokens"
  end
  local session = options.columns and columns.session
  if session then columns.session = nil end
  return { of = columns, session = session, block_tokens = block_tokens,
    blocks = set.hash_ids and block_tokens and "hash_ids" or nil,
    scale = options.scale or columns.arrival and scale_of(columns.arrival, layout) or 1.0 }
end

return layouts
