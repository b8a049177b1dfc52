--- `tandem sql`: a query over a store, read only.
local codes = require "tandem.cli.codes"
local rows_of = require "tandem.store.rows"
local storing = require "tandem.cli.storing"

---@type tandem.Command
local command = {
  summary = "ask the store in SQL: runs, spans, counters, figures",
  about = "Runs one query over the store and prints its rows. Nothing can be changed. Tables: run, "
    .. "span, edge, counter, track, name, request, class, metric, source, fact, problem, artifact, "
    .. "run_tag; run('last') and run('6f64') are the numbers in their columns `run`. Times are "
    .. "nanoseconds.",
  arguments = {
    { name = "query", value = "QUERY", help = "The SQL, or - for standard input." },
  },
  options = {
    storing.option,
    { "--csv", help = "Print CSV instead of the table." },
    { "--json", help = "Print JSON (schema tandem.sql/1) instead of the table." },
  },
  examples = {
    "tandem sql \"SELECT category, count(*), sum(dur_ns) FROM span WHERE run = run('last') "
      .. "GROUP BY category\"",
    "tandem sql \"SELECT name, dur_ns FROM span WHERE run = run('last') AND category = 'kernel' "
      .. "ORDER BY dur_ns DESC LIMIT 10\" --csv",
  },
}

local BUFFER <const> = 256 -- rows that are written at once

local function write_csv(query, place)
  local lines, cells, width = {}, {}, #query.names
  for i, name in ipairs(query.names) do cells[i] = rows_of.csv_cell(name) end
  lines[1] = table.concat(cells, ",")
  for values in query.list, query do
    for i = 1, width do
      local value = values[i]
      cells[i] = math.type(value) == "integer" and value or rows_of.csv_cell(value)
    end
    lines[#lines + 1] = table.concat(cells, ",")
    if #lines >= BUFFER then
      place.write_out(table.concat(lines, "\n") .. "\n")
      lines = {}
    end
  end
  if #lines > 0 then place.write_out(table.concat(lines, "\n") .. "\n") end
end

-- Names in the order of the columns; a NULL is null, so that every object has every name.
local function write_json(query, place)
  local encode = require("tandem.report.json").encode
  local names, parts, lines, first = {}, {}, {}, true
  for i, name in ipairs(query.names) do parts[i] = encode(name) end
  place.write_out(('{\n  "schema": "tandem.sql/1",\n  "columns": [%s],\n  "rows": ['):format(
    table.concat(parts, ", ")))
  for i, name in ipairs(parts) do names[i] = name .. ": " end
  for values in query.list, query do
    for i, name in ipairs(names) do
      local value = values[i]
      if type(value) == "string" then value = rows_of.text(value) end
      parts[i] = name .. (value == nil and "null" or encode(value))
    end
    lines[#lines + 1] = (first and "\n    {" or ",\n    {") .. table.concat(parts, ", ") .. "}"
    first = false
    if #lines >= BUFFER then
      place.write_out(table.concat(lines))
      lines = {}
    end
  end
  place.write_out(table.concat(lines) .. (first and "]\n}\n" or "\n  ]\n}\n"))
end

-- A pipe or a file gets whole values, a terminal what fits.
local function write_table(query, place)
  local style = place.style
  if not style.terminal then
    style = setmetatable({ width = math.maxinteger }, { __index = place.style })
  end
  place:print(query:table():lines(style))
end

---@param args table
---@param place tandem.Console
---@return integer code
function command.run(args, place)
  if args.csv and args.json then return place:usage "--csv and --json: one of them" end
  local sql = args.query == "-" and io.stdin:read "a" or args.query
  return storing.with(args, place, { readonly = true, interruptible = true }, function(store)
    local query, message, code = require("tandem.store.query").open(store.db, sql)
    if not query then return nil, message, code == codes.USAGE and codes.INVALID or code end
    local write = args.csv and write_csv or args.json and write_json or write_table
    local ok, why = pcall(write, query, place)
    query:close()
    if ok then return codes.OK end
    return nil, (tostring(why):gsub("^[^\n]-%.lua:%d+: ", "")), codes.IO
  end)
end

return command
