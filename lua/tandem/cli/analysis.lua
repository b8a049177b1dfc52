--- A command for every analysis: `tandem kernels RUN` and its kin.
--
-- Owns how a description becomes a command: its options, the filter's, the forms of an answer. What
-- is counted is the analysis's (lua/tandem/analysis).
local codes = require "tandem.cli.codes"
local forms = require "tandem.cli.forms"
local storing = require "tandem.cli.storing"
local shared = require "tandem.analysis.options"

local analysis = {}

local FORMS <const> = { "csv", "json", "html" }

-- Rows of a table that text shows unless told, and a page at most.
local USUAL_ROWS <const>, PAGE_ROWS <const> = 20, 2000

--- Options of an analysis as those of a command.
---@param list tandem.AnalysisOption[]
---@param into tandem.Option[]
local function add_options(list, into)
  for _, option in ipairs(list) do
    local kind = option.kind == "integer" and "integer" or option.kind == "number" and "number"
    into[#into + 1] = { "--" .. option.name:gsub("_", "-"), value = option.value,
      kind = kind or nil, choices = option.choices, help = option.help }
  end
  return into
end

--- The options of an analysis and of the filter.
---@param description tandem.Analysis
---@return tandem.Option[]
function analysis.own_options(description)
  return add_options(shared.filter, add_options(description.options or {}, {}))
end

--- The filter's options.
---@return tandem.Option[]
function analysis.filter_options() return add_options(shared.filter, {}) end

--- The forms of an answer.
---@type tandem.Option[]
analysis.options = {
  { "--limit", value = "N", kind = "integer", least = 0,
    help = "Rows of each table to give, 0 for all (default: 20 in text, all in CSV and JSON); "
      .. "how many are left out is told, in JSON as left_out." },
  { "--table", value = "NAME", help = "The one table to print; --csv prints the first unless "
    .. "told." },
  { "--csv", help = "Print CSV: times are nanoseconds, shares 0 to 1." },
  forms.json("Print JSON (schema tandem.analysis/1)."),
  { "--html", help = "Print a self-contained page." },
  { "--out", value = "FILE", help = "Write there instead of printing; the ending "
    .. "(.csv, .json, .html, .svg) says which form; .slim.svg is for a narrow screen, "
    .. ".wide.svg for a wide one." },
}

