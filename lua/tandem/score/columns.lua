--- How the tables of a score read: their titles and columns, by name.
--
-- Owns the description that tandem.Answer prints a score by. Used by init.lua.
local columns = require "tandem.analysis.columns"
local format = require "tandem.text.format"
local styles = require "tandem.plot.style"

local described = {}

local COLORS <const> = { within = "green", off = "red", ["cannot tell"] = "yellow",
  ["only real"] = "yellow", ["only simulated"] = "yellow" }

-- A sign before what is not nothing.
local function with_sign(value, text)
  if not text:find "[1-9]" then return text end
  return (value > 0 and "+" or "−") .. text
end

-- "+10.1 %": more digits than a change's three hide nothing of an interval.
local function signed(value) return with_sign(value, format.percent(math.abs(value))) end

local function signed_time(value)
  return value and with_sign(value, format.time(math.abs(value) / 1e9)) or ""
end

local function figure(value, row)
  if value == nil then return row.name == "overall" and "" or "–" end
  if row.unit == "ns" then return format.time(value / 1e9) end
  if row.unit == "1/s" then return format.rate(value) end
  if row.unit == "tok" or row.unit == "tok/s" then return ("%.0f %s"):format(value, row.unit) end
  if row.unit == "count" then return format.quantity(value, "count") end
  return format.percent(value)
end

local function interval(_, row)
  if not row.low then return row.kind ~= "overall" and row.says or "" end
  if row.low == row.high then return "exactly" end
  return ("%s to %s"):format(signed(row.low), signed(row.high))
end

local function right(name, title, show, more)
  local made = { name = name, title = title, align = "right", show = show }
  for key, value in pairs(more or {}) do made[key] = value end
  return made
end

local function change(name, title, more)
  return right(name, title, function(value) return value and signed(value) or "" end, more)
end

local function with_head(head, more)
  local made = { head = head }
  for key, value in pairs(more or {}) do made[key] = value end
  return made
end

-- A figure of both runs.
local function both(name, title, make, more)
  return make("real_" .. name, title .. " real", more),
    make("simulated_" .. name, "sim", with_head(title .. " simulated", more))
end

-- How far the simulated one is from the real one, beside both.
local function apart(name, title, more)
  return change(name .. "_difference", "", with_head(title .. " off by", more))
end

