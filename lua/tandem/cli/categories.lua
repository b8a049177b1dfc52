--- `tandem categories`: GPU time by category of several profiles, as a table and a page.
--
-- In place of the usual command of an analysis: its arguments may be files, and it writes
-- result.csv and result.html. What is asked and how it is shown is tandem.categories.profile's and
-- tandem.page.categories'.
local codes = require "tandem.cli.codes"
local description = require "tandem.analysis.categories"
local format = require "tandem.format"
local shared = require "tandem.analysis.options"
local storing = require "tandem.cli.storing"

local FORMS <const> = { "csv", "json", "html" }

local function options()
  local made = {
    { "--out-dir", value = "DIR", help = "Where result.csv and result.html go; here unless told." },
    { "--title", value = "TEXT", help = "Heading of the page." },
  }
  for _, list in ipairs { description.options, shared.filter } do
    for _, option in ipairs(list) do
      local kind = option.kind == "integer" and "integer" or nil
      made[#made + 1] = { "--" .. option.name, value = option.value, kind = kind,
        choices = option.choices, help = option.help }
    end
  end
  made[#made + 1] = { "--limit", value = "N", kind = "integer", least = 0,
    help = "Categories of each profile to print; 20 unless told, 0 for all." }
  made[#made + 1] = { "--csv", help = "Print result.csv; write no files." }
  made[#made + 1] = { "--json", help = "Print JSON (schema tandem.categories/1); write no files." }
  made[#made + 1] = { "--html", help = "Print the page; write no files." }
  made[#made + 1] = storing.option
  return made
end

---@type tandem.Command
local command = {
  summary = description.summary,
  about = description.about .. " An input is a run or a trace file; its engine, model and the "
    .. "seconds that the run takes without profiling may follow behind commas (0: as recorded). "
    .. "Writes result.csv, kernel by kernel with the rule that matched, and result.html, stacked "
    .. "bars with their table, all inputs side by side.",
  arguments = {
    { name = "inputs", value = "IN[,ENGINE[,MODEL[,SECONDS]]]", count = "+",
      help = "Runs (the beginning of an id, or last) or trace files." },
  },
  options = options(),
  examples = description.examples,
}

local function given_of(args)
  local given = {}
  for _, list in ipairs { description.options, shared.filter } do
    for _, option in ipairs(list) do given[option.name] = args[option.name] end
  end
  return given
end

local function form_of(args)
  local form
  for _, name in ipairs(FORMS) do
    if args[name] and form then return nil, ("--%s and --%s: one of them"):format(form, name) end
    if args[name] then form = name end
  end
  return form or "files"
end

local function to_json(profiles)
  local parts = {}
  for i, one in ipairs(profiles) do
    parts[i] = ('{"profile": %s, "answer": %s}'):format(
      require("tandem.report.json").encode(one.name), (one.answer:to_json():gsub("%s+$", "")))
  end
  return ('{"schema": "tandem.categories/1", "profiles": [\n%s\n]}\n'):format(
    table.concat(parts, ",\n"))
end

local function print_profile(one, limit, place)
  place:print(place.style:paint(place.style:text(one.name), "bold"))
  local rows = one.answer:frame "categories"
  local shown = limit > 0 and #rows.rows > limit and rows:first(limit) or rows
  place:print(shown:lines(place.style, 2))
  if #shown.rows < #rows.rows then
    place:print(place.style:paint(("  and %d more rows (--limit 0 shows all)"):format(
      #rows.rows - #shown.rows), "dim"))
  end
  for _, column in ipairs(one.columns) do
    if column.unmatched_ns > 0 then
      place:print(place.style:paint(place.style:text(("  %s: %s of the GPU's time matched no rule")
        :format(column.device or one.name, format.percent(column.unmatched_ns / column.gpu_ns))),
        "yellow"))
    end
  end
  for _, note in ipairs(one.answer:notes()) do
    for _, line in ipairs(require("tandem.analysis.answer").wrapped(note, place.style)) do
      place:print(place.style:paint("  " .. line, "dim"))
    end
  end
  place:print ""
end

local function write_files(profiles, args, place)
  local directory = args.out_dir or "."
  local made, why = require("tandem.core").files.make(directory)
  if not made then return place:fail(codes.IO, why) end
  for _, file in ipairs {
    { "result.csv", require("tandem.categories.profile").to_csv(profiles) },
    { "result.html", require("tandem.page.categories").render(profiles, { title = args.title }) },
  } do
    local done, message, code = require("tandem.outfile").write(directory .. "/" .. file[1],
      file[2])
    if not done then return place:fail(code or codes.IO, message) end
  end
  place:note(("wrote %s/result.csv and %s/result.html"):format(directory, directory))
  return codes.OK
end

local function give(profiles, form, args, place)
  if form == "csv" then
    place.write_out(require("tandem.categories.profile").to_csv(profiles))
  elseif form == "json" then
    place.write_out(to_json(profiles))
  elseif form == "html" then
    place.write_out(require("tandem.page.categories").render(profiles, { title = args.title }))
  else
    for _, one in ipairs(profiles) do print_profile(one, args.limit or 20, place) end
    return write_files(profiles, args, place)
  end
  return codes.OK
end

-- The inputs, understood; nil and what is wrong.
local function inputs_of(args)
  local inputs = {}
  for i, word in ipairs(args.inputs) do
    local input, wrong = require("tandem.categories.profile").parse(word)
    if not input then return nil, wrong end
    inputs[i] = input
  end
  return inputs
end

local function unanswered(one, place)
  return place:fail(codes.NO, ("%s: cannot answer: %s"):format(one.name,
    table.concat(one.answer.cannot, "; ")))
end

---@param args table
---@param place tandem.Console
---@return integer code
function command.run(args, place)
  local profile = require "tandem.categories.profile"
  local form, wrong = form_of(args)
  if not form then return place:usage(wrong) end
  local inputs
  inputs, wrong = inputs_of(args)
  if not inputs then return place:usage(wrong) end
  local runs <close> = profile.runs(function()
    return require("tandem.store").open(args.store, { readonly = true, interruptible = true })
  end)
  local profiles, given = {}, given_of(args)
  for i, input in ipairs(inputs) do
    local one, message, code = profile.ask(runs, input, i, given)
    if not one and code == codes.USAGE then return place:usage(message) end
    if not one then return place:fail(code or codes.IO, tostring(message)) end
    if one.answer:abstains() and form ~= "json" then
      return unanswered(one, place)
    end
    profiles[i] = one
  end
  local left = give(profiles, form, args, place)
  for _, one in ipairs(profiles) do
    if left == codes.OK and one.answer:abstains() then left = unanswered(one, place) end
  end
  return left
end

return command
