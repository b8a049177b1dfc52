--- `tandem new`: a first scenario of one's own, to be changed.
--
-- Owns the command line and the names that are put in; the texts are lib/new/*.lua, a shipped
-- scenario, or what deploy/manifest.lua makes of what is deployed. Overwrites nothing.
local codes = require "tandem.cli.codes"

local KINDS <const> = { "pipeline", "llm" }

---@type tandem.Command
local command = {
  summary = "start a scenario of your own, with comments",
  about = "Writes NAME.lua: a scenario that runs as it is and says what each line is for. With "
    .. "--from, a copy of a shipped scenario under the new name. With --deploy, the LLM servers "
    .. "that a manifest deploys: what `tandem plan --emit` writes, Deployments of Kubernetes with "
    .. "what scales them, Dynamo's graphs, values of llm-d's modelservice and of vLLM's "
    .. "production-stack, launch scripts. Who comes is in none of them: the load is an example.",
  arguments = { { name = "name", value = "NAME", help = "What to call it: letters, digits, dashes "
    .. "and underscores; a path says where." } },
  options = {
    { "--kind", value = "KIND", choices = KINDS, help = "pipeline (the default): CPU, copies, a "
      .. "GPU. llm: an LLM server with continuous batching." },
    { "--from", value = "SCENARIO", help = "A shipped scenario to start from; tandem list "
      .. "scenarios names them." },
    { "--deploy", value = "FILE", reads = "file", help = "What is deployed: a manifest (YAML or "
      .. "JSON), values of a chart, or a script." },
    { "--gpu", value = "NAME", help = "With --deploy: what its nodes have, where the manifest does "
      .. "not say (tandem list gpus)." },
    { "--model", value = "NAME", help = "With --deploy: the model, where its name is not known "
      .. "(tandem list models)." },
  },
  examples = { "tandem new chat --kind llm", "tandem new resize && tandem run resize.lua",
    "tandem new night --from a-day",
    "tandem new ours --deploy k8s.yaml --gpu \"H100 SXM\" && tandem explain ours.lua" },
}

local QUESTIONS <const> = {
  pipeline = "Does one GPU answer 20 requests a second within 100 ms?",
  llm = "How does one H100 serve an 8B language model at 4 requests a second?",
}

local function exists(path)
  local file = io.open(path, "rb")
  if file then file:close() end
  return file ~= nil
end

-- A plain text as a replacement of gsub.
local function literal(text) return (text:gsub("%%", "%%%%")) end

-- The template's text with the names in it.
local function from_template(kind, name, path)
  local text = require("tandem.embedded").read(("lib/new/%s.lua"):format(kind))
  return (text:gsub("QUESTION", literal(QUESTIONS[kind])):gsub('td%.scenario "NAME"',
    literal(('td.scenario "%s"'):format(name))):gsub("FILE", literal(path)))
end

-- A shipped scenario's text under another name; nil and what is wrong.
local function from_shipped(wanted, name)
  local locate = require "tandem.scenario.locate"
  local names = {}
  for _, one in ipairs(locate.shipped()) do
    if wanted == one.name or wanted == one.short or wanted == one.path then
      local text = require("tandem.embedded").read(one.path)
      local renamed, count = text:gsub('td%.scenario "[^"]*"',
        literal(('td.scenario "%s"'):format(name)), 1)
      if count == 1 then return renamed end
      return nil, ("%s is not written in Lua; --from wants one that is"):format(one.path)
    end
    names[#names + 1] = one.short
  end
  return nil, ("there is no shipped scenario '%s'; %s"):format(wanted,
    require("tandem.text.nearest").hint(wanted, names))
end

-- The text of what a manifest deploys; nil, what is wrong and a code.
local function from_manifest(args, name, console)
  local manifest = require "tandem.deploy.manifest"
  local deployed, wrong, code = manifest.read(args.deploy)
  if not deployed then return nil, wrong, code end
  local scenario, why = manifest.scenario(deployed, { gpu = args.gpu, model = args.model,
    name = name })
  if not scenario then return nil, ("%s: %s"):format(args.deploy, why), codes.INVALID end
  for _, line in ipairs(deployed.notes) do console:note(("%s: %s"):format(args.deploy, line)) end
  return manifest.source(deployed, scenario, args.deploy)
end

local WAYS <const> = { "kind", "from", "deploy" }

-- What of the command line does not go together; nil: nothing.
local function wrong_of(args)
  local given = {}
  for _, way in ipairs(WAYS) do
    if args[way] then given[#given + 1] = "--" .. way end
  end
  if #given > 1 then
    return ("give %s or %s, not both: they are two ways to begin"):format(given[1], given[2])
  end
  for _, key in ipairs { "gpu", "model" } do
    if args[key] and not args.deploy then return ("--%s goes with --deploy FILE"):format(key) end
  end
end

---@param args table
---@param console tandem.Console
---@return integer code
function command.run(args, console)
  local directory, name = args.name:match "^(.-)([^/]*)$"
  name = name:gsub("%.lua$", "")
  if not name:find "^%a[%w_-]*$" then
    return console:usage(("a scenario is called by letters, digits, dashes and underscores, a "
      .. "letter first, not '%s'"):format(name))
  end
  local refused = wrong_of(args)
  if refused then return console:usage(refused) end
  local path = directory .. name .. ".lua"
  if exists(path) then
    return console:fail(codes.IO, path .. " is there already; nothing was written")
  end
  local text, wrong, failure
  if args.from then
    text, wrong = from_shipped(args.from, name)
    if not text then return console:usage(wrong) end
  elseif args.deploy then
    text, wrong, failure = from_manifest(args, name, console)
    if not text then return console:fail(failure or codes.INVALID, tostring(wrong)) end
  else
    text = from_template(args.kind or "pipeline", name, path)
  end
  local written, message, code = require("tandem.io.outfile").write(path, text)
  if not written then return console:fail(code or codes.IO, message) end
  console:note(("%s written; try: tandem run %s"):format(path, path))
  return codes.OK
end

return command
