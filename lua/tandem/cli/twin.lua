--- `tandem twin`: a scenario that behaves like an LLM server, out of its metrics alone.
local codes = require "tandem.cli.codes"
local forms = require "tandem.cli.forms"
local storing = require "tandem.cli.storing"

---@type tandem.Command
local command = {
  summary = "a scenario out of an LLM server's metrics",
  about = "Reads scrapes of vLLM, SGLang, TensorRT-LLM, Dynamo or llm-d (or what a Prometheus has "
    .. "of them) and says what they "
    .. "tell of it: who came and how unevenly, lengths, what was found in the prefix cache, what "
    .. "steps cost, each with its interval, or why it is not identifiable. --out writes a scenario "
    .. "that behaves like it, for tandem run, plan and sweep. The report holds both side by side.",
  arguments = {
    { name = "metrics", value = "METRICS", count = "+", reads = "file", help = "Files and folders "
      .. "of scrapes (tandem help prometheus)." },
  },
  options = {
    { "--gpu", value = "NAME", help = "What the server runs on: \"H100 SXM\" (tandem list gpus)." },
    { "--server", value = "COMMAND", help = "How it was launched: \"vllm serve MODEL "
      .. "--tensor-parallel-size 2 --max-num-seqs 128\"." },
    { "--model", value = "NAME", help = "The model (tandem list models); default: as --server or "
      .. "the metrics have it." },
    { "--tp", value = "N", kind = "integer", least = 1, help = "GPUs of a replica." },
    { "--replicas", value = "N", kind = "integer", least = 1, help = "Servers behind what was "
      .. "scraped: a frontend or a router does not say. Default: as many as were scraped." },
    { "--users", value = "N", kind = "integer", least = 1, help = "Who came while it was scraped: "
      .. "each then has a prefix of its own, as long as makes what is found in the cache right." },
    { "--name", value = "NAME", help = "The scenario's name (default: twin)." },
    { "--out", value = "FILE.lua", help = "Write the scenario; - is standard output." },
    forms.json("Print JSON (schema tandem.twin/1)."),
  },
  examples = { "tandem twin metrics/ --gpu \"H100 SXM\" --out twin.lua",
    "tandem twin answer.json --gpu \"A100 SXM 80GB\" --server \"vllm serve Qwen/Qwen2.5-7B\"" },
}

---@param args table
---@param console tandem.Console
---@return integer code
function command.run(args, console)
  local wrong = require("tandem.twin").unknown_gpu(args.gpu)
  if wrong then return console:usage(args.gpu and "--gpu: " .. wrong or "--gpu " .. wrong) end
  if args.json and args.out == "-" then
    return console:usage "give --json or --out -, not both: one goes to standard output"
  end
  local answer, message, code = require("tandem.twin").run { files = args.metrics, gpu = args.gpu,
    server = args.server, model = args.model, tp = args.tp,
    replicas = args.replicas, users = args.users, name = args.name }
  if not answer then return console:fail(code or codes.INVALID, tostring(message)) end
  if args.json then
    console.write_out(require("tandem.io.json").encode(answer:data()) .. "\n")
  elseif args.out ~= "-" then
    console:print(answer:report())
  end
  if not args.out then return codes.OK end
  local text, why = answer:source()
  if not text then return console:fail(codes.INVALID, tostring(why)) end
  local written, failed, failure = storing.page(args, console, text, "-")
  return written or console:fail(failure or codes.IO, tostring(failed))
end

return command
