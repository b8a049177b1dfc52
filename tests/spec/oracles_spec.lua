--- What holds each analysis to the truth: the tests that compare its answer on a real capture with
--- a figure that is not ours, which another tool printed (tests/data/expected) or which the test
--- counts plainly over the rows of the capture's own file (support/source_rows.lua).
--
-- The table is for people who ask "who says so?"; the checks keep it whole: an analysis without a
-- line here, a line without its test, and a capture that the test does not open are failures.
local analysis = require "tandem.analysis"
local cli = require "tandem.cli"

-- Captures of tests/data by the names that stand in the table. Where they come from: its READMEs.
local CAPTURES <const> = {
  served = "serving/measured/RTXPRO6000/per_request.csv",
  h100 = "nsys/h100_2gpu_1s.sqlite.gz", mfu = "nsys/mfu_2gpu_before.sqlite.gz",
  ranks = "kineto/timeline_analysis__sampled_rank-0.json.gz",
  bert = "h100__gaunernst_bert-small-uncased__1016001",
  alexnet = "critical_path__alexnet__benchmark_result_2869224_1695835535_trace",
  resnet = "kineto_2021/samples__resnet50_num_workers_0__worker0.1623143089861.pt.trace.json.gz",
  nccl = "nccl_parser_config__nccl_data", trainings = "df_index_resolver__df_index_resolver",
  pair = "kineto/trace_diff__control__control.json.gz",
  graphs = "kineto/inference__vllm_prefilldecode_piecewise__graph_execution.json.gz",
  triton = "torch_compile_triton__trace", calls = "cuda_api/vllm-37343.ingero.jsonl.gz",
  memory = "torch/memory_timeline.raw.json.gz", log = "torch/trace_cache_hit_miss.log.gz",
  steps = "kineto/ns_resolution_trace__rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz",
  qwen = "kineto/h100__Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz",
  stacks = "speedscope/perf-vertx-stacks-01-collapsed-all.txt.gz",
}

-- Analysis or command: spec | test | capture | whose figure.
local ORACLES <const> = [[
kernels | analysis_kernels | has the figures of nsys stats -r cuda_gpu_kern | h100 | nsys stats
kernels | analysis_kernels | has the figures of cuda_gpu_kern_gb_sum | h100 | nsys stats
gpu | analysis_summary | has the GPU work of cuda_gpu_sum | h100 | nsys stats
api | analysis_summary | has the API calls of cuda_api_sum | h100 | nsys stats
launches | analysis_summary | has the launches of cuda_kern_exec_sum | h100 | nsys stats
syncs | analysis_summary | has the synchronizing calls of cuda_api_sync | h100 | nsys analyze
syncs | analysis_source | has the calls that wait | h100 | SQLite rows
ranges | analysis_summary | has the ranges of nvtx_sum and nvtx_pushpop_sum | h100 | nsys stats
projected | analysis_projected | have the projections of nvtx_gpu_proj_sum | h100 | nsys stats
projected | analysis_projected | have what Kineto itself projects | bert | torch
range_kernels | analysis_projected | have the kernels of nvtx_kern_sum | h100 | nsys stats
ops | analysis_ops | have the kernels and categories of TraceLens | bert | TraceLens
ops | analysis_nested | has the operators' own time on the host | bert | JSON rows
osrt | analysis_counted | has those of the operating system | calls | JSON rows
breakdown | analysis_breakdown | gives the rows of its gpu_timeline | bert | TraceLens
breakdown | analysis_breakdown | splits time into idle, compute and other | alexnet | HTA
breakdown | analysis_source | has what overlaps, and what is hidden | h100 | SQLite and JSON rows
overlap | analysis_breakdown | gives its overlap of computation | nccl | HTA
overlap | analysis_breakdown | gives its kernel breakdown | nccl | HTA
overlap | analysis_source | has what overlaps, and what is hidden | ranks | SQLite and JSON rows
idle | analysis_breakdown | gives its causes of idle time by stream | trainings | HTA
idle | analysis_source | has why its streams idle | h100 | SQLite and JSON rows
gaps | analysis_counted | has the gaps | h100 | SQLite rows
gaps | analysis_counted | has what the host did in the gaps | h100 | SQLite rows
queue | analysis_breakdown | gives its queue lengths by stream | trainings | HTA
launch_delay | analysis_counted | has the delays of launches, graphs apart | h100 | SQLite rows
utilization | analysis_counted | has how busy the GPUs are over time | h100 | SQLite rows
roofline | analysis_roofline | has the FLOPs, time and limit that | qwen | JSON rows
utilization | analysis_source | has how busy it is with what | ranks | SQLite and JSON rows
sequences | analysis_counted | has the sequences that recur | h100 | SQLite rows
graphs | analysis_source | has its graphs and what launching them costs | graphs | JSON rows
critical_path | analysis_critical_path | has HTA's figures on AlexNet | alexnet | HTA
critical_path | critical_path_real | foretells what workers were | resnet | a second capture
ranks | analysis_source | has who waits for whom at collectives | ranks | JSON rows
ranks | analysis_source | has what each rank did | ranks | JSON rows
phases | analysis_phases | follow each other as the calls do | h100 | SQLite rows
phases | analysis_phases | have launches in bursts | h100 | SQLite rows
phases | analysis_phases | are input until the first launch | calls | JSON rows
categories | analysis_categories | count as gputrc2graph does | h100 | gputrc2graph's rules
categories | analysis_categories | sum to what Nsight Systems has for each name | h100 | nsys stats
flame | analysis_flame | give back the folded stacks that were read | stacks | the file
flame | analysis_flame | have the calls of nsys stats -r cuda_api_sum | h100 | nsys stats
flame | analysis_nested | has the frames' own time on the host | bert | JSON rows
steps | analysis_counted | has what each step spent its time on | ranks | JSON rows
copies | analysis_summary | has the times of copies of cuda_gpu_mem_time_sum | h100 | nsys stats
bandwidth | analysis_breakdown | gives its memory bandwidth by kind of copy | nccl | HTA
bandwidth | analysis_source | has the bytes that copies move over time | h100 | SQLite and JSON rows
memory | analysis_memory | has the peak, what was before | memory | Python on the file
memory | analysis_memory | follows the allocator's own totals | bert | torch
compile | analysis_compile | keeps apart compilations of one id | log | the log's own lines
compile | analysis_compile | tells the share of generated kernels | triton | TraceLens
advice | advice | rests on the rows of nsys analyze -r cuda_memcpy | h100 | nsys analyze
advice | advice | rests on the rows of nsys analyze -r cuda_api | h100 | nsys analyze
advice | advice_real | names the loader first | resnet | SQL, and the run with workers
advice | advice_real | says so first, with overlap | h100 | SQLite rows
diff | diff | has the counts, times and changes of HTA's | pair | HTA
diff | diff_units | are compared by their units, as SQL | mfu | SQLite rows
diff | compared_source | has the operators, kernels and categories | pair | JSON rows
overlay | compared_source | has how long each and both are busy | pair | JSON rows
map | visits_run | have the kernels that each step launched | steps | a count of spans
map | score_capture | brings each request's own bytes | h100 | SQLite rows
score | score_capture | brings each request's own bytes | h100 | SQLite rows
replay | score_capture | brings each request's own bytes | h100 | SQLite rows
twin | twin | is near a measured server | served | the requests, which twins do not see
fit | real_captures | is predicted from its other half | nccl | the capture's other half
]]

