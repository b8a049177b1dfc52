--- `td.store(path?)`: the runs of a store file, for scripts and for the command line.
--
-- Owns the connection and the methods of `tandem.Store`; what each does is its own file's: query
-- (SQL with cursors), run (one run), list (many), edit (tags, notes, removal), tidy (gc), scrub,
-- verify, align. Runs come in through keep.lua (simulated) and core.import (measured).
--
-- What the world did wrong (no such file, no such run, another process) comes back as nil, message,
-- code; wrong SQL in a script raises.
local core = require "tandem.core"
local date = require "tandem.io.date"
local store_path = require "tandem.store.path"

local store = {}

---@class tandem.Store
---@field path string
---@field db userdata  core.database: for the files of this folder
---@field readonly boolean
---@field missed string|nil  the name that was asked for last, when no run had it
---@field shown string|nil   what lists its runs, where its path is not to be told
local Store = { __name = "tandem.Store" }
Store.__index = Store

---@class tandem.StoreOptions
---@field readonly? boolean       the file must exist, and nothing is written
---@field interruptible? boolean  Ctrl-C ends a query (td.store: true by default)
---@field either? boolean        where it cannot be written, it is only read: see Store.readonly
---@field trusting? boolean      pages that another program wrote are read: tandem verify

-- nil, why and the exit code where there is no file to be read.
local function present(path)
  local bytes, why = core.files.size(path)
  if bytes then return true end
  if why then return nil, ("cannot open the store %s: %s"):format(path, why), 4 end
  return nil, ("there is no store %s yet: `tandem run` and `tandem import` make it, --store and "
    .. "$TANDEM_STORE name another"):format(path), 4
end

--- Opens a store. One that is only read must be there.
---@param path? string  default: $TANDEM_STORE, else tandem.db
---@param options? tandem.StoreOptions
---@return tandem.Store|nil
---@return string|nil message
---@return integer|nil code
function store.open(path, options)
  path, options = store_path.of(path), options or {}
  local stranger = require("tandem.text.nearest").stranger(options,
    { "readonly", "either", "interruptible", "trusting" })
  if stranger then return nil, "td.store: " .. stranger, 2 end
  local function opened(readonly)
    return core.database(path, { store = true, readonly = readonly,
      interruptible = options.interruptible, trusting = options.trusting })
  end
  if options.readonly then
    local there, why, failed = present(path)
    if not there then return nil, why, failed end
  end
  local readonly = options.readonly or false
  local db, message, code = opened(readonly)
  if not db and code == 4 and options.either and not readonly and core.files.size(path) then
    readonly = true
    db, message, code = opened(true)
  end
  if not db then return nil, message, code end
  return setmetatable({ path = path, db = db, readonly = readonly }, Store)
end

--- A query, for a generic for: `for row in s:query { "SELECT name FROM run WHERE kind = ?",
--- "measured" } do … end`. Rows are tables whose pairs() go in the order of the columns. Wrong SQL
--- raises.
---@param sql string|any[]  the SQL, or a list: the SQL, then the values of its ?
---@return tandem.Query
function Store:query(sql)
  local query, message = require("tandem.store.query").open(self.db, sql)
  if not query then error(message, 2) end
  return query
end

--- One run by the beginning of its id, by its name when no other has it, or "last".
---@param text string
---@return tandem.Run|nil
---@return string|nil message
---@return integer|nil code
function Store:run(text)
  return require("tandem.store.run").find(self, text)
end

--- Puts a measured trace into the store, as `tandem import` does: one file or several that belong
--- together, in any format of `tandem help formats`. Of a folder all traces in it are read.
---@param files string|string[]
---@param options? { name?: string, tags?: string[] }  name (default: the first file's)
---@return tandem.Run|nil
---@return string|nil message
---@return integer|nil code
function Store:import(files, options)
  options = options or {}
  files = type(files) == "table" and files or { files }
  if type(files[1]) ~= "string" then
    error("import wants the name of a file, or a list of them", 2)
  end
  local name = options.name or files[1]:match "([^/]+)/*$" or files[1]
  local traces = require "tandem.store.traces"
  local named, carried = traces.shipped(files)
  local paths, wrong, exit = traces.of(named)
  if not paths then return nil, wrong --[[@as string]], exit end
  local function complete(db, number)
    local aligned, message, code = require("tandem.store.align").run(db, number)
    if not aligned then return nil, message, code end
    return require("tandem.store.edit").add_tags(db, number, options.tags or {})
  end
  local telemetry = require "tandem.telemetry"
  local prepared, names, refused = telemetry.prepared(paths)
  if not prepared then return nil, names --[[@as string]], refused end
  local id, message, code = core.import { store = self.path, files = prepared, name = name,
    version = core.version(), created_utc_ns = date.now_ns(), without = {}, complete = complete }
  telemetry.clear(names)
  for _, path in ipairs(carried) do core.files.discard(path) end
  if not id then return nil, message, code end
  return self:run(id)
end

--- The runs, newest first, as a table that prints itself.
---@param filter? tandem.RunFilter
---@return tandem.RowTable|nil
---@return string|nil message
---@return integer|nil code
function Store:runs(filter)
  return require("tandem.store.list").runs(self, filter or {})
end

--- Adds tags to a run.
---@param text string
---@param ... string
---@return boolean|nil done
---@return string|nil message
---@return integer|nil code
function Store:tag(text, ...)
  return require("tandem.store.edit").tag(self, text, { ... }, {})
end

--- Takes tags from a run; without a tag, all of them.
---@param text string
---@param ... string
---@return boolean|nil done
---@return string|nil message
---@return integer|nil code
function Store:untag(text, ...)
  return require("tandem.store.edit").tag(self, text, {}, select("#", ...) > 0 and { ... } or true)
end

--- Sets the note of a run; "" takes it away.
---@param text string
---@param note string
---@return boolean|nil done
---@return string|nil message
---@return integer|nil code
function Store:note(text, note)
  return require("tandem.store.edit").note(self, text, note)
end

--- Removes a run and all that belongs to it. The file keeps its size until gc.
---@param text string
---@return boolean|nil done
---@return string|nil message
---@return integer|nil code
function Store:remove(text)
  return require("tandem.store.edit").remove(self, text)
end

--- Removes what nothing needs, and gives the freed bytes back.
---@param options? { interrupted?: boolean }  also runs that were stopped
---@return tandem.Tidied|nil
---@return string|nil message
---@return integer|nil code
function Store:gc(options)
  return require("tandem.store.tidy").gc(self, options or {})
end

--- Removes what a recording tells of its machine and its user, beyond recovery.
---@param text string
---@param what tandem.ScrubOptions
---@return tandem.Scrubbed|nil
---@return string|nil message
---@return integer|nil code
function Store:scrub(text, what)
  return require("tandem.store.scrub").scrub(self, text, what)
end

--- Reads everything of the store, or of one run, and says what is damaged: `sound` is the
--- answer; `runs`, `damaged` (numbers of pages) and `trouble` say where.
---@param text? string  a run
---@return tandem.Verified|nil
---@return string|nil message
---@return integer|nil code
function Store:verify(text)
  return require("tandem.store.verify").store(self, text)
end

--- Closes the file; twice is fine.
function Store:close()
  self.db:close()
end

Store.__close = Store.close
Store.__tostring = function(self) return ("store %s"):format(self.path) end

return store
