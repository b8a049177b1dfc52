--- Takes out of a run what it tells of its machine and its user, beyond recovery.
--
-- Owns what counts as environment, host name, path and name, and how each is replaced; times,
-- counts and structure stay as they are. Every column of text that a run has is looked at, whatever
-- columns there are, so that a new one is not forgotten. Artifacts (other programs' texts, kept
-- whole) may hold any of it and go in every case. Called by Store:scrub and `tandem scrub`.
local cjson = require "cjson"
local edit = require "tandem.store.edit"
local json = require "tandem.io.json"
local notes = require "tandem.store.notes"
local tidy = require "tandem.store.tidy"

local scrub = {}

---@class tandem.ScrubOptions
---@field environment? boolean  recorded environment variables and arguments
---@field hosts? boolean        names of machines and users, wherever they stand
---@field paths? boolean        directories, wherever they stand
---@field names? string[]       names that match: globs, or /Lua patterns/
---@field all? boolean          environment, hosts and paths
---@field keep_notes? boolean   notes on the timeline stay, without what goes from other texts
---@field dry_run? boolean      say what would be removed

---@class tandem.Scrubbed
---@field environment integer  facts removed
---@field hosts integer        facts removed
---@field texts integer        texts that lost a directory or a host's name
---@field names integer        names replaced
---@field artifacts integer    removed
---@field clean boolean        false: another process reads the store, so free pages still have it

-- ---- what is taken out ----

-- Facts that go whole. A readers' rule: "environment.…" are variables, "host.…" names of machines
-- and users.
local FACTS <const> = {
  environment = { "^environment%.", "argument_?%d*$" },
  hosts = { "^host%.", "^gpu%.%d+%.uuid$", "hostname$", "user_?name$" },
}

local function is_fact_of(kind, key)
  for _, pattern in ipairs(FACTS[kind]) do
    if key:lower():find(pattern) then return true end
  end
  return false
end

-- The last part of an absolute path; a home directory is nobody's.
local function without_directory(word)
  local before, directory, name = word:match "^(.-)(/[^/].*/)([^/]*)$"
  if not directory or before ~= "" and not before:find "[/~]$" then return nil end
  local above = directory:match "^/(%w+)/$"
  if above == "home" or above == "Users" then name = "~" end
  return (before:gsub("[/~]+$", "")) .. name
end

--- A text without the directories of absolute paths: "/home/ann/run.py(3): step" → "run.py(3):
--- step".
---@param text string
---@return string
function scrub.without_paths(text)
  if not text:find "[/\\]" then return text end
  local plain = text:gsub("\\/", "/") -- as some write it in JSON
  local out = plain:gsub("%f[%a]%a:[\\/]+[%w._~+@$\\/ -]*[\\/]([%w._~+@$-]*)", "%1")
  out = out:gsub("\\[nrt\"]", "\0%0\0") -- JSON's line ends belong to no path
  out = out:gsub("file://+", "/"):gsub("[%w._~+@%%/-]*/[%w._~+@%%/-]+", without_directory)
  out = out:gsub("%z", "")
  return out ~= plain and out or text
end

-- A path that is all of a text may have blanks in it.
local function base_name(path) return path:match "([^/\\]+)[/\\]*$" or path end

local function escaped(text) return (text:gsub("%p", "%%%0")) end

--- A Lua pattern for a whole name from a glob, or from /a Lua pattern/ as it is.
---@param text string
---@return string|nil pattern
---@return string|nil problem
local function pattern_of(text)
  local lua = text:match "^/(.+)/$"
  local pattern = lua or "^" .. escaped(text):gsub("%%%*", ".*"):gsub("%%%?", ".") .. "$"
  local ok, message = pcall(string.find, "", pattern)
  if ok then return pattern end
  return nil, ("%s is not a pattern: %s"):format(text, message:gsub("^.-: ", ""))
end

-- ---- where it stands ----

local TABLES <const> = { "run", "run_tag", "source", "fact", "problem", "class", "track", "name",
  "layout", "layout_arg", "request", "metric" }

-- Names that people gave to what they ran, which patterns are for.
local NAMED <const> = { track = "name", name = "name", class = "name", metric = "subject" }

-- What nobody but this program words, in a run's own row.
local KEPT <const> = { id = true, kind = true, state = true, scenario_hash = true }

---@class tandem.ScrubTable
---@field name string
---@field columns string[]   of text
---@field key string[]       that tells its rows apart in a run
---@field run string         the column that has the run's number

-- The columns of text that the store has, by table.
local function texts_of(db)
  local texts = {}
  for i, name in ipairs(TABLES) do
    local owner = name == "run" and "number" or "run"
    local where = { name = name, columns = {}, key = {}, run = owner }
    local rows, message, code = db:all("SELECT name, type, pk FROM pragma_table_info(?)", name)
    if not rows then return nil, message, code end
    for _, row in ipairs(rows) do
      if row.type == "TEXT" and not (name == "run" and KEPT[row.name]) then
        table.insert(where.columns, row.name)
      end
      if row.pk > 0 and row.name ~= owner then table.insert(where.key, row.name) end
    end
    texts[i] = where
  end
  return texts
