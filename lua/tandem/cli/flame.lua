--- `tandem flame`: the stacks of a run as an interactive page, a picture, or a file for other
--- programs.
local analysis = require "tandem.analysis"
local codes = require "tandem.cli.codes"
local forms = require "tandem.cli.forms"
local shared = require "tandem.cli.analysis"
local storing = require "tandem.cli.storing"

local description = analysis.named "flame" --[[@as tandem.Analysis]]

-- Beyond this a page is heavy; the lightest frames are gathered.
local MOST_FRAMES <const> = 150000
local LEAST_SHARE <const> = "0.005%"

---@class tandem.FlameForm
---@field ending string
---@field text fun(graph: tandem.FlameGraph): string

---@type table<string, tandem.FlameForm>
local FORMS <const> = {
  html = { ending = "-flame.html", text = function(graph)
    return require("tandem.page").flame(graph)
  end },
  svg = { ending = "-flame.svg", text = function(graph)
    return tostring(require("tandem.flame.svg").draw(graph))
  end },
  folded = { ending = ".folded", text = function(graph)
    return require("tandem.flame.folded").text(graph)
  end },
  speedscope = { ending = ".speedscope.json", text = function(graph)
    return require("tandem.flame.speedscope").text(graph)
  end },
  csv = { ending = ".csv", text = function(graph) return graph.answer:to_csv "stacks" end },
  json = { ending = ".json", text = function(graph) return graph.answer:to_json() end },
}
local ORDER <const> = { "html", "svg", "folded", "speedscope", "csv", "json" }

local options = shared.own_options(description)
table.move({
  { "--against", value = "RUN", help = "Another run to compare with: red has grown, blue has "
    .. "shrunk. Stacks of threads are merged, since threads of two runs have no names in common. "
    .. "For --html and --svg." },
  { "--html", help = "The interactive page (the default)." },
  { "--svg", help = "A picture, without scripts." },
  { "--folded", help = "Folded stacks, a line a stack." },
  { "--speedscope", help = "A file of speedscope." },
  { "--csv", help = "The tree as CSV, in preorder." },
  forms.json("Functions and tree as JSON (schema tandem.analysis/1)."),
  { "-o --out", value = "FILE", help = "Where to; - is standard output. The ending (.html, .svg, "
    .. ".folded, .speedscope.json, .csv, .json) says which form. Default: the run's id with "
    .. "-flame.html." },
  storing.option,
}, 1, 9, #options + 1, options)

---@type tandem.Command
local command = {
  summary = description.summary, about = description.about .. " Writes an interactive page: zoom, "
    .. "search, the tree from its leaves, the difference of two runs.",
  arguments = { storing.run }, options = options,
  examples = { "tandem flame last", "tandem flame last --weight gpu --out gpu.html",
    "tandem flame 6f64 --against 41c9", "tandem flame last --folded --min 1ms" },
}

local function form_of(args)
  local form, wrong = forms.chosen(args, ORDER)
  if wrong then return nil, wrong end
  if form or not args.out or args.out == "-" then return form or "html" end
  if args.out:find "%.speedscope%.json$" then return "speedscope" end
  form = args.out:match "%.(%a+)$"
  if FORMS[form] and form ~= "speedscope" then return form end
  return nil, ("--out %s: its ending is none of .html, .svg, .folded, .speedscope.json, .csv, "
    .. ".json"):format(args.out)
end

-- The stacks of a run; where there are too many for a page, without the lightest.
local function ask(run, given, console, form)
  local answer, message, code = analysis.ask(run, "flame", given)
  if answer and form == "html" and not given.min
    and #answer:frame("stacks").rows > MOST_FRAMES then
    console:note(("%d frames: those below %s are gathered (--min says otherwise)"):format(
      #answer:frame("stacks").rows, LEAST_SHARE))
    given.min = LEAST_SHARE
    return analysis.ask(run, "flame", given)
  end
  return answer, message, code
end

local function graph_of(store, args, console, form)
  local run, message, code = store:run(args.run)
  if not run then return nil, message, code end
  local given = shared.chosen_of(args, description)
  if args.against then given.merge = true end
  local answer, other
  answer, message, code = ask(run, given, console, form)
  if not answer then return nil, message, code end
  if answer:abstains() then
    return nil, "cannot answer: " .. table.concat(answer.cannot, "; "), codes.NO
  end
  if args.against then
    local against
    against, message, code = store:run(args.against)
    if not against then return nil, message, code end
    other, message, code = ask(against, given, console, form)
    if not other then return nil, message, code end
  end
  local graph
  graph, message = require("tandem.flame").of(answer, other)
  if not graph then return nil, message, codes.NO end
  return graph
end

---@param args table
---@param console tandem.Console
---@return integer code
function command.run(args, console)
  local form, wrong = form_of(args)
  if form and args.against and form ~= "html" and form ~= "svg" then
    form, wrong = nil, ("--against compares in --html and --svg; --%s has one run"):format(form)
  end
  if not form then return console:usage(wrong) end
  return storing.with(args, console, { readonly = true, interruptible = true }, function(store)
    local graph, message, code = graph_of(store, args, console, form)
    if not graph then return nil, message, code end
    local text = FORMS[form].text(graph)
    if form == "html" or args.out then
      return storing.page(args, console, text, graph.answer.run.id .. FORMS[form].ending)
    end
    console.write_out(text)
    return codes.OK
  end)
end

return command
