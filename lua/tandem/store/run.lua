--- One run of a store: its fields, and what belongs to it.
--
-- Owns `tandem.Run` and how a run is named by people: the beginning of its id, its name, or "last"
-- (the rule itself is src/trace/store/find.c's: SQL has it as run()). Called by Store:run and all
-- who take one.
local query = require "tandem.store.query"

local run = {}

---@class tandem.Run: tandem.Analyses
---@field number integer       what SQL's column `run` means
---@field id string
---@field kind "simulated"|"measured"
---@field name string
---@field state "complete"|"interrupted"
---@field created_utc_ns integer|nil
---@field scenario string|nil  its text
---@field scenario_hash string|nil
---@field seed integer|nil
---@field version string|nil   of the program
---@field summary_json string|nil  tandem.result/1
---@field note string
---@field span_count integer
---@field spans_dropped integer
---@field complete_until_ns integer|nil
---@field first_ns integer|nil
---@field last_ns integer|nil
---@field tags string[]
---@field store tandem.Store
local Run = { __name = "tandem.Run" }

local METHODS = {}

-- Analyses are methods too: run:kernels().
Run.__index = function(_, name)
  return METHODS[name] or require("tandem.analysis").method(name)
end

--- Seconds from a first to a last time; an integer may be too short for the nanoseconds between.
---@param first_ns integer|nil
---@param last_ns integer|nil
---@return number|nil
function run.length_s(first_ns, last_ns)
  if not first_ns then return nil end
  local ns = last_ns - first_ns
  return (ns < 0 and ns + 0x1p64 or ns) / 1e9
end

--- Why a run has no spans to be looked at, where they were not kept; nil where there just are none.
---@param one tandem.Run
---@return string|nil message
function run.lost_spans(one)
  if one.span_count > 0 or one.kind ~= "simulated" then return nil end
  -- Spans that are kept have tracks, though nothing may have come to them.
  if one.store.db:one("SELECT 1 FROM track WHERE run = ?", one.number) then return nil end
  return ("the spans of run %s were not kept (tandem run --spans all keeps them)"):format(one.id)
end

-- What to say of a name that no run has; remembers that there was none.
local function absent(store, text)
  store.missed = text
  local names = {}
  for one in store:query "SELECT DISTINCT name FROM run" do
    names[#names + 1] = one.name
  end
  local near = require("tandem.text.nearest").word(text, names)
  local where = store.shown and "" or " in " .. store.path:match "[^/]*$"
  return ("no run '%s'%s; %s"):format(text, where,
    near and ("did you mean '%s'?"):format(near)
      or ("%s lists them"):format(store.shown or "`tandem runs`"))
end

--- The number of the run that a person names.
---@param store tandem.Store
---@param text string
---@return integer|nil number
---@return string|nil message
---@return integer|nil code
function run.number(store, text)
  local row, message, code = store.db:one("SELECT run(?) AS number", text)
  store.missed = nil
  if row then return row.number end
  local known = store.db:one("SELECT count(*) AS runs FROM run WHERE name = ? OR "
    .. "substr(id, 1, length(?)) = ?", text, text, text)
  message = message:gsub("^SQL: ", "")
  if not known or known.runs > 0 then return nil, message, code end
  if text == "last" then
    store.missed = text
    return nil, message, code
  end
  return nil, absent(store, text), code
end

--- One run by the beginning of its id, by its name when no other has it, or "last".
---@param store tandem.Store
---@param text string
---@return tandem.Run|nil
---@return string|nil message
---@return integer|nil code
function run.find(store, text)
  local number, message, code = run.number(store, text)
  if not number then return nil, message, code end
  local row
  row, message, code = store.db:one("SELECT * FROM run WHERE number = ?", number)
  if not row then return nil, message or ("no run '%s'"):format(text), code or 3 end
  local tags
  tags, message, code = store.db:all("SELECT tag FROM run_tag WHERE run = ? ORDER BY tag", number)
  if not tags then return nil, message, code end
  row.span_count, row.spans, row.tags = row.spans, nil, {} -- `spans` is a method
  for i, one in ipairs(tags) do row.tags[i] = one.tag end
  row.store = store
  return setmetatable(row, Run)
end

-- A query of ours: what fails here is the file.
local function open(self, sql, ...)
  local made, message = query.open(self.store.db, { sql, n = select("#", ...) + 1, ... })
  if not made then error(message, 3) end
  return made
end

local FILTERS <const> = { category = "category = ?", from = "end_ns >= ?", to = "start_ns <= ?",
  track = "track = ?", name = "name = ?" }
local FILTER_ORDER <const> = { "category", "from", "to", "track", "name" }

--- Spans, in no particular order: r:spans { category = "kernel", from = ns, to = ns, track = 3,
--- name = "gemm" }. Times are the run's, in nanoseconds.
---@param filter? { category?: string, from?: integer, to?: integer, track?: integer,
---                  name?: string }
---@return tandem.Query
function METHODS:spans(filter)
  filter = filter or {}
  for name in pairs(filter) do
    if not FILTERS[name] then
      error(("spans has no filter '%s'; %s"):format(tostring(name),
        require("tandem.text.nearest").hint(tostring(name), FILTER_ORDER)), 2)
    end
  end
  local conditions, values = { "run = ?" }, { self.number }
  for _, name in ipairs(FILTER_ORDER) do
    if filter[name] ~= nil then
      conditions[#conditions + 1] = FILTERS[name]
      values[#values + 1] = filter[name]
    end
  end
  return open(self, "SELECT * FROM span WHERE " .. table.concat(conditions, " AND "),
    table.unpack(values))
end

--- Counter samples, of all counters or of one.
---@param name? string
---@return tandem.Query
function METHODS:counters(name)
  if name then
    return open(self, "SELECT * FROM counter WHERE run = ? AND name = ?", self.number, name)
  end
  return open(self, "SELECT * FROM counter WHERE run = ?", self.number)
end

--- Edges: from a launch to its kernel, from one stage to the next.
---@return tandem.Query
function METHODS:edges() return open(self, "SELECT * FROM edge WHERE run = ?", self.number) end

--- Requests of a simulated run, by arrival.
---@return tandem.Query
function METHODS:requests()
  return open(self, "SELECT r.id, c.name AS class, r.arrival_ns, r.end_ns, r.gpu, r.outcome"
    .. " FROM request AS r LEFT JOIN class AS c ON c.run = r.run AND c.id = r.class"
    .. " WHERE r.run = ? ORDER BY r.arrival_ns, r.id", self.number)
end

--- Figures: of a simulated run, what tandem.result/1 has; of a measured one, what its files say.
---@return tandem.Query
function METHODS:metrics()
  return open(self, "SELECT scope, subject, ordinal, name, value, unit, text FROM metric"
    .. " WHERE run = ? ORDER BY id", self.number)
end

--- The files that were read, or the simulation.
---@return tandem.Query
function METHODS:sources()
  return open(self, "SELECT id, path, format, detail, rank, utc_ns, offset_ns, alignment,"
    .. " residual_ns, first_ns, last_ns, rows FROM source WHERE run = ? ORDER BY id", self.number)
end

--- What readers dropped or repaired, by kind.
---@return tandem.Query
function METHODS:problems()
  return open(self, "SELECT source, kind, count FROM problem WHERE run = ?"
    .. " ORDER BY source, count DESC, kind", self.number)
end

--- What the sources say of their machine, process and capture.
---@return tandem.Query
function METHODS:facts()
  return open(self, "SELECT source, key, value FROM fact WHERE run = ? ORDER BY source, key",
    self.number)
end

--- What spans lie on.
---@param most? integer  only the first
---@return tandem.Query
function METHODS:tracks(most)
  return open(self, "SELECT id, process, name, kind, lane, capacity, pid, tid, device, context,"
    .. " stream, source FROM track WHERE run = ? ORDER BY id LIMIT ?", self.number, most or -1)
end

--- Spans by category: how many and their time in all, the longest first. Overlapping ones count
--- twice.
---@return tandem.Query
function METHODS:span_categories()
  -- As by GROUP BY over the table span, which would make and sort a row for each span. A chunk
  -- without its layout is damage, and category_ns says so.
  return open(self, "SELECT l.category AS category, CAST(sum(c.rows) AS INTEGER) AS spans,"
    .. " CAST(category_ns(?1, l.category) AS INTEGER) AS total_ns"
    .. " FROM chunk AS c LEFT JOIN layout AS l ON l.run = c.run AND l.id = c.layout WHERE"
    .. " c.run = ?1 AND l.shape IS NOT 'edge' AND l.shape IS NOT 'sample' GROUP BY l.category"
    .. " ORDER BY total_ns DESC, category", self.number)
end

--- What another run has more, less, otherwise: r:diff(other, { by = "kernel" }).
---@param other tandem.Run|string|tandem.Run[]
---@param options? tandem.DiffOptions
---@return tandem.Diff|nil
---@return string|nil message
---@return integer|nil code
function METHODS:diff(other, options) return require("tandem.diff").of(self, other, options) end

--- The run as requests and visits of stages: a capture through a map, a simulated run without one.
---@param map? tandem.Map
---@param options? tandem.AnalysisFilter
---@return tandem.Visits|nil
---@return string|nil message
---@return integer|nil code
function METHODS:visits(map, options)
  return require("tandem.visits").of_run(self, map, options)
end

--- The published figure at a path, as result:get: r:figure "latency.p99".
---@param name string
---@return number|nil  in SI units
function METHODS:figure(name)
  local row = self.store.db:one(
    "SELECT value FROM metric WHERE run = ? AND scope = 'run' AND name = ?", self.number, name)
  return row and row.value
end

--- Seconds: of a simulated run what was observed of it, of a measured one from its first record to
--- its last.
---@return number|nil  seconds
function METHODS:duration_s()
  if self.kind == "simulated" then return self:figure "duration_s" end
  return run.length_s(self.first_ns, self.last_ns)
end

--- A scenario simulated under the run's own load, and kept: the same requests at the same times, of
--- the same sizes. A measured run has requests by a map.
---@param scenario tandem.Scenario
---@param options? tandem.ReplayOptions
---@return tandem.Run|nil
---@return string|nil message
---@return integer|nil code
function METHODS:replay(scenario, options)
  local made, message, code = self:visits(options and options.map)
  if not made then return nil, message, code end
  return made:replay(scenario, options)
end

Run.__tostring = function(self)
  return ("run %s  %s  %s"):format(self.id, self.kind, self.name)
end

return run
