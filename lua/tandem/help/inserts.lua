--- What the program puts into chapters of the manual: keys, constructors, tables, all from the data
--- that the code itself uses, so that nothing is told twice.
--
-- Owns the names that an insert comment may have (help/markdown.lua). In a terminal an insert shows
-- where its own section is asked for, not in a longer one, which would be lost under it.
local column_table = require "tandem.text.columns"
local reference = require "tandem.help.reference"

local inserts = {}

---@alias tandem.help.Insert fun(argument: string, style: tandem.Style): string

local function listing(rows, style, columns)
  return column_table.format(columns or { { title = "" }, { title = "", wrap = true } }, rows,
    { style = style, indent = 2 })
end

---@type table<string, tandem.help.Insert>
local makers = {}

--- All constructors of a group: stage, dist, arrivals, resource, llm, rows.
function makers.constructors(group, style)
  local parts = {}
  for i, name in ipairs(reference.names(group)) do parts[i] = reference.constructor(name, style) end
  return table.concat(parts, "\n\n")
end

--- One constructor: roofline.
function makers.constructor(name, style)
  return assert(reference.constructor(name, style))
end

--- The keys of tables: "slo", or several names.
function makers.keys(names, style)
  local parts = {}
  for name in names:gmatch "%S+" do
    parts[#parts + 1] = name:gsub("^llm_", "") .. " = { … }\n" .. reference.record(name, style)
  end
  return table.concat(parts, "\n\n")
end

--- Policies: routers, replica_routers, disciplines, engines.
function makers.policies(kind, style)
  if kind == "engines" then
    local words, parts = require("tandem.llm.scheduler").words, {}
    for i, key in ipairs { "server", "order", "admit", "preempt", "chunk" } do
      parts[i] = ("engine.%s\n"):format(key) .. listing(words(key), style)
    end
    return table.concat(parts, "\n\n")
  end
  return listing(require("tandem.language.policies")[kind], style)
end

--- Formats that are read (readers) or written (writers).
function makers.formats(kind, style)
  local rows, all = {}, require("tandem.core").formats()[kind]
  if kind == "readers" then
    local more = require("tandem.telemetry").formats
    table.move(more, 1, #more, #all + 1, all)
  end
  for i, one in ipairs(all) do
    rows[i] = { { text = one.name, color = "bold" }, one.accepts or "*" .. one.ending, one.title }
  end
  return listing(rows, style, { { title = "" }, { title = "", wrap = true },
    { title = "", wrap = true } })
end

--- The packs of kernel rules that come with tandem.
function makers.packs(_, style)
  local rows = {}
  for i, pack in ipairs(require "lib.rules") do
    rows[i] = { { text = pack.name, color = "bold" }, pack.about or "" }
  end
  return listing(rows, style)
end

--- The rules of advice.
function makers.advice(_, style)
  local rows = {}
  for i, rule in ipairs(require("tandem.advice.files").shipped()) do
    rows[i] = { { text = rule.name, color = "bold" }, rule.looks_for }
  end
  return listing(rows, style)
end

--- The short names of paths.
function makers.aliases(_, style)
  local aliases, rows = require("tandem.scenario.overrides").aliases, {}
  for i, short in ipairs(require("tandem.text.nearest").sorted_keys(aliases)) do
    rows[i] = { short, aliases[short] }
  end
  return listing(rows, style)
end

--- The fields of the envelope that --json prints.
function makers.envelope(_, style)
  return listing(require("tandem.cli.envelope").fields, style)
end

--- The fields of a result.
function makers.fields(_, style)
  return listing(require("tandem.report.schema").fields, style)
end

--- The routes of the server.
function makers.routes(_, style)
  local rows = {}
  for i, route in ipairs(require("tandem.serve.routes").all()) do
    rows[i] = { route.method, route.path, route.summary }
  end
  return listing(rows, style, { { title = "" }, { title = "" }, { title = "", wrap = true } })
end

--- Exit codes.
function makers.codes(_, style)
  local rows = {}
  for i, meaning in ipairs(require("tandem.cli.codes").meanings) do
    rows[i] = { tostring(meaning[1]), meaning[2] }
  end
  return listing(rows, style, { { title = "", align = "right" }, { title = "", wrap = true } })
end

--- The kinds of plots: words, an example, the picture of some, their keys.
function makers.plots(_, style)
  return require("tandem.help.plots")(style)
end

--- What an insert makes.
---@param text string  "keys slo"
---@param style tandem.Style
---@return string
function inserts.text(text, style)
  local kind, argument = text:match "^(%S+)%s*(.-)$"
  return assert(makers[kind], "no such insert: " .. text)(argument, style)
end

return inserts
