--- Help on calls: the analyses of a run, and their answers.
local shared = require "tandem.help.calls.shared"
local NOTHING, MEASURED = shared.NOTHING, shared.MEASURED

local ERRORS <const> = "Raises where an option is unknown or has a wrong value; nil, a message "
  .. "and a code where the store cannot be read. What the run lacks, the answer says."

-- What each may be asked, by its own options.
local ASKED <const> = {
  kernels = '{ by = "base", each = "device" }', gpu = '{ by = "base", api = true }',
  api = '{ each = "thread" }', launches = '{ by = "base" }', syncs = '{ each = "process" }',
  ranges = '{ style = "pushpop" }', projected = "", range_kernels = '{ by = "base" }', ops = "",
  osrt = "", breakdown = '{ work = "launched" }', overlap = '{ rules = "hta" }',
  idle = '{ consecutive_kernel_delay = "30us" }', gaps = '{ threshold = "1ms", most = 5 }',
  queue = "{ full = 1024 }", launch_delay = '{ launch_delay_cutoff = "100us" }',
  utilization = "{ bins = 20 }", roofline = "", sequences = "{ length = 3, top = 5 }",
  graphs = "", critical_path = "", ranks = "", phases = '{ idle = "1ms" }',
  categories = '{ engine = "sglang" }',
  flame = '{ weight = "host", depth = 20 }', steps = "", copies = '{ by = "kind" }',
  bandwidth = "{ bins = 20 }", memory = "{ bins = 20 }", compile = "",
  advice = '{ only = "gpu-gaps", threshold = "gpu-gaps=5ms" }',
}

local calls = {}
for name, options in pairs(ASKED) do
  calls["Run:" .. name] = { errors = ERRORS, see = { "Answer:rows", "Answer:top" },
    example = ("%s\nprint(assert(run:%s(%s)))"):format(MEASURED, name, options) }
end

local function of_answer(code) return MEASURED .. "\nlocal answer = run:kernels()\n" .. code end
local COLUMN <const> = "Raises where there is no such column."

local function add(name, errors, code, see)
  calls["Answer:" .. name] = { errors = errors, see = see, example = of_answer(code) }
end
add("frame", "Raises where there is no table of that name.",
  'print(answer:frame("kernels").rows[1].count > 0)  --> true', { "Answer:rows" })
add("rows", NOTHING, "print(answer:rows()[1].total_ns > 0)  --> true", { "Answer:frame" })
add("abstains", NOTHING, "print(answer:abstains())  --> false", { "Answer:notes" })
add("top", COLUMN, 'print(answer:top(3, "count"))', { "Answer:sort" })
add("sort", COLUMN, 'print(answer:sort("count", true).rows[1].count > 0)  --> true',
  { "RowTable:sort" })
add("filtered", COLUMN,
  "print(answer:filtered(function(row) return row.share > 0.05 end))", { "RowTable:filter" })
add("column", COLUMN, 'print(#answer:column "name" > 0)  --> true', { "RowTable:column" })
add("notes", NOTHING, "print(answer:notes()[1])", { "Answer:abstains" })
add("lines", "Raises where `only` names no table.",
  "print(#answer:lines(nil, 5) > 5)  --> true", { "Answer:report" })
add("report", NOTHING, "print(answer:report(nil, 5))", { "Answer:lines" })
add("to_csv", "Raises where there is no table of that name.",
  'print(answer:to_csv():find "total_ns" ~= nil)  --> true', { "RowTable:to_csv" })
add("to_json", NOTHING, 'print(answer:to_json():find "tandem.analysis/1" ~= nil)  --> true',
  { "Answer:to_html" })
add("plots", NOTHING, "print(answer:plots()[1].title)", { "Answer:plot" })
add("plot", "Nil and a message where it has no chart; " .. shared.FILE:gsub("^N", "n"),
  'assert(answer:plot "kernels.svg")', { "Plot:save" })
add("to_html", NOTHING, 'print(answer:to_html():find "<!doctype html>" ~= nil)  --> true',
  { "Answer:to_json" })

local function of_view(name, code, see)
  calls["AdviceView:" .. name] = { example = shared.rule("local found = " .. code), see = see,
    errors = "Raises nothing." }
end
of_view("bytes", "view:bytes(8 * 1024 ^ 2)", { "td.show" })
of_view("time", "view:time(2.5e6)", { "td.show" })
of_view("percent", "view:percent(0.25)", { "td.show" })
of_view("speed", "view:speed(25e9)", { "td.show" })
of_view("integer", "view:integer(12345)", { "td.show" })
of_view("count", 'view:count("kernels", { each = "device" }).kernels[1].name', { "Run:kernels" })
of_view("devices", "#view:devices()", { "AdviceView:device" })
of_view("device", "view:device(view:devices()[1]).busy_ns", { "AdviceView:devices" })
of_view("where", "view:where(view:devices()[1])", { "AdviceView:device" })
of_view("gpu", "(view:gpu(view:devices()[1]) or { name = '?' }).name", { "AdviceView:device" })
of_view("has", 'view:has "kernel"', { "td.advice" })
of_view("copies_alone", 'view:copies_alone("sync", 0.01, "copies", function() return "one" end)',
  { "AdviceView:count" })
of_view("copy_name", 'view:copy_name { kind = "HtoD", src_kind = "pinned" }',
  { "AdviceView:count" })
of_view("launches_cap", "view:launches_cap(view:devices()[1], 2e6)", { "AdviceView:device" })
of_view("limits", "#view:limits()", { "Run:roofline" })
calls["AdviceView:count"].errors = "Raises where there is no such analysis, or an option is wrong."

return calls
