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

  it("shares prefixes that hashes name", function()
    local outcomes = assert(core.serving.replay({ block_tokens = 4, hash_tokens = 4 }, model(), {
      { at_ns = 0, prompt = 9, output = 1, hashes = { -1, 17 } },
      { at_ns = ms(50), prompt = 10, output = 1, hashes = { -1, 17 } } }))
    assert.are.equal(8, outcomes[2].cached_tokens)
    assert.are.equal(ms(52), outcomes[2].finished_ns)
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
      "serving: a request's prompt is no whole number")
    assert.has_error(function() core.serving.replay({}, {}, {}) end)
    result, message = core.serving.replay({ max_seqs = 4000 }, model(), {})
    assert.is_nil(result)
    assert.matches("max_batched_tokens", message)
  end)
end)