end

-- Hosts that are called so little that every text has them would make holes everywhere.
local SHORTEST_HOST <const> = 3

-- This machine's, which scenarios and notes may have though no fact says so.
local function own_host()
  local file = io.open("/proc/sys/kernel/hostname", "r")
  local name = file and file:read "l"
  if file then file:close() end
  return name ~= "localhost" and name or nil
end

-- "node17" of "node17.example"; not "www", which would be anybody's.
local function short_name(host)
  local first = host:match "^([^.]+)%.%a"
  return first and (first:find "[%d-]" or #first >= 6) and first or nil
end

-- The names of machines and users that a run tells: in its facts, and in the files that PyTorch's
-- profiler calls HOST_PID.TIME.pt.trace.json.
local function hosts_of(facts, sources)
  local hosts, seen = {}, {}
  local function add(name)
    if name and #name >= SHORTEST_HOST and not tonumber(name) and not seen[name] then
      hosts[#hosts + 1], seen[name] = name, true
      add(short_name(name))
    end
  end
  for _, fact in ipairs(facts) do
    local key = fact.key:lower()
    if key:find "^host%..*name$" or key:find "hostname$" or key:find "user_?name$" then
      add(fact.value)
    end
  end
  for _, source in ipairs(sources) do
    add(source.path:match "([^/\\]+)_%d+%.%d+%.pt%.trace%.json")
  end
  add(own_host())
  -- node17.example before node17
  table.sort(hosts, function(a, b) return #a > #b or #a == #b and a < b end)
  return hosts
end

-- How one text of a column becomes another, and what counts the changes.
local function rewriter(options, patterns, hosts, counts)
  local numbers, next_number = {}, 0
  local host_patterns = {}
  for i, host in ipairs(hosts) do
    host_patterns[i] = "%f[%w]" .. escaped(host) .. "%f[%W]"
  end
  local function anonymous(text)
    if not numbers[text] then
      next_number = next_number + 1
      numbers[text] = next_number
    end
    local name = "scrubbed " .. numbers[text]
    local is_json = text:find "^%s*[%[{]" and pcall(cjson.decode, text)
    return is_json and json.encode { name } or name
  end
  return function(text, table_name, column)
    if NAMED[table_name] == column then
      for _, pattern in ipairs(patterns) do
        if text:find(pattern) then
          counts.names = counts.names + 1
          return anonymous(text)
        end
      end
    end
    local out = text
    if options.paths then
      out = table_name == "source" and column == "path" and base_name(out)
        or scrub.without_paths(out)
    end
    for i in ipairs(hosts) do out = out:gsub(host_patterns[i], "host") end
    if out ~= text then counts.texts = counts.texts + 1 end
    return out
  end
end

-- What a text must have to be rewritten, as SQL, and its parameters: most texts have nothing.
local function candidates(where, options, patterns, hosts)
  local conditions, parameters = {}, {}
  for _, column in ipairs(where.columns) do
    if #patterns > 0 and NAMED[where.name] == column then return "1", {} end
    if options.paths then
      conditions[#conditions + 1] = ("instr(%s, '/') OR instr(%s, char(92))"):format(column, column)
    end
    for _, host in ipairs(hosts) do
      conditions[#conditions + 1] = ("instr(%s, ?)"):format(column)
      parameters[#parameters + 1] = host
    end
  end
  return #conditions > 0 and table.concat(conditions, " OR ") or "0", parameters
end

local PAGE <const> = 4096 -- rows in memory

-- Rewrites the rows of a table that are given, but for facts that are gone.
local function rewrite_rows(db, number, where, rows, rewrite, dry_run, gone)
  local condition = where.run .. " = ?"
  for _, name in ipairs(where.key) do condition = condition .. (" AND %s = ?"):format(name) end
  for _, row in ipairs(rows) do
    if not (where.name == "fact" and gone[row.source .. " " .. row.key]) then
      local sets, values = {}, {}
      for _, column in ipairs(where.columns) do
        local changed = row[column] and rewrite(row[column], where.name, column)
        if changed ~= row[column] then
          sets[#sets + 1], values[#values + 1] = column .. " = ?", changed
        end
      end
      values[#values + 1] = number
      for _, name in ipairs(where.key) do values[#values + 1] = row[name] end
      if #sets > 0 and not dry_run then -- tags that are the same now are one
        local done, message, code = db:run(("UPDATE OR REPLACE %s SET %s WHERE %s"):format(
          where.name, table.concat(sets, ", "), condition), table.unpack(values))
        if not done then return nil, message, code end
      end
    end
  end
  return true
end

-- Rewrites one table's rows of a run. Those that are numbered, which may be many, come by the page.
local function rewrite_table(db, number, where, filter, parameters, rewrite, dry_run, gone)
  local paged = #where.key == 1 and where.key[1] == "id"
  local columns = table.concat(where.columns, ", ")
  if #where.key > 0 then columns = table.concat(where.key, ", ") .. ", " .. columns end
  local sql = ("SELECT %s FROM %s WHERE %s = ? AND (%s)%s"):format(columns, where.name, where.run,
    filter, paged and " AND id > ? ORDER BY id LIMIT " .. PAGE or "")
  local last = math.mininteger
  repeat
    local given = table.move(parameters, 1, #parameters, 2, { number })
    if paged then given[#given + 1] = last end
    local rows, message, code = db:all(sql, table.unpack(given))
    if not rows then return nil, message, code end
    local done
    done, message, code = rewrite_rows(db, number, where, rows, rewrite, dry_run, gone)
    if not done then return nil, message, code end
    last = paged and #rows == PAGE and rows[#rows].id or nil
  until not last
  return true
end

-- Removes facts; which ones, by source and key.
local function remove_facts(db, number, facts, options, counts)
  local gone = {}
  for _, fact in ipairs(facts) do
    for _, kind in ipairs { "environment", "hosts" } do
      if options[kind] and is_fact_of(kind, fact.key) then
        counts[kind] = counts[kind] + 1
        gone[fact.source .. " " .. fact.key] = true
        if not options.dry_run then
          local done, message, code = db:run("DELETE FROM fact WHERE run = ? AND source = ?"
            .. " AND key = ?", number, fact.source, fact.key)
          if not done then return nil, message, code end
        end
        break
      end
    end
  end
  return gone
end

local function remove_artifacts(db, number, dry_run)
  if dry_run then
    local row, message, code = db:one("SELECT count(*) AS n FROM artifact WHERE run = ?", number)
    if not row then return nil, message, code end
    return row.n
  end
  return db:run("DELETE FROM artifact WHERE run = ?", number)
end

-- Everything in one transaction; counts, or nil, message, code.
local function carry_out(db, number, options, patterns)
  local counts = { environment = 0, hosts = 0, texts = 0, names = 0, artifacts = 0 }
  local facts, message, code = db:all("SELECT source, key, value FROM fact WHERE run = ?", number)
  if not facts then return nil, message, code end
  local sources
  sources, message, code = db:all("SELECT path FROM source WHERE run = ?", number)
  if not sources then return nil, message, code end
  local hosts = options.hosts and hosts_of(facts, sources) or {}
  local gone, done
  gone, message, code = remove_facts(db, number, facts, options, counts)
  if not gone then return nil, message, code end
  local rewrite = rewriter(options, patterns, hosts, counts)
  local texts
  texts, message, code = texts_of(db)
  if not texts then return nil, message, code end
  for _, where in ipairs(texts) do
    local filter, parameters = candidates(where, options, patterns, hosts)
    done, message, code = rewrite_table(db, number, where, filter, parameters, rewrite,
      options.dry_run, gone)
    if not done then return nil, message, code end
  end
  counts.artifacts, message, code = remove_artifacts(db, number, options.dry_run)
  if not counts.artifacts then return nil, message, code end
  if not options.dry_run then
    if options.keep_notes then
      done, message, code = notes.rewrite(db, number, function(text)
        return rewrite(text, "run_note", "notes")
      end)
    else
      done, message, code = notes.remove(db, number)
    end
    if not done then return nil, message, code end
  end
  return counts
end

--- Scrubs a run; what was removed is overwritten in the file.
---@param store tandem.Store
---@param text string
---@param what tandem.ScrubOptions
---@return tandem.Scrubbed|nil
---@return string|nil message
---@return integer|nil code
function scrub.scrub(store, text, what)
  local stranger = require("tandem.text.nearest").stranger(what, { "environment", "hosts", "paths",
    "names", "all", "keep_notes", "dry_run" })
  if stranger then return nil, stranger, 2 end
  local options, patterns = {}, {}
  for name, value in pairs(what) do options[name] = value end
  if what.all then options.environment, options.hosts, options.paths = true, true, true end
  for i, one in ipairs(what.names or {}) do
    local pattern, problem = pattern_of(one)
    if not pattern then return nil, problem, 2 end
    patterns[i] = pattern
  end
  local db = store.db
  if not options.dry_run then
    local done, message, code = db:run "PRAGMA secure_delete = ON"
    if not done then return nil, message, code end
  end
  local counts, message, code = edit.run(store, text, function(_, number)
    return carry_out(db, number, options, patterns)
  end)
  if not counts then return nil, message, code end
  if options.dry_run then
    counts.clean = true
    return counts
  end
  counts.clean, message, code = tidy.compact(db)
  if counts.clean == nil then return nil, message, code end
  return counts
end

return scrub
