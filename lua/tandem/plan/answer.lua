--- The answer to a plan: what was found, as data, and its forms (text, table, JSON, CSV, plot).
--
-- Owns which row is the best of a load and how rows become records. Sentences are report.lua's.
local limits = require "tandem.plan.limits"

local answer = {}

local SCHEMA = "tandem.plan/1"

--- JSON keys that are lists even when empty.
local lists = { rows = true, best = true, notes = true, cautions = true, figures = true,
  undecided = true, tested = true, sensitivity = true, limits = true, sentences = true,
  down = true, servers = true, also = true }

---@class tandem.PlanAnswer
---@field cautions string[]|nil  to be known before kinds are compared
---@field find "gpus"|"load"|"best"
---@field ok boolean            every load is served, each by at least one kind
---@field rows tandem.PlanRow[]
---@field best (tandem.PlanRow|false)[]  one a load
---@field limits tandem.PlanLimit[]
---@field confidence number
---@field simulations integer
---@field replications integer
---@field notes string[]
---@field interrupted boolean|nil
---@field stopped string|nil    "budget", "time" or "interrupted"
---@field question tandem.PlanQuestion  internal
local Answer = { __name = "tandem.PlanAnswer" }
local methods = {}
Answer.__index = function(self, key)
  if key == "simulations" then return self.work.jobs end
  if key == "replications" then return self.work.replications end
  if key == "stopped" then return self.work.stopped end
  if key == "interrupted" then return self.work.stopped == "interrupted" or nil end
  return methods[key]
end

local function price(row, aim)
  if not row.bill then return nil end
  return aim == "gpus" and (row.bill.gpus > 0 and row.bill.gpus or row.count) or row.bill[aim]
end

-- The row of one load that costs least; what has no price is not compared with what has.
local function best_of(rows, aim)
  local best, least
  for _, row in ipairs(rows) do
    local cost = row.count and price(row, aim)
    if cost and (not least or cost < least - 1e-12 or math.abs(cost - least) <= 1e-12
      and (row.count < best.count or row.count == best.count
        and row.binding.margin > best.binding.margin)) then
      best, least = row, cost
    end
  end
  return best
end

-- The plain fields of a row, for whoever reads answers.
local function show(row)
  row.load, row.kind = row.rps or row.demand.value, row.choice.name
  if row.bill then
    row.gpus, row.usd_per_hour, row.watts = row.bill.gpus, row.bill.usd_per_hour, row.bill.watts
  end
end

