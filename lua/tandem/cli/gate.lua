--- `tandem gate`: may this change go in? diff's verdict for continuous integration.
--
-- Owns the gates that are asked for where none is named, and where the forms of CI are written. The
-- comparison and its verdicts are tandem.diff's, the forms diff/ci.lua's.
local codes = require "tandem.cli.codes"
local forms = require "tandem.cli.forms"
local gating = require "tandem.cli.gating"
local sides = require "tandem.cli.sides"
local storing = require "tandem.cli.storing"

local MEASURED <const>, SIMULATED <const> = { "total<+3%" }, { "p99<+3%" }

---@type tandem.Command
local command = {
  summary = "may a change go in? diff's verdict for CI: JUnit, a summary, annotations",
  about = "Compares NEW with BASE as tandem diff does and leaves with 1 when a gate fails. Without "
    .. "--gate: total<+3% of measured runs, p99<+3% of simulated ones. A gate fails where the "
    .. "change is beyond its limit at 99 % and is undecided where the spread allows no verdict: "
    .. "then more runs a side help (tag:NAME names several), or --strict, which fails it too. "
    .. "lib/ci has an action for GitHub and a template for GitLab.",
  arguments = {
    { name = "base", value = "BASE",
      help = "The beginning of a run's id, its name, or last; A,A,… or tag:NAME." },
    { name = "new", value = "NEW", help = "What is held against it, named likewise." },
  },
  options = {
    gating.condition, gating.strict,
    { "--within", value = "NAME", help = "As of tandem diff, of both sides." },
    { "--whole", help = "As of tandem diff: all that was recorded, whatever work it holds." },
    { "--junit", value = "FILE", help = "Write JUnit XML there: a test case a gate." },
    { "--summary", value = "FILE", help = "Add a summary in Markdown to this file." },
    { "--ci", value = "NAME", choices = { "github" }, help = "github: annotations on standard "
      .. "error, and the summary in $GITHUB_STEP_SUMMARY unless --summary names a file." },
    forms.json("Print JSON (schema tandem.analysis/1), as tandem diff does."),
    storing.option,
  },
  examples = { "tandem gate main last", "tandem gate tag:main tag:branch --junit gate.xml",
    "tandem gate main last --gate 'total<+2%' --gate 'kernel:gemm@p99<40us' --ci github" },
}

-- Gates where none is named: of what both sides are.
local function usual(a, b)
  local simulated = a[1].kind == "simulated" and b[1].kind == "simulated"
  return simulated and SIMULATED or MEASURED
end

local function named(runs)
  local list = {}
  for i, run in ipairs(runs) do list[i] = ("%s (%s)"):format(run.name, run.id) end
  return list
end

local function totals_of(made)
  for _, frame in ipairs(made.frames) do
    if frame.name == "totals" then
      return require("tandem.diff.columns").totals_in_words(frame.table.rows)
    end
  end
end

-- Adds to a file: whoever began it keeps what is there.
local function append(path, text)
  local file <close>, message = io.open(path, "ab")
  if not file then return nil, message end
  local done, why = file:write(text)
  if done then done, why = file:flush() end
  if not done then return nil, ("%s: %s"):format(path, why) end
  return true
end

-- Writes what CI reads; nil and why where that fails.
local function give(made, runs, args, console)
  local ci = require "tandem.diff.ci"
  local report = { a = named(runs.a), b = named(runs.b), rows = made:frame "gates".rows,
    strict = args.strict or false, totals = totals_of(made) }
  if args.junit then
    local done, message = require("tandem.io.outfile").write(args.junit, ci.junit(report))
    if not done then return nil, message end
  end
  local github = args.ci == "github"
  local summary = args.summary or github and os.getenv "GITHUB_STEP_SUMMARY" or nil
  if summary and summary ~= "" then
    local done, message = append(summary, ci.summary(report))
    if not done then return nil, message end
  end
  for _, text in ipairs(github and ci.annotations(report) or {}) do
    console.write_error(text .. "\n")
  end
  return true
end

---@param args table
---@param console tandem.Console
---@return integer code
function command.run(args, console)
  return storing.with(args, console, { readonly = true, interruptible = true }, function(store)
    local a, b, message, code
    a, message, code = sides.runs(store, args.base)
    if not a then return nil, message, code end
    b, message, code = sides.runs(store, args.new)
    if not b then return nil, message, code end
    if not args.gate or #args.gate == 0 then args.gate = usual(a, b) end
    local made
    made, message, code = require("tandem.diff").between(a, b, { within = args.within,
      whole = args.whole or nil, gate = args.gate })
    if not made then return nil, message, code end
    if args.json then
      console.write_out(made:to_json())
    else
      for _, row in ipairs(made:frame "gates".rows) do
        console:print(console.style:text(("%-9s  %s  %s"):format(row.verdict, row.gate, row.says)))
      end
    end
    local done
    done, message = give(made, { a = a, b = b }, args, console)
    if not done then return nil, message, codes.IO end
    return gating.verdicts(made, args, console)
  end)
end

return command
