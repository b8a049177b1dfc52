--- The table of routes: every path with its methods, in the order of the documentation.
--
-- Owns how a path finds its route. What a route does, takes and answers with is told beside its
-- handler, in the file of its noun; /openapi.json is made from the same table.
local routes = {}

---@class tandem.serve.Route
---@field method string
---@field path string            "/v1/runs/{id}"
---@field summary string         one line
---@field about? string          more
---@field tag string             the noun
---@field query? table<string, table>  { type, least, most, choices, pattern, default, about,
---                              example }
---@field body? table<string, string>  content type → what it is, in words
---@field properties? fun(): table<string, table>  the keys of a JSON body, as JSON schema
---@field answers table<integer, string>
---@field examples? table<string, string>  of names in braces besides {id}
---@field example? string        a body that works
---@field given? table<string, string>  what stands in its braces in the example; ids have theirs
---@field curl? string           what curl is told of it, where that is not the body or the method
---@field open? boolean          needs no token
---@field large? boolean         takes a body up to the limit of uploads
---@field handle fun(request: tandem.serve.Request, context: tandem.serve.Context): table

local NOUNS <const> = { "assets", "service", "catalogue", "scenarios", "check", "runs", "jobs",
  "realtraces", "receive", "overlays", "studies", "sessions", "analyses", "views", "notes",
  "mcp" }

local list, by_segments

-- "/v1/runs/{id}/trace" → { "v1", "runs", false, "trace" }, { "id" }; an ending after the braces
-- stays: "{id}.h5".
local function split(path)
  local segments = {}
  for segment in path:gmatch "[^/]+" do
    local name, ending = segment:match "^{(%w+)}(.*)$"
    segments[#segments + 1] = name and { name = name, ending = ending } or segment
  end
  return segments
end

---@return tandem.serve.Route[]
function routes.all()
  if list then return list end
  list, by_segments = {}, {}
  for _, noun in ipairs(NOUNS) do
    for _, route in ipairs(require("tandem.serve." .. noun).routes) do
      route.tag = route.tag or noun
      list[#list + 1] = route
      local segments = split(route.path)
      local bucket = by_segments[#segments] or {}
      by_segments[#segments] = bucket
      bucket[#bucket + 1] = { route = route, segments = segments }
    end
  end
  return list
end

-- What the path gives for the braces; nil when it is another path.
local function match(segments, words)
  local params = {}
  for i, wanted in ipairs(segments) do
    local word = words[i]
    if type(wanted) == "table" then
      local value = word:sub(1, #word - #wanted.ending)
      if word:sub(#value + 1) ~= wanted.ending or not value:find "^[%w._:-]+$" or #value > 128 then
        return nil
      end
      params[wanted.name] = value
    elseif word ~= wanted then
      return nil
    end
  end
  return params
end

--- The route that is meant; HEAD is GET where a path has no HEAD of its own.
---@param method string
---@param path string
---@return tandem.serve.Route|nil
---@return table<string, string>|string[]|nil params
---@return string[]|nil allowed  the methods of the path, when it has not this one
function routes.find(method, path)
  routes.all()
  local words = {}
  for word in path:gmatch "[^/]+" do words[#words + 1] = word end
  local allowed, got, got_params = {}, nil, nil
  for _, entry in ipairs(by_segments[#words] or {}) do
    local params = match(entry.segments, words)
    if params then
      if entry.route.method == method then return entry.route, params end
      if entry.route.method == "GET" then
        got, got_params = got or entry.route, got_params or params
        allowed[#allowed + 1] = "HEAD"
      end
      allowed[#allowed + 1] = entry.route.method
    end
  end
  if method == "HEAD" and got then return got, got_params end
  if #allowed == 0 then return nil end
  table.sort(allowed)
  local unique = {}
  for _, name in ipairs(allowed) do
    if unique[#unique] ~= name then unique[#unique + 1] = name end
  end
  return nil, nil, unique
end

return routes
