--- Help topic: step models of LLM servers from measurements.
return require("tandem.help.page")("step models of LLM servers, from benchmarks and logs", [[
tandem fit FILE knows by its content what was measured of an LLM server, and fits the steps of
td.generate to it:

  requests    vllm bench serve --save-result --save-detailed; SGLang bench_serving
              --output-details; AIPerf profile_export.jsonl; GenAI-Perf profile_export.json with
              the server's usage; inference-perf per_request_lifecycle_metrics.json; CSV or JSON
              Lines with arrival, prompt_tokens, output_tokens, ttft and e2e or tpot (…_ms, …_s)
  steps       vLLM --enable-logging-iteration-details, TensorRT-LLM print_iter_log; CSV with
              step_ms and decode_seqs, prefill_tokens, decode_context …
  seconds     CSV of t, running, prompt_throughput, gen_throughput
  points      CSV of concurrency, isl, osl, ttft_ms, tpot_ms; model, gpu, tp, backend
  operators   a folder with dense.csv, attention.csv, per_sequence.csv

  tandem fit bench.json --engine max_seqs=128,max_batched_tokens=2048,kv_blocks=30000
  tandem fit bench.json --out server.lua             a scenario under the measured load
  tandem fit bench.json --scenario mine.lua --out -  the steps put into a scenario
  tandem fit points.csv --model Llama-3.1-8B --gpu "H100 SXM"
  tandem fit RTX4090/tp1 --as affine --out steps.lua

Requests tell no steps: they are replayed as the engine would have scheduled them, under a first
guess; in that schedule each time is a sum of terms whose coefficients a regression gives, and so on
until both agree. So the engine's settings matter: those that stand beside the file (meta.json) are
read, --engine tells others, and what nobody says is assumed and noted. Times of a client hold what
a request takes before the engine has it (request, a td.fixed); a file that knows queueing has the
engine's clock. A prefix cache is not known from these files: prompts are taken as computed.

Coefficients are those of td.affine: step, prefill_tokens, decode_seqs, decode_context … None is
negative, and one is taken only where the data tell it from those before it; why the others are not
is said: where all steps had as many sequences, what another one costs is not in the data. Intervals
are 95 %, from resampled stretches of the run and from what schedules leave open.

Half is held out (--hold), by chance (--seed) or the last ones (--split half); requests held out are
load all the same. Their TTFT, TPOT and E2E are simulated: errors of the mean and the 99th
percentile, median and ninth decile of single errors. From Lua:

  local answer = require("tandem.llm.calibrate").run { file = "bench.json", engine = { … } }
  answer.parameters, answer.rows, answer.refused, answer.notes
  answer:step()  answer:source()  answer:model():step_s { decode_seqs = 8, … }]])
