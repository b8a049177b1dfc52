--- `tandem map`: which spans of a capture are requests and stages, proposed, and what a map covers.
--
-- Owns the arguments and what is printed in which form. Proposals are lua/tandem/map's, coverage is
-- lua/tandem/visits'.
local codes = require "tandem.cli.codes"
local columns = require "tandem.analysis.columns"
local forms = require "tandem.cli.analysis"
local mapped = require "tandem.cli.mapped"
local storing = require "tandem.cli.storing"
local notes = require "tandem.map.notes"

---@type tandem.Command
local command = {
  summary = "which spans are requests and stages: proposes a map, shows what it covers",
  about = "A map is a small Lua file that says which spans of a capture are requests and which of "
    .. "them are their stages; overlay, score and fit take it. Proposes one from what repeats: "
    .. "marked ranges (NVTX, annotations; names that differ in a number are one), modules, copies "
    .. "and kernels in turn, kernels that begin a period, phases of API calls. Shows the requests, "
    .. "the visits and the time of each stage, and what time no stage has. With --map shows that "
    .. "of a map of yours. tandem help map tells what a map may say.",
  arguments = { { name = "input", value = "RUN|FILE", reads = "name",
    help = "The beginning of a run's id, its name, or last; or a trace file, not kept." } },
  options = {
    { "--map", value = "MAP.lua", reads = "file",
      help = "What this map covers, instead of proposing one." },
    { "--trusted", help = "Run the map file with all of Lua." },
    { "--propose", value = "N", kind = "integer", least = 1,
      help = "Print so many proposals, best first, without tables." },
  },
  examples = { "tandem map last", "tandem map report.sqlite --out map.lua",
    "tandem map last --propose 3", "tandem map last --map map.lua --csv" },
}
for _, option in ipairs(forms.options) do
  if option[1] == "--out" then
    option = { "--out", value = "FILE", help = "Write the map there (.lua); with another ending "
      .. "(.csv, .json, .html) what it covers." }
  end
  command.options[#command.options + 1] = option
end
command.options[#command.options + 1] = storing.option

-- ---- what is printed ----

local function head_of(run, proposal, summary)
  local lines = { ("Map of %s: %s."):format(run.name, summary) }
  if proposal.once then
    lines[2] = "One request is too few to tell how stages vary: capture more of them."
  end
  return lines
end

local function text_of(run, proposal)
  local summary = notes.summary(proposal.visits, proposal.coverage)
  local comments = notes.of(proposal.visits, proposal.coverage, proposal.why)
  comments.head = head_of(run, proposal, summary)
  return proposal.map:to_lua(comments)
end

local function put_text(console, text)
  for line in text:gmatch "(.-)\n" do console:print(console.style:text(line)) end
end

local function write_map(args, console, text)
  local done, message, code = require("tandem.io.outfile").write(args.out, text)
  if not done then return nil, message, code end
  console:note(("wrote %s"):format(args.out))
  return codes.OK
end

-- ---- the two ways to be asked ----

-- What a given map covers.
local function show_given(run, args, form, console)
  local map, problems, code = require("tandem.map").load(args.map, { trusted = args.trusted })
  if not map and type(problems) == "string" then return nil, problems, code end
  if not map then return console:problems(problems) end
  local visits, message
  visits, message, code = run:visits(map)
  if not visits then return nil, message, code end
  local coverage = visits:coverage()
  if form == "lua" then
    if map.by then return nil, "a map with a function is its own file; copy it", codes.USAGE end
    return write_map(args, console, map:to_lua(notes.of(visits, coverage)))
  end
  if form == "text" then
    console:print(console.style:text(("%s on %s: %s"):format(args.map, run.name,
      notes.summary(visits, coverage))))
    console:print ""
  end
  return forms.give(coverage, form, args, console)
end

-- A simulated run is its own map.
local function show_simulated(run, args, form, console)
  if form == "lua" then
    return nil, ("run %s is simulated and needs no map"):format(run.id), codes.INVALID
  end
  local visits, message, code = run:visits()
  if not visits then return nil, message, code end
  local coverage = visits:coverage()
  if form == "text" then
    console:print(console.style:text(("run %s is simulated and needs no map: %s"):format(run.id,
      notes.summary(visits, coverage))))
    console:print ""
  end
  return forms.give(coverage, form, args, console)
end

local function show_many(run, proposals, console)
  for i, proposal in ipairs(proposals) do
    if i > 1 then console:print "" end
    console:print(console.style:paint(("-- %d of %d"):format(i, #proposals), "bold"))
    put_text(console, text_of(run, proposal))
  end
  return codes.OK
end

local PROPOSALS <const> = { title = "Proposed maps", summary = "", about = "", frames = {
  maps = { title = "Maps", columns = { columns.count("rank", "rank"),
    columns.count("requests", "requests"), columns.share("share", "in stages"),
    columns.text("why", "why"), columns.text("map", "map") } } } }

-- Proposals as a table, for programs.
local function table_of(run, proposals)
  local rows = {}
  for i, proposal in ipairs(proposals) do
    local share = 0
    for _, row in ipairs(proposal.coverage:frame("stages").rows) do
      share = share + (row.share or 0)
    end
    rows[i] = { rank = i, requests = proposal.visits.count, share = share, why = proposal.why,
      map = text_of(run, proposal) }
  end
  return require("tandem.analysis.answer").new("map", PROPOSALS, { run = run, filter = {} },
    { frames = { { name = "maps", columns = { "rank" }, rows = rows } },
      basis = { "share: of the requests' time" } })
end

local function show_proposed(run, args, form, console)
  local proposals, message, code = require("tandem.map.propose").of(run,
    { limit = args.propose or 1 })
  if not proposals then return nil, message, code end
  if form == "lua" then return write_map(args, console, text_of(run, proposals[1])) end
  if args.propose and form == "text" then return show_many(run, proposals, console) end
  if args.propose then return forms.give(table_of(run, proposals), form, args, console) end
  if form ~= "text" then return forms.give(proposals[1].coverage, form, args, console) end
  put_text(console, text_of(run, proposals[1]))
  console:print ""
  return forms.give(proposals[1].coverage, form, args, console)
end

---@param args table
---@param console tandem.Console
---@return integer code
function command.run(args, console)
  local form, wrong
  if args.out and args.out:find "%.lua$" then
    form = "lua"
    if args.csv or args.json or args.html then
      return console:usage "--out FILE.lua writes the map; --csv, --json and --html what it covers"
    end
  else
    form, wrong = forms.form_of(args)
    if not form then return console:usage((wrong:gsub("none of ", "none of .lua, "))) end
  end
  if args.map and args.propose then return console:usage "give --map or --propose, not both" end
  return mapped.with_run(args, args.input, console, function(run)
    local show = args.map and show_given or run.kind == "simulated" and show_simulated
      or show_proposed
    return show(run, args, form, console)
  end)
end

return command
