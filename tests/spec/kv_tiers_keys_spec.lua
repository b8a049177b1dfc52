-- What `engine.kv_tiers` may say, and what is told where it may not.

describe("kv_tiers of an engine", function()
  local td = require "tandem"

  local function problems(engine, more)
    local step = { step = td.affine { step = "1ms" }, prompt = 100, output = 10, engine = engine }
    for key, value in pairs(more or {}) do step[key] = value end
    local checked, wrong = td.check { name = "t", workload = td.poisson { rps = 1,
      duration = "10s" }, pipeline = { td.generate "llm" (step) } }
    return checked and "" or tostring(wrong)
  end

  local function engine(tiers, more)
    local out = { kv_blocks = 100, kv_tiers = tiers }
    for key, value in pairs(more or {}) do out[key] = value end
    return out
  end

  local function cpu(more)
    local out = { name = "cpu", capacity = "1GB", bandwidth = "1GB/s", block = "1MB" }
    for key, value in pairs(more or {}) do out[key] = value end
    return out
  end

  it("are refused in one line where they cannot be", function()
    assert.equal("", problems(engine { cpu() }))
    local five = {}
    for i = 1, 5 do five[i] = cpu { name = "t" .. i } end
    for words, wrong in pairs {
      ["kv_tiers: has 5 tiers; at most 4"] = engine(five),
      ["kv_tiers: has two named \"cpu\""] = engine { cpu(), cpu() },
      ["\"cpu\": prefetch goes into the first tier, which has none"] =
        engine({ cpu { prefetch = "timeout" } }, { server = "sglang" }),
      ["\"nvme\" wants a prefetch: server = \"sglang\" has no other way"] =
        engine({ cpu(), cpu { name = "nvme", prefetch = "none" } }, { server = "sglang" }),
      ["prefetch = \"best_effort\" is for server = \"sglang\""] =
        engine { cpu { prefetch = "best_effort" } },
      ["\"nvme\": server = \"tensorrt_llm\" has one tier, host memory"] =
        engine({ cpu(), cpu { name = "nvme" } }, { server = "tensorrt_llm" }),
      ["has write = \"write_back\" alone, without prefetch, not shared"] =
        engine({ cpu { write = "write_through" } }, { server = "tensorrt_llm" }),
      ["\"b\": write_through_selective is for the first tier"] =
        engine { cpu(), cpu { name = "b", write = "write_through_selective" } },
      ["\"cpu\" is shared: only the last tier may be"] =
        engine { cpu { shared = true }, cpu { name = "b" } },
      ["\"cpu\": timeout is for prefetch = \"timeout\""] = engine { cpu { timeout = "1s" } },
      ["prefetch: 'soon' is not known"] = engine { cpu { prefetch = "soon" } },
      ["kv_tiers: is for continuous batching"] = engine({ cpu() }, { batching = "dynamic" }),
      ["they want prefix_caching = true"] = engine({ cpu() }, { prefix_caching = false }),
      ["admit: as a function stands beside kv_tiers"] = engine({ cpu() },
        { admit = function() return true end }),
      ["write: 'back' is not known"] = engine { cpu { write = "back" } },
      ["wanted up to 31 letters"] = engine { cpu { name = "a b" } },
    } do
      assert.matches(words, problems(wrong), 1, true)
    end
    local unsized = cpu()
    unsized.block = nil
    assert.matches("wants a block, its bytes", problems(engine { unsized }), 1, true)
    local split = { handover = { link = td.link "l" { bandwidth = "10GB/s" },
      token_bytes = "1kB" } }
    split.prefill, split.decode = {}, { engine = engine { cpu() } }
    assert.matches("its blocks come from prefill replicas", problems({ kv_blocks = 100 }, split), 1,
      true)
  end)

  -- Conversations whose turns go to one replica and then to the other.
  local function hits(tiers, more)
    local result = assert(td.scenario "t" { workload = td.closed { users = 6, duration = "300s" },
      pipeline = { td.loop { times = 10, td.generate "llm" { step = td.affine { step = "1ms",
          prefill_tokens = "20us" }, prompt = 200, output = 40, history = true, replicas = 2,
          route = "round_robin", engine = {
            server = more and more.server, kv_blocks = 150, block_tokens = 16,
            kv_tiers = tiers } },
        td.delay "think" { time = td.exponential "3s" } } } }:run { seed = 3, replications = 1 })
    local found = result:get "llm.llm.kv_tiers.store.cached"
    return found + result:get "llm.llm.cached", found, result:get "llm.llm.ttft.p50"
  end

  it("of replicas together let each find what the others stored", function()
    local function store(more)
      local out = { name = "store", capacity = "1GB", bandwidth = "1GB/s", block = "100kB" }
      for key, value in pairs(more or {}) do out[key] = value end
      return out
    end
    local all, _, own_ttft = hits { store() }
    local together, found, shared_ttft = hits { store { shared = true } }
    assert.is_true(all < 0.75 and together > 0.8)
    assert.is_true(shared_ttft < own_ttft)
    -- What is on its way is not found yet: the slower, the later.
    local _, slow = hits { store { shared = true, write_bandwidth = "300kB/s" } }
    assert.is_true(slow < found / 2)
    for _, server in ipairs { "sglang", "tensorrt_llm" } do
      local _, one = hits({ store() }, { server = server })
      assert.is_true(one > 0.05)
    end
  end)
end)
