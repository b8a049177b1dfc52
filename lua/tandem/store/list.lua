--- The runs of a store, filtered and in an order: what `tandem runs` prints.
--
-- Owns which runs are meant, and the columns. Called by Store:runs.
local format = require "tandem.text.format"
local length_s = require("tandem.store.run").length_s
local nearest = require "tandem.text.nearest"
local styles = require "tandem.plot.style"

local list = {}

---@class tandem.RunFilter
---@field name? string     part of the name
---@field kind? "simulated"|"measured"  default: both
---@field state? "complete"|"interrupted"  default: both
---@field tag? string      that it has
---@field since_ns? integer  since 1970
---@field sort? string     a column (default: the newest first)
---@field limit? integer   how many at most

local WIDEST_NAME <const> = 30

local COLUMNS = {
  { name = "id", show = function(id) return { text = id, color = "bold" } end },
  { name = "when", title = "when", optional = 1 },
  { name = "kind" },
  { name = "name", show = function(name) return styles.cut(styles.clean(name), WIDEST_NAME) end },
  { name = "state", show = function(state)
    return { text = state, color = state == "interrupted" and "yellow" or nil }
  end, optional = 4 },
  { name = "spans", align = "right", show = function(count, row)
    if count == 0 and row.kind == "simulated" and row.tracks == 0 then return "not kept" end
    return format.integer(count)
  end },
  { name = "p99_s", title = "p99", align = "right", show = format.time, optional = 2 },
  { name = "duration_s", title = "duration", align = "right", show = format.time, optional = 3 },
  { name = "tags", show = function(tags) return styles.clean(table.concat(tags, " ")) end,
    optional = 5 },
  { name = "note", show = function(note) return styles.clean(note) end, optional = 6 },
  { name = "created_utc_ns", hidden = true },
  { name = "seed", hidden = true },
  { name = "version", hidden = true },
}

-- Columns that are printed only where they tell something.
local TELLS <const> = {
  p99_s = function(row) return row.p99_s ~= nil end,
  tags = function(row) return #row.tags > 0 end,
  note = function(row) return row.note ~= "" end,
}

local SELECT <const> = [[
SELECT r.number, r.id, r.created_utc_ns, r.kind, r.name, r.state, r.spans, r.note, r.seed,
  r.version, r.first_ns, r.last_ns,
  EXISTS (SELECT 1 FROM track AS t WHERE t.run = r.number) AS tracks,
  (SELECT value FROM metric AS m WHERE m.run = r.number AND m.scope = 'run'
   AND m.name = 'latency.p99') AS p99_s,
  (SELECT value FROM metric AS m WHERE m.run = r.number AND m.scope = 'run'
   AND m.name = 'duration_s') AS simulated_s,
  (SELECT group_concat(tag, ' ') FROM (SELECT tag FROM run_tag WHERE run = r.number ORDER BY tag))
   AS tags
FROM run AS r WHERE %s ORDER BY r.number DESC]]

local CONDITIONS <const> = {
  { "kind", "r.kind = ?" },
  { "state", "r.state = ?" },
  { "name", "instr(lower(r.name), lower(?)) > 0" },
  { "tag", "EXISTS (SELECT 1 FROM run_tag AS t WHERE t.run = r.number AND t.tag = ?)" },
  { "since_ns", "r.created_utc_ns >= ?" },
}

--- A moment as people write it, in their own time.
---@param utc_ns integer|nil
---@return string|nil
function list.moment(utc_ns)
  return utc_ns and require("tandem.io.date").minute(utc_ns)
end

--- The columns that --sort knows.
---@return string[]
local function sortable()
  local names = {}
  for _, column in ipairs(COLUMNS) do
    if not column.hidden then names[#names + 1] = column.title or column.name end
  end
  return names
end

local FILTERS <const> = { "name", "kind", "state", "tag", "since_ns", "sort", "limit" }

-- The name of the value that a person's word for a column means.
local function column_named(word)
  for _, column in ipairs(COLUMNS) do
    if column.name == word or column.title == word then return column.name end
  end
  return nil, ("runs have no column '%s'; %s"):format(word, nearest.hint(word, sortable()))
end

-- Numbers are wanted from the highest down, texts from A to Z.
local DESCENDING <const> = { spans = true, p99_s = true, duration_s = true, created_utc_ns = true }

---@param store tandem.Store
---@param filter tandem.RunFilter
---@return tandem.RowTable|nil
---@return string|nil message
---@return integer|nil code
function list.runs(store, filter)
  local stranger = nearest.stranger(filter, FILTERS)
  if stranger then return nil, stranger, 2 end
  local conditions, values = { "1" }, {}
  for _, one in ipairs(CONDITIONS) do
    if filter[one[1]] ~= nil then
      conditions[#conditions + 1] = one[2]
      values[#values + 1] = filter[one[1]]
    end
  end
  local rows, message, code = store.db:all(SELECT:format(table.concat(conditions, " AND ")),
    table.unpack(values))
  if not rows then return nil, message, code end
  for _, row in ipairs(rows) do
    row.when = list.moment(row.created_utc_ns)
    row.duration_s = row.simulated_s or length_s(row.first_ns, row.last_ns)
    local tags = {}
    for tag in (row.tags or ""):gmatch "%S+" do tags[#tags + 1] = tag end
    row.tags = tags
  end
  local columns = {}
  for i, column in ipairs(COLUMNS) do
    local tells = TELLS[column.name]
    local used = not tells
    for _, row in ipairs(rows) do used = used or tells(row) end
    columns[i] = used and column or { name = column.name, hidden = true }
  end
  local made = require("tandem.store.rows").new(columns, rows)
  if filter.sort then
    local name, wrong = column_named(filter.sort)
    if not name then return nil, wrong, 2 end
    if name == "when" then name = "created_utc_ns" end
    made = made:sort(name, DESCENDING[name])
  end
  return filter.limit and made:first(filter.limit) or made
end

return list
