--- Where a row of a table lies in the timeline of its page: page.js makes a way there of it.
--
-- Owns the rules: a row with a time opens it, one that sums spans of a name opens these one after
-- the other, one that sums other rows the largest of them, one about a GPU or a category the sums
-- of its tracks. Called by page/table.lua, and by page/report.lua for what a thinned timeline
-- keeps.
local html = require "tandem.page.html"

local place = {}

-- Times of rows, the first that a row has, and how long it then lasts: the first of these.
local MOMENTS <const> = { { "at_ns", "dur_ns", "gap_ns", "total_ns" },
  { "first_ns", "span_ns", "mean_ns" }, { "since_ns" }, { "longest_gap_at_ns", "longest_gap_ns" } }
local NAME <const> = 300 -- characters of a span's name that find it

--- When a row is, from when to when; nil where it has no time.
---@param row table
---@return integer|nil from_ns  since the run's first record
---@return integer|nil to_ns
function place.times(row)
  for _, fields in ipairs(MOMENTS) do
    local at = row[fields[1]]
    if math.type(at) == "integer" then
      local length = row.from_ns and row.to_ns and row.to_ns - row.from_ns or 0
      for i = #fields, 2, -1 do length = row[fields[i]] or length end
      return at, at + math.floor(length)
    end
  end
end

-- The name of the spans that a row sums, as they have it.
local function name_of(row, fields)
  local name
  for _, field in ipairs(fields or {}) do name = name or row[field] end
  if type(name) ~= "string" or name == "" or name:find "^%(" then return nil end
  -- As Nsight Systems calls them; spans have "Memcpy HtoD (Pinned -> Device)".
  return (name:gsub("^%[CUDA memset%]$", "Memset*")
    :gsub("^%[CUDA memcpy (%u)%l+%-to%-(%u)%l+%]$", "Memcpy %1to%2*"))
end

-- What tells of which rows another sums up: fields that both have must agree.
local KEYS <const> = { "device", "stream", "process", "phase", "bound", "kind", "category", "rule" }

-- What a change takes away, as the steps of the path call it.
local BOUND_OF <const> = { ["copies overlapped"] = "gpu_copy_bound",
  ["no launch overhead"] = "gpu_kernel_launch_overhead" }
-- What a cause takes its time from, as categories of spans; the others are of no one category.
local CATEGORY_OF <const> = { copy = "memcpy", kernel = "kernel", attention = "kernel" }

-- A row as the others can be compared with it.
local function keyed(row)
  local change = row.change
  if type(change) ~= "string" then return row end
  return { bound = BOUND_OF[change], name = change:match "^2x faster: (.+)$" }
end

local function is_part(row, whole)
  local shared = 0
  for _, key in ipairs(KEYS) do
    if row[key] ~= nil and whole[key] ~= nil then
      if row[key] ~= whole[key] then return false end
      shared = shared + 1
    end
  end
  return shared > 0
end

-- Of the other tables of an answer the row that is most of what a row sums up: of those with a time
-- the longest, else the first that names spans.
local function largest_part(row, options)
  local best, longest, named
  for _, frame in ipairs(options.beside or {}) do
    for i, other in ipairs(frame.table ~= options.of and frame.table.rows or {}) do
      if i > (options.most or math.huge) then break end
      if is_part(other, row) then
        local from, to = place.times(other)
        if from and (not longest or to - from > longest) then best, longest = other, to - from end
        named = named or name_of(other, options.spans) and other or nil
      end
    end
  end
  return best or named
end

-- Whose tracks a row is about, and which of their spans: what page and viewer call a pick.
local function pick_of(row, options)
  local categories = options.categories or {}
  local category = CATEGORY_OF[row.cause] or row.category
  local has_time = not row.total_ns or row.total_ns > 0
  local pick = { group = row.device, track = row.stream,
    category = categories[category] and has_time and category or nil }
  if row.cause == "comm" then pick.lane = "COMM" end
  if options.tracks then
    pick.group, pick.track, pick.lane = row.process, row.name, row.lane
  end
  return next(pick) and pick or nil
end

local function attribute(name, value)
  return (' data-%s="%s"'):format(name, html.escape(value))
end

--- Attributes of a row; none where the page has no timeline or the row no place there. A row has
--- the first of these: its own time, spans of its name, the largest of the rows that it sums up,
--- the tracks and categories that it is about.
---@param row table
---@param options tandem.PageTableOptions
---@return string
function place.attributes(row, options)
  if not options.timeline_ns then return "" end
  local function own(one)
    local from, to = place.times(one)
    if from then
      return attribute("place", ("%d..%d"):format(from + options.timeline_ns,
        to + options.timeline_ns))
    end
    local name = name_of(one, options.spans)
    return name and attribute("find", html.cut(name, NAME, ""))
  end
  local whole = keyed(row)
  local found = own(whole)
  if found then return found end
  local part = largest_part(whole, options)
  found = part and own(part)
  if found then return found end
  local pick = pick_of(row, options)
  return pick and attribute("pick", (html.json(pick):gsub("%s+", " "))) or ""
end

return place
