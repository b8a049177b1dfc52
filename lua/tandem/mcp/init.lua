--- The Model Context Protocol: what a message of an agent is answered with.
--
-- Owns JSON-RPC, both eras of the protocol on one endpoint, and which method does what. A message
-- that says its version in `_meta` is answered by itself, as since 2026-07-28; `initialize` begins
-- the era before. Nothing is remembered between messages but jobs, which have handles. How messages
-- come and go is stdio.lua's and serve/mcp.lua's: a call that takes time gives them its job, and
-- they hand the same message in again when that has ended or enough was waited.
local core = require "tandem.core"
local jobs = require "tandem.serve.jobs"
local json = require "tandem.io.json"
local result = require "tandem.mcp.result"
local tools = require "tandem.mcp.tools"
local words = require "tandem.mcp.words"

local mcp = {}

mcp.MODERN = "2026-07-28"
--- The versions before, the newest first.
mcp.LEGACY = { "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05" }

local WAIT_S <const> = 10
local DAY_MS <const> = 24 * 3600 * 1000
local META <const> = "io.modelcontextprotocol/"

--- Codes of JSON-RPC, and of the protocol.
mcp.codes = { PARSE = -32700, INVALID = -32600, NO_METHOD = -32601, PARAMS = -32602, BUG = -32603,
  HEADER = -32020, VERSION = -32022 }
local codes <const> = mcp.codes

---@class tandem.mcp.Context
---@field store tandem.Store
---@field store_path string
---@field version string
---@field folder? string   whose files arguments may name
---@field base? string     "http://127.0.0.1:8080", where the server has pages
---@field begun? boolean   stdio: initialize was answered

---@class tandem.mcp.Reply
---@field message? table    nil: nothing is answered, or not yet
---@field job? string       whose end the answer waits for
---@field wait_s? number    for so long; then the message comes again
---@field status? integer   of HTTP, where it is not 200

local INSTRUCTIONS <const> = "tandem simulates GPU workloads, keeps traces in a store and explains "
  .. "them. Runs are named by the beginning of their id, their name, or `last`. To explain a "
  .. "capture (`files` lists those here): import it, then advice, breakdown, kernels and "
  .. "critical_path of `last`; check a "
  .. "finding with sql or diff. To plan: run a scenario (a shipped name such as `demo`, or one of "
  .. "your own in `texts`), then plan, sweep or whatif. An argument by_x is the option --by-x of "
  .. "`help COMMAND`. Long lists come in pages: `page` says which. Long calls answer with a `job`: "
  .. "ask job_status."

local function error_of(id, code, message, data)
  return { jsonrpc = "2.0", id = id, error = { code = code, message = message, data = data } }
end

--- An error that belongs to no message that could be read.
---@param code integer
---@param message string
---@return table
function mcp.problem(code, message) return error_of(nil, code, message) end

local function is_object(value)
  return type(value) == "table" and value ~= json.null and not json.is_list(value)
end

local function is_id(id) return type(id) == "string" or math.type(id) == "integer" end

