--- `tandem diff`: two runs, or two sets of repeats, beside one another; gates for CI.
local codes = require "tandem.cli.codes"
local forms = require "tandem.cli.analysis"
local gating = require "tandem.cli.gating"
local shared = require "tandem.analysis.options"
local sides = require "tandem.cli.sides"
local storing = require "tandem.cli.storing"

---@type tandem.Command
local command = {
  summary = "put two runs side by side: added, removed, changed; gates for CI",
  about = "Compares run B with run A. Where both do the same over and over, one unit of that work "
    .. "is held against another; runs that do different work are not compared. GPU time, computing "
    .. "alone, busy and elapsed time, peak memory, the figures of simulations; GPU work, stages, "
    .. "operators and ranges by name, the largest change of time first. A change is held against "
    .. "the spread of the repeats: of units of work, of the instances of a name within a run, or "
    .. "between runs where each side has several. A and B are each a run, several with commas "
    .. "between, or tag:NAME, all runs with that tag.",
  arguments = {
    { name = "a", value = "A",
      help = "The beginning of its id, its name, or last; A,A,… or tag:NAME." },
    { name = "b", value = "B", help = "What is held against it, named likewise." },
  },
  options = {
    { "--by", value = "WHAT", help = "kernel, base (the function alone), category, operator, "
      .. "stage, range, call, name (everything); several with commas. Default: what both have."
    },
    { "--within", value = "NAME", help = "Only what began, and only GPU work that was asked for, "
      .. "while an NVTX range or annotation of this name was open, such as ProfilerStep#1009." },
    { "--b-within", value = "NAME", help = "The same of B, where its range is called otherwise." },
    { "--whole", help = "All that was recorded, whatever work it holds. By default one unit of "
      .. "work is compared where both runs do the same over and over, and nothing where they do "
      .. "different work." },
    { "--iteration", value = "N", kind = "integer", least = 1,
      help = "Only this unit of work of both, from 1, the first after warm-up." },
    gating.condition, gating.strict,
  },
  examples = { "tandem diff 6f64 last", "tandem diff 6f64 a09b --by kernel --csv",
    "tandem diff tag:main tag:branch --gate 'total<+3%' --gate 'kernel:gemm@p99<40us'" },
}
table.move(forms.filter_options(), 1, #shared.filter, #command.options + 1, command.options)
table.move(forms.options, 1, #forms.options, #command.options + 1, command.options)
command.options[#command.options + 1] = storing.option

---@param args table
---@param console tandem.Console
---@return integer code
function command.run(args, console)
  local form, wrong = forms.form_of(args)
  if not form then return console:usage(wrong) end
  return storing.with(args, console, { readonly = true, interruptible = true }, function(store)
    local a, b, message, code
    a, message, code = sides.runs(store, args.a)
    if not a then return nil, message, code end
    b, message, code = sides.runs(store, args.b)
    if not b then return nil, message, code end
    args.gate = args.gate or {}
    local given = forms.chosen(args, shared.filter, { by = args.by, within = args.within,
      b_within = args.b_within, whole = args.whole or nil, iteration = args.iteration,
      gate = args.gate })
    local made
    made, message, code = require("tandem.diff").between(a, b, given)
    if not made then return nil, message, code end
    if args.by and #made.cannot > 0 then
      return console:fail(codes.NO, "cannot answer: " .. table.concat(made.cannot, "; "))
    end
    if args.by and not args.table and form == "csv" then
      args.table = require("tandem.diff").frame_of(args.by)
    end
    local done
    done, message, code = forms.give(made, form, args, console)
    if not done then return nil, message, code end
    local verdict = gating.verdicts(made, args, console)
    return verdict ~= codes.OK and verdict or done
  end)
end

return command
