-- Files of benchmark clients and engine logs: small ones in their real formats, the numbers in them
-- read by hand. Times since 1970 in nanoseconds are doubles: good to a microsecond.
local read = require "tandem.llm.read"

local CLIENTS <const> = "tests/data/serving/clients/"

local function near(expected, actual) assert.is_true(math.abs(expected - actual) < 1e-6, actual) end

local function requests(name, format, rows)
  local measured = assert(read.file(CLIENTS .. name))
  assert.equal("requests", measured.kind)
  assert.equal(format, measured.format)
  assert.equal("client", measured.clock)
  assert.equal(#rows, #measured.requests)
  for i, row in ipairs(rows) do
    local r = measured.requests[i]
    near(row[1], r.at_s)
    assert.same({ row[2], row[3] }, { r.prompt, r.output })
    near(row[4], r.ttft_s)
    near(row[5], r.e2e_s)
  end
  return measured.notes
end

describe("requests", function()
  it("of vLLM's client come in order of time, without those that failed", function()
    local notes = requests("vllm_bench.json", "vLLM bench serve with --save-detailed", {
      { 0, 500, 1, 0.125, 0.125 }, { 0.5, 100, 3, 0.05, 0.08 }, { 1.25, 1000, 5, 0.25, 0.3 } })
    assert.matches("^1 request failed", notes[1])
  end)

  it("of SGLang's client start when one of so many clients is free", function()
    local notes = requests("sglang_bench.jsonl", "SGLang bench_serving with --output-details", {
      { 0, 200, 3, 0.05, 0.07 }, { 0, 300, 2, 0.06, 0.07 }, { 0.07, 250, 4, 0.07, 0.1 },
      { 0.07, 250, 3, 0.06, 0.08 } })
    assert.matches("the last of 2 runs", notes[1])
    assert.matches("no start times: as of 2 clients", notes[2])
  end)

  it("of AIPerf come without warm-up and cancelled ones", function()
    requests("aiperf.jsonl", "AIPerf profile_export.jsonl", {
      { 0, 550, 9, 0.055, 0.095 }, { 0.25, 1200, 1, 0.06, 0.06 } })
  end)

  it("of AIPerf's first layout have their older names", function()
    local notes = requests("aiperf_2025.jsonl", "AIPerf profile_export.jsonl", {
      { 0, 550, 193, 1.6805, 7.93625 }, { 0.5, 640, 1, 0.06, 0.06 } })
    assert.matches("^1 request failed", notes[1])
  end)

  it("of GuideLLM are of all its loads, in either layout", function()
    local notes = requests("guidellm.json", "GuideLLM benchmarks", {
      { 0, 130, 1024, 0.1735, 2.75 }, { 3.5, 64, 900, 0.05, 2.5 },
      { 17.75, 257, 128, 0.02125, 0.75 } })
    assert.matches("^1 request failed", notes[1])
    assert.equal("2 loads, one after the other, are taken as one", notes[2])
  end)

  it("of GenAI-Perf have the counts that the server tells, and times of words alone", function()
    requests("genai_perf.json", "GenAI-Perf profile_export.json", {
      { 0, 321, 3, 0.05, 0.07 }, { 0.1, 64, 2, 0.06, 0.075 } })
  end)

  it("of inference-perf are not misled by tokens that were counted twice", function()
    local notes = requests("inference_perf.json",
      "inference-perf per_request_lifecycle_metrics.json", {
        { 0, 591, 4, 0.25, 1.75 }, { 0.25, 320, 2, 0.25, 0.75 } })
    assert.matches("1 request failed", notes[1])
    assert.matches("1 request had more tokens counted than asked for", notes[2])
  end)
end)

describe("a measured run", function()
  it("has an engine's clock, and the engine's settings beside it", function()
    local measured = assert(read.file "tests/data/serving/measured/RTX4090")
    assert.equal(300, #measured.requests)
    assert.equal("engine", measured.clock)
    assert.same({ max_seqs = 256, max_batched_tokens = 2048, kv_blocks = 2587, block_tokens = 16,
      chunked_prefill = true, long_prefill_tokens = 0, reserve_full_input = true,
      plans_ahead = true }, measured.engine)
    near(0.689435, measured.requests[1].ttft_s)
    near(17.570318, measured.requests[1].e2e_s)
  end)
end)

describe("steps", function()
  local function check(name, expected)
    local measured = assert(read.file(CLIENTS .. name))
    assert.equal("steps", measured.kind)
    local rows = {}
    for i, step in ipairs(measured.steps) do
      rows[i] = { step.y, step.x.prefill_seqs, step.x.prefill_tokens, step.x.decode_seqs }
    end
    assert.same(expected, rows)
  end

  it("are read from vLLM's iteration log", function()
    check("vllm_iterations.log", { { 0.0305, 1, 512, 0 }, { 0.01025, 0, 0, 1 },
      { 0.05075, 2, 1000, 1 } })
  end)

  it("are read from TensorRT-LLM's iteration log, of one rank", function()
    check("tensorrt_llm_iterations.log", { { 0.0305, 1, 512, 0 }, { 0.01025, 0, 0, 8 } })
  end)
end)

describe("a file", function()
  local path

  before_each(function() path = os.tmpname() end)
  after_each(function() os.remove(path) end)

  local function write(text)
    local file = assert(io.open(path, "w"))
    file:write(text)
    file:close()
    return read.file(path)
  end

  it("that is nearly a known one is told with what it lacks", function()
    local measured, message = write "arrival_s,prompt_tokens,output_tokens\n0,1,2\n"
    assert.is_nil(measured)
    assert.equal(path .. ": nearest to requests (CSV), but without ttft_ms", message)
    measured, message = write '{"input_lens":[1],"output_lens":[1],"ttfts":[0.1]}'
    assert.is_nil(measured)
    assert.matches("nearest to .*bench.* but without .*itls", message)
  end)

  it("that was cut in its last line gives what is there", function()
    local whole = assert(io.open(CLIENTS .. "aiperf.jsonl")):read "a"
    local measured = assert(write(whole:sub(1, -100)))
    assert.equal(2, #measured.requests)
    assert.equal("its last line ends in the middle and is left out",
      measured.notes[#measured.notes])
  end)

  it("of sums over requests is told where each of them is", function()
    local _, message = write '{"request_throughput":1,"mean_ttft_ms":1,"mean_tpot_ms":1}'
    assert.matches("%-%-save%-detailed", message)
    _, message = write '{"request_throughput":{},"request_latency":{},"time_to_first_token":{}}'
    assert.matches("profile_export.jsonl", message)
  end)

  it("of sums that so many clients measured is an operating point, at a rate none", function()
    local run = '{"backend":"vllm","model_id":"a/Qwen3-8B","request_rate":%s,"max_concurrency":%s,'
      .. '"completed":%d,"total_input_tokens":3000,"total_output_tokens":1000,'
      .. '"request_throughput":1,"mean_ttft_ms":%g,"mean_tpot_ms":12.5}\n'
    local measured = assert(write(run:format('"inf"', "4", 10, 80)
      .. run:format("5.0", "null", 10, 90) .. run:format('"inf"', "16", 10, 0)))
    assert.equal("points", measured.kind)
    assert.equal(1, #measured.points) -- of the last one no time was measured
    local point = measured.points[1]
    assert.same({ 4, 300, 100, "Qwen3-8B", "vllm" }, { point.concurrency, point.prompt,
      point.output, point.row.model, point.row.backend })
    near(0.08, point.ttft_s)
    near(0.0125, point.tpot_s)
    assert.matches("^2 runs at a rate or failed", measured.notes[1])
    local _, message = write(run:format('"inf"', "4", 0, 0))
    assert.matches("its zeros are no measurements", message)
    _, message = write(run:format("5.0", "null", 10, 80))
    assert.matches("at a rate, no operating point", message)
  end)

  it("without start times and with a rate is refused", function()
    local _, message = write('{"input_lens":[1],"output_lens":[1],"ttfts":[0.1],"itls":[[]],'
      .. '"request_rate":4.0}')
    assert.matches("has no start_times", message)
  end)

  it("of an engine that timed only launches is refused", function()
    local _, message = write(("Iteration(1): 0 context requests, 0 context tokens, 8 generation "
      .. "requests, 8 generation tokens, iteration elapsed time: 0.03 ms\n"):rep(9))
    assert.matches("scheduled asynchronously", message)
  end)

  it("of something else is nobody's: nil without a word", function()
    for _, text in ipairs { "", "\0\1\2", "words and more words\n", "[1, 2", '{"traceEvents":[]}',
      '{"a":1}', "a,b\n1,2\n", "[]", "{}", "[[]]", '"text"' } do
      local measured, message = write(text)
      assert.is_nil(measured)
      assert.is_nil(message)
    end
    assert.is_nil(read.file "nothing/of/this/name")
  end)

  it("with any odd value in it is met with words, never with an error", function()
    local odd = { "null", "[]", "{}", '"x"', "-1", "[null]" }
    for _, name in ipairs { "vllm_bench.json", "sglang_bench.jsonl", "aiperf.jsonl",
      "genai_perf.json", "inference_perf.json" } do
      local file = assert(io.open(CLIENTS .. name))
      local text = file:read "a"
      file:close()
      local seen = {}
      for key, position in text:gmatch '"([%w_]+)": ?()' do
        local rest = text:sub(position)
        local value = rest:match "^%b[]" or rest:match "^%b{}" or rest:match "^[^,}%]]+"
        for _, instead in ipairs(seen[key] and {} or odd) do
          seen[key] = true
          local measured, message = write(text:sub(1, position - 1) .. instead
            .. rest:sub(#value + 1))
          assert.is_true(measured ~= nil or message == nil or not message:find "\n")
        end
      end
    end
  end)
end)
