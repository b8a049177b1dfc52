--- GPUs of the catalogue in words: the columns of a table of them, and one with every number and
-- where it comes from. What a number is called stands with the fields of a GPU
-- (tandem.language.resources). Called by `tandem list gpus [NAME]` and by the pages of the server.
local attempt = require("tandem.text.shortage").attempt
local column_table = require "tandem.text.columns"
local format = require "tandem.text.format"
local styles = require "tandem.plot.style"

local gpus = {}

---@class tandem.GpuFigure
---@field key string             its name in an entry of the catalogue
---@field title string
---@field text string            the number with its unit
---@field source? tandem.Source  nil: it follows from others
---@field note? string

---@class tandem.GpuColumn
---@field key string   its name in an entry of the catalogue
---@field title string
---@field kind tandem.QuantityKind

local function fields()
  return require("tandem.language.resources").gpu_figures
end

local function price_text(range)
  if range.low == range.high then return ("$%.2f"):format(range.low) end
  return ("$%.2f–%.2f"):format(range.low, range.high)
end

local function value_text(value, dimension)
  if type(value) == "table" then
    return value.low and price_text(value) or format.percent(value.value)
  end
  local kind = format.kinds[dimension]
  return (kind or value == nil) and format.quantity(value, kind) or ("%d"):format(value)
end

-- What a number hangs on.
local function hangs_on(gpu, name)
  if name == "h2d" or name == "d2h" then return gpu.link and "over " .. gpu.link end
  if name == "peer_bandwidth" then
    return gpu.peer_link and "over " .. gpu.peer_link
      or gpu.peer_measured_on and "two GPUs, measured on " .. gpu.peer_measured_on
  end
  return name == "mfu" and "measured on " .. gpu.mfu.measured_on or nil
end

--- What columns of a table of GPUs are called, by the name of their field.
---@return table<string, tandem.GpuColumn>
function gpus.columns()
  local out = {}
  for _, field in ipairs(fields()) do
    if field.head then
      out[field[1]] = { key = field.entry or field[1], title = field.head,
        kind = format.kinds[field[2]] }
    end
  end
  return out
end

--- A number of a GPU as it stands in such a table.
---@param gpu tandem.Gpu
---@param name string  of a field
---@return string
function gpus.cell(gpu, name)
  for _, field in ipairs(fields()) do
    if field[1] == name then return value_text(gpu[field.entry or name], field[2]) end
  end
  error("no such field of a GPU: " .. name)
end

-- Peak rates, by the names of their types; whole numbers are no floating-point operations.
local function rates(gpu, out)
  local sources = gpu.sources or {}
  for _, kind in ipairs(require("tandem.text.nearest").sorted_keys(gpu.flops_by_type)) do
    local text = format.quantity(gpu.flops_by_type[kind], "flops")
    out[#out + 1] = { key = "flops_" .. kind, title = kind:gsub("_", " ") .. ", dense",
      text = kind:find "^int" and text:gsub("FLOP", "OP") or text,
      source = sources["flops_" .. kind] or sources.flops }
  end
end

--- Every number of a GPU, in the order in which they are shown.
---@param gpu tandem.Gpu
---@return tandem.GpuFigure[]
function gpus.figures(gpu)
  local out, sources = {}, gpu.sources or {}
  for _, field in ipairs(fields()) do
    local key = field.entry or field[1]
    local value = gpu[key]
    if key == "flops" then
      rates(gpu, out)
    elseif field.title and value then
      out[#out + 1] = { key = key, title = field.title, text = value_text(value, field[2]),
        source = type(value) == "table" and value.source or sources[field.source or key],
        note = hangs_on(gpu, key) }
    end
  end
  return out
end

local function source_words(source)
  if not source then return "derived" end
  return ("%s, %s%s"):format(source.title, source.date, source.checked and "" or " (unchecked)")
end

-- Steps of LLM servers: what their constants rest on and how far off they may be, a server a line.
local SERVERS <const> = { "vllm", "sglang", "tensorrt_llm" }
local USUAL <const> = "Llama-3.1-8B"

