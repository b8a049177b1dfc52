--- What goes wrong while a run goes on ends it, in a line that says what and where; what is just
--- allowed goes through.
local td = require "tandem"

local TENANTS <const> = 1 << 20
local GPU <const> = td.gpu "own" { concurrency = 2, memory = "1GB", flops = "1TFLOPS",
  bandwidth = "1TB/s" }

local function run(pipeline, rows, extra)
  local raw = { workload = td.replay { rows = rows or { { arrival = 0 }, { arrival = 1 } } },
    target = GPU, pipeline = pipeline }
  for key, value in pairs(extra or {}) do raw[key] = value end
  return td.scenario "s" (raw):run { replications = 1, warmup = "none" }
end

local function fails(message, ...)
  local result, got = run(...)
  assert.is_nil(result)
  assert.matches(message, got, 1, true)
end

local function works(...)
  local result, message = run(...)
  assert.is_table(result, message)
  return result
end

-- A process of each request.
local function process(fn) return { td.process "p" { fn = fn } } end

describe("a run ends where", function()
  it("a cost is no time, or longer than 26 days", function()
    -- Lowered, as a function, and one event at a time.
    local function costs(value, way)
      return { td.fixed "a" { time = way ~= 2 and "r.x" or function(r)
        return #(("x"):rep(2)) / 2 * r.x
      end } }, { { arrival = 0, x = 1 }, { arrival = 1, x = value } },
        way == 3 and { timeout = "10000000s" } or nil
    end
    for way = 1, 3 do
      fails('stage "a": the cost of request 2 is -1; it must be a number of at least 0',
        costs(-1, way))
      fails('stage "a": one service takes 2.252e+06 s; the limit is 26 days',
        costs(2.252e6, way))
      works(costs(2.251e6, way)) -- 2^51 ns are 2,251,799.8 s
      works(costs(0, way))
    end
  end)

  it("a request of an LLM server has no whole number of tokens, or a tenant that cannot be",
    function()
      local function asks(field, value)
        local row = { arrival = 1, prompt = 10, output = 4, who = 0 }
        row[field] = value
        return { td.generate "answer" { prompt = "r.prompt", output = "r.output", tenant = "r.who",
          step = td.affine { step = "2ms" },
          engine = { max_seqs = 8, max_batched_tokens = 128, kv_blocks = 90 } } },
          { { arrival = 0, prompt = 10, output = 4, who = 0 }, row }
      end
      fails('stage "answer": request 2 has -1 tokens; it must be a number of at least 0',
        asks("prompt", -1))
      fails('stage "answer": request 2 has -2 tokens', asks("output", -2))
      for _, who in ipairs { -1, 0.5, TENANTS } do
        fails(('stage "answer": tenant %g; tenants are whole numbers from 0 to %d'):format(who,
          TENANTS - 1), asks("who", who))
      end
      works(asks("who", TENANTS - 1))
    end)

  it("a hold asks for what its memory cannot give", function()
    local function holding(bytes)
      return { td.hold "h" { on = "m", memory = "r.bytes", td.delay "work" { time = 1 } } },
        { { arrival = 0, bytes = 1 }, { arrival = 1, bytes = bytes } },
        { resources = { td.memory "m" { bytes = 10 } } }
    end
    fails("a request asks for memory where there is none, or for less than 0 bytes", holding(-1))
    fails('a request asks for 11 bytes of "m", which has 10', holding(11))
    works(holding(10))
    works(holding(0))
  end)

  it("a process asks for what cannot be", function()
    fails("the amount is -1.0; it must be 0 or more, and finite",
      process(function(p) p:use("gpu", -1) end))
    local below = td.sample(function() return -1 end)
    fails("a process asks for a time or amount below 0", process(function(p) p:hold(below) end))
    works(process(function(p) p:hold(td.sample(function() return 0 end)) end))
    works(process(function(p) p:hold(0) p:use("gpu", 0) p:seize("memory", 0) end))
    fails("a process releases more memory than it holds",
      process(function(p) p:seize("memory", 5) p:release("memory", 6) end))
    works(process(function(p) p:seize("memory", 6) p:release("memory", 6) end))
    fails('a request asks for 1.1e+09 bytes of "own memory", which has 1e+09',
      process(function(p) p:seize("memory", 1.1e9) end))
    works(process(function(p) p:seize("memory", 1e9) end))
  end)

  it("a process holds more than four memories", function()
    local names, memories = { "a", "b", "c", "d", "e" }, {}
    for i, name in ipairs(names) do memories[i] = td.memory(name) { bytes = 10 } end
    local function holding(count, again)
      return process(function(p)
        for i = 1, count do p:seize(("abcde"):sub(i, i), 1) end
        if again then
          p:release("b", 1)
          p:seize("e", 1)
        end
      end), nil, { resources = memories }
    end
    works(holding(4))
    works(holding(4, true)) -- in the place of one that it gave back
    fails("a process holds more than four memories at once", holding(5))
  end)
end)
