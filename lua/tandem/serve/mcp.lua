--- The Model Context Protocol over HTTP: POST /mcp.
--
-- Owns what of HTTP a message needs: the answer is one JSON object, never a stream, so long calls
-- tell their progress by job_status. Who may ask is src/serve/guard.c's, as for every other path.
-- What a message means is tandem.mcp's.
local answer = require "tandem.serve.answer"
local protocol = require "tandem.mcp"

local mcp = {}

local LISTS <const> = { lists = { problems = true } }

local function json(status, message)
  return answer.json(status, require("tandem.io.json").encode(message, LISTS))
end

-- Where a browser of who asks finds the pages: as they spelt this server.
local function base_of(headers)
  local host = headers.host
  return host and ("%s://%s"):format(headers["x-forwarded-proto"] == "https" and "https" or "http",
    host) or nil
end

local function post(request, context)
  local text = answer.body(request)
  local reply = protocol.receive(text, { store = context.store, store_path = context.store_path,
    version = context.version, folder = context.folder, base = base_of(request.headers) },
    request.headers, { job = request.job })
  if reply.job then return { job = reply.job, wait_s = reply.wait_s } end
  if reply.message then return json(reply.status or 200, reply.message) end
  return { status = reply.status or 202, body = "", headers = {} }
end

---@type tandem.serve.Route[]
mcp.routes = {
  { method = "POST", path = "/mcp", summary = "tools for agents: the Model Context Protocol",
    about = "Streamable HTTP, both the stateless version 2026-07-28 and those before it; answers "
      .. "are JSON, never a stream. tandem help mcp tells about the tools.",
    body = { ["application/json"] = "one message of JSON-RPC" },
    example = [[{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}]],
    answers = { [200] = "the answer", [202] = "a notification was taken",
      [400] = "no message of this protocol, or its headers say otherwise",
      [403] = "a page of another site asked", [404] = "there is no such method" },
    handle = post },
}

return mcp