--- Chooses the best rows anew; what it is compared by is noted.
---@param out tandem.PlanAnswer
function answer.choose(out)
  local q = out.question
  local aim, priced, found = q.minimize, 0, 0
  for _, row in ipairs(out.rows) do
    show(row)
    if row.count then
      found = found + 1
      if price(row, aim) then priced = priced + 1 end
    end
  end
  if found > 0 and priced == 0 then aim = "gpus" end
  out.aim = aim
  out.best = {}
  for i, load in ipairs(q.loads) do
    local rows = {}
    for _, row in ipairs(out.rows) do
      if row.demand == load then rows[#rows + 1] = row end
    end
    out.best[i] = best_of(rows, aim) or false
  end
  out.ok = true
  for _, best in ipairs(out.best) do out.ok = out.ok and best ~= false end
end

--- An answer of rows.
---@param q tandem.PlanQuestion
---@param rows tandem.PlanRow[]
---@param work tandem.PlanWork
---@return tandem.PlanAnswer
function answer.new(q, rows, work)
  local out = setmetatable({ find = q.find, rows = {}, limits = q.limits, question = q,
    confidence = q.confidence, notes = q.notes, work = work }, Answer)
  for _, row in ipairs(rows) do
    if row then out.rows[#out.rows + 1] = row end
  end
  answer.choose(out)
  return out
end

---@param v any
---@return boolean
function answer.is(v) return getmetatable(v) == Answer end

local function figure_record(figure)
  return { label = figure.label, value = figure.value, half = figure.half, limit = figure.limit,
    lower_limit = figure.least or nil, margin = figure.margin, state = figure.state }
end

local function finite(v)
  return v and v == v and math.abs(v) < math.huge and v or nil
end

local function fewer_record(fewer)
  return { count = fewer.count, with = fewer.with, overload = fewer.overload,
    undecided = fewer.open or nil, state = fewer.state,
    value = fewer.binding and finite(fewer.binding.value) }
end

--- One row as plain data.
---@param row tandem.PlanRow
---@return table
local function record_of(row)
  local out = { load = row.load, kind = row.kind, state = row.state, count = row.count,
    with = row.with, setting = row.setting, figures = {},
    undecided = row.outcome and row.outcome.undecided or {},
    tested = {}, reason = row.reason, next_load = row.next_load }
  if row.outcome and not row.outcome.finished then out.finished = false end
  for _, figure in ipairs(row.figures or {}) do
    local record = figure_record(figure)
    record.value, record.margin = finite(record.value), finite(record.margin)
    out.figures[#out.figures + 1] = record
  end
  out.binding = row.binding and row.binding.label
  out.utilization, out.bottleneck = row.utilization, row.bottleneck
  if row.lost and row.lost > 0 then out.lost = row.lost end
  if row.bill then
    out.gpus, out.usd_per_hour, out.watts = row.bill.gpus, row.bill.usd_per_hour, row.bill.watts
    for _, one in ipairs(row.bill.workers) do
      out.workers = out.workers or {}
      out.workers[one.name] = { count = one.count, usd_per_hour = one.usd_per_hour }
    end
  end
  if row.fewer then
    out.one_fewer = fewer_record(row.fewer)
  end
  for _, number in ipairs(row.outcome and row.outcome.order or {}) do
    local one = row.outcome.trials[number]
    local binding = one.verdict and one.verdict.binding
    out.tested[#out.tested + 1] = { count = number, state = one.state,
      replications = one.replications, requests = one.requests,
      value = binding and finite(binding.value), half = binding and binding.half,
      label = binding and binding.label }
  end
  if row.pair then
    local function plain(one)
      local binding = one.trial.verdict and one.trial.verdict.binding
      return { count = one.count, with = one.with, state = one.trial.state,
        replications = one.trial.replications, requests = one.trial.requests,
        value = binding and finite(binding.value), half = binding and binding.half,
        label = binding and binding.label }
    end
    for i, one in ipairs(row.pair.tested) do out.tested[i] = plain(one) end
    out.undecided = {}
    for i, one in ipairs(row.pair.undecided) do out.undecided[i] = plain(one) end
    out.also = row.pair.corners
    local fewer = row.pair.fewer_with
    out.one_fewer_with = fewer and fewer_record(fewer)
  end
  local states = row.trial and row.trial.states
  if states then
    local rest = 1 - states.alone - states.several
    out.failures = { down = {}, episodes = states.alone + states.several }
    for i, chance in ipairs(states.chances) do out.failures.down[i] = rest * chance end
  end
  if row.knee then
    local knee = row.knee
    out.knee = { load = knee.load, beyond = knee.beyond, overload = knee.overload,
      binding = knee.binding and knee.binding.label,
      value = knee.binding and finite(knee.binding.value) }
  end
  out.doubt = require("tandem.plan.doubt").record(row)
  if row.sensitivity then
    out.sensitivity = {}
    for i, one in ipairs(row.sensitivity) do
      out.sensitivity[i] = { what = one.what, change = one.change, count = one.count,
        difference = one.difference, limiting = one.limiting, unsure = one.unsure }
    end
  end
  return out
end

--- All of it as plain data, schema tandem.plan/1.
---@return table
function methods:records()
  local q = self.question
  local out = { schema = SCHEMA, find = self.find, scenario = q.scenario.name, ok = self.ok,
    confidence = self.confidence, seed = q.seed, simulations = self.simulations,
    replications = self.replications, stopped = self.stopped, minimized = self.aim,
    counted = q.count, counted_with = q.pair and q.pair.count, limits = {}, rows = {}, best = {},
    notes = self.notes,
    cautions = self.cautions,
    sentences = require("tandem.plan.report").sentences(self) }
  for i, limit in ipairs(self.limits) do
    out.limits[i] = { label = limit.label, limit = limit.limit, implied = limit.implied,
      lower_limit = limit.least or nil }
  end
  local position = {}
  for i, row in ipairs(self.rows) do
    out.rows[i] = record_of(row)
    position[row] = i
  end
  for i, best in ipairs(self.best) do out.best[i] = best and position[best] or false end
  return out
end

--- As JSON, schema tandem.plan/1; ends with a line end.
---@return string
function methods:to_json()
  return require("tandem.io.json").encode(self:records(), { lists = lists }) .. "\n"
end

-- One row a load and kind.
local function columns_of(self)
  local head = { "load", "kind", "state", "count", "gpus", "usd_per_hour", "watts", "bottleneck",
    "utilization", "binding" }
  if self.question.pair then table.insert(head, 5, "with") end
  local list = {}
  local function add(name, get)
    local cells = {}
    for r, row in ipairs(self.rows) do cells[r] = get(record_of(row)) end
    list[#list + 1] = { name = name, cells = cells }
  end
  for _, key in ipairs(head) do add(key, function(record) return record[key] end) end
  local doubted = false
  for _, row in ipairs(self.rows) do doubted = doubted or row.doubt ~= nil end
  for _, key in ipairs(doubted and { "exact", "fast", "slow" } or {}) do
    add("model " .. key, function(record) return record.doubt and record.doubt[key] end)
  end
  for i, limit in ipairs(self.limits) do
    local function figure(key)
      return function(record) return record.figures[i] and record.figures[i][key] end
    end
    add(limit.label, figure "value")
    add(limit.label .. " ±", figure "half")
  end
  return list, #self.rows
end

--- As CSV: one row a load and kind.
---@return string
function methods:to_csv() return require("tandem.io.columns").csv(columns_of(self)) end

--- Into a file for data frames: FILE.parquet, FILE.arrow or FILE.csv, the columns of to_csv().
---@param path string
---@return true|nil written
---@return string|nil message
---@return integer|nil code
function methods:write(path) return require("tandem.io.columns").write(path, columns_of(self)) end

--- The table alone; prints itself.
---@return tandem.PrintableTable
function methods:table()
  return require("tandem.plan.table").of(self)
end

--- The whole answer in words.
---@param style? tandem.Style
---@return string
function methods:report(style)
  return require("tandem.plan.report").text(self, style)
end

local TITLES <const> = { load = "Highest load", best = "Cheapest" }

local function title_of(self)
  local q = self.question
  return TITLES[self.find] or q.setting and "Lowest " .. q.noun or ("Fewest %ss"):format(q.noun)
end

-- Counts over load, one line a kind.
local function counts_chart(self, spec)
  spec.step, spec.series = true, {}
  spec.x = { label = self.question.demand.unit == "users" and "users" or "requests/s" }
  spec.y = { label = self.question.noun .. (self.question.setting and "" or "s") }
  for _, kind in ipairs(self.question.kinds) do
    local series = { name = kind.name ~= "" and kind.name or nil, x = {}, y = {} }
    for _, row in ipairs(self.rows) do
      if row.choice == kind and row.demand.value then
        series.x[#series.x + 1] = row.demand.value
        series.y[#series.y + 1] = row.count or 0 / 0
      end
    end
    spec.series[#spec.series + 1] = series
  end
  return require("tandem.plot").lines(spec)
end

-- The highest load of each kind.
local function loads_chart(self, spec)
  spec.rows = {}
  spec.x = { label = self.question.demand.unit == "users" and "users" or "requests/s" }
  for _, row in ipairs(self.rows) do
    spec.rows[#spec.rows + 1] = { name = row.choice.name ~= "" and row.choice.name or spec.title,
      value = row.rps or 0, front = row == self.best[1] }
  end
  return require("tandem.plot").bars(spec)
end

-- What was simulated: its tightest limit over its cost.
local function choices_chart(self, spec)
  local names = { usd_per_hour = "$/h", watts = "W", gpus = "GPUs" }
  spec.x, spec.y = { label = names[self.aim] }, { label = "room to the tightest limit, %" }
  spec.points = {}
  for _, row in ipairs(self.rows) do
    local best = false
    for _, one in ipairs(self.best) do best = best or one == row end
    if row.binding then
      spec.points[#spec.points + 1] = { x = price(row, self.aim), y = 100 * row.binding.margin,
        name = row.choice.name, front = best }
    end
  end
  spec.limits = { { y = 0, label = "the limit" } }
  return require("tandem.plot").scatter(spec)
end

local CHARTS <const> = { gpus = counts_chart, load = loads_chart, best = choices_chart }

--- Draws the answer: counts over load, the highest loads, or room over cost.
---@param path? string  a file, whose ending says the form: .svg, .html, .csv, .txt
---@return tandem.Plot|boolean|nil plot  the plot, or whether it was written
---@return string|nil message
function methods:plot(path)
  local words = {}
  for i, limit in ipairs(limits.asked(self.limits)) do words[i] = limits.words(limit) end
  local plot = CHARTS[self.find](self, { subtitle = table.concat(words, ", "),
    title = ("%s: %s"):format(title_of(self), self.question.scenario.name) })
  if path == nil then return plot end
  return plot:save(path)
end

--- What was chosen for the highest load, as something to deploy: of LLM servers.
---@param form string  launch, kubernetes, keda, dynamo, dynamo-v1alpha1, llm-d, rules or grafana
---@return string|nil text
---@return string|nil message
function methods:deploy(form)
  local found, unknown = require("tandem.deploy").form(form)
  if not found then return nil, unknown end
  local ok, text = pcall(require("tandem.plan.deployed").text, self, found)
  if ok then return text end
  if type(text) == "table" and text.plan then return nil, text.plan end
  error(text, 0)
end

Answer.__tostring = function(self) return self:report() end

return answer
