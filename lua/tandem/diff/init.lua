--- Two runs, or two sets of runs, put beside one another: what was added, removed, changed.
--
-- Owns `run:diff(other)`: which tables an answer has, which runs it takes, its gates. Counting is
-- src/analysis/diff's; figures of simulated runs are figures.lua's; verdicts gate.lua's. Called by
-- store/run.lua and cli/diff.lua.
local alike = require "tandem.diff.alike"
local answers = require "tandem.analysis.answer"
local described = require "tandem.diff.columns"
local gate = require "tandem.diff.gate"
local nearest = require "tandem.text.nearest"

local diff = {}

---@class tandem.Diff: tandem.Answer
---@field sides { a: tandem.Run[], b: tandem.Run[] }
---@field alike tandem.Alike  whether both do the same work, and over what they are compared
---@field says string[]       the same in words, and what it comes to

---@class tandem.DiffOptions: tandem.AnalysisFilter
---@field by? string          "kernel", "base", "category", "operator", "stage", "range", "call",
---                           "name"; several with commas. Default: all that both have
---@field within? string      only what began, or was asked for, while a range of this name was open
---@field b_within? string    the same of B, where its range is called otherwise
---@field whole? boolean      all that was recorded as it is, whatever work it holds; default: units
---                           of work where both do the same over and over
---@field iteration? integer  only this unit of work of both, from 1: the first after warm-up
---@field with? tandem.Run[]  more runs of A, repeats of it
---@field gate? string|string[]  conditions that must hold, as `tandem diff --gate` takes them

--- The table of a `by`.
local FRAMES <const> = { kernel = "kernels", base = "bases", category = "categories",
  operator = "operators", stage = "stages", range = "ranges", call = "calls", name = "names" }
--- In the order that help shows them.
local BYS <const> = { "kernel", "base", "category", "operator", "stage", "range", "call", "name" }
local USUAL <const> = { "category", "kernel", "stage", "operator", "range" }

local function description_of(over, says)
  return { title = "Diff", summary = "", about = table.concat(says, " "),
    frames = described.frames_of(over), heading = described.heading,
    page_title = described.page_title }
end

--- The name of the table of a `by`; of the first where several are given.
---@param by string
---@return string|nil
function diff.frame_of(by) return FRAMES[by:match "[^,%s]+"] end

-- ---- what was asked ----

local OWN <const> = { by = true, within = true, b_within = true, whole = true, with = true,
  gate = true, iteration = true }

