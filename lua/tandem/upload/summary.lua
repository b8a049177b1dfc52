--- The JSON of runs for endpoints that are no tandem: schema tandem.upload/1.
--
-- Owns what is in it: each run's fields, its figures, the result of its simulation, and where its
-- GPUs' time went. Taken from the parcel's store, so that it is scrubbed as that is. Called by
-- tandem.upload.parcel.
local attempt = require("tandem.text.shortage").attempt
local cjson = require "cjson"
local core = require "tandem.core"
local json = require "tandem.io.json"
local notes = require "tandem.store.notes"
local store = require "tandem.store"

local summary = {}

local FIELDS <const> = { "id", "name", "kind", "state", "note", "scenario_hash", "seed", "version",
  "spans_dropped", "tags" }

-- JSON that was stored, as it is: large integers stay exact. Nil where it is none.
local function valid(text)
  return text and attempt(cjson.decode, text) and text:match "^%s*(.-)%s*$" or nil
end

local function figures_of(run)
  local figures = {}
  for row in run:metrics() do
    figures[#figures + 1] = { scope = row.scope, subject = row.subject, ordinal = row.ordinal,
      name = row.name, unit = row.unit, value = row.value, text = row.text }
  end
  return figures
end

local function notes_of(run)
  local list = notes.packed(run.store.db, run.number)
  return list and #list > 0 and list or nil
end

-- Where the time of GPUs went, as `tandem breakdown RUN --json` says it; nil: nothing is known.
local function breakdown_of(run)
  if run.span_count == 0 then return nil end
  local ok, answer = attempt(run.breakdown, run)
  if not ok or not answer then return nil end
  local written, text = attempt(answer.to_json, answer)
  return written and valid(text) or nil
end

--- The JSON of all runs of a parcel.
---@param parcel tandem.Parcel
---@return string|nil text
---@return string|nil message
---@return integer|nil code
function summary.of(parcel)
  local made <close>, message, code = store.open(parcel.store_path, { readonly = true })
  if not made then return nil, message, code end
  local runs = {}
  for i, one in ipairs(parcel.runs) do
    local run
    run, message, code = made:run(one.id)
    if not run then return nil, message, code end
    local out = { digest = one.digest, spans = run.span_count, duration_s = run:duration_s(),
      created_utc_ns = run.created_utc_ns, figures = figures_of(run),
      notes = notes_of(run) }
    for _, name in ipairs(FIELDS) do out[name] = run[name] end
    runs[i] = json.encode(out, { lists = { tags = true, figures = true } }):sub(1, -2)
      .. (',"breakdown":%s,"summary":%s}'):format(breakdown_of(run) or "null",
        valid(run.summary_json) or "null")
  end
  return ('{"schema":"tandem.upload/1","generator":%s,"runs":[%s]}'):format(json.encode {
    name = "tandem", version = core.version() }, table.concat(runs, ","))
end

return summary
