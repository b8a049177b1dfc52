--- What the servers of a run would have exported to a Prometheus: the options that the core takes
--- for it, and which runs it is not known for.
-- Counting, names and writing are src/trace/metrics's. Called by scenario:run.

local pools = require "tandem.llm.pools"

local metrics = {}

local SCRAPE_S <const> = 15
local START_S <const> = 1767225600 -- 2026-01-01, where the run's time 0 is

-- Why a server's metrics would not be what a real one's are. Nil: they are.
local function foreign(planned)
  local step = planned.step
  if step.handover then
    return "has prefill and decode replicas, whose metrics are those of two servers"
  elseif step.autoscale then
    return "scales by itself: its replicas have no metrics of their own before they are there"
  end
  for _, pool in ipairs(planned.pools) do
    if pool.shape.mtbf or pool.gpu and pool.gpu.mtbf then
      return "fails now and then, which makes real counters begin anew"
    elseif pool.shape.engine.batching and pool.shape.engine.batching ~= "continuous" then
      return "makes batches that wait, which no server has metrics of"
    end
  end
end

--- The core's option; nil and why there is none.
---@param checked table        a checked scenario
---@param path string          the file
---@param scrape number|nil    seconds between two scrapes (15)
---@param of string|nil       whose names (each server's own; vLLM's where none is said)
---@return table|nil
---@return string|nil why
function metrics.options(checked, path, scrape, of)
  local planned, servers = pools.plan(checked), {}
  if #planned == 0 then
    return nil, "metrics are those of LLM servers, and the scenario has no td.generate"
  end
  for _, server in ipairs(planned) do
    local why = foreign(server)
    if why then
      return nil, ("no metrics are written of \"%s\": it %s"):format(server.name, why)
    end
    servers[server.name] = { model = server.step.model and server.step.model.name,
      dialect = of or server.pools[1].shape.engine.server }
  end
  return { path = path, scrape_s = scrape or SCRAPE_S, utc_s = START_S, servers = servers }
end

return metrics
