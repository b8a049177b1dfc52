--- SQL over a store: a cursor, and what is wrong with a query in one line.
--
-- Owns `tandem.Query` and the nearest name of a mistyped table or column. Rows as a table are
-- rows.lua's. Called by Store:query, the run object and `tandem sql`.
local attempt = require("tandem.text.shortage").attempt
local nearest = require "tandem.text.nearest"

local query = {}

---@class tandem.Query
---@field names string[]  of the columns, each once: a second "id" is "id:2"
---@field private step fun(): any[]|nil
---@field private cursor userdata
---@overload fun(): table|nil
local Query = { __name = "tandem.Query" }
Query.__index = Query

-- The tables that there are, in order.
local function tables_of(db)
  local names = { "span", "edge", "counter" }
  for _, one in ipairs(db:all("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')"
    .. " AND name NOT LIKE 'sqlite%'") or {}) do
    names[#names + 1] = one.name
  end
  table.sort(names)
  return names
end

-- The columns of the tables that a query names, each once, and by column the tables that have it.
local function columns_of(db, sql)
  local words, own, tables_with, seen = {}, {}, {}, {}
  for word in sql:lower():gmatch "[%w_]+" do words[word] = true end
  for _, name in ipairs(tables_of(db)) do
    for _, column in ipairs(db:columns(('SELECT * FROM "%s"'):format(name)) or {}) do
      tables_with[column] = tables_with[column] or {}
      table.insert(tables_with[column], name)
      if words[name:lower()] and not seen[column] then
        own[#own + 1], seen[column] = column, true
      end
    end
  end
  return own, tables_with
end

-- What a column that its tables do not have could have been.
local function of_column(db, name, sql)
  local own, tables_with = columns_of(db, sql)
  if tables_with[name] then
    return ("it is a column of %s"):format(table.concat(tables_with[name], ", "))
  end
  local near = nearest.word(name, own)
  if near then return ("did you mean '%s'?"):format(near) end
  local other = nearest.word(name, nearest.sorted_keys(tables_with))
  if other then
    return ("did you mean '%s' of %s?"):format(other, table.concat(tables_with[other], ", "))
  end
  return #own > 0 and nearest.hint(name, own) or nil
end

--- SQLite's complaint, with the nearest name there is.
---@param db userdata
---@param message string
---@param sql string
---@return string
local function explained(db, message, sql)
  local kind, name = message:match "no such (%a+): ([%w_.\"]+)"
  if kind ~= "table" and kind ~= "column" then return message end
  name = name:gsub('"', ""):match "([^.]+)$" or name
  if kind == "column" then
    local meant = of_column(db, name, sql)
    return meant and ("%s; %s"):format(message, meant) or message
  end
  local names = tables_of(db)
  local near = nearest.word(name, names)
  if near then return ("%s; did you mean '%s'?"):format(message, near) end
  return ("%s; there are %s"):format(message, table.concat(names, ", "))
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
  if not columns then return nil, explained(db, message, sql), code end
  local ok, step, why, number, cursor = attempt(db.lists, db, sql,
    table.unpack(values, 1, values.n or #values))
  if not ok then return nil, (tostring(step):gsub("^[^\n]-%.lua:%d+: ", "")), 3 end
  if not step then return nil, explained(db, why, sql), number end
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
