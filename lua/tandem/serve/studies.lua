--- Studies: plans, sweeps, what-ifs, maps, fits, scores and queries, each a command as a job.
--
-- Owns which noun is which command, and where a request's scenario, runs and map stand on its line.
-- Everything else a request may say are the options of the command, with their types and words, as
-- tools for agents have them (tandem.mcp.tools): there is no second list. How they become words of
-- a command line is tandem.mcp.words'.
local answer = require "tandem.serve.answer"
local jobs = require "tandem.serve.jobs"
local scenarios = require "tandem.serve.scenarios"

local studies = {}

---@class tandem.serve.Study
---@field noun string
---@field command string
---@field summary string
---@field scenario? string   the argument or option that the scenario is
---@field runs? table<string, string>  a request's key → the argument that the run is
---@field drawn? boolean     has a chart: --plot=-
---@field written? string    a file that the command writes beside its answer: its member "scenario"
---@field pages? boolean     form may be "html"
---@field example string
---@field answers string

---@type tandem.serve.Study[]
local STUDIES <const> = {
  { noun = "plans", command = "plan", scenario = "file", drawn = true,
    summary = "how many GPUs, how much load, what is best",
    example = [[{"scenario_id": "demo", "kinds": ["H100", "L40S"], "load": "400rps",
      "slo": {"p99": "250ms"}}]],
    answers = "tandem.plan/1, and its curve as SVG: plot, plot_slim" },
  { noun = "sweeps", command = "sweep", scenario = "file",
    summary = "every point of a design, simulated",
    example = [[{"scenario_id": "demo", "over": {"rps": "20:60:3", "gpus": [1, 2]},
      "plot": "rps,p99,gpus"}]],
    answers = "tandem.sweep/1; with plot (x,y or x,y,series) its chart as SVG: plot, plot_slim" },
  { noun = "whatifs", command = "whatif", scenario = "file", drawn = true,
    summary = "variants beside a scenario, or what matters most",
    example = [[{"scenario_id": "demo", "variant": ["two GPUs: gpus=2"]}]],
    answers = "tandem.whatif/1 or tandem.tornado/1, and its chart as SVG: plot, plot_slim" },
  { noun = "maps", command = "map", runs = { run = "input" }, pages = true,
    summary = "which spans of a run are requests and stages",
    example = [[{"run": "last", "propose": 2}]],
    answers = "tandem.analysis/1: what the map covers, or proposals, each with its text" },
  { noun = "fits", command = "fit", scenario = "scenario", runs = { real = "real" },
    pages = true, written = "fitted.lua", summary = "a scenario fitted to a run",
    example = [[{"real": "last", "split": "half"}]],
    answers = "tandem.fit/1, and scenario: the fitted one as a Lua text" },
  { noun = "scores", command = "score", scenario = "simulated", pages = true,
    runs = { real = "real", sim = "simulated" },
    summary = "how far a simulation is off a measured run",
    example = [[{"real": "last", "sim": "last"}]], answers = "tandem.analysis/1" },
  { noun = "sql", command = "sql", summary = "a query over the store, which it cannot change",
    example = [[{"query": "SELECT name, count(*) AS n FROM span GROUP BY name"}]],
    answers = "tandem.sql/1: columns, rows" },
}

local FORMS <const> = { "json", "html" }
local MAP <const> = "map.lua"

-- ---- what a request may say

local TYPES <const> = { integer = "integer", boolean = "boolean", object = "table" }

-- The properties of a study's body, as JSON schema.
local function properties_of(study)
  local tool = require("tandem.mcp.tools").named(study.command)
  local list = {}
  for name, schema in pairs(tool.described.inputSchema.properties) do list[name] = schema end
  for _, name in ipairs { "texts", "page_rows", "page_offset", study.scenario } do
    list[name] = nil
  end
  for key, argument in pairs(study.runs or {}) do
    list[key], list[argument] = nil, nil
    list[key] = { type = "string", description = "A run: its id, its name, or last." }
  end
  if list.map then list.map = { type = "string", description = "The Lua text of a map." } end
  if study.scenario then
    for key, kind in pairs(scenarios.KEYS) do
      list[key] = { type = kind == "table" and "object" or "string" }
    end
    list.files = { type = "object", description = "Files that a scenario names: {name: text}." }
  end
  if study.command == "sweep" then
    list.plot = { type = "string", description = "A chart: x,y or x,y,series." }
  end
  if study.pages then list.form = { type = "string", enum = FORMS, default = "json" } end
  return list
end

local function keys_of(properties)
  local keys = {}
  for name, schema in pairs(properties) do keys[name] = TYPES[schema.type] or "any" end
  return keys
end

-- ---- the command line

