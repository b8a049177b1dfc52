--- What a server of a scenario would have exported, as instances: as if it had been scraped.
--
-- Under vLLM's names, which tell most, whatever the server is; or as another server has them.
--
-- Owns the one run behind it and its file, which goes when it has been read. Called by twin and
-- score.
local metrics = require "tandem.metrics"

---@param scenario tandem.Scenario
---@param seed integer
---@param scrape number  seconds between two
---@param of string|nil   whose names (vllm)
---@return tandem.metrics.Instance[]|nil
---@return any message
---@return integer|nil code
return function(scenario, seed, scrape, of)
  local file <close> = require("tandem.io.scratch").new()
  local result, message, code = scenario:run { replications = 1, seed = seed, warmup = "none",
    metrics = file.path, scrape = scrape, metrics_of = of or "vllm" }
  local instances
  if result then instances, message, code = metrics.read { file.path } end
  if not instances then return nil, message, code end
  return instances
end