local function supported()
  return json.list(table.move(mcp.LEGACY, 1, #mcp.LEGACY, 2, { mcp.MODERN }))
end

local function server_info(context) return { name = "tandem", title = "tandem",
  version = context.version } end

-- Whether a value of a header, which may be written in base64, is this text.
local function is_header(given, text)
  if given == text then return true end
  local packed = given:match "^=%?base64%?(.*)%?=$"
  return packed ~= nil and core.unbase64(packed) == text
end

-- What the headers of a request say otherwise than its body; nil when nothing.
local function mismatch(headers, message, version)
  local wanted = { { "mcp-protocol-version", version }, { "mcp-method", message.method } }
  if message.method == "tools/call" then
    wanted[3] = { "mcp-name", tostring(message.params.name) }
  end
  for _, one in ipairs(wanted) do
    local name, text = table.unpack(one)
    if not headers[name] then return ("the header %s is missing"):format(name) end
    if not is_header(headers[name], text) then
      return ("the header %s is '%s', the message says '%s'"):format(name, headers[name], text)
    end
  end
end

local function bad_version(id, version)
  return { status = 400, message = error_of(id, codes.VERSION, "Unsupported protocol version",
    { supported = supported(), requested = version }) }
end

-- The era of a message, "modern" or "legacy"; nil and its reply where it belongs to none.
local function era_of(message, context, headers)
  local id, params = message.id, message.params
  local meta = params and params._meta
  local version = is_object(meta) and meta[META .. "protocolVersion"] or nil
  local header = headers and headers["mcp-protocol-version"]
  if version ~= nil then
    if version ~= mcp.MODERN then return nil, bad_version(id, version) end
    local wrong = headers and mismatch(headers, message, version)
    if wrong then return nil, { status = 400, message = error_of(id, codes.HEADER, wrong) } end
    if not is_object(meta[META .. "clientCapabilities"]) then
      return nil, { status = 400, message = error_of(id, codes.PARAMS, ("params._meta lacks %s")
        :format(META .. "clientCapabilities")) }
    end
    return "modern"
  end
  if message.method == "initialize" then return "legacy" end
  if message.method == "server/discover" or header == mcp.MODERN
    or not headers and not context.begun and message.method ~= "ping" then
    return nil, { status = 400, message = error_of(id, codes.PARAMS, ("params._meta lacks %s; "
      .. "clients of %s and before begin with initialize"):format(META .. "protocolVersion",
      mcp.LEGACY[1])) }
  end
  for _, one in ipairs(header and mcp.LEGACY or {}) do
    if one == header then header = nil end
  end
  if header then return nil, bad_version(id, header) end
  return "legacy"
end

-- ---- what methods do

local methods = { modern = {}, legacy = {} }

function methods.legacy.initialize(message, context)
  local wanted = message.params.protocolVersion
  if type(wanted) ~= "string" then
    return nil, { code = codes.PARAMS, text = "params.protocolVersion is missing" }
  end
  local version = mcp.LEGACY[1]
  for _, one in ipairs(mcp.LEGACY) do
    if one == wanted then version = one end
  end
  context.begun = true
  return { protocolVersion = version, serverInfo = server_info(context),
    capabilities = { tools = { listChanged = false } }, instructions = INSTRUCTIONS }
end

function methods.legacy.ping() return {} end

methods.modern["server/discover"] = function()
  return { supportedVersions = supported(), capabilities = { tools = { listChanged = false } },
    instructions = INSTRUCTIONS, ttlMs = DAY_MS, cacheScope = "public" }
end

local function list_tools(message)
  if message.params.cursor ~= nil then
    return nil, { code = codes.PARAMS, text = "the list of tools has one page: no cursor is known" }
  end
  local list = {}
  for i, tool in ipairs(tools.all()) do list[i] = tool.described end
  return { tools = json.list(list) }
end

methods.legacy["tools/list"] = list_tools
methods.modern["tools/list"] = function(message)
  local made, wrong = list_tools(message)
  if made then made.ttlMs, made.cacheScope = DAY_MS, "public" end
  return made, wrong
end

local function native() return require "tandem.serve.native" end

-- Jobs of other parts of the server are none of an agent's.
local function find(id)
  local job = type(id) == "string" and native().job(id) or nil
  if not job or job.kind ~= "mcp" then
    error({ refused = ("there is no job '%s' (any more)"):format(tostring(id)), kind = "absent" },
      0)
  end
  return job
end

-- A job's answer, its handle, or that it is to be waited for.
local function await(job, own, context, waited)
  if job.ended then return result.ended(job, own, context) end
  if waited then return result.handle(job) end
  return nil, { job = job.id, wait_s = own.wait_s or WAIT_S }
end

local function start(tool, given, context)
  local id = native().job_new("mcp", json.encode { tool = tool.name })
  if not id then error({ refused = "too many jobs wait already; try again later" }, 0) end
  local ok, made = pcall(words.of, tool, given, native().job(id), context)
  if not ok then
    native().job_cancel(id)
    error(made, 0)
  end
  native().job_start(id, made)
  return native().job(id)
end

local function call(tool, given, context, waiting)
  words.check(tool, given)
  local own = words.own(given)
  if tool.name == "files" then
    return require("tandem.mcp.files").answer(given.under, own, context)
  end
  if tool.name == "job_cancel" then
    native().job_cancel(find(given.job_id).id)
    return result.handle(find(given.job_id))
  elseif tool.name == "job_status" then
    return await(find(given.job_id), own, context, waiting.job or own.wait_s == 0 or waiting.never)
  end
  local job = waiting.job and find(waiting.job) or start(tool, given, context)
  return await(job, own, context, waiting.job or waiting.never)
end

local function call_tool(message, context, waiting)
  local name, given = message.params.name, message.params.arguments
  local tool = type(name) == "string" and tools.named(name)
  if not tool then
    local known = {}
    for i, one in ipairs(tools.all()) do known[i] = one.name end
    return nil, { code = codes.PARAMS, text = type(name) == "string" and ("Unknown tool: %s; %s")
      :format(name, require("tandem.text.nearest").hint(name, known)) or "params.name is missing" }
  elseif given ~= nil and not is_object(given) then
    return nil, { code = codes.PARAMS, text = "params.arguments is not an object" }
  end
  local arguments = {}
  for key, value in pairs(given or {}) do
    if value ~= json.null then arguments[key] = value end
  end
  local ok, made, later = pcall(call, tool, arguments, context, waiting)
  if ok then return made, later end
  if type(made) == "table" and made.refused then return result.refused(made.refused, made.kind) end
  error(made, 0)
end

methods.legacy["tools/call"], methods.modern["tools/call"] = call_tool, call_tool

-- ---- one message

local function shape_of(message)
  if not is_object(message) then return "a message is an object" end
  if message.jsonrpc ~= "2.0" then return "jsonrpc is not \"2.0\"" end
  if message.id ~= nil and not is_id(message.id) then
    return "id is neither a text nor an integer"
  end
  if message.params ~= nil and not is_object(message.params) then
    return "params is not an object"
  end
  if type(message.method) ~= "string" and message.result == nil and message.error == nil then
    return "method is missing"
  end
end

---@class tandem.mcp.Waiting
---@field job? string     the job that this message has waited for
---@field never? boolean  calls that take time are answered with their handle at once

--- What a message is answered with.
---@param message any       as json.decode(text, nil, nil, true) reads it
---@param context tandem.mcp.Context
---@param headers table<string, string>|nil  of HTTP
---@param waiting? tandem.mcp.Waiting
---@return tandem.mcp.Reply
function mcp.handle(message, context, headers, waiting)
  local wrong = shape_of(message)
  if wrong then
    local id = is_object(message) and is_id(message.id) and message.id or nil
    return { status = 400, message = error_of(id, codes.INVALID, wrong) }
  elseif message.id == nil or message.method == nil then
    return { status = 202 } -- a notification, or an answer to what we never ask
  end
  message.params = message.params or {}
  local era, reply = era_of(message, context, headers)
  if not era then return reply end
  local method = methods[era][message.method]
  if not method then
    return { status = era == "modern" and 404 or 200, message = error_of(message.id,
      codes.NO_METHOD, ("Method not found: %s"):format(message.method)) }
  end
  local made, other = method(message, context, waiting or {})
  if not made and other.code then
    return { message = error_of(message.id, other.code, other.text) }
  elseif not made then
    return other
  end
  if era == "modern" then
    made.resultType = "complete"
    made._meta = { [META .. "serverInfo"] = server_info(context) }
  end
  return { message = { jsonrpc = "2.0", id = message.id, result = made } }
end

--- A text as messages: one, or the batch of version 2025-03-26, whose calls are not waited for.
---@param text string
---@param context tandem.mcp.Context
---@param headers table<string, string>|nil
---@param waiting? tandem.mcp.Waiting
---@return tandem.mcp.Reply
---@return table|nil message  the one that was read
function mcp.receive(text, context, headers, waiting)
  local message, wrong = json.decode(text, nil, nil, true)
  if wrong then
    return { status = 400, message = error_of(nil, codes.PARSE, "Parse error: " .. wrong.message) }
  elseif not json.is_list(message) then
    return mcp.handle(message, context, headers, waiting), message
  elseif #message == 0 then
    return { status = 400, message = error_of(nil, codes.INVALID, "an empty batch") }
  end
  local answers = {}
  for _, one in ipairs(message) do
    answers[#answers + 1] = mcp.handle(one, context, headers, { never = true }).message
  end
  return { status = #answers == 0 and 202 or 200, message = answers[1] and json.list(answers) }
end

jobs.kinds.mcp = function(job, _, context)
  return require("tandem.serve.answer").json(200, result.ended(job, {}, context).structuredContent)
end

return mcp
