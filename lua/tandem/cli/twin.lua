--- `tandem twin`: a scenario that behaves like an LLM server, out of its metrics alone.
local codes = require "tandem.cli.codes"
local format = require "tandem.text.format"
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
    { "--deploy", value = "FILE", reads = "file", help = "Instead of --server: the manifest that "
      .. "deploys it (tandem help new)." },
    { "--model", value = "NAME", help = "The model (tandem list models); default: as --server or "
      .. "the metrics have it." },
    { "--tp", value = "N", kind = "integer", least = 1, help = "GPUs of a replica." },
    { "--replicas", value = "N", kind = "integer", least = 1, help = "Servers behind what was "
      .. "scraped: a frontend or a router does not say. Default: as many as were scraped." },
    { "--users", value = "N", kind = "integer", least = 1, help = "Who came while it was scraped: "
      .. "each then has a prefix of its own, as long as makes what is found in the cache right." },
    { "--name", value = "NAME", help = "The scenario's name (default: twin)." },
    { "--follow", value = "URL", help = "Then fetch this address of the server's metrics again and "
      .. "again and say, window by window, whether it still is what the twin was made of, until "
      .. "Ctrl-C. Leaves with 1 when --windows are over and one has drifted." },
    { "--every", value = "TIME", help = "With --follow: between two scrapes (default: 15s)." },
    { "--window", value = "TIME", help = "With --follow: what is compared at a time (default: 1h)."
    },
    { "--windows", value = "N", kind = "integer", least = 1,
      help = "With --follow: end after so many." },
    { "--alarm", value = "SHARE", help = "With --follow: of windows in which nothing has changed, "
      .. "so many are called drifted (default: 1%)." },
    { "--out", value = "FILE.lua", help = "Write the scenario; - is standard output." },
    forms.json("Print JSON (schema tandem.twin/1)."),
  },
  examples = { "tandem twin metrics/ --gpu \"H100 SXM\" --out twin.lua",
    "tandem twin metrics/ --gpu \"H100 SXM\" --follow http://server:8000/metrics --window 1h",
    "tandem twin answer.json --gpu \"A100 SXM 80GB\" --server \"vllm serve Qwen/Qwen2.5-7B\"" },
}

local FOLLOWING <const> = { every = { "15s", "s", 0.001, 3600 }, window = { "1h", "s", 0.01, 1e7 },
  alarm = { "1%", "1", 1e-6, 0.5 } }

-- What --follow takes: { url, every_s, window_s, windows, alarm }; nil and what is wrong.
local function following(args)
  if not args.follow then
    for _, name in ipairs { "every", "window", "windows", "alarm" } do
      if args[name] then return nil, ("--%s goes with --follow URL"):format(name) end
    end
    return false
  end
  local url, wrong = require("tandem.upload.transport").address(args.follow, true)
  if not url then return nil, "--follow: " .. wrong end
  local out = { url = url, windows = args.windows, model = args.model }
  for name, rule in pairs(FOLLOWING) do
    local value = require("tandem.units").as(args[name] or rule[1], rule[2])
    if type(value) ~= "number" or value < rule[3] or value > rule[4] then
      return nil, ("--%s: '%s' is not such as %s"):format(name, args[name], rule[1])
    end
    out[name == "alarm" and name or name .. "_s"] = value
  end
  if args.json or args.out == "-" then
    return nil, "--follow prints lines; leave --json and --out - out"
  end
  return out
end

local function shown(row, value)
  if row.unit == "s" then return format.time(value) end
  return row.unit == "tok" and ("%.0f"):format(value) or format.rate(value)
end

