--- What the server says of itself: /healthz, /metrics, /openapi.json.
local answer = require "tandem.serve.answer"

local service = {}

local STATES <const> = { "queued", "running", "done", "failed", "cancelled" }

-- Prometheus' text form.
local function metrics()
  local native = require "tandem.serve.native"
  local stats, lines = native.stats(), {}
  local function family(name, kind, help)
    lines[#lines + 1] = ("# HELP %s %s"):format(name, help)
    lines[#lines + 1] = ("# TYPE %s %s"):format(name, kind)
  end
  local function put(name, value) lines[#lines + 1] = ("%s %s"):format(name, value) end
  family("tandem_requests_total", "counter", "Answers by class of status.")
  for class, count in ipairs(stats.answers) do
    put(('tandem_requests_total{status="%dxx"}'):format(class), count)
  end
  family("tandem_request_seconds", "histogram", "From the head of a request to its answer.")
  local sum = 0
  for _, class in ipairs(stats.latencies) do
    sum = sum + class.count
    put(('tandem_request_seconds_bucket{le="%s"}'):format(class.end_s and ("%g"):format(
      class.end_s) or "+Inf"), sum)
  end
  put("tandem_request_seconds_sum", ("%.9g"):format(stats.latency_s))
  put("tandem_request_seconds_count", sum)
  family("tandem_requests_refused_total", "counter", "Refused before a handler saw them.")
  put("tandem_requests_refused_total", stats.refused)
  family("tandem_connections_cut_total", "counter", "Closed because the other side was too slow.")
  put("tandem_connections_cut_total", stats.cut)
  family("tandem_requests_in_flight", "gauge", "Being read or answered now.")
  put("tandem_requests_in_flight", stats.in_flight)
  family("tandem_received_bytes_total", "counter", "Bytes of bodies.")
  put("tandem_received_bytes_total", stats.received_bytes)
  family("tandem_jobs", "gauge", "Jobs that are remembered, by state.")
  local counts = {}
  for _, job in ipairs(native.jobs()) do counts[job.state] = (counts[job.state] or 0) + 1 end
  for _, state in ipairs(STATES) do
    put(('tandem_jobs{state="%s"}'):format(state), counts[state] or 0)
  end
  return table.concat(lines, "\n") .. "\n"
end

-- What stands for {id} in examples, by noun.
local IDS <const> = { scenarios = "demo", jobs = "3f2a90c45d61be87", realtraces = "6f64",
  sessions = "6f64", uploads = "0123456789abcdef0123456789abcdef" }

local function stand_in(route, name)
  return route.given and route.given[name] or name == "id" and IDS[route.tag] or "last"
end

local function parameters(route)
  local list = {}
  for name in route.path:gmatch "{(%w+)}" do
    list[#list + 1] = { name = name, ["in"] = "path", required = true,
      example = stand_in(route, name), schema = { type = "string" } }
  end
  for _, name in ipairs(require("tandem.text.nearest").sorted_keys(route.query or {})) do
    local spec = route.query[name]
    list[#list + 1] = { name = name, ["in"] = "query", required = spec.required or false,
      description = spec.about, example = spec.example,
      schema = { type = spec.type or "string", enum = spec.choices,
        minimum = spec.type == "integer" and (spec.least or 0) or nil, maximum = spec.most,
        default = spec.default } }
  end
  return list
end

-- The request as a line for a shell.
local function curl(route)
  local words = { "curl" }
  if route.curl then
    words[#words + 1] = route.curl
  elseif route.example then
    words[#words + 1] = ("-d '%s'"):format(route.example:gsub("%s+", " "))
  elseif route.method ~= "GET" then
    words[#words + 1] = route.method == "HEAD" and "-I" or "-X " .. route.method
  end
  local path = route.path:gsub("{(%w+)}", function(name) return stand_in(route, name) end)
  local query = {}
  for _, name in ipairs(require("tandem.text.nearest").sorted_keys(route.query or {})) do
    local value = route.query[name].example
    if value then query[#query + 1] = ("%s=%s"):format(name, value) end
  end
  words[#words + 1] = ("'http://127.0.0.1:8080%s%s'"):format(path,
    #query > 0 and "?" .. table.concat(query, "&") or "")
  return table.concat(words, " ")
end

-- What any route may answer with besides: a query that it has not, no token, a server that ends.
local PROBLEM <const> = { description = "what is wrong: {error: {code, message, path, problems}}",
  content = { ["application/json"] = { schema = { type = "object" } } } }

--- The document of an interface: OpenAPI 3.0, with a line of curl for each operation.
---@param list tandem.serve.Route[]
---@param version string
---@return table
local function openapi(list, version)
  local paths = {}
  for _, route in ipairs(list) do
    local content = nil
    for kind, about in pairs(route.body or {}) do
      content = content or {}
      content[kind] = { schema = { description = about,
        type = kind:find "json" and "object" or "string",
        properties = kind:find "json" and route.properties and route.properties() or nil,
        format = not kind:find "json" and "binary" or nil },
        example = kind:find "json" and route.example
          and require("tandem.io.json").decode(route.example) or nil }
    end
    local responses = { default = PROBLEM }
    for status, about in pairs(route.answers) do
      responses[tostring(status)] = { description = about }
    end
    paths[route.path] = paths[route.path] or {}
    paths[route.path][route.method:lower()] = { summary = route.summary, tags = { route.tag },
      description = route.about, parameters = parameters(route), responses = responses,
      requestBody = content and { content = content } or nil,
      security = route.open and {} or nil,
      ["x-codeSamples"] = { { lang = "Shell", label = "curl", source = curl(route) } },
      operationId = route.method:lower() .. route.path:gsub("[^%w]+", "_"):gsub("_$", "") }
  end
  return { openapi = "3.0.3", info = { title = "tandem", version = version,
    description = "Simulates requests through CPU, copy engines and GPUs, keeps real traces, "
      .. "and lays one over the other. Errors are {\"error\": {code, message, path}}." },
    paths = paths, components = { securitySchemes = { token = { type = "http",
      scheme = "bearer" } } }, security = { { token = {} } } }
end

---@type tandem.serve.Route[]
service.routes = {
  { method = "GET", path = "/healthz", summary = "whether the server and its store are there",
    open = true, answers = { [200] = "{ok, version, uptime_s}", [503] = "the store is not" },
    handle = function(_, context)
      local row, message = context.store.db:one("SELECT count(*) AS runs FROM run")
      if not row then return answer.problem(503, "store", tostring(message) .. ".") end
      return answer.json(200, { ok = true, version = context.version, runs = row.runs,
        uptime_s = (require("tandem.core").utc_ns() - context.began_utc_ns) / 1e9 })
    end },
  { method = "GET", path = "/metrics", summary = "figures of the server for Prometheus",
    answers = { [200] = "Prometheus' text form" },
    handle = function()
      return answer.text(200, "text/plain; version=0.0.4; charset=utf-8", metrics())
    end },
  { method = "GET", path = "/openapi.json", summary = "this interface as OpenAPI 3",
    open = true, answers = { [200] = "OpenAPI 3.0" },
    handle = function(_, context)
      service.text = service.text or answer.encode(openapi(
        require("tandem.serve.routes").all(), context.version))
      return answer.json(200, service.text)
    end },
}

return service