-- Those that tests ask for by another name.
local ASKED <const> = { map = "visits", twin = "run" }

-- Commands that compare runs with one another, besides the analyses.
local COMPARING <const> = "Real over simulated"

---@return { name: string, spec: string, test: string, capture: string }[]
local function lines()
  local list = {}
  for line in ORACLES:gmatch "[^\n]+" do
    local name, spec, test, capture, who = line:match
      "^(%S+)%s*| (%S+)%s*| (.-)%s*| (%S+)%s*| (%S.*)$"
    assert(who, line)
    list[#list + 1] = { name = name, spec = spec, test = test, capture = capture }
  end
  return list
end

local function text_of(spec)
  local file <close> = assert(io.open(("tests/spec/%s_spec.lua"):format(spec)))
  return file:read "a"
end

-- The text from the line at `at` to the line that ends it, which is indented as that one is.
local function block(text, at)
  local from = at
  while from > 1 and text:sub(from - 1, from - 1) ~= "\n" do from = from - 1 end
  local indent = text:match("^ *", from)
  return text:sub(from, (text:find("\n" .. indent .. "end[%)\n]", from)))
end

-- What a test does: its own lines, the local functions that they call, what these call and so on,
-- and what is set up before.
local function reach(text, at)
  local functions, seen, todo = {}, {}, { block(text, at) }
  for place, name in text:gmatch "()local function ([%w_]+)" do
    functions[name] = block(text, place)
  end
  for place in text:gmatch "()setup%(function" do todo[#todo + 1] = block(text, place) end
  for place in text:gmatch "()before_each%(function" do todo[#todo + 1] = block(text, place) end
  for i = 1, math.huge do
    if not todo[i] then return table.concat(todo, "\n") end
    for name in todo[i]:gmatch "[%w_]+" do
      if functions[name] and not seen[name] then
        seen[name] = true
        todo[#todo + 1] = functions[name]
      end
    end
  end
end

describe("every analysis", function()
  it("is held against a real capture and somebody else's figure", function()
    local held = {}
    for _, line in ipairs(lines()) do held[line.name] = true end
    for _, name in ipairs(analysis.names()) do
      assert.is_true(held[name], name .. " is held against no capture: it needs a test, and a line "
        .. "in tests/spec/oracles_spec.lua")
    end
    assert.is_true(held.diff)
    local seen = 0
    for _, group in ipairs(cli.groups) do
      for _, name in ipairs(group.title == COMPARING and group.names or {}) do
        seen = seen + 1
        assert.is_true(held[name], name)
      end
    end
    assert.is_true(seen >= 5)
  end)

  it("is asked in the tests that are named, on the captures that are named", function()
    for _, line in ipairs(lines()) do
      local what = ("%s: %s_spec.lua, %s"):format(line.name, line.spec, line.test)
      local text = text_of(line.spec)
      local at = text:find(line.test, 1, true)
      assert.is_truthy(at and text:sub(1, at):find "it%(%(?\"[^\n]*$", what)
      local done, capture = reach(text, at), CAPTURES[line.capture]
      local place = assert.is_truthy(text:find(capture, 1, true), what)
      local named = text:sub(1, place):match ".*local ([%w_]+)"
      assert.is_truthy(done:find(capture, 1, true) or named and done:find(named, 1, true), what)
      -- run:NAME(…), run:NAME {…}, td.NAME(…)
      local asked = ASKED[line.name] or line.name
      assert.is_truthy(done:find("[:.]" .. asked .. "[%(%s{]"), what)
    end
  end)
end)
