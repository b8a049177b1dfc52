--- Where a row of a table lies in the timeline of its page: page.js makes a way there of it.
--
-- Owns the rules: a row with a time opens it, one that sums spans of a name opens these one after
-- the other. Called by page/table.lua, and by page/report.lua for what a thinned timeline keeps.
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

--- Attributes of a row; none where the page has no timeline or the row no place there.
---@param row table
---@param options tandem.PageTableOptions
---@return string
function place.attributes(row, options)
  if not options.timeline_ns then return "" end
  local from, to = place.times(row)
  if from then
    return (' data-place="%d..%d"'):format(from + options.timeline_ns, to + options.timeline_ns)
  end
  local name = name_of(row, options.spans)
  if not name then return "" end
  return (' data-find="%s"'):format(html.escape(html.cut(name, NAME, "")))
end

return place
