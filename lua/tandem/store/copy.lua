--- Runs from one store into another, row by row, and what a run is by its content.
--
-- Owns which tables belong to a run and how their numbers change. The source is attached to the
-- target's connection; the caller holds the transaction. Called by tandem.upload.parcel (out of a
-- store) and tandem.serve.uploads (into one).
local digest = require("tandem.core").digest

local copy = {}

-- What belongs to a run, but the run itself and its chunks, whose ids are the store's.
local TABLES <const> = { "run_tag", "source", "fact", "problem", "class", "track", "name", "layout",
  "layout_arg", "request", "metric", "artifact" }

-- Every table that a run has rows in, and what tells them.
copy.TABLES = { "run", "chunk", "chunk_data", table.unpack(TABLES) }

-- The chunks of a run with their positions among them; and in order, by an index, so that nothing
-- as large as they are is sorted.
local PLACED <const> = "(SELECT id, row_number() OVER (ORDER BY id) AS position FROM %s.chunk"
  .. " WHERE run = ?) AS c JOIN %s.%s AS t ON t.id = c.id"
local ORDERED <const> = "%s.chunk AS c JOIN %s.%s AS t ON t.id = c.id WHERE c.run = ? ORDER BY c.id"

-- The columns of a table but those named, as a list.
local function columns_of(db, schema, name, without)
  local rows, message, code = db:all("SELECT name FROM pragma_table_info(?, ?) ORDER BY cid", name,
    schema)
  if not rows then return nil, message, code end
  local names = {}
  for _, row in ipairs(rows) do
    if not without[row.name] then names[#names + 1] = row.name end
  end
  return names
end

local function quoted(names, prefix)
  local out = {}
  for i, name in ipairs(names) do out[i] = ('%s"%s"'):format(prefix or "", name) end
  return table.concat(out, ", ")
end

--- Copies a run from the attached schema `from` into main, under another number and perhaps id.
---@param db userdata
---@param from string      the schema
---@param number integer   the run's number there
---@param id? string       its id here (default: the same)
---@return integer|nil number  here
---@return string|nil message
---@return integer|nil code
function copy.run(db, from, number, id)
  local row, message, code = db:one("SELECT (SELECT coalesce(max(number), 0) + 1 FROM main.run) AS"
    .. " number, (SELECT coalesce(max(id), 0) FROM main.chunk) AS chunk")
  if not row then return nil, message, code end
  local target = row.number
  local function step(name, without, made, source, ...)
    local names, why, failed = columns_of(db, "main", name, without)
    if not names then return nil, why, failed end
    local fixed, marks = {}, {}
    for i, one in ipairs(made) do fixed[i], marks[i] = one[1], one[2] end
    return db:run(("INSERT INTO main.%s(%s, %s) SELECT %s, %s FROM %s"):format(name,
      table.concat(fixed, ", "), quoted(names), table.concat(marks, ", "), quoted(names, "t."),
      source), ...)
  end
  local done
  done, message, code = step("run", { number = true, id = true },
    { { "number", "?" }, { "id", "coalesce(?, t.id)" } },
    from .. ".run AS t WHERE number = ?", target, id, number)
  for _, name in ipairs(TABLES) do
    if not done then return nil, message, code end
    done, message, code = step(name, { run = true }, { { "run", "?" } },
      ("%s.%s AS t WHERE run = ?"):format(from, name), target, number)
  end
  if done then
    done, message, code = step("chunk", { run = true, id = true },
      { { "id", "? + c.position" }, { "run", "?" } }, PLACED:format(from, from, "chunk"), row.chunk,
      target, number)
  end
  if done then
    done, message, code = step("chunk_data", { id = true }, { { "id", "? + c.position" } },
      PLACED:format(from, from, "chunk_data"), row.chunk, number)
  end
  if not done then return nil, message, code end
  return target
end

-- Adds what a query yields to a hash, one text a row.
local function add_rows(db, hash, sql, number)
  local step, message, code, cursor = db:lists(sql, number)
  if not step then return nil, message, code end
  local _ <close> = cursor
  for row in step do
    hash:add(("%d:"):format(#row[1]))
    hash:add(row[1])
  end
  return true
end

--- What a run is: the SHA-256 of its rows, whatever its number in this store. Its id is part of it.
---@param db userdata
---@param schema string
---@param number integer
---@return string|nil digest
---@return string|nil message
---@return integer|nil code
function copy.digest(db, schema, number)
  local hash = digest.sha256()
  local function add(name, without, source)
    local names, message, code = columns_of(db, schema, name, without)
    if not names then return nil, message, code end
    local parts = {}
    for i, one in ipairs(names) do parts[i] = ('quote(t."%s")'):format(one) end
    hash:add(name .. "\n")
    return add_rows(db, hash, ("SELECT %s FROM %s"):format(table.concat(parts, " || ',' || "),
      source), number)
  end
  local done, message, code = add("run", { number = true }, schema .. ".run AS t WHERE number = ?")
  for _, name in ipairs(TABLES) do
    if not done then return nil, message, code end
    done, message, code = add(name, { run = true },
      ("%s.%s AS t WHERE run = ? ORDER BY 1"):format(schema, name))
  end
  if done then
    done, message, code = add("chunk", { run = true, id = true },
      ORDERED:format(schema, schema, "chunk"))
  end
  if done then
    done, message, code = add_rows(db, hash, "SELECT t.data FROM "
      .. ORDERED:format(schema, schema, "chunk_data"), number)
  end
  if not done then return nil, message, code end
  return hash:hex()
end

return copy
