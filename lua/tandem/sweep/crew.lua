--- Runs jobs on all cores, or on all machines, and hands back their answers as they come.
-- Owns who does the work: this state, threads with a Lua state each (core.crew), or the ranks of an
-- MPI job (sweep/mpi). What a job is, job.lua knows. Answers come in any order; who needs an order
-- tags the jobs. Called by sweeps, plans, what-ifs and searches.
local core = require "tandem.core"
local json = require "tandem.io.json"
local job = require "tandem.sweep.job"
local lines = require "tandem.check.lines"
local scenario = require "tandem.scenario"
local shortage = require "tandem.text.shortage"

local crew = {}

---@class tandem.Backend
---@field size integer   jobs that run at once
---@field remote boolean|nil  the work is done where only the scenarios are known
---@field give fun(self, number: integer, text: string)
---@field take fun(self, timeout_s?: number): integer|nil, string|nil, string|nil
---@field under_way (fun(self): number)|nil  jobs done and not yet taken, and parts of others
---@field close fun(self)

---@class tandem.Crew
---@field size integer
---@field outstanding integer  submitted and not yet handed back
---@field done integer
local Crew = { __name = "tandem.Crew" }
Crew.__index = Crew

-- A scenario travels as it was written; it is checked anew where it arrives.
local function packed(scenarios)
  local out = {}
  for i, one in ipairs(scenarios) do
    local raw = rawget(one, "raw")
    out[i] = { raw = raw, directory = rawget(one, "directory"), lines = lines.pack(raw) }
  end
  return out
end

--- The worker's side: text in, text out. Everything it needs are its upvalues, which travel.
---@param scenarios tandem.Scenario[]
---@param values any[]|nil
---@return fun(text: string): string
function crew.worker(scenarios, values)
  local bases, opened = packed(scenarios), nil
  return function(text)
    if not opened then
      local all = {}
      for i, base in ipairs(bases) do
        require("tandem.check.lines").unpack(base.lines)
        local made, problems = require("tandem.scenario").check(base.raw,
          { directory = base.directory })
        all[i] = made or error(tostring(problems), 0)
      end
      opened = all
    end
    local codec = require "tandem.io.json" -- not an upvalue: a module does not travel
    return codec.exact(require("tandem.sweep.job").run(opened, values, codec.read_exact(text)))
  end
end

-- Works only when it is waited for.
local function inline(scenarios, values)
  local waiting, first, last = {}, 1, 0
  return { size = 1,
    give = function(_, number, text)
      last = last + 1
      waiting[last] = { number, text }
    end,
    take = function()
      if core.interrupted() then return nil, "interrupted" end
      local one = waiting[first]
      if not one then return nil, "empty" end
      waiting[first] = nil
      first = first + 1
      return one[1], json.exact(job.run(scenarios, values, json.read_exact(one[2])))
    end,
    close = function() end }
end

local function threads(scenarios, values, count)
  local made, message = core.crew(crew.worker(scenarios, values), count)
  if not made then error(message, 0) end
  return { size = count,
    give = function(_, number, text) made:give(number, text) end,
    take = function(_, timeout_s) return made:take(timeout_s) end,
    under_way = function() return made:under_way() end,
    close = function() made:close() end }
end

---@class tandem.CrewOptions
---@field scenarios tandem.Scenario[]
---@field values any[]|nil     what jobs refer to by { ["$"] = k }
---@field threads integer|nil  default: all processors; 1 works in this state
---@field backend tandem.Backend|nil
---@field watched boolean|nil  whoever waits for an answer does something else meanwhile

--- Opens a crew; close it, or let it go out of scope in a `local … <close>`.
---@param options tandem.CrewOptions
---@return tandem.Crew
function crew.open(options)
  for _, one in ipairs(options.scenarios) do
    if not scenario.is(one) then error("a crew wants scenarios", 2) end
  end
  local count = options.threads or 0
  if count == 0 then count = core.processors() end
  local backend = options.backend
    or count == 1 and not options.watched and inline(options.scenarios, options.values)
    or threads(options.scenarios, options.values, count)
  return setmetatable({ backend = backend, size = backend.size, tags = {}, last = 0,
    outstanding = 0, done = 0, values = backend.remote and options.values }, Crew)
end

-- Other machines have the scenario and nothing else: what a job refers to goes with it.
local function self_contained(one, values)
  local out, set = {}, {}
  for k, v in pairs(one) do out[k] = v end
  for path, value in pairs(one.set) do
    local number = type(value) == "table" and value["$"]
    set[path] = number and { ["#"] = values[number] } or value
  end
  out.set = set
  return out
end

--- Queues a job.
---@param one tandem.Job
---@param tag any  comes back with the answer (default: the number of the job)
function Crew:submit(one, tag)
  self.last = self.last + 1
  self.tags[self.last] = tag == nil and self.last or tag
  self.outstanding = self.outstanding + 1
  if self.values then one = self_contained(one, self.values) end
  self.backend:give(self.last, json.exact(one))
end

--- The next answer. Raises that memory is short for a thread, where it is.
---@param timeout_s number|nil  default: waits for ever
---@return any tag  nil when there is none
---@return tandem.Answer|string answer  or why there is none: "timeout", "empty", "interrupted", …
function Crew:next(timeout_s)
  if self.outstanding == 0 then return nil, "empty" end
  local number, text, message = self.backend:take(timeout_s)
  if not number then
    if shortage.is(text) then error("not enough memory", 0) end
    return nil, text --[[@as string]]
  end
  local tag = self.tags[number]
  self.tags[number] = nil
  self.outstanding = self.outstanding - 1
  self.done = self.done + 1
  if not text then return tag, { ok = false, message = message, metrics = {} } end
  return tag, json.read_exact(text)
end

--- How many jobs' worth of work is done, with parts of those under way that are `told`. Where jobs
--- run elsewhere, of whole ones alone.
---@return number
function Crew:progress()
  return self.done + (self.backend.under_way and self.backend:under_way() or 0)
end

--- Ends the work; what is under way ends by itself, what waits is dropped.
function Crew:close()
  self.backend:close()
end
Crew.__close = Crew.close

return crew
