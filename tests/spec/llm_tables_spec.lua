-- Measured operators as a step model: sums of rows, read here by hand from the same files.
local llm = require "tandem.llm"
local tables = require "tandem.llm.tables"

local FOLDER <const> = "tests/data/serving/step_tables/RTX4090/tp1"
local LAYERS <const> = 32
local times = { layernorm = 2 * LAYERS, embedding = 1, final_layernorm = 1, lm_head = 1,
  sampler = 1 }

local function rows(name)
  local list = {}
  for line in io.lines(FOLDER .. "/" .. name) do
    local row = {}
    for field in line:gmatch "[^,]+" do row[#row + 1] = tonumber(field) or field end
    if type(row[#row]) == "number" then list[#list + 1] = row end
  end
  return list
end

--- Σ of all operators of a file at one size, seconds.
local function operators_s(name, size)
  local sum = 0
  for _, row in ipairs(rows(name)) do
    if row[2] == size then sum = sum + (times[row[1]] or LAYERS) * row[3] * 1e-6 end
  end
  return sum
end

local function attention_s(chunk, context, seqs, kv)
  for _, row in ipairs(rows "attention.csv") do
    if row[1] == chunk and row[2] == context and row[3] == seqs and row[4] == kv then
      return LAYERS * row[5] * 1e-6
    end
  end
  error("not measured")
end

local architecture = assert(llm.architecture
  "tests/data/serving/model_configs/llama-3.1-8b-instruct.json")

local function near(expected, actual)
  assert.is_true(math.abs(actual / expected - 1) < 1e-12, actual .. " is not " .. expected)
end

describe("operator tables", function()
  local model = assert(llm.table(FOLDER, { architecture = architecture }))

  it("sum operators at measured decode batches", function()
    for _, seqs in ipairs { 1, 8, 64, 256 } do
      for _, kv in ipairs { 16, 256, 1024 } do
        near(operators_s("dense.csv", seqs) + operators_s("per_sequence.csv", seqs)
          + attention_s(0, 0, seqs, kv),
          model:step_s { decode_seqs = seqs, decode_context = seqs * kv, decode_context_max = kv,
            sampled = seqs })
      end
    end
  end)

  it("sum operators at measured prompts, alone and beside decoding sequences", function()
    near(operators_s("dense.csv", 512) + operators_s("per_sequence.csv", 1)
      + attention_s(512, 4096, 0, 0), model:step_s { prefill = { { 512, 4096, true } } })
    local decode = {}
    for i = 1, 64 do decode[i] = 512 end
    -- 128 + 64 tokens lie midway between the measured 128 and 256.
    local dense = (operators_s("dense.csv", 128) + operators_s("dense.csv", 256)) / 2
    near(dense + operators_s("per_sequence.csv", 64) + attention_s(128, 512, 64, 512),
      model:step_s { prefill = { { 128, 512, false } }, decode = decode })
  end)

  it("correct unequal contexts by the share of their bucket", function()
    -- 64 sequences, one of 1,024 and 63 of 256: rate 1/64.
    local corrected = assert(llm.table(FOLDER, { architecture = architecture, skew = true }))
    local alpha
    for line in io.lines(FOLDER .. "/skew_fit.csv") do
      alpha = alpha or line:match "^0,n<=64,sr<=5%%,kvB<=1k,kp=0,([%d.]+)"
    end
    alpha = tonumber(alpha)
    local decode = { 1024 }
    for i = 2, 64 do decode[i] = 256 end
    local mean = (1024 + 63 * 256) / 64 -- between the measured 256 and 512
    local low, high = attention_s(0, 0, 64, 256), attention_s(0, 0, 64, 512)
    local mean_s = low + (mean - 256) / 256 * (high - low)
    local rest = operators_s("dense.csv", 64) + operators_s("per_sequence.csv", 64)
    near(rest + mean_s + alpha * (attention_s(0, 0, 64, 1024) - mean_s),
      corrected:step_s { decode = decode })
    -- meta.yaml says that skew was not measured on this GPU.
    near(rest + mean_s, model:step_s { decode = decode })
  end)

  it("let several prompts cost about what one of as many pairs costs", function()
    local one = model:step_s { prefill = { { 512, 0, true } } }
    local four = model:step_s { prefill = { { 128, 0 }, { 128, 0 }, { 128, 0 }, { 128, 0 } } }
    local apart = 4 * model:step_s { prefill = { { 128, 0, true } } }
    assert.is_true(four < one + 0.002 and four < apart, four)
    assert.is_true(four > 0.8 * one)
  end)

  it("add overheads of steps and sequences", function()
    local slow = assert(llm.table(FOLDER, { architecture = architecture, step_s = 1e-3,
      sequence_s = 1e-5 }))
    local batch = { decode = { 16, 16, 16 } }
    assert.is_true(math.abs(slow:step_s(batch) - model:step_s(batch) - 1.03e-3) < 1e-12)
  end)

  it("add all-reduces between several GPUs, and say so when no link is known", function()
    local path = os.tmpname()
    os.remove(path)
    assert(os.execute(("mkdir -p %s && cp -r %s %s/tp2"):format(path, FOLDER, path)))
    local batch = { decode = { 16, 16, 16, 16 } }
    local m, message = tables.model(path .. "/tp2", { architecture = architecture })
    assert.is_nil(m)
    assert.matches("say which link joins the GPUs", message)
    local link = { latency_s = 1e-5, hop_s = 0, bandwidth = 1e9 }
    m = assert(tables.model(path .. "/tp2/", { architecture = architecture, link = link }))
    local exchange = 64 * (1e-5 + 4 * 8192 / 1e9)
    assert.is_true(math.abs(m:step_s(batch) - model:step_s(batch) - exchange) < 1e-9)
    assert(os.execute(("echo 'hardware: H100 SXM' > %s/meta.yaml"):format(path)))
    m = assert(tables.model(path .. "/tp2", { architecture = architecture }))
    assert.is_true(m:step_s(batch) > model:step_s(batch))
    os.execute("rm -r " .. path)
  end)

  -- A folder with experts whose layer takes 10 us a token and 100 us a distinct expert.
  local function with_experts(measured)
    local path = os.tmpname()
    os.remove(path)
    assert(os.execute(("mkdir -p %s && cp -r %s %s/tp1"):format(path, FOLDER, path)))
    if measured then
      local file = assert(io.open(path .. "/tp1/moe.csv", "w"))
      file:write "tokens,activated_experts,time_us\n"
      for _, tokens in ipairs { 1, 4096 } do
        for _, experts in ipairs { 1, 64 } do
          file:write(("%d,%d,%d\n"):format(tokens, experts, 10 * tokens + 100 * experts))
        end
      end
      file:close()
    end
    local moe = { experts = 64, experts_active = 4, dense_layers = 2 }
    for key, value in pairs(architecture) do moe[key] = moe[key] or value end
    return path, moe
  end

  it("let groups share their experts, and stages follow each other", function()
    local path, moe = with_experts(true)
    local link = { latency_s = 1e-5, hop_s = 2e-6, bandwidth = 1e9 }
    local one = assert(tables.model(path .. "/tp1", { architecture = moe }))
    local two = assert(tables.model(path .. "/tp1", { architecture = moe, data = 2, link = link }))
    local staged = assert(tables.model(path .. "/tp1", { architecture = moe, stages = 3,
      link = link }))
    local layers, bytes = moe.layers - 2, 2 * moe.hidden
    local function met(tokens) return 64 * (1 - (60 / 64) ^ tokens) end
    for _, seqs in ipairs { 1, 8, 200 } do
      local batch = { decode = {} }
      for i = 1, seqs do batch.decode[i] = 100 end
      -- Each of two GPUs has half of the experts, for the tokens of both.
      local experts = layers * 100e-6 * (met(2 * seqs) / 2 - met(seqs))
      -- A token goes to a half unless all four of its experts are in the other.
      local gathers = 2 * layers * (1e-5 + 2e-6 + 0.5 * 15 / 16 * 2 * seqs * bytes / 1e9)
      local more = two:step_s(batch) - one:step_s(batch)
      assert(math.abs(more / (experts + gathers) - 1) < 1e-6, seqs .. ": " .. more)
      local sends = 2 * (1e-5 + seqs * bytes / 1e9)
      assert(math.abs(staged:step_s(batch) - one:step_s(batch) - sends) < 1e-9)
      assert(math.abs(two:decode_run_s(batch, 1) / two:step_s(batch) - 1) < 1e-9)
    end
    os.execute("rm -r " .. path)
  end)

  it("ask for experts that nobody measured, and say so", function()
    local path, moe = with_experts(false)
    local m, message = tables.model(path .. "/tp1", { architecture = moe })
    assert.is_nil(m)
    assert.matches("moe.csv", message)
    local notes
    m, message, notes = tables.model(path .. "/tp1", { architecture = moe,
      experts = function(tokens) return tokens * 1e-6 end })
    assert(m, message)
    assert.matches("experts were not measured; their time is the roofline's", notes[1])
    local plain = assert(tables.model(path .. "/tp1", { architecture = architecture }))
    for _, seqs in ipairs { 1, 16, 256 } do
      local batch = { decode = {} }
      for i = 1, seqs do batch.decode[i] = 100 end
      local more = m:step_s(batch) - plain:step_s(batch)
      assert(math.abs(more / ((moe.layers - 2) * seqs * 1e-6) - 1) < 1e-6, seqs)
    end
    os.execute("rm -r " .. path)
  end)

  it("take chunks longer than any that were measured piece by piece", function()
    -- What does not depend on contexts falls out of the differences.
    local function step(tokens, context)
      return model:step_s { prefill = { { tokens, context, false } } }
    end
    local long = step(4096, 3000) - step(4096, 0)
    local pieces = step(2048, 3000) + step(2048, 5048) - step(2048, 0) - step(2048, 2048)
    assert(math.abs(long / pieces - 1) < 1e-9, long / pieces)
  end)

  it("take an operator that nobody knows once a layer, and note it", function()
    local path = os.tmpname()
    os.remove(path)
    assert(os.execute(("mkdir -p %s && cp -r %s %s/tp1"):format(path, FOLDER, path)))
    local file = assert(io.open(path .. "/tp1/dense.csv", "a"))
    file:write "novelty,1,10\nnovelty,2048,10\n"
    file:close()
    local m, _, notes = tables.model(path .. "/tp1", { architecture = architecture, skew = false })
    assert.matches("operator novelty is not known, taken once a layer", notes[1])
    local batch = { decode = { 16 } }
    assert.is_true(math.abs(m:step_s(batch) - model:step_s(batch) - 32 * 10e-6) < 1e-12)
    os.execute("rm -r " .. path)
  end)

  it("say what a folder lacks", function()
    local m, message = tables.model("tests/data/serving", { architecture = architecture })
    assert.is_nil(m)
    assert.matches("dense.csv", message)
    local moe = { layers = 2, hidden = 64, experts = 8, experts_active = 2 }
    m, message = tables.model(FOLDER, { architecture = moe })
    assert.is_nil(m)
    assert.matches("moe.csv", message)
  end)
end)
