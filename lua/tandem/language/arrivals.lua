--- Arrival processes as data: `td.poisson { rps = 20, duration = "60s" }`; recorded requests.
-- Owns the types and their keys; lower/arrivals.lua lowers them to the few forms the engine knows.
-- What is read of a recording stands under `data` of the checked process.

local node = require "tandem.language.node"

local arrivals = {}

local function quantity(dim, options)
  options = options or {}
  options.kind, options.dim = "quantity", dim
  return options
end
local function time(options) return quantity("s", options) end
-- Time is counted in nanoseconds.
local function rate(options)
  options = quantity("req/s", options)
  options.max = 1e9
  return options
end

-- Keys every arrival process takes.
local common = {
  batch = quantity("1", { dist = true, min = 1,
    doc = "requests that arrive together, a group; rps counts groups" }),
  start = time { doc = "first arrivals after this time" },
  duration = time { positive = true, doc = "arrivals stop after this time" },
  requests = quantity("req", { integer = true, min = 1, doc = "arrivals stop after so many" }),
  class = { kind = "string", doc = "the request class that arrives" },
  sizes = { kind = "node", groups = { rows = true },
    doc = "attributes of each request out of a recording: td.resample { file = … }" },
}

-- Which recorded requests arrive, if any, and that they can.
local function join_recording(ctx, c)
  if c.sizes and c.type == "replay" then
    ctx:problem("sizes", "a replayed trace has sizes of its own")
    return
  end
  if c.sizes then c.data = c.sizes.data end
  local data = c.data
  if data and c.batch and (data.turns or data.blocks) then
    ctx:problem("batch", "recorded conversations and prompts come one by one")
  end
end

local function define(spec)
  spec.group = "arrivals"
  for k, v in pairs(common) do spec.keys[k] = spec.keys[k] or v end
  local finish = spec.finish
  function spec.finish(ctx, c, raw)
    if finish then finish(ctx, c, raw) end
    join_recording(ctx, c)
  end
  arrivals[spec.type] = node.define(spec)
end

define { type = "poisson", positional = { "rps" }, doc = "independent users: exponential gaps",
  keys = { rps = rate { required = true, positive = true } } }

define { type = "paced", positional = { "rps" }, doc = "evenly spaced",
  keys = { rps = rate { required = true, positive = true } } }

define { type = "renewal", doc = "independent gaps of any distribution, or by rps and cv",
  keys = { rps = rate { positive = true }, cv = quantity("1", { positive = true }),
    shape = { kind = "enum", of = { "gamma", "weibull" }, default = "gamma" },
    gap = time { dist = true } },
  finish = function(ctx, c)
    if c.gap and (c.rps or c.cv) then
      ctx:problem("gap", "give gap, or rps and cv, not both")
    elseif not c.gap and not (c.rps and c.cv) then
      ctx:problem(nil, "wants gap = DISTRIBUTION, or rps and cv")
    end
  end }

define { type = "mmpp", items = "states",
  doc = "Poisson whose rate switches: { {rps, mean time}, … }; begins in any state, by its time",
  keys = { states = { kind = "pairs", required = true, min = 2, first = rate {},
    second = time { positive = true }, words = "{rps, mean time}" } },
  finish = function(ctx, c)
    if not c.states then return end
    for _, s in ipairs(c.states) do
      if s[1] > 0 then return end
    end
    ctx:problem("states", "every state has rate 0: nothing would ever arrive")
  end }

define { type = "bursts",
  doc = "on/off: rps for a while, idle_rps for a while, both times exponential; begins in either",
  keys = { rps = rate { required = true, positive = true },
    on = time { required = true, positive = true }, off = time { required = true, positive = true },
    idle_rps = rate { default = 0 } } }

