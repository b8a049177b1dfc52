--- `tandem list`: what there is to use, by kind.
local codes = require "tandem.cli.codes"
local forms = require "tandem.cli.forms"
local column_table = require "tandem.text.columns"
local format = require "tandem.text.format"

---@type tandem.Command
local list = {
  summary = "list scenarios, GPUs, links, stages, distributions, arrivals, policies",
  about = "Lists what there is to use. Without an argument, says what can be listed.",
  arguments = {
    { name = "what", value = "WHAT", count = "?",
      help = "scenarios, gpus, nodes, links, models, stages, distributions, arrivals, "
        .. "resources, llm, servers or policies." },
    { name = "name", value = "NAME", count = "?",
      help = "One GPU, with the source and date of each of its numbers." },
  },
  options = { forms.json("Print the list as JSON (schema tandem.list/1).") },
  examples = { "tandem list", "tandem list gpus", "tandem list gpus H200",
    "tandem list gpus --json" },
}

---@class tandem.Listing
---@field columns tandem.Column[]
---@field rows tandem.Cell[][]
---@field data table[]  the same for JSON, in SI units

--- The question that a scenario written in JSON asks: in its own words where it has any.
local function json_question(text)
  local ok, raw = pcall(require("cjson").decode, text)
  raw = ok and type(raw) == "table" and raw or {}
  for _, key in ipairs { "question", "description", "title" } do
    if type(raw[key]) == "string" and raw[key] ~= "" then
      return raw[key]
    end
  end
  return ("The scenario%s, written in %s."):format(
    type(raw.name) == "string" and (" '%s'"):format(raw.name) or "",
    require("tandem.scenario.seed").matches(raw) and "the JSON seed format" or "JSON")
end

