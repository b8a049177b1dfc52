--- The tools that agents are offered: every command that answers as data, help, files and jobs.
--
-- Owns which commands and options are offered, and how an option's entry in the table of its
-- command (tandem.Option, tandem.ArgumentSpec) becomes a property of a JSON schema. There is no
-- second list of options: what a command learns, its tool has. What is withheld is what chooses
-- another form than data, another store, trust in a script, or a place outside of the folder:
-- options that name a file and do not say that they only read it are left out unseen. How a call
-- becomes a command line is words.lua's.
local tools = {}

---@class tandem.mcp.Tool
---@field name string
---@field command? string     the command that it is
---@field arguments tandem.ArgumentSpec[]
---@field options tandem.Option[]
---@field described table     as tools/list shows it

-- Commands that answer as data and are no tools: another file's soundness, what is sent elsewhere,
-- and what every answer says anyway.
local LEFT_OUT <const> = { verify = true, outbox = true, version = true }

-- Other forms of the answer, and what the server decides.
local WITHHELD <const> = { json = true, csv = true, html = true, svg = true, folded = true,
  speedscope = true, table = true, plot = true, store = true, trusted = true, threads = true,
  script_limit = true,
  no_progress = true, no_store = true, no_timeline = true, no_advice = true, shard = true,
  tasks = true, time = true, cpus = true, memory = true, partition = true, image = true,
  claim = true, ci = true }

--- The name of an option as a property, from its spelling: "-o --b-within" → "b_within".
---@param option tandem.Option
---@return string
function tools.property(option) return (option[1]:match("%-%-([%w-]+)"):gsub("-", "_")) end

-- Whether a value names something of the file system or elsewhere that is not only read.
local function reaches_out(spec)
  return not spec.reads and spec.value ~= nil
    and (spec.value:find "FILE" or spec.value:find "DIR" or spec.value:find "PATH$"
      or spec.value:find "OUT" or spec.value:find "URL" or spec.value:find "%.%l+$") ~= nil
end

local function is_offered(option)
  return not option.answers and not WITHHELD[tools.property(option)] and not reaches_out(option)
end

local TEXTS <const> = { type = "object", additionalProperties = { type = "string" },
  description = "Files that arguments may name: {\"server.lua\": \"its text\"}." }
local PAGE_ROWS <const> = { type = "integer", minimum = 1, maximum = 1000,
  description = "Rows of long lists (default: 64)." }
local PAGE_OFFSET <const> = { type = "integer", minimum = 0,
  description = "Rows to leave out before." }

-- The sentences of a text, up to a number of bytes.
local function beginning(text, most)
  if #text <= most then return text end
  local at
  for stop in text:gmatch "()%.%s" do at = stop <= most and stop or at end
  return at and text:sub(1, at) or (text:sub(1, most):gsub("%s+%S*$", " …"))
end

local OPTION_TEXT <const> = 100

-- The schema of one value.
local function scalar(spec)
  if not spec.value then return { type = "boolean" } end
  local kind = (spec.kind == "integer" or spec.kind == "number") and spec.kind or "string"
  return { type = kind, enum = spec.choices, minimum = spec.least, maximum = spec.most }
end

local function schema_of(spec)
  local made
  if spec.many then
    made = { type = "object", additionalProperties = { type = { "string", "number", "boolean" } } }
  elseif spec.collect or spec.count == "+" or spec.count == "*" then
    made = { type = "array", items = scalar(spec), minItems = spec.count == "+" and 1 or nil }
  else
    made = scalar(spec)
  end
  made.description = beginning(spec.help, OPTION_TEXT)
  return made
end

local OUTPUT <const> = { type = "object", required = { "schema" }, properties = {
  schema = { type = "string" }, result = {}, code = { type = "integer" },
  problems = { type = "array", items = { type = "object" } }, run = { type = "string" },
  job = { type = "object" }, page = { type = "object" }, links = { type = "object" } } }

