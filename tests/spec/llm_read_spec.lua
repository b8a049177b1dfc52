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
    assert.equal("its last record ends in the middle and is left out",
      measured.notes[#measured.notes])
  end)

  it("of sums over requests is told where each of them is", function()
    local _, message = write '{"request_throughput":1,"mean_ttft_ms":1,"mean_tpot_ms":1}'
    assert.matches("%-%-save%-detailed", message)
    _, message = write '{"request_throughput":{},"request_latency":{},"time_to_first_token":{}}'
    assert.matches("tell neither how many clients.*profile_export.jsonl", message)
    _, message = write "Metric,avg,min,max,p50,std\nRequest Latency (ms),1,2,3,4,5\n"
    assert.matches("profile_export_aiperf.json beside it has both", message)
  end)

  it("of sums is an operating point of so many clients, or of a rate by Little's law", function()
    local run = '{"backend":"vllm","model_id":"a/Qwen3-8B","request_rate":%s,"max_concurrency":%s,'
      .. '"completed":%d,"total_input_tokens":3000,"total_output_tokens":1000,"duration":2,'
      .. '"request_throughput":1,"mean_ttft_ms":%g,"mean_tpot_ms":12.5}\n'
    local measured = assert(write(run:format('"inf"', "4", 10, 80)
      .. run:format("5.0", "null", 10, 90) .. run:format('"inf"', "4", 0, 0)))
    assert.equal("points", measured.kind)
    assert.equal(2, #measured.points) -- the last one answered nothing
    local point = measured.points[1]
    assert.same({ 4, 300, 100, "Qwen3-8B", "vllm" }, { point.concurrency, point.prompt,
      point.output, point.row.model, point.row.backend })
    near(0.08, point.ttft_s)
    near(0.0125, point.tpot_s)
    near(10 / 2 * (0.09 + 99 * 0.0125), measured.points[2].concurrency)
    assert.matches("^1 run without answers", measured.notes[1])
    local _, message = write(run:format('"inf"', "4", 0, 0))
    assert.matches("its zeros are no measurements", message)
    -- Who waits longer for the first token than for all others is in a queue, not in a batch.
    point = assert(write(run:format("5.0", "null", 10, 5000))).points[1]
    assert.is_nil(point.concurrency)
    assert.is_true(point.waited)
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

  it("of AIPerf's sums is a point, in both layouts", function()
    local metrics = '"%s":{"unit":"ms","avg":2000,"p99":3000},"request_latency":{"unit":"ms",'
      .. '"avg":9000,"min":1,"max":9500},"inter_token_latency":{"unit":"ms","avg":20},'
      .. '"input_sequence_length":{"unit":"tokens","avg":550},"output_sequence_length":'
      .. '{"unit":"tokens","avg":243.2},"request_count":{"avg":89},'
      .. '"error_request_count":{"avg":11},'
      .. '"benchmark_duration":{"unit":"sec","avg":9.5},"request_throughput":{"avg":9.4}'
    local told = '"input_config":{"endpoint":{"model_names":["openai/gpt-oss-20b"]},"loadgen":{%s}}'
    for _, layout in ipairs { '{"records":{' .. metrics:format "ttft" .. "}," .. told .. "}",
      "{" .. metrics:format "time_to_first_token" .. "," .. told .. "}" } do
      local measured = assert(write(layout:format '"concurrency":100'))
      local point = measured.points[1]
      assert.same({ 100, 89, 550, 243, "gpt-oss-20b" }, { point.clients, point.requests,
        point.prompt, point.output, point.row.model })
      near(2, point.times.ttft.mean)
      near(3, point.times.ttft.p99)
      near(9, point.times.e2e.mean)
      near(89 / 9.5 * 9, point.concurrency) -- one round: fewer answers than clients
      assert.matches("^11 requests failed", measured.notes[1])
      assert.equal(7, assert(write(layout:format '"request_rate":7')).points[1].rate)
    end
  end)

  it("of inference-perf's sums is a stage, without what counts tokens twice", function()
    local stage = '{"load_summary":{"count":60,"requested_rate":1.5},"successes":{"count":60,'
      .. '"latency":{"request_latency":{"mean":1.1},"time_to_first_token":{"mean":0.1,"p99":0.2},'
      .. '"time_per_output_token":{"mean":%g},"inter_token_latency":{"mean":0.005}},"throughput":'
      .. '{"requests_per_sec":1.25},"prompt_len":{"mean":200},"output_len":{"mean":101}},'
      .. '"failures":{"count":0}}'
    local measured = assert(write(stage:format(0.01)))
    local point = measured.points[1]
    assert.same({ 1.5, 60, 200, 101, 0 }, { point.rate, point.requests, point.prompt, point.output,
      #measured.notes })
    near(1.25 * 1.1, point.concurrency)
    near(0.01, point.times.tpot.mean)
    near(0.2, point.times.ttft.p99)
    measured = assert(write(stage:format(0.005)))
    near(1 / 100, measured.points[1].tpot_s)
    assert.is_nil(measured.points[1].times.itl)
    assert.matches("counted twice", measured.notes[1])
    local _, message = write(stage:gsub(',"requested_rate":1.5', ""):format(0.01))
    assert.matches("over all stages", message)
    _, message = write '{"load_summary":{},"successes":{"count":3}}'
    assert.matches("a Prometheus told", message)
  end)

  it("of InferenceX is a point a row, of lengths that its times tell", function()
    local row = '{"hardware":"h200","framework":"vllm","model":"m","disagg":%s,"spec_method":'
      .. '"%s","decode_tp":8,"decode_ep":1,"decode_dp_attention":%s,"num_decode_gpu":8,"isl":1000,'
      .. '"osl":500,"conc":16,"metrics":{"mean_e2el":4.6,"mean_ttft":0.1,"mean_tpot":0.01,'
      .. '"p99_ttft":0.3,"output_tput_per_gpu":180.4}}\n'
    local measured = assert(write(row:format("false", "none", "false") .. row:format("true", "none",
      "false") .. row:format("false", "mtp", "false") .. row:format("false", "none", "true")))
    assert.equal(2, #measured.points)
    local point = measured.points[1]
    assert.same({ 16, 902, 451, "h200", "vllm", 8 }, { point.concurrency, point.prompt,
      point.output, point.row.system, point.row.backend, point.row.tp })
    near(0.3, point.times.ttft.p99)
    near(180.4 * 8 / 451, point.served)
    assert.same({ 1, 8 }, { measured.points[2].row.tp, measured.points[2].row.attention_dp_size })
    assert.matches("^2 rows left out", measured.notes[1])
  end)

  it("with times or counts that cannot be is refused where they stand", function()
    local head = "arrival_s,prompt_tokens,output_tokens,ttft_ms,e2e_ms\n1,9,9,10,50\n"
    assert.equal("requests", assert(write(head .. "0,9,9,10,50\n")).kind)
    for text, why in pairs { ["0,9,9,10,1e999\n"] = "request 1, in order of time: its e2e_s is inf",
      ["2,1e999,9,10,50\n"] = "request 2, in order of time: its prompt is inf" } do
      local measured, message = write(head .. text)
      assert.is_nil(measured)
      assert.equal(path .. ": " .. why, message)
    end
    local _, message = write('{"root_group":{},"metrics":{"http_req_duration":{"type":"trend",'
      .. '"values":{"avg":-1,"med":1,"p(90)":2,"p(95)":3}},'
      .. '"http_reqs":{"values":{"count":34,"rate":4.25}},'
      .. '"http_req_failed":{"values":{"rate":0}}}}')
    assert.matches(": point 1: its concurrency is %-0", message)
  end)

  it("of k6 has requests without tokens, or their sums", function()
    local sample = '{"metric":"%s","type":"Point","data":{"time":"2026-06-02T18:44:%s+02:00",'
      .. '"value":%g,"tags":{"method":"POST","url":"u","scenario":"chat","status":"%d",'
      .. '"expected_response":"%s"}}}\n'
    local measured = assert(write('{"type":"Metric","data":{"type":"trend"},"metric":'
      .. '"http_req_duration"}\n' .. sample:format("http_req_duration", "57.5", 2000, 200, "true")
      .. sample:format("http_req_waiting", "57.5", 125, 200, "true")
      .. sample:format("http_req_duration", "58.25", 500, 500, "false")
      .. sample:format("http_req_duration", "56.75", 1500, 200, "true")))
    assert.same({ "requests", true, 1 }, { measured.kind, measured.tokenless, measured.left_out })
    local a, b = measured.requests[1], measured.requests[2]
    near(0, a.at_s) -- 56.75 − 1.5
    near(0.25, b.at_s)
    near(2, b.e2e_s)
    assert.equal(0.125, b.first_byte_s)
    assert.is_nil(a.first_byte_s)
    assert.equal("chat", a.class)
    local values = '{"avg":118.5,"med":112,"p(90)":160,"p(95)":170}'
    for _, metric in ipairs { values, '{"type":"trend","values":' .. values .. "}" } do
      local point = assert(write('{"root_group":{},"metrics":{"http_req_duration":' .. metric
        .. ',"http_reqs":{"count":34,"rate":4.25}}}')).points[1]
      assert.same({ 4.25, 4.25, 34 }, { point.rate, point.served, point.requests })
      near(0.112, point.times.e2e.p50)
      near(0.17, point.times.e2e.p95)
    end
  end)

  it("of MLPerf's logs is a point, the same by both", function()
    local summary = "MLPerf Results Summary\nScenario : Server\nMode     : PerformanceOnly\n"
      .. "Completed samples per second    : 12.5\nCompleted tokens per second: 3750\n"
      .. "Result is : INVALID\n  Min duration satisfied : Yes\n"
      .. "Scheduled samples per second : 13\n"
      .. "Mean latency (ns)               : 6000000000\n"
      .. "99.00 percentile latency (ns)   : 9000000000\n\n"
      .. "Mean First Token latency (ns)               : 250000000\n"
      .. "99.90 percentile first token latency (ns)   : 900000000\n"
      .. "Mean Time %s Output Token (ns)               : 19000000\n"
      .. "99.00 percentile time to output token (ns)   : 25000000\n"
    local detail = {}
    for key, value in pairs { effective_scenario = '"Server"', result_validity = '"INVALID"',
      result_invalid_reason = '"Too few. "', result_scheduled_samples_per_sec = 13,
      result_completed_samples_per_sec = 12.5, result_completed_tokens_per_second = 3750,
      result_mean_latency_ns = 6e9, ["result_99.00_percentile_latency_ns"] = 9e9,
      result_first_token_mean_latency_ns = 25e7, result_query_count = 800,
      ["result_first_token_99.90_percentile_latency_ns"] = 9e8,
      result_time_to_output_token_mean = 19e6,
      ["result_time_per_output_token_99.00_percentile_ns"] = 25e6 } do
      detail[#detail + 1] = (':::MLLOG {"key": "%s", "value": %s, "time_ms": 1.5, "metadata": '
        .. '{"is_error": false, "pid": 1}}'):format(key, value)
    end
    for _, text in ipairs { summary:format "to", summary:format "per",
      table.concat(detail, "\n") } do
      local measured = assert(write(text))
      local point = measured.points[1]
      assert.same({ 13, 12.5, 300, 3750 }, { point.rate, point.served, point.output,
        point.tokens_s })
      near(75, point.concurrency)
      near(9, point.times.e2e.p99)
      near(0.9, point.times.ttft.p999)
      near(0.019, point.times.tpot.mean)
      near(0.025, point.times.tpot.p99)
      assert.matches("^LoadGen calls the result INVALID", measured.notes[1])
    end
    local _, message = write(summary:gsub("PerformanceOnly", "AccuracyOnly"))
    assert.matches("for accuracy", message)
    _, message = write(summary:gsub("Server", "Offline"))
    assert.matches("scenario Offline without a load", message)
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

describe("samples of sums", function()
  local core = require "tandem.core"
  local cjson = require "cjson"

  -- By what an own script took from the bytes.
  it("have the figures that came with them", function()
    for _, up in ipairs { "../", "../../" } do
      local folder = up .. "shared/data/interop/inference_perf/"
      local file = core.files.list(folder) and io.open(folder .. "expected.json")
      for name, expected in pairs(file and cjson.decode(file:read "a") or {}) do
        if name:find "stage_%d+_lifecycle" then
          local point = assert(read.file(folder .. name)).points[1]
          assert.equal(expected.count, point.requests)
          near(expected.requested_rate, point.rate)
          near(expected.e2e_mean_s, point.times.e2e.mean)
          near(expected.ttft_p99_s, point.times.ttft.p99)
          assert.near(expected.output_tokens_per_sec, point.tokens_s,
            expected.output_tokens_per_sec * 1e-9)
        elseif name:find "metrics%.json$" then
          assert.is_nil(read.file(folder .. name))
        end
      end
      if file then file:close() end
    end
  end)
end)
