-- What laboratories published whose runs no constant has seen: predicted as a user would, by a
-- scenario of the deployment that they name, with 90 % intervals of what step models leave open.
--
-- tests/data/serving/elsewhere.csv has the figures and where they are from. All clients ask at
-- once, and again when they are answered. Bursts (as many clients as requests) are counted apart:
-- what an API server and a load generator do with a thousand connections at once is in them, and
-- differs by ten between these laboratories. Nothing is tuned to any of it. Owns the comparison.
-- Called by `make accuracy CASE=elsewhere`; some minutes.

local td = require "tandem"
local catalogue = require "tandem.catalogue"
local csv = require "tandem.io.csv_reader"
local infile = require "tandem.io.infile"

local elsewhere = {}

local FILE <const> = "tests/data/serving/elsewhere.csv"
-- Of ShareGPT, as benchmarks cut it, only means were published: lengths like it, cut alike.
local SHAREGPT <const> = { prompt = { cv = 1.3, most = 1000 }, output = { cv = 0.85, most = 800 } }

local function rows()
  local cells, list = assert(csv.all(assert(infile.read(FILE)))), {}
  for i = 2, #cells do
    list[i - 1] = {}
    for k, name in ipairs(cells[1]) do
      list[i - 1][name] = tonumber(cells[i][k]) or cells[i][k]
    end
  end
  return list
end

-- Lognormal lengths about a mean, those beyond the most drawn again. A generator of their own, from
-- one seed: every run of this table has the same.
local function lengths(mean, shape, count)
  local state, list, sum = 12345, {}, 0
  local function uniform()
    state = (state * 6364136223846793005 + 1442695040888963407)
    return ((state >> 11) + 0.5) / 2 ^ 53
  end
  local sigma = math.sqrt(math.log(1 + shape.cv ^ 2))
  while #list < count do
    local z = math.sqrt(-2 * math.log(uniform())) * math.cos(2 * math.pi * uniform())
    local x = math.exp(math.log(mean) - sigma ^ 2 / 2 + sigma * z)
    if x >= 4 and x <= shape.most then list[#list + 1], sum = x, sum + x end
  end
  for i, x in ipairs(list) do
    list[i] = math.max(4, math.min(shape.most, math.floor(x * mean * count / sum + 0.5)))
  end
  return list
end

-- `kept`: a file for drawn lengths.
local function scenario_of(row, kept)
  local attrs = { prompt_tokens = row.prompt, output_tokens = row.output }
  local workload = { users = row.clients, requests = row.requests }
  if row.lengths == "sharegpt" then
    attrs = nil
    local prompts = lengths(row.prompt, SHAREGPT.prompt, row.requests)
    local outputs = lengths(row.output, SHAREGPT.output, row.requests)
    local file <close> = assert(io.open(kept, "w"))
    file:write "arrival,prompt_tokens,output_tokens\n"
    for i = 1, row.requests do file:write(("0,%d,%d\n"):format(prompts[i], outputs[i])) end
    workload.sizes = td.resample { file = kept, order = "recorded" }
  end
  local weights = (row.weights == "bf16" or row.weights == "mxfp4") and {}
    or { weights = row.weights }
  return td.scenario "elsewhere" { workload = td.closed(workload), attrs = attrs,
    target = td.gpu(row.gpu) { count = row.tp },
    pipeline = { td.generate "answer" { model = td.llm(row.model)(weights), tp = row.tp,
      engine = { server = row.server, version = row.version } } } }
end

-- The figure and its interval, in the unit of the file.
local figures = {}

function figures.duration_s(result)
  local tokens = result.llm[1].output_tokens_per_s
  local whole = result.duration_s * tokens.value
  return result.duration_s, whole / tokens.model.high, whole / tokens.model.low
end

function figures.tokens_per_s(result)
  local tokens = result.llm[1].output_tokens_per_s
  return tokens.value, tokens.model.low, tokens.model.high
end

local function milliseconds(of)
  return 1e3 * of.value, 1e3 * of.model.low, 1e3 * of.model.high
end

function figures.tpot_ms(result) return milliseconds(result.llm[1].tpot.mean) end
function figures.ttft_ms(result) return milliseconds(result.llm[1].ttft.mean) end

local function summary(name, list)
  if #list == 0 then return end
  local off, bias, held = {}, {}, 0
  for i, one in ipairs(list) do
    bias[i], off[i] = one.off, math.abs(one.off)
    held = held + (one.held and 1 or 0)
  end
  table.sort(off)
  table.sort(bias)
  local middle = (#list + 1) // 2
  print(("  %-26s %3d figures: median error %3.0f %%, bias %+3.0f %%; 90 %% holds %.0f %%"):format(
    name, #list, 100 * off[middle], 100 * bias[middle], 100 * held / #list))
end

--- Prints the table; a measurement of what is claimed, without a bar.
---@return boolean
function elsewhere.run()
  local steady, bursts, kept, result, last = {}, {}, os.tmpname(), nil, nil
  print(("%-12s %-18s %-6s %-14s %-19s %13s %8s  %-12s %9s %9s %6s  %s"):format("source", "model",
    "", "GPU", "server", "tokens", "clients", "", "measured", "predicted", "", "90 %"))
  for _, row in ipairs(rows()) do
    local key = table.concat({ row.model, row.weights, row.gpu, row.tp, row.server, row.version,
      row.prompt, row.output, row.lengths, row.clients }, "|")
    if key ~= last then
      local options = { replications = 1, warmup = "none", doubt = true }
      result = assert(scenario_of(row, kept):run(options))
      last = key
    end
    local value, low, high = figures[row.figure](result)
    local one = { off = value / row.measured - 1,
      held = row.measured >= low and row.measured <= high }
    table.insert(row.clients == row.requests and bursts or steady, one)
    print(("%-12s %-18s %-6s %-14s %-19s %6d + %4d %8d  %-12s %9.4g %9.4g %+5.0f%%  %.4g – %.4g%s")
      :format(row.source, row.model, row.weights, row.tp .. " " .. catalogue.gpu(row.gpu).name,
        row.server .. " " .. row.version, row.prompt, row.output, row.clients, row.figure,
        row.measured, value, 100 * one.off, low, high, one.held and "" or "  not held"))
  end
  os.remove(kept)
  summary("clients that come again", steady)
  summary("all at once", bursts)
  return true
end

return elsewhere
