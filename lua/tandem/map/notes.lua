--- What the lines of a map cover, as comments beside them.
--
-- Owns the sentences; figures are those of the coverage. Called by `tandem map`.
local format = require "tandem.text.format"

local notes = {}

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

-- Whether a stage of a map takes GPU work, whatever its lane.
local function is_of_gpu(stage)
  return stage.kernel or stage.comm or stage.copy or stage.memset or stage.graph
    or stage.on == "gpu"
end

-- The share of the run's GPU time that stages of requests have; nil where there is none.
local function gpu_share(visits, coverage)
  if visits.kind == "simulated" or not visits.run then return nil end
  local row = visits.run.store.db:one("SELECT total(dur_ns) AS ns FROM span WHERE run = ? AND"
    .. " category IN ('kernel', 'memcpy', 'memset', 'graph')", visits.run.number)
  if not row or row.ns <= 0 then return nil end
  local left_ns = 0
  for _, one in ipairs(coverage:frame("unmapped").rows) do
    if one.where == "GPU" then left_ns = left_ns + one.total_ns end
  end
  local of_gpu = {}
  for _, stage in ipairs(visits.map.spec.stages or {}) do of_gpu[stage[1]] = is_of_gpu(stage) end
  for _, one in ipairs(coverage:frame("stages").rows) do
    if of_gpu[one.stage] then left_ns = left_ns + (one.outside_ns or 0) end
  end
  return math.max(0, 1 - left_ns / row.ns)
end

--- One line on a map as a whole: "6 requests, 98.1 % of their time and 99.0 % of the GPU time in
--- stages".
---@param visits tandem.Visits
---@param coverage tandem.Answer
---@return string
function notes.summary(visits, coverage)
  local share, waits_ns, all_ns, requests = 0, 0, 0, visits:requests()
  for i, arrival in ipairs(requests.arrival_ns) do
    all_ns = all_ns + requests.end_ns[i] - arrival
  end
  for _, row in ipairs(coverage:frame("stages").rows) do
    share, waits_ns = share + (row.share or 0), waits_ns + row.wait_ns
  end
  local gpu = gpu_share(visits, coverage)
  local text = ("%s, %s of %s time%s in stages"):format(format.plural(visits.count, "request"),
    percent(share), visits.count == 1 and "its" or "their",
    gpu and (" and %s of the GPU time"):format(percent(gpu)) or "")
  if all_ns > 0 and waits_ns > 0 then
    text = ("%s, %s waiting for one"):format(text, percent(waits_ns / all_ns))
  end
  return text
end

--- Comments for write.file.
---@param visits tandem.Visits
---@param coverage tandem.Answer
---@param why? string  why it was proposed
---@return tandem.MapTold
function notes.of(visits, coverage, why)
  local made = { sizes = {}, stages = {} }
  made.request = why or format.plural(visits.count, "request")
  for name, list in pairs(visits:requests().sizes or {}) do made.sizes[name] = extent(list) end
  for _, row in ipairs(coverage:frame("stages").rows) do
    made.stages[row.stage] = row.requests == 0 and "in no request"
      or ("%s, %s, %s of %s time"):format(row.requests == visits.count and visits.count > 1
        and "all requests" or format.plural(row.requests, "request"),
        format.time(row.own_ns / 1e9), percent(row.share or 0),
        visits.count == 1 and "its" or "the")
  end
  return made
end

return notes
