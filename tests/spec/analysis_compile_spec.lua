--- torch.compile, against what the logs say: figures are read off them with grep and awk.
local fixture = require "tests.spec.support.analysis_fixture"

local BREAK <const> = "torch/graph_break.log"
local SIMPLE <const> = "torch/trace_simple.log.gz"
local CACHES <const> = "torch/trace_cache_hit_miss.log.gz"
local FAILURE <const> = "torch/trace_comp_failure.log.gz"
local OLD <const> = "torch/trace_artifacts.log.gz"
local MODEL <const> = "kineto/torch_compile_triton__trace.json.gz"
local EXPECTED <const> = "kineto/torch_compile_triton__trace_perf_report_csvs__kernel_summary.csv"
local OTHER <const> = "torch/snapshot.json"

describe("torch.compile", function()
  local data

  setup(function() data = fixture.new(BREAK, SIMPLE, CACHES, FAILURE, OLD, MODEL, OTHER) end)
  teardown(function() data:remove() end)

  local function ask(file) return data:run(file):compile() end

  it("says why graphs broke, where, and what PyTorch advises", function()
    local answer = ask(BREAK)
    local row = answer:frame("breaks").rows[1]
    assert.same({ rank = 3, count = 1, reason = "Call to `torch._dynamo.graph_break()`",
      frame = "/app/model.py:12 forward", compile_id = "0/0",
      hint = "Remove the `torch._dynamo.graph_break()` call." }, row)
    assert.same({ 2, 1, 1, 1 }, { answer:rows()[1].compilations, answer:rows()[1].recompiles,
      answer:rows()[1].graph_breaks, answer:rows()[1].restarts })
  end)

  it("has a row for each guard that failed", function()
    local rows = ask(BREAK):frame("recompiles").rows
    assert.same({ { rank = 3, compile_id = "0/2", guard_of = "0/0",
      guard = "tensor 'x' size mismatch at index 0. expected 3, actual 4" },
      { rank = 3, compile_id = "0/2", guard_of = "0/1", guard = "___check_type_id(L['y'], 12)" } },
      rows)
  end)

  it("has failures with the frame of the user", function()
    local row = ask(BREAK):frame("failures").rows[1]
    assert.same({ "0/0", "no", "/app/model.py:10 forward", "/app/model.py:12" },
      { row.compile_id, row.reason, row.frame, row.at })
    row = ask(FAILURE):frame("failures").rows[1]
    assert.same({ "BackendCompilerFailed",
      "backend='broken_backend' raised:\nRuntimeError: broken backend" }, { row.type, row.reason })
    assert.equal(1, ask(FAILURE):rows()[1].failures)
    assert.equal(0, ask(SIMPLE):rows()[1].failures)
  end)

  it("keeps apart compilations of one id: Dynamo was reset between them", function()
    local rows = ask(CACHES):frame("compilations").rows
    -- compilation_metrics: entire_frame_compile_time_s of the six, sorted
    local wanted = { 4298670000, 3438591000, 242984000, 142473000, 88329000, 86006000 }
    local cache = { "miss", "miss", "hit" }
    local whole = 0
    for _, ns in ipairs(wanted) do whole = whole + ns end
    assert.equal(6, #rows)
    for i, row in ipairs(rows) do
      assert.equal(wanted[i], row.compile_ns)
      assert.equal(cache[i], row.graph_cache)
      assert.near(wanted[i] / whole, row.share, 1e-12)
    end
    assert.same({ 4177883000, 4016483000, 3019492000, 91 },
      { rows[1].backend_ns, rows[1].inductor_ns, rows[1].code_gen_ns, rows[1].guards })
    assert.matches("/test_codecache.py:459 fn$", rows[1].frame)
    assert.matches("/test_codecache.py:465 fn2$", rows[2].frame)
    assert.equal(whole, ask(CACHES):rows()[1].compile_ns)
  end)

  it("leaves the frame its times when the backward graph is compiled later", function()
    local function metrics(kind, second, body)
      return ('V1206 15:18:%d.000000 1 torch/_dynamo/utils.py:1045] {"%s": %s, "frame_id": 0, '
        .. '"frame_compile_id": 0, "attempt": 0}\n'):format(second, kind, body)
    end
    local path = data.stores:write("backward.log", metrics("compilation_metrics", 21,
      '{"entire_frame_compile_time_s": 3, "inductor_compile_time_s": 2, "code_gen_time_s": 1}')
      .. metrics("bwd_compilation_metrics", 22, '{"inductor_compile_time_s": 0.5, '
        .. '"code_gen_time_s": 0.25, "fail_type": "T", "fail_reason": "r"}'))
    local _, err, code = data.stores:tandem("import", path)
    assert(code == 0, err)
    local answer = ask "backward.log"
    local row = answer:frame("compilations").rows[1]
    assert.same({ 3000000000, 2000000000, 1000000000 },
      { row.compile_ns, row.inductor_ns, row.code_gen_ns })
    assert.equal("T", answer:frame("failures").rows[1].type)
  end)

  it("counts what the caches had, and why one was passed by", function()
    local rows = ask(CACHES):frame("caches").rows
    assert.same({ "aotautograd", "bypass", 3 }, { rows[1].cache, rows[1].outcome, rows[1].count })
    assert.matches("^Unsupported call_function target flex_attention", rows[1].reason)
    assert.same({ "fx_graph", "miss", 2 }, { rows[2].cache, rows[2].outcome, rows[2].count })
    assert.same({ "fx_graph", "hit", 1 }, { rows[3].cache, rows[3].outcome, rows[3].count })
    local row = ask(CACHES):rows()[1]
    assert.same({ 1, 2, 3 }, { row.cache_hits, row.cache_misses, row.cache_bypasses })
    assert.equal("Unsupported post grad custom pass", ask(BREAK):frame("caches").rows[1].reason)
  end)

  it("counts operators before fusion and calls after it", function()
    -- grep -c ' = torch.ops.' in the printed graphs, less the comments; the body of call(args)
    local row = ask(SIMPLE):frame("fusion").rows[1]
    assert.same({ 3, 12, 13, 4, 2, 0, 0, 2 }, { row.dynamo_operators, row.aot_operators,
      row.inductor_operators, row.calls, row.triton, row.cpp, row.extern, row.fallback })
    assert.equal(13 / 4, row.fusion_ratio)
    local rows = ask(CACHES):frame("fusion").rows
    assert.equal(3, #rows)
    assert.is_nil(rows[2].inductor_operators) -- a cache had the code: no graph was lowered
    assert.same({ 4, 4, 2 },
      { rows[1].fusion_ratio, rows[2].fusion_ratio, rows[3].fusion_ratio })
    assert.equal(10 / 3, ask(CACHES):rows()[1].fusion_ratio)
  end)

  it("has the compilation of an exported model, which no frame of Dynamo has an id for", function()
    local pipe = assert(io.popen("gzip -dc tests/data/" .. SIMPLE))
    local log = pipe:read "a"
    pipe:close()
    log = log:gsub('[ ,]*"frame_id": %d+, "frame_compile_id": %d+, "attempt": %d+', "")
    local path = data.stores:write("exported.log", log)
    local _, err, code = data.stores:tandem("import", path)
    assert.equal(0, code, err)
    local run = assert(data.store:run(data.store.db:one("SELECT id FROM run WHERE name = ?",
      "exported.log").id))
    local answer = run:compile()
    assert.equal(1, #answer:frame("compilations").rows)
    local row = answer:frame("fusion").rows[1]
    assert.same({ "(exported)", 12, 13, 4, 2 }, { row.compile_id, row.aot_operators,
      row.inductor_operators, row.calls, row.triton })
  end)

  it("does not count as fusion what the log does not have", function()
    local answer = ask(OLD)
    assert.same({ 1, 8903768778 }, { answer:rows()[1].compilations, answer:rows()[1].compile_ns })
    assert.is_nil(answer:rows()[1].fusion_ratio)
    assert.matches("fusion: the log has no generated code", answer.cannot[1], 1, true)
    assert.matches("older versions of PyTorch do not write them",
      table.concat(answer.basis, "\n"), 1, true)
  end)

  it("splits compile time by phase, without what lies within", function()
    local by_phase, self = {}, 0
    for _, row in ipairs(ask(FAILURE):frame("phases").rows) do
      by_phase[row.phase] = row
      self = self + row.self_ns
    end
    assert.equal(163100200, by_phase.dynamo.total_ns)
    assert.equal(163100200 - 157247800, by_phase.dynamo.self_ns)
    assert.equal(157247800 - 478300, by_phase.entire_frame_compile.self_ns)
    assert.equal(163100200, self)
    local row = ask(CACHES):frame("phases").rows[1]
    assert.same({ "async_compile.wait", 6247227600, 3 }, { row.phase, row.total_ns, row.count })
  end)

  it("of a compiled model's trace, tells the share of generated kernels", function()
    local sum, count, all = 0, 0, 0
    for _, row in ipairs(fixture.expected(EXPECTED)) do
      local us = tonumber(row["Kernel duration (µs)_sum"])
      all = all + us
      if row["Parent op category"] == "triton" then
        sum, count = sum + us, count + tonumber(row["Kernel duration (µs)_count"])
      end
    end
    local answer = ask(MODEL)
    local row = answer:frame("kernels").rows[1]
    assert.near(sum * 1000, row.generated_ns, 0.5)
    assert.near(all * 1000, row.total_ns, 0.5)
    assert.near(sum / all, row.share, 1e-9)
    assert.equal(count, row.generated)
    local region = answer:frame("regions").rows[1]
    assert.same({ "Torch-Compiled Region: 0/0", 1 }, { region.region, region.count })
    assert.matches("no rows of category compile", answer.cannot[1], 1, true)
  end)

  it("draws the phases", function()
    local plots = ask(CACHES):plots()
    assert.matches("async_compile.wait", plots[1].chart:svg(), 1, true)
    assert.same({}, ask(MODEL):plots())
  end)

  it("prints paths and reasons short, and has them whole as CSV", function()
    local out = data.stores:tandem("compile", data:run(CACHES).id)
    assert.matches("fn test_codecache.py:459", out, 1, true)
    local csv = data.stores:tandem("compile", data:run(BREAK).id, "--csv", "--table", "breaks")
    assert.matches("/app/model.py:12 forward", csv, 1, true)
  end)

  it("abstains where nothing was compiled, simulated runs among them", function()
    local out, err, code = data.stores:tandem("compile", data:run(OTHER).id)
    assert.equal("", out)
    assert.equal("tandem compile: cannot answer: the run says nothing of torch.compile (no rows of "
      .. "category compile, which TORCH_TRACE logs give; no kernels named triton_…)\n", err)
    assert.equal(1, code)
    data.stores:keep("a.db")
    out, err, code = data.stores:tandem("compile", "last")
    assert.equal("", out)
    assert.matches("cannot answer", err, 1, true)
    assert.equal(1, code)
  end)
end)
