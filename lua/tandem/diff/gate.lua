--- Gates: conditions on what changed, for CI: "total<+3%", "kernel:gemm@p99<40us".
--
-- Owns their grammar and their verdicts. A gate fails where the change is beyond its limit at 99 %,
-- holds where it is within at 95 %, both one-sided, and is undecided between: the spread of the
-- repeats allows no verdict, and how many would is told. So of changes that are within at most 1 %
-- fail a gate, and of those that are beyond at most 5 % hold. What a subject measured is
-- tandem.diff's. The form of a condition and its limit are also those of the gates of scores
-- (score/gate.lua).
local core = require "tandem.core"
local format = require "tandem.text.format"
local units = require "tandem.units"

local gate = {}

---@class tandem.Condition
---@field text string
---@field left string       what stands before the sign
---@field op "<"|"<="|">"|">="
---@field relative boolean  the limit is a share of A
---@field signed boolean    the limit is written with its sign
---@field negative boolean
---@field number number|nil of a relative limit, or of one without unit, which is SI
---@field limit string      as written, without its sign

---@class tandem.Gate: tandem.Condition
---@field subject string    "total", "kernel", "latency.p99"
---@field name string|nil   of what the subject names: kernel:NAME
---@field measure string    "total", "mean", "p99", "count" of a name
---@field change boolean    the limit is held against the change, not against B

--- What can be gated by name, and the `by` of the diff that has it.
---@type table<string, string>
gate.named = { kernel = "kernel", base = "base", category = "category", operator = "operator",
  stage = "stage", range = "range", call = "call" }

gate.totals = { total = true, compute = true, busy = true, elapsed = true, work = true,
  memory = true }

local MEASURES <const> = { total = true, mean = true, p99 = true, count = true }

-- A name may have <, > and @ of its own: the last ones count.
local function subject_of(text)
  local kind, name = text:match "^(%a+):(.+)$"
  if not kind or not gate.named[kind] then
    return text:match "^p%d+$" and "latency." .. text or text
  end
  local plain, measure = name:match "^(.+)@(%w+)$"
  if plain and MEASURES[measure] then return kind, plain, measure end
  return kind, name, "total"
end

-- A sign, a number, a unit: letters, those of µ too.
local LIMIT <const> = "^([+-]?)%s*(%d*%.?%d+)%s*([%a%%/\xC2\xB5\xCE\xBC]*)%s*$"

--- A condition in its parts; nil when it is none.
---@param text string
---@return tandem.Condition|nil
function gate.split(text)
  local left, op, right = text:match "^%s*(.-)%s*([<>]=?)%s*([^<>=]+)$"
  local longer, last, rest = text:match "^%s*(.*%S)%s*([<>]=?)%s*([^<>=]+)$"
  if longer then left, op, right = longer, last, rest end
  local sign, number, unit
  if right then sign, number, unit = right:match(LIMIT) end
  if not left or left == "" or not number then return nil end
  local value = tonumber(number)
  if sign == "-" then value = -value end
  return { text = text, left = left, op = op, relative = unit == "%", signed = sign ~= "",
    number = unit == "%" and value / 100 or unit == "" and value or nil, limit = number .. unit,
    negative = sign == "-" }
end

--- A gate from its text.
---@param text string
---@return tandem.Gate|nil
---@return string|nil message
function gate.parse(text)
  local one = gate.split(text)
  if not one then
    return nil, ("a gate is SUBJECT<LIMIT, such as total<+3%%, kernel:gemm@p99<40us or "
      .. "throughput_rps>-5%%, not '%s'"):format(text)
  end
  local measure
  one.subject, one.name, measure = subject_of(one.left)
  one.measure, one.change = measure or "total", one.relative or one.signed
  return one --[[@as tandem.Gate]]
end

local HOLDS <const> = {
  ["<"] = function(x, limit) return x < limit end,
  ["<="] = function(x, limit) return x <= limit end,
  [">"] = function(x, limit) return x > limit end,
  [">="] = function(x, limit) return x >= limit end,
}

--- Does a value hold?
---@param op "<"|"<="|">"|">="
---@param value number
---@param limit number
---@return boolean
function gate.holds(op, value, limit) return HOLDS[op](value, limit) end

--- The limit in the unit of what was measured.
---@param one tandem.Condition
---@param unit string  "ns", "s", "B", or one without text
---@return number|nil
---@return string|nil message
function gate.limit_of(one, unit)
  if one.number then return unit == "ns" and not one.relative and one.number * 1e9 or one.number end
  local wanted = (unit == "ns" or unit == "s") and "s" or unit == "B" and "B" or nil
  if not wanted then return nil, ("%s: it has no unit"):format(one.text) end
  local value, message = units.as(one.limit, wanted)
  if not value then return nil, ("%s: %s"):format(one.text, message) end
  if one.negative then value = -value end
  return unit == "ns" and value * 1e9 or value
