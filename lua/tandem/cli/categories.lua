--- `tandem categories`: GPU time by category of several profiles, as a table and a page.
--
-- In place of the usual command of an analysis: its arguments may be files, and where a folder is
-- named it writes result.csv and result.html there. What is asked and how it is shown is
-- tandem.categories.profile's and tandem.page.categories'.
local codes = require "tandem.cli.codes"
local forms = require "tandem.cli.forms"
local description = require "tandem.analysis.categories"
local format = require "tandem.text.format"
local shared = require "tandem.analysis.options"
local storing = require "tandem.cli.storing"

local FORMS <const> = { "csv", "json", "html" }

local function options()
  local made = {
    { "--out-dir", value = "DIR", help = "Also write result.csv and result.html there." },
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
    help = "Categories of each profile to print, 0 for all (default: 20 in text, all in JSON); "
      .. "in CSV kernels of each GPU (default: all)." }
  made[#made + 1] = { "--csv", help = "Print result.csv alone." }
  made[#made + 1] = forms.json("Print JSON (schema tandem.categories/1).")
  made[#made + 1] = { "--html", help = "Print the page alone." }
  made[#made + 1] = storing.option
  return made
end

---@type tandem.Command
local command = {
  summary = description.summary,
  about = description.about .. " An input is a run or a trace file; its engine, model and the "
    .. "seconds that the run takes without profiling may follow behind commas (0: as recorded). "
    .. "With --out-dir it writes result.csv, kernel by kernel with the rule that matched, and "
    .. "result.html, stacked bars with their table, all inputs side by side.",
  arguments = {
    { name = "inputs", value = "IN[,ENGINE[,MODEL[,SECONDS]]]", count = "+",
      reads = "name",
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
  local form, wrong = forms.chosen(args, FORMS)
  if wrong then return nil, wrong end
  return form or "text"
end

local function to_json(profiles)
  local parts = {}
  for i, one in ipairs(profiles) do
    parts[i] = ('{"profile": %s, "answer": %s}'):format(
      require("tandem.io.json").encode(one.name), (one.answer:to_json():gsub("%s+$", "")))
  end
  return ('{"schema": "tandem.categories/1", "profiles": [\n%s\n]}\n'):format(
    table.concat(parts, ",\n"))
end

local function print_profile(one, limit, console)
  console:print(console.style:paint(console.style:text(one.name), "bold"))
  local rows = one.answer:frame "categories"
  local shown = limit > 0 and #rows.rows > limit and rows:first(limit) or rows
  console:print(shown:lines(console.style, 2))
  if #shown.rows < #rows.rows then
    console:print(console.style:paint(("  and %d more rows (--limit 0 shows all)"):format(
      #rows.rows - #shown.rows), "dim"))
  end
  for _, column in ipairs(one.columns) do
    if column.unmatched_ns > 0 then
      console:print(console.style:paint(console.style:text(
        ("  %s: %s of the GPU's time matched no rule"):format(column.device or one.name,
          format.percent(column.unmatched_ns / column.gpu_ns))),
        "yellow"))
    end
  end
  for _, note in ipairs(one.answer:notes()) do
    for _, line in ipairs(require("tandem.analysis.answer").wrapped(note, console.style)) do
      console:print(console.style:paint("  " .. line, "dim"))
    end
  end
  console:print ""
end

local function write_files(profiles, args, console)
  local directory = args.out_dir
  local made, why = require("tandem.core").files.make(directory)
  if not made then return console:fail(codes.IO, why) end
  for _, file in ipairs {
    { "result.csv", require("tandem.categories.profile").to_csv(profiles) },
    { "result.html", require("tandem.page.categories").render(profiles, { title = args.title }) },
  } do
    local done, message, code = require("tandem.io.outfile").write(directory .. "/" .. file[1],
      file[2])
    if not done then return console:fail(code or codes.IO, message) end
  end
  console:note(("wrote %s/result.csv and %s/result.html"):format(directory, directory))
  return codes.OK
end

local function give(profiles, form, args, console)
  local most = args.limit and args.limit > 0 and args.limit or nil
  if form == "csv" then
    console.write_out(require("tandem.categories.profile").to_csv(profiles, most))
    local left = 0
    for _, one in ipairs(most and profiles or {}) do
      for _, column in ipairs(one.columns) do left = left + math.max(0, #column.kernels - most) end
    end
    if left > 0 then console:note(("%d more rows (--limit 0 gives all)"):format(left)) end
  elseif form == "json" then
    for _, one in ipairs(most and profiles or {}) do
      require("tandem.analysis.answer").keep_first(one.answer, most)
    end
    console.write_out(to_json(profiles))
  elseif form == "html" then
    console.write_out(require("tandem.page.categories").render(profiles, { title = args.title }))
  else
    for _, one in ipairs(profiles) do print_profile(one, args.limit or 20, console) end
    if args.out_dir then return write_files(profiles, args, console) end
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

local function unanswered(one, console)
  return console:fail(codes.NO, ("%s: cannot answer: %s"):format(one.name,
    table.concat(one.answer.cannot, "; ")))
end

---@param args table
---@param console tandem.Console
---@return integer code
function command.run(args, console)
  local profile = require "tandem.categories.profile"
  local form, wrong = form_of(args)
  if not form then return console:usage(wrong) end
  local inputs
  inputs, wrong = inputs_of(args)
  if not inputs then return console:usage(wrong) end
  local runs <close> = profile.runs(function()
    return require("tandem.store").open(args.store, { readonly = true, interruptible = true })
  end)
  local profiles, given = {}, given_of(args)
  for i, input in ipairs(inputs) do
    local one, message, code = profile.ask(runs, input, i, given)
    if not one and code == codes.USAGE then return console:usage(message) end
    if not one then return console:fail(code or codes.IO, tostring(message)) end
    if one.answer:abstains() and form ~= "json" then
      return unanswered(one, console)
    end
    profiles[i] = one
  end
  local left = give(profiles, form, args, console)
  for _, one in ipairs(profiles) do
    if left == codes.OK and one.answer:abstains() then left = unanswered(one, console) end
  end
  return left
end

return command
