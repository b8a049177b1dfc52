--- Maps: what they may say, how they are written, what is proposed for runs with known answers and
--- for real captures.
local fixture = require "tests.spec.support.analysis_fixture"
local made_trace = require "tests.spec.support.made_trace"
local map = require "tandem.map"
local names = require "tandem.map.names"
local pattern = require "tandem.map.pattern"
local store_fixture = require "tests.spec.support.store_fixture"
local td = require "tandem"

local function problems_of(text)
  local made, problems = map.load("map.lua", { text = 'local td = require "tandem"\n' .. text })
  assert.is_nil(made)
  return tostring(problems)
end

describe("a map", function()
  it("says all that is wrong with it at once, each with its line and the nearest word", function()
    local told = problems_of [[
return td.map {
  request = { range = "step*", catgory = "nvtx" },
  sizes = { tokens = "/tokens=\\d+/", rows = { count = { kernel = "*", copy = "HtoD" } } },
  stages = {
    { "forward", rnge = "## forward ##" },
    { "compute", kernel = "/(/" },
    { "compute", comm = "*", on = "gpu" },
    { kernel = "*", lane = "gpu" },
    { "in", phase = "input" },
    { "h2d", copy = "HtoDe" },
  },
}]]
    local lines = {}
    for line in told:gmatch "[^\n]+" do lines[#lines + 1] = line end
    assert.same({
      "map.lua:3: request.catgory: unknown key; did you mean 'category'?",
      "map.lua:4: sizes.rows.count.copy: stands beside kernel; give one of the two",
      "map.lua:4: sizes.tokens: has no parentheses around the number that it means: "
        .. "\"/tokens=(\\\\d+)/\"",
      "map.lua:6: stages.forward.rnge: unknown key; did you mean 'range'?",
      "map.lua:7: stages.compute.kernel: is not an expression: at offset 1 of '(': missing closing "
        .. "parenthesis",
      "map.lua:8: stages.compute.on: goes with range, not with comm",
      "map.lua:8: stages[3]: two stages are named 'compute'",
      "map.lua:9: stages[4]: has no name; a stage begins with it: { \"h2d\", copy = \"HtoD\" }",
      "map.lua:9: stages[4].lane: 'gpu' is not known; did you mean 'GPU'?",
      "map.lua:10: stages[5]: takes a phase, which goes with request = { phases = true }",
      "map.lua:11: stages.h2d.copy: 'HtoDe' is not known; did you mean 'HtoD'?" }, lines)
  end)

  it("is of one kind of request", function()
    assert.matches("request.starts: stands beside range", problems_of [[
return td.map { request = { range = "a", starts = { kernel = "b" } },
  stages = { { "x", kernel = "*" } } }]], 1, true)
    assert.matches("request: does not say what a request is; give it one of range, sequence",
      problems_of 'return td.map { request = {}, stages = { { "x", kernel = "*" } } }', 1, true)
    assert.matches("request.category: has 9; a rule can name 8", problems_of [[
return td.map { stages = { { "x", kernel = "*" } }, request = { range = "a",
  category = { "a", "b", "c", "d", "e", "f", "g", "h", "i" } } }]], 1, true)
    assert.matches("request.each: goes with sequence or starts, not with range", problems_of [[
return td.map { request = { range = "a", each = "stream" }, stages = { { "x", op = "*" } } }]], 1,
      true)
    assert.matches("stages.x: does not say what it takes; give it one of range, kernel, comm, copy",
      problems_of 'return td.map { request = { range = "a" }, stages = { { "x" } } }', 1, true)
    assert.matches("stages: is missing", problems_of 'return td.map { request = { range = "a" } }',
      1, true)
    assert.matches("stands beside by", problems_of [[
return td.map { request = { by = function() end }, stages = { { "x", op = "*" } } }]], 1, true)
    assert.matches("request.sequence: wants at least 2", problems_of [[
return td.map { request = { sequence = { "kernel" } }, stages = { { "x", op = "*" } } }]], 1, true)
  end)

  it("runs where scenario files run", function()
    assert.matches("map.lua:2: 'io' is not available", problems_of "io.open 'x'", 1, true)
    assert.matches("map.lua:2: td.map.load reads runs and files", problems_of "td.map.load 'x'", 1,
      true)
    assert.matches("map.lua: does not return a map but a table", problems_of "return {}", 1, true)
    local made, message, code = map.load "nowhere/map.lua"
    assert.is_nil(made)
    assert.matches("cannot read nowhere/map.lua", message, 1, true)
    assert.equal(4, code)
  end)

  it("is data: printed, hashed, written as a file that loads again", function()
    local made = td.map { request = { starts = { kernel = "/\\bsoft\"max\\b/" }, each = "device" },
      sizes = { tokens = "/n=(\\d+)/", moved = { bytes = { copy = "HtoD" } } },
      stages = { { "h2d", copy = "HtoD", lane = "H2D" },
        { "forward", range = "## forward ##", category = { "nvtx", "cpu_op" }, on = "gpu" } } }
    local text = made:to_lua { head = { "What it is." }, request = "7 requests",
      stages = { h2d = ("word "):rep(30) } }
    assert.matches('^%-%- What it is%.\nlocal td = require "tandem"\n\nreturn td%.map {\n', text)
    assert.matches('each = "device" },  -- 7 requests\n', text, 1, true)
    for line in text:gmatch "[^\n]+" do assert.is_true(#line <= 100, line) end
    local again = assert(map.load("again.lua", { text = text }))
    assert.equal(made, again)
    assert.equal(made:hash(), again:hash())
    assert.same(made.spec, again.spec)
    assert.not_equal(made:hash(), td.map { request = { range = "a" },
      stages = { { "x", kernel = "*" } } }:hash())
    assert.has_error(function() made.spec2 = 1 end)
  end)

  it("is written with names that are Lua's words, and texts of several lines", function()
    local made = td.map { request = { range = "a", category = "x\ny\0011" },
      sizes = { ["end"] = "/n=(\\d+)/", rows = { arg = "a\tb" } },
      stages = { { "x", kernel = "*" } } }
    local again = assert(map.load("again.lua", { text = made:to_lua() }))
    assert.same(made.spec, again.spec)
  end)

  it("gives its function, which its text only names", function()
    local made = td.map { request = { by = function(span) return span.name, "x" end } }
    assert.same({ "a", "x" }, { made.by { name = "a" } })
    assert.matches("by = function(span) … end", tostring(made), 1, true)
    assert.has_error(function() made:to_lua() end)
  end)
end)

describe("patterns", function()
  it("are globs of whole names, or expressions found anywhere", function()
    local function takes(text, name) return pattern.matcher(text)(name) end
    assert.is_true(takes("step #*", "step #12"))
    assert.is_false(takes("step #*", "a step #12"))
    assert.is_true(takes("a?c", "abc"))
    assert.is_true(takes("[x|y].z", "[x|y].z"))
    assert.is_false(takes("a.c", "abc"))
    assert.is_true(takes("/b+/", "abbc"))
    assert.is_false(takes("/^b/", "abbc"))
  end)

  it("are found for kernels: short, and of no other kernel", function()
    local all = { "void at::native::vectorized_elementwise_kernel<4, AddFunctor>(int, float*)",
      "void at::native::elementwise_kernel<128, 2, MulFunctor>(int, float const*, float const*)",
      "void at::native::elementwise_kernel<128, 2, DivFunctor>(int, float const*, float const*)",
      "ampere_sgemm_32x32_tn" }
    assert.equal("ampere_sgemm_32x32_tn", names.glob(all[4], all))
    assert.equal("*vectorized_elementwise_kernel*", names.glob(all[1], all))
    assert.equal("*MulFunctor*", names.glob(all[2], all))
    assert.equal("/\\b(elementwise_kernel|vectorized_elementwise_kernel)\\b/",
      names.group({ all[1], all[2], all[3] }, { all[4], "x_elementwise_kernel" }))
  end)

  it("find the numbers in names of requests that are no ordinals", function()
    assert.is_nil(names.sizes { "step#1", "step#2", "step#5" })
    assert.same({ tokens = "/tokens (\\d+)/" },
      names.sizes { "batch 3: tokens 10", "batch 4: tokens 9", "batch 5: tokens 20" })
    assert.same({ tokens = "/execute_(\\d+)/", context = "/context_(\\d+)/",
      context_sq = "/context_\\d+\\(sq(\\d+)/", context_sk = "/context_\\d+\\(sq\\d+sk(\\d+)/" },
      names.sizes { "execute_8192_context_9(sq8155sk8430sqsq74sqsk76)_generation_37(sq37sk34)" })
  end)
end)

-- ---- proposals ----

local stores
local function with_stores()
  before_each(function() stores = store_fixture.new() end)
  after_each(function() stores:remove() end)
end

describe("maps proposed for a made run", function()
  with_stores()

  it("are ranges that differ in a number, with the ranges inside that tell it apart", function()
    local made = made_trace.new()
    local thread, stream = made:thread(), made:stream()
    for i = 0, 5 do
      local at = 1000 * i
      made:span("user_annotation", thread, "step#" .. (7 + i), at, at + 900)
      made:span("user_annotation", thread, "all of it", at + 1, at + 899)
      made:span("user_annotation", thread, "load", at + 10, at + 310)
      made:span("user_annotation", thread, "run", at + 320, at + 890)
      made:span("user_annotation", thread, "inner", at + 330, at + 340)
      made:launch(thread, stream, i + 1, { at + 400, at + 410 }, { at + 420, at + 820 })
    end
    local proposals = assert(td.map.propose(made:run(stores)))
    assert.same({ request = { range = "step#*" }, stages = { { "load", range = "load" },
      { "run", range = "run" }, { "compute", kernel = "*" } } }, proposals[1].map.spec)
    assert.equal(6, proposals[1].visits.count)
    local own = {}
    for _, row in ipairs(proposals[1].coverage:frame("stages").rows) do
      own[row.stage] = row.own_ns
    end
    -- The kernel covers 400 of run's 570 us; every instant counts once.
    assert.same({ load = 6 * 300000, run = 6 * 170000, compute = 6 * 400000 }, own)
    assert.is_false(proposals[1].once)
  end)

  it("are the outermost that repeat, not the layers in them", function()
    local made = made_trace.new()
    local thread, stream, id = made:thread(), made:stream(), 0
    for i = 0, 2 do
      local at = 100000 * i
      made:span("user_annotation", thread, "forward#" .. i, at, at + 60000)
      for k = 0, 19 do
        local from = at + 100 + 2900 * k
        id = id + 1
        made:span("user_annotation", thread, "layer " .. k, from, from + 2800)
        made:launch(thread, stream, id, { from + 10, from + 20 }, { from + 30, from + 2700 })
      end
      id = id + 1
      made:launch(thread, stream, id, { at + 59000, at + 59010 }, { at + 59020, at + 59900 },
        "head")
    end
    local best = assert(td.map.propose(made:run(stores)))[1]
    assert.equal("forward#*", best.map.spec.request.range)
    assert.equal(3, best.visits.count)
    assert.matches("the outermost that repeat, each around 20 of layer *", best.why, 1, true)
  end)

  it("are copies and kernels in turn where nothing is marked", function()
    local made = made_trace.new()
    local stream = made:stream()
    for i = 0, 4 do
      local at = 100 * i
      made:span("memcpy", stream, "Memcpy HtoD", at, at + 10, { kind = "HtoD", bytes = 100 })
      made:span("kernel", stream, "k" .. i % 3, at + 20, at + 60)
      made:span("memcpy", stream, "Memcpy DtoH", at + 70, at + 75, { kind = "DtoH", bytes = 8 })
    end
    local best = assert(td.map.propose(made:run(stores)))[1]
    assert.same({ request = { sequence = { "HtoD", "kernel", "DtoH" }, each = "stream" },
      stages = { { "h2d", copy = "HtoD" }, { "compute", kernel = "*" },
        { "d2h", copy = "DtoH" } } }, best.map.spec)
    assert.equal(5, best.visits.count)
  end)

  it("are periods that one kernel begins", function()
    local made = made_trace.new()
    local stream = made:stream()
    made:span("kernel", stream, "setup", 0, 5)
    for i = 0, 9 do
      local at = 10 + 100 * i
      made:span("kernel", stream, "norm_layer", at, at + 10)
      made:span("kernel", stream, "some_gemm", at + 12, at + 52)
      made:span("kernel", stream, "norm_layer_2", at + 60, at + 70)
      made:span("kernel", stream, "some_gemm", at + 72, at + 92)
    end
    local best = assert(td.map.propose(made:run(stores)))[1]
    assert.same({ starts = { kernel = "norm_layer" }, each = "device" }, best.map.spec.request)
    assert.equal(9, best.visits.count) -- the last is open
    local gemm = best.visits:of "gemm"
    assert.equal(9 * 60000, (function()
      local sum = 0
      for _, ns in ipairs(gemm.busy_ns) do sum = sum + ns end
      return sum
    end)())
  end)

  it("follow each stream where a device has several, however tracks alternate", function()
    local made = made_trace.new()
    local streams = { made:stream(7, 0), made:stream(7, 1), made:stream(13, 0), made:stream(13, 1) }
    for i = 0, 9 do
      for k, stream in ipairs(streams) do
        made:span("kernel", stream, "begin", 100 * i + k, 100 * i + k + 20)
        made:span("kernel", stream, "rest", 100 * i + k + 30, 100 * i + k + 70)
      end
    end
    local best = assert(td.map.propose(made:run(stores)))[1]
    assert.same({ starts = { kernel = "begin" }, each = "stream" }, best.map.spec.request)
    assert.equal(4 * 9, best.visits.count) -- the last of each is open
  end)

  it("say how much GPU time stages have, whatever their lane is called", function()
    local made = made_trace.new()
    local thread, stream = made:thread(), made:stream()
    made:span("nvtx", thread, "step", 0, 100)
    for i, at in ipairs { 10, 200, 300, 400 } do -- one of four within the request
      made:span("runtime", thread, "cudaMemcpyAsync", at, at + 1, { correlation = i })
      made:span("memcpy", stream, "copy", at, at + 10, { correlation = i, kind = "HtoD" })
    end
    local of = assert(made:run(stores):visits(td.map { request = { range = "step" },
      stages = { { "copies", copy = "*" } } }))
    assert.equal("1 request, 10.0 % of its time and 25.0 % of the GPU time in stages",
      require("tandem.map.notes").summary(of, of:coverage()))
  end)

  it("are modules of PyTorch, whose names people know", function()
    local made = made_trace.new()
    local thread, stream = made:thread(), made:stream()
    for i = 0, 3 do
      local at = 1000 * i
      made:span("python_function", thread, "nn.Module: Layer_" .. i, at, at + 900)
      made:span("python_function", thread, "layer.py(12): forward", at + 1, at + 899)
      made:span("python_function", thread, "nn.Module: Attention_" .. i, at + 10, at + 400)
      made:span("python_function", thread, "nn.Module: MLP_" .. i, at + 410, at + 880)
      made:launch(thread, stream, i + 1, { at + 400, at + 410 }, { at + 420, at + 820 })
    end
    local best = assert(td.map.propose(made:run(stores)))[1]
    assert.same({ request = { range = "nn.Module: Layer_*" }, stages = {
      { "Attention", range = "nn.Module: Attention_*" }, { "MLP", range = "nn.Module: MLP_*" },
      { "compute", kernel = "*" } } }, best.map.spec)
  end)

  it("are operators where nothing else is known, their ordinals left out", function()
    local made = made_trace.new()
    local thread, stream = made:thread(), made:stream()
    for i = 0, 3 do
      local at = 100 * i * i -- never the same work again: names differ
      made:span("nvtx", thread, "aten::linear, op_id = " .. 100 + i, at, at + 50)
      made:launch(thread, stream, i + 1, { at + 10, at + 20 }, { at + 20, at + 40 }, "k" .. i)
    end
    local best = assert(td.map.propose(made:run(stores)))[1]
    assert.equal("aten::linear, op_id = *", best.map.spec.request.range)
    assert.is_nil(best.map.spec.sizes)
    assert.equal(4, best.visits.count)
  end)

  it("have patterns for names that globs cannot spell", function()
    for _, name in ipairs { "a\nb", "/api/v1/", "*", "\255\254 step", "[a|b]%d" } do
      local made = made_trace.new()
      local thread, stream = made:thread(), made:stream()
      for i = 0, 3 do
        made:span("user_annotation", thread, name, 100 * i, 100 * i + 80)
        made:launch(thread, stream, i + 1, { 100 * i + 10, 100 * i + 20 },
          { 100 * i + 20, 100 * i + 40 })
      end
      local fresh = store_fixture.new()
      local best = assert(td.map.propose(made:run(fresh)))[1]
      assert.is_true(best.visits.count >= 3, name)
      assert(map.load("m.lua", { text = best.map:to_lua() }))
      fresh:remove()
    end
  end)

  it("take ranges that overlap for requests of their own", function()
    local made = made_trace.new()
    local thread, stream = made:thread(), made:stream()
    for i = 0, 4 do
      made:span("nvtx", thread, "request " .. i, 100 * i, 100 * i + 150)
      made:launch(thread, stream, i + 1, { 100 * i + 60, 100 * i + 70 },
        { 100 * i + 70, 100 * i + 90 })
    end
    local best = assert(td.map.propose(made:run(stores)))[1]
    assert.equal("request *", best.map.spec.request.range)
    assert.equal(5, best.visits.count)
    assert.equal("5 ranges in which 100 % of the GPU work was launched", best.why)
  end)

  it("have their stages in order of the pipeline", function()
    local made = made_trace.new()
    local stream = made:stream()
    for t = 0, 1 do -- two threads serve at the same time
      local thread = made:thread(t + 1)
      for i = 0, 3 do
        local at, id = 1000 * i + 300 * t, 2 * i + t
        made:span("nvtx", thread, "request " .. id, at, at + 900)
        made:span("nvtx", thread, "decode", at + 5, at + 105)
        made:span("nvtx", thread, "answer", at + 600, at + 890)
        made:launch(thread, stream, id + 1, { at + 110, at + 120 }, { at + 150, at + 250 })
      end
    end
    local best = assert(td.map.propose(made:run(stores)))[1]
    assert.same({ { "decode", range = "decode" }, { "compute", kernel = "*" },
      { "answer", range = "answer" } }, best.map.spec.stages)
    assert.equal("8 ranges in which 100 % of the GPU work was launched", best.why)
  end)

  it("tell GPU work by the range it was launched in where several launch", function()
    local made = made_trace.new()
    local thread, other, stream = made:thread(1), made:thread(2), made:stream()
    for i = 0, 3 do
      local at = 1000 * i
      made:span("user_annotation", thread, "ProfilerStep#" .. i, at, at + 900)
      made:span("user_annotation", thread, "## forward ##", at + 10, at + 410)
      made:span("user_annotation", thread, "## backward ##", at + 420, at + 890)
      made:launch(thread, stream, 2 * i + 1, { at + 20, at + 30 }, { at + 40, at + 340 })
      -- The autograd engine launches from a thread of its own.
      made:launch(other, stream, 2 * i + 2, { at + 430, at + 440 }, { at + 450, at + 850 })
    end
    local best = assert(td.map.propose(made:run(stores)))[1]
    assert.same({ { "forward", range = "## forward ##" }, { "backward", range = "## backward ##" },
      { "forward gpu", range = "## forward ##", on = "gpu" },
      { "backward gpu", range = "## backward ##", on = "gpu" } }, best.map.spec.stages)
    assert.same({ 400000, 400000, 400000, 400000 }, best.visits:of("backward gpu").busy_ns)
  end)

  it("have sizes that are not whole numbers, and names of few letters", function()
    local made = made_trace.new()
    local thread = made:thread()
    for i, kb in ipairs { 2.5, 17.25, 0.125 } do
      made:span("nvtx", thread, ("request %d kb=%s"):format(i, kb), 1000 * i, 1000 * i + 90)
    end
    local best = assert(td.map.propose(made:run(stores)))[1]
    assert.same({ 2.5, 17.25, 0.125 }, best.visits:requests().sizes.kb)
  end)

  it("have the sizes that names carry", function()
    local made = made_trace.new()
    local thread, stream = made:thread(), made:stream()
    for i, tokens in ipairs { 64, 3, 17, 64 } do
      local at = 1000 * i
      made:span("nvtx", thread, ("request %d tokens=%d"):format(i, tokens), at, at + 900)
      made:launch(thread, stream, i, { at + 10, at + 20 }, { at + 20, at + 20 + tokens })
    end
    local best = assert(td.map.propose(made:run(stores)))[1]
    assert.same({ tokens = "/\\btokens=(\\d+)/" }, best.map.spec.sizes)
    assert.same({ 64, 3, 17, 64 }, best.visits:requests().sizes.tokens)
    assert.matches("tokens = .*%-%- 3 to 64", best.map:to_lua(
      require("tandem.map.notes").of(best.visits, best.coverage)))
  end)

  it("are marks that came once, told to be too few", function()
    local made = made_trace.new()
    local thread, stream = made:thread(), made:stream()
    made:span("user_annotation", thread, "step[DECODE bs=32]", 0, 100)
    made:launch(thread, stream, 1, { 10, 20 }, { 30, 80 })
    local best = assert(td.map.propose(made:run(stores)))[1]
    assert.same({ request = { range = "step[DECODE bs=*]" }, stages = {
      { "compute", kernel = "*" } } }, best.map.spec)
    assert.is_true(best.once)
  end)

  -- Layers in one mark of all the work: a request is what the mark says it is.
  local function layers_in(mark, modules)
    local made = made_trace.new()
    local thread, stream = made:thread(), made:stream()
    made:span("nvtx", thread, mark, 0, 1000)
    for i = 0, 9 do
      local at = 100 * i
      if modules then
        made:span("python_function", thread, "nn.Module: " .. modules, at + 1, at + 9)
      end
      made:launch(thread, stream, 2 * i + 1, { at + 2, at + 3 }, { at + 20, at + 60 }, "norm")
      made:launch(thread, stream, 2 * i + 2, { at + 4, at + 5 }, { at + 62, at + 90 }, "other")
    end
    return assert(td.map.propose(made:run(stores)))[1]
  end

  it("are a mark that came once, where it is said of one step or request", function()
    for _, mark in ipairs { "step 7", "decode_step", "forward", "request-3", "Iteration 3",
      "ProfilerStep#3", "execute_32" } do
      local best = layers_in(mark)
      assert.equal(1, best.visits.count, mark)
      assert.is_true(best.once)
      assert.matches("named as one", best.why, 1, true)
    end
    for _, mark in ipairs { "steps", "100 iterations", "training", "step loop", "generate",
      "warmup step" } do
      assert.same({ kernel = "norm" }, layers_in(mark).map.spec.request.starts, mark)
    end
  end)

  it("are PyTorch's modules in such a mark where the outermost repeats", function()
    assert.equal("nn.Module: Model_0", layers_in("step 7", "Model_0").map.spec.request.range)
  end)

  it("are none where nothing repeats, with the reason", function()
    local made = made_trace.new()
    made:span("kernel", made:stream(), "one", 0, 10)
    local proposals, why, code = td.map.propose(made:run(stores))
    assert.is_nil(proposals)
    assert.matches("nothing in the run repeats and no range is marked (it has 1 kernel)", why, 1,
      true)
    assert.equal(3, code)
  end)

  it("are none of a simulated run, which needs none", function()
    stores:keep "a.db"
    local store <close> = assert(td.store(stores:path "a.db"))
    local proposals, why = td.map.propose(assert(store:run "last"))
    assert.is_nil(proposals)
    assert.matches("is simulated and needs no map", why, 1, true)
    local out, err, code = stores:tandem("map", "last")
    assert.equal(0, code, err)
    assert.matches("is simulated and needs no map: 50 requests", out, 1, true)
  end)
end)

-- By capture: the request of the best proposal, how many, and its stages.
local CAPTURES <const> = {
  ["nsys/h100_2gpu_1s.sqlite.gz"] = { { sequence = { "HtoD", "kernel" }, each = "stream" }, 114,
    "h2d d2d compute d2h" },
  ["kineto/nccl_parser_config__nccl_data.json.gz"] = { { range = "ProfilerStep#*" }, 3,
    "forward collectives d2d backward optimizer forward_gpu backward_gpu other_compute" },
  ["kineto/inference__vllm_decode_full__graph_execution.json.gz"] = {
    { range = "execute_*" }, 1,
    "LogitsProcessor_0 d2d gemm attention moe_routing moe_gemm operators other_kernels" },
  ["kineto/inference__sglang_decode__sglang_Qwen3-8B_decode.json.gz"] = {
    { range = "execute_*" }, 1, "d2h norm gemm attention operators other_kernels" },
  ["kineto/h100__Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz"] = {
    { range = "ProfilerStep#*" }, 1,
    "memset d2h Qwen2RMSNorm Qwen2Attention Qwen2MLP Qwen2RMSNorm_gpu Qwen2Attention_gpu "
      .. "Qwen2MLP_gpu other_compute operators" },
  ["kineto/inference__xdit_sd_3.5__profile_trace_rank_0.json.gz"] = {
    { range = "Torch-Compiled Region: 0/0" }, 4, "compute operators" },
  ["kineto/df_index_resolver__df_index_resolver.json.gz"] = { { range = "ProfilerStep#*" }, 5,
    "Optimizer.zero_grad compute d2d allreduce Optimizer.step operators" },
  ["cuda_api/vllm-37343.bpftrace.jsonl.gz"] = { { phases = true }, 1, "input execute" },
  ["nsys/healthy_1pct.sqlite"] = { { starts = { kernel = "*elementwise_add*" }, each = "device" },
    199, "elementwise gemm" },
}

describe("maps proposed for a real capture", function()
  local captures
  setup(function()
    captures = fixture.new(table.unpack(require("tandem.text.nearest").sorted_keys(CAPTURES)))
  end)
  teardown(function() captures:remove() end)

  for file, wanted in pairs(CAPTURES) do
    it("are what an engineer would have written: " .. file, function()
      local run = captures:run(file)
      local best = assert(td.map.propose(run))[1]
      local stages = {}
      for i, stage in ipairs(best.map.spec.stages) do stages[i] = stage[1]:gsub(" ", "_") end
      assert.same(wanted[1], best.map.spec.request)
      assert.equal(wanted[2], best.visits.count)
      assert.equal(wanted[3], table.concat(stages, " "))
      -- What is written loads again and finds the same requests.
      local again = assert(map.load("m.lua", { text = best.map:to_lua() }))
      assert.equal(best.visits.count, assert(run:visits(again)).count)
    end)
  end
end)
