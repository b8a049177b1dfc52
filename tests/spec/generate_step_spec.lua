-- step = function(batch): the user's Lua as a step model of td.generate.

local td = require "tandem"

-- Functions that go to other threads must not carry the environment of busted.
local error, math = error, math

local function scenario(step, extra)
  local raw = { name = "llm", workload = td.poisson { rps = 12, duration = "60s" },
    attrs = { prompt_tokens = td.lognormal { p50 = 60, p99 = 700 },
      output_tokens = td.lognormal { p50 = 30, p99 = 200 } },
    pipeline = { td.generate "answer" { step = step,
      engine = { max_seqs = 16, max_batched_tokens = 256, kv_blocks = 200, plans_ahead = true } } },
    replications = 3 }
  for k, v in pairs(extra or {}) do raw[k] = v end
  local s, problems = td.check(raw)
  assert(s, tostring(problems))
  return s
end

-- Coefficients whose sums are exact in binary, so that the order of additions cannot matter.
local STEP, TOKEN, SEQ, CONTEXT = 1 / 512, 1 / 65536, 1 / 32768, 1 / 2 ^ 24

describe("a step of one's own", function()
  it("gives what the same coefficients give, to the byte", function()
    local own = scenario(function(batch)
      return STEP + TOKEN * batch.prefill_tokens + SEQ * batch.decode_seqs
        + CONTEXT * batch.decode_context
    end):run {}
    local same = scenario(td.affine { step = STEP, prefill_tokens = TOKEN, decode_seqs = SEQ,
      decode_context = CONTEXT }):run {}
    for _, path in ipairs { "ttft", "tpot", "e2e" } do
      for _, figure in ipairs { "mean", "p50", "p99" } do
        assert.are.equal(same.llm[1][path][figure].value, own.llm[1][path][figure].value)
      end
    end
    -- Gaps of a row of steps are told by their mean, and rows are shorter here.
    assert.are.equal(same.llm[1].itl.mean.value, own.llm[1].itl.mean.value)
    assert.are.equal(same.llm[1].preemptions.value, own.llm[1].preemptions.value)
    assert.are.equal(same.latency.p99.value, own.latency.p99.value)
  end)

  it("is the same at any number of threads, and when it is traced", function()
    local s = scenario(function(batch)
      return 1e-3 + 1e-6 * math.sqrt(batch.decode_squares) + 2e-5 * batch.prefill_tokens
    end)
    local one = s:run { threads = 1 }
    assert.are.equal(one.llm[1].e2e.p99.value, s:run { threads = 3 }.llm[1].e2e.p99.value)
    local path = os.tmpname()
    assert.are.equal(one.llm[1].e2e.p99.value, s:run { trace = path }.llm[1].e2e.p99.value)
    os.remove(path)
  end)

  it("is asked once a step, no more than some steps ahead", function()
    local result = scenario(function(batch)
      td.record("asked", batch.decode_seqs)
      return 1e-3 + 1e-5 * batch.prefill_tokens
    end, { replications = 1, warmup = "none" }):run {}
    local steps = 60 * result.resources[1].utilization.value / result.llm[1].step_s.value
    local asked = result.recorded.asked.count
    assert.is_true(asked >= 0.99 * steps and asked < 1.5 * steps, asked .. " of " .. steps)
  end)

  it("sees what the scheduler did", function()
    local result = scenario(function(batch)
      td.record("tokens", batch.prefill_tokens + batch.decode_seqs)
      td.record("sampled", batch.sampled)
      return 1e-3 + 1e-5 * batch.prefill_tokens
    end, { replications = 1 }):run {}
    assert.is_true(result.recorded.tokens.max <= 256)
    assert.is_true(result.recorded.sampled.max <= 16)
  end)

  it("tells the user's line when it fails", function()
    for pattern, step in pairs {
      ["generate_step_spec.lua:%d+: a batch has no 'decode_seq'; did you mean"]
        = function(batch) return batch.decode_seq end,
      ["generate_step_spec.lua:%d+: a step takes %-1 s; it must be 0 or more, and finite"]
        = function() return -1 end,
      ["generate_step_spec.lua:%d+: the function of a step returned nil; wanted seconds, a number"]
        = function() end,
      ["generate_step_spec.lua:%d+: oh"] = function() error "oh" end,
    } do
      local ok, message = pcall(function()
        local result, why = scenario(step):run {}
        if not result then error(why, 0) end
      end)
      assert.is_false(ok)
      assert.matches(pattern, tostring(message))
    end
  end)

  it("needs KV blocks to be told, and no model", function()
    local s, problems = td.check { name = "llm", workload = td.poisson { rps = 1, duration = "1s" },
      attrs = { prompt_tokens = 1, output_tokens = 1 },
      pipeline = { td.generate "answer" { step = function() return 1e-3 end } } }
    assert.is_nil(s)
    assert.matches("kv_blocks", tostring(problems), 1, true)
    s, problems = td.check { name = "llm", workload = td.poisson { rps = 1, duration = "1s" },
      attrs = { prompt_tokens = 1, output_tokens = 1 },
      pipeline = { td.generate "answer" { step = 3 } } }
    assert.is_nil(s)
    assert.matches("step", tostring(problems), 1, true)
  end)
end)
