--- The log of single requests as a file: CSV, or JSON Lines where the name ends in .jsonl.
-- Owns its columns and their spelling. Which requests are in it is scenario/init.lua's
-- (requests_log of a run), how they are chosen bind/trace.c's. Called by
-- `tandem run --requests-log`.

local csv = require "tandem.io.csv"
local json = require "tandem.io.json"

local requests = {}

local columns = { "id", "class", "arrival_s", "latency_s", "outcome" }

local function csv_line(request)
  local fields = {}
  for i, column in ipairs(columns) do fields[i] = request[column] end
  return csv.line(fields, #columns) .. "\n"
end

--- The bytes of the file.
---@param log table[] result.requests_log
---@param path string its name, which tells the format
---@return string
function requests.text(log, path)
  local as_json = path:find "%.jsonl$"
  local lines = { as_json and "" or csv.line(columns) .. "\n" }
  for i, request in ipairs(log) do
    lines[i + 1] = as_json and json.encode(request) .. "\n" or csv_line(request)
  end
  return table.concat(lines)
end

return requests
