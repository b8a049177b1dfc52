--- What a route answers with: JSON, a text, a file, or a problem.
--
-- Owns the form of errors ({"error": {code, message, path}}) and which status an exit code of a
-- command becomes. Used by every route.
local encode = require("tandem.io.json").encode
local infile = require "tandem.io.infile"
local safe = require "tandem.text.safe"

local answer = {}

--- Keys whose empty table is a list.
local LISTS <const> = { runs = true, tags = true, problems = true, scenarios = true, jobs = true,
  sessions = true, requests = true, stages = true, classes = true, sources = true,
  kernels = true, metrics = true, shipped = true, run_ids = true, parameters = true,
  analyses = true, tiles = true, findings = true, security = true }

--- A Lua value as JSON text.
---@param value any
---@return string
function answer.encode(value) return encode(value, { lists = LISTS }) end

--- JSON of an object with one more member, which is JSON already: what is long is not read again.
---@param object string  not empty
---@param name string
---@param member string
---@return string
function answer.with(object, name, member)
  return ('{"%s":%s,%s'):format(name, member, object:sub(object:find("{", 1, true) + 1))
end

--- JSON, which drives no terminal of who asks. Text that is JSON already may be given.
---@param status integer
---@param value any
---@param headers? table<string, string>
---@return table
function answer.json(status, value, headers)
  headers = headers or {}
  headers["Content-Type"] = "application/json"
  local text = type(value) == "string" and value or answer.encode(value) .. "\n"
  return { status = status, body = safe.json(text), headers = headers }
end

---@param status integer
---@param kind string  the Content-Type
---@param text string
---@return table
function answer.text(status, kind, text)
  return { status = status, body = text, headers = { ["Content-Type"] = kind } }
end

--- A file as it is; it may be removed once this was answered.
---@param path string
---@param kind string  the Content-Type
---@param name? string what a browser should call it
---@return table
function answer.file(path, kind, name)
  return { status = 200, file = path, headers = { ["Content-Type"] = kind,
    ["Content-Disposition"] = name and ('attachment; filename="%s"'):format(
      name:gsub('[^%w._-]', "_")) or nil } }
end

--- A problem.
---@param status integer
---@param code string     one word
---@param message string  one sentence
---@param path? string    what of the request it is about: pipeline[2].bytes, a header, a query
---@param problems? { path?: string, line?: integer, message: string }[]  all, where there are more
---@return table
function answer.problem(status, code, message, path, problems)
  return answer.json(status, { error = { code = code, message = message, path = path,
    problems = problems } })
end

--- Leaves the handler with a problem.
function answer.raise(...) error(answer.problem(...), 0) end

--- The value, or leaves with the problem that a function of the store told: value, message, code.
---@generic T
---@param value T|nil
---@param message? string
---@param code? integer
---@return T
function answer.check(value, message, code)
  if value == nil then
    message = tostring(message):gsub("^%l", string.upper)
    if not message:find "[.?!]$" then message = message .. "." end
    if code == 3 then answer.raise(404, "not_found", message)
    elseif code == 2 then answer.raise(400, "bad_request", message) end
    answer.raise(500, "store", message)
  end
  return value
end

--- The body as text.
---@param request tandem.serve.Request
---@return string
function answer.body(request)
  if not request.body_file then return request.body or "" end
  return assert(infile.read(request.body_file))
end

--- The body as a JSON object; leaves with 400 where it is none.
---@param request tandem.serve.Request
---@param keys? table<string, string|table>  known keys and their types, or lists of choices
---@return table
function answer.object(request, keys)
  local text = answer.body(request)
  local value, wrong = require("tandem.io.json").decode(text)
  if wrong then
    answer.raise(400, "bad_json", ("The body is not JSON: line %d: %s."):format(wrong.line,
      wrong.message))
  elseif type(value) ~= "table" or #value > 0 or text:find "^[\239\187\191%s]*%[" then
    answer.raise(400, "bad_json", "The body is not a JSON object.")
  end
  for name, one in pairs(value) do
    local kind = keys and keys[name]
    if keys and not kind then
      local known = {}
      for other in pairs(keys) do known[#known + 1] = other end
      table.sort(known)
      local hint = require("tandem.text.nearest").hint(name, known):gsub("[^?]$", "%0.")
      answer.raise(400, "bad_request", ("There is no '%s'; %s"):format(name, hint), name)
    elseif kind == "integer" and math.type(one) ~= "integer"
      or kind and kind ~= "integer" and kind ~= "any" and type(one) ~= kind then
      answer.raise(400, "bad_request", ("%s must be of type %s."):format(name,
        kind == "table" and "object or list" or kind), name)
    end
  end
  return value
end

return answer
