--- The log of single requests as a file: CSV, or JSON Lines where the name ends in .jsonl.
-- Owns its columns and their spelling. Called by `tandem run --requests-log`.

local json = require "tandem.report.json"

local requests = {}

local columns = { "id", "class", "arrival_s", "latency_s", "outcome" }

local function csv_field(value)
  if type(value) == "number" then return json.number(value) end
  return value:find '[,"\r\n]' and '"' .. value:gsub('"', '""') .. '"' or value
end

local function csv_line(request)
  local fields = {}
  for i, column in ipairs(columns) do fields[i] = csv_field(request[column]) end
  return table.concat(fields, ",") .. "\n"
end

--- The bytes of the file.
---@param log table[] result.requests_log
---@param path string its name, which tells the format
---@return string
function requests.text(log, path)
  local as_json = path:find "%.jsonl$"
  local lines = { as_json and "" or table.concat(columns, ",") .. "\n" }
  for i, request in ipairs(log) do
    lines[i + 1] = as_json and json.encode(request) .. "\n" or csv_line(request)
  end
  return table.concat(lines)
end

return requests
