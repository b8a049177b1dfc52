--- The topics of `tandem help`: one file each, in the order a newcomer reads them.
--
-- Owns the index; a topic owns its text, taken where possible from what the code itself uses (the
-- constructors' tables, the commands' option tables, the exit codes), so that nothing is told
-- twice. Used by cli/help.lua and the shell.
local help = {}

---@class tandem.Topic
---@field title string
---@field text fun(place: tandem.Style): string  the whole topic, wrapped to the place's width

---@type string[]
help.topics = {
  "scenario", "arrivals", "recordings", "distributions", "stages", "llm", "llm-replicas",
  "llm-scheduling", "llm-steps", "llm-results", "llm-fit", "resources", "policies", "costs",
  "hooks", "expect", "set", "units", "plots", "json", "trace", "formats", "rules", "map",
  "lanes", "replay", "score", "fitting", "capture", "serve", "sending", "notebooks",
  "exit-codes",
}

--- Other words for the same.
---@type table<string, string>
local ALIASES = {
  workload = "arrivals", gpus = "resources", gpu = "resources", fleet = "resources",
  routing = "policies", routers = "policies", router = "policies", disciplines = "policies",
  cost = "costs", on = "hooks", tracing = "trace", ["with"] = "set", steps = "stages",
  pipeline = "stages", dist = "distributions", slo = "scenario", codes = "exit-codes",
  readers = "formats", writers = "formats", format = "formats", store = "trace",
  packs = "rules", maps = "map", visits = "map", requests = "map", clocks = "lanes",
  align = "lanes", load = "replay", gates = "score", serving = "llm", models = "llm",
  engine = "llm-scheduling", scheduler = "llm-scheduling", lora = "llm-scheduling",
  speculation = "llm-scheduling", autoscale = "llm-replicas", autoscaling = "llm-replicas",
  handover = "llm-replicas", replicas = "llm-replicas", power = "llm-steps",
  roofline = "llm-steps", ttft = "llm-results", tpot = "llm-results",
  traces = "recordings", sessions = "recordings", conversations = "recordings",
  uploads = "sending", send = "sending", tokens = "sending",
  calibration = "llm-fit", calibrate = "llm-fit", benchmarks = "llm-fit", llm_fit = "llm-fit",
  plot = "plots", charts = "plots", chart = "plots", svg = "plots", png = "plots",
  preload = "capture", cupti = "capture", profile = "capture",
  http = "serve", server = "serve", jobs = "serve", token = "serve", openapi = "serve",
  jupyter = "notebooks", kernel = "notebooks", notebook = "notebooks", display = "notebooks",
}

--- The topic of that name or meaning, or nil.
---@param name string
---@return tandem.Topic|nil
function help.topic(name)
  name = ALIASES[name] or name:find "^td%.plot%f[%W]" and "plots" or name
  for _, known in ipairs(help.topics) do
    if known == name then
      return require("tandem.help." .. name:gsub("-", "_"))
    end
  end
end

return help
