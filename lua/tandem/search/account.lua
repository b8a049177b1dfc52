--- What a search has asked for so far: every point's evaluation, the history and the budget.
--
-- Owns which asks need an evaluation at all (a point asked for again is answered from memory), the
-- cutting of an ask that the budget does not cover, the checking of what the evaluator answered,
-- and the best so far. Does not run the search: that is tandem.search, which calls this.
local evaluation = require "tandem.search.evaluation"
local nearest = require "tandem.text.nearest"

local account = {}

---@class tandem.EvaluateHow
---@field replications integer[]|nil  how many to add for each point; nil: the evaluator's choice
---@field first integer[]             how many each point has: the number of its first new one
---@field before table<integer, tandem.Evaluation>  what was answered before, where there was

---@alias tandem.Evaluate fun(points: tandem.Point[], how: tandem.EvaluateHow): table[]|nil, any

---@class tandem.SearchHistory
---@field point tandem.Point
---@field value number
---@field half number|nil
---@field n integer
---@field ok boolean
---@field message string|nil
---@field ask integer         which ask it belongs to; those of one ask were evaluated together
---@field best number|nil     lowest value known after it

---@class tandem.Account
---@field budget number
---@field evaluations integer  answers that the evaluator had to work for
---@field replications integer
---@field asks integer
---@field repeats integer      points answered from memory
---@field history tandem.SearchHistory[]
---@field best tandem.Evaluation|nil
---@field cut tandem.Evaluation[]  evaluated, but the search never saw them: the budget ended
---@field failure string|nil       why the first point that failed did
local Account = {}
Account.__index = Account

---@param evaluate tandem.Evaluate
---@param budget number
---@return tandem.Account
function account.new(evaluate, budget)
  return setmetatable({ evaluate = evaluate, budget = budget, evaluations = 0, replications = 0,
    asks = 0, repeats = 0, history = {}, cut = {}, known = {}, order = {}, tables = {},
    tables_count = 0 }, Account)
end

