--- JSON that keeps numbers exactly: jobs, answers, what is stored of them.
-- Owns what JSON has no word for: NaN and the infinities travel as the texts "nan", "inf", "-inf"
-- and come back as texts. Called by sweep/crew.
local cjson = require "cjson"
local json = require "tandem.report.json"

local exact = {}

local function tame(v)
  if type(v) == "table" then
    local out = {}
    for k, x in pairs(v) do out[k] = tame(x) end
    return out
  end
  if v ~= v then return "nan" end
  if v == math.huge then return "inf" end
  if v == -math.huge then return "-inf" end
  return v
end

---@param v any
---@return string
function exact.encode(v) return json.encode(tame(v)) end

---@param text string
---@return any
function exact.decode(text) return cjson.decode(text) end

return exact
