-- Faults planted into programs with known gains: `make accuracy CASE=planted`. The seed is of the
-- day unless PLANTED_SEED is set, PLANTED_COUNT cases are drawn (default: 1,000), and PLANTED_ONLY
-- narrows them to kinds whose name contains it. Bars: the first finding is right in 95 % of the
-- cases with faults, an end of what it claims is within a fifth of the truth in 90 %, what it
-- claims at least is above the truth in no more than 3 %, and 98 % of the clean ones have no
-- finding.
local judge = require "tests.accuracy.planted.judge"
local store_fixture = require "tests.spec.support.store_fixture"
local td = require "tandem"

local planted = {}

--- Judges one case in the store of a fixture, which stays open: each closing writes it out.
---@param stores tests.StoreFixture
---@param case tests.PlantedCase
---@return tests.PlantedVerdict
---@return tandem.Answer
function planted.judged(stores, case)
  local paths = judge.write(case, stores.directory)
  local words = table.move(paths, 1, #paths, 2, { "import" })
  local _, err, code = stores:tandem(table.unpack(words))
  assert(code == 0, err)
  stores.opened = stores.opened or assert(td.store(stores:path "a.db"))
  local run = assert(stores.opened:run "last")
  local answer = assert(run:advice())
  local verdict = judge.verdict(case, answer)
  for _, path in ipairs(paths) do os.remove(path) end
  return verdict, answer
end

local function share(part, whole) return whole > 0 and 100 * part / whole or 100 end

local function sum_of(into, verdict, clean)
  into.cases = into.cases + 1
  if verdict.right then into.right = into.right + 1 end
  if clean or not verdict.truth then return end
  into.claims = into.claims + 1
  if verdict.near then into.near = into.near + 1 end
  if verdict.above then into.above = into.above + 1 end
end

local function fresh() return { cases = 0, right = 0, claims = 0, near = 0, above = 0 } end

local function put(name, of)
  print(("  %-44.44s %5d %7.1f %% %7.1f %% %7.1f %%"):format(name, of.cases,
    share(of.right, of.cases), share(of.near, of.claims), of.claims > 0
      and share(of.above, of.claims) or 0))
end

--- Draws and judges; whether the bars hold.
function planted.run()
  local count = tonumber(os.getenv "PLANTED_COUNT") or 1000
  local seed = tonumber(os.getenv "PLANTED_SEED") or tonumber(os.date "%Y%m%d")
  local only, verbose = os.getenv "PLANTED_ONLY", os.getenv "PLANTED_VERBOSE"
  local by_kind, order, faulty, clean = {}, {}, fresh(), fresh()
  print(("  seed %d, %d cases"):format(seed, count))
  local stores = store_fixture.new()
  for number = 1, count do
    local case = judge.case(number, seed)
    local name = (#case.kinds == 2 and "two at once" or case.name) .. ", " .. case.format
    if not only or case.name:find(only, 1, true) then
      local verdict = planted.judged(stores, case)
      if not by_kind[name] then by_kind[name], order[#order + 1] = fresh(), name end
      sum_of(by_kind[name], verdict, #case.kinds == 0)
      sum_of(#case.kinds == 0 and clean or faulty, verdict, #case.kinds == 0)
      if verbose and not (verdict.right and verdict.near ~= false and not verdict.above) then
        local truths = {}
        for i, us in ipairs(case.truth) do truths[i] = ("%.1f %%"):format(100 * us / case.us) end
        print(("  %d %s (%s): true %s; first %s, claimed %.1f to %.1f %%"):format(number, case.name,
          case.format, table.concat(truths, ", "), verdict.first, 100 * (verdict.low or 0),
          100 * (verdict.high or 0)))
      end
    end
  end
  if stores.opened then stores.opened:close() end
  stores:remove()
  table.sort(order)
  print(("  %-44s %5s %9s %9s %9s"):format("", "cases", "right", "near", "above"))
  for _, name in ipairs(order) do put(name, by_kind[name]) end
  put("all with faults", faulty)
  put("all without", clean)
  return share(faulty.right, faulty.cases) >= 95 and share(faulty.near, faulty.claims) >= 90
    and faulty.above <= 0.03 * faulty.claims and share(clean.right, clean.cases) >= 98
end

return planted
