--- A Grafana dashboard: a plan's objectives, with their limits, over the live metrics.
--
-- Owns the dashboard's JSON (the classic layout, which every Grafana since 10 imports). What is
-- asked is rules.lua's.
local json = require "tandem.io.json"
local rules = require "tandem.deploy.rules"

local grafana = {}

local WIDTH <const>, HEIGHT <const> = 12, 8 -- two panels a row of 24

local function source() return { type = "prometheus", uid = "${DS}" } end

local function threshold(limit, below)
  local steps = { { color = "green" } }
  if limit then steps[2] = { color = below and "blue" or "red", value = limit } end
  return { mode = "absolute", steps = json.list(steps) }
end

-- A panel at its number: targets are { expression, legend }.
local function panel(number, title, unit, targets, limit, below)
  local asked = {}
  for i, target in ipairs(targets) do
    asked[i] = { refId = string.char(64 + i), expr = target[1], legendFormat = target[2],
      datasource = source() }
  end
  return { id = number, type = "timeseries", title = title, datasource = source(),
    gridPos = { x = (number - 1) % 2 * WIDTH, y = (number - 1) // 2 * HEIGHT, w = WIDTH,
      h = HEIGHT },
    targets = json.list(asked),
    fieldConfig = { defaults = { unit = unit, thresholds = threshold(limit, below),
      custom = { thresholdsStyle = { mode = limit and "line" or "off" } } },
      overrides = json.list {} } }
end

local function panels_of(deployed)
  local out = {}
  local function add(...) out[#out + 1] = panel(#out + 1, ...) end
  for _, one in ipairs(deployed.objectives) do
    local server = rules.server_of(deployed, one)
    local figure = rules.figure(server, one)
    if figure then
      add(("%s: %s"):format(one.server, one.metric), "s", { { figure, one.metric } }, one.limit)
    end
  end
  for _, server in ipairs(deployed.servers) do
    local most, target = 0, nil
    for _, pool in ipairs(server.pools) do
      most = most + pool.replicas
      target = target or pool.scaling and pool.scaling.target
    end
    add(server.name .. ": load, and what was planned for", "reqps",
      { { rules.over_all(server, "finished"), "finished" } }, deployed.load, true)
    add(server.name .. ": requests in its replicas", "short", {
      { rules.over_all(server, "running"), "running" },
      { rules.over_all(server, "waiting"), "waiting" } }, target and target * most, true)
    add(server.name .. ": fullest KV cache", "percentunit",
      { { rules.over_all(server, "kv"), "KV cache" } }, 0.95)
    add(server.name .. ": output tokens", "short",
      { { rules.over_all(server, "tokens"), "tokens/s" } })
  end
  return out
end

--- The dashboard.
---@param deployed tandem.Deployed
---@return string
function grafana.text(deployed)
  return json.encode({ title = deployed.name .. " against its plan", uid = "tandem-"
      .. deployed.name:sub(1, 33), schemaVersion = 39, refresh = "30s", editable = true,
    tags = json.list { "tandem" }, description = table.concat(deployed.words, "\n"),
    time = { from = "now-6h", to = "now" },
    templating = { list = json.list { { name = "DS", label = "Prometheus", type = "datasource",
      query = "prometheus" } } },
    panels = json.list(panels_of(deployed)) }, { indent = 2 }) .. "\n"
end

return grafana
