-- Constants by GPU and engine: what is shipped, and the estimate that made it.

local catalogue = require "tandem.catalogue"
local generation = require "tandem.language.generation"
local llm = require "tandem.llm"
local rates = require "tandem.llm.rates"

describe("constants by GPU and engine", function()
  it("are there for every GPU of the catalogue, each with its doubt", function()
    local shipped = require "lib.llm_rates"
    local names = catalogue.gpu_names()
    table.insert(names, "somebody's own")
    for _, gpu in ipairs(names) do
      for _, engine in ipairs { "vllm", "sglang", "tensorrt_llm" } do
        local entry = rates.entry(gpu, engine)
        for key in pairs(rates.constants) do
          local value = entry.constants[key]
          assert.is_number(value, gpu .. " " .. engine .. " " .. key)
          assert.is_true(value >= 0)
          if key:find "efficiency$" or key:find "bandwidth$" then assert.is_true(value <= 1) end
        end
        for _, vector in ipairs(entry.root) do assert.equal(#shipped.parameters, #vector) end
      end
    end
  end)

  it("are wide on an architecture of few configurations, but for what these are", function()
    local deepseek = generation.architecture "deepseek-ai/DeepSeek-R1"
    local llama = generation.architecture "Llama-3.1-8B"
    local shipped = require "lib.llm_rates"
    assert.equal(2, rates.few "MI300X")
    for _, known in ipairs { "H100", "A100", "L40S", "MI355X", "somebody's own" } do
      assert.is_nil(rates.few(known))
    end
    local wide = rates.spread("MI300X", "sglang", llama, "bf16")
    assert.is_true(wide > shipped.architecture_spread)
    assert.is_true(rates.spread("MI300X", "vllm", deepseek, "fp8") > shipped.architecture_spread)
    assert.is_true(rates.spread("MI300X", "sglang", deepseek, "fp8") < wide / 1.5)
    local text = require("tandem.report.gpus").text(catalogue.gpu "MI300X",
      require("tandem.plot.style").new { width = 100 })
    assert.truthy(text:gsub("%s+", " "):find("too few for other models", 1, true))
  end)

  it("say how much was measured, and doubt more what was not", function()
    local function doubt(gpu)
      local sum = 0
      for _, vector in ipairs(rates.entry(gpu, "vllm").root) do
        for _, x in ipairs(vector) do sum = sum + x * x end
      end
      return sum
    end
    assert.is_true(rates.entry("H100", "vllm").points > 100)
    assert.equal(0, rates.entry("H100 NVL", "vllm").points)
    assert.is_true(rates.entry("H100 NVL", "vllm").near > 0)
    assert.is_true(doubt "H100" < doubt "H100 NVL" and doubt "H100 NVL" < doubt "V100")
  end)

  it("are those of the server, also in a step model by itself", function()
    local architecture = assert(generation.architecture "Llama-3.1-8B")
    local function step(engine)
      return assert(llm.roofline { architecture = architecture, gpu = "H100 SXM",
        engine = engine }):step_s { decode = { 1000 } }
    end
    assert.are_not.equal(step "vllm", step "sglang")
    assert.equal(step(nil), step "vllm")
    assert.equal(step "of my own", step "vllm") -- a model's factor too
  end)

  it("know a model by its sizes, whatever it is called", function()
    local r1 = assert(generation.architecture "DeepSeek-R1")
    local known = rates.known("H200", "sglang", r1)
    assert.is_number(known.factor)
    local other = {}
    for key, value in pairs(r1) do other[key] = value end
    other.layers = 60
    local version = require("lib.llm_rates").versions.sglang.any[1]
    assert.equal(version, rates.known("H200", "sglang", other).factor)
    assert.are_not.equal(version, known.factor)
  end)

  it("know it best in the precision and on the GPU where it was measured", function()
    local llama = assert(generation.architecture "Llama-3.1-8B")
    local data = require "lib.llm_rates"
    local served = data.served[rates.fingerprint(llama) .. " vllm"]["H100 SXM bf16"]
    local with = data.models[rates.fingerprint(llama)].vllm
    local function factor(...) return rates.known(...).factor end
    local any = data.versions.vllm.any[1]
    assert.near(served[1] * any, factor("H100", "vllm", llama, "bf16"), 1e-12)
    assert.near(with[1] * any, factor("H100", "vllm", llama, "int4"), 1e-12)
    assert.near(with[1] * any, factor("V100", "vllm", llama, "bf16"), 1e-12)
    -- Two groups of deployments that differ in nothing else: less is known of the wider one.
    assert.is_true(served[2] < with[2])
    assert.near(with[2] ^ 2 - served[2] ^ 2, rates.spread("H100", "vllm", llama, "int4") ^ 2
      - rates.spread("H100", "vllm", llama, "bf16") ^ 2, 1e-12)
    local other = {}
    for key, value in pairs(llama) do other[key] = value end
    other.layers = 31
    assert.is_true(rates.spread("H100", "vllm", other, "bf16")
      > rates.spread("H100", "vllm", llama, "bf16"))
  end)

  it("make all times but those of links longer by a model's factor", function()
    local architecture = assert(generation.architecture "Qwen3-30B-A3B")
    local constants = {}
    for key, value in pairs(rates.known "H100") do constants[key] = value end
    local function step()
      return assert(llm.roofline { architecture = architecture, gpu = "H100",
        constants = constants })
        :step_s { decode = { 1000, 2000 }, prefill = { { 700, 0, true } } }
    end
    local plain = step()
    constants.factor = 1.25
    assert.near(1.25 * plain, step(), 1e-12)
  end)
end)

describe("GPUs without links of their own", function()
  it("exchange over the host's, which reaches less", function()
    local link = rates.link({ h2d = 55e9 }, rates.known "L4")
    assert.is_true(link.bandwidth < 25e9 and link.latency_s >= 10e-6)
  end)
end)

describe("partial pooling", function()
  local pool = require "tests.accuracy.calibrate.pool"

  -- Rows of three GPUs with two engines, five configurations each, from known factors.
  local function rows_from(draw)
    local K, rows, truth = #pool.PARAMETERS, {}, {}
    local world, cells = {}, {}
    for i = 1, K do world[i] = 0.5 * pool.PARAMETERS[i].spread * draw() end
    for _, gpu in ipairs { "H100 SXM", "B200", "B300" } do
      for _, engine in ipairs { "vllm", "sglang" } do
        local theta = {}
        for i = 1, K do theta[i] = world[i] + 0.4 * pool.PARAMETERS[i].spread * draw() end
        truth[gpu .. engine], cells[#cells + 1] = theta, { gpu, engine }
      end
    end
    for _, cell in ipairs(cells) do
      for c = 1, 5 do
        local own = 0.13 * draw()
        for _ = 1, 10 do
          local J, y, sum = {}, own + 0.09 * draw(), 0
          for i = 1, K do
            J[i] = math.abs(draw())
            sum = sum + J[i]
          end
          for i = 1, K do
            J[i] = J[i] / sum
            y = y + J[i] * truth[cell[1] .. cell[2]][i]
          end
          J[K + 1] = 1
          rows[#rows + 1] = { gpu = cell[1], engine = cell[2], set = "closed_loop",
            model = "m" .. c, configuration = cell[1] .. cell[2] .. c, J = J, y = y }
        end
      end
    end
    return rows, truth, cells
  end

  local function normal(seed)
    math.randomseed(seed)
    return function()
      local u, v = 1 - math.random(), math.random()
      return math.sqrt(-2 * math.log(u)) * math.cos(2 * math.pi * v)
    end
  end

  it("finds the factors that made the rows, within its own intervals", function()
    local draw, inside, all = normal(7), 0, 0
    local rows, truth, cells = rows_from(draw)
    local fit = pool.solve(rows, 2)
    for _, cell in ipairs(cells) do
      local theta, root = fit:theta(cell[1], cell[2]), fit:root(cell[1], cell[2])
      for i, value in ipairs(theta) do
        local variance = 0
        for _, vector in ipairs(root) do variance = variance + vector[i] ^ 2 end
        local far = math.abs(value - truth[cell[1] .. cell[2]][i])
        inside, all = inside + (far < 1.645 * math.sqrt(variance) and 1 or 0), all + 1
      end
    end
    assert.is_true(inside / all > 0.8, inside / all)
  end)

  it("shares what is left between a model's factors and its configuration's own", function()
    local rows, n = {}, 6
    local spreads = { model = 0.1, engine = 0.2, served = 0.3, version = 0, configuration = 0.4 }
    for i = 1, n do
      local J = {}
      for k = 1, #pool.PARAMETERS do J[k] = 0 end
      J[#J + 1] = 1
      rows[i] = { gpu = "B200", engine = "vllm", set = "closed_loop", model = "m",
        precision = "fp8", configuration = "c", J = J, y = 0.05 }
    end
    local fit = pool.solve(rows, 1, spreads)
    -- One observation of a sum of Gaussians, by hand.
    local noise = 0.4 ^ 2 + 0.09 ^ 2 / n
    local all = 0.1 ^ 2 + 0.2 ^ 2 + 0.3 ^ 2
    local factor, deviation = fit:factor(rows[1])
    assert.near(math.exp(0.05 * all / (all + noise)), factor, 1e-9)
    assert.near(math.sqrt(all - all ^ 2 / (all + noise)), deviation, 1e-9)
    local wide, open = fit:factor { model = "m", engine = "vllm", precision = "fp4", gpu = "B200" }
    local known = 0.1 ^ 2 + 0.2 ^ 2
    assert.near(math.exp(0.05 * known / (all + noise)), wide, 1e-9)
    assert.near(math.sqrt(known - known ^ 2 / (all + noise) + 0.3 ^ 2), open, 1e-9)
    assert.near(1, (fit:factor { model = "another", engine = "vllm" }), 1e-12)
  end)

  it("finds how far factors spread from what is left of configurations", function()
    local factors = require "tests.accuracy.calibrate.factors"
    local draw, list, versions = normal(11), {}, {}
    for m = 1, 60 do
      local model = 0.05 * draw()
      for e = 1, 2 do
        local engine = 0.15 * draw()
        for g = 1, 3 do
          local served = 0.1 * draw()
          for _ = 1, 3 do
            local name = ("%d %d"):format(m, e)
            list[#list + 1] = { weight = 400, sum = 400 * (model + engine + served + 0.07 * draw()
              + 0.05 * draw()), factors = { model = "m" .. m, engine = name, served = name .. g } }
          end
        end
      end
    end
    local found = factors.likeliest(list, pool.FACTORS)
    assert.near(math.log(0.15), math.log(found.engine), 0.35)
    assert.near(math.log(0.1), math.log(found.served), 0.35)
    assert.near(math.log(0.07), math.log(found.configuration), 0.35)
    assert.is_true(found.model < 0.12)
    -- Versions, each of every fourth configuration of some models.
    local few = table.move(list, 1, 180, 1, {})
    for i, c in ipairs(few) do
      local version = "v" .. i % 12
      versions[version] = versions[version] or 0.2 * draw()
      c.sum, c.factors.version = c.sum + 400 * versions[version], version
    end
    assert.near(math.log(0.2), math.log(factors.likeliest(few, pool.FACTORS).version), 0.45)
  end)

  it("knows a version of an engine by its first two numbers, another by the one before", function()
    local llama = assert(generation.architecture "Llama-3.1-8B")
    local data = require "lib.llm_rates"
    local function factor(version)
      return rates.known("H100", "vllm", llama, "bf16", version).factor
    end
    local function variance(version)
      return rates.spread("H100", "vllm", llama, "bf16", version) ^ 2
    end
    local versions = data.versions.vllm
    local served = data.served[rates.fingerprint(llama) .. " vllm"]["H100 SXM bf16"][1]
    local log, count = 0, 0
    for version, known in pairs(versions) do
      local name = version ~= "any" and version .. ".7rc1" or nil
      assert.near(served * known[1], factor(name), 1e-12)
      assert.near(known[2] ^ 2 - versions["0.19"][2] ^ 2, variance(name) - variance "v0.19.0",
        1e-12)
      if name then log, count = math.max(log, math.abs(math.log(known[1]))), count + 1 end
    end
    -- Whoever does not say which knows less than who does.
    assert.is_true(math.abs(math.log(versions.any[1])) < log and count > 3)
    assert.is_true(versions.any[2] > versions["0.19"][2])
    for version, near in pairs { ["0.13.1"] = "0.12", ["0.9"] = "0.11", ["2.0"] = "0.19",
      nightly = "0.19" } do
      assert.equal(factor(near), factor(version))
      assert.near(data.version_spread ^ 2, variance(version) - variance(near), 1e-12)
    end
    assert.is_nil(rates.version("tensorrt_llm", "0.8.1"))
    assert.equal("1.2", rates.version("tensorrt_llm", "1.2.0rc6"))
  end)

  it("lets a GPU that was not measured inherit, with more doubt", function()
    local rows = rows_from(normal(8))
    local seen = pool.solve(rows, 2)
    local others = {}
    for _, row in ipairs(rows) do
      if row.gpu ~= "B300" then others[#others + 1] = row end
    end
    local without = pool.solve(others, 2)
    local row = rows[#rows]
    assert.is_true(without:variance(row) > seen:variance(row))
    local relative, stranger = without:theta("B300", "vllm"), without:theta("MI300X", "vllm")
    assert.are_not.same(relative, stranger)
    local same = { gpu = "B300", engine = "vllm", set = row.set, model = row.model, J = row.J }
    local far = { gpu = "MI300X", engine = "vllm", set = row.set, model = row.model, J = row.J }
    assert.is_true(without:variance(far) > without:variance(same))
  end)
end)

describe("operating points", function()
  local points = require "tests.accuracy.points"
  local closed_loop = require "tests.accuracy.observed.closed_loop"
  local inferencex = require "tests.accuracy.observed.inferencex"

  it("count a measurement once, whoever rounded it", function()
    local seen, twice = {}, nil
    local function alike(a, b, key) return math.abs(a[key] / b[key] - 1) < 1e-3 end
    for _, row in ipairs((points.read())) do
      local key = ("%s %s %d %d %d"):format(row.gpu, row.backend, row.prompt, row.output,
        row.concurrency)
      seen[key] = seen[key] or {}
      for _, other in ipairs(seen[key]) do
        if alike(row, other, "ttft_s") and alike(row, other, "tpot_s") then twice = key end
      end
      table.insert(seen[key], row)
    end
    assert.is_nil(twice)
  end)

  it("leave out what may have run with MTP, and only that", function()
    local with = inferencex.cut_key("H200 SXM", "trtllm", "fp8",
      { tensor = 8, data = 1, expert = 8 })
    local left = { [true] = 0, [false] = 0 }
    for _, p in ipairs(closed_loop.read(nil, { [with] = true })) do
      local dated = p.source:find "^%d%d%d%d%-" ~= nil or p.source:find "gap%-analysis" ~= nil
      local same = p.gpu == "H200 SXM" and p.engine == "trtllm" and p.precision == "fp8"
        and p.parallelism.tensor == 8 and p.parallelism.expert == 8 and not p.split
      local qwen = p.model:find "Qwen3.5" and p.parallelism.expert == 1
        and p.parallelism.tensor == 4 and p.gpu:find "^B" and p.precision == "fp8"
        and p.engine == "sglang"
      local doubtful = p.left and p.left:find "with MTP or without" ~= nil or false
      if doubtful then assert.is_true(same and p.model:find "DeepSeek" ~= nil or qwen ~= nil) end
      if not dated then assert.is_false(doubtful) end
      left[doubtful] = left[doubtful] + 1
    end
    assert.is_true(left[true] > 20 and left[false] > 20 * left[true])
  end)

  it("have as many places as the publisher's recipes say", function()
    local recipes = require "tests.accuracy.observed.recipes"
    local p = { gpu = "GB200", engine = "trtllm", precision = "fp8", concurrency = 564,
      parallelism = { tensor = 1, data = 32 }, split = { prefill_workers = 1, decode_workers = 1 } }
    assert.equal(16, recipes.batch(p, "1024/8192"))
    assert.is_nil(recipes.batch(p, "1024/1024"))
    p.engine = "sglang"
    assert.is_nil(recipes.batch(p, "1024/8192"))
  end)
end)
