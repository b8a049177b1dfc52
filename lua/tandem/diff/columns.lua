--- How the tables of a diff read: their titles and columns, by name.
--
-- Owns the description that tandem.Answer prints a diff by. Used by tandem.diff.
local columns = require "tandem.analysis.columns"
local figures = require "tandem.diff.figures"
local format = require "tandem.text.format"
local styles = require "tandem.plot.style"

local described = {}

local STATE_COLORS <const> = { added = "yellow", removed = "yellow", same = "dim",
  undecided = "dim" }

local function signed_time(value)
  if value == 0 then return "0" end
  return (value > 0 and "+" or "") .. format.time(value / 1e9)
end

-- A change that the spread of the repeats explains is told so.
local function change_cell(value, row)
  if row.state == "added" or row.state == "removed" then
    return { text = row.state, color = STATE_COLORS[row.state] }
  elseif row.state == "same" and value and value ~= 0 then
    return { text = "within the noise", color = "dim" }
  end
  return { text = format.change(value), color = STATE_COLORS[row.state] }
end

-- What the noise explains is one sentence, where there is anything else or a lot of it.
local FEW <const> = 3
local function brief(rows)
  local told, noise, change_ns = {}, 0, 0
  for _, row in ipairs(rows) do
    if row.state == "same" then
      noise, change_ns = noise + 1, change_ns + (row.change_ns or 0)
    else
      told[#told + 1] = row
    end
  end
  if noise <= FEW then return rows end
  return told, ("%s%s within the noise, %s in all (--limit 0 shows them)"):format(
    format.integer(noise), #told > 0 and " more are" or " rows, all", signed_time(change_ns))
end

local function right(name, title, show, more)
  local made = { name = name, title = title, align = "right", show = show }
  for key, value in pairs(more or {}) do made[key] = value end
  return made
end

-- How often, a unit of work. What comes once in several units is no 0 beside its time.
local function count(side)
  return right(side .. "_count", side:upper() .. " count", function(value, row)
    local time_ns, mean_ns = row[side .. "_ns"], row[side .. "_mean_ns"]
    local exact = mean_ns and mean_ns > 0 and time_ns and time_ns / mean_ns or value
    if value < FEW and math.abs(exact - value) > 0.05 then return ("%.2g"):format(exact) end
    return math.type(value) == "integer" and format.integer(value)
      or format.quantity(value, "count")
  end, { optional = 1 })
end

local function names()
  return { right("change_ns", "change", signed_time),
    right("change", "", change_cell, { head = "relative" }),
    columns.time("a_ns", "A time"), columns.time("b_ns", "B time"),
    count "a", count "b",
    columns.time("a_mean_ns", "A mean", { optional = 2 }),
    columns.time("b_mean_ns", "B mean", { optional = 2 }),
    columns.time("a_p99_ns", "A p99", { hidden = true }),
    columns.time("b_p99_ns", "B p99", { hidden = true }),
    columns.time("half_ns", "±", { hidden = true }),
    columns.number("p", "p", 4, { hidden = true }),
    { name = "significant", hidden = true }, { name = "state", hidden = true },
    { name = "df", hidden = true }, { name = "repeats", hidden = true },
    columns.text("category", "category"), columns.text("name", "name") }
end

local function named(title) return { title = title, columns = names(), brief = brief } end

local LABELS <const> = { total = "GPU time", compute = "computing alone", busy = "GPU busy",
  elapsed = "elapsed on GPUs", work = "pieces of GPU work", memory = "peak memory" }

local function total_cell(value, row)
  if value == nil then return "–" end
  if row.unit == "ns" then return format.time(value / 1e9) end
  if row.unit == "B" then return format.bytes(value) end
  return format.integer(math.floor(value + 0.5))
end

local function total_change(value, row)
  local noise = row.half and row.a and math.abs(row.b - row.a) <= row.half and row.a ~= row.b
  if noise then return { text = "within the noise", color = "dim" } end
  return format.change(value)
end

local VERDICTS <const> = { fails = "red", holds = "green", undecided = "yellow" }

---@type table<string, tandem.AnalysisFrame>
local frames <const> = {
  totals = { title = "In all", columns = {
    { name = "figure", title = "", head = "figure", words = LABELS,
      show = function(value) return LABELS[value] or value end },
    { name = "unit", hidden = true }, right("a", "A", total_cell), right("b", "B", total_cell),
    right("change", "change", total_change), { name = "half", hidden = true },
    right("speedup", "speedup", function(value)
      return value and ("%.3g×"):format(value) or ""
    end), { name = "df", hidden = true }, { name = "repeats", hidden = true } } },
  figures = { title = "Figures", columns = figures.columns },
  gates = { title = "Gates", columns = { columns.text("gate"),
    { name = "verdict", show = function(value)
      return { text = value, color = VERDICTS[value] }
    end },
    columns.text("says", "it is"), { name = "value", hidden = true },
    { name = "limit", hidden = true }, { name = "half", hidden = true },
    { name = "needs", hidden = true }, { name = "of", hidden = true } } },
  categories = named "By category",
  kernels = named "GPU work by name",
  bases = named "GPU work by function",
  stages = named "Stages",
  operators = named "Operators, time on the host",
  ranges = named "Ranges and annotations, time on the host",
  calls = named "CUDA API calls",
  names = named "By category and name",
}

--- The tables; what they are of stands in their titles.
---@param over "units"|"windows"|"nothing"
---@return table<string, tandem.AnalysisFrame>
function described.frames_of(over)
  if over ~= "units" then return frames end
  local of_units = {}
  for name, frame in pairs(frames) do
    local title = name == "totals" and "A unit of work" or name ~= "gates" and name ~= "figures"
      and frame.title .. ", a unit of work" or frame.title
    of_units[name] = { title = title, columns = frame.columns, brief = frame.brief }
  end
  return of_units
end

--- The rows of the table of totals in words.
---@param rows table[]
---@return { figure: string, a: string, b: string, change: string }[]
function described.totals_in_words(rows)
  local out = {}
  for i, row in ipairs(rows) do
    local change = total_change(row.change, row)
    out[i] = { figure = LABELS[row.figure] or row.figure, a = total_cell(row.a, row),
      b = total_cell(row.b, row), change = type(change) == "table" and change.text
        or tostring(change) }
  end
  return out
end

--- Both sides, for the title of a page.
---@param answer tandem.Diff
---@return string
function described.page_title(answer)
  local function side(runs)
    local list = {}
    for i, run in ipairs(runs) do list[i] = run.name end
    return table.concat(list, ", ")
  end
  return ("Diff: %s → %s"):format(side(answer.sides.a), side(answer.sides.b))
end

--- The runs of both sides, above the tables, and whether they do the same work.
---@param answer tandem.Diff
---@param style tandem.Style
---@return string[]
function described.heading(answer, style)
  local lines = {}
  for _, side in ipairs { "a", "b" } do
    for _, run in ipairs(answer.sides[side]) do
      local when = require("tandem.store.list").moment(run.created_utc_ns)
      lines[#lines + 1] = style:text(("%s  %s  %s  %s%s"):format(side:upper(), run.id, run.kind,
        styles.clean(run.name), when and "  " .. when or ""))
    end
  end
  for i, sentence in ipairs(answer.says) do
    if i == 1 then lines[#lines + 1] = "" end
    for _, line in ipairs(styles.wrap(style:text(sentence), style.width - 2)) do
      lines[#lines + 1] = answer.alike.over == "nothing" and style:paint(line, "yellow") or line
    end
  end
  return lines
end

return described
