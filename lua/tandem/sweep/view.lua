--- The points of a kept sweep as an SQL view, points_of_NAME, with a column for each axis and
-- figure: for whoever opens the store, in any program.
--
-- Owns the view's name and columns; the tables below it are ledger.lua's. Of sweeps of one name the
-- one that got answers last has it; of a removed one it is empty. Called by ledger and merge,
-- inside a transaction.
local json = require "tandem.io.json"

local view = {}

local function identifier(name) return '"' .. name:gsub('"', '""') .. '"' end
local function literal(text) return "'" .. text:gsub("'", "''") .. "'" end

-- A member of JSON in a column; nil for a name that a path cannot have.
local function member(column, names)
  local path = "$"
  for _, name in ipairs(names) do
    if name:find '"' then return nil end
    path = ('%s."%s"'):format(path, name)
  end
  return ("json_extract(%s, %s)"):format(column, literal(path)),
    ("json_type(%s, %s)"):format(column, literal(path))
end

-- Bounds are texts in JSON.
local function number(sql)
  return ("CASE %s WHEN 'inf' THEN 9e999 WHEN '-inf' THEN -9e999 WHEN 'nan' THEN NULL ELSE %s END")
    :format(sql, sql)
end

--- The name of a sweep's view.
---@param name string
---@return string
function view.name(name) return "points_of_" .. name:gsub("[^%w]+", "_") end

--- Makes the view of a sweep anew, once it has a point.
---@param db userdata
---@param id string
---@return boolean|nil done
---@return string|nil message
---@return integer|nil code
function view.make(db, id)
  local row, message, code = db:one("SELECT s.name, s.metrics, p.point FROM sweep AS s JOIN"
    .. " sweep_point AS p ON p.sweep = s.id WHERE s.id = ? ORDER BY p.number LIMIT 1", id)
  if not row then return message == nil or nil, message, code end
  local axes, columns, taken = {}, { "number", "ok" }, { number = true, ok = true, message = true }
  local function add(name, sql)
    if not sql or taken[name:lower()] then return end
    taken[name:lower()] = true
    columns[#columns + 1] = sql .. " AS " .. identifier(name)
  end
  for name in pairs(json.read_exact(row.point) or {}) do axes[#axes + 1] = name end
  table.sort(axes)
  for _, name in ipairs(axes) do add(name, (member("point", { name }))) end
  for _, name in ipairs(row.metrics and json.read_exact(row.metrics) or {}) do
    local whole, kind = member("answer", { "metrics", name })
    local value = member("answer", { "metrics", name, "value" })
    local half = member("answer", { "metrics", name, "half" })
    add(name, whole and ("CASE %s WHEN 'object' THEN %s ELSE %s END"):format(kind, number(value),
      whole))
    add(name .. "_half", half and number(half))
  end
  columns[#columns + 1] = "message"
  local named = view.name(row.name)
  local sql = ("CREATE VIEW %s AS SELECT %s FROM sweep_point WHERE sweep = %s ORDER BY number")
    :format(identifier(named), table.concat(columns, ", "), literal(id))
  local there
  there, message, code = db:one("SELECT sql FROM sqlite_schema WHERE name = ?", named)
  if message then return nil, message, code end
  if there and there.sql == sql then return true end
  local changes
  changes, message, code = db:run("DROP VIEW IF EXISTS " .. identifier(named))
  if changes then changes, message, code = db:run(sql) end
  if not changes then return nil, message, code end
  return true
end

return view
