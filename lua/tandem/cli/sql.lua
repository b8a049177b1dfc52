--- `tandem sql`: a query over a store, read only.
local codes = require "tandem.cli.codes"
local forms = require "tandem.cli.forms"
local rows_of = require "tandem.store.rows"
local storing = require "tandem.cli.storing"

---@type tandem.Command
local command = {
  summary = "ask the store in SQL: runs, spans, counters, figures",
  about = "Runs one query over the store and prints its rows. Nothing can be changed. Tables: run, "
    .. "span, edge, counter, track, name, request, class, metric, source, fact, problem, artifact, "
    .. "run_tag; run('last') and run('6f64') are the numbers in their columns `run`. Points of a "
    .. "kept sweep: points_of_NAME, a column for each axis and figure. Times are nanoseconds.",
  arguments = {
    { name = "query", value = "QUERY", help = "The SQL, or - for standard input." },
  },
  options = {
    storing.option,
    { "--csv", help = "Print CSV instead of the table." },
    forms.json("Print JSON (schema tandem.sql/1) instead of the table."),
  },
  examples = {
    "tandem sql \"SELECT category, count(*), sum(dur_ns) FROM span WHERE run = run('last') "
      .. "GROUP BY category\"",
    "tandem sql \"SELECT name, dur_ns FROM span WHERE run = run('last') AND category = 'kernel' "
      .. "ORDER BY dur_ns DESC LIMIT 10\" --csv",
  },
}

local BUFFER <const> = 256 -- rows that are written at once

local function write_csv(query, console)
  local lines, cells, width = {}, {}, #query.names
  local csv_cell = rows_of.csv_cells()
  for i, name in ipairs(query.names) do cells[i] = rows_of.csv_cell(name) end
  lines[1] = table.concat(cells, ",")
  for values in query.list, query do
    for i = 1, width do
      cells[i] = csv_cell(values[i])
    end
    lines[#lines + 1] = table.concat(cells, ",")
    if #lines >= BUFFER then
      console.write_out(table.concat(lines, "\n") .. "\n")
      lines = {}
    end
  end
  if #lines > 0 then console.write_out(table.concat(lines, "\n") .. "\n") end
end

-- Names in the order of the columns; a NULL is null, so that every object has every name.
local function write_json(query, console)
  local encode = require("tandem.io.json").encode
  local names, parts, lines, first = {}, {}, {}, true
  for i, name in ipairs(query.names) do parts[i] = encode(name) end
  console.write_out(('{\n  "schema": "tandem.sql/1",\n  "columns": [%s],\n  "rows": ['):format(
    table.concat(parts, ", ")))
  for i, name in ipairs(parts) do names[i] = name .. ": " end
  local ok, why = pcall(function()
    for values in query.list, query do
      for i, name in ipairs(names) do
        local value = values[i]
        if type(value) == "string" then value = rows_of.text(value) end
        parts[i] = name .. (value == nil and "null" or encode(value))
      end
      lines[#lines + 1] = (first and "\n    {" or ",\n    {") .. table.concat(parts, ", ") .. "}"
      first = false
      if #lines >= BUFFER then
        console.write_out(table.concat(lines))
        lines = {}
      end
    end
  end)
  -- What was read before a failure stands in JSON that is whole.
  console.write_out(table.concat(lines) .. (first and "]\n}\n" or "\n  ]\n}\n"))
  if not ok then error(why, 0) end
end

-- A pipe or a file gets whole values, a terminal what fits.
local function write_table(query, console)
  local style = console.style
  if not style.terminal then
    style = setmetatable({ width = math.maxinteger }, { __index = console.style })
  end
  console:print(query:table():lines(style))
end

---@param args table
---@param console tandem.Console
---@return integer code
function command.run(args, console)
  if args.csv and args.json then return console:usage(forms.not_both("--csv", "--json")) end
  local sql = args.query == "-" and io.stdin:read "a" or args.query
  return storing.with(args, console, { readonly = true, interruptible = true }, function(store)
    local query, message, code = require("tandem.store.query").open(store.db, sql)
    if not query then return nil, message, code == codes.USAGE and codes.INVALID or code end
    local write = args.csv and write_csv or args.json and write_json or write_table
    local ok, why = pcall(write, query, console)
    query:close()
    if ok then return codes.OK end
    return nil, (tostring(why):gsub("^[^\n]-%.lua:%d+: ", "")), codes.IO
  end)
end

return command
