--- Scenarios that were posted: kept in the store by what they say, so that the same text twice is
-- one scenario.
--
-- Owns the table posted_scenario of a served store, and which file a scenario of a request becomes.
-- Texts are never run here: a job checks them, in the sandbox, with its budgets.
local answer = require "tandem.serve.answer"
local jobs = require "tandem.serve.jobs"

local scenarios = {}

local TABLE <const> = "CREATE TABLE IF NOT EXISTS posted_scenario(id TEXT PRIMARY KEY, "
  .. "name TEXT NOT NULL, form TEXT NOT NULL CHECK(form IN ('json','lua')), text TEXT NOT NULL, "
  .. "created_utc_ns INTEGER NOT NULL) STRICT"

--- Makes the table where it is not yet.
---@param store tandem.Store
---@return integer|nil
---@return string|nil message
function scenarios.prepare(store) return store.db:run(TABLE) end

---@class tandem.serve.Posted
---@field id string
---@field name string
---@field form "json"|"lua"
---@field text string
---@field created_utc_ns integer

--- A posted scenario, or a shipped one by its name; nil when there is neither.
---@param store tandem.Store
---@param id string
---@return tandem.serve.Posted|nil
local function find(store, id)
  local row = answer.check(store.db:all("SELECT * FROM posted_scenario WHERE id = ?", id))[1]
  if row then return row end
  for _, one in ipairs(require("tandem.scenario.locate").shipped()) do
    if one.name == id or one.short == id then
      return { id = one.short, name = one.name, form = one.path:match "%.(%l+)$",
        text = require("tandem.embedded").read(one.path), created_utc_ns = 0 }
    end
  end
end

--- What a request may name a scenario by, for its table of known keys.
scenarios.KEYS = { scenario_id = "string", scenario = "table", script = "string",
  run_id = "string" }

-- The scenario that a run of the store simulated.
local function of_run(id, context)
  local run = answer.check(context.store:run(id))
  if not run.scenario then
    answer.raise(422, "no_scenario", ("Run %s keeps no scenario."):format(run.id), "run_id")
  end
  return "json", run.scenario
end

-- How many ways a request's object names a scenario.
local function ways(object)
  local given = 0
  for key in pairs(scenarios.KEYS) do
    if object[key] ~= nil then given = given + 1 end
  end
  return given
end

--- Whether a request's object names a scenario.
---@param object table
---@return boolean
function scenarios.given(object) return ways(object) > 0 end

--- The scenario that a request's object means: its scenario_id, scenario, script (Lua), or that of
--- a run.
---@param object table
---@param context tandem.serve.Context
---@return "json"|"lua" form
---@return string text
function scenarios.of(object, context)
  if ways(object) ~= 1 then
    answer.raise(400, "bad_request", "One of scenario_id, scenario, script and run_id is wanted.",
      "scenario")
  elseif object.run_id then
    return of_run(object.run_id, context)
  elseif object.scenario then
    return "json", require("tandem.io.json").encode(object.scenario)
  elseif object.script then
    return "lua", object.script
  end
  local found = find(context.store, object.scenario_id)
  if not found then
    answer.raise(404, "not_found", ("There is no scenario '%s'."):format(object.scenario_id),
      "scenario_id")
  end
  return found.form, found.text
end

--- What the scenario of a request's object is called; nil where that would have to be found out.
---@param object table
---@param context tandem.serve.Context
---@return string|nil
function scenarios.about(object, context)
  if object.run_id then
    local run = context.store:run(object.run_id)
    return run and run.name
  elseif object.scenario_id then
    local found = find(context.store, object.scenario_id)
    if not found then return nil end
    return found.created_utc_ns == 0 and found.id or found.name -- shipped: as it is asked for
  elseif type(object.scenario) == "table" then
    local name = object.scenario.name
    return type(name) == "string" and name or nil
  end
  local script = type(object.script) == "string" and object.script or ""
  return script:match 'scenario%s*%(?%s*"([^"\n]+)"'
end

--- Files that go with a scenario, from a request's object: tables and recordings that it names.
---@param object table
---@return table<string, string>|nil
function scenarios.files(object)
  for name, text in pairs(object.files or {}) do
    if type(name) ~= "string" or not name:find "^%w[%w_.-]*%.%w+$" or name:find "^scenario%."
      or type(text) ~= "string" then
      answer.raise(400, "bad_request", ("files: '%s' is no name of a file with its text; "
        .. "{\"day.csv\": \"hour,rps\\n…\"} is wanted."):format(tostring(name)), "files")
    end
  end
  return object.files
end

--- The scenario as a file of a job, and beside it those that go with it.
---@param job tandem.serve.Job
---@param form "json"|"lua"
---@param text string
---@param files table<string, string>|nil
---@return string path
function scenarios.write(job, form, text, files)
  for name, content in pairs(files or {}) do jobs.write(job, name, content) end
  return jobs.write(job, "scenario." .. form, text)