-- Of a usual model where nobody says what else; nil where the GPU cannot hold it, or lacks rates.
local function range_of(gpu, server)
  local td = require "tandem"
  local ok, one = attempt(function()
    return td.scenario "usual" { workload = td.poisson { rps = 1, requests = 1 },
      attrs = { prompt_tokens = 1, output_tokens = 1 }, target = td.gpu(gpu.name) {},
      pipeline = { td.generate "steps" { model = td.llm(USUAL), engine = { server = server } } } }
  end)
  local doubted = ok and require("tandem.doubt").of(one, {})[1]
  return doubted and require("tandem.report.doubt").percent_range(doubted.directions.step)
end

---@class tandem.GpuSteps   what steps of an LLM server on a GPU rest on
---@field server string
---@field measured "runs"|"relatives"|"none"
---@field points integer
---@field configurations integer
---@field kernels string|nil  version of the server whose kernels were measured

--- A server a row.
---@param gpu tandem.Gpu
---@return tandem.GpuSteps[]
function gpus.steps(gpu)
  local llm_rates, out = require "tandem.llm.rates", {}
  for i, server in ipairs(SERVERS) do
    local known = llm_rates.entry(gpu.name, server)
    out[i] = { server = server, measured = llm_rates.measured(known), points = known.points,
      configurations = known.configurations, kernels = known.kernels }
  end
  return out
end

--- How much was measured of LLM servers on a GPU, in a cell of a table.
---@param gpu tandem.Gpu
---@return string
function gpus.runs_cell(gpu)
  local points, near = 0, false
  for _, one in ipairs(gpus.steps(gpu)) do
    points, near = points + one.points, near or one.measured == "relatives"
  end
  return points > 0 and format.integer(points) or near and "relatives" or "none"
end

local function steps_words(gpu, one)
  local few = require("tandem.llm.rates").few(gpu.name)
  local words
  if one.measured == "runs" then
    words = ("%s of %s"):format(format.plural(one.points, "measured point"),
      format.plural(one.configurations, "configuration"))
    if few then words = words .. ", too few for other models" end
  elseif few then
    words = ("NOBODY MEASURED runs; of its architecture %s alone"):format(format.plural(few,
      "configuration"))
  else
    words = one.measured == "relatives"
      and "NOBODY MEASURED runs; as what was measured of its architecture"
      or "NOBODY MEASURED runs, nor anything of its architecture"
  end
  return one.kernels and ("%s; kernels of %s"):format(words, one.kernels) or words
end

--- What steps rest on, in words, as figures beside those of the datasheet.
---@param gpu tandem.Gpu
---@return tandem.GpuFigure[]
function gpus.step_figures(gpu)
  local names, out = require("tandem.llm.engines").names, {}
  for i, one in ipairs(gpus.steps(gpu)) do
    out[i] = { key = "llm_steps_" .. one.server, title = "LLM steps, " .. names[one.server],
      text = steps_words(gpu, one) }
  end
  return out
end

local function step_rows(gpu, rows)
  for i, one in ipairs(gpus.steps(gpu)) do
    local words, range = steps_words(gpu, one), range_of(gpu, one.server)
    if range then words = ("%s; 90 %% of %s's steps are within %s"):format(words, USUAL, range) end
    rows[#rows + 1] = { i == 1 and "LLM steps" or "", one.server, words }
  end
end

--- One GPU as text.
---@param gpu tandem.Gpu
---@param style tandem.Style
---@return string
function gpus.text(gpu, style)
  local rows = {}
  for i, figure in ipairs(gpus.figures(gpu)) do
    rows[i] = { figure.title, figure.text, source_words(figure.source) }
  end
  if not gpu.price_per_hour_usd then
    rows[#rows + 1] = { "price per hour", "–", "not known: no source that could be cited" }
  end
  step_rows(gpu, rows)
  local lines = {
    style:paint(gpu.name, "bold"),
    ("%s %s (%s), %d, %s%s"):format(gpu.vendor, gpu.architecture, gpu.chip, gpu.year,
      gpu.form_factor, gpu.link and ", on " .. gpu.link or ""), "",
  }
  local made = column_table.lines({ { title = "" }, { title = "", align = "right" },
    { title = "", wrap = true } }, rows, { style = style, indent = 2 })
  table.move(made, 1, #made, #lines + 1, lines)
  for _, note in ipairs(gpu.notes or {}) do
    lines[#lines + 1] = ""
    table.move(styles.wrap("Note: " .. note, style.width), 1, 20, #lines + 1, lines)
  end
  return table.concat(lines, "\n")
end

return gpus