local function command_options(description)
  local made = analysis.own_options(description)
  made[#made + 1] = { "--sort", value = "COLUMN", minus = true,
    help = "Order of the first table, the largest first; -COLUMN the smallest first. Columns are "
      .. "named as in --csv." }
  table.move(analysis.options, 1, #analysis.options, #made + 1, made)
  made[#made + 1] = storing.option
  return made
end

--- The values of these options, by their names; argparse gives "--by-name" as by_name.
---@param args table
---@param list? tandem.AnalysisOption[]
---@param into table
---@return table
function analysis.chosen(args, list, into)
  for _, option in ipairs(list or {}) do
    local value = args[option.name]
    if value ~= nil then into[option.name] = value end
  end
  return into
end

--- What a command line chose of an analysis's options and of the filter's.
---@param args table
---@param description tandem.Analysis
---@return table<string, any>
function analysis.chosen_of(args, description)
  return analysis.chosen(args, description.options, analysis.chosen(args, shared.filter, {}))
end

-- Whether the table has a column, or the usage message.
local function sorted(answer, by)
  local name = by:gsub("^%-", "")
  local first = answer.frames[1]
  local ok, made = pcall(first.table.sort, first.table, name, by:sub(1, 1) ~= "-")
  if not ok then return nil, (tostring(made):gsub("^[^\n]-%.lua:%d+: ", "")) end
  first.table = made
  return true
end

--- The form that a command line asks for: text, csv, json, html, svg.
---@param args table
---@return string|nil form
---@return string|nil message
function analysis.form_of(args)
  local form, wrong = forms.chosen(args, FORMS)
  if wrong then return nil, wrong end
  if args.out and not form then
    form = args.out:match "%.(%a+)$"
    if form ~= "svg" and form ~= "csv" and form ~= "json" and form ~= "html" then
      return nil, ("--out %s: its ending is none of .csv, .json, .html, .svg"):format(args.out)
    end
  end
  form = form or "text"
  if args.table and form ~= "text" and form ~= "csv" then
    return nil, ("--table chooses what text and --csv print; %s"):format(
      form == "svg" and "a picture is of the whole" or ("--%s has all tables"):format(form))
  end
  return form
end

-- Pages and pictures choose their own rows. JSON says itself how many it leaves out.
local function rendered(answer, form, args, console)
  local has_rows = form == "csv" or form == "json"
  if has_rows and (args.limit or 0) > 0 then
    require("tandem.analysis.answer").keep_first(answer, args.limit)
  end
  if form == "csv" then
    local ok, text = pcall(answer.to_csv, answer, args.table)
    if not ok then return nil, (tostring(text):gsub("^[^\n]-%.lua:%d+: ", "")), codes.USAGE end
    local name = args.table or answer.frames[1].name
    for _, one in ipairs(answer.frames) do
      if one.name == name and one.left_out then
        console:note(("%d more rows (--limit 0 gives all)"):format(one.left_out))
      end
    end
    return text
  elseif form == "json" then
    return answer:to_json()
  elseif form == "html" then
    return answer:to_html()
  end
  local chart, message, code = answer:plot()
  if not chart then return nil, message, code end
  local plot = chart --[[@as tandem.Plot]]
  local room = args.out and args.out:match "%.(%l+)%.svg$"
  return room == "slim" and plot:slim() or room == "wide" and plot:wide() or plot:svg()
end

-- What a command leaves with whose answer stands: the same in every form.
local function left_with(answer, console)
  if not answer:abstains() then return codes.OK end
  return console:fail(codes.NO, "cannot answer: " .. table.concat(answer.cannot, "; "))
end

--- Prints or writes an answer. One without a row leaves with 1 and says why; JSON and pages, which
--- have room for the reason, are written all the same.
---@param answer tandem.Answer
---@param form string
---@param args table
---@param console tandem.Console
---@return integer|nil code
---@return string|nil message
---@return integer|nil failure
function analysis.give(answer, form, args, console)
  local has_room = form == "json" or form == "html"
  if answer:abstains() and not has_room then return left_with(answer, console) end
  if form == "text" then
    local ok, lines = pcall(answer.lines, answer, console.style, args.limit, args.table)
    if not ok then return nil, (tostring(lines):gsub("^[^\n]-%.lua:%d+: ", "")), codes.USAGE end
    console:print(lines)
    return codes.OK
  end
  local text, message, code = rendered(answer, form, args, console)
  if not text then return nil, message, code end
  if not args.out then
    console.write_out(text)
    return left_with(answer, console)
  end
  local done
  done, message, code = require("tandem.io.outfile").write(args.out, text)
  if not done then return nil, message, code end
  console:note(("wrote %s"):format(args.out))
  return left_with(answer, console)
end

--- The command of an analysis.
---@param name string
---@return tandem.Command|nil
function analysis.command(name)
  local description = require("tandem.analysis").named(name)
  if not description or description.own_command then return nil end
  return {
    summary = description.summary, about = description.about,
    arguments = { storing.run },
    options = command_options(description),
    examples = description.examples or { "tandem " .. name:gsub("_", "-") .. " last" },
    run = function(args, console)
      local form, wrong = analysis.form_of(args)
      if not form then return console:usage(wrong) end
      return storing.with(args, console, { readonly = true, interruptible = true }, function(store)
        local run, message, code = store:run(args.run)
        if not run then return nil, message, code end
        local given = analysis.chosen_of(args, description)
        if form ~= "csv" and form ~= "json" then
          require("tandem.analysis").shown(description, given,
            form == "html" and PAGE_ROWS or args.limit or USUAL_ROWS)
        end
        local answer
        answer, message, code = require("tandem.analysis").ask(run, name, given, true)
        if not answer then return nil, message, code end
        if args.sort then
          local ok
          ok, message = sorted(answer, args.sort)
          if not ok then return nil, message, codes.USAGE end
        end
        return analysis.give(answer, form, args, console)
      end)
    end,
  }
end

return analysis
