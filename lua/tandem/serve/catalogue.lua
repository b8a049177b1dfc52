--- What scenarios are made of: the GPUs and their figures, models, and the language itself, out of
--- the tables that check scenarios.
local answer = require "tandem.serve.answer"

local catalogue = {}

-- The steps of a shipped pipeline as JSON's form.
local function presets(library)
  local list = {}
  for i, one in ipairs(library.presets()) do
    local json = require "tandem.scenario.json"
    local data = json.form({ pipeline = one.pipeline(require "tandem") }, true)
    list[i] = { name = one.name, models = one.models, how = one.how, pipeline = data.pipeline }
  end
  return list
end

local function models()
  local list = {}
  for i, one in ipairs(require "lib.models") do
    list[i] = { name = one.name, source = one.source,
      layers = one.config.num_hidden_layers, hidden = one.config.hidden_size,
      experts = one.config.num_local_experts or one.config.num_experts
        or one.config.n_routed_experts }
  end
  return list
end

-- GPUs with their figures in words, as the command line shows them.
local function gpus(library)
  local list, words = library.gpus(), require "tandem.report.gpus"
  for _, gpu in ipairs(list) do
    local figures, steps = words.figures(gpu), words.step_figures(gpu)
    gpu.figures, gpu.llm_runs = table.move(steps, 1, #steps, #figures + 1, figures),
      words.runs_cell(gpu)
  end
  return list, words.columns()
end

local function whole()
  local library, language = require "tandem.catalogue", require "tandem.language"
  local list, columns = gpus(library)
  return answer.encode { gpus = list, gpu_columns = columns, links = library.links(),
    nodes = library.nodes(), arrival_shapes = library.arrivals(), presets = presets(library),
    models = models(), types = language.types(), dimensions = language.dimensions() }
end

---@type tandem.serve.Route[]
catalogue.routes = {
  { method = "GET", path = "/v1/catalogue",
    summary = "GPUs, links, models, and the keys of scenarios",
    about = "types holds every constructor and record with its keys: what each wants, its unit, "
      .. "default and help, from the tables that check scenarios.",
    answers = { [200] = "{gpus, gpu_columns, links, nodes, models, arrival_shapes, presets, types, "
      .. "dimensions}" },
    handle = function()
      catalogue.text = catalogue.text or whole()
      return answer.json(200, catalogue.text)
    end },
}

return catalogue