end

local function location(id) return { Location = "/v1/scenarios/" .. id } end

-- The name of a scenario in JSON is in its text; that of a Lua text is not told without running it.
local function name_of(form, text)
  local value = form == "json" and require("tandem.io.json").decode(text)
  return value and type(value.name) == "string" and value.name
    or text:match 'td%.scenario%s*%(?%s*"([^"]+)"' or ""
end

jobs.kinds.scenario = function(job, detail, context)
  local text = jobs.read(job, "scenario." .. detail.form)
  local name = name_of(detail.form, text)
  answer.check(context.store.db:run("INSERT INTO posted_scenario VALUES(?, ?, ?, ?, ?) "
    .. "ON CONFLICT(id) DO NOTHING", detail.id, name, detail.form, text,
    require("tandem.io.date").now_ns()))
  return answer.json(201, { scenario_id = detail.id, name = name },
    location(detail.id))
end

local function post(request, context)
  local form, text
  if not request.job then
    text = answer.body(request)
    local kind = (request.headers["content-type"] or "application/json"):lower()
    form = (kind:find "lua" or kind:find "^text/plain") and "lua" or "json"
    if form == "json" then answer.object(request) end
  end
  return jobs.answer(request, context, { kind = "scenario",
    detail = text and { form = form,
      id = require("tandem.scenario.canonical").hash(form .. "\n" .. text) },
    arguments = function(job) return { "check", scenarios.write(job, form, text) } end })
end

-- `title = "…"` of a shipped text: these are ours, and known to be written so.
local function told(text, key)
  return text:match("%f[%w]" .. key .. '%s*=%s*"([^"]*)"') or text:match('"' .. key
    .. '"%s*:%s*"([^"]*)"')
end

local function examples()
  local list = {}
  for i, one in ipairs(require("tandem.scenario.locate").shipped()) do
    local text = require("tandem.embedded").read(one.path)
    list[i] = { id = one.short, name = one.name, form = one.path:match "%.(%l+)$",
      title = told(text, "title"), question = told(text, "question"), text = text }
  end
  return list
end

---@type tandem.serve.Route[]
scenarios.routes = {
  { method = "POST", path = "/v1/scenarios", summary = "keep a scenario",
    about = "A scenario in JSON (its own form or the small one) or a Lua text, which is only ever "
      .. "run in the sandbox. The same text twice is the same scenario.",
    body = { ["application/json"] = "a scenario", ["text/x-lua"] = "a scenario's Lua text" },
    example = [[{"name": "small", "workload": {"rps": 20, "duration_s": 2},
      "target": {"tflops": 10, "h2d_gbps": 16, "d2h_gbps": 16, "ms_per_token": 0.1},
      "pipeline": [{"name": "pre", "kind": "fixed_ms", "value": 2},
        {"name": "h2d", "kind": "bytes", "value": 1000000},
        {"name": "decode", "kind": "tokens", "value": 50}]}]],
    answers = { [201] = "{scenario_id, name}", [202] = "a job that checks it", [400] = "not JSON",
      [422] = "not a scenario: error.problems lists what is wrong, each with its path" },
    handle = post },
  { method = "GET", path = "/v1/scenarios", summary = "the scenarios that were posted",
    answers = { [200] = "{scenarios: [{scenario_id, name, form, created_utc_ns}], shipped}" },
    handle = function(_, context)
      local rows = answer.check(context.store.db:all("SELECT id AS scenario_id, name, form, "
        .. "created_utc_ns FROM posted_scenario ORDER BY created_utc_ns DESC, id"))
      local shipped = {}
      local found = require("tandem.scenario.locate").shipped()
      for i, one in ipairs(found) do shipped[i] = one.short end
      return answer.json(200, { scenarios = rows, shipped = shipped })
    end },
  { method = "GET", path = "/v1/examples", summary = "the shipped scenarios, to begin with",
    answers = { [200] = "{examples: [{id, name, form: lua | json, title, question, text}]}" },
    handle = function()
      scenarios.examples_text = scenarios.examples_text or answer.encode { examples = examples() }
      return answer.json(200, scenarios.examples_text)
    end },
  { method = "GET", path = "/v1/scenarios/{id}", summary = "one scenario, as it was posted",
    answers = { [200] = "its JSON, or its Lua text as text/x-lua",
      [404] = "there is no such scenario" },
    handle = function(request, context)
      local found = find(context.store, request.params.id)
      if not found then
        return answer.problem(404, "not_found", ("There is no scenario '%s'."):format(
          request.params.id), "id")
      elseif found.form == "lua" then
        return answer.text(200, "text/x-lua; charset=utf-8", found.text)
      end
      return answer.json(200, found.text)
    end },
}

return scenarios
