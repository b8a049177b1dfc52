--- What a result means, in words: the bottleneck, how much room there is, what to try next.
--
-- Owns every judgement the report makes beyond printing numbers, and the thresholds it makes them
-- at. Says only what the result supports: under overload nothing is called an average, and a load
-- beyond the one simulated is called an estimate.
local columns = require "tandem.report.columns"
local commands = require "tandem.report.commands"
local format = require "tandem.text.format"
local styles = require "tandem.plot.style"
local units = require "tandem.units"

local judgement = {}

-- Busier than this, queueing dominates; less busy than that, it hardly shows.
local BUSY <const> = 0.7
local IDLE <const> = 0.3
-- A smaller share of waiting is not worth a number.
local HARDLY <const> = 1e-3
-- Where less of the offered load is served, some of it is turned away or gives up.
local LOSSLESS <const> = 0.98
-- The load we propose to try next: queues are visible there, but the system is stable.
local INTERESTING <const> = 0.85

local HELP_BY_LANE = {
  CPU = "more CPU workers, or less work in its stages",
  H2D = "fewer bytes, a faster link, or a GPU with a link of its own",
  D2H = "fewer bytes, a faster link, or a GPU with a link of its own",
  GPU = "another GPU, a faster kind, batching, or a shorter kernel",
  COMM = "fewer bytes, or a faster interconnect",
  MEMORY = "more memory, or less of it held by each request",
}
local HELP_OTHERWISE = "more servers, or less work in its stages"

-- What limits an LLM server whose queue grows, and what would help.
local BOUNDS <const> = {
  kv = { "KV-bound: requests wait for blocks of the KV cache",
    "more GPUs a replica or replicas, a GPU with more memory, fewer bits (weights, kv)" },
  seqs = { "bound by max_seqs: as many sequences run as may",
    "a larger engine.max_seqs where the time of a token allows it, or more replicas" },
  tokens = { "compute-bound: its steps are full of tokens (max_batched_tokens)",
    "a faster kind of GPU, more GPUs a replica, or more replicas" },
  steps = { "compute-bound: its steps take longer the more sequences run",
    "a faster kind of GPU, more GPUs a replica, or more replicas" },
  rule = { "a rule of its scheduler makes requests wait", "more replicas" },
}

--- What limits an overloaded LLM server, in words; nil of anything else.
---@param overload table
---@return string|nil
function judgement.bound(overload)
  local bound = BOUNDS[overload.bound]
  return bound and bound[1]
end

-- A load that moves, of which arrivals ended before it was seen whole.
local function part_seen(result)
  local whole_s, seen_s = tonumber(result.course_s), tonumber(result.duration_s)
  if not whole_s or not seen_s then return nil end
  return ("The load takes %s to run its course and this run lasts %s: no figure here tells what "
    .. "comes later. --duration %s sees it whole."):format(format.time(whole_s),
    format.time(seen_s + (tonumber(result.warmup_s) or 0)),
    (units.format(whole_s, "s"):gsub(" ", "")))
end