local function described(tool, command, reads)
  local properties, required = {}, {}
  for _, spec in ipairs(tool.arguments) do
    properties[spec.name] = schema_of(spec)
    if not spec.count or spec.count == "+" then required[#required + 1] = spec.name end
  end
  for _, option in ipairs(tool.options) do
    properties[tools.property(option)] = schema_of(option)
  end
  if reads then properties.texts = TEXTS end
  properties.page_rows, properties.page_offset = PAGE_ROWS, PAGE_OFFSET
  return { name = tool.name, title = "tandem " .. tool.command,
    description = ("%s. Details: help %s"):format(command.summary, tool.command),
    inputSchema = { type = "object", properties = properties,
      required = #required > 0 and required or nil, additionalProperties = false },
    outputSchema = OUTPUT,
    annotations = { readOnlyHint = not command.keeps, destructiveHint = false,
      idempotentHint = not command.keeps, openWorldHint = false } }
end

-- The tool of a command that answers in an envelope; nil where it is none.
local function of_command(name)
  local command = require("tandem.cli").command(name)
  local answers, reads, options, arguments = false, false, {}, command.arguments or {}
  for _, option in ipairs(command.options or {}) do
    answers = answers or option.answers
    if is_offered(option) then
      options[#options + 1] = option
      reads = reads or option.reads ~= nil
    end
  end
  for _, spec in ipairs(arguments) do
    if reaches_out(spec) then return nil end
    reads = reads or spec.reads ~= nil
  end
  if not answers or LEFT_OUT[name] then return nil end
  local tool = { name = (name:gsub("-", "_")), command = name, arguments = arguments,
    options = options }
  tool.described = described(tool, command, reads)
  return tool
end

-- Help has one form, text.
local function help()
  local command = require("tandem.cli").command "help"
  local tool = { name = "help", command = "help", arguments = command.arguments, options = {} }
  tool.described = described(tool, command)
  return tool
end

local JOB_ID <const> = { type = "string", description = "The handle that a call answered with." }

-- Tools of this server itself: what they do is init.lua's.
local function of_jobs(name, title, description, properties, hints)
  properties.job_id = JOB_ID
  return { name = name, arguments = {}, options = {}, described = { name = name, title = title,
    description = description, outputSchema = OUTPUT, annotations = hints,
    inputSchema = { type = "object", properties = properties, required = { "job_id" },
      additionalProperties = false } } }
end

local function jobs()
  return of_jobs("job_status", "how far a job is, or its answer",
    "How far a long call is, and its answer once it has ended. Jobs are forgotten an hour after "
    .. "their end.", { page_rows = PAGE_ROWS, page_offset = PAGE_OFFSET,
      wait_s = { type = "integer", minimum = 0, maximum = 30,
        description = "Seconds to wait for its end (default: 10)." } },
    { readOnlyHint = true, destructiveHint = false, idempotentHint = true, openWorldHint = false }),
  of_jobs("job_cancel", "stop a job", "Stops a long call. What it would have answered is lost.", {},
    { readOnlyHint = false, destructiveHint = true, idempotentHint = true, openWorldHint = false })
end

local function files()
  return { name = "files", arguments = {}, options = {}, described = { name = "files",
    title = "the files of this server's folder", outputSchema = OUTPUT,
    description = "Lists the captures and other files that arguments may name, with their bytes; "
      .. "folders end in /.",
    annotations = { readOnlyHint = true, destructiveHint = false, idempotentHint = true,
      openWorldHint = false },
    inputSchema = { type = "object", additionalProperties = false, properties = {
      under = { type = "string", description = "A folder of it (default: itself)." },
      page_rows = PAGE_ROWS, page_offset = PAGE_OFFSET } } } }
end

local list, by_name

--- All of them, in the order of the commands.
---@return tandem.mcp.Tool[]
function tools.all()
  if list then return list end
  list, by_name = {}, {}
  for _, name in ipairs(require("tandem.cli").commands) do
    local tool = of_command(name)
    if tool then list[#list + 1] = tool end
  end
  list[#list + 1] = help()
  list[#list + 1] = files()
  list[#list + 1], list[#list + 2] = jobs()
  for _, tool in ipairs(list) do by_name[tool.name] = tool end
  return list
end

---@param name string
---@return tandem.mcp.Tool|nil
function tools.named(name)
  tools.all()
  return by_name[name]
end

return tools