--- The first sentence of a scenario's opening comment: the question it asks.
local function lua_question(text)
  local words = {}
  for line in text:gmatch("[^\n]*") do
    local comment = line:match("^%-%-+%s*(.*)$")
    if not comment or (comment == "" and #words > 0) then
      break
    end
    words[#words + 1] = comment
  end
  local sentence = table.concat(words, " ")
  return sentence:match("^.-[.?!]%f[%s\0]") or sentence
end

local listings = {}

--- Shipped scenarios, by difficulty.
---@return tandem.Listing
function listings.scenarios()
  local embedded = require "tandem.embedded"
  local rows, data = {}, {}
  for index, one in ipairs(require("tandem.scenario.locate").shipped()) do
    local text = embedded.read(one.path) or ""
    local question = one.path:find("%.json$") and json_question(text) or lua_question(text)
    rows[index] = { { text = one.name, color = "bold" }, question }
    data[index] = { name = one.name, path = one.path, question = question }
  end
  return { columns = { { title = "scenario" }, { title = "question", wrap = true } },
    rows = rows, data = data }
end

--- The GPU catalogue.
---@return tandem.Listing
function listings.gpus()
  local rows, all, words = {}, require("tandem.catalogue").gpus(), require "tandem.report.gpus"
  local known = words.columns()
  for index, gpu in ipairs(all) do
    local function cell(name) return words.cell(gpu, name) end
    rows[index] = { { text = gpu.name, color = "bold" }, gpu.architecture, tostring(gpu.year),
      cell "memory", cell "bandwidth", cell "flops", gpu.link or "–", cell "tdp_w", cell "price",
      words.runs_cell(gpu) }
    gpu.llm_steps = words.steps(gpu)
  end
  local function column(name, optional)
    return { title = known[name].title, align = "right", optional = optional }
  end
  return {
    columns = { { title = "GPU" }, { title = "architecture", optional = 3 },
      { title = "year", optional = 4 }, column "memory", column "bandwidth", column "flops",
      { title = "host link", optional = 2 }, column("tdp_w", 1), column "price",
      { title = "LLM runs", align = "right" } },
    rows = rows, data = all,
  }
end

--- The links.
---@return tandem.Listing
function listings.links()
  local rows, links = {}, require("tandem.catalogue").links()
  for index, link in ipairs(links) do
    rows[index] = { { text = link.name, color = "bold" }, link.kind,
      format.quantity(link.bandwidth, "speed"), format.quantity(link.raw, "speed"),
      link.latency_s and format.time(link.latency_s) or "–" }
  end
  return {
    columns = { { title = "link" }, { title = "kind" }, { title = "usable", align = "right" },
      { title = "on the wire", align = "right" }, { title = "latency", align = "right" } },
    rows = rows, data = links,
  }
end

--- The machines.
---@return tandem.Listing
function listings.nodes()
  local rows, nodes = {}, require("tandem.catalogue").nodes()
  for index, node in ipairs(nodes) do
    rows[index] = { { text = node.name, color = "bold" }, ("%d × %s"):format(node.gpus, node.gpu),
      node.peer_link .. (node.switched and "" or ", no switch"),
      format.quantity(node.peer_bandwidth, "speed"),
      node.nics and ("%d × %s"):format(node.nics, node.nic) or "–",
      format.quantity(node.power_w, "power") }
  end
  return {
    columns = { { title = "machine" }, { title = "GPUs" }, { title = "joined by" },
      { title = "each way", align = "right" }, { title = "network" },
      { title = "power", align = "right", optional = 1 } },
    rows = rows, data = nodes,
  }
end

--- The language models that are known by name.
---@return tandem.Listing
function listings.models()
  local llm, core = require "tandem.llm.config", require "tandem.core"
  local rows, data, precision = {}, {}, require "tandem.llm.precision"
  local entries = table.move(require "lib.models", 1, #require "lib.models", 1, {})
  table.sort(entries, function(a, b) return a.name < b.name end)
  for index, entry in ipairs(entries) do
    local architecture, weights = llm.architecture(entry.config)
    precision.apply(architecture, weights, "bf16")
    local shard = assert(core.llm.shard(architecture, { tensor = 1 }))
    rows[index] = { { text = entry.name, color = "bold" },
      format.quantity(shard.params, "count"),
      shard.active_params < 0.9 * shard.params and format.quantity(shard.active_params, "count")
        or "all", tostring(architecture.layers), weights, format.bytes(shard.weights_bytes),
      format.bytes(shard.kv_bytes_token) }
    data[index] = { name = entry.name, aliases = entry.aliases or {}, source = entry.source,
      parameters = shard.params, active_parameters = shard.active_params,
      layers = architecture.layers, weights = weights, weights_bytes = shard.weights_bytes,
      kv_bytes_token = shard.kv_bytes_token }
  end
  return {
    columns = { { title = "model" }, { title = "parameters", align = "right" },
      { title = "a token meets", align = "right" },
      { title = "layers", align = "right", optional = 1 }, { title = "weights in" },
      { title = "weights", align = "right" }, { title = "KV a token", align = "right" } },
    rows = rows, data = data,
  }
end

--- The constructors of a group, from their own specifications.
local function constructors(group)
  require("tandem.language.glossary").apply()
  local node, nearest = require "tandem.language.node", require "tandem.text.nearest"
  local rows, data = {}, {}
  for _, name in ipairs(nearest.sorted_keys(node.types)) do
    local spec = node.types[name]
    if spec.group == group then
      local keys = nearest.sorted_keys(spec.keys)
      rows[#rows + 1] = { { text = "td." .. name, color = "bold" }, spec.doc }
      data[#data + 1] = { name = name, doc = spec.doc, keys = keys }
    end
  end
  return { columns = { { title = "constructor" }, { title = "what it is", wrap = true } },
    rows = rows, data = data }
end

---@return tandem.Listing
function listings.stages()
  return constructors "stage"
end

---@return tandem.Listing
function listings.distributions()
  return constructors "dist"
end

---@return tandem.Listing
function listings.arrivals()
  return constructors "arrivals"
end

---@return tandem.Listing
function listings.resources()
  return constructors "resource"
end

---@return tandem.Listing
function listings.llm()
  return constructors "llm"
end

--- Whom a default is for: a version, a GPU.
local function where(entry)
  local parts = {}
  local function add(...) parts[#parts + 1] = (...):format(select(2, ...)) end
  if entry.since then add("since %s", entry.since) end
  if entry.before then add("before %s", entry.before) end
  if entry.memory then add("GPUs of %d GiB or more", entry.memory) end
  if entry.gpus then add("%s", table.concat(entry.gpus, ", ")) end
  if entry.except then add("not %s", entry.except) end
  if entry.stages then add("pp = %d", entry.stages) end
  return #parts > 0 and table.concat(parts, "; ") or "otherwise"
end

--- What LLM servers take by default; of a key the first that fits.
---@return tandem.Listing
function listings.servers()
  local rates = require "tandem.llm.rates"
  local words = require "tandem.report.doubt"
  local rows, data = {}, {}
  local function add(server, key, value, scope, source)
    rows[#rows + 1] = { { text = server, color = "bold" }, key, value, scope, source }
  end
  for _, server in ipairs { "vllm", "sglang", "tensorrt_llm" } do
    local entry = rates.entry(nil, server)
    local request = entry.constants.request_s
    local range = "90 % within " .. words.percent_range(entry.request_spread)
    add(server, "request", format.time(request), range, "measured runs: see "
      .. "tandem help llm-accuracy")
    data[#data + 1] = { server = server, key = "request", value = request,
      deviation = entry.request_spread }
    for _, one in ipairs(require("lib.llm_engines")[server]) do
      add(server, one.key, type(one.value) == "number" and format.integer(one.value)
        or tostring(one.value), where(one), one.source)
      data[#data + 1] = { server = server, key = one.key, value = one.value, since = one.since,
        before = one.before, memory_gib = one.memory, gpus = one.gpus, except = one.except,
        stages = one.stages, source = one.source }
    end
  end
  return {
    columns = { { title = "server" }, { title = "takes" }, { title = "", align = "right" },
      { title = "where", wrap = true }, { title = "source", wrap = true, optional = 1 } },
    rows = rows, data = data,
  }
end

---@return tandem.Listing
function listings.policies()
  require "tandem"
  local policies = require "tandem.language.policies"
  local rows, data = {}, {}
  local function add(kind, entries)
    for _, entry in ipairs(entries) do
      rows[#rows + 1] = { kind, { text = entry[1], color = "bold" }, entry[2] }
      data[#data + 1] = { kind = kind, name = entry[1], doc = entry[2] }
    end
  end
  add("router", policies.routers)
  add("route", policies.replica_routers)
  add("discipline", policies.disciplines)
  return {
    columns = { { title = "kind" }, { title = "name" }, { title = "what it does", wrap = true } },
    rows = rows, data = data,
  }
end

local KINDS = {
  { "scenarios", "runnable questions, by difficulty", "tandem run NAME" },
  { "gpus", "the GPU catalogue", 'td.gpu "NAME"' },
  { "nodes", "machines of several GPUs", "how they are joined" },
  { "links", "host and network links", "figures for td.link" },
  { "models", "language models", 'td.llm "NAME"' },
  { "stages", "what a pipeline is made of", "tandem help stages" },
  { "distributions", "for any quantity", "tandem help distributions" },
  { "arrivals", "how requests arrive", "tandem help arrivals" },
  { "resources", "what serves requests", "tandem help resources" },
  { "llm", "parts of LLM servers", "tandem help llm" },
  { "servers", "what LLM servers take by default", "engine.server" },
  { "policies", "routers and queueing disciplines", "tandem help policies" },
}

--- The names of what can be listed.
---@return string[]
function list.kinds()
  local names = {}
  for index, kind in ipairs(KINDS) do
    names[index] = kind[1]
  end
  return names
end

--- One list by name.
---@param what string
---@return tandem.Listing|nil
local function of(what)
  return listings[what] and listings[what]()
end

--- One GPU by name, or the nearest there is.
local function show_gpu(args, console)
  local gpu, near = require("tandem.catalogue").gpu(args.name)
  if not gpu then
    return console:usage(("no GPU is called '%s'%s"):format(args.name,
      near and ("; did you mean '%s'?"):format(near) or "; see tandem list gpus"))
  elseif args.json then
    gpu.llm_steps = require("tandem.report.gpus").steps(gpu)
    console:print(require("tandem.io.json").encode({
      schema = "tandem.list/1", kind = "gpus", items = { gpu },
    }, { indent = 2, lists = { aliases = true, notes = true } }))
  else
    console:print(console.style:text(require("tandem.report.gpus").text(gpu, console.style)))
  end
  return codes.OK
end

---@param args table
---@param console tandem.Console
---@return integer code
function list.run(args, console)
  local what = args.what
  if not what and args.json then
    local items = {}
    for index, kind in ipairs(KINDS) do items[index] = { name = kind[1], doc = kind[2] } end
    console:print(require("tandem.io.json").encode({ schema = "tandem.list/1", kind = "lists",
      items = items }, { indent = 2 }))
    return codes.OK
  elseif not what then
    local rows = {}
    for index, kind in ipairs(KINDS) do
      rows[index] = { { text = "tandem list " .. kind[1], color = "bold" }, kind[2],
        { text = kind[3], color = "dim" } }
    end
    console:print(column_table.lines({ { title = "" }, { title = "" }, { title = "" } }, rows,
      { style = console.style }))
    return codes.OK
  end
  if args.name then
    if what ~= "gpus" then
      return console:usage(("only gpus are listed by name, not %s"):format(what))
    end
    return show_gpu(args, console)
  end
  local listing = of(what)
  if not listing then
    return console:usage(("cannot list '%s'; %s"):format(what,
      require("tandem.text.nearest").hint(what, list.kinds())))
  elseif args.json then
    console:print(require("tandem.io.json").encode({
      schema = "tandem.list/1", kind = what, items = listing.data,
    }, { indent = 2, lists = { items = true, keys = true, aliases = true,
        gpus = true } }))
  else
    console:print(column_table.lines(listing.columns, listing.rows, { style = console.style }))
  end
  return codes.OK
end

return list
