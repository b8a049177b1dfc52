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
tandem serve listens on http://127.0.0.1:8080 and serves the store of the command line: as pages, to
be opened in a browser at that address, and as an HTTP interface, which these pages use too.

The pages: all runs (filtered, sorted, tagged, compared, removed); a scenario built, by forms or as
its JSON or Lua text, checked as it is written, and simulated; the GPUs of the catalogue; a run
with its figures, charts, requests, timeline, analyses, report and downloads; real traces, uploaded
or dropped, with what their GPUs did and what to change; a real run over a simulated one; capacity
plans; jobs. They need a browser of the last two years and nothing from the internet. Where the
server wants a token they ask for it and keep it for the tab. Timelines and reports run in frames
that may ask the server for nothing.

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

A job says how far it is: /v1/jobs/{id} as progress, /v1/jobs/{id}/events as it goes. Simulations
count requests, imports bytes, analyses and exports the rows they have read; a plan does not know
its end: each round of its searches is half of what was left.

POST /api/profiling/run begins a profiling session: a simulation whose session is listed, with its
timeline as HDF5 and its kernels, beside real traces. Programs are not started here: a capture that
was made elsewhere becomes a session by POST /v1/realtraces.

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
