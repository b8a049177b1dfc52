--- The manual as one page: its chapters, then commands, scenarios, functions and objects of Lua.
--
-- Owns what stands on the page and its anchors, which are names and stay: #td.load, #Result:find,
-- #command-run, #topic-units, #keys-slo. Every word comes from where `tandem help` has it; the
-- chapters are page/manual.lua's. Searching is src/viewer/reference.js's. Used by `tandem doc` and
-- by /docs of the server.
local call = require "tandem.help.call"
local cli = require "tandem.cli"
local document = require "tandem.page.document"
local html = require "tandem.page.html"
local nearest = require "tandem.text.nearest"
local node = require "tandem.language.node"
local manual = require "tandem.page.manual"
local public = require "tandem.help.public"
local shared = require "tandem.help.reference"

local page = {}

-- ---- pieces ----

local code_block = manual.code_block

-- What has an entry of its own on the page, by what types and texts call it.
local function anchors()
  local known = {}
  for _, one in ipairs(public.names()) do known[one.name] = one.name end
  for _, class in ipairs(public.classes()) do known[class.entry.name] = class.name end
  for _, word in ipairs(public.constructors()) do known["td." .. word] = "td." .. word end
  return known
end

local known

local function linked(name)
  local anchor = known[name]
  local text = html.escape(name)
  return anchor and ('<a href="#%s">%s</a>'):format(html.escape(anchor), text) or text
end

