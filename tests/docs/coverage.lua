-- The manual's picture of how often intervals hold the truth, from the counts that
-- COVERAGE_CSV=FILE make accuracy CASE=coverage
-- keeps; several files are added up:
--
--   build/tandem lua tests/docs/coverage.lua FILE… > scenarios/img/coverage.svg
--
-- A cell is a figure of a system over all lengths and numbers of replications; hatched where too
-- few intervals were printed to tell.

local plot = require "tandem.plot"

local FIGURES <const> = { "mean", "p50", "p90", "p95", "p99", "p999", "in_system", "throughput_rps",
  "utilization", "goodput_rps", "slo_met", "TTFT p99", "TPOT p99", "ITL p99" }
local NAMES <const> = { p999 = "p99.9", in_system = "inside", throughput_rps = "served",
  utilization = "busy", goodput_rps = "goodput", slo_met = "in time", ["TTFT p99"] = "TTFT",
  ["TPOT p99"] = "TPOT", ["ITL p99"] = "ITL" }
local ENOUGH <const> = 40

local function figure_of(path)
  local time = path:match "^llm%.1%.(%a+)%.p99$"
  if time then return time:upper() .. " p99" end
  return not path:find "^llm" and not path:find "^classes" and path:match "[%w_]+$" or nil
end

local systems, cells, printed, held = {}, {}, 0, 0
for _, path in ipairs { ... } do
  for line in io.lines(path) do
    local system, name, numbers = line:match "^([^,]+),%d+,%d+,([^,]+),%d+,(%d+,%d+),%d+$"
    local figure = name and figure_of(name)
    if figure then
      if not cells[system] then systems[#systems + 1], cells[system] = system, {} end
      local all, hits = numbers:match "(%d+),(%d+)"
      local cell = cells[system][figure] or { 0, 0 }
      cells[system][figure] = { cell[1] + all, cell[2] + hits }
      printed, held = printed + all, held + hits
    end
  end
end

local values, titles = {}, {}
for i, figure in ipairs(FIGURES) do titles[i] = NAMES[figure] or figure end
for row, system in ipairs(systems) do
  values[row] = {}
  for i, figure in ipairs(FIGURES) do
    local cell = cells[system][figure]
    values[row][i] = cell and cell[1] >= ENOUGH and math.floor(1000 * cell[2] / cell[1] + 0.5) / 10
      or 0 / 0
  end
end
local chart = plot.heatmap { title = "How often 95 % intervals hold the truth",
  subtitle = ("percent, of %s printed intervals; hatched: too few"):format(
    require("tandem.text.format").integer(printed)),
  x = { values = titles }, y = { values = systems }, values = values, min = 80, max = 100 }
io.write(chart:svg())