-- The runs of a request as arguments of the command.
local function name_runs(study, object, given, context)
  for key, argument in pairs(study.runs or {}) do
    local id = object[key]
    given[key] = nil
    if id ~= nil and type(id) ~= "string" then
      answer.raise(400, "bad_request", ("%s must be of type string."):format(key), key)
    end
    if id and argument == study.scenario
      and require("tandem.scenario.locate").is_shipped(id) then
      given[argument] = id
    elseif id then
      given[argument] = answer.check(context.store:run(id)).id
    elseif argument ~= study.scenario or not scenarios.given(object) then
      answer.raise(400, "bad_request", ("%s is missing: the id of a run."):format(key), key)
    end
  end
end

-- What a request is about: the runs that it names, else its scenario.
local function about_of(study, object, context)
  local names = {}
  for _, key in ipairs { "run", "real", "sim" } do
    local named = (study.runs or {})[key] and object[key]
    local run = type(named) == "string" and context.store:run(named)
    if run then names[#names + 1] = run.name end
  end
  return names[1] and table.concat(names, ", ") or scenarios.about(object, context)
end

-- The request as a call of the command's tool, with the texts that go with it.
local function call_of(study, object, context)
  local given, texts = {}, scenarios.files(object) or {}
  for name, value in pairs(object) do given[name] = value end
  for key in pairs(study.scenario and scenarios.KEYS or {}) do given[key] = nil end
  given.form, given.plot, given.files = nil, nil, nil
  name_runs(study, object, given, context)
  if study.scenario == "file" or scenarios.given(object) then
    if study.scenario and given[study.scenario] then
      answer.raise(400, "bad_request", "A run or a scenario is simulated, not both.", "sim")
    end
    local form, text = scenarios.of(object, context)
    texts["scenario." .. form], given[study.scenario] = text, "scenario." .. form
  end
  if given.map then texts[MAP], given.map = given.map, MAP end
  given.texts = next(texts) and texts or nil
  return given
end

-- The path that a refusal begins with, where it is one of the request's.
local function refused_path(text, object)
  local word = text:match "^[%w_]+"
  return object[word] ~= nil and word or nil
end

-- Calls a function of tandem.mcp.words; what it refuses is the answer.
local function asked(object, call, ...)
  local ok, made = pcall(call, ...)
  if ok then return made end
  if type(made) ~= "table" or not made.refused then error(made, 0) end
  answer.raise(400, "bad_request", made.refused:gsub("[^.?!]$", "%0."),
    refused_path(made.refused, object))
end

local function form_of(object)
  local form = object.form or "json"
  if form ~= "json" and form ~= "html" then
    answer.raise(400, "bad_request", "form is json or html.", "form")
  end
  return form
end

local function handler(study, keys)
  return function(request, context)
    if request.job then return jobs.answer(request, context, {}) end
    local words, tool = require "tandem.mcp.words", require("tandem.mcp.tools").named(study.command)
    local object = answer.object(request, keys())
    local form, call = form_of(object), call_of(study, object, context)
    asked(object, words.check, tool, call)
    return jobs.answer(request, context, { kind = form == "html" and "page" or study.command,
      about = about_of(study, object, context),
      arguments = function(job)
        local line = asked(object, words.of, tool, call, job, context)
        if form == "html" then
          for i, word in ipairs(line) do line[i] = word == "--json" and "--html" or word end
          return line
        end
        local plot = study.drawn and "-" or object.plot
        if plot then table.insert(line, 2, "--plot=" .. plot) end
        if study.written then
          table.insert(line, 2, ("--out=%s/%s"):format(job.directory, study.written))
        end
        return line
      end })
  end
end

-- What the command printed, its chart and its file beside it.
local function ended(study)
  return function(job)
    local told, text = jobs.answer_of(job), jobs.read(job, "out")
    for _, key in ipairs { "plot", "plot_slim" } do
      if told and told[key] then text = answer.with(text, key, answer.encode(told[key])) end
    end
    local written = study.written and jobs.read(job, study.written) or ""
    if written ~= "" then text = answer.with(text, "scenario", answer.encode(written)) end
    return answer.json(200, text)
  end
end

-- ---- the routes

local function route_of(study)
  local properties
  local function all()
    properties = properties or properties_of(study)
    return properties
  end
  jobs.kinds[study.command] = ended(study)
  return { method = "POST", path = "/v1/" .. study.noun, tag = study.noun, summary = study.summary,
    about = ("Options as of tandem %s, with _ for -: those that may be repeated are lists, "
      .. "KEY=VALUE is an object. It is a job: what takes longer than a few seconds is answered "
      .. "with 202."):format(study.command),
    body = { ["application/json"] = study.scenario == "file"
      and "{scenario_id | scenario | script | run_id, …}" or "{…}" },
    properties = all, example = study.example,
    answers = { [200] = study.answers, [202] = "a job",
      [400] = "an option that is not understood", [404] = "there is no such run or scenario",
      [422] = "the command could not answer" },
    handle = handler(study, function() return keys_of(all()) end) }
end

---@type tandem.serve.Route[]
studies.routes = {}
for i, study in ipairs(STUDIES) do studies.routes[i] = route_of(study) end

return studies