--- What is wrong with an ask; nil when nothing is.
---@return string|nil message
function account.problem(points, how)
  if type(points) ~= "table" then
    return ("ask wants a list of points: ask { { rps = 20 } }, not a %s"):format(type(points))
  end
  local first = nearest.sorted_keys(points)[1]
  if first ~= nil and type(first) ~= "number" then
    return ("ask wants a list of points; did you mean ask { { %s = … } }?"):format(tostring(first))
  elseif #points == 0 then
    return "ask wants at least one point"
  end
  for i, point in ipairs(points) do
    if type(point) ~= "table" or next(point) == nil then
      return ("point %d wants named coordinates, such as { rps = 20 }"):format(i)
    end
    for name, value in pairs(point) do
      if type(name) ~= "string" then
        return ("point %d: a coordinate has no name; write { rps = 20 }"):format(i)
      elseif value ~= value then
        return ("point %d: %s is not a number (nan)"):format(i, name)
      end
    end
  end
  if how == nil then return nil end
  if type(how) ~= "table" then return "ask's second argument is a table: { replications = 20 }" end
  for _, key in ipairs(nearest.sorted_keys(how)) do
    if key ~= "replications" then
      return ("ask: unknown option '%s'; %s"):format(tostring(key),
        nearest.hint(tostring(key), { "replications" }))
    end
  end
  local counts = how.replications
  if type(counts) == "table" then
    if #counts ~= #points then
      return ("ask: %d points, but %d numbers of replications"):format(#points, #counts)
    end
    for i, count in ipairs(counts) do
      if not (math.tointeger(count) and count >= 0) then
        return ("ask: replications[%d] wants a whole number, not %s"):format(i, tostring(count))
      end
    end
  elseif counts ~= nil and not (math.tointeger(counts) and counts >= 1) then
    return ("ask: replications wants a whole number from 1, or one for each point, not %s"):format(
      tostring(counts))
  end
end

-- One text for each point: coordinates by name, 4 and 4.0 alike. A table (a distribution, a GPU)
-- is itself and no other.
function Account:key(point)
  local parts = {}
  for _, name in ipairs(nearest.sorted_keys(point)) do
    local value = point[name]
    local text
    if type(value) == "number" then
      text = math.tointeger(value) and ("%d"):format(value) or ("%.17g"):format(value)
    elseif type(value) == "table" or type(value) == "function" then
      if not self.tables[value] then
        self.tables_count = self.tables_count + 1
        self.tables[value] = self.tables_count
      end
      text = "#" .. self.tables[value]
    else
      text = ("%q"):format(value)
    end
    parts[#parts + 1] = ("%q=%s"):format(name, text)
  end
  return table.concat(parts, ",")
end

---@class tandem.SearchJob
---@field key string
---@field point tandem.Point
---@field more integer|nil  replications to add; nil: as many as the evaluator likes
---@field before tandem.Evaluation|nil

-- The evaluations an ask needs beyond what is known, each point once.
function Account:jobs(points, how, keys)
  local jobs, by_key = {}, {}
  local counts = how and how.replications
  for i, point in ipairs(points) do
    local key = self:key(point)
    keys[i] = key
    local before, more = self.known[key], nil
    if type(counts) == "table" then
      more = before and counts[i] or math.max(1, counts[i])
    elseif counts then
      more = math.max(0, counts - (before and before.n or 0))
    elseif before then
      more = 0
    end
    if before and not before.ok then more = 0 end -- asking again will not mend it
    local job = by_key[key]
    if job and job.more and type(counts) == "table" then
      job.more = job.more + (more or 0)
    elseif not job and more ~= 0 then
      job = { key = key, point = before and before.point or {}, more = more, before = before }
      if not before then
        for name, value in pairs(point) do job.point[name] = value end
      end
      by_key[key] = job
      jobs[#jobs + 1] = job
    else
      self.repeats = self.repeats + 1
    end
  end
  return jobs
end

-- What the evaluator said of one point, made whole.
local function completed(raw, job)
  if type(raw) ~= "table" then
    error(("evaluate answered a %s for a point, not { value = … }"):format(type(raw)), 0)
  end
  local e = {}
  for key, value in pairs(raw) do e[key] = value end
  e.point = job.point
  if e.ok == nil then e.ok = true end
  if e.ok and (type(e.value) ~= "number" or e.value ~= e.value) then
    e.ok, e.message = false, e.message or ("the value is %s, not a number"):format(
      type(e.value) == "number" and "nan" or tostring(e.value))
  end
  local done = job.before and job.before.n or 0
  e.n = math.tointeger(e.n) or done + (job.more or 1)
  if not e.ok then
    e.value, e.half = math.huge, nil
    e.message = e.message or "failed"
  end
  return e
end

function Account:note(e, key)
  local before = self.known[key]
  self.known[key] = e
  if not before then self.order[#self.order + 1] = key end
  self.evaluations = self.evaluations + 1
  self.replications = self.replications + math.max(0, e.n - (before and before.n or 0))
  self.failure = self.failure or (not e.ok and e.message or nil)
  if before and before == self.best then
    -- What was best is known better now, and may be so no longer.
    self.best = nil
    for _, other in ipairs(self.order) do
      self.best = evaluation.best({ self.known[other] }, self.best)
    end
  else
    self.best = evaluation.best({ e }, self.best)
  end
  self.history[#self.history + 1] = { point = e.point, value = e.value, half = e.half, n = e.n,
    ok = e.ok, message = e.message, ask = self.asks, best = self.best and self.best.value }
end

local function run(self, jobs)
  local points, how = {}, { first = {}, before = {} }
  for i, job in ipairs(jobs) do
    points[i] = {}
    for name, value in pairs(job.point) do points[i][name] = value end
    how.before[i], how.first[i] = job.before, job.before and job.before.n or 0
    if job.more then
      how.replications = how.replications or {}
      how.replications[i] = job.more
    end
  end
  local answers, why = self.evaluate(points, how)
  if not answers then return nil, why or "the evaluation failed" end
  if type(answers) ~= "table" or #answers ~= #jobs then
    error(("evaluate answered %s for %d points"):format(
      type(answers) == "table" and #answers or "a " .. type(answers), #jobs), 0)
  end
  for i, job in ipairs(jobs) do self:note(completed(answers[i], job), job.key) end
  return true
end

--- Evaluations left.
---@return number
function Account:left() return self.budget - self.evaluations end

--- Answers an ask. Nothing but a reason when it cannot: "budget", or what evaluate said.
---@param points tandem.Point[]
---@param how { replications: integer|integer[]|nil }|nil
---@return tandem.Evaluation[]|nil
---@return string|nil why
---@return boolean|nil fresh  whether anything had to be evaluated
function Account:tell(points, how)
  self.asks = self.asks + 1
  local keys = {}
  local jobs = self:jobs(points, how, keys)
  local affordable = math.min(#jobs, self:left())
  local cut = affordable < #jobs
  local now = table.move(jobs, 1, affordable, 1, {})
  if #now > 0 then
    local good, why = run(self, now)
    if not good then return nil, why end
  end
  if cut then
    for i, job in ipairs(now) do self.cut[i] = self.known[job.key] end
    return nil, "budget"
  end
  local told = {}
  for i, key in ipairs(keys) do told[i] = self.known[key] end
  return told, nil, #jobs > 0
end

--- What is known now of a point; nil when it was never evaluated.
---@param point tandem.Point
---@return tandem.Evaluation|nil
function Account:find(point) return self.known[self:key(point)] end

return account
