--- SQL over a store: a cursor, and what is wrong with a query in one line.
--
-- Owns `tandem.Query` and the nearest name of a mistyped table or column. Rows as a table are
-- rows.lua's. Called by Store:query, the run object and `tandem sql`.
local nearest = require "tandem.nearest"

local query = {}

---@class tandem.Query
---@field names string[]  of the columns, each once: a second "id" is "id:2"
---@field private step fun(): any[]|nil
---@field private cursor userdata
---@overload fun(): table|nil
local Query = { __name = "tandem.Query" }
Query.__index = Query

-- Every name that a column of the query could have meant.
local function known_names(db, wanted)
  local names, seen = {}, {}
  local function add(name)
    if not seen[name] then names[#names + 1], seen[name] = name, true end
  end
  local tables = db:all("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')"
    .. " AND name NOT LIKE 'sqlite%'") or {}
  for _, name in ipairs { "span", "edge", "counter" } do tables[#tables + 1] = { name = name } end
  for _, one in ipairs(tables) do
    if wanted == "table" then
      add(one.name)
    else
      for _, column in ipairs(db:columns(('SELECT * FROM "%s"'):format(one.name)) or {}) do
        add(column)
      end
    end
  end
  table.sort(names)
  return names
end

--- SQLite's complaint, with the nearest name there is.
---@param db userdata
---@param message string
---@return string
function query.explained(db, message)
  local kind, name = message:match "no such (%a+): ([%w_.\"]+)"
  if kind ~= "table" and kind ~= "column" then return message end
  name = name:gsub('"', ""):match "([^.]+)$" or name
  local names = known_names(db, kind)
  local near = nearest.word(name, names)
  if near then
    return ("%s; did you mean '%s'?"):format(message, near)
  elseif kind == "table" then
    return ("%s; there are %s"):format(message, table.concat(names, ", "))
  end
  return message
end

local function unique(columns)
  local seen, names = {}, {}
  for i, name in ipairs(columns) do
    seen[name] = (seen[name] or 0) + 1
    names[i] = seen[name] == 1 and name or ("%s:%d"):format(name, seen[name])
  end
  return names
end

--- Starts a query.
---@param db userdata
---@param sql string|any[]
---@return tandem.Query|nil
---@return string|nil message
---@return integer|nil code
function query.open(db, sql)
  local values = {}
  if type(sql) == "table" then
    values = table.pack(table.unpack(sql, 2, sql.n or #sql))
    sql = sql[1]
  end
  if type(sql) ~= "string" then return nil, "a query wants SQL, or a list: { SQL, values… }", 2 end
  local columns, message, code = db:columns(sql)
  if not columns then return nil, query.explained(db, message), code end
  local ok, step, why, number, cursor = pcall(db.lists, db, sql,
    table.unpack(values, 1, values.n or #values))
  if not ok then return nil, (tostring(step):gsub("^[^\n]-%.lua:%d+: ", "")), 3 end
  if not step then return nil, query.explained(db, why), number end
  local made = { names = unique(columns), step = step, cursor = cursor }
  local order = made.names
  made.row_metatable = { __pairs = function(row)
    local i = 0
    return function()
      while i < #order do
        i = i + 1
        if row[order[i]] ~= nil then return order[i], row[order[i]] end
      end
    end
  end }
  return setmetatable(made, Query)
end

--- The names of the columns, in order.
---@return string[]
function Query:columns() return table.move(self.names, 1, #self.names, 1, {}) end

--- The values of the next row in the order of the columns, holes where they are NULL.
---@return any[]|nil
function Query:list() return self.step() end

--- The next row; nil at the end.
---@return table|nil
function Query:next()
  local values = self.step()
  if not values then return nil end
  local row = setmetatable({}, self.row_metatable)
  for i, name in ipairs(self.names) do row[name] = values[i] end
  return row
end

Query.__call = Query.next

--- All rows that are left.
---@return table[]
function Query:all()
  local rows = {}
  for row in self do rows[#rows + 1] = row end
  return rows
end

--- The first row that is left; the query ends.
---@return table|nil
function Query:one()
  local row = self:next()
  self:close()
  return row
end

--- All rows that are left as a table that prints itself.
---@return tandem.RowTable
function Query:table()
  local columns = {}
  for i, name in ipairs(self.names) do columns[i] = { name = name } end
  return require("tandem.store.rows").new(columns, self:all())
end

--- Ends the query; twice is fine.
function Query:close()
  local _ <close> = self.cursor
  self.cursor, self.step = nil, function() end
end

Query.__close = Query.close

return query
