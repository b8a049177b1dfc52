--- `tandem serve`: what each worker of the server does with a request.
--
-- Owns the way from a request to the route that is meant, and what goes wrong on it: unknown paths,
-- methods that a path has not, queries that are not understood, the world's mistakes and ours. Each
-- worker's Lua state has one of these with a store connection of its own. Called by src/serve; the
-- routes themselves are one file a noun (tandem.serve.routes).
local answer = require "tandem.serve.answer"
local routes = require "tandem.serve.routes"

local serve = {}

---@class tandem.serve.Request
---@field method string
---@field path string
---@field headers table<string, string>  names in small letters
---@field query table<string, any>       checked against the route
---@field params table<string, string>   what stands in place of {id}
---@field body? string
---@field body_file? string              where a long body is
---@field body_bytes integer
---@field parts { name: string, filename?: string, text?: string, file?: string, bytes: integer }[]
---@field job? string                    the job that this request has waited for

---@class tandem.serve.Context
---@field store tandem.Store
---@field store_path string
---@field upload_bytes integer|nil  most of an upload
---@field folder? string    whose files agents may name
---@field began_utc_ns integer
---@field version string

-- The query's values as the route wants them; raises an answer.
local function check_query(given, wanted)
  local out = {}
  for name, text in pairs(given) do
    local spec = wanted and wanted[name]
    if not spec then
      local known = {}
      for other in pairs(wanted or {}) do known[#known + 1] = other end
      table.sort(known)
      local hint = #known > 0 and "; " .. require("tandem.text.nearest").hint(name, known) or ""
      answer.raise(400, "bad_query", ("The query has no '%s'%s."):format(name, hint), name)
    elseif spec.type == "integer" then
      local value = math.tointeger(tonumber(text))
      if not value or value < (spec.least or 0) or spec.most and value > spec.most then
        answer.raise(400, "bad_query", ("%s wants a whole number from %d%s, not '%s'."):format(name,
          spec.least or 0, spec.most and " to " .. spec.most or "", text), name)
      end
      out[name] = value
    elseif spec.choices then
      for _, choice in ipairs(spec.choices) do
        if choice == text then out[name] = text end
      end
      if not out[name] then
        answer.raise(400, "bad_query", ("%s cannot be '%s'; %s."):format(name, text,
          require("tandem.text.nearest").hint(text, spec.choices)), name)
      end
    elseif spec.pattern and not text:find(spec.pattern) then
      answer.raise(400, "bad_query", ("%s is not understood: '%s'."):format(name, text), name)
    else
      out[name] = text
    end
  end
  for name, spec in pairs(wanted or {}) do
    if out[name] == nil and spec.required then
      answer.raise(400, "bad_query", ("The query lacks %s."):format(name), name)
    elseif out[name] == nil then
      out[name] = spec.default
    end
  end
  return out
end

local function respond(request, context)
  local found, params, allowed = routes.find(request.method, request.path)
  if not found and allowed then
    local made = answer.problem(405, "wrong_method", ("%s does not take %s, but %s."):format(
      request.path, request.method, table.concat(allowed, ", ")))
    made.headers.Allow = table.concat(allowed, ", ")
    return made
  elseif not found then
    return answer.problem(404, "not_found", ("There is nothing at %s; /openapi.json lists "
      .. "what there is."):format(request.path))
  end
  request.params = params
  request.query = check_query(request.query, found.query)
  return found.handle(request, context)
end

-- What a handler that could not read the store, and raised it, comes to.
local function unread(raised)
  local blamed = type(raised) == "string" and require("tandem.core").blamed(raised)
  if not blamed then return nil end
  local message = blamed:gsub("^%l", string.upper)
  return answer.problem(422, "invalid", message .. (message:find "[.?!]$" and "" or "."))
end

-- Where the store lies is nothing to those who read it from elsewhere.
local function without_path(made, path)
  if (made.status or 200) >= 400 and made.body then
    made.body = made.body:gsub(path:gsub("%p", "%%%0"), "the store")
  end
  return made
end

--- Opens a worker.
---@param setup string  a JSON object: store, began_utc_ns
---@return { handle: fun(request: tandem.serve.Request): table }|nil
---@return string|nil message
function serve.open(setup)
  local told = assert(require("tandem.io.json").decode(setup))
  local store, message = require("tandem.store").open(told.store)
  if not store then return nil, message end
  store.shown = "/v1/runs"
  local prepared
  prepared, message = require("tandem.serve.scenarios").prepare(store)
  if not prepared then return nil, message end
  ---@type tandem.serve.Context
  local context = { store = store, store_path = told.store,
    upload_bytes = told.upload_bytes, folder = told.folder, began_utc_ns = told.began_utc_ns,
    version = require("tandem.core").version() }
  return { handle = function(request)
    local ok, made = xpcall(respond, function(raised)
      if type(raised) == "table" and raised.status then return raised end
      local problem = unread(raised)
      if problem then return problem end
      return debug.traceback(tostring(raised), 2)
    end, request, context)
    if not ok and type(made) ~= "table" then error(made, 0) end
    return without_path(made, told.store)
  end }
end

return serve
