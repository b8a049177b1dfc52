--- A command for every analysis: `tandem kernels RUN` and its kin.
--
-- Owns how a description becomes a command: its options, the filter's, the forms of an answer. What
-- is counted is the analysis's (lua/tandem/analysis).
local codes = require "tandem.cli.codes"
local storing = require "tandem.cli.storing"
local shared = require "tandem.analysis.options"

local analysis = {}

local FORMS <const> = { "csv", "json", "html" }

local function command_options(description)
  local made = {}
  local function add(option)
    local kind = option.kind == "integer" and "integer" or option.kind == "number" and "number"
    local flag = option.name:gsub("_", "-")
    made[#made + 1] = { "--" .. flag, value = option.value, kind = kind or nil,
      choices = option.choices, help = option.help }
  end
  for _, option in ipairs(description.options or {}) do add(option) end
  for _, option in ipairs(shared.filter) do add(option) end
  made[#made + 1] = { "--sort", value = "COLUMN", help = "Order of the first table, the largest "
    .. "first; -COLUMN the smallest first. Columns are named as in --csv." }
  made[#made + 1] = { "--limit", value = "N", kind = "integer", least = 0,
    help = "Rows of each table to print; 20 unless told, 0 for all." }
  made[#made + 1] = { "--table", value = "NAME", help = "Which table --csv prints; the first "
    .. "unless told." }
  made[#made + 1] = { "--csv", help = "Print CSV: times are nanoseconds, shares 0 to 1." }
  made[#made + 1] = { "--json", help = "Print JSON (schema tandem.analysis/1)." }
  made[#made + 1] = { "--html", help = "Print a self-contained page." }
  made[#made + 1] = { "--out", value = "FILE", help = "Write there instead of printing; the ending "
    .. "(.csv, .json, .html, .svg) says which form." }
  made[#made + 1] = storing.option
  return made
end

-- Options are no_graphs in Lua and --no-graphs here; argparse gives that as no_graphs.
local function chosen(args, list, into)
  for _, option in ipairs(list or {}) do
    local value = args[option.name]
    if value ~= nil then into[option.name] = value end
  end
  return into
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

local function form_of(args)
  local form
  for _, name in ipairs(FORMS) do
    if args[name] then
      if form then return nil, ("--%s and --%s: one of them"):format(form, name) end
      form = name
    end
  end
  if args.out and not form then
    form = args.out:match "%.(%a+)$"
    if form ~= "svg" and form ~= "csv" and form ~= "json" and form ~= "html" then
      return nil, ("--out %s: its ending is none of .csv, .json, .html, .svg"):format(args.out)
    end
  end
  return form or "text"
end

local function rendered(answer, form, args)
  if form == "csv" then
    local ok, text = pcall(answer.to_csv, answer, args.table)
    if not ok then return nil, (tostring(text):gsub("^[^\n]-%.lua:%d+: ", "")), codes.USAGE end
    return text
  elseif form == "json" then
    return answer:to_json()
  elseif form == "html" then
    return answer:to_html()
  end
  local chart, message, code = answer:plot()
  return chart and tostring(chart), message, code
end

local function give(answer, form, args, place)
  if form == "text" then
    place:print(answer:lines(place.style, args.limit))
    return codes.OK
  end
  local text, message, code = rendered(answer, form, args)
  if not text then return nil, message, code end
  if not args.out then
    place.write_out(text)
    return codes.OK
  end
  local done
  done, message, code = require("tandem.outfile").write(args.out, text)
  if not done then return nil, message, code end
  place:note(("wrote %s"):format(args.out))
  return codes.OK
end

--- The command of an analysis.
---@param name string
---@return tandem.Command|nil
function analysis.command(name)
  local description = require("tandem.analysis").named(name)
  if not description then return nil end
  return {
    summary = description.summary, about = description.about,
    arguments = { storing.run },
    options = command_options(description),
    examples = description.examples or { ("tandem %s last"):format(name) },
    run = function(args, place)
      local form, wrong = form_of(args)
      if not form then return place:usage(wrong) end
      return storing.with(args, place, { readonly = true, interruptible = true }, function(store)
        local run, message, code = store:run(args.run)
        if not run then return nil, message, code end
        local given = chosen(args, description.options, chosen(args, shared.filter, {}))
        local answer
        answer, message, code = require("tandem.analysis").ask(run, name, given)
        if not answer then return nil, message, code end
        if args.sort then
          local ok
          ok, message = sorted(answer, args.sort)
          if not ok then return nil, message, codes.USAGE end
        end
        if answer:abstains() and form ~= "json" and form ~= "html" then
          return place:fail(codes.NO, "cannot answer: " .. table.concat(answer.cannot, "; "))
        end
        return give(answer, form, args, place)
      end)
    end,
  }
end

return analysis
