--- How the tables and charts of a score of metrics read.
--
-- Owns the description that tandem.Answer prints it by. Used by scraped.lua.
local columns = require "tandem.analysis.columns"
local described = require "tandem.score.columns"
local format = require "tandem.text.format"

local scraped = {}

local WIDTH <const> = 540 -- two beside one another on a page
local OVER_TIME <const> = { "arrivals", "tokens_out", "running", "waiting", "kv_use", "ttft",
  "tpot" }
local TITLES <const> = { ttft = "TTFT", itl = "ITL", tpot = "TPOT", e2e = "E2E",
  queue = "Time in the queue", prompt = "Prompt tokens of a request",
  output = "Output tokens of a request", arrivals = "Arrivals",
  tokens_out = "Output tokens", running = "Requests that run", waiting = "Requests that wait",
  kv_use = "KV cache in use" }

local function frames(within)
  local made = described.frames(within)
  return { verdict = made.verdict, gates = made.gates,
    metrics = { title = "Bin by bin", columns = {
      columns.text("name", ""), { name = "kind", hidden = true },
      columns.count("bins", "bins"),
      columns.share("within", "within " .. format.percent(within)),
      columns.share("inside", "in range"), columns.number("apart", "shares differ by", 3) } },
    bounds = { title = "Shares at the bounds", plain = true, columns = {
      columns.text("name"), columns.number("bound", nil, 6), columns.share("real"),
      columns.share("simulated") } },
    over_time = { title = "Over time", plain = true, columns = {
      columns.text("name"), columns.text("unit"), columns.number("at_s", nil, 3),
      columns.number("real", nil, 6), columns.number("simulated", nil, 6),
      columns.number("low", nil, 6), columns.number("high", nil, 6) } } }
end

local function plots() return require "tandem.plot" end

-- Rows of a plain table by their figure, in order.
local function by_name(rows)
  local made, order = {}, {}
  for _, row in ipairs(rows) do
    if not made[row.name] then
      made[row.name] = {}
      order[#order + 1] = row.name
    end
    table.insert(made[row.name], row)
  end
  return made, order
end

local function shares(name, rows)
  local real, simulated = { name = "recorded", x = {}, y = {} },
    { name = "simulated", x = {}, y = {} }
  for i, row in ipairs(rows) do
    real.x[i], simulated.x[i] = row.bound, row.bound
    real.y[i], simulated.y[i] = row.real, row.simulated
  end
  local time = name ~= "prompt" and name ~= "output"
  return { title = TITLES[name] or name, chart = plots().lines { width = WIDTH,
    title = TITLES[name] or name, subtitle = "share of the requests at each bound of the histogram",
    x = { unit = time and "time" or nil, log = true },
    y = { unit = "%", min = 0, max = 1 }, series = { real, simulated } } }
end

local function over_time(name, rows)
  local unit, scale = rows[1].unit, rows[1].unit == "ns" and 1e-9 or 1
  local real = { name = "recorded", x = {}, y = {} }
  local simulated = { name = "simulated", x = {}, y = {}, low = {}, high = {} }
  for i, row in ipairs(rows) do
    local function at(value) return value and value * scale or 0 / 0 end
    real.x[i], simulated.x[i] = row.at_s, row.at_s
    real.y[i], simulated.y[i] = at(row.real), at(row.simulated)
    simulated.low[i], simulated.high[i] = at(row.low), at(row.high)
  end
  if not rows[1].low then simulated.low, simulated.high = nil, nil end
  return { title = TITLES[name], chart = plots().lines { width = WIDTH, title = TITLES[name],
    subtitle = rows[1].low and "the band is what the simulations range over" or nil,
    x = { label = "from the first bin", unit = "s" },
    y = { unit = unit == "ns" and "time" or unit == "" and "%" or unit ~= "count" and unit or nil,
      min = 0 },
    series = { real, simulated } } }
end

local function plots_of(score)
  local made = { require("tandem.score.charts").errors(score) }
  local bounds, order = by_name(score:frame "bounds".rows)
  for _, name in ipairs(order) do made[#made + 1] = shares(name, bounds[name]) end
  local over = by_name(score:frame "over_time".rows)
  for _, name in ipairs(OVER_TIME) do
    if over[name] then made[#made + 1] = over_time(name, over[name]) end
  end
  return made
end

--- The description of a score whose tolerance is `within` and whose last line of the verdict is
--- `last`.
---@param within number
---@param last table
---@return tandem.Analysis
function scraped.of(within, last)
  return { title = "Score", summary = "", heading = described.heading, plots = plots_of,
    frames = frames(within), about = described.overall(last, within) }
end

return scraped
