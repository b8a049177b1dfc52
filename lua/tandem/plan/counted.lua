--- What a plan counts: GPUs, what a path names, or two of them.
--
-- Owns the reading of `count`, the names of what is counted, and which questions do not go with two
-- counts. What is wrong is raised as plan/question does. Called by plan/question.
local counted = {}

local function fail(...) error({ plan = (...):format(select(2, ...)) }, 0) end

-- The default count: the number of GPUs.
local function count_of(q, path)
  local target, pools = q.scenario.checked.target, {}
  for _, resource in ipairs(q.scenario.checked.places) do
    if resource.type == "pool" then pools[#pools + 1] = resource.name end
  end
  if path == nil and not target and #pools == 1 then
    path = ("resources.%s.servers"):format(pools[1])
  end
  if path == nil or path == "gpus" then
    if not target then
      fail("count: the scenario has no target GPU; name what is counted, such as "
        .. "count = \"%s\"", #pools > 0 and ("resources.%s.servers"):format(pools[1])
        or "cpu.workers")
    elseif target.type ~= "gpu" then
      fail("count: the target is a fleet; name what is counted, such as "
        .. "count = \"target.%s.count\"", target.gpus[1] and target.gpus[1].name or "NAME")
    end
    q.count, q.noun = "gpus", "GPU"
    return
  end
  if type(path) ~= "string" then fail("count: wants a path such as \"resources.NAME.servers\"") end
  local ok, problems = q.scenario:try_with { [path] = 1 }
  if not ok then
    fail("count: %s", (tostring(problems):gsub("\n.*", ""):gsub("[;%s]+$", "")))
  end
  -- "servers" are counted; a setting such as concurrency is a number of its own.
  local key = path:match "([%w_]+)$"
  q.count, q.noun = path, key == "count" and "GPU" or key:gsub("s$", "")
  q.setting = key ~= "count" and not key:find "s$"
end

-- "CPU worker", "decode server": where two are counted, each says whose it is.
local function owned(q)
  local owner = q.count:match "^resources%.(.+)%.servers$"
  if q.count == "cpu.workers" then return "CPU worker" end
  if owner then return owner .. " server" end
  return q.count:match "^target%.(.+)%.count$" or q.noun
end

-- Two counts, the cheapest of whose pairs is looked for: GPUs first.
local function pair_of(q, paths)
  if #paths ~= 2 or paths[1] == paths[2] then
    fail("count: two different things make a pair, such as count = { \"gpus\", \"cpu.workers\" }; "
      .. "there %s %d", #paths == 1 and "is" or "are", #paths)
  end
  local first, second = { scenario = q.scenario }, { scenario = q.scenario }
  count_of(first, paths[1])
  count_of(second, paths[2])
  if second.count == "gpus" then first, second = second, first end
  for _, one in ipairs { first, second } do
    if one.setting then
      fail("count: %s is a setting, which costs nothing; a pair is of what is bought, such as "
        .. "gpus, cpu.workers or resources.NAME.servers", one.count)
    end
  end
  q.count, q.noun, q.setting = first.count, owned(first), nil
  q.pair = { count = second.count, noun = owned(second) }
end

--- Reads `count` into the question.
---@param q tandem.PlanQuestion
---@param wanted any  a path, two of them in a list or with a comma, or nil
function counted.of(q, wanted)
  local paths = wanted
  if type(wanted) == "string" and wanted:find(",", 1, true) then
    paths = {}
    for one in wanted:gmatch "[^,]+" do paths[#paths + 1] = one:match "^%s*(.-)%s*$" end
  end
  if type(paths) == "table" then pair_of(q, paths) else count_of(q, wanted) end
end

--- Raises what is not said of pairs.
---@param q tandem.PlanQuestion
---@param options table
function counted.check(q, options)
  if not q.pair then return end
  local target = q.scenario.checked.target
  if q.survive > 0 then fail "survive: goes with one count; leave one of the two out" end
  if q.mix then fail "mix: goes with one count; leave one of the two out" end
  if options.monotone == false or options.method == "scan" then
    fail "count: a pair is looked for where more is never worse; scan goes with one count"
  end
  if target and target.autoscale then
    fail "count: the GPUs come and go (autoscale), whose number goes without another"
  end
  if q.budget.usd_per_hour and q.minimize ~= "usd_per_hour" then
    fail "budget: dollars of a pair go with minimize = \"usd\""
  end
end

return counted
