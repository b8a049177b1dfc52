--- Which call launched which GPU work: the same for every analysis that asks.
local made_trace = require "tests.spec.support.made_trace"
local store_fixture = require "tests.spec.support.store_fixture"

-- Answers leave out tables without rows.
local function rows_of(answer, name)
  local has, frame = pcall(answer.frame, answer, name)
  return has and frame.rows or {}
end

-- How many pieces of GPU work each analysis finds a call for.
local function found(run)
  local launched, queued, under = 0, 0, 0
  for _, row in ipairs(run:launches():rows()) do launched = launched + row.count end
  for _, row in ipairs(run:queue():rows()) do queued = queued + row.count // 2 end
  for _, row in ipairs(run:flame({ weight = "gpu" }):frame("stacks").rows) do
    if row.name:find "^cuda.*Launch" then under = under + row.total_ns // 4000 end
  end
  local view <const> = assert(require("tandem.analysis.view").of(run))
  local evidence, graphs = 0, 0
  for _, frame in ipairs(view:count("evidence-launches").frames) do
    for _, row in ipairs(frame.rows) do evidence = evidence + row.launched end
  end
  for _, row in ipairs(rows_of(run:graphs(), "cost")) do graphs = graphs + (row.works or 0) end
  local within = 0
  local diff = assert(run:diff(run, { by = "kernel", within = "step" }))
  for _, row in ipairs(rows_of(diff, "kernels")) do within = within + row.a_count end
  return { launches = launched, queue = queued, flame = under, evidence = evidence,
    graphs = graphs, within = within }
end

local function all(count)
  return { launches = count, queue = count, flame = count, evidence = count,
    graphs = count, within = count }
end

describe("what launched what", function()
  local stores
  before_each(function() stores = store_fixture.new() end)
  after_each(function() stores:remove() end)

  -- Three kernels of 4 us launched on a thread, and a graph of one.
  local function launching(made, thread, stream, ids)
    made:span("nvtx", thread, "step", 1, 99)
    for k = 1, 4 do
      local id = { correlation = (ids or { 1, 2, 3, 4 })[k] }
      made:span("runtime", thread, k == 4 and "cudaGraphLaunch" or "cudaLaunchKernel", 10 * k,
        10 * k + 2, id)
      made:span("kernel", stream, "gemm", 10 * k + 5, 10 * k + 9, id)
    end
    return made
  end

  it("is told where a GPU does not say whose it is", function()
    local made = made_trace.new()
    made:span("osrt", made:thread(1, 1), "poll", 0, 100) -- what started the process
    local thread = made:thread(2, 2)
    assert.same(all(4), found(launching(made, thread, made:stream(7, 0, false)):run(stores)))
  end)

  it("is by the process with the most calls then", function()
    local made = made_trace.new()
    local parent = made:thread(1, 1)
    made:span("runtime", parent, "cudaGetDeviceCount", 0, 1, { correlation = 2 })
    local thread = made:thread(2, 2)
    assert.same(all(4), found(launching(made, thread, made:stream(7, 0, false)):run(stores)))
  end)

  it("is told apart by process where GPUs say theirs", function()
    local made = made_trace.new()
    made:span("runtime", made:thread(1, 1), "cudaGetDeviceCount", 0, 1, { correlation = 2 })
    local thread = made:thread(2, 2)
    assert.same(all(4), found(launching(made, thread, made:stream(7, 0, 2)):run(stores)))
  end)

  it("is the runtime's call where the driver's within it has the same id", function()
    local made = made_trace.new()
    local thread, stream = made:thread(), made:stream()
    launching(made, thread, stream)
    made:span("driver", thread, "cuLaunchKernel", 10.5, 11.5, { correlation = 1 })
    assert.same(all(4), found(made:run(stores)))
  end)

  it("is nothing where ids are 0", function()
    local made = made_trace.new()
    local thread, stream = made:thread(), made:stream()
    assert.same(all(0), found(launching(made, thread, stream, { 0, 0, 0, 0 }):run(stores)))
  end)
end)
