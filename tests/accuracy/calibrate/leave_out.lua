-- Every configuration, GPU, model, engine and laboratory predicted from the others: errors, and how
-- often 90 % intervals hold. The points left out take no part in the estimate; effects of those
-- that do (derivatives) are taken at the estimate from all, which moves them by less than the
-- estimate's error. What stays when a GPU is left out are its operators, where tables have it.
-- Called by `make accuracy` and by run.lua, which refuses constants that lose to the rival.

local folds = require "tests.accuracy.calibrate.folds"
local pool = require "tests.accuracy.calibrate.pool"
local predict = require "tests.accuracy.observed.predict"
local requests = require "tests.accuracy.calibrate.requests"
local score = require "tests.accuracy.observed.score"

local leave_out = {}

local Z90 <const> = 1.645

leave_out.by = {
  { name = "a configuration", of = folds.of },
  { name = "a GPU", of = function(row) return row.gpu end },
  { name = "a model", of = function(row) return row.model end },
  { name = "an engine", of = function(row) return row.engine end },
  { name = "a laboratory", of = function(row) return row.set end },
}

--- Predicts all rows, each from the rows that are not of its group.
---@param rows table[]
---@param base_of fun(gpu: string, engine: string): tandem.llm.Constants
---@param group_of fun(row: table): any
---@param factors tests.FactorSpreads
---@return table[] answers  by row: tpot_s, ttft_s, throughput; of ln of the step's time deviation
---                  (of what is measured), unknown and constants (variances: Pooled:open), root;
---                  request, as requests.of has it
function leave_out.predict(rows, base_of, group_of, factors)
  local answers, groups, seen = {}, {}, {}
  for i, row in ipairs(rows) do
    local g = group_of(row)
    if not seen[g] then
      seen[g] = {}
      groups[#groups + 1] = g
    end
    table.insert(seen[g], i)
  end
  for _, g in ipairs(groups) do
    local others = {}
    for _, row in ipairs(rows) do
      if group_of(row) ~= g then others[#others + 1] = row end
    end
    local fit, constants = pool.solve(others, 2, factors), {}
    local asked = requests.of(others, base_of, fit)
    local handed = requests.handed(others, base_of, fit, asked)
    for _, i in ipairs(seen[g]) do
      local row = rows[i]
      local key = row.gpu .. "|" .. row.engine
      constants[key] = constants[key]
        or pool.apply(base_of(row.gpu, row.engine), fit:theta(row.gpu, row.engine))
      constants[key].factor = fit:factor(row)
      constants[key].request_s = asked[row.engine].value
      constants[key].handed_steps = handed
      answers[i] = predict.point(row.point, constants[key])
      answers[i].deviation = math.sqrt(fit:variance(row))
      answers[i].unknown, answers[i].constants = fit:open(row)
      answers[i].root = fit:root(row.gpu, row.engine)
      answers[i].request = asked[row.engine]
    end
  end
  return answers
end

---@class tests.Kinds
---@field of fun(row: table): string      whose members lie off together
---@field fold fun(row: table): any       which of them are left out at once

---@type tests.Kinds
leave_out.architectures = { of = function(row) return pool.architecture(row.gpu) end,
  fold = function(row) return pool.architecture(row.gpu) end }
---@type tests.Kinds
leave_out.models = { of = function(row) return row.model end,
  fold = function(row) return folds.of { configuration = row.model } end }

--- How far kinds of deployments lie from what the others say: root of the mean square over kinds of
--- ln(measured / predicted), each configuration counting once.
---@param rows table[]
---@param base_of fun(gpu: string, engine: string): tandem.llm.Constants
---@param factors tests.FactorSpreads
---@param kinds tests.Kinds
---@return number
function leave_out.far(rows, base_of, factors, kinds)
  local answers, by, names = leave_out.predict(rows, base_of, kinds.fold, factors), {}, {}
  for i, row in ipairs(rows) do
    local p, a, name = row.point, answers[i], kinds.of(row)
    local far = p.tpot_s and math.log(p.tpot_s / a.tpot_s) or math.log(a.throughput / p.throughput)
    if not by[name] then
      by[name] = {}
      names[#names + 1] = name
    end
    local c = by[name][row.configuration] or { 0, 0 }
    by[name][row.configuration] = c
    c[1], c[2] = c[1] + far, c[2] + 1
  end
  local squares = 0
  for _, name in ipairs(names) do
    local sum, count = 0, 0
    for _, c in pairs(by[name]) do sum, count = sum + c[1] / c[2], count + 1 end
    squares = squares + (sum / count) ^ 2
  end
  return math.sqrt(squares / #names)
end

local function points_of(rows)
  local list = {}
  for i, row in ipairs(rows) do list[i] = row.point end
  return list
end

--- Share of rows whose measured value is inside, each configuration counting once, and the median
--- half-width.
local function coverage(rows, answers, wanted)
  local by, widths, inside, count = {}, {}, 0, 0
  for i, row in ipairs(rows) do
    local p, a = row.point, answers[i]
    if not wanted or wanted(row) then
      local far = p.tpot_s and math.log(p.tpot_s / a.tpot_s)
        or math.log(a.throughput / p.throughput)
      local c = by[row.configuration] or { 0, 0 }
      by[row.configuration] = c
      c[1], c[2] = c[1] + (math.abs(far) <= Z90 * a.deviation and 1 or 0), c[2] + 1
      widths[#widths + 1] = math.exp(Z90 * a.deviation) - 1
    end
  end
  for _, c in pairs(by) do inside, count = inside + c[1] / c[2], count + 1 end
  table.sort(widths)
  return 100 * inside / math.max(1, count), 100 * (widths[(#widths + 1) // 2] or 0), count
end

local function cell(s)
  return s and ("%5.1f /%5.1f /%+5.1f /%4.0f"):format(s.mean, s.median, s.bias, s.p90)
    or "                      "
end

--- One line of the table; the groups of its errors for more.
---@return table groups
function leave_out.line(name, rows, answers)
  local groups = score.errors(points_of(rows), answers)
  local all = groups["0all"]
  local held, width = 0, 0
  if answers[1].deviation then held, width = coverage(rows, answers) end
  print(("%-38s  %s   %s   %s   %s"):format(name, cell(score.summary(all.tpot_s)),
    cell(score.summary(all.ttft_s)), cell(score.summary(all.throughput)),
    answers[1].deviation and ("%3.0f %% / %2.0f %%"):format(held, width) or ""))
  return groups
end

function leave_out.head()
  print(("%-38s  %-23s   %-23s   %-23s   %s"):format("mean / median / bias / p90 of errors, %",
    "TPOT", "median TTFT", "tokens/s", "90 % holds / half-width"))
end

--- Coverage by GPU and engine, for groups of at least five configurations.
function leave_out.by_group(rows, answers)
  for _, key in ipairs { "gpu", "engine", "set" } do
    local names, parts = {}, {}
    for _, row in ipairs(rows) do names[row[key]] = true end
    local sorted = {}
    for name in pairs(names) do sorted[#sorted + 1] = name end
    table.sort(sorted)
    for _, name in ipairs(sorted) do
      local held, width, count = coverage(rows, answers,
        function(row) return row[key] == name end)
      if count >= 5 then parts[#parts + 1] = ("%s %.0f/%.0f"):format(name, held, width) end
    end
    print("  holds / half-width by " .. key .. ": " .. table.concat(parts, ", "))
  end
end

return leave_out
