-- core.serving: what the binding adds to engine/serving; schedules are tested in C.

local core = require "tandem.core"

-- 1 ms for a prompt token, 10 ms for a decoding sequence
local function model()
  return assert(core.llm.step { kind = "affine",
    pieces = { { decode_seqs_max = math.huge, prefill_tokens = 1e-3, decode_seqs = 10e-3 } } })
end

local function ms(value) return math.floor(value * 1000000) end

describe("serving.replay", function()
  it("returns outcomes in the order of the requests", function()
    local outcomes, totals = assert(core.serving.replay({ blocks = 100, max_seqs = 2 }, model(), {
      { at_ns = ms(0), prompt = 4, output = 4 }, { at_ns = ms(8), prompt = 3, output = 1 } }))
    -- 0: prompt …4, decode …14, with the prompt of 1 …27, decode …37
    assert.are.same({ queued_ns = 0, scheduled_ns = 0, first_token_ns = ms(4),
      finished_ns = ms(37), cached_tokens = 0, preemptions = 0 }, outcomes[1])
    assert.are.same({ queued_ns = ms(14), scheduled_ns = ms(14), first_token_ns = ms(27),
      finished_ns = ms(27), cached_tokens = 0, preemptions = 0 }, outcomes[2])
    assert.are.same({ steps = 4, busy_ns = ms(37) }, totals)
  end)

  it("has the terms of steps between the times of a request, which make these times", function()
    local requests = { { at_ns = ms(0), prompt = 4, output = 4 },
      { at_ns = ms(8), prompt = 3, output = 1 }, { at_ns = ms(30), prompt = 2, output = 2 } }
    local outcomes = core.serving.replay({ blocks = 100, max_seqs = 2 }, model(), requests, true)
    for i, o in ipairs(outcomes) do
      for terms, ns in pairs { [o.waited] = o.queued_ns - requests[i].at_ns,
        [o.first] = o.first_token_ns - o.queued_ns, [o.rest] = o.finished_ns - o.first_token_ns } do
        assert.near(ns, 1e6 * terms.prefill_tokens + 10e6 * terms.decode_seqs, 1e-3)
      end
    end
    -- From 8 ms to 14 ms within a step of 10 ms that decodes one.
    assert.same({ 0.0, 0.6 }, { outcomes[2].waited.prefill_tokens, outcomes[2].waited.decode_seqs })
  end)

  it("shares prefixes that hashes name", function()
    local outcomes = assert(core.serving.replay({ block_tokens = 4, hash_tokens = 4 }, model(), {
      { at_ns = 0, prompt = 9, output = 1, hashes = { -1, 17 } },
      { at_ns = ms(50), prompt = 10, output = 1, hashes = { -1, 17 } } }))
    assert.are.equal(8, outcomes[2].cached_tokens)
    assert.are.equal(ms(52), outcomes[2].finished_ns)
  end)

  it("has at most four tiers below the cache", function()
    local function replay(count)
      local tiers = {}
      for k = 1, count do
        tiers[k] = { name = "t" .. k, blocks = 8, block_bytes = 1, block_s = 0 }
      end
      return core.serving.replay({ blocks = 8, kv_tiers = tiers }, model(),
        { { at_ns = 0, prompt = 4, output = 1 } })
    end
    assert.is_table(replay(4))
    assert.has_error(function() replay(5) end, "serving: more than 4 kv_tiers")
  end)

  it("gives the same in single steps, ordered by priority, in batches", function()
    local requests = { { at_ns = 0, prompt = 2, output = 9 },
      { at_ns = 1, prompt = 3, output = 5, priority = 2 }, { at_ns = 2, prompt = 3, output = 5 } }
    local function finished(config)
      local list = {}
      for i, o in ipairs(assert(core.serving.replay(config, model(), requests))) do
        list[i] = o.finished_ns // 1000000
      end
      return list
    end
    local one_by_one = finished { max_seqs = 1 }
    assert.are.same({ 82, 125, 168 }, one_by_one)
    assert.are.same(one_by_one, finished { max_seqs = 1, step_by_step = true })
    assert.are.same({ 82, 168, 125 }, finished { max_seqs = 1, order = "priority" })
    assert.are.same({ 168, 128, 128 }, finished { max_seqs = 3, batching = "batch",
      prefix_caching = false })
  end)

  it("says what is wrong", function()
    local result, message, code = core.serving.replay({ blocks = 1 }, model(),
      { { at_ns = 0, prompt = 17, output = 1 } })
    assert.is_nil(result)
    assert.matches("17 tokens need more than all 1 KV blocks", message)
    assert.are.equal(3, code)
    assert.has_error(function() core.serving.replay({ block = 1 }, model(), {}) end,
      "serving: there is no field block")
    assert.has_error(function() core.serving.replay({}, model(), { { at_ns = 0, output = 1 } }) end,
      "serving: a request's prompt is not a whole number")
    assert.has_error(function() core.serving.replay({}, {}, {}) end)
    result, message = core.serving.replay({ max_seqs = 10000 }, model(), {})
    assert.is_nil(result)
    assert.matches("max_batched_tokens", message)
  end)
end)

