--- What collectives send and how fast: on a capture of two ranks, by SQL on what its file says, and
--- on small traces against the definitions of nccl-tests.
local fixture = require "tests.spec.support.analysis_fixture"
local small_trace = require "tests.spec.support.small_trace"

local CAPTURE <const> = "kineto/nccl_parser_config__nccl_data.json.gz"

local function collectives_of(run)
  local answer = run:roofline()
  for _, frame in ipairs(answer.frames) do
    if frame.name == "collectives" then return frame.table.rows, answer end
  end
  return {}, answer
end

describe("collectives of a capture", function()
  local data, run
  setup(function()
    data = fixture.new(CAPTURE)
    run = data:run(CAPTURE)
  end)
  teardown(function() data:remove() end)

  it("have the sizes that its kernels tell, and their bandwidths", function()
    local wanted, count = {}, 0
    for _, row in ipairs(assert(data.store.db:all([[SELECT
        json_extract(args, '$."Collective name"') AS name,
        json_extract(args, '$."In msg nelems"') AS elements,
        json_extract(args, '$.dtype') AS type, count(*) AS n, sum(dur_ns) AS ns,
        min(dur_ns) AS least FROM span WHERE run = ? AND category = 'kernel'
        AND json_extract(args, '$."Collective name"') IS NOT NULL GROUP BY 1, 2, 3]],
      run.number))) do
      local bytes = row.elements * ({ Float = 4, Byte = 1, Char = 1, Long = 8, Int = 4 })[row.type]
      wanted[row.name .. bytes] = row
      row.bytes, count = bytes, count + 1
    end
    local rows = collectives_of(run)
    assert.is_true(count >= 7)
    assert.equal(count, #rows)
    for _, row in ipairs(rows) do
      local one = assert(wanted[row.collective .. math.tointeger(row.bytes)])
      assert.same({ 2, one.n, one.ns }, { row.ranks, row.count, row.gpu_ns })
      local algbw = one.bytes * one.n / (one.ns / 1e9)
      assert.near(algbw, row.algbw, 1e-9 * algbw)
      -- Of two ranks 2(n-1)/n and 1 are one.
      assert.near(algbw, row.busbw, 1e-9 * algbw)
      assert.near(one.bytes / (one.least / 1e9), row.best_busbw, 1e-9 * row.best_busbw)
    end
  end)
end)

describe("bandwidths of collectives", function()
  local data
  before_each(function() data = fixture.new() end)
  after_each(function() data:remove() end)

  local RANKS <const>, COUNT <const> = 8, 1000 -- elements that nccl-tests gives a rank

  -- By nccl-tests: elements in and out of a rank, algbw's bytes and busbw's factor.
  local KINDS <const> = {
    allreduce = { COUNT, COUNT, COUNT, 2 * 7 / 8 },
    _allgather_base = { COUNT, COUNT * RANKS, COUNT * RANKS, 7 / 8 },
    reduce_scatter_tensor_coalesced = { COUNT * RANKS, COUNT, COUNT * RANKS, 7 / 8 },
    all_to_all = { COUNT * RANKS, COUNT * RANKS, COUNT * RANKS, 7 / 8 },
    broadcast = { COUNT, COUNT, COUNT, 1 }, reduce = { COUNT, COUNT, COUNT, 1 },
    send = { COUNT, 0, COUNT, 1 },
  }

  it("are those of nccl-tests, told by the kernel or by the operator around its launch", function()
    for _, by_op in ipairs { false, true } do
      local trace = small_trace.new()
      local host, gpu, at = trace:thread(7), trace:stream(1), 0
      for name, kind in pairs(KINDS) do
        local args = { ["Collective name"] = name, ["In msg nelems"] = kind[1],
          ["Out msg nelems"] = kind[2], ["Group size"] = RANKS, dtype = "BFloat16" }
        at = at + 100000
        args.external_id = at
        if by_op then trace:add("cpu_op", host, "record_param_comms", at, at + 50, args) end
        trace:add("runtime", host, "cudaLaunchKernel", at + 10, at + 20, { correlation = at })
        if by_op then args = {} end
        args.correlation = at
        trace:add("kernel", gpu, "ncclDevKernel_Generic", at + 100, at + 2100, args)
      end
      local rows = collectives_of(trace:import(data, ("made%s.jsonl"):format(by_op)))
      local found, kinds = 0, {}
      for name, kind in pairs(KINDS) do
        kinds[name:gsub("[^%a]", ""):gsub("base$", ""):gsub("tensor.*", "")] = kind
      end
      for _, row in ipairs(rows) do
        local kind = assert(kinds[row.collective], row.collective)
        local algbw = kind[3] * 2 / 2e-6
        assert.equal(kind[3] * 2, row.bytes)
        assert.near(algbw, row.algbw, 1e-6 * algbw)
        assert.near(algbw * kind[4], row.busbw, 1e-6 * algbw)
        found = found + 1
      end
      assert.equal(7, found)
    end
  end)

  it("are told by NCCL's payloads of NVTX, whole where the group is known", function()
    local trace = small_trace.new()
    local host, gpu = trace:thread(7), trace:stream(1)
    local function call(at, name, payload)
      if payload then trace:add("nvtx", host, name, at, at + 50, { payload = payload }) end
      trace:add("runtime", host, "cudaLaunchKernelExC", at + 10, at + 20, { correlation = at })
      trace:add("kernel", gpu, "ncclDevKernel_Generic", at + 100, at + 1100, { correlation = at })
    end
    call(1000, "ncclAllReduce", '{"NCCL communicator ID":7,"Message size [bytes]":4096}')
    call(3000, "ncclAllGather", '{"Message size [bytes]":4096}')
    call(5000, "ncclReduceScatter", '{"Message size [bytes]":4096,"No. of ranks":4}')
    call(7000, "ncclSend", '{"Message size [bytes]":512,"Peer rank":1}')
    call(9000, "ncclBroadcast", "[1]")
    call(11000)
    local rows, answer = collectives_of(trace:import(data, "payloads.jsonl"))
    local found = {}
    for _, row in ipairs(rows) do found[row.collective] = row end
    assert.equal(3, #rows)
    assert.near(4096 / 1e-6, found.allreduce.algbw, 1)
    assert.is_nil(found.allreduce.busbw) -- the group is not told
    assert.near(16384 / 1e-6 * 3 / 4, found.reducescatter.busbw, 1)
    assert.near(512 / 1e-6, found.send.busbw, 1)
    assert.matches("3 of 6 kernels tell what they send", table.concat(answer.basis, "\n"), 1, true)
  end)

  it("are held against the card's link, the fastest of all ranks", function()
    local trace = small_trace.new()
    local streams = { trace:stream(1, 0), trace:stream(1, 1) }
    for i, gpu in ipairs(streams) do
      trace:add("kernel", gpu, "ncclDevKernel_AllReduce", 0, 1000 * i, { correlation = i,
        ["Collective name"] = "allreduce", ["In msg nelems"] = 450000 // 4,
        ["Out msg nelems"] = 450000 // 4, ["Group size"] = 2, dtype = "Float" })
    end
    local run = trace:import(data, "cards.jsonl")
    assert(data.store.db:all("INSERT INTO fact (run, source, key, value) SELECT ?, 0, 'gpu.' || v"
      .. " || '.name', 'NVIDIA H100 80GB HBM3' FROM (SELECT 0 AS v UNION SELECT 1)", run.number))
    local row = collectives_of(run)[1]
    assert.equal(2, row.count)
    assert.near(1, row.of_link, 1e-9)
    assert.near(450e9 / 1.5, row.busbw, 1e3)
  end)

  it("are none of a group of one, of unknown types, of kernels without sizes", function()
    local trace = small_trace.new()
    local gpu = trace:stream(1)
    local told = { ["Collective name"] = "allreduce", ["In msg nelems"] = 10,
      ["Out msg nelems"] = 10, ["Group size"] = 1, dtype = "Float" }
    trace:add("kernel", gpu, "ncclKernel_AllReduce", 0, 100, told)
    told["Group size"], told.dtype = 2, "Mystery"
    trace:add("kernel", gpu, "ncclKernel_AllReduce", 200, 300, told)
    trace:add("kernel", gpu, "ncclKernel_AllReduce", 400, 500)
    assert.same({}, (collectives_of(trace:import(data, "none.jsonl"))))
  end)
end)