-- Follows, a line a window.
local function follow(answer, options, console)
  local function figures(rows)
    local words = {}
    for i, row in ipairs(rows) do
      words[i] = ("%s %s%s"):format(row.name, shown(row, row.value), row.drifted
        and (" (%s, as recorded %s … %s)"):format(format.change(row.value / row.expected - 1),
          shown(row, row.low), shown(row, row.high)) or "")
    end
    return table.concat(words, ", ")
  end
  function options.note(detector, why, slowly)
    if why then return console:note(("%s: %s"):format(options.url, why)) end
    console:note(("following %s: of %s windows in which nothing has changed, %s are called drifted")
      :format(options.url, format.time(options.window_s), format.percent(detector.alarm)))
    console:note(("what moves a little in each is called slow drift: in %s of runs of %d windows "
      .. "in which nothing has changed"):format(format.percent(slowly.alarm), slowly.horizon))
    for _, left in ipairs(detector.left_out) do console:note("rate is not compared: " .. left) end
  end
  local windows, changed = 0, 0
  local function date(time) return os.date("!%Y-%m-%d %H:%M:%S", math.floor(time)) end
  function options.tell(from, _, rows, drifted, moved)
    windows, changed = windows + 1, changed + ((drifted or moved) and 1 or 0)
    console:print(("%s  %s"):format(date(from), not rows and "too little to judge"
      or (drifted and "drifted: " or "as the twin: ") .. figures(rows)))
    local told = {} -- a figure that the window alone shows is no slow one
    for _, row in ipairs(rows or {}) do told[row.name] = row.drifted end
    for _, one in ipairs(moved or {}) do
      if not told[one.name] then
        console:print(("%s  slow drift: %s %s since %s"):format(date(from), one.name,
          format.change(one.change), date(one.since)))
      end
    end
    io.stdout:flush()
  end
  local ok, out, message, code = pcall(require("tandem.twin.follow").run, answer, options)
  if ok and not out then return console:fail(code or codes.IO, tostring(message)) end
  console:note(("%s, %d drifted"):format(format.plural(windows, "window"), changed))
  if not ok then error(out, 0) end -- Ctrl-C stops Lua where it is
  return out.drifted > 0 and not out.stopped and codes.NO or codes.OK
end

-- What the twin is for: twice the users, and what holds today (the bucket's end) holding then.
local function next_step(answer, path)
  local wanted = {}
  for _, row in ipairs(answer.rows) do
    local most = row.p99[2]
    if (row.what == "TTFT" or row.what == "TPOT") and most < math.huge then
      wanted[#wanted + 1] = (" --slo %s_p99=%gms"):format(row.what:lower(), most * 1e3)
    end
  end
  if #wanted == 0 then return nil end
  return ("how many for twice the users, as fast as now: tandem plan %s --users 2x%s"):format(
    require("tandem.text.shell").word(path), table.concat(wanted))
end

---@param args table
---@param console tandem.Console
---@return integer code
function command.run(args, console)
  local watched, refused = following(args)
  if watched == nil then return console:usage(refused) end
  if args.server and args.deploy then
    return console:usage "give --server or --deploy, not both: each says how it was launched"
  end
  local wrong = require("tandem.twin").unknown_gpu(args.gpu)
  if wrong and args.gpu then return console:usage("--gpu: " .. wrong) end
  if args.json and args.out == "-" then
    return console:usage "give --json or --out -, not both: one goes to standard output"
  end
  local answer, message, code = require("tandem.twin").run { files = args.metrics, gpu = args.gpu,
    server = args.server, deploy = args.deploy, model = args.model, tp = args.tp,
    replicas = args.replicas, users = args.users, name = args.name }
  if not answer and wrong and code == codes.USAGE then return console:usage("--gpu " .. wrong) end
  if not answer then return console:fail(code or codes.INVALID, tostring(message)) end
  if args.json then
    console.write_out(require("tandem.io.json").encode(answer:data()) .. "\n")
  elseif args.out ~= "-" then
    console:print(answer:report())
  end
  local watch = watched and function() return follow(answer, watched, console) end
  if not args.out then return watch and watch() or codes.OK end
  local text, why = answer:source()
  if not text then return console:fail(codes.INVALID, tostring(why)) end
  local written, failed, failure = storing.page(args, console, text, "-")
  if not written then return console:fail(failure or codes.IO, tostring(failed)) end
  local hint = args.out ~= "-" and written == codes.OK and next_step(answer, args.out)
  if hint then console:note(hint) end
  return watch and written == codes.OK and watch() or written
end

return command