-- Rules stand in the core alone: what it says of a configuration is what a scenario is told.
describe("core.serving's options and rules", function()
  local function told(config)
    local out = {}
    for i, problem in ipairs(core.serving.problems(config)) do
      out[i] = problem.where .. " " .. problem.what
    end
    return out
  end

  it("are data", function()
    local options, servers = core.serving.options()
    local known = {}
    for _, option in ipairs(options) do
      known[option.name] = option
      assert.is_true(option.key == nil or #option.doc > 10, option.name)
    end
    assert.same({ "vllm", "sglang", "tensorrt_llm" },
      { servers[1][1], servers[2][1], servers[3][1] })
    assert.same({ vllm = 16, sglang = 1, tensorrt_llm = 32 }, known.block_tokens.presets)
    assert.same({ "admit", "input", "estimate" }, { known.admission.key,
      known.admission.words[1][1], known.admission.presets.sglang })
    assert.same({ 1, 64, "speculation", true }, { known.draft_tokens.least,
      known.draft_tokens.most, known.draft_tokens.record, known.draft_tokens.required })
  end)

  it("take each number from the least to the most that it may be, and no other", function()
    local seen = 0
    local function refused(option, value)
      for _, one in ipairs(core.serving.problems { [option.name] = value }) do
        if one.what:find("; it must be ", 1, true) then return true end
      end
      return false
    end
    for _, option in ipairs((core.serving.options())) do
      local plain = option.sort ~= "flag" and option.sort ~= "word"
      if plain and option.most then
        seen = seen + 1
        local most, step = option.most, option.sort == "whole" and 1 or 1e-9
        assert.is_false(refused(option, most), option.name)
        assert.is_true(refused(option, most + step), option.name)
      end
      if plain and not option.required then
        local least = option.least
        assert.equal(option.above_least or false, refused(option, least), option.name)
        assert.is_true(refused(option, least - 1), option.name)
      end
    end
    assert.is_true(seen > 2, seen)
  end)

  it("say all that is wrong, and where", function()
    assert.same({}, told {})
    assert.same({ "max_batched_tokens is below max_seqs: each running request may need a token" },
      told { max_seqs = 10, max_batched_tokens = 9 })
    assert.same({ 'swap is for server = "vllm"', 'lora is for server = "vllm"' },
      told { steps = "decode_first", chunking = "blocks", plans_ahead = true, host_blocks = 3,
        max_adapters = 2, max_batched_tokens = 4096 })
    assert.same({ "speculation is for continuous batching",
      "prefix_caching is for continuous batching" }, told { batching = "batch", draft_tokens = 2 })
    assert.same({ "estimate least is above ratio, from which it falls" },
      told { new_token_ratio = 0.1, new_token_ratio_min = 0.2 })
    assert.matches("^speculation acceptance is 1.5; it must be at least 0",
      told({ draft_tokens = 1, acceptance = 1.5 })[1])
  end)
end)
