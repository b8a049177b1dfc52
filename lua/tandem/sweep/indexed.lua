--- A sweep as an Indexed Job of Kubernetes: one pod a part, results on a volume that all see.
--
-- Owns the documents (the Job, and a ConfigMap with the scenario where it is a file) and what a pod
-- does. A part's store is made on the pod's own disk, since SQLite wants locks that network file
-- systems do not all have, and is put on the volume whole. A pod that is tried again takes up what
-- is there. Nothing here talks to a cluster. Called by cli/sweep.lua.
local label = require "tandem.text.label"
local shell = require "tandem.text.shell"
local units = require "tandem.units"
local yaml = require "tandem.io.yaml"

local indexed = {}

-- The most completions that Kubernetes takes of an Indexed Job with backoffLimitPerIndex.
local MOST_PARTS <const> = 100000
-- What a ConfigMap holds, with room for its own fields.
local MOST_BYTES <const> = 900000

local RESULTS <const>, SCRATCH <const>, SCENARIO <const> = "/results", "/scratch", "/scenario"

---@class tandem.indexed.Options
---@field command string[]  the sweep, one word an element, without --shard, --store and --threads
---@field file string|nil   of the scenario: its word in the command; nil: it is shipped
---@field text string|nil   what that file holds
---@field tasks integer
---@field name string       of the Job
---@field image string
---@field claim string      a PersistentVolumeClaim that many pods may write
---@field time string|nil   "90min", of the whole Job
---@field cpus integer|nil
---@field memory string|nil

local map = yaml.map

-- What a pod runs: its part, from where it was, and the store put in place whole, also when points
-- failed.
local function script_of(o)
  local words = {}
  for i, word in ipairs(o.command) do
    if o.file and word == o.file then word = SCENARIO .. "/" .. o.base end
    words[i] = shell.word(word)
  end
  return table.concat({
    "part=" .. SCRATCH .. "/part.db",
    "kept=" .. RESULTS .. "/" .. o.name .. "-$JOB_COMPLETION_INDEX.db",
    'if [ -f "$kept" ]; then cp "$kept" "$part"; fi',
    table.concat(words, " ") .. (' --shard "$JOB_COMPLETION_INDEX/%d" --store "$part" --threads %d')
      :format(o.tasks, o.cpus),
    "code=$?",
    'if [ -f "$part" ]; then cp "$part" "$kept.new" && mv "$kept.new" "$kept" || code=4; fi',
    "exit $code",
  }, "\n") .. "\n"
end

local function check(options)
  local out = {}
  for key, value in pairs(options) do out[key] = value end
  if math.type(out.tasks) ~= "integer" or out.tasks < 1 or out.tasks > MOST_PARTS then
    return nil, ("tasks: %s is not a number of parts from 1 to %d"):format(tostring(out.tasks),
      MOST_PARTS)
  end
  out.cpus = out.cpus or 1
  out.name = label.of(out.name, "sweep")
  if out.image:find "[%s%c]" or out.image == "" then
    return nil, ("image: '%s' is not the name of an image"):format(out.image)
  end
  if label.of(out.claim, "results") ~= out.claim then
    return nil, ("claim: '%s' is not a name that Kubernetes takes; for example '%s'"):format(
      out.claim, label.of(out.claim, "results"))
  end
  if out.time then
    local seconds = units.as(out.time, "s")
    if not seconds or seconds < 1 or tonumber(out.time) then
      return nil, ("time: %s is not a time limit; write one such as \"90min\""):format(out.time)
    end
    out.seconds = math.ceil(seconds)
  end
  if out.memory then
    local bytes = not tonumber(out.memory) and units.as(out.memory, "B")
    if not bytes or bytes < 1 or bytes > 2 ^ 60 then
      return nil, ("memory: %s is not a size; write one such as \"4GiB\""):format(out.memory)
    end
    out.bytes = math.ceil(bytes / 2 ^ 20) .. "Mi"
  end
  if out.text and #out.text > MOST_BYTES then
    return nil, ("kubernetes: the scenario has %d bytes, and a ConfigMap takes %d"):format(
      #out.text, MOST_BYTES)
  elseif out.text and not utf8.len(out.text) then
    return nil, "kubernetes: the scenario is not UTF-8, which a ConfigMap wants"
  end
  if out.file then
    out.base = out.file:match "[^/]+$":gsub("[^%w._-]", "-")
  end
  return out
end

local function volumes_of(o)
  local mounts = { map { { "name", "scratch" }, { "mountPath", SCRATCH } },
    map { { "name", "results" }, { "mountPath", RESULTS } } }
  local volumes = { map { { "name", "scratch" }, { "emptyDir", map {} } },
    map { { "name", "results" },
      { "persistentVolumeClaim", map { { "claimName", o.claim } } } } }
  if o.text then
    mounts[3] = map { { "name", "scenario" }, { "mountPath", SCENARIO }, { "readOnly", true } }
    volumes[3] = map { { "name", "scenario" },
      { "configMap", map { { "name", o.name .. "-scenario" } } } }
  end
  return mounts, volumes
end

local function job_of(o)
  local mounts, volumes = volumes_of(o)
  local wants = map { { "cpu", tostring(o.cpus) }, { "memory", o.bytes } }
  return map {
    { "apiVersion", "batch/v1" },
    { "kind", "Job" },
    { "metadata", map { { "name", o.name } } },
    { "spec", map {
      { "completionMode", "Indexed" },
      { "completions", o.tasks },
      { "parallelism", o.tasks },
      { "backoffLimitPerIndex", 3 },
      { "activeDeadlineSeconds", o.seconds },
      { "template", map { { "spec", map {
        { "restartPolicy", "Never" },
        { "containers", { map {
          { "name", "sweep" },
          { "image", o.image },
          { "command", { "sh", "-c", script_of(o) } },
          { "resources", map { { "requests", wants } } },
          { "volumeMounts", mounts } } } },
        { "volumes", volumes } } } } },
    } },
  }
end

--- The documents of a sweep in parts.
---@param options tandem.indexed.Options
---@return string|nil text
---@return string|nil message  what is wrong with the options, in one line
function indexed.documents(options)
  local o, problem = check(options)
  if not o then return nil, problem end
  local head = table.concat({
    ("# A sweep in %d part%s, written by tandem. Run it:"):format(o.tasks,
      o.tasks == 1 and "" or "s"),
    "#   kubectl apply -f THIS_FILE",
    ("# It wants an image with tandem in it, and the claim %s, which pods on all nodes may write.")
      :format(o.claim),
    o.text and "# Files that the scenario reads are not in it: put them into the image."
      or "# The scenario is shipped with tandem.",
    "# When all are done, where that volume is:",
    ("#   tandem merge --into %s.db %s/%s-*.db"):format(o.name, RESULTS, o.name),
  }, "\n") .. "\n"
  local config = o.text and yaml.encode(map {
    { "apiVersion", "v1" }, { "kind", "ConfigMap" },
    { "metadata", map { { "name", o.name .. "-scenario" } } },
    { "data", map { { o.base, o.text } } } }) .. "---\n" or ""
  return head .. config .. yaml.encode(job_of(o))
end

return indexed