define { type = "curve", items = "points", doc = "a rate that follows points { {time, rps}, … }",
  keys = { points = { kind = "pairs", required = true, first = time {}, second = rate {},
      words = "{time, rps}" },
    period = time { positive = true } },
  finish = function(ctx, c)
    if not c.points then return end
    local any = false
    for i, p in ipairs(c.points) do
      any = any or p[2] > 0
      if i > 1 and p[1] < c.points[i - 1][1] then
        ctx:problem("points", ("point %d is earlier than the one before"):format(i))
        return
      end
    end
    if not any then ctx:problem("points", "every rate is 0: nothing would ever arrive") end
    local last = c.points[#c.points]
    if c.period and last and last[1] > c.period then
      ctx:problem("period", "ends before the last point")
    end
  end }

define { type = "diurnal", doc = "a day: a sine between night and peak",
  keys = { mean = rate { required = true, positive = true },
    peak = rate { required = true, positive = true },
    period = time { positive = true, default = 86400 }, peak_at = time { default = 50400 } },
  finish = function(ctx, c)
    if not (c.mean and c.peak) then return end
    if c.peak < c.mean then
      ctx:problem("peak", "is below the mean")
    elseif c.peak > 2 * c.mean then
      ctx:problem("peak", "is more than twice the mean: a sine would go below zero at night"
        .. " (use td.curve for sharper peaks)")
    end
  end }

define { type = "ramp", doc = "from one rate to another, evenly, over its duration",
  keys = { from = rate { required = true }, to = rate { required = true },
    duration = time { required = true, positive = true } },
  finish = function(ctx, c)
    if c.from == 0 and c.to == 0 then
      ctx:problem("to", "from and to are both 0: nothing would ever arrive")
    end
  end }

define { type = "spike", doc = "a base rate with one jump to a peak",
  keys = { base = rate { required = true }, peak = rate { required = true, positive = true },
    at = time { required = true }, width = time { required = true, positive = true } } }

define { type = "closed", positional = { "users", "think" },
  doc = "users who wait for their answer, think, then ask again",
  keys = { users = quantity("1", { required = true, integer = true, min = 1 }),
    think = time { dist = true, default = 0 } } }

local whole = quantity("req", { integer = true, min = 1 })
local columns = { kind = "map", attributes = { but = "arrival" }, of = { kind = "string" } }
local format = { kind = "enum", of = { "auto", "csv", "jsonl", "conversations" },
  default = "auto" }
local where = { kind = "map", of = { kind = "scalar" },
  doc = "only rows with these values: { Model = \"GPT-4\" }" }
local bytes_per_token = quantity("1", { positive = true,
  doc = "how many bytes of a recorded conversation are a token (default: 4)" })
local hash_tokens = quantity("1", { integer = true, min = 1, max = 1 << 20,
  doc = "tokens that each of a row's hash_ids names; known of published layouts" })

-- What only a file has.
local file_keys = { "columns", "format", "scale", "where", "hash_tokens" }

-- Ways to say how fast a recording comes that do not go together.
local rivals = { { "speed", "rps" }, { "speed", "time" } }

local function check_pace(ctx, c, raw)
  for _, pair in ipairs(rivals) do
    if raw[pair[1]] and raw[pair[2]] then
      ctx:problem(pair[2], ("says how fast it goes, and so does %s"):format(pair[1]))
    end
  end
  if c.rps and c.time and c.sample then
    ctx:problem("sample", "follows from rps and time; leave one of the three out")
  end
  if c.from and c.to and c.from >= c.to then ctx:problem("to", "is not after from") end
end

define { type = "replay", doc = "recorded arrivals: a file (CSV or JSON Lines), or rows",
  keys = { file = { kind = "string" },
    rows = { kind = "list", min = 1, of = { kind = "map", attributes = { but = "arrival" },
      of = quantity(nil, { signed = true }) } },
    columns = columns, format = format, where = where, hash_tokens = hash_tokens,
    scale = quantity("1", { positive = true, doc = "seconds per unit of a numeric time column" }),
    speed = quantity("1", { positive = true, default = 1, doc = "2 replays twice as fast" }),
    rps = rate { positive = true, doc = "replays at this mean rate, by its speed" },
    time = time { positive = true,
      doc = "stretches the recording to so long; with rps, of more or fewer requests" },
    sample = quantity("1", { positive = true, max = 100000,
      doc = "0.1 leaves out nine of ten, 3 has each three times, spread over its gap" }),
    from = time { doc = "begins at this time of the recording" },
    to = time { positive = true, doc = "ends at this time of the recording" },
    repeats = quantity("1", { integer = true, min = 1, max = 1e9,
      doc = "how often it comes, over and over" }),
    limit = whole },
  finish = function(ctx, c, raw)
    if (c.file == nil) == (c.rows == nil) then
      ctx:problem(c.file and "rows" or nil, c.file and "give file or rows, not both"
        or "wants file = \"trace.csv\" or rows = { { arrival = 0.5 }, … }")
      return
    end
    for _, key in ipairs(c.rows and file_keys or {}) do
      if raw[key] then ctx:problem(key, "says how a file is read; rows need none") end
    end
    local before = #ctx.problems
    check_pace(ctx, c, raw)
    if #ctx.problems > before then return end
    local replay = require "tandem.replay"
    local data, problem, key
    if c.rows then
      data, problem, key = replay.of_rows(c)
      c.format = nil
    else
      data, problem, key = replay.load(c, ctx.directory)
    end
    if not data then
      ctx:problem(key or c.rows and "rows" or "file", problem)
      return
    end
    c.data, c.rows = data, nil
  end }

arrivals.resample = node.define { type = "resample", group = "rows",
  positional = { "file" },
  doc = "attributes of recorded requests, each row as it is: sizes = td.resample { file = … }",
  keys = { file = { kind = "string", required = true }, columns = columns, format = format,
    where = where, hash_tokens = hash_tokens, bytes_per_token = bytes_per_token, limit = whole,
    order = { kind = "enum", of = { "random", "recorded" }, default = "random",
      doc = "rows, or conversations, drawn with replacement; or one after the other" } },
  finish = function(ctx, c)
    if not c.file then return end
    local data, problem, key = require("tandem.replay").sizes(c, ctx.directory)
    if not data then
      ctx:problem(key or "file", problem)
      return
    end
    c.data = data
  end }

define { type = "arrivals", positional = { "fn" },
  doc = "a Lua function (n, t) that returns the gap to the next arrival in seconds",
  keys = { fn = { kind = "fn", required = true } } }

define { type = "arrivals_coroutine", positional = { "fn" },
  doc = "a Lua coroutine that yields gaps in seconds",
  keys = { fn = { kind = "fn", required = true } } }

return arrivals
