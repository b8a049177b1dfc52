--- Runs the simulations that searches ask for, all of them on one crew.
--
-- Owns the coroutines and who waits for which jobs. A search is a function that calls ask(jobs) and
-- gets the answers in the order of its jobs, or nil and why there are none. Searches run beside
-- each other, so the processors are busy while one of them waits; what a search sees depends on its
-- own jobs only, hence results do not depend on the order of answers or the number of threads.
-- A budget of simulations is kept in rounds: all searches ask, all are answered. Also owns how far
-- a plan is said to be.
local core = require "tandem.core"
local crew = require "tandem.sweep.crew"
local job = require "tandem.sweep.job"

local evaluate = {}

---@class tandem.PlanWork
---@field jobs integer          simulations that ran
---@field replications integer
---@field stopped string|nil    "budget", "time" or "interrupted"

---@class tandem.PlanRunOptions
---@field scenarios tandem.Scenario[]
---@field values any[]|nil
---@field threads integer|nil
---@field backend tandem.Backend|nil
---@field simulations integer|nil  at most so many jobs
---@field progress (fun(done: integer, waiting: integer, share: number))|nil
---@field deadline number|nil    of core.clock: what is not done by then is dropped

-- One step of a search: its next jobs, or its result. Answers are of one round of jobs: none of
-- them may be taken for an answer to the next, which may never run.
local function step(search, ...)
  search.answers, search.missing = nil, nil
  local packed = table.pack(coroutine.resume(search.routine, ...))
  if not packed[1] then
    error(type(packed[2]) == "string" and packed[2] .. "\n" .. debug.traceback(search.routine)
      or packed[2], 0)
  end
  if coroutine.status(search.routine) == "dead" then
    search.result, search.jobs = packed[2], nil
  else
    search.jobs = packed[2]
  end
end

-- How far searches are, 0 to 1. None of them knows its end: with each round of its answers, half of
-- what was left is behind it.
local function share_of(searches)
  local sum = 0
  for _, search in ipairs(searches) do
    local left = 0
    if search.jobs then
      left = 0.5 ^ search.rounds * (1 + (search.missing or 0) / math.max(1, #search.jobs)) / 2
    end
    sum = sum + 1 - left
  end
  return sum / #searches
end

--- A progress function for a part of the whole work.
---@param progress (fun(done: integer, waiting: integer, share: number))|nil
---@param from number  the shares where the part begins and ends
---@param to number
---@return (fun(done: integer, waiting: integer, share: number))|nil
function evaluate.part(progress, from, to)
  return progress and function(done, waiting, share)
    progress(done, waiting, from + share * (to - from))
  end
end

local HEARTBEAT <const> = 0.5 -- seconds between two words of progress, when nothing is done

-- The next answer. Nil and "time" when there is no more time: what is under way is told to end.
local function wait(team, searches, options)
  while true do
    local left = options.deadline and options.deadline - core.clock() or math.huge
    if left <= 0 then
      core.interrupt()
      return nil, "time"
    end
    local tag, answer = team:next(math.min(left, options.progress and HEARTBEAT or math.huge))
    if tag or answer ~= "timeout" then return tag, answer end
    if options.progress then options.progress(team.done, team.outstanding, share_of(searches)) end
  end
end

-- A simulation for which memory was short says nothing of its candidate: there is no answer without
-- it. Raises.
local function no_memory(answer)
  if job.starved(answer) then error("not enough memory", 0) end
end

local function take(team, work, searches, options, rounds)
  local tag, answer = wait(team, searches, options)
  if not tag then
    if answer ~= "time" and answer ~= "interrupted" and answer ~= "empty" then
      error(answer, 0) -- nobody works any more
    end
    if answer ~= "empty" then work.stopped = answer end
    return false
  end
  no_memory(answer)
  local search = searches[tag[1]]
  search.answers[tag[2]] = answer
  search.missing = search.missing - 1
  if answer.interrupted then work.stopped = "interrupted" end
  if options.progress then
    options.progress(team.done, team.outstanding, share_of(searches))
  end
  if search.missing == 0 and not rounds and not work.stopped then
    search.ready = true
  end
  return true
end

local function run(bodies, options, work)
  local searches, rounds = {}, options.simulations ~= nil
  local team <close> = crew.open { scenarios = options.scenarios, values = options.values,
    threads = options.threads, backend = options.backend,
    watched = options.deadline ~= nil or options.progress ~= nil }
  local function submit(index)
    local search = searches[index]
    if not search.jobs then return end
    if options.simulations and work.jobs + #search.jobs > options.simulations then
      work.stopped = work.stopped or "budget"
    end
    if work.stopped then return end
    search.answers, search.missing, search.ready = {}, #search.jobs, false
    -- Where there are fewer jobs than threads, each has several.
    local threads = math.max(1, team.size // (team.outstanding + #search.jobs))
    for j, one in ipairs(search.jobs) do
      one.threads = threads
      work.jobs, work.replications = work.jobs + 1, work.replications + one.replications
      team:submit(one, { index, j })
    end
  end
  for i, body in ipairs(bodies) do
    searches[i] = { rounds = 0, routine = coroutine.create(function()
      return body(function(jobs) return coroutine.yield(jobs) end)
    end) }
    step(searches[i])
    submit(i)
  end
  while team.outstanding > 0 do
    if not take(team, work, searches, options, rounds) then break end
    if rounds and team.outstanding == 0 and not work.stopped then
      for _, search in ipairs(searches) do search.ready = search.jobs ~= nil end
    end
    for i, search in ipairs(searches) do
      if search.ready then
        search.ready, search.rounds = false, search.rounds + 1
        step(search, search.answers)
        submit(i)
      end
    end
  end
  -- Those that were stopped say what they know.
  local results = {}
  for i, search in ipairs(searches) do
    while search.jobs do
      local whole = search.missing == 0 and search.answers or nil
      step(search, whole, work.stopped or "stopped")
    end
    results[i] = search.result
    if search.result == nil then results[i] = false end -- a list has no holes
  end
  return results
end

--- Runs searches to their ends.
---@param bodies (fun(ask: fun(jobs: tandem.Job[]): tandem.Answer[]|nil, string?): any)[]
---@param options tandem.PlanRunOptions
---@param work tandem.PlanWork  counted up
---@return any[] results  in the order of the bodies; false where there is none
function evaluate.run(bodies, options, work)
  local results = run(bodies, options, work)
  if work.stopped == "time" then core.interrupt_clear() end
  return results
end

return evaluate
