-- What things cost: prices of a scenario, of the command line and of files, and where they count.
local bill = require "tandem.scenario.bill"
local price_file = require "tandem.scenario.price_file"
local prices = require "tandem.scenario.prices"
local td = require "tandem"

local function base(changes)
  local body = {
    workload = td.poisson { rps = 100, requests = 2000 }, cpu = { workers = 40 },
    target = td.gpu "L4" { count = 3 },
    pipeline = { td.fixed "pre" { time = "20ms" },
      td.stage "s" { on = "gpu", cost = td.exponential "10ms" } },
    slo = { p99 = "150ms" },
  }
  for key, value in pairs(changes or {}) do body[key] = value end
  return td.scenario "priced" (body)
end

local function usd(changes) return bill.of(base(changes)).usd_per_hour end

local function wrong(changes)
  local ok, problems = pcall(base, changes)
  assert.is_false(ok)
  return (tostring(problems):gsub("\n.*", ""))
end

describe("prices", function()
  it("are dollars an hour, however they are written", function()
    for text, wanted in pairs { ["0.8"] = 0.8, ["0.8$/h"] = 0.8, ["$0.80/h"] = 0.8, ["$0.8"] = 0.8,
      ["0.8$"] = 0.8, ["19.2$/d"] = 0.8, ["0.8USD/h"] = 0.8, [" 0.8 $/h "] = 0.8 } do
      assert.near(wanted, assert(prices.hourly(text), text), 1e-12)
    end
    assert.equal(2, prices.hourly(2))
    for text, words in pairs { ["0"] = "must be more than 0", ["-1"] = "must be more than 0",
      ["0.8€/h"] = "prices are in dollars", ["0.8EUR/h"] = "convert EUR first",
      ["2ms"] = "is a time; wanted a price", ["nan"] = "not a quantity", ["1e9"] = "1,000,000",
      ["2$/month"] = "unknown unit 'month'", [""] = "not a quantity" } do
      local value, problem = prices.hourly(text)
      assert.is_nil(value, text)
      assert.truthy(problem:find(words, 1, true), problem)
    end
    assert.is_nil((prices.hourly(0 / 0)))
    assert.is_nil((prices.hourly {}))
  end)

  it("go before those of the GPU and of the catalogue", function()
    assert.near(3 * 0.8, usd(), 0.1)
    assert.near(6, usd { target = td.gpu "L4" { count = 3, price = "2$/h" } }, 1e-9)
    assert.near(9, usd { target = td.gpu "L4" { count = 3, price = "2$/h" },
      prices = { L4 = 3 } }, 1e-9)
    -- However a name is spelt, and for costs that read it.
    assert.near(9, usd { prices = { ["nvidia l4"] = "3$/h" } }, 1e-9)
    assert.near(3, base { prices = { l4 = 3 } }.target.price * 3600, 1e-9)
    local h100 = base { prices = { H100 = 3, L4 = 1 } }:with { gpu = "H100 SXM" }
    assert.near(9, bill.of(h100).usd_per_hour, 1e-9)
  end)

  it("are of CPU workers and servers of pools, too", function()
    assert.near(3 + 40 * 0.05, usd { prices = { L4 = 1, cpu = 0.05 } }, 1e-9)
    -- 40 workers of machines with 32 are two machines.
    local one = bill.of(base { prices = { L4 = 1, cpu = { "1.5$/h", per = 32 } } })
    assert.near(3 + 3, one.usd_per_hour, 1e-9)
    assert.same({ { name = "cpu", count = 40, usd_per_hour = 3 } }, one.workers)
    local pools = { resources = { td.pool "tokenizers" { servers = 4 } },
      pipeline = { td.stage "t" { on = "tokenizers", cost = "1ms" } },
      prices = { L4 = 1, tokenizers = 0.25 } }
    assert.near(4, usd(pools), 1e-9)
    local endless = bill.of(td.scenario "endless" { workload = td.poisson { rps = 1, requests = 9 },
      pipeline = { td.fixed "pre" { time = "20ms" } }, prices = { cpu = 1 } })
    assert.same({ "cpu", 0 }, { endless.unlimited, endless.usd_per_hour })
  end)

  -- The oracle: every way to buy up to six of each offer.
  it("buy whole offers, the cheapest way to have enough", function()
    local state = 7
    local function draw(n)
      state = (state * 1103515245 + 12345) % 2 ^ 31
      return 1 + math.floor(state / 65536) % n
    end
    for _ = 1, 30 do
      local list = {}
      for i = 1, 2 + draw(1) do list[i] = { usd_per_hour = draw(40) / 4, per = draw(8) } end
      for count = 1, 12 do
        local least = math.huge
        for a = 0, 12 do for b = 0, 12 do for c = 0, 12 do
          local many = a * list[1].per + b * list[2].per + c * list[3].per
          if many >= count then
            least = math.min(least, a * list[1].usd_per_hour + b * list[2].usd_per_hour
              + c * list[3].usd_per_hour)
          end
        end end end
        assert.near(least, prices.cost(list, count), 1e-9)
      end
    end
    assert.near(20, usd { prices = { L4 = { { "20$/h", per = 8 } } } }, 1e-9)
    assert.near(12, usd { prices = { L4 = { { "20$/h", per = 8 }, { "4$/h" } } } }, 1e-9)
  end)

  it("say what is wrong in one line, with the nearest", function()
    assert.matches("prices%.L4: is 0; a price must be more than 0", wrong { prices = { L4 = 0 } })
    assert.matches("convert € first", wrong { prices = { L4 = "1€/h" } })
    assert.matches("is priced twice, also as 'L4'", wrong { prices = { L4 = 1, l4 = 2 } })
    assert.matches("prices%.file: nope%.csv: No such file or directory",
      wrong { prices = { file = "nope.csv" } })
    assert.matches("offers: goes with file", wrong { prices = { offers = "spot" } })
    assert.matches("per: is 0; the least is 1", wrong { prices = { L4 = { 1, per = 0 } } })
    assert.matches("nothing here is called 'H10O SXM'; did you mean 'H100 SXM'",
      prices.unknown(base { prices = { ["H10O SXM"] = 1 } }))
    assert.matches("a price is of a GPU", prices.unknown(base { prices = { gigantic = 1 } }))
    assert.is_nil(prices.unknown(base { prices = { cpu = 1, H100 = 1, L4 = 1 } }))
  end)
end)

