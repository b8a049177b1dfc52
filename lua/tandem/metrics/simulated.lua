--- What a server of a scenario would have exported, as instances: as if it had been scraped.
--
-- Owns the one run behind it and its file, which goes when it has been read. Called by twin and
-- score.
local metrics = require "tandem.metrics"

---@param scenario tandem.Scenario
---@param seed integer
---@param scrape number  seconds between two
---@return tandem.metrics.Instance[]|nil
---@return any message
---@return integer|nil code
return function(scenario, seed, scrape)
  local path = os.tmpname()
  local result, message, code = scenario:run { replications = 1, seed = seed, warmup = "none",
    metrics = path, scrape = scrape }
  local instances
  if result then instances, message, code = metrics.read { path } end
  os.remove(path)
  if not instances then return nil, message, code end
  return instances
end