local function split_options(given)
  local shared = require "tandem.analysis.options"
  local own, rest, names = {}, {}, { "by", "within", "b_within", "whole", "iteration", "with",
    "gate" }
  for _, option in ipairs(shared.filter) do names[#names + 1] = option.name end
  for name, value in pairs(given) do
    if OWN[name] then
      own[name] = value
    else
      local known = false
      for _, option in ipairs(shared.filter) do known = known or option.name == name end
      if not known then
        return nil, ("there is no option '%s'; %s"):format(tostring(name),
          nearest.hint(tostring(name), names))
      end
      rest[name] = value
    end
  end
  return own, rest
end

local function asked_bys(text)
  local list = {}
  for word in (text or ""):gmatch "[^,%s]+" do
    if not FRAMES[word] then
      return nil, ("by cannot be '%s'; %s"):format(word, nearest.hint(word, BYS))
    end
    list[#list + 1] = word
  end
  return list
end

local function asked_gates(given)
  local gates = {}
  for i, text in ipairs(type(given) == "string" and { given } or given or {}) do
    local one, message = gate.parse(text)
    if not one then return nil, message end
    gates[i] = one
  end
  return gates
end

local function is_simulated(runs)
  for _, run in ipairs(runs) do
    if run.kind ~= "simulated" then return false end
  end
  return true
end

local function has_no_spans(runs)
  for _, run in ipairs(runs) do
    if run.span_count == 0 then return true end
  end
  return false
end

-- ---- counting ----

---@class tandem.DiffCounter
---@field a tandem.View[]
---@field b tandem.View[]
---@field own tandem.DiffOptions
---@field filter tandem.AnalysisFilter
---@field known table<string, table>
---@field over "units"|"windows"
local Counter = {}
Counter.__index = Counter

local function views_of(runs, filter)
  local lacking = require("tandem.store.times").lacking(runs)
  if lacking then return nil, lacking, 1 end
  local views = {}
  for i, run in ipairs(runs) do
    local view, message, code = require("tandem.analysis.view").of(run, filter)
    if not view then return nil, message, code end
    views[i] = view
  end
  return views
end

-- The run that lacks the range it was asked for, and what it has; nil when all have theirs.
function Counter:lacks_range()
  for _, side in ipairs { "a", "b" } do
    local wanted = side == "b" and self.own.b_within or self.own.within
    for _, view in ipairs(wanted and self[side] or {}) do
      local names, has = {}, false
      for _, how in ipairs { "folded", "whole" } do
        local counted = view:count("ranges", { names = how })
        for _, row in ipairs(counted and counted.frames[1].rows or {}) do
          names[#names + 1], has = row.name or "", has or row.name == wanted
        end
      end
      if not has then
        return ("%s, run %s, has no range '%s'; %s"):format(side:upper(), view.run.id, wanted,
          #names > 0 and nearest.hint(wanted, names) or "it has none at all")
      end
    end
  end
end

-- What C counts by a word, over units of work or whole windows; remembered.
function Counter:by(word, over)
  over = over or self.over
  local key = word .. " " .. over
  if self.known[key] then return self.known[key] end
  local of = { a = {}, b = {} }
  for side, list in pairs(of) do
    for i, view in ipairs(self[side]) do list[i] = view.core end
  end
  local own = self.own
  local raw, message, code = require("tandem.core").diff(of.a, of.b, { by = word,
    over = over, unit = over == "units" and own.iteration or nil, a_within = own.within,
    b_within = own.b_within or own.within })
  if not raw then return nil, message, code end
  self.known[key] = raw
  return raw
end

local PEAK <const> = "SELECT max(value) AS bytes FROM counter WHERE run = ?"
  .. " AND name IN ('memory: total', 'memory: allocated')"

-- Peaks that counters tell, where allocations did not: of whole runs.
local function add_memory(rows, sides, counter)
  if counter.own.within or next(counter.filter) then return end
  for _, row in ipairs(rows) do
    if row.figure == "memory" then return end
  end
  local made = { figure = "memory", unit = "B" }
  for side, runs in pairs(sides) do
    local sum, known = 0, 0
    for _, run in ipairs(runs) do
      local row = run.store.db:one(PEAK, run.number)
      if row and row.bytes then sum, known = sum + row.bytes, known + 1 end
    end
    if known == #runs then made[side] = sum / known end
  end
  if not made.a and not made.b then return end
  if made.a and made.b and made.a > 0 then made.change = (made.b - made.a) / made.a end
  rows[#rows + 1] = made
end

-- ---- gates ----

-- A limit on B itself is one on all of it.
local function over_of(one) return not one.change and "windows" or nil end

local function measured_total(counter, sides, one)
  local raw, message, code = counter:by("total", over_of(one))
  if not raw then return nil, message, code end
  local rows = raw.frames[1] and raw.frames[1].rows or {}
  add_memory(rows, sides, counter)
  for _, row in ipairs(rows) do
    if row.figure == one.subject and row.a and row.b then return row end
  end
  return nil, ("%s: the runs do not tell it"):format(one.text), 3
end

local function measured_name(counter, one)
  local raw, message, code = counter:by(gate.named[one.subject], over_of(one))
  if not raw then return nil, message, code end
  local sum, squares, names = { a = 0, b = 0, unit = one.measure == "count" and "count" or "ns" },
    0, {}
  local of_a, of_b = "a_" .. one.measure, "b_" .. one.measure
  if one.measure ~= "count" then of_a, of_b = of_a .. "_ns", of_b .. "_ns" end
  if one.measure == "total" then of_a, of_b = "a_ns", "b_ns" end
  local found = 0
  for _, row in ipairs(raw.frames[1] and raw.frames[1].rows or {}) do
    local name = row.name or row.category
    if name == one.name then
      found = found + 1
      sum.a, sum.b = sum.a + (row[of_a] or 0), sum.b + (row[of_b] or 0)
      local half = row.half_ns
      -- Of as many instances on both sides the mean varies as the total over them.
      if one.measure == "mean" then
        half = row.a_count == row.b_count and half and half / row.a_count
      end
      squares = squares and half and squares + half ^ 2
      sum.df = math.min(sum.df or math.huge, row.df or math.huge)
      sum.repeats = row.repeats
    elseif #names < 1000 then
      names[#names + 1] = name
    end
  end
  if found == 0 then
    if #names == 0 then
      return nil, ("%s: %s"):format(one.text, table.concat(raw.cannot, "; ")), 3
    end
    return nil, ("%s: neither run has it; %s"):format(one.text,
      nearest.hint(one.name, names)), 2
  end
  if found > 1 and (one.measure == "mean" or one.measure == "p99") then
    return nil, ("%s: several categories have this name"):format(one.text), 2
  end
  if one.measure == "total" or one.measure == "mean" then
    sum.half = squares and math.sqrt(squares) or nil
  end
  if one.measure == "count" then sum.half = 0 end
  return sum
end

local function measured_figure(rows, one)
  local names = {}
  for _, row in ipairs(rows) do
    local name = row.scope == "run" and row.name or ("%s.%s"):format(row.subject, row.name)
    if name == one.subject and row.a and row.b then return row end
    names[#names + 1] = name
  end
  for name in pairs(gate.totals) do names[#names + 1] = name end
  table.sort(names)
  return nil, ("%s: there is no '%s' in both runs; %s"):format(one.text, one.subject,
    nearest.hint(one.subject, names)), 2
end

local function judge(gates, counter, sides, figure_rows, over)
  local rows = {}
  for i, one in ipairs(gates) do
    local measured, message, code
    local of = #sides.a > 1 and #sides.b > 1 and "runs" or "units of work"
    if one.name then
      measured, message, code = measured_name(counter, one)
    elseif gate.totals[one.subject] then
      measured, message, code = measured_total(counter, sides, one)
    else
      measured, message, code = measured_figure(figure_rows, one)
    end
    if not measured then return nil, message, code end
    measured.of = of
    rows[i], message = gate.judge(one, measured, over == "units" and not one.change)
    if not rows[i] then return nil, message, 2 end
    if over == "nothing" and one.change then
      rows[i].verdict, rows[i].says = "undecided", alike.NO_VERDICT
    end
  end
  return rows
end

-- ---- the answer ----

-- How many repeats would tell where a gate is undecided.
local function add_needs(raw)
  for _, frame in ipairs(raw.frames) do
    for _, row in ipairs(frame.name == "gates" and frame.rows or {}) do
      raw.basis[#raw.basis + 1] = gate.says_needs(row)
    end
  end
end

local function basis_of(sides, counted, over, iteration)
  local basis = {}
  if not counted or over == "nothing" then return basis end
  local repeats = #sides.a > 1 and #sides.b > 1
  if #sides.a > 1 or #sides.b > 1 then
    basis[1] = "counts and times are means over the runs of a side"
  end
  if repeats then
    basis[#basis + 1] = "significance: Welch's t test of the totals of the runs of both sides"
  elseif over == "units" and not iteration then
    basis[#basis + 1] = "significance: Welch's t test of the totals of the units of work of "
      .. "both sides"
    basis[#basis + 1] = "what drifts from run to run is not in it: give several runs a side"
  else
    basis[#basis + 1] = "significance: Welch's t test of the durations of a name's instances, "
      .. "taken as independent"
    basis[#basis + 1] = "what drifts from run to run is not in it: give several runs a side"
  end
  basis[#basis + 1] = "at most 5 % of what is called a change is one by chance (Benjamini-Hochberg)"
  return basis
end

local function name_frames(raw, counter, sides, own)
  local asked, message = asked_bys(own.by)
  if not asked then return nil, message, 2 end
  local usual = #asked == 0
  if usual and counter.refused then return true end
  local simulated = is_simulated(sides.a) and is_simulated(sides.b)
  for _, word in ipairs(usual and USUAL or asked) do
    if not (usual and word == "kernel" and simulated) then
      local counted, why, code = counter:by(word)
      if not counted then return nil, why, code end
      local frame = counted.frames[1]
      if frame then
        raw.frames[#raw.frames + 1] = { name = FRAMES[word], columns = frame.columns,
          rows = frame.rows }
      end
      for _, sentence in ipairs(counted.cannot) do
        if not usual or not sentence:find("^neither") then
          raw.cannot[#raw.cannot + 1] = ("%s: %s"):format(FRAMES[word], sentence)
        end
      end
    end
  end
  return true
end

-- Whether both do the same work; not asked of simulations, nor where a user says what is compared.
local function same_work(counter, sides)
  local own = counter.own
  if own.whole or own.within or (is_simulated(sides.a) and is_simulated(sides.b)) then
    return alike.of(nil)
  end
  local raw, message, code = counter:by "alike"
  if not raw then return nil, message, code end
  return alike.of(raw.frames[1].rows[1])
end

local function side_of(first, more)
  local runs = { first }
  table.move(more or {}, 1, #(more or {}), 2, runs)
  return runs
end

--- Puts runs B beside runs A.
---@param a tandem.Run[]
---@param b tandem.Run[]
---@param given? tandem.DiffOptions
---@return tandem.Diff|nil
---@return string|nil message
---@return integer|nil code
function diff.between(a, b, given)
  local own, filter = split_options(given or {})
  if not own then return nil, filter, 2 end
  local gates, wrong = asked_gates(own.gate)
  if not gates then return nil, wrong, 2 end
  local sides = { a = a, b = b }
  local raw = { frames = {}, basis = {}, cannot = {} }
  local counter = setmetatable({ own = own, filter = filter, known = {}, over = "windows" },
    Counter)
  for side, runs in pairs(sides) do
    local views, message, code = views_of(runs, filter)
    if not views then return nil, message, code end
    counter[side] = views
  end
  local same, message, code = same_work(counter, sides)
  if not same then return nil, message, code end
  if same.over == "units" then counter.over = "units" end
  counter.refused = same.over == "nothing"
  if own.iteration and same.over ~= "units" then
    return nil, "iteration: these runs do nothing over and over that could be counted; "
      .. "--within names a range", 3
  end
  local total
  total, message, code = counter:by "total"
  if not total then return nil, code == 3 and counter:lacks_range() or message, code end
  local rows = total.frames[1] and total.frames[1].rows or {}
  add_memory(rows, sides, counter)
  raw.frames[1] = { name = "totals", columns = total.frames[1] and total.frames[1].columns or {},
    rows = rows }
  if counter.refused then
    for _, row in ipairs(rows) do row.change, row.speedup, row.half = nil, nil, nil end
  end
  local figure_rows = require("tandem.diff.figures").rows(a, b)
  if #figure_rows > 0 then
    raw.frames[#raw.frames + 1] = { name = "figures", columns = {}, rows = figure_rows }
  end
  local lost = { a = has_no_spans(a), b = has_no_spans(b) }
  if lost.a or lost.b then
    raw.cannot[1] = ("by name: the spans of %s were not kept"):format(lost.a and lost.b
      and "both" or lost.a and "A" or "B")
  else
    local ok
    ok, message, code = name_frames(raw, counter, sides, own)
    if not ok then return nil, message, code end
  end
  if #gates > 0 then
    local judged
    judged, message, code = judge(gates, counter, sides, figure_rows, same.over)
    if not judged then return nil, message, code end
    table.insert(raw.frames, 2, { name = "gates", columns = {}, rows = judged })
  end
  raw.basis = basis_of(sides, not (lost.a or lost.b), same.over, own.iteration)
  add_needs(raw)
  local says = alike.sentences(same, rows, own.iteration)
  local made = answers.new("diff", description_of(same.over, says),
    { run = a[1], filter = filter }, raw)
  made.sides, made.alike, made.says = sides, same, says
  made.compared = { a = {}, b = {}, over = same.over, says = says }
  for side, runs in pairs(sides) do
    for i, run in ipairs(runs) do
      made.compared[side][i] = { id = run.id, kind = run.kind, name = run.name,
        spans = run.span_count, created_utc_ns = run.created_utc_ns }
    end
  end
  return made --[[@as tandem.Diff]]
end

--- `run:diff(other, options)`: other is a run, its id, or a list of runs.
---@param run tandem.Run
---@param other tandem.Run|string|tandem.Run[]
---@param options? tandem.DiffOptions
---@return tandem.Diff|nil
---@return string|nil message
---@return integer|nil code
function diff.of(run, other, options)
  if type(other) == "string" then
    local found, message, code = run.store:run(other)
    if not found then return nil, message, code end
    other = found
  end
  if other == nil then error("diff wants the other run", 2) end
  local more = options and options.with
  return diff.between(side_of(run, more), other[1] and other or { other }, options)
end

return diff
