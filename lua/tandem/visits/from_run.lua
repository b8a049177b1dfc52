--- Visits of a stored run: a capture through a map, a simulated run as it is.
--
-- Owns which of the two it is, the numbers that simulated requests carry, and what is said when
-- there is no request. Rows are looked at in C (src/analysis/visits).
local core = require "tandem.core"
local nearest = require "tandem.text.nearest"
local visits = require "tandem.visits"

local from_run = {}

local USAGE <const>, INVALID <const> = 2, 3

-- ---- simulated ----

-- Attributes of requests: rows of category "request" carry them.
local function simulated_sizes(run, ids)
  local json = require "cjson"
  local position, sizes = {}, {}
  for i, id in ipairs(ids) do position[id] = i end
  for row in run:spans { category = "request" } do
    local at = position[row.request]
    local args = at and row.args and json.decode(row.args) or {}
    for name, value in pairs(args) do
      if type(value) == "number" and name ~= "request" then
        sizes[name] = sizes[name] or {}
        sizes[name][at] = value
      end
    end
  end
  for _, list in pairs(sizes) do
    for i = 1, #ids do list[i] = list[i] or false end
  end
  return sizes
end

-- ---- measured ----

local function size_names(spec)
  return nearest.sorted_keys(spec.sizes or {})
end

local function named_sizes(lists, names)
  local sizes = {}
  for i, name in ipairs(names) do sizes[name] = lists[i] end
  return sizes
end

-- The names that a range rule could have meant, the most frequent first.
local function known_ranges(run)
  local row = run.store.db:one("SELECT name, count(*) AS n FROM span WHERE run = ? AND category IN "
    .. "('nvtx', 'user_annotation', 'marker') GROUP BY name ORDER BY n DESC, name LIMIT 1",
    run.number)
  return row
end

local function words_of(rule)
  for _, key in ipairs { "range", "kernel", "comm", "copy", "memset", "graph", "call", "op",
    "sync", "phase" } do
    if rule[key] then return ("%s = %q"):format(key, rule[key]) end
  end
  return "the rule"
end

local function no_request(run, request)
  local why
  if request.sequence then
    why = ("no GPU work comes in the order %s"):format(table.concat(request.sequence, ", "))
  elseif request.starts then
    why = ("%s matches fewer than twice, so nothing lies between"):format(
      words_of(request.starts))
  elseif request.phases then
    why = "no call copies to the GPU or launches, so there are no phases"
  else
    local known = known_ranges(run)
    why = ("nothing matches %s (%s)"):format(words_of(request), known
      and ("the run has ranges such as '%s'"):format(known.name)
      or "the run has no NVTX ranges and no annotations")
  end
  return ("no request in run %s: %s; `tandem map %s` proposes a map"):format(run.id, why, run.id)
end

--- Visits of a run.
---@param run tandem.Run
---@param map? tandem.Map
---@param options? tandem.AnalysisFilter
---@return tandem.Visits|nil
---@return string|nil message
---@return integer|nil code
function from_run.of(run, map, options)
  if not map and run.kind ~= "simulated" then
    return nil, ("run %s is measured: say which of its spans are requests and stages, "
      .. "run:visits(td.map { … }); `tandem map %s` proposes a map"):format(run.id, run.id), INVALID
  end
  local spec, names = map and (map.spec or map), nil
  local filter, wrong = require("tandem.analysis.options").split({}, options or {})
  if not filter then return nil, wrong, USAGE end
  if not map and next(filter) ~= nil then
    return nil, "visits of a simulation are of all its requests; choose some with v:slice", USAGE
  end
  if spec and spec.request.by then
    if next(filter) ~= nil then
      return nil, "a map with a function looks at all spans; let the function choose instead", USAGE
    end
    return require("tandem.visits.from_function").of(run, map)
  end
  local lost = not map and require("tandem.store.run").lost_spans(run)
  if lost then return nil, lost, INVALID end
  local view, message, code = require("tandem.analysis.view").of(run, filter)
  if not view then return nil, message, code end
  if spec then
    names = size_names(spec)
    spec = { request = spec.request, stages = spec.stages, sizes = spec.sizes, size_names = names }
  end
  local made
  made, message, code = core.visits(view.core, spec)
  if not made then
    if message == "no request was found" then
      message = no_request(run, spec.request)
    elseif code == INVALID then
      message = ("run %s: %s"):format(run.id, message)
    end
    return nil, message, code
  end
  return visits.new { run = run, map = map, kind = run.kind,
    head = made:head(), of = function(index) return made:of(index) end,
    left = function() return made:left() end,
    requests = function()
      local all = made:requests()
      all.given = nil
      all.sizes = map and named_sizes(all.sizes, names) or simulated_sizes(run, all.id)
      return all
    end }
end

return from_run