--- What the scenario names and the run did not see, so that its figures say nothing of it: the rest
--- of a load that moves; what may fail and did not while it was watched.
---@param result tandem.Result|table  or the same out of JSON
---@return string[] sentences of failures, one for each kind of GPU, pool or server
function judgement.unseen(result)
  local found, kinds = { part_seen(result) }, {}
  local seen_s = (tonumber(result.duration_s) or 0) * (result.replications or 1)
  for _, resource in ipairs(seen_s > 0 and result.resources or {}) do
    local name = resource.kind or resource.name
    if resource.replica then name = resource.name:match "^(.*)#%d+$" or resource.name end
    local kind = kinds[name]
    if resource.mtbf and not kind then
      kind = { name = name, down = 0, members = {}, count = 0, mtbf = resource.mtbf }
      kinds[name], kinds[#kinds + 1] = kind, kind
    end
    local member = resource.gpu or resource.name
    if resource.mtbf and not kind.members[member] then
      kind.members[member], kind.count = true, kind.count + 1
    end
    if resource.mtbf then kind.down = math.max(kind.down, resource.down or 0) end
  end
  for _, kind in ipairs(kinds) do
    if kind.down == 0 then
      found[#found + 1] = ("%s%s never failed in this run, of %s in all: its mean time between "
        .. "failures is %s, so that %.2g failures were to be expected. No figure here tells what "
        .. "failures do; a longer run would."):format(styles.clean(kind.name),
        kind.count > 1 and (" ×%d"):format(kind.count) or "", format.time(seen_s),
        format.time(kind.mtbf), kind.count * seen_s / kind.mtbf)
    end
  end
  return found
end

--- The resource group that saturates first, with finite servers; nil when there is none.
---@param result tandem.Result
---@return tandem.ResourceGroup|nil
function judgement.busiest(result)
  local busiest
  for _, group in ipairs(columns.groups(result)) do
    if group.servers ~= math.huge
      and (not busiest or group.utilization.value > busiest.utilization.value) then
      busiest = group
    end
  end
  return busiest
end

--- Does any stage on the group's stations work in batches? Then more load fills batches before it
--- lengthens queues.
local function is_batched(result, group)
  for _, stage in ipairs(result.stages) do
    if stage.batch then
      for _, member in ipairs(group.members) do
        if stage.station == member.name then
          return true
        end
      end
      if stage.lane == group.lane and group.members[1].gpu then
        return true
      end
    end
  end
  return false
end

-- The share of each class among the requests that completed.
local function class_weights(result)
  local weights, total = {}, 0
  for _, class in ipairs(result.classes) do
    weights[class.name] = class.completed
    total = total + class.completed
  end
  for name, count in pairs(weights) do
    weights[name] = total > 0 and count / total or 0
  end
  return weights
end

---@class tandem.TimeShare
---@field name string     of the stage; classes that share the name are taken together
---@field time number     seconds of an average request
---@field waiting number  of that, waiting

--- Where the time of an average request goes, by stage name in route order.
---@return tandem.TimeShare[] shares
---@return number all      seconds at all stages
---@return number waiting  of that, waiting
local function time_shares(result)
  local weights, shares, by_name, all, all_waiting = class_weights(result), {}, {}, 0, 0
  for _, stage in ipairs(result.stages) do
    local weight = stage.class and weights[stage.class] or 1
    local waiting, service = columns.time_per_request(result, stage)
    local share = by_name[stage.name]
    if not share then
      share = { name = stage.name, time = 0, waiting = 0 }
      by_name[stage.name] = share
      shares[#shares + 1] = share
    end
    share.time = share.time + weight * (waiting + service)
    share.waiting = share.waiting + weight * waiting
    all, all_waiting = all + weight * (waiting + service), all_waiting + weight * waiting
  end
  return shares, all, all_waiting
end

local function name_of(group)
  return styles.clean(group.name)
end

--- A load in the report's own words, rounded to two figures: it is an extrapolation.
local function about_rate(rate)
  return "about " .. format.quantity(tonumber(string.format("%.2g", rate)), "rate")
end

local function factor(value)
  if value >= 10 then
    return format.integer(math.floor(value + 0.5)) .. "×"
  end
  return string.format("%.1f×", value)
end

local function overload_words(result)
  local overload = result.overload
  local reason = styles.clean(overload.reason)
  local sentences = { reason .. (reason:find("%.$") and "" or ".") }
  local offered = result.offered_rps and result.offered_rps.value
  if offered and overload.load and overload.load > 1 and overload.load < math.huge then
    sentences[#sentences + 1] = ("It can carry %s; this load needs %s the capacity.")
      :format(about_rate(offered / overload.load), factor(overload.load))
  end
  return sentences
end

local function help_for(group)
  return HELP_BY_LANE[group.lane] or HELP_OTHERWISE
end

-- What requests were too long for that an LLM server could never run, and what would help.
local REFUSALS <const> = {
  tokens = "%s tokens",
  kv_cache = "the %s tokens of KV that fit beside its weights; more memory a replica or shorter "
    .. "requests would help",
  step = "the %s prompt tokens that a step takes (max_batched_tokens), and its prompts are not cut "
    .. "(chunked_prefill = true cuts them)",
}

local function losses(result)
  local sentences = {}
  local arrived, lost = 0, { dropped = 0, abandoned = 0, timed_out = 0 }
  for _, class in ipairs(result.classes) do
    arrived = arrived + class.arrived
    for fate in pairs(lost) do
      lost[fate] = lost[fate] + (class[fate] or 0)
    end
  end
  for _, fate in ipairs { { "dropped", "turned away" }, { "abandoned", "gave up waiting" },
    { "timed_out", "timed out" } } do
    local count = lost[fate[1]]
    if count > 0 then
      sentences[#sentences + 1] = ("%s (%s) %s."):format(format.plural(count, "request"),
        format.percent(arrived > 0 and count / arrived or 0),
        fate[1] == "dropped" and (count == 1 and "was " or "were ") .. fate[2] or fate[2])
    end
  end
  for _, server in ipairs(result.llm or {}) do
    for _, refused in ipairs(server.refused or {}) do
      sentences[#sentences + 1] = ("%s asked %s for more than %s."):format(
        format.plural(refused.requests, "request"), styles.clean(server.name),
        REFUSALS[refused.longer_than]:format(format.integer(refused.tokens)))
    end
  end
  return sentences
end

-- A step takes little longer with more sequences in it: being busy says nothing of the limit.
local function replica_words(result, group)
  local name = group.members[1].name:match "^(.*)#%d+$" or group.members[1].name
  local sentences = { ("%s computes %s of the time."):format(name_of(group),
    format.percent(group.utilization.value)) }
  for _, server in ipairs(result.llm or {}) do
    local figures = server.name == name and server
    for _, pool in ipairs(server.pools or {}) do
      if name == server.name .. " " .. pool.role then figures = pool end
    end
    if figures and figures.batch.value then
      sentences[#sentences + 1] = ("Its steps hold %s sequences on average and grow with the load, "
        .. "so being busy does not say how much more it can take: a higher rate does.")
        :format(format.quantity(figures.batch.value, "count"))
    end
  end
  return sentences
end

-- How far the busiest member is used: of the time that it is not being repaired.
local function used(group)
  local most = 0
  for _, member in ipairs(group.members) do
    local busy, up = member.utilization.value, 1 - (member.down or 0)
    if busy and up > 0 and busy / up > most then most = busy / up end
  end
  return most
end

local function saturation_words(result, group)
  if group.members[1].replica then
    return replica_words(result, group)
  end
  local busy = group.utilization.value
  local carried = result.carried_rps and result.carried_rps.value or 0
  local load = used(group)
  local verb = busy >= BUSY and "is the bottleneck: busy" or "is the busiest: in use"
  local sentences = { ("%s %s %s%s of the time%s."):format(name_of(group), verb,
    #group.members > 1 and "up to " or "", format.percent(busy),
    (group.down or 0) > HARDLY and " and under repair " .. format.percent(group.down) or "") }
  local offered = result.offered_rps and result.offered_rps.value or 0
  -- What it completed while busy. Not what was carried: that counts those still queued at the end.
  local throughput = result.throughput_rps and result.throughput_rps.value or 0
  local capacity = load > 0 and throughput / load or 0
  if capacity > 0 and carried < LOSSLESS * offered then
    sentences[#sentences + 1] = ("It can serve %s at most; %s are offered."):format(
      about_rate(capacity), format.rate(offered))
  elseif capacity > 0 and offered > 0 then
    sentences[#sentences + 1] = ("It saturates at %s, %s this load%s."):format(
      about_rate(capacity), factor(capacity / offered),
      is_batched(result, group) and ", or later as batches fill up" or "")
  end
  local _, all, waiting = time_shares(result)
  if all > 0 then
    sentences[#sentences + 1] = waiting / all < HARDLY and "Requests hardly ever wait."
      or ("Requests wait %s of their time."):format(format.percent(waiting / all))
  end
  if busy >= BUSY then
    sentences[#sentences + 1] = ("What would help: %s."):format(help_for(group))
  end
  return sentences
end

local function work_words(result)
  local shares, all = time_shares(result)
  local longest = shares[1]
  for _, share in ipairs(shares) do
    if share.time > longest.time then
      longest = share
    end
  end
  if not longest or all <= 0 then
    return {}
  end
  local whose = #result.classes > 1 and "an average request" or "a request"
  local sentence = ("Most of %s's time is %s: %s of %s (%s)"):format(whose,
    styles.clean(longest.name), format.time(longest.time), format.time(all),
    format.percent(longest.time / all))
  if longest.waiting > longest.time / 2 then
    return { sentence .. ", more than half of it waiting." }
  end
  return { sentence .. "; only less work there, or faster hardware, makes requests faster." }
end

--- What limits the system and why, in sentences.
---@param result tandem.Result
---@return string[] sentences
function judgement.bottleneck(result)
  local sentences = losses(result)
  local group = judgement.busiest(result)
  if result.overload then
    table.move(overload_words(result), 1, 9, #sentences + 1, sentences)
    local bound = BOUNDS[result.overload.bound]
    if bound or group then
      sentences[#sentences + 1] = ("What would help: %s."):format(bound and bound[2]
        or help_for(group))
    end
    return sentences
  end
  if result.unsettled then
    sentences[#sentences + 1] = styles.clean(result.unsettled.reason) .. "."
  end
  if not group then
    sentences[#sentences + 1] = "No resource is limited, so nothing can saturate."
    return table.move(work_words(result), 1, 9, #sentences + 1, sentences)
  end
  if group.utilization.value < IDLE then
    sentences[#sentences + 1] = "Nothing is near saturation."
  end
  table.move(saturation_words(result, group), 1, 9, #sentences + 1, sentences)
  if group.utilization.value < BUSY then
    table.move(work_words(result), 1, 9, #sentences + 1, sentences)
  end
  return sentences
end

---@class tandem.Advice
---@field command string  works as printed
---@field why string

--- Two significant figures, written without an exponent: a rate to put on a command line.
local function round_rate(rate)
  return format.quantity(tonumber(string.format("%.2g", rate)), "count"):gsub(",", "")
end

--- Can the scenario be varied so? Asked of the scenario itself, so that no command is proposed
--- that would not work.
local function accepts(result, overrides)
  local scenario = result:scenario()
  return scenario ~= nil and scenario:try_with(overrides) ~= nil
end

-- The settings of this run, less the rate that a suggestion is about to set.
local function without_rate(settings)
  local kept = {}
  for _, setting in ipairs(settings or {}) do
    local key = setting:match("^%s*(.-)%s*=")
    if key ~= "workload.rps" and key ~= "rps" and key ~= "rate" then
      kept[#kept + 1] = setting
    end
  end
  return kept
end

local function widest_interval(result)
  local p99 = result.latency.p99
  if not p99 or not p99.half or not (p99.value > 0) then
    return 0
  end
  return p99.half / p99.value
end

-- What the objectives lack, or else p99: the requests in all, and of which figure.
local function lacking(result)
  local most, name = nil, nil
  if result.moving and result.replications == 1 then return nil end
  for _, verdict in ipairs(result:verdicts()) do
    local needs = verdict.met == nil and verdict.value and verdict.value.needs
    if needs and needs.requests > (most or 0) then most, name = needs.requests, verdict.metric end
  end
  local p99 = result.latency.p99
  if not most and p99 and p99.needs then most, name = p99.needs.requests, "p99" end
  return most, name == "p999" and "p99.9" or name
end

-- Longer runs of which nobody would wait for the end are not proposed.
local LONGEST <const> = 1e9
-- The excursions that an interval wants (src/base/evidence.c): so many are missing, so unsure is
-- how many a run has.
local WANTED <const> = 80

-- Two figures, never fewer than asked for.
local function rounded_up(value)
  local step = math.max(1, 10 ^ (math.floor(math.log(value, 10)) - 1))
  return math.tointeger(math.ceil(value / step) * step)
end

-- The option that makes a run so many times as large: longer replications, or where these have
-- their length from a recording or are what is asked about, more of them.
local function longer(result, needs)
  if needs > LONGEST or result.requests == 0 then return nil end
  local scenario = result:scenario()
  local checked = scenario and rawget(scenario, "checked")
  local times = needs / result.requests
  times = times * math.min(4, 1.1 + 2 * math.sqrt(times / WANTED))
  if checked and checked.duration then
    local seconds = rounded_up(checked.duration * times)
    if seconds and accepts(result, { duration = seconds }) then
      return ("--duration %ds"):format(seconds)
    end
  end
  local each = (result.requests + (result.warmup_requests or 0)) / result.replications
  local recorded = false
  for _, class in ipairs(checked and checked.resolved or {}) do
    recorded = recorded or class.arrivals.data ~= nil
  end
  if recorded or result.moving then
    return ("--replications %d"):format(rounded_up(result.replications * times))
  end
  local wanted = rounded_up(each * times)
  return accepts(result, { requests = wanted }) and ("--requests %d"):format(wanted) or nil
end

--- Two to four commands worth running next.
---@param result tandem.Result
---@param options tandem.ReportOptions
---@return tandem.Advice[]
function judgement.advice(result, options)
  local file = options.file
  if not file or file == "-" then
    return {}
  end
  local run, advice = commands.of("run", file, options.settings, options.trusted), {}
  local function add(command, why)
    advice[#advice + 1] = { command = command, why = why }
  end
  local group = judgement.busiest(result)
  local offered = result.offered_rps and result.offered_rps.value or 0
  local load = result.overload and result.overload.load or group and used(group)
  if load and load > 0 and load < math.huge and offered > 0
    and (load < 0.6 or result.overload) then
    local rate = round_rate(offered * INTERESTING / load)
    if accepts(result, { ["workload.rps"] = tonumber(rate) }) then
      local settings = without_rate(options.settings)
      settings[#settings + 1] = "workload.rps=" .. rate
      add(commands.of("run", file, settings, options.trusted), result.overload
        and "a load that it can carry, but only just" or "a load where queues begin to matter")
    end
  end
  local needs, whose = lacking(result)
  local option = not result.overload and needs and longer(result, needs)
  if option then
    add(("%s %s"):format(run, option), ("as many requests as %s needs"):format(whose))
  elseif result.moving and result.replications == 1 then
    add(run .. " --replications 8", "how much such runs differ")
  elseif not result.overload and widest_interval(result) > 0.05 then
    add(("%s --replications %d"):format(run, result.replications * 4),
      "intervals about half as wide")
  end
  if not options.trace then
    add(run .. " --trace trace.json", "every span, for ui.perfetto.dev")
  end
  add(commands.of("explain", file, options.settings, options.trusted),
    "what queueing theory expects of it")
  add(run .. " --json", "all numbers, for other programs")
  return table.move(advice, 1, math.min(#advice, 4), 1, {})
end

--- What an overloaded resource is offered, to be followed by what it does: "120 % of what".
---@param load number
---@return string
function judgement.offered(load)
  return load < 100 and format.percent(load) .. " of what" or "far more than"
end

return judgement
