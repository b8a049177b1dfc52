--- Help topic: the store over HTTP.
local page = require "tandem.help.page"

-- The routes as they are, so that this never tells of others.
local function routes()
  local lines, widest = {}, 0
  local all = require("tandem.serve.routes").all()
  for _, route in ipairs(all) do widest = math.max(widest, #route.path) end
  for _, route in ipairs(all) do
    lines[#lines + 1] = ("  %-6s %-" .. widest .. "s  %s"):format(route.method, route.path,
      route.summary)
  end
  return table.concat(lines, "\n")
end

return page("the store over HTTP: routes, jobs, who may ask", function()
  return [[
tandem serve listens on http://127.0.0.1:8080 and serves the store of the command line.

  curl -d '{"scenario_id": "demo", "duration": "5s"}' http://127.0.0.1:8080/v1/runs
  curl --compressed http://127.0.0.1:8080/v1/runs/last/trace -o trace.json
  curl -F file=@report.sqlite http://127.0.0.1:8080/v1/realtraces

]] .. routes() .. [[


/openapi.json tells what each takes and answers with. Errors are {"error": {code, message, path}},
path being what of the request is wrong: pipeline.b.kind, a header, a part of the query; problems
lists all of them where a scenario has several.

Simulations, imports, overlays, plans, analyses and exports are jobs: processes of their own with
limits of time (--job-time), memory (--job-memory) and files, of which --jobs run at once. A request
waits up to ten seconds for its job; then it is answered with 202 and {job_id, events, result}.
Prefer: respond-async does not wait. DELETE cancels. Ctrl-C in the server cancels all of them. Jobs
are forgotten an hour after their end; runs stay in the store.

Scenarios and maps that come over the network only ever run in the sandbox. Bodies longer than
64 KiB go to files of the spool (--spool), uploads up to --max-upload, others up to 8 MiB.

A connection that says nothing for --patience seconds, needs longer for a head, or sends a body or
takes an answer slower than 16 KiB a second from then on, is closed. At the end whoever waits is
answered within three seconds.

Requests must be sent to an address, localhost or a --name; those that change something must not
come from a page of another site. On any other address than this machine's own a token is wanted:
Authorization: Bearer TOKEN, with TOKEN in --token-file (chmod 600) or $TANDEM_TOKEN. There is no
TLS: put a proxy before it, or a tunnel.]]
end)
