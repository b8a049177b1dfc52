--- What examples of help on calls begin with, so that each can be copied and run as it stands.
--
-- Owns the first lines alone. capture.json.gz stands for a trace of the reader's; the specs put a
-- real one there.
local shared = {}

shared.NOTHING = "Raises nothing."
--- Of methods that read a store.
shared.STORE = "Raises where the store can no longer be read."
--- Of what writes a file where one is named.
shared.FILE = "Nil, a message and a code where the file cannot be written (4) or its ending says "
  .. "no form (2)."

--- A shipped scenario, cut so that it takes no time.
shared.BASE = 'local base = td.load "demo":with { duration = "2s", replications = 2 }'
--- One whose tails settle at once.
shared.QUICK = [[
local base = td.scenario "quick" { target = td.gpu "L40",
  workload = td.poisson { rps = 20, duration = "20s" },
  pipeline = { td.fixed "work" { time = "10ms" } } }]]
shared.RESULT = 'local result = td.load "demo":run { requests = 400, seed = 1 }'
shared.MEASURED = [[
local store = assert(td.store())
local run = assert(store:import "capture.json.gz")]]
shared.SIMULATED = [[
td.load "demo":run { requests = 200, replications = 1, store = "tandem.db" }
local store = assert(td.store "tandem.db")
local run = assert(store:run "last")]]
--- Two simulated runs.
shared.TWO = [[
local base = td.load "demo":with { requests = 200, replications = 1 }
base:run { store = "tandem.db" }
local store = assert(td.store "tandem.db")
local first = assert(store:run "last")
base:with { rps = 40 }:run { store = "tandem.db" }]]
--- Requests and stages of a capture whose first proposal is its only step.
shared.VISITS = shared.MEASURED .. [[

local map = assert(td.map.propose(run))[2].map
local visits = assert(run:visits(map))]]

--- A twin of a simulated server.
shared.TWIN = [[
local served = td.scenario "served" { target = td.gpu "H100 SXM",
  workload = td.poisson { rps = 8, duration = 200 },
  attrs = { prompt_tokens = 500, output_tokens = td.uniform(20, 200) },
  pipeline = { td.generate "answer" { model = td.llm "Llama-3.1-8B" } } }
assert(served:run { replications = 1, metrics = "m.prom" })
local twin = assert(td.twin { files = { "m.prom" }, gpu = "H100 SXM" })
]]

--- A rule of advice around a statement, run on a capture.
---@param statement string  may use view; sets found
---@return string
function shared.rule(statement)
  return [[
local file = assert(io.open("mine.lua", "w"))
file:write [=[
local td = require "tandem"
return td.advice "mine" { title = "Mine", looks_for = "an example", needs = {}, source = "me",
  what_to_do = "Nothing.", find = function(view)
    ]] .. statement .. [[

    return found and { { evidence = tostring(found) } } or {}
  end }]=]
file:close()
]] .. shared.MEASURED .. [[

print(run:advice { rules = "mine.lua" })]]
end

return shared