-- A type, its classes linked.
local function type_html(kind)
  local parts, last = {}, 1
  for from, name, to in kind:gmatch "()(tandem%.[%w_.]*[%w_])()" do
    parts[#parts + 1] = html.escape(kind:sub(last, from - 1))
    parts[#parts + 1] = linked(name)
    last = to
  end
  parts[#parts + 1] = html.escape(kind:sub(last))
  -- A line may break where one kind ends.
  return (table.concat(parts):gsub("|", "|<wbr>"))
end

-- Rows of (name, type, words).
local function keys_table(rows, label)
  local parts = { ('<div class="table keys"><table aria-label="%s"><tbody>'):format(
    html.escape(label)) }
  for _, row in ipairs(rows) do
    parts[#parts + 1] = ('<tr><th scope="row"><code>%s</code></th><td class="kind"><code>%s</code>'
      .. '</td><td>%s</td></tr>'):format(html.escape(row[1]), row[2], html.prose(row[3]))
  end
  parts[#parts + 1] = "</tbody></table></div>"
  return #rows > 0 and table.concat(parts, "\n") or ""
end

local function value_rows(list, empty)
  local rows = call.value_rows(list, empty)
  for _, row in ipairs(rows) do row[2] = type_html(row[2]) end
  return rows
end

local function paragraph(text, class)
  return ('<p%s>%s</p>'):format(class and (' class="%s"'):format(class) or "", html.prose(text))
end

--- One entry: what the search finds, with a link to itself.
local function entry(id, title, words, body)
  id = html.escape(id)
  return ('<article class="entry" id="%s" data-words="%s"><h3><a href="#%s">%s</a></h3>%s'
    .. "</article>"):format(id, html.escape(words), id, html.escape(title), body)
end

-- ---- commands ----

local function command_entry(name)
  local command = cli.command(name)
  local words = { "tandem " .. name }
  local rows, options = {}, {}
  for _, argument in ipairs(command.arguments or {}) do
    local optional = argument.count == "?" or argument.count == "*"
    words[#words + 1] = (optional and "[%s]" or "%s"):format(argument.value)
    rows[#rows + 1] = { argument.value, "argument", argument.help }
  end
  for _, option in ipairs(command.options or {}) do
    local choices = {}
    for _, choice in ipairs(option.choices or {}) do
      if not option.help:find(choice, 1, true) then choices = option.choices end
    end
    options[#options + 1] = { (option[1]:gsub("%s+", ", ")), html.escape(option.value or ""),
      option.help .. (#choices > 0 and " (" .. table.concat(choices, ", ") .. ")" or "") }
  end
  table.move(options, 1, #options, #rows + 1, rows)
  local body = { paragraph(command.about or command.summary),
    keys_table(rows, "arguments and options of tandem " .. name) }
  if command.examples then
    body[#body + 1] = code_block(table.concat(command.examples, "\n"))
  end
  return entry("command-" .. name, table.concat(words, " "), command.summary,
    table.concat(body, "\n"))
end

local function commands(sections)
  for i, group in ipairs(cli.groups) do
    local parts = {}
    for k, name in ipairs(group.names) do parts[k] = command_entry(name) end
    sections[#sections + 1] = { group = i == 1 and "Commands" or nil, title = group.title,
      id = "commands-" .. group.title:lower():gsub("%W+", "-"), body = table.concat(parts, "\n") }
  end
end

-- ---- scenarios ----

local function typed_table(spec, label)
  local rows = shared.typed_rows(spec)
  for i, row in ipairs(rows) do rows[i] = { row[1], html.escape(row[2]), row[3] } end
  return keys_table(rows, label)
end

local function constructor_entry(word)
  local spec = node.types[word]
  local example = spec.example
  return entry("td." .. word, shared.signature(word, spec), spec.doc, table.concat({
    paragraph(spec.doc), typed_table(spec, "keys of td." .. word),
    paragraph(call.constructor_errors, "errors"), example and code_block(example) or "" }, "\n"))
end

local function constructors(group)
  local parts = {}
  for i, word in ipairs(shared.names(group)) do parts[i] = constructor_entry(word) end
  return table.concat(parts, "\n")
end

local function records()
  local parts = {}
  for _, name in ipairs(nearest.sorted_keys(node.types)) do
    local spec = node.types[name]
    if spec.group == "record" and spec.doc and not name:find "^seed" then
      parts[#parts + 1] = entry("keys-" .. name, name .. " { … }", spec.doc,
        paragraph(spec.doc) .. typed_table(spec, "keys of " .. name))
    end
  end
  return table.concat(parts, "\n")
end

local GROUPS <const> = { { "stage", "steps of a pipeline" }, { "dist", "distributions" },
  { "arrivals", "arrival processes" }, { "rows", "recorded requests" },
  { "resource", "GPUs and other resources" }, { "llm", "parts of LLM servers" } }

local function scenarios(sections)
  for i, group in ipairs(GROUPS) do
    sections[#sections + 1] = { group = i == 1 and "Scenarios" or nil, title = group[2],
      id = "constructors-" .. group[1], body = constructors(group[1]) }
  end
  sections[#sections + 1] = { title = "tables of a scenario", id = "scenario-keys",
    body = records() }
end

-- ---- Lua ----

-- Every analysis has the filter's options behind its own.
local function filters() return #require("tandem.analysis.options").filter end

local function call_entry(one)
  local about = call.about(one) or {}
  local words = table.concat((call.parts(one.entry)), " ")
  local rows = value_rows(one.entry.params, "")
  for _, row in ipairs(value_rows(one.entry.returns, "returns")) do rows[#rows + 1] = row end
  local body = { paragraph(words), keys_table(rows, "parameters of " .. one.name) }
  if one.options then
    local own = table.move(one.options, 1, #one.options - filters(), 1, {})
    body[#body + 1] = keys_table(value_rows(own, ""), "options of " .. one.name)
    body[#body + 1] = ('<p class="see">%s %s say which part of the run.</p>'):format(
      #own > 0 and "Besides, the keys of" or "Options: the keys of",
      linked "tandem.AnalysisFilter")
  end
  if about.errors then body[#body + 1] = paragraph(about.errors, "errors") end
  local code = call.example(one)
  if code then body[#body + 1] = code_block(code) end
  if one.name:find "^td%.plot%." then
    body[#body + 1] = html.figure(require("tandem.plot.public.examples").run(code))
  end
  if about.see then
    local links = {}
    for i, name in ipairs(about.see) do links[i] = linked(name) end
    body[#body + 1] = '<p class="see">See also ' .. table.concat(links, ", ") .. "</p>"
  end
  return entry(one.name, call.signature(one), words, table.concat(body, "\n"))
end

local function class_body(class)
  local words = table.concat(class.entry.text, " ")
  local parts = { words ~= "" and paragraph(words) or "",
    keys_table(value_rows(class.fields, ""), "fields of " .. class.name) }
  local parent = class.entry.parent and public.class(class.entry.parent)
  if parent and #parent.methods > 0 then
    parts[#parts + 1] = ('<p class="see">Has the methods of %s, too.</p>'):format(
      linked(parent.entry.name))
  end
  return table.concat(parts, "\n")
end

local function functions_section(group, owner, title)
  local parts = {}
  for _, one in ipairs(public.functions()) do
    if one.owner == owner then parts[#parts + 1] = call_entry(one) end
  end
  return { group = group, title = title or owner, id = "functions-" .. owner,
    body = table.concat(parts, "\n") }
end

local function class_entry(class)
  local takers = {}
  for i, one in ipairs(public.takers(class)) do takers[i] = linked(one.name) end
  return entry(class.name, class.name, table.concat(class.entry.text, " "), class_body(class)
    .. (#takers > 0 and '<p class="see">Taken by ' .. table.concat(takers, ", ") .. "</p>" or ""))
end

local function lua(sections)
  sections[#sections + 1] = functions_section("Lua", "td")
  for _, owner in ipairs { "td.map", "td.plan", "td.plot", "td.search" } do
    sections[#sections + 1] = functions_section(nil, owner)
  end
  local options, is_option, others = {}, {}, {}
  for _, class in ipairs(public.option_tables()) do
    is_option[class.name] = true
    options[#options + 1] = class_entry(class)
  end
  for _, class in ipairs(public.classes()) do
    local parent = class.entry.parent and public.class(class.entry.parent)
    local is_object = #class.methods > 0 or parent and #parent.methods > 0
    if is_object then
      local parts = { class_body(class) }
      for i, one in ipairs(class.methods) do parts[i + 1] = call_entry(one) end
      sections[#sections + 1] = { title = class.name, id = class.name,
        body = table.concat(parts, "\n") }
    elseif not is_option[class.name] then
      others[#others + 1] = class_entry(class)
    end
  end
  sections[#sections + 1] = { title = "tables of options", id = "options",
    body = table.concat(options, "\n") }
  sections[#sections + 1] = { title = "tables in results", id = "records",
    body = table.concat(others, "\n") }
end

-- ---- the rest ----

local function metrics()
  local rows = {}
  for i, field in ipairs(require("tandem.report.schema").fields) do
    rows[i] = { field[1], "", field[2] }
  end
  return { group = "More", title = "metrics of a result", id = "metrics",
    body = paragraph("Fields of a result, in Lua and in JSON. An estimate is { value, half }, half "
      .. "being the half-width of its interval, or { value, needs } where the run does not support "
      .. "one.", "about")
      .. keys_table(rows, "metrics") }
end

--- The page.
---@return string
function page.of()
  require("tandem.language.glossary").apply()
  known = known or anchors()
  local sections = manual.sections()
  commands(sections)
  scenarios(sections)
  lua(sections)
  sections[#sections + 1] = metrics()
  return document.of { title = "Manual", eyebrow = "tandem "
    .. require("tandem.core").version(), subtitle = "The chapters, then every command, every key "
    .. "of a scenario, every function of Lua: what `tandem help` shows, on one page.",
    sections = sections, contents = true, styles = { "reference.css" },
    scripts = { "reference.js" } }
end

return page