end

local function worded(value, unit)
  if unit == "ns" then return format.time(value / 1e9) end
  if unit == "s" then return format.time(value) end
  if unit == "B" then return format.bytes(value) end
  return format.quantity(value, "count")
end

--- The limit as people read it, to stand in a verdict; of a share the gate itself says it.
---@param one tandem.Condition
---@param limit number  gate.limit_of's
---@param unit string
---@return string
function gate.worded_limit(one, limit, unit)
  if one.relative then return "" end
  return (", limit %s%s"):format(one.signed and limit > 0 and "+" or "", worded(limit, unit))
end

-- One-sided probabilities of a verdict by chance, and what a half-width is of.
local FAILS_BY_CHANCE <const>, HOLDS_BY_CHANCE <const>, TWO_SIDED <const> = 0.01, 0.05, 0.025

-- How far a value may be off by chance, as a share of its half-width.
local function reach(chance, df)
  df = df and df < 1e6 and df or 1e6
  return core.stats.student_quantile(1 - chance, df)
    / core.stats.student_quantile(1 - TWO_SIDED, df)
end

-- So many repeats a side would most likely tell: standard errors shrink with their root.
local MOST_NEEDED <const> = 1000
local function needed(measured, distance, half)
  if not measured.repeats or distance == 0 then return nil end
  local sure = half * (reach(FAILS_BY_CHANCE) + reach(HOLDS_BY_CHANCE))
  local count = measured.repeats * (sure / distance) ^ 2
  return math.max(math.ceil(count), math.floor(measured.repeats) + 1)
end

-- "fails", "holds" or "undecided".
local function verdict_of(one, measured, value, limit, half)
  if measured.unsure then return "undecided" end
  local within = gate.holds(one.op, value, limit)
  if not half or half == 0 then return within and "holds" or "fails" end
  local chance = within and HOLDS_BY_CHANCE or FAILS_BY_CHANCE
  if math.abs(value - limit) <= half * reach(chance, measured.df) then return "undecided" end
  return within and "holds" or "fails"
end

-- What is held against the limit, and the half-width of its interval.
local function value_of(one, measured)
  local a, b = measured.a or 0, measured.b or 0
  if not one.change then return b, measured.b_half end
  if not one.relative then return b - a, measured.half end
  if a == 0 then return b == 0 and 0 or math.huge, nil end
  return (b - a) / math.abs(a), measured.half and measured.half / math.abs(a)
end

--- The verdict on a gate, as a row.
---@param one tandem.Gate
---@param measured { a: number|nil, b: number|nil, half: number|nil, b_half: number|nil,
---                  unit: string, df: number|nil, repeats: number|nil, of: string|nil }  repeats:
---                  observations a side, of: what they are
---@param whole? boolean  it is of all of B, though what is compared is units of work
---@return table|nil row  gate, verdict, value, limit, half, needs, says
---@return string|nil message
function gate.judge(one, measured, whole)
  local limit, message = gate.limit_of(one, measured.unit)
  if not limit then return nil, message end
  local value, half = value_of(one, measured)
  local verdict = verdict_of(one, measured, value, limit, half)
  local needs = verdict == "undecided" and half and needed(measured, math.abs(value - limit), half)
  local is = one.relative and format.change(value)
    or (one.change and value > 0 and "+" or "") .. worded(value, measured.unit)
  if value == math.huge then is = "new" end
  if whole and one.measure == "total" then is = is .. " in all" end
  local spread = half and (" ± %s"):format(one.relative and format.percent(half)
    or worded(half, measured.unit)) or ", no interval to judge it by"
  if half == 0 then spread = "" end
  return { gate = one.text, verdict = verdict, value = value, limit = limit, half = half,
    needs = needs or nil, of = needs and (measured.of or "runs") or nil,
    says = ("%s%s%s (%s → %s)"):format(is, spread, gate.worded_limit(one, limit, measured.unit),
      worded(measured.a or 0, measured.unit), worded(measured.b or 0, measured.unit)) }
end

--- How many repeats would most likely decide an undecided gate; nil where none is known to.
---@param row table  gate.judge's
---@return string|nil
function gate.says_needs(row)
  if not row.needs then return nil end
  return ("%s is undecided: %s %s a side would most likely tell"):format(row.gate,
    row.needs > MOST_NEEDED and "more than 1,000" or "about " .. format.integer(row.needs), row.of)
end

return gate
