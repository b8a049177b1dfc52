--- Visits of runs: made traces with known answers, captures against a count in Lua, simulated runs
--- against their own rows.
local fixture = require "tests.spec.support.analysis_fixture"
local made_trace = require "tests.spec.support.made_trace"
local store_fixture = require "tests.spec.support.store_fixture"
local td = require "tandem"

local STEPS <const> = "kineto/ns_resolution_trace__rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz"
local TWO_GPUS <const> = "nsys/h100_2gpu_1s.sqlite.gz"
local CALLS <const> = "cuda_api/vllm-37343.ingero.jsonl.gz"

local KERNEL <const> = { "compute", kernel = "*" }

-- Times of a stage's visits in microseconds: "request: own+wait+rest" each.
local function parts(of, name)
  local c, list = of:of(name), {}
  for i in ipairs(c.request) do
    list[i] = ("%d: %d+%d+%d"):format(c.request[i], c.own_ns[i] // 1000, c.wait_ns[i] // 1000,
      c.rest_ns[i] // 1000)
  end
  return table.concat(list, ", ")
end

local function micros(list)
  local made = {}
  for i, value in ipairs(list) do made[i] = value // 1000 end
  return made
end

local function assert_adds_up(of)
  local requests, sum = of:requests(), {}
  for i = 1, of.count do sum[i] = requests.tail_ns[i] end
  for _, stage in ipairs(of.stages) do
    local c = of:of(stage.name)
    for i, request in ipairs(c.request) do
      sum[request] = sum[request] + c.own_ns[i] + c.wait_ns[i] + c.rest_ns[i]
    end
  end
  for i = 1, of.count do assert.equal(requests.end_ns[i] - requests.arrival_ns[i], sum[i]) end
end

local function coverage(of, frame, key, value)
  for _, row in ipairs(of:coverage():frame(frame).rows) do
    if row[key] == value then return row end
  end
end

describe("visits of a made trace", function()
  local stores
  before_each(function() stores = store_fixture.new() end)
  after_each(function() stores:remove() end)

  local function visits_of(made, map)
    local of = assert(made:run(stores):visits(map))
    assert_adds_up(of)
    return of
  end

  it("abstain where times of a damaged capture exceed 64 bits together", function()
    local made = made_trace.new()
    local thread, stream = made:thread(), made:stream()
    local far <const> = 9000000000000000
    made:span("nvtx", thread, "step 1", -far, 0):span("nvtx", thread, "step 2", 0, far)
    for i = 1, 3 do made:launch(thread, stream, i, { 0, 1 }, { 0, far }) end
    local run = made:run(stores)
    local none, message, code = run:visits { request = { range = "step *" }, stages = { KERNEL } }
    assert.is_nil(none)
    assert.equal(3, code)
    assert.matches("requests from %-9%d+ to 9%d+ ns are further apart than 64 bits", message)
    local one = assert(run:visits { request = { range = "step 2" },
      stages = { { "compute", comm = "*" } } })
    assert.equal(math.maxinteger, coverage(one, "unmapped", "name", "kernel").total_ns)
    none, message = td.map.propose(run)
    assert.is_nil(none)
    assert.matches("further apart than 64 bits", message)
  end)

  it("follow launches out of their range, from its thread and from helpers", function()
    local made = made_trace.new()
    local main, helper, gpu = made:thread(1), made:thread(2), made:stream()
    made:span("nvtx", main, "step 7", 0, 100):span("nvtx", main, "step 8", 100, 200)
    made:span("nvtx", main, "step 7", 10, 20) -- inside: part of the outer
    made:launch(main, gpu, 1, { 10, 12 }, { 20, 60 })
    made:launch(helper, gpu, 2, { 90, 92 }, { 95, 150 })
    made:launch(main, gpu, 3, { 120, 122 }, { 150, 180 })
    made:launch(main, gpu, 4, { 250, 252 }, { 260, 270 })
    local of = visits_of(made, { request = { range = "step *" }, sizes = { n = "/step (\\d+)/" },
      stages = { KERNEL } })
    local requests = of:requests()
    assert.same({ "step 7", "step 8" }, requests.id)
    assert.same({ 7, 8 }, requests.sizes.n)
    assert.same({ 0, 100 }, micros(requests.arrival_ns))
    assert.same({ 150, 200 }, micros(requests.end_ns))
    assert.same({ 0, 20 }, micros(requests.tail_ns))
    assert.equal("1: 95+0+55, 2: 30+50+0", parts(of, "compute"))
    assert.equal(1, of.stages[1].concurrency)
    local row = coverage(of, "stages", "stage", "compute")
    assert.same({ 2, 3, 1, 10000 }, { row.requests, row.pieces, row.outside_rows, row.outside_ns })
    local half = of:slice(function(i) return i == 1 end)
    assert.same(of:coverage():frame("unmapped").rows, half:coverage():frame("unmapped").rows)
    assert.matches("1 of 2 requests; what is unmapped or left out covers all",
      table.concat(half:coverage().basis, "\n"), 1, true)
    assert.equal(1, coverage(of, "left_out", "what",
      "matches inside a match of the request's rule: part of it").count)
  end)

  it("belong to the request of their thread where requests overlap", function()
    local made = made_trace.new()
    local one, two, helper, gpu = made:thread(1), made:thread(2), made:thread(3), made:stream()
    made:span("nvtx", one, "query", 0, 100):span("nvtx", two, "query", 50, 150)
    made:launch(one, gpu, 1, { 60, 61 }, { 70, 80 })
    made:launch(two, gpu, 2, { 60, 61 }, { 80, 90 })
    made:launch(helper, gpu, 3, { 70, 71 }, { 90, 95 })  -- two are open: nobody's
    made:launch(helper, gpu, 4, { 120, 121 }, { 130, 140 })
    local of = visits_of(made, { request = { range = "query" }, stages = { KERNEL } })
    assert.equal("1: 10+0+70, 2: 20+10+60", parts(of, "compute"))
    assert.equal(1, coverage(of, "left_out", "what",
      "GPU rows begun while several requests of a process were open: counted for none").count)
  end)

  it("take ranges that need not nest as requests each", function()
    local made = made_trace.new()
    local main, gpu = made:thread(1), made:stream()
    made:free("nvtx", main, "r", 0, 100):free("nvtx", main, "r", 10, 50)
    made:launch(main, gpu, 1, { 5, 6 }, { 20, 30 }):launch(main, gpu, 2, { 15, 16 }, { 30, 40 })
    local of = visits_of(made, { request = { range = "r" }, stages = { KERNEL } })
    assert.same({ 100, 50 }, micros(of:requests().end_ns))
    assert.same({ 20, 30 }, micros(of:of "compute".start_ns))
  end)

  it("go by time where no call is known, or where they are told to", function()
    local made = made_trace.new()
    local main, gpu = made:thread(1), made:stream()
    made:span("nvtx", main, "step", 0, 100):span("nvtx", main, "step", 100, 200)
    made:launch(main, gpu, 1, { 90, 91 }, { 110, 120 })
    made:span("kernel", gpu, "unknown", 150, 160)
    local map = { request = { range = "step" }, stages = { KERNEL } }
    assert.same({ 1, 2 }, visits_of(made, map):of "compute".request)
    map.request.attribute = "launch"
    assert.same({ 1 }, visits_of(made, map):of "compute".request)
    map.request.attribute = "time"
    assert.same({ 2 }, visits_of(made, map):of "compute".request)
  end)

  it("go by time where the ranges lie on a GPU", function()
    local made = made_trace.new()
    local main, gpu = made:thread(1), made:stream()
    made:span("gpu_user_annotation", gpu, "step", 0, 100)
    made:span("gpu_user_annotation", gpu, "step", 100, 200)
    made:launch(main, gpu, 1, { 90, 91 }, { 110, 120 })
    local of = visits_of(made, { request = { range = "step", category = "gpu_user_annotation" },
      stages = { KERNEL } })
    assert.same({ 2 }, of:of "compute".request)
  end)

  it("give a row to the first stage that takes it", function()
    local made = made_trace.new()
    local main, helper, gpu, other = made:thread(1), made:thread(2), made:stream(), made:stream(8)
    made:span("nvtx", main, "step", 0, 300):span("nvtx", main, "backward", 100, 200)
    made:span("cpu_op", main, "aten::mm", 20, 40):span("sync", main, "Stream", 210, 220)
    made:launch(main, gpu, 1, { 10, 12 }, { 20, 60 }, "gemm")
    made:launch(helper, gpu, 2, { 110, 112 }, { 120, 160 }, "gemm")
    made:launch(main, gpu, 3, { 250, 252 }, { 255, 260 }, "ncclDevKernel_AllReduce")
    made:span("runtime", main, "cudaMemcpyAsync", 5, 6, { correlation = 4 })
    made:span("memcpy", other, "copy", 7, 9, { correlation = 4, bytes = 64, kind = "HtoD" })
    made:span("runtime", main, "cudaStreamSynchronize", 205, 225, { correlation = 5 })
    made:span("memset", gpu, "Memset", 270, 275)
    local of = visits_of(made, { request = { range = "step" }, sizes = {
        kernels = { count = { kernel = "gemm" } }, moved = { bytes = { copy = "*" } } },
      stages = { { "back", range = "backward", on = "gpu" }, { "host", range = "backward" }, KERNEL,
        { "comm", comm = "*" }, { "h2d", copy = "HtoD" }, { "mm", op = "aten::*" },
        { "wait", sync = "*" }, { "call", call = "*Sync*", lane = "OTHER" } } })
    local lanes, list = {}, {}
    for i, stage in ipairs(of.stages) do
      lanes[stage.name], list[i] = stage.lane, stage.name
    end
    assert.same({ back = "GPU", host = "CPU", compute = "GPU", comm = "COMM", h2d = "H2D",
      mm = "CPU", wait = "CPU", call = "OTHER" }, lanes)
    assert.same({ "h2d", "compute", "mm", "host", "back", "call", "wait", "comm" }, list)
    assert.equal("1: 40+0+0", parts(of, "back"))    -- 120…160, within the host's 100…200
    assert.same({ 1 }, of:of "compute".pieces)
    assert.same({ 64 }, of:of "h2d".bytes)
    assert.same({ kernels = { 2 }, moved = { 64 } }, of:requests().sizes)
    assert.equal(5000, coverage(of, "unmapped", "name", "Memset").total_ns)
    assert.equal("GPU", coverage(of, "unmapped", "name", "Memset").where)
    local host = coverage(of, "unmapped", "name", "cudaLaunchKernel")
    assert.same({ "host", 3, 6000 }, { host.where, host.rows, host.total_ns })
  end)

  it("take ranges of their domain, work of graphs, copies without a kind", function()
    local made = made_trace.new()
    local main, gpu, other = made:thread(1), made:stream(), made:stream(8)
    for i, n in ipairs { 7, 8 } do
      local at = 200 * (i - 1)
      made:span("nvtx", main, "step", at, at + 190, { domain = "engine", n = n })
      made:span("nvtx", main, "load", at + 10, at + 30, { domain = "engine" })
      made:span("nvtx", main, "load", at + 40, at + 45, { domain = "other" })
      made:span("nvtx", main, "load", at + 46, at + 48)
    end
    made:span("runtime", main, "cudaGraphLaunch", 50, 52, { correlation = 1 })
    made:span("kernel", gpu, "gemm", 60, 80, { correlation = 1 })
    made:launch(main, gpu, 2, { 90, 92 }, { 100, 110 }, "gemm")
    made:span("kernel", gpu, "node", 120, 125, { correlation = 2, graph_node = 5 })
    made:span("runtime", main, "cudaMemcpyAsync", 130, 131, { correlation = 3 })
    made:span("memcpy", other, "copy", 132, 135, { correlation = 3, bytes = 10 })
    made:span("runtime", main, "cudaMemcpyAsync", 330, 331, { correlation = 4 })
    made:span("memcpy", other, "copy", 332, 335, { correlation = 4, bytes = 30, kind = "DtoH" })
    local of = visits_of(made, { request = { range = "step", domain = "engine" }, sizes = {
        n = { arg = "n" }, kernels = { count = { kernel = "*" } },
        moved = { bytes = { copy = "*" } }, back = { bytes = { copy = "DtoH" } } },
      stages = { { "load", range = "load", domain = "eng*" }, { "graphs", graph = "*" }, KERNEL,
        { "back", copy = "DtoH" }, { "copies", copy = "*" } } })
    assert.equal(2, of.count)
    assert.same({ 10, 10 }, micros(of:of "load".rest_ns))
    assert.same({ 20, 20 }, micros(of:of "load".own_ns))
    assert.same({ 1, 1 }, of:of "load".pieces)
    assert.same({ 25 }, micros(of:of "graphs".own_ns))
    assert.same({ 2 }, of:of "graphs".pieces)
    assert.same({ 10 }, micros(of:of "compute".own_ns))
    assert.same({ 10 }, of:of "copies".bytes)
    assert.same({ 1 }, of:of "copies".request)
    assert.same({ 30 }, of:of "back".bytes)
    assert.same({ n = { 7, 8 }, kernels = { 3, 0 }, moved = { 10, 30 }, back = { 0, 30 } },
      of:requests().sizes)
    assert_adds_up(of)
  end)

  it("of a GPU share nothing with those of the host, whatever their lane", function()
    local made = made_trace.new()
    local a, b, gpu = made:thread(1), made:thread(2), made:stream()
    made:span("nvtx", a, "step 1", 0, 100):span("nvtx", b, "step 2", 0, 100)
    made:span("nvtx", b, "host", 20, 40)
    made:span("runtime", a, "cudaMemcpyAsync", 5, 6, { correlation = 1 })
    made:span("memcpy", gpu, "copy", 10, 50, { correlation = 1, kind = "HtoD" })
    local of = visits_of(made, { request = { range = "step *" },
      stages = { { "copies", copy = "*" }, { "host", range = "host" } } })
    assert.equal("OTHER", of:stage "copies".lane)
    assert.same({ 1, 1 }, { of:stage "copies".concurrency, of:stage "host".concurrency })
  end)

  it("of a sequence begin with its first step after its last", function()
    local made = made_trace.new()
    local gpu = made:stream()
    local function row(kind, name, from, to)
      made:span(kind, gpu, name, from, to, kind == "memcpy" and { kind = name } or nil)
    end
    row("kernel", "early", 0, 5)
    row("memcpy", "HtoD", 10, 20) row("kernel", "a", 20, 40) row("memcpy", "HtoD", 40, 45)
    row("kernel", "b", 50, 60) row("memcpy", "DtoH", 60, 70) row("kernel", "after", 75, 80)
    row("memcpy", "HtoD", 100, 110) row("kernel", "a", 120, 140) row("memcpy", "DtoH", 140, 141)
    row("memcpy", "HtoD", 200, 210) -- never ends
    local of = visits_of(made, { request = { sequence = { "HtoD", "kernel", "DtoH" } }, stages = {
      { "h2d", copy = "HtoD" }, KERNEL, { "d2h", copy = "DtoH" } } })
    assert.same({ 10, 100 }, micros(of:requests().arrival_ns))
    assert.same({ 80, 141 }, micros(of:requests().end_ns))
    assert.same({ 2, 1 }, of:of "h2d".pieces)
    assert.equal("1: 35+0+10, 2: 20+0+10", parts(of, "compute"))
    assert.equal(1, coverage(of, "left_out", "what", "rows before the first request").count)
    assert.equal(1, coverage(of, "stages", "stage", "h2d").outside_rows)
  end)

  it("of a sequence that ends as it begins start over after its last step", function()
    local made = made_trace.new()
    local gpu = made:stream()
    for at = 0, 200, 100 do
      made:span("memcpy", gpu, "in", at, at + 10, { kind = "HtoD" })
      made:span("kernel", gpu, "k", at + 10, at + 40)
      made:span("memcpy", gpu, "in", at + 40, at + 50, { kind = "HtoD" })
    end
    local of = visits_of(made, { request = { sequence = { "HtoD", "kernel", "HtoD" } },
      stages = { { "h2d", copy = "HtoD" }, KERNEL } })
    assert.same({ 0, 100, 200 }, micros(of:requests().arrival_ns))
    assert.same({ 50, 150, 250 }, micros(of:requests().end_ns))
  end)

  it("of starts last from one match to the next", function()
    local made = made_trace.new()
    local main, gpu, copy = made:thread(1), made:stream(), made:stream(8)
    for i, at in ipairs { 10, 110, 220 } do
      made:launch(main, gpu, i, { at - 5, at - 4 }, { at, at + 30 }, "embed")
      made:span("kernel", gpu, "rest", at + 30, at + 50)
    end
    made:span("memcpy", copy, "x", 150, 160, { kind = "DtoH" })
    local map = { request = { starts = { kernel = "embed" } }, stages = { KERNEL,
      { "d2h", copy = "DtoH" } } }
    local of = visits_of(made, map)
    assert.same({ 10, 110 }, micros(of:requests().arrival_ns))
    assert.same({ 110, 220 }, micros(of:requests().end_ns))
    assert.equal("1: 50+0+0, 2: 50+0+0", parts(of, "compute"))
    assert.same({ 2 }, of:of "d2h".request)
    map.request.starts = { call = "cudaLaunchKernel" }
    of = visits_of(made, map)
    assert.same({ 5, 105 }, micros(of:requests().arrival_ns))
    assert.same({ 1, 2 }, of:of "compute".request)
  end)

  it("of a function are what it says", function()
    local made = made_trace.new()
    local main, gpu = made:thread(1), made:stream()
    made:span("nvtx", main, "step a", 0, 100):span("nvtx", main, "step b", 100, 200)
    made:launch(main, gpu, 1, { 10, 12 }, { 20, 60 })
    made:launch(main, gpu, 2, { 110, 112 }, { 120, 130 })
    local now
    local of = visits_of(made, { request = { by = function(span)
      now = span.name:match "^step (%a)" or now
      if span.category == "nvtx" then return now, true end
      if span.category == "kernel" then return now, "gpu" end
    end } })
    assert.same({ "a", "b" }, of:requests().id)
    assert.equal("1: 40+0+20, 2: 10+0+20", parts(of, "gpu"))
    assert.equal("GPU", of.stages[1].lane)
    assert.equal(2, coverage(of, "left_out", "what",
      "spans that the map's function gave to none").count)
    local _, message, code = made:run(stores):visits {
      request = { by = function() error "no" end } }
    assert.matches("^the map's function, at span %d", message)
    assert.equal(3, code)
    _, message = made:run(stores):visits { request = { by = function() return 1, 7 end } }
    assert.matches("gave number as a stage", message)
    _, message = made:run(stores):visits { request = { by = function() end } }
    assert.matches("^no request in run %x+: the map's function gave none of its 6 spans", message)
  end)

  it("of a function may go by the spans' arguments", function()
    local made = made_trace.new()
    local main, gpu = made:thread(1), made:stream()
    made:launch(main, gpu, 7, { 10, 12 }, { 20, 60 })
    made:launch(main, gpu, 9, { 110, 112 }, { 120, 130 })
    local of = visits_of(made, { request = { by = function(span)
      if span.category == "kernel" then return span.args.correlation, "gpu" end
    end } })
    assert.same({ 7, 9 }, of:requests().id)
    assert.equal("integer", math.type(of:requests().id[1]))
  end)

  it("are refused in one line when there is no request, or no map", function()
    local made = made_trace.new()
    made:span("nvtx", made:thread(1), "step", 0, 100)
    local run = made:run(stores)
    local function refused(map)
      local none, message, code = run:visits(map)
      assert.is_nil(none)
      assert.equal(3, code)
      assert.is_nil(message:find "\n")
      return message
    end
    assert.matches("nothing matches range = \"stop\" %(the run has ranges such as 'step'%)",
      refused { request = { range = "stop" }, stages = { KERNEL } })
    assert.matches("no GPU work comes in the order HtoD, DtoH",
      refused { request = { sequence = { "HtoD", "DtoH" } }, stages = { KERNEL } })
    assert.matches("range = \"step\" matches fewer than twice",
      refused { request = { starts = { range = "step" } }, stages = { KERNEL } })
    assert.matches("is measured: say which of its spans", refused(nil))
    assert.matches("^run %x+: pattern /%(/: missing closing parenthesis",
      refused { request = { range = "/(/" }, stages = { KERNEL } })
    local none, message, code = run:visits({ request = { range = "step" }, stages = { KERNEL } },
      { rnk = 1 })
    assert.is_nil(none)
    assert.equal(2, code)
    assert.equal("there is no option 'rnk'; did you mean 'rank'?", message)
  end)
end)

describe("visits of captures", function()
  local data
  setup(function() data = fixture.new(STEPS, TWO_GPUS, CALLS) end)
  teardown(function() data:remove() end)

  local function spans(run, filter)
    local list = {}
    for span in run:spans(filter) do list[#list + 1] = span end
    table.sort(list, function(a, b) return a.start_ns < b.start_ns end)
    return list
  end

  local function union(list)
    local total, until_ns = 0, math.mininteger
    for _, span in ipairs(list) do
      if span.end_ns > until_ns then
        total = total + span.end_ns - math.max(span.start_ns, until_ns)
        until_ns = span.end_ns
      end
    end
    return total
  end

  it("have the kernels that each step launched", function()
    local run = data:run(STEPS)
    local steps, call_of, of_step = {}, {}, {}
    for _, span in ipairs(spans(run, { category = "user_annotation" })) do
      if span.name:find "^ProfilerStep#" then steps[#steps + 1] = span end
    end
    for _, category in ipairs { "driver", "runtime" } do
      for _, call in ipairs(spans(run, { category = category })) do
        if call.correlation then call_of[call.correlation] = call end
      end
    end
    local wanted = { request = {}, start_ns = {}, end_ns = {}, busy_ns = {}, pieces = {} }
    for i in ipairs(steps) do of_step[i] = {} end
    for _, kernel in ipairs(spans(run, { category = "kernel" })) do
      local call = call_of[kernel.correlation]
      for i, step in ipairs(steps) do
        if call and call.start_ns >= step.start_ns and call.start_ns < step.end_ns
          and not kernel.name:find "^nccl" then
          table.insert(of_step[i], kernel)
        end
      end
    end
    for i, list in ipairs(of_step) do
      local last = 0
      for _, kernel in ipairs(list) do last = math.max(last, kernel.end_ns) end
      wanted.request[i], wanted.start_ns[i], wanted.end_ns[i] = i, list[1].start_ns, last
      wanted.busy_ns[i], wanted.pieces[i] = union(list), #list
    end
    local of = assert(run:visits { request = { range = "ProfilerStep#*" }, stages = { KERNEL } })
    assert.equal(5, of.count)
    local found = of:of "compute"
    for key, list in pairs(wanted) do assert.same(list, found[key], key) end
    assert_adds_up(of)
    for i, step in ipairs(steps) do
      local requests = of:requests()
      assert.equal(step.name, requests.id[i])
      assert.equal(step.start_ns, requests.arrival_ns[i])
      assert.equal(math.max(step.end_ns, wanted.end_ns[i]), requests.end_ns[i])
    end
    local left = coverage(of, "stages", "stage", "compute")
    assert.equal(left.pieces, of:of "compute".pieces[1] + found.pieces[2] + found.pieces[3]
      + found.pieces[4] + found.pieces[5])
  end)

  it("tell the GPUs of two processes apart", function()
    local run = data:run(TWO_GPUS)
    local of = assert(run:visits { request = { range = "/^FSDP::/" },
      stages = { KERNEL, { "host", call = "*" } } })
    assert_adds_up(of)
    assert.is_true(of.count > 1)
  end)

  it("follow phases of calls alone", function()
    local run = data:run(CALLS)
    local of = assert(run:visits { request = { phases = true }, stages = {
      { "input", phase = "input" }, { "execute", phase = "execute" },
      { "retrieve", phase = "retrieve" } } })
    assert_adds_up(of)
    local times = {}
    for _, row in ipairs(run:phases():rows()) do
      times[row.phase] = (times[row.phase] or 0) + row.times
    end
    for _, stage in ipairs(of.stages) do
      assert.equal(times[stage.name] or 0, coverage(of, "stages", "stage", stage.name).pieces)
    end
    assert.is_nil(coverage(of, "unmapped", "where", "host"))
  end)
end)

describe("visits of a simulated run", function()
  local stores
  before_each(function() stores = store_fixture.new() end)
  after_each(function() stores:remove() end)

  local function simulated(...)
    local _, err, code = stores:tandem("run", ...)
    assert(code == 0, err)
    return assert(assert(require("tandem").store(stores:path "a.db")):run "last")
  end

  it("need no map, and wait as its rows say", function()
    local run = simulated "scenarios/01-demo.lua"
    local of = assert(run:visits())
    assert.equal("simulated", of.kind)
    assert_adds_up(of)
    local wanted = {}
    for _, category in ipairs { "stage", "wait" } do
      for span in run:spans { category = category } do
        local one = wanted[span.name] or { stage = 0, wait = 0 }
        wanted[span.name] = one
        one[category] = one[category] + span.dur_ns
      end
    end
    for _, row in ipairs(of:coverage():rows()) do
      assert.same(wanted[row.stage], { stage = row.own_ns, wait = row.wait_ns })
      assert.equal(0, row.rest_ns)
    end
    local ended = 0
    for request in run:requests() do
      if request.end_ns then ended = ended + 1 end
    end
    assert.equal(ended, of.count)
    assert.equal(4, of:stage "compute".capacity)
    assert.is_true(of:stage "compute".concurrency <= 4)
    assert.equal("ok", of:requests().outcome[1])
  end)

  -- Waits of a capture are found from who held what; those of the simulation are told.
  it("are those of the same run as a profiler would have captured it", function()
    local run = simulated "scenarios/01-demo.lua"
    local of, file = assert(run:visits()), stores:path "captured.sqlite"
    local _, err, code = stores:tandem("export", "last", "--as-captured", "-o", file)
    assert(code == 0, err)
    _, err, code = stores:tandem("import", file)
    assert(code == 0, err)
    local captured = assert(assert(run.store:run "last"):visits { request = { range = "request *" },
      stages = { { "preprocess", range = "preprocess" }, { "h2d", copy = "HtoD" },
        { "compute", kernel = "compute" }, { "d2h", copy = "DtoH" },
        { "postprocess", range = "postprocess" } } })
    assert.equal(of.count, captured.count)
    local shift = captured.first_ns - of.first_ns
    local function shifted(list)
      local made = {}
      for i, time in ipairs(list) do made[i] = time + shift end
      return made
    end
    for _, key in ipairs { "arrival_ns", "end_ns" } do
      assert.same(shifted(of:requests()[key]), captured:requests()[key])
    end
    for i, stage in ipairs(of.stages) do
      local a, b = of:of(stage.name), captured:of(stage.name)
      assert.equal(stage.name, captured.stages[i].name)
      assert.equal(stage.concurrency, captured.stages[i].concurrency)
      assert.same(shifted(a.start_ns), b.start_ns)
      assert.same(shifted(a.end_ns), b.end_ns)
      for _, key in ipairs { "request", "busy_ns", "own_ns", "wait_ns", "rest_ns" } do
        assert.same(a[key], b[key])
      end
    end
  end)

  it("has every member of a batch", function()
    local run = simulated "scenarios/06-batching.lua"
    local of, wanted = assert(run:visits()), 0
    assert_adds_up(of)
    for span in run:spans { category = "stage" } do
      if span.name == "infer" then wanted = wanted + span.dur_ns * span.batch end
    end
    local row = coverage(of, "stages", "stage", "infer")
    assert.same({ of.count, wanted, 0 }, { row.requests, row.own_ns, row.rest_ns })
    assert.equal(0, coverage(of, "time", "part", "tail").total_ns)
    assert.is_nil(coverage(of, "left_out", "what",
      "members of batches that the trace does not tell: rest or tail of theirs"))
  end)

  -- Times in microseconds. A batch is a row of its first request with the number of its members.
  it("gives batches the members that only they can have", function()
    local json = require "tandem.io.json"
    local lines, layouts = {}, { wait = 0, stage = 1 }
    local function put(record) lines[#lines + 1] = json.encode(record) end
    put { record = "header", format = "tandem-jsonl", version = 1, program = "0", run = "0",
      name = "batches" }
    put { record = "source", source = 0, path = "batches", format = "simulation", offset_ns = 0 }
    for i, name in ipairs { "A", "B" } do
      put { record = "track", track = 2 * i - 2, process = name, name = name .. " gpu",
        kind = "server", lane = "GPU", capacity = 9 }
      put { record = "track", track = 2 * i - 1, process = name, name = name .. " gpu",
        kind = "queue", lane = "QUEUE" }
    end
    for category, layout in pairs(layouts) do
      lines[#lines + 1] = ('{"record":"layout","layout":%d,"category":"%s","shape":"span","args":'
        .. '[["request","int"],["batch","int"]]}'):format(layout, category)
    end
    local function row(category, name, track, request, from, to, batch)
      put { record = "span", layout = layouts[category], track = track, name = name,
        start_ns = from * 1000, dur_ns = (to - from) * 1000,
        args = { request = request, batch = batch or 1 } }
    end
    local requests = { { 0, 50 }, { 1, 50 }, { 10, 60 }, { 10, 90 }, { 11, 90 }, { 12, 200 },
      { 13, 140 }, { 100, 130 }, { 250, 310 }, { 300, 320 }, { 5, 40 }, { 6, 40 }, { 14, 20 } }
    row("wait", "a", 1, 1, 0, 10)
    row("stage", "a", 0, 1, 10, 50, 5)   -- of 1; 2, 3 and 4 are found, one is not
    row("wait", "a", 1, 2, 5, 10)
    row("wait", "a", 3, 11, 5, 10)       -- at another station
    row("wait", "b", 1, 12, 6, 10)       -- for another stage
    row("wait", "a", 1, 13, 14, 15)      -- when none begins
    row("stage", "b", 2, 3, 50, 60)      -- 3 says nothing from 10 to 50, as 4 from 10 to 90
    row("stage", "b", 2, 5, 50, 90, 2)   -- of 5 and 4
    row("stage", "a", 0, 7, 100, 140, 2) -- 6 was there before, 8 is gone before it ends
    row("stage", "a", 0, 9, 300, 300, 2) -- takes no time: nobody's silence
    put { record = "class", class = 0, name = "default" }
    for i, one in ipairs(requests) do
      put { record = "request", request = i, class = 0, arrival_ns = one[1] * 1000,
        end_ns = one[2] * 1000, gpu = -1, outcome = "ok" }
    end
    local path = stores:write("batches.jsonl", table.concat(lines, "\n") .. "\n")
    local _, err, code = stores:tandem("import", path)
    assert.equal(0, code, err)
    local db = assert(require("tandem.core").database(stores:path "a.db"))
    assert(db:run "UPDATE run SET kind = 'simulated'")
    db:close()
    local of = assert(assert(td.store(stores:path "a.db")):run "last":visits())
    assert_adds_up(of)
    local id = of:requests().id
    local function own(stage)
      local c, list = of:of(stage), {}
      for i, request in ipairs(c.request) do
        if c.end_ns[i] > c.start_ns[i] and c.own_ns[i] > 0 then
          list[#list + 1] = ("%d: %d"):format(id[request], c.own_ns[i] // 1000)
        end
      end
      table.sort(list)
      return table.concat(list, ", ")
    end
    assert.equal("1: 40, 2: 40, 3: 40, 4: 40, 7: 40", own "a")
    assert.equal("3: 10, 4: 40, 5: 40", own "b")
    assert.equal(1 + 1 + 1, coverage(of, "left_out", "what",
      "members of batches that the trace does not tell: rest or tail of theirs").count)
  end)

  it("is of all its requests: a filter would leave their rows out and keep their time", function()
    local run = simulated "scenarios/01-demo.lua"
    local none, message, code = run:visits(nil, { range = "1s..2s" })
    assert.is_nil(none)
    assert.equal(2, code)
    assert.equal("visits of a simulation are of all its requests; choose some with v:slice",
      message)
  end)

  it("waits for memory too", function()
    local of = assert(simulated "scenarios/13-memory.lua":visits())
    assert_adds_up(of)
    local row = coverage(of, "stages", "stage", "generate")
    assert.equal(0, row.rest_ns)
    assert.is_true(row.wait_ns > 0)
  end)

  it("says so when its spans were not kept", function()
    local run = simulated("scenarios/01-demo.lua", "--spans", "none")
    local none, message, code = run:visits()
    assert.is_nil(none)
    assert.equal(("the spans of run %s were not kept (tandem run --spans all keeps them)")
      :format(run.id), message)
    assert.equal(3, code)
  end)

  it("does not say so when nobody came", function()
    local files = require("tests.spec.support.store_fixture").new()
    local scenario = td.scenario "nobody" { workload = td.poisson { rps = 1e-6, duration = "1s" },
      cpu = { workers = 1 }, pipeline = { td.fixed "first" { time = "1ms" } }, replications = 1 }
    assert(scenario:run { store = files:path "none.db", spans = "all" })
    local store = assert(td.store(files:path "none.db"))
    local run = assert(store:run "last")
    assert.equal(0, run.span_count)
    assert.matches("no request ended", select(2, run:visits()), 1, true)
    assert.is_nil(require("tandem.store.run").lost_spans(run))
    assert.is_nil(tostring(store:runs()):find("not kept", 1, true))
    store:close()
    files:remove()
  end)
end)
