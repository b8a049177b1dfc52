--- Sweeps: `td.sweep { scenario, over = { rps = td.range(10, 100, 10), gpus = { 1, 2, 4 } } }`.
-- Owns the run: points to the crew, answers to the store and into rows, what happens at Ctrl-C and
-- to points that fail. What a sweep is, study.lua reads; what comes of it is table.lua's.
-- All points see the same luck: the same seed and the same replications.
local core = require "tandem.core"
local crew = require "tandem.sweep.crew"
local format = require "tandem.text.format"
local shortage = require "tandem.text.shortage"
local study = require "tandem.sweep.study"
local table_of = require "tandem.sweep.table"

local sweep = {}

-- Jobs that wait beside those that run, so that no thread ever does.
local AHEAD <const> = 16
-- Reasons of failing points that are told.
local TOLD <const> = 10

local function default_report(line)
  io.stdout:flush()
  io.stderr:write(line, "\n")
end

local function open_store(made, options)
  if not options.store then return nil, {} end
  local ledger = require "tandem.sweep.ledger"
  local book, message, code = ledger.open(options.store)
  if not book then return nil, message, code or 4 end
  local record = { key = made.key, name = made.name, seed = made.seed,
    replications = made.replications, metrics = made.metrics, version = core.version(),
    points = made.design.count, design = { kind = made.design.kind } }
  local id, done, why = book:sweep(record)
  if id and options.fresh then
    local removed
    removed, message, code = book:remove(id)
    if not removed then id, done, why = nil, message, code
    else id, done, why = book:sweep(record) end
  end
  if not id then
    book:close()
    return nil, done, why or 4
  end
  return { book = book, id = id }, done
end

---@class tandem.SweepRun
---@field study tandem.Study
---@field answers table<integer, tandem.Answer>
---@field reused integer   answers that the store had
---@field failed integer
---@field interrupted boolean|nil
---@field trouble string|nil the store or the crew failed on the way

-- Answers what is missing. Raises where Ctrl-C meets Lua.
local function work(run, store, options)
  local made, total = run.study, run.study.count
  local c <close> = crew.open { scenarios = { made.base }, values = made.carried,
    threads = options.threads, backend = options.backend }
  local room = 2 * c.size + AHEAD
  local n, done = 0, run.reused
  local function submit()
    while c.outstanding < room and n < total do
      n = n + 1
      local number = study.number(made, n)
      if not run.answers[number] then c:submit(study.job(made, number), number) end
    end
  end
  submit()
  while true do
    local number, answer = c:next()
    if not number then
      if answer == "interrupted" then run.interrupted = true
      elseif answer ~= "empty" then run.trouble = answer end
      return
    end
    ---@cast answer tandem.Answer
    if answer.interrupted then
      run.interrupted = true
    else
      run.answers[number] = answer
      if not answer.ok then run.failed = run.failed + 1 end
      if store then
        local kept, message = store.book:add(store.id, number, study.point(made, number), answer)
        if not kept then
          run.trouble = message
          return
        end
      end
      done = done + 1
      if options.progress then options.progress(done, total, run.failed) end
    end
    if not run.interrupted then submit() end
  end
end

--- Runs a study: what the store does not have is simulated.
---@param made tandem.Study
---@param options tandem.SweepOptions
---@return tandem.Sweep|nil
---@return string|nil message
---@return integer|nil code
function sweep.run(made, options)
  local store, done, code = open_store(made, options)
  if not store and options.store then return nil, done --[[@as string]], code end
  local run = { study = made, answers = done, reused = 0, failed = 0 }
  for n = 1, made.count do
    local answer = run.answers[study.number(made, n)]
    if answer then
      run.reused = run.reused + 1
      if not answer.ok then run.failed = run.failed + 1 end
    end
  end
  if options.started then options.started(run.reused, made.count) end
  if run.reused < made.count or options.backend then
    local ok, message = pcall(work, run, store, options)
    if not ok then
      if not (core.interrupted() or core.guard.interrupted()) then
        if store then store.book:close() end
        error(shortage.is(message) and "not enough memory" or message, 0)
      end
      debug.sethook() -- what stopped us would stop the rest as well
      run.interrupted = true
    end
  end
  if store then
    local closed, message, why = store.book:close()
    if not closed then return nil, message, why or 4 end
  end
  local made_table = table_of.of_run(run)
  if run.trouble then return nil, run.trouble, 4, made_table end
  return made_table
end

--- Tells of the points that failed, those with the same reason together, in the order of points.
---@param result tandem.Sweep
---@param report fun(line: string)
function sweep.tell_failures(result, report)
  local reasons, by_message = {}, {}
  for _, row in ipairs(result.failed) do
    local reason = by_message[row.message]
    if not reason then
      reason = { first = row, count = 0, message = row.message }
      by_message[row.message], reasons[#reasons + 1] = reason, reason
    end
    reason.count = reason.count + 1
  end
  for i, reason in ipairs(reasons) do
    if i > TOLD then
      report(("… and %d more reasons"):format(#reasons - TOLD))
      return
    end
    local first = ("point %d (%s)"):format(reason.first.number, result:describe(reason.first))
    report(("%s failed: %s"):format(reason.count == 1 and first
      or ("%s and %s"):format(first, format.plural(reason.count - 1, "more", "more")),
      reason.message))
  end
end

--- `td.sweep { … }`: simulates every point on all cores and returns the table of them. Raises one
--- line when the options are wrong or the store cannot be used.
---@param options tandem.SweepOptions
---@return tandem.Sweep
function sweep.sweep(options)
  if type(options) ~= "table" then
    error("td.sweep wants a table: td.sweep { scenario = …, over = { … } }", 2)
  end
  local made, message = study.new(options)
  if not made then error("td.sweep: " .. message, 2) end
  local result
  result, message = sweep.run(made, options)
  if not result then error("td.sweep: " .. message, 2) end
  sweep.tell_failures(result, options.report or default_report)
  return result
end

return sweep