local TABLE <const> = [[
Provider,region,gpu,offer,price,count
aws,us-east-1,L4,on demand,0.8048,1
aws,us-east-1,L4,spot,$0.25/h,
aws,us-east-1,H100 SXM,On-Demand,55.04,8
lambda,us-west-2,H100 SXM,on-demand,2.99,1
lambda,us-west-2,H100 SXM,on-demand,3.29,1
aws,us-east-1,cpu,on demand,1.53,32
gcp,europe-west4,a card of its own,reserved,0.35,1
]]

describe("a file of prices", function()
  local function read(text, words, file)
    local found, problem = price_file.read(text, file or "p.csv", price_file.words(words))
    return found or problem
  end

  it("has the cheapest row of those that count, on demand unless said", function()
    local all = read(TABLE)
    assert.near(0.8048, all.L4[1].usd_per_hour, 1e-12)
    assert.same({ 1, "p.csv: aws, us-east-1, on demand" }, { #all.L4, all.L4[1].source })
    assert.same({ 8, 55.04, 1, 2.99 }, { all["H100 SXM"][1].per, all["H100 SXM"][1].usd_per_hour,
      all["H100 SXM"][2].per, all["H100 SXM"][2].usd_per_hour })
    assert.same({ 32, 1.53 }, { all.cpu[1].per, all.cpu[1].usd_per_hour })
    assert.is_nil(all["a card of its own"])
    assert.near(0.25, read(TABLE, "spot").L4[1].usd_per_hour, 1e-12)
    assert.is_nil(read(TABLE, "spot")["H100 SXM"])
    assert.equal(1, #read(TABLE, "lambda")["H100 SXM"])
    assert.is_nil(read(TABLE, "lambda, us-west-2").L4)
    assert.near(0.35, read(TABLE, "GCP,reserved")["a card of its own"][1].usd_per_hour, 1e-12)
  end)

  it("is JSON as well", function()
    local all = read('[{"gpu": "l4", "price": 0.5}, {"gpu": "H100", "price": "3$/h", "gpus": 2}]',
      nil, "p.json")
    assert.near(0.5, all.L4[1].usd_per_hour, 1e-12)
    assert.equal(2, all["H100 SXM"][1].per)
  end)

  it("says where it is wrong", function()
    for text, words in pairs {
      [""] = "p.csv: has no rows below its header",
      ["gpu,cost\nL4,3\n"] = "p.csv: has no column 'price'",
      ["card,price\nL4,3\n"] = "p.csv: has no column 'gpu'",
      ["gpu,price\nL4,3\nL40S,\n"] = "p.csv:3: L40S has no price",
      ["gpu,price\n,3\n"] = "p.csv:2: names no gpu",
      ["gpu,price\nL4,-3\n"] = "p.csv:2: price of L4: is -3; a price must be more than 0",
      ["gpu,price\nL4,3€\n"] = "p.csv:2: price of L4: '3€': prices are in dollars",
      ["gpu,price,count\nL4,3,0\n"] = "p.csv:2: count of L4 is 0",
      ["gpu,price,count\nL4,3,1.5\n"] = "p.csv:2: count of L4 is 1.5",
      ["gpu,price,offer\nL4,3,spot\n"] = "no row is of an offer on demand; its offers are spot",
      ['gpu,price\n"L4,3\n'] = "p.csv: line 2: a quoted field is not closed",
      ['{"gpu": "L4"}'] = "wants a list of records",
      ["[1]"] = "entry 1 is no record", ["[{]"] = "wants a list of records",
    } do
      local problem = read(text)
      assert.equal("string", type(problem), text)
      assert.truthy(problem:find(words, 1, true), problem)
    end
    assert.equal("p.csv: no row is of 'sppot'; did you mean 'spot'?", read(TABLE, "sppot"))
    assert.matches("no row is of gcp and spot", read(TABLE, "gcp,spot"))
  end)
end)

describe("the price that is told", function()
  it("is one in plans, sweeps, what-ifs and bills", function()
    local s = base { prices = { L4 = "0.5$/h", cpu = "0.01$/h" } }
    assert.near(1.9, bill.of(s).usd_per_hour, 1e-9)
    local answer = td.plan.gpus { scenario = s, sensitivity = false }
    local row = answer.rows[1]
    assert.near(0.5 * row.count + 0.4, row.usd_per_hour, 1e-9)
    local words = answer:report():gsub("%s+", " ")
    assert.truthy(words:find("($0.40 of it for 40 CPU workers) and", 1, true), words)
    assert.near(0.4, answer:records().rows[1].workers.cpu.usd_per_hour, 1e-9)
    local swept = td.sweep { scenario = s, over = { gpus = { 2, 4 } }, replications = 1 }
    assert.near(1.4, swept.rows[1].usd_per_hour, 1e-9)
    assert.near(2.4, swept.rows[2].usd_per_hour, 1e-9)
  end)

  it("is of what is held where GPUs come and go", function()
    local s = td.scenario "comes and goes" { workload = td.poisson { rps = 20, duration = "20min" },
      target = td.gpu "L4" { count = 6, autoscale = { schedule = { { 0, 2 }, { "10min", 4 } } } },
      pipeline = { td.stage "s" { on = "gpu", cost = "40ms" } }, warmup = "none", replications = 2,
      cpu = { workers = 10 }, prices = { L4 = 2, cpu = 0.1 } }
    local result = assert(s:run {})
    assert.near(3, result.gpus_held.mean.value, 0.02)
    assert.near(2 * result.gpus_held.mean.value + 1, bill.held(result, s).value, 1e-9)
    assert.near(13, bill.of(s).usd_per_hour, 1e-9)
    local swept = td.sweep { scenario = s, over = { rps = { 20, 20.5 } }, replications = 1 }
    assert.near(7, swept.rows[1].usd_per_hour, 0.1)
    local answer = td.plan.gpus { scenario = s, slo = { p99 = "1s" }, sensitivity = false, max = 6 }
    assert.near(7, answer.rows[1].usd_per_hour, 0.1)
    assert.truthy(answer:report():find("for what is held at the mean", 1, true))
  end)

  it("is said before the table where it is of no use, or missing", function()
    local function cautions(options, changes)
      options.scenario, options.sensitivity = base(changes), false
      return table.concat(td.plan.gpus(options).cautions, "\n")
    end
    assert.matches("The price of H100 SXM is not used: L4 is compared here%.",
      cautions({}, { prices = { H100 = 3, L4 = 1 } }))
    assert.equal("", cautions({}, { prices = { L4 = 1, cpu = 0.1 } }))
    assert.matches("T4 has no price and cannot be the cheapest: %-%-price T4=2 ",
      cautions({ kinds = { "L4", "T4" } }))
    assert.matches("T4 has no price and cannot be held to the budget of dollars",
      cautions({ kinds = { "T4" }, budget = { usd = 20 } }))
    assert.matches("^cpu has no price, so that it costs nothing here: %-%-price cpu=2 ",
      cautions({}, { prices = { L4 = 1 }, cpu = { workers = 8 } }))
    assert.equal("", cautions({ minimize = "gpus" },
      { prices = { L4 = 1 }, cpu = { workers = 8 } }))
    assert.equal("", cautions({}, { cpu = { workers = 8 } }))
    assert.matches("cpu has a price and no number", cautions({},
      { prices = { cpu = 1 }, cpu = { discipline = "fifo" } }))
  end)

  it("bounds the search by a budget, whole machines counted", function()
    local function most(budget, changes)
      return td.plan.gpus { scenario = base(changes), budget = budget, load = "350rps",
        sensitivity = false }.rows[1].high
    end
    assert.equal(4, most({ usd = "8.5$/h" }, { prices = { L4 = 2 } }))
    assert.equal(16, most({ usd = 11 }, { prices = { L4 = { 5, per = 8 } } }))
    -- What CPU workers cost is paid out of it, too.
    assert.equal(2, most({ usd = 8.5 }, { prices = { L4 = 2, cpu = 0.1 } }))
    assert.error_matches(function() most({ usd = "20€/h" }) end, "budget: usd: .*convert €")
    assert.error_matches(function() most({ usd = "20W" }) end, "wanted a price")
    assert.error_matches(function() most({ watts = "20$/h" }) end, "wanted a power")
  end)
end)
