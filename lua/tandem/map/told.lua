--- What the lines of a map cover, as comments beside them.
--
-- Owns the sentences; figures are those of the coverage. Called by `tandem map`.
local format = require "tandem.format"

local told = {}

local function percent(share) return ("%.1f %%"):format(100 * share) end

-- "3 to 17"; nil where no request has it.
local function extent(list)
  local least, most
  for _, value in ipairs(list) do
    if value then
      least, most = math.min(least or value, value), math.max(most or value, value)
    end
  end
  if not least then return "no request has it" end
  local function text(value)
    return math.tointeger(value) and format.integer(math.tointeger(value)) or ("%g"):format(value)
  end
  return least == most and text(least) or ("%s to %s"):format(text(least), text(most))
end

--- One line on a map as a whole: "6 requests, 98 % of their time in stages, 0.3 % of …".
---@param visits tandem.Visits
---@param coverage tandem.Answer
---@return string
function told.summary(visits, coverage)
  local share, waits, rows = 0, 0, coverage:frame("stages").rows
  local requests, all_ns = visits:requests(), 0
  for i, arrival in ipairs(requests.arrival_ns) do
    all_ns = all_ns + requests.end_ns[i] - arrival
  end
  for _, row in ipairs(rows) do
    share, waits = share + (row.share or 0), waits + row.wait_ns
  end
  local text = ("%s, %s of their time in stages"):format(format.plural(visits.count, "request"),
    percent(share))
  if all_ns > 0 and waits > 0 then
    text = ("%s, %s waiting for one"):format(text, percent(waits / all_ns))
  end
  return text
end

--- Comments for write.file.
---@param visits tandem.Visits
---@param coverage tandem.Answer
---@param why? string  why it was proposed
---@return tandem.MapTold
function told.of(visits, coverage, why)
  local made = { sizes = {}, stages = {} }
  made.request = why or format.plural(visits.count, "request")
  for name, list in pairs(visits:requests().sizes or {}) do made.sizes[name] = extent(list) end
  for _, row in ipairs(coverage:frame("stages").rows) do
    made.stages[row.stage] = row.requests == 0 and "in no request"
      or ("%s, %s, %s of their time"):format(row.requests == visits.count and "all requests"
        or format.plural(row.requests, "request"), format.time(row.own_ns / 1e9),
        percent(row.share or 0))
  end
  return made
end

return told
