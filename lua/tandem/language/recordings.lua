--- Recorded requests as data: `td.replay { file = "trace.csv" }`, and sizes out of a recording.
-- Owns their keys, and which of them go together; what is read stands under `data` of the checked
-- process (tandem.replay). td.replay is registered by arrivals.lua, as all arrival processes.

local keys = require "tandem.language.keys"
local node = require "tandem.language.node"

local quantity = keys.quantity
local recordings = {}

local limit = quantity("req", { integer = true, min = 1,
  doc = "take so many requests only, the first" })
local columns = { kind = "map", attributes = { but = "arrival" }, of = { kind = "string" },
  doc = "attribute = column; arrival = the column of times; session = whose rows are turns of one "
    .. "conversation; every numeric column whose name is no field of a request unless given" }
local format = { kind = "enum", of = { "auto", "csv", "jsonl", "conversations", "sessions" },
  default = "auto", doc = "of the file; recognised unless given" }
local where = { kind = "map", of = { kind = "scalar" },
  doc = "only rows with these values: { Model = \"GPT-4\" }" }
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

---@type tandem.ArrivalProcess
recordings.replay = { type = "replay",
  doc = "recorded arrivals: a file (CSV or JSON Lines), or rows",
  keys = { file = { kind = "string", doc = "the trace, found beside the scenario" },
    rows = { kind = "list", min = 1, of = { kind = "map", attributes = { but = "arrival" },
      of = quantity(nil, { signed = true }) },
      doc = "in place of a file: { { arrival = 0.5, tokens = 128 }, … }, arrivals in seconds, all "
        .. "with the same numbers" },
    columns = columns, format = format, where = where, hash_tokens = hash_tokens, limit = limit,
    scale = quantity("1", { positive = true, doc = "seconds per unit of a numeric time column" }),
    speed = quantity("1", { positive = true, default = 1, doc = "2 replays twice as fast" }),
    rps = quantity("req/s", { positive = true, max = 1e9,
      doc = "replays at this mean rate, by its speed" }),
    time = quantity("s", { positive = true,
      doc = "stretches the recording to so long; with rps, of more or fewer requests" }),
    sample = quantity("1", { positive = true, max = 100000,
      doc = "0.1 leaves out nine of ten, 3 has each three times, spread over its gap" }),
    from = quantity("s", { doc = "begins at this time of the recording" }),
    to = quantity("s", { positive = true, doc = "ends at this time of the recording" }),
    repeats = quantity("1", { integer = true, min = 1, max = 1e9,
      doc = "how often it comes, over and over" }) },
  shown = { "rps", "from", "to" }, load = { "speed" },
  example = 'td.replay { file = "trace.csv", columns = { arrival = "timestamp" }, speed = 2 }\n'
    .. '-- or: td.replay { rows = { { arrival = 0, tokens = 9 }, { arrival = 1, tokens = 5 } } }\n'
    .. '-- a day out of an hour: file = "azure.csv.gz", time = "24h", rps = 5',
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
  end,
  lower = function(a)
    return { kind = "list", times = a.data.times, repeats = a.repeats,
      period = a.repeats and a.data.period or nil }
  end,
  kind = "list",
  expects = function(a)
    local count = #a.times
    local span = count > 1 and a.times[count] - a.times[1] or 0
    return { rps = span > 0 and (count - 1) / span or nil, cv2 = 1, words = "a recorded trace" }
  end }

recordings.resample = node.define { type = "resample", group = "rows", positional = { "file" },
  doc = "attributes of recorded requests, each row as it is: sizes = td.resample { file = … }",
  keys = { file = { kind = "string", required = true,
      doc = "the recording, found beside the scenario" },
    columns = columns, format = format, where = where, hash_tokens = hash_tokens, limit = limit,
    bytes_per_token = quantity("1", { positive = true,
      doc = "how many bytes of a recorded conversation are a token (default: 4)" }),
    order = { kind = "enum", of = { "random", "recorded" }, default = "random",
      doc = "rows, or conversations, drawn with replacement; or one after the other" } },
  example = 'td.resample { file = "trace.csv", columns = { tokens = "timestamp" } }',
  finish = function(ctx, c)
    if not c.file then return end
    local data, problem, key = require("tandem.replay").sizes(c, ctx.directory)
    if not data then
      ctx:problem(key or "file", problem)
      return
    end
    c.data = data
  end }

--- Notes which recorded requests arrive, if any, and that they can.
---@param ctx tandem.CheckContext
---@param c table  a checked arrival process
function recordings.join(ctx, c)
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

return recordings
