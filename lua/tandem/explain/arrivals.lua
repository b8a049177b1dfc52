--- What can be said of arrival processes before they run: rates, spread of the gaps, words.
-- Owns what groups change; what each kind promises is language/arrivals.lua's. Called by load.lua,
-- by plans and the store.

local moments = require "tandem.explain.moments"
local node = require "tandem.language.node"
require "tandem.language.arrivals"

---@class tandem.ArrivalRate
---@field rps? number       mean requests per second; nil for closed, and where it cannot be said
---@field peak_rps? number  the highest rate, where it moves
---@field cv2 number        squared coefficient of variation of the gaps
---@field poisson boolean
---@field groups? { size: number, cv2: number, poisson: boolean, approximate: boolean }  requests
---        that come together: E[X²]/E[X] of their number, and the gaps between groups
---@field users? integer
---@field think_s? number
---@field words string

local arrivals, expects = {}, {}

for _, spec in pairs(node.types) do
  if spec.kind then expects[spec.kind] = spec.expects end
end

--- What can be said of an arrival process before running it.
---@param process table
---@param duration? number  seconds
---@return tandem.ArrivalRate
function arrivals.rate(process, duration)
  local found = expects[process.kind](process, moments.of_distribution, duration)
  local size = process.batch and moments.of_distribution(process.batch)
  if size and found.rps then
    -- Requests that come together: the gaps inside a group are zero.
    found.rps = found.rps * size.mean
    if size.mean ~= 1 or size.var > 0 then
      -- How a random number is rounded is not said here.
      found.groups = { size = size.mean + size.var / size.mean, cv2 = found.cv2,
        poisson = found.poisson or false, approximate = size.approximate or size.var > 0 }
    end
    found.cv2, found.poisson = found.cv2 + size.mean, size.mean == 1 and found.poisson
    found.words = found.words .. ", in groups"
  end
  found.poisson = found.poisson or false
  return found
end

return arrivals