local function stage_columns()
  local made = { columns.text("name", "", { head = "stage" }),
    columns.text("lane", "lane", { optional = 6 }),
    columns.count("real_count", "visits", { head = "visits real", optional = 5 }),
    columns.count("simulated_count", "sim", { head = "visits simulated", optional = 5 }) }
  local function add(...)
    for _, column in ipairs { ... } do made[#made + 1] = column end
  end
  add(both("mean_ns", "mean", columns.time))
  add(apart("mean", "mean"))
  for i, level in ipairs { "p50", "p95", "p99" } do
    local more = { optional = level == "p95" and 4 or i }
    add(both(level .. "_ns", level, columns.time, more))
    add(apart(level, level, more))
  end
  add(both("wait_mean_ns", "wait", columns.time))
  add(apart("wait", "wait", { optional = 3 }))
  add(columns.number("ks", "KS", 3), columns.number("ks_p", "p", 3, { optional = 2 }),
    columns.time("wasserstein_ns", "W1", { optional = 2 }),
    columns.share("wasserstein_share", "of mean", { optional = 2 }))
  for _, level in ipairs { "mean", "p50", "p95", "p99", "wait" } do
    add({ name = level .. "_low", hidden = true }, { name = level .. "_high", hidden = true })
  end
  return made
end

local GATE_COLORS <const> = { fails = "red", holds = "green", undecided = "yellow" }

--- The tables of a score whose tolerance is `within`.
---@param within number
---@return table<string, tandem.AnalysisFrame>
function described.frames(within)
  local tolerance = format.percent(within)
  return {
    verdict = { title = "Verdict", columns = {
      columns.text("name", "", { head = "figure" }),
      { name = "kind", hidden = true }, { name = "unit", hidden = true },
      right("real", "real", figure), right("simulated", "simulated", figure),
      change("difference", "difference"), right("low", "interval", interval),
      { name = "high", hidden = true },
      { name = "verdict", show = function(value)
        return { text = value == "within" and "within " .. tolerance or value,
          color = COLORS[value] }
      end },
      { name = "says", hidden = true } } },
    gates = { title = "Gates", columns = { columns.text("gate"),
      { name = "verdict", show = function(value)
        return { text = value, color = GATE_COLORS[value] }
      end },
      columns.text("says", "the difference is"), { name = "value", hidden = true },
      { name = "low", hidden = true }, { name = "high", hidden = true },
      { name = "limit", hidden = true } } },
    stages = { title = "Stages: own time and waiting", columns = stage_columns() },
    requests = { title = "Error by request", columns = {
      columns.text("name", "", { head = "of" }), columns.count("count", "requests"),
      columns.time("mean_abs_ns", "mean |error|"), columns.share("mean_abs_share", "of mean"),
      columns.time("median_ns", "median"), columns.time("p95_ns", "p95"),
      right("bias_ns", "bias", signed_time),
      change("bias_share", "", { head = "bias of mean", optional = 1 }),
      columns.number("correlation", "correlation", 3) } },
    worst = { title = "The worst requests", columns = {
      columns.id("request", "request"), columns.id("id", "id", { hidden = true }),
      columns.time("real_ns", "real"), columns.time("simulated_ns", "simulated"),
      right("error_ns", "error", signed_time),
      columns.text("mostly", "mostly"),
      right("mostly_ns", "", signed_time, { head = "error of that" }) } },
    lanes = { title = "Lanes over the common time", columns = {
      columns.text("lane", "lane"), columns.share("real_busy", "busy real"),
      columns.share("simulated_busy", "sim", { head = "busy simulated" }),
      columns.number("real_in_service", "in service real", 3, { optional = 2 }),
      columns.number("simulated_in_service", "sim", 3,
        { head = "in service simulated", optional = 2 }),
      columns.count("simulated_servers", "servers", { optional = 3 }),
      columns.number("real_queue", "queue real", 3),
      columns.number("simulated_queue", "sim", 3, { head = "queue simulated" }),
      columns.count("real_queue_most", "most real", { optional = 1 }),
      columns.count("simulated_queue_most", "sim", { head = "most simulated", optional = 1 }),
      { name = "real_servers", hidden = true } } },
    throughput = { title = "Throughput", columns = {
      columns.text("of", "", { head = "run" }), columns.count("requests", "requests"),
      columns.count("served", "served"),
      right("arrivals_rps", "arrivals", format.rate),
      right("throughput_rps", "throughput", format.rate),
      right("span_s", "first arrival to last end", format.time) } },
    over_time = { title = "Over time", plain = true, columns = {
      columns.text("lane"), columns.number("at_s", "at", 6), columns.share("real_busy"),
      columns.share("simulated_busy"), columns.number("real_queue"),
      columns.number("simulated_queue") } },
  }
end

--- The verdict in one sentence.
---@param row table  the last line of the verdict
---@param within number
---@return string
function described.overall(row, within)
  return ("Overall %s: %s"):format(row.verdict == "within" and "within " .. format.percent(within)
    or row.verdict, row.says)
end

--- The two runs, above the tables.
---@param answer tandem.Score
---@param style tandem.Style
---@return string[]
function described.heading(answer, style)
  local lines = {}
  for i, side in ipairs { "a", "b" } do
    local one = answer.compared[side][1]
    lines[i] = style:text(("%-9s  %s  %s  %s"):format(i == 1 and "real" or "simulated", one.id,
      one.kind, styles.clean(one.name)))
  end
  lines[3] = ""
  for i, text in ipairs(styles.wrap(style:text(answer.description.about), style.width)) do
    lines[3 + i] = style:paint(text, COLORS[answer.verdict])
  end
  return lines
end

return described
