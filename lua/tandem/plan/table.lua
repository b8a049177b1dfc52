--- The table of a plan's answer: which rows it shows, and their cells.
--
-- Owns the choice of rows where there are many, and the columns. Sentences are report.lua's, names
-- of amounts words.lua's. Called by plan/answer and plan/report.
local columns = require "tandem.report.columns"
local demand = require "tandem.plan.demand"
local format = require "tandem.text.format"
local styles = require "tandem.plot.style"
local words = require "tandem.plan.words"

local tables = {}

local function fewer_words(row)
  local fewer = row.fewer
  if row.tried then return row.state end
  if not fewer then return "–" end
  if fewer.open then return "not decided" end
  if fewer.unsettled or fewer.overload then
    return ("%s busy"):format(format.percent(fewer.utilization))
  end
  if fewer.state == "undecided" then return "undecided" end
  return fewer.binding and words.beyond(fewer.binding) or "–"
end

local STATES = { none = "none", stopped = "stopped" }

-- The rows to show: of many combinations the best, and those that come next in cost.
local MOST_SHOWN <const> = 12

local function shown_rows(answer)
  if answer.find ~= "best" then return answer.rows end
  local out = table.move(answer.rows, 1, #answer.rows, 1, {})
  local aim, position, rank, least = answer.aim, {}, {}, {}
  for i, row in ipairs(out) do position[row] = i end
  for _, best in ipairs(answer.best) do
    if best then rank[best], least[best.demand] = 0, best.bill[aim] end
  end
  for i, load in ipairs(answer.question.loads) do position[load] = i end
  table.sort(out, function(a, b)
    if a.demand ~= b.demand then return position[a.demand] < position[b.demand] end
    if rank[a] or rank[b] then return rank[a] ~= nil and not rank[b] end
    -- What is a little cheaper first, then what is dearer.
    local ca, cb = a.bill[aim] or math.huge, b.bill[aim] or math.huge
    local limit = least[a.demand] or 0
    if (ca <= limit) ~= (cb <= limit) then return ca <= limit end
    if ca ~= cb then
      if ca <= limit then return ca > cb end
      return ca < cb
    end
    return position[a] < position[b]
  end)
  local kept, count = {}, {}
  for _, row in ipairs(out) do
    count[row.demand] = (count[row.demand] or 0) + 1
    if count[row.demand] <= math.max(3, MOST_SHOWN // #answer.question.loads) then
      kept[#kept + 1] = row
    end
  end
  return kept
end

-- Configurations of a scenario without GPUs have no number of them.
local function number_of(row)
  if row.setting and row.shown == 0 then return "" end
  return row.count and tostring(row.shown or row.count) or row.tried and tostring(row.shown)
    or STATES[row.state]
end

local function table_rows(answer)
  local rows, q = {}, answer.question
  for i, row in ipairs(shown_rows(answer)) do
    local best = false
    for _, one in ipairs(answer.best) do best = best or one == row end
    local busy = row.utilization
    rows[i] = {
      answer.find == "load" and (row.rps and demand.words(row.rps, q.demand.unit) or "none")
        or row.demand.label,
      styles.clean(row.choice.name),
      { text = number_of(row),
        color = best and "bold" or not row.count and "red" or nil },
      row.binding and row.binding.label .. " " .. words.value(row.binding) or "",
      row.binding and format.percent(row.binding.margin) or "",
      busy and ("%s %s"):format(format.percent(busy), styles.clean(row.bottleneck or "")) or "",
      row.bill and (row.bill.gpus > 0 or #row.bill.workers > 0) and (row.bill.usd_per_hour
        and format.quantity(row.bill.usd_per_hour, "money") or "–") or "",
      row.bill and row.bill.gpus > 0 and row.bill.watts and ("%s W"):format(
        format.integer(row.bill.watts)) or "",
      answer.find == "load" and "" or fewer_words(row), best and "◀" or "" }
    if q.pair then table.insert(rows[i], 4, row.count and tostring(row.with) or "") end
  end
  return rows
end

--- The table of an answer.
---@param answer tandem.PlanAnswer
---@param style? tandem.Style
---@return tandem.PrintableTable
function tables.of(answer, style)
  local q = answer.question
  local titles = { { title = answer.find == "load" and "highest load" or "load", align = "right" },
    { title = q.find == "best" and "configuration" or "kind" },
    { title = q.setting and q.noun or q.noun .. "s", align = "right" },
    { title = "tightest limit" }, { title = "room", align = "right" },
    { title = "busiest", optional = 2 }, { title = "$/h", align = "right" },
    { title = "power", align = "right", optional = 3 },
    { title = answer.find == "gpus" and "one fewer" or answer.find == "best" and "verdict" or "",
      optional = 1 }, { title = "" } }
  if q.pair then table.insert(titles, 4, { title = q.pair.noun .. "s", align = "right" }) end
  local rows = table_rows(answer)
  return columns.printable(titles, rows, style or styles.detect(1))
end

return tables
