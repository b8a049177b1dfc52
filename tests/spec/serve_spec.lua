-- `tandem serve` over real sockets, asked by curl: what each route answers, the rules for who may
-- ask, malformed requests, kill -9.
local json = require "tandem.io.json"
local served = require "tests.spec.support.served"

local ask, exists, program, shell, start, stop = served.ask, served.exists, served.program,
  served.shell, served.start, served.stop

local case = served.there() and it or pending

local function quote(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

local SMALL <const> = [[{"name":"small","workload":{"rps":20,"duration_s":2},
  "target":{"tflops":10,"h2d_gbps":16,"d2h_gbps":16,"ms_per_token":0.1},
  "pipeline":[{"name":"pre","kind":"fixed_ms","value":2},
  {"name":"h2d","kind":"bytes","value":1000000},{"name":"decode","kind":"tokens","value":50}]}]]

-- #slow: under sanitizers, jobs take longer than requests wait for them; tests/c/test_serve_*.c are
-- what drives the server there.
describe("tandem serve #slow", function()
  local at, server
  setup(function()
    if not served.there() then return end
    at = shell("mktemp -d"):match "%S+"
    server = start(at)
  end)
  teardown(function()
    if not served.there() then return end
    stop(server, "KILL")
    os.execute("rm -rf " .. at)
  end)

  local function json_of(path, words)
    local status, body = ask(server, path, words)
    local value, wrong = json.decode(body)
    assert.is_nil(wrong, body)
    return status, value
  end

  case("simulates a posted scenario and gives run, breakdown, trace, comparison", function()
    local status, posted = json_of("/v1/scenarios", "-d " .. quote(SMALL))
    assert.equal(201, status)
    local _, again = json_of("/v1/scenarios", "-d " .. quote(SMALL))
    assert.equal(posted.scenario_id, again.scenario_id)
    status, again = json_of("/v1/scenarios/" .. posted.scenario_id)
    assert.equal(200, status)
    assert.equal("small", again.name)
    local made
    status, made = json_of("/v1/runs", ([[-d '{"scenario_id":"%s","seed":3}']]):format(
      posted.scenario_id))
    assert.equal(201, status)
    assert.is_number(made.summary.latency.mean.value)
    assert.is_true(#made.breakdown.stages >= 3)
    status, again = json_of("/v1/runs/" .. made.run_id)
    assert.equal(200, status)
    assert.equal("tandem.result/1", again.result.schema)
    status, again = json_of("/v1/runs/" .. made.run_id .. "/breakdown?limit=2")
    assert.equal(200, status)
    assert.equal(2, #again.requests)
    assert.is_true(#again.requests[1].stages > 0)
    status, again = json_of(made.artifacts.trace, "--compressed")
    assert.equal(200, status)
    assert.is_true(#again.traceEvents > 10)
    local other
    status, other = json_of("/v1/runs", [[-d '{"scenario_id":"small","scenario":{}}']])
    assert.equal(400, status)
    assert.equal("scenario", other.error.path)
    status, other = json_of("/v1/runs", "-d " .. quote('{"scenario":' .. SMALL .. ',"seed":4}'))
    assert.equal(201, status)
    status = json_of(("/v1/runs/%s/compare?with=%s"):format(made.run_id, other.run_id))
    assert.equal(200, status)
    status, other = json_of "/v1/runs?kind=simulated&limit=1"
    assert.equal(200, status)
    assert.equal(1, #other.runs)
  end)

  case("runs Lua texts in the sandbox only", function()
    local status, made = json_of("/v1/scenarios", [[-H 'Content-Type: text/x-lua' -d 'os.exit(0)']])
    assert.equal(422, status)
    assert.equal("invalid", made.error.code)
    status, made = json_of("/v1/scenarios", "-H 'Prefer: respond-async' "
      .. [[-H 'Content-Type: text/x-lua' -d 'while true do end']])
    assert.equal(202, status)
    assert.equal(200, (ask(server, "/healthz")))
    assert.equal(200, (ask(server, "/v1/jobs/" .. made.job_id, "-X DELETE")))
  end)

  case("reads and writes no file that a posted scenario names", function()
    local secret = at .. "/secret.csv"
    local file = assert(io.open(secret, "wb"))
    file:write "arrival,word\n0,hunter2\n1,hunter2\n"
    file:close()
    local lines = at .. "/secret.jsonl"
    file = assert(io.open(lines, "wb"))
    file:write '{"arrival": 0, "word": "hunter2"}\n{"arrival": 1, "word": "hunter2"}\n'
    file:close()
    local talk = at .. "/secret.json"
    file = assert(io.open(talk, "wb"))
    file:write('[{"conversations": [{"from": "human", "value": "hunter2"}, '
      .. '{"from": "gpt", "value": "yes"}]}]')
    file:close()
    local texts = {
      ([[workload = td.replay { file = %q }]]):format(secret),
      ([[workload = td.replay { file = %q }]]):format(lines),
      ([[workload = td.poisson { rps = 1, sizes = td.resample { file = %q } }]]):format(secret),
      ([[workload = td.poisson { rps = 1, sizes = td.resample { file = %q } }]]):format(talk),
      ([[workload = td.replay { file = "../../../../../../%s" }]]):format(secret),
      ([[workload = td.poisson(1), attrs = { n = td.empirical { file = %q, column = "word" } }]])
        :format(secret),
      ([[workload = td.poisson(1), also = assert(td.load(%q))]]):format(secret),
      ([[workload = td.poisson(1), also = td.scenario "y" { workload = td.poisson(1), pipeline =
        { td.fixed "a" { time = 1 } } }:run { trace = %q }]]):format(at .. "/written"),
      [[workload = td.poisson(1), also = assert(td.load("x", { text = "os.exit()",
        trusted = true }))]],
    }
    for _, text in ipairs(texts) do
      local status, body = ask(server, "/v1/runs", "-d " .. quote(json.encode { script =
        ([[local td = require "tandem" return td.scenario "x" { %s, target = "L40", pipeline = {
          td.fixed "a" { time = "1ms" } } }]]):format(text) }))
      assert.equal(422, status, text .. body)
      assert.is_nil(body:find("hunter2", 1, true), body)
    end
    assert.is_false(exists(at .. "/written"))
    -- What is shipped with tandem is read.
    local status, body = ask(server, "/v1/check", [[-d '{"scenario_id": "llm-prefix-routing"}']])
    assert.equal(200, status, body)
    assert.equal(0, #json.decode(body).problems)
  end)

  case("imports an uploaded trace and answers about it", function()
    local status, made = json_of("/v1/realtraces",
      "-F file=@tests/data/kineto/call_stack__backward_thread.json")
    assert.equal(201, status)
    local id = made.real_trace_id
    assert.equal("call_stack__backward_thread.json", made.name)
    for _, path in ipairs { "", "/trace", "/metrics", "/kernels" } do
      assert.equal(200, (ask(server, "/v1/realtraces/" .. id .. path)), path)
    end
    for _, name in ipairs { "flame", "memory", "timeline", "kernels", "hta", "compile" } do
      assert.equal(200, (ask(server, ("/api/profiler/%s?run=%s"):format(name, id))), name)
    end
    local _, hta = json_of("/api/profiler/hta?run=" .. id)
    assert.equal(100, hta.summary.compute_time_pct)
    assert.equal("breakdown", hta.analysis)
    local _, snapshot = json_of("/v1/realtraces", "-F file=@tests/data/torch/snapshot.json")
    local _, memory = json_of("/api/profiler/memory?run=" .. snapshot.real_trace_id)
    assert.near(25.165644, memory.summary.peak_memory_mb, 1e-9)
    local _, log = json_of("/v1/realtraces", "-F file=@tests/data/torch/trace_simple.log.gz")
    local _, compiled = json_of("/api/profiler/compile?run=" .. log.real_trace_id)
    assert.equal(3.25, compiled.summary.fusion_ratio)
    for _, path in ipairs { "sessions", "session/" .. id, "timeline/" .. id .. "/status",
      "kernels/" .. id } do
      assert.equal(200, (ask(server, "/api/profiling/" .. path)), path)
    end
    if exists(served.directory .. "/hdf5.so") then
      local _, body = ask(server, ("/api/profiling/timeline/%s.h5"):format(id),
        "-o " .. at .. "/t.h5")
      assert.equal("", body)
      local file = assert(io.open(at .. "/t.h5", "rb"))
      assert.equal("\137HDF", file:read(4))
      file:close()
    end
    status = json_of("/v1/overlays", ([[-d '{"real":"%s","sim":"%s"}']]):format(id, id))
    assert.equal(200, status)
    status = ask(server, "/api/profiling/session/" .. id, "-X DELETE")
    assert.equal(200, status)
    assert.equal(404, (ask(server, "/v1/realtraces/" .. id)))
    status, made = json_of("/v1/realtraces", "-F 'file=@README.md;filename=../../etc/passwd'")
    assert.equal(422, status)
    assert.equal("invalid", made.error.code)
    assert.equal(400, (ask(server, "/v1/realtraces", "-F name=x")))
  end)

  case("checks a scenario as it is written: problems by their paths, data, Lua text", function()
    local _, status, told
    status, told = json_of("/v1/check", "-d " .. quote(
      [[{"scenario":{"name":"x","workload":{"type":"poisson","rps":20,"duration":"2s"},
      "target":"L40","pipeline":[{"type":"fixed","name":"pre","tiem":"2ms"}]}}]]))
    assert.equal(200, status)
    assert.is_false(told.ok)
    assert.equal("pipeline.pre.tiem", told.problems[1].path)
    assert.truthy(told.problems[1].message:find "did you mean 'time'")
    status, told = json_of("/v1/check", [[-d '{"scenario_id":"demo"}']])
    assert.equal(200, status)
    assert.is_true(told.ok)
    assert.equal("8MiB", told.data.pipeline[2].bytes)
    local again
    status, again = json_of("/v1/check", "-d " .. quote(json.encode { script = told.lua }))
    assert.equal(200, status)
    assert.same(told.lua, again.lua)
    status, told = json_of("/v1/check", [[-d '{"script":"return 1 +"}']])
    assert.equal(200, status)
    assert.equal(1, told.problems[1].line)
    assert.equal(400, (ask(server, "/v1/check", "-d '{}'")))
    -- Formulas stay formulas in data.
    _, told = json_of("/v1/check", [[-d '{"scenario_id":"own-cost"}']])
    _, again = json_of("/v1/check", "-d " .. quote(json.encode { scenario = told.data }))
    assert.equal(told.hash, again.hash)
  end)

  case("keeps a scenario with functions as its script, and its other values as data", function()
    local _, told = json_of("/v1/check", [[-d '{"scenario_id":"coroutine"}']])
    assert.same({ "pipeline.session.fn" }, told.functions)
    assert.is_nil(told.lua)
    local lines = {}
    for line in told.script:gmatch "[^\n]+" do lines[#lines + 1] = line end
    local status
    status, told = json_of("/v1/check", "-d " .. quote(json.encode { scenario = {
      name = "coroutine", script = lines, with = { { ["workload.rps"] = 3 } } } }))
    assert.equal(200, status)
    assert.equal(3, told.data.workload.rps)
  end)

  case("tells what scenarios are made of, and the shipped ones to begin with", function()
    local status, told = json_of "/v1/catalogue"
    assert.equal(200, status)
    local h100
    for _, gpu in ipairs(told.gpus) do h100 = gpu.name == "H100 SXM" and gpu or h100 end
    assert.is_number(h100.flops)
    assert.is_string(h100.sources.bandwidth.title)
    assert.equal("s", told.types.fixed.keys.time.dim)
    assert.is_true(told.types.fixed.keys.time.required)
    assert.same({ "max", "wait" }, { told.types.batch.order[1], told.types.batch.order[5] })
    status, told = json_of "/v1/examples"
    assert.equal(200, status)
    assert.equal("demo", told.examples[1].id)
    assert.equal("One GPU, five steps", told.examples[1].title)
    -- One that reads a shipped recording, though no file of that name is near.
    local _, checked = json_of("/v1/check", [[-d '{"scenario_id":"real-trace"}']])
    assert.is_true(checked.ok)
  end)

  case("gives pages, charts, analyses, tags and traces of a run", function()
    local _, made = json_of("/v1/runs", "-d " .. quote('{"scenario":' .. SMALL
      .. ',"seed":9,"spans":"all"}'))
    local run = "/v1/runs/" .. made.run_id
    local function text_of(path, words)
      local status, body = ask(server, path, words)
      return status == 200 and body or ("%d %s"):format(status, body)
    end
    assert.truthy(text_of(run .. "/timeline"):find 'id="timeline%-data"')
    assert.truthy(text_of(("%s/timeline?with=%s"):format(run, made.run_id)):find "</html>")
    assert.truthy(text_of(run .. "/report"):find "At a glance")
    assert.truthy(shell(("curl -si %s%s/report"):format(server.url, run))
      :find "Content%-Security%-Policy: [^\r]*sandbox")
    local _, list = json_of(run .. "/plots")
    for _, one in ipairs(list.plots) do assert.truthy(text_of(one.href):find "^<svg") end
    assert.equal("latency", list.plots[1].name)
    local status, wrong = json_of(run .. "/plots/latencies.svg")
    assert.equal(404, status)
    assert.truthy(wrong.error.message:find "did you mean 'latency'")
    local _, glance = json_of(run .. "/glance")
    assert.equal("throughput", glance.tiles[1].label)
    local _, told = json_of(run .. "/analyses/launch-delay")
    assert.equal("launch_delay", told.analysis)
    status, wrong = json_of(run .. "/plots/memory.svg")
    assert.equal(422, status)
    assert.equal("cannot_answer", wrong.error.code)
    assert.equal(404, (ask(server, run .. "/analyses/kernel")))
    assert.truthy(text_of(run .. "/trace?format=csv"):find "decode")
    assert.equal(400, (ask(server, run .. "/trace?format=cvs")))
    local _, tagged = json_of(run .. "/tags", [[-d '{"add":["b","a"]}']])
    assert.same({ "a", "b" }, tagged.tags)
    status, wrong = json_of(run .. "/tags", [[-d '{"add":["a","two words"]}']])
    assert.equal(400, status)
    assert.equal("add[2]", wrong.error.path)
    local _, known = json_of "/v1/analyses"
    assert.equal("kernels", known.analyses[1].name)
    assert.truthy(text_of("/v1/overlays", ([[-d '{"real":"%s","sim":"%s","form":"svg"}']]):format(
      made.run_id, made.run_id)):find "^<svg")
  end)

  case("has pages for a browser, whose files are told apart by tags", function()
    local head = shell("curl -si " .. server.url .. "/")
    assert.truthy(head:find "Content%-Type: text/html")
    assert.truthy(head:find "Content%-Security%-Policy: default%-src 'self'")
    local tag = shell("curl -si " .. server.url .. "/ui/app.js"):match "ETag: (%S+)"
    assert.equal(304, (ask(server, "/ui/app.js", "-H " .. quote("If-None-Match: " .. tag))))
    assert.equal(404, (ask(server, "/ui/none.js")))
    assert.equal(404, (ask(server, "/ui/%2e%2e%2fpage.css", "--path-as-is")))
  end)

  case("has the manual, in a sandbox, as tandem doc writes it", function()
    local head = shell("curl -sI " .. server.url .. "/docs")
    assert.truthy(head:find("sandbox allow-scripts", 1, true))
    local page = shell("curl -s --compressed " .. server.url .. "/docs")
    assert.equal(shell(program .. " doc --out -"), page)
  end)

  case("plans", function()
    local status, made = json_of("/v1/plans", [[-d '{"scenario_id":"demo","kinds":["L40S"],
      "load":"200rps","slo":{"p99":"250ms"},"replications":8}']])
    assert.equal(200, status)
    assert.equal("gpus", made.find)
    assert.truthy(made.plot:find "^<%?xml" or made.plot:find "^<svg")
  end)

  case("answers long runs with a job that tells its progress and can be cancelled", function()
    local status, job = json_of("/v1/runs", "-H 'Prefer: respond-async' -d "
      .. quote [[{"scenario_id":"demo","duration":"3000s","replications":400,"engine":"event"}]])
    assert.equal(202, status)
    local _, view = json_of("/v1/jobs/" .. job.job_id)
    assert.truthy(view.state == "queued" or view.state == "running")
    assert.equal(202, (ask(server, "/v1/jobs/" .. job.job_id .. "/result")))
    -- It is cancelled when it has told of itself.
    local events = shell(("curl -s -N -m 300 %s/v1/jobs/%s/events | while read -r line; do "
      .. "echo \"$line\"; case $line in *running*) curl -s -X DELETE %s/v1/jobs/%s >/dev/null;; "
      .. "esac; done"):format(server.url, job.job_id, server.url, job.job_id))
    assert.truthy(events:find "event: progress")
    assert.truthy(events:find '"state":"cancelled"')
    assert.equal(409, (ask(server, "/v1/jobs/" .. job.job_id .. "/result")))
    assert.equal(404, (ask(server, "/v1/jobs/0000")))
    assert.equal(200, (ask(server, "/v1/jobs")))
  end)

  -- What the events of a job say of its progress, in order.
  local function told(path, words)
    local status, job = json_of(path, "-H 'Prefer: respond-async' " .. words)
    local shares = {}
    if status == 200 or status == 201 then return { 1 } end -- over before anybody looked
    assert.equal(202, status, path)
    local events = shell(("curl -s -N -m 300 %s%s"):format(server.url, job.events))
    for share in events:gmatch '"progress":([%d.]+)' do shares[#shares + 1] = tonumber(share) end
    assert.truthy(events:find 'event: end\ndata: {[^\n]*"state":"done"', path .. "\n" .. events)
    return shares
  end

  -- A job that is over before anybody looks tells nothing: then four times the work is asked.
  case("tells how far each kind of job is", function()
    local trace = at .. "/told.json"
    local size = 25000
    local kinds = {
      run = function()
        return "/v1/runs", "-d " .. quote(([[{"scenario_id":"demo","requests":%d,
          "engine":"event"}]]):format(24 * size))
      end,
      trace = function(run) return "/v1/runs/" .. run .. "/trace", "" end,
      import = function(run)
        local path = "/v1/runs/" .. run .. "/trace"
        assert.equal(200, (ask(server, path, "--compressed -o " .. trace)))
        return "/v1/realtraces", "-F file=@" .. trace
      end,
      analysis = function(run) return "/api/profiler/flame?run=" .. run, "" end,
      overlay = function(run)
        return "/v1/overlays", ([[-d '{"real":"%s","sim":"%s"}']]):format(run, run)
      end,
      plan = function()
        return "/v1/plans", ([[-d '{"scenario_id":"demo","kinds":["L40S","H100"],"load":"400rps",
          "slo":{"p99":"250ms"},"replications":%d}']]):format(math.min(2000, size // 1000))
      end,
    }
    repeat
      local _, made = json_of("/v1/runs", "-d " .. quote(([[{"scenario_id":"demo","requests":%d,
        "replications":1,"spans":"all"}]]):format(size)))
      for name, request in pairs(kinds) do
        local shares, between = told(request(made.run_id)), 0
        assert.equal(1, shares[#shares], name)
        for i, share in ipairs(shares) do
          if share > 0 and share < 1 then between = between + 1 end
          assert.is_true(i == 1 or share >= shares[i - 1], name)
        end
        if between > 0 then kinds[name] = nil end
      end
      size = 4 * size
    until not next(kinds) or size > 2000000
    assert.is_nil(next(kinds), "told nothing on its way, however much there was to do")
  end)

  case("documents every route with what the table says", function()
    local _, document = json_of "/openapi.json"
    for _, route in ipairs(require("tandem.serve.routes").all()) do
      local operation = document.paths[route.path][route.method:lower()]
      assert.equal(route.summary, operation.summary)
      if route.example then assert.is_nil((select(2, json.decode(route.example)))) end
    end
    local _, text = ask(server, "/metrics")
    assert.truthy(text:find 'tandem_requests_total{status="2xx"} %d')
  end)

  -- The examples of the document, those that remove something last.
  local function examples(document)
    local list = {}
    for path, methods in pairs(document.paths) do
      for method, operation in pairs(methods) do
        list[#list + 1] = { path = path, method = method, answers = operation.responses,
          tag = operation.tags[1], line = operation["x-codeSamples"][1].source }
      end
    end
    local order = { get = 2, head = 3, patch = 4, delete = 6 }
    local function rank(one) -- what is begun comes before what is looked at, and ends after it
      return one.path:find "/finish$" and 5 or order[one.method] or 1
    end
    table.sort(list, function(a, b)
      if rank(a) ~= rank(b) then return rank(a) < rank(b) end
      return a.path .. a.method < b.path .. b.method
    end)
    return list
  end

  case("has an example of each route, and each of them works", function()
    local _, document = json_of "/openapi.json"
    local ids = {}
    os.execute(("cp tests/data/nsys/healthy_1pct.sqlite %s/report.sqlite; "
      .. "head -c 1000 /dev/zero > %s/runs.part"):format(at, at))
    local _, run = json_of("/v1/runs", "-d " .. quote('{"scenario":' .. SMALL .. "}"))
    ids.runs = run.run_id
    local list = examples(document)
    for _, one in ipairs(list) do
      local line = one.line:gsub("http://127%.0%.0%.1:8080", server.url)
      local given = document.paths[one.path][one.method].parameters
      local example = given and given[1] and given[1]["in"] == "path" and given[1].example
      if example and ids[one.tag] then
        line = line:gsub("/" .. example, "/" .. ids[one.tag], 1)
      end
      local text = shell(("cd %s && %s -s -m 60 -o answer -w '%%{http_code}'"):format(at, line))
      local file = assert(io.open(at .. "/answer", "rb"))
      local body = file:read "a"
      file:close()
      assert.truthy(one.answers[text:match "%d+$"], one.line .. "\n" .. text .. body:sub(1, 500))
      -- What was sent is not a store, so that is what its end says.
      local wanted = one.path:find "/finish$" and "422" or "2%d%d"
      assert.truthy(text:find(wanted .. "$"), one.line .. "\n" .. text .. body:sub(1, 500))
      local made = one.method == "post" and json.decode(body)
      if one.path == "/v1/uploads" then ids.uploads = made.upload_id end
      if one.path == "/v1/realtraces" and made then
        ids.realtraces, ids.sessions = made.real_trace_id, made.real_trace_id
      end
      if one.path == "/api/profiling/run" then ids.jobs = made.job_id end
    end
    assert.is_true(#list >= 40)
  end)

  case("simulates profiling sessions, and says what it cannot capture", function()
    local status, made = json_of "/api/profiling/modes"
    assert.equal(200, status)
    assert.is_true(made.modes[1].available)
    assert.is_false(made.modes[2].available)
    status, made = json_of("/api/profiling/run", [[-d '{"mode":"nsys"}']])
    assert.equal(422, status)
    assert.equal("mode_unavailable", made.error.code)
    status, made = json_of("/api/profiling/run", [[-d '{"mode":"nsis","scenario_id":"demo"}']])
    assert.equal(400, status)
    assert.truthy(made.error.message:find "'nsys'")
    status, made = json_of("/api/profiling/run", "-d " .. quote('{"scenario":' .. SMALL .. "}"))
    assert.equal(202, status)
    local id, session, _ = made.session_id, nil, nil
    served.wait(function()
      _, session = json_of("/api/profiling/session/" .. id)
      return session.status ~= "pending" and session.status ~= "running"
    end)
    assert.equal("completed", session.status)
    assert.equal("simulated", session.mode)
    assert.is_true(session.total_events > 0)
    local _, listed = json_of "/api/profiling/sessions"
    assert.equal(id, listed.sessions[1].session_id)
    local _, told_of = json_of("/api/profiling/kernels/" .. id)
    assert.is_true(told_of.kernels[1].total_ns > 0)
    if exists(served.directory .. "/hdf5.so") then
      assert.equal(200, (ask(server, ("/api/profiling/timeline/%s.h5"):format(id), "-o /dev/null")))
      _, told_of = json_of(("/api/profiling/timeline/%s/status"):format(id))
      assert.equal("ready", told_of.status)
    end
    assert.equal(200, (ask(server, "/api/profiling/session/" .. id, "-X DELETE")))
    status, made = json_of("/api/profiling/run", [[-d '{"scenario":{"name":"x"}}']])
    assert.equal(202, status)
    served.wait(function()
      _, session = json_of("/api/profiling/session/" .. made.session_id)
      return session.status == "failed"
    end)
    assert.equal("invalid", session.error.code)
  end)

  case("names what is wrong with a request", function()
    assert.equal(405, (ask(server, "/v1/runs", "-X PUT")))
    assert.truthy(shell("curl -si -X PUT " .. server.url .. "/v1/runs")
      :find "Allow: GET, HEAD, POST")
    local status, made = json_of("/v1/runs", "-d '{\"scenario\":'")
    assert.equal(400, status)
    assert.equal("bad_json", made.error.code)
    status, made = json_of "/v1/runs/ffff"
    assert.equal(404, status)
    assert.equal("not_found", made.error.code)
    assert.equal(404, (ask(server, "/v1/nothing")))
    assert.equal(400, (ask(server, "/v1/runs?limit=-1")))
    os.execute(("head -c 9000000 /dev/zero > %s/big"):format(at))
    assert.equal(413, (ask(server, "/v1/runs", ("--data-binary @%s/big"):format(at))))
    assert.equal(413, (ask(server, "/v1/runs",
      ("-H 'Transfer-Encoding: chunked' --data-binary @%s/big"):format(at))))
    assert.equal(200, (ask(server, "/v1/runs", "-I")))
    status, made = json_of("/v1/runs", [[-d '{"scenario":{"name":"x","workload":{"rps":5,
      "duration_s":2},"target":{},"pipeline":[{"name":"b","kind":"bites","value":1}]}}']])
    assert.equal(422, status)
    assert.equal("pipeline.b.kind", made.error.path)
  end)

  case("refuses pages of other sites and names that were rebound to it", function()
    assert.equal(403, (ask(server, "/v1/runs", "-H 'Host: evil.example'")))
    assert.equal(403, (ask(server, "/v1/runs", "-H 'Origin: http://evil.example' -d '{}'")))
    assert.equal(403, (ask(server, "/v1/runs", "-H 'Sec-Fetch-Site: cross-site' -d '{}'")))
    assert.equal(400, (ask(server, "/v1/runs",
      ("-H 'Origin: http://127.0.0.1:%s' -d '{}'"):format(server.port))))
  end)

  case("wants the token where there is one, and listens elsewhere only with one", function()
    local here = shell("mktemp -d"):match "%S+"
    local guarded = start(here, { environment = "TANDEM_TOKEN=correct-horse-battery" })
    local bearer = "-H 'Authorization: Bearer correct-horse-%s'"
    assert.equal(401, (ask(guarded, "/v1/runs")))
    assert.equal(401, (ask(guarded, "/v1/runs", bearer:format "batterz")))
    assert.equal(200, (ask(guarded, "/v1/runs", bearer:format "battery")))
    assert.equal(200, (ask(guarded, "/healthz")))
    assert.is_true(stop(guarded))
    os.execute(("echo a-token-of-enough-letters > %s/token; chmod 644 %s/token"):format(here, here))
    assert.truthy(shell(("%s serve --token-file %s/token --listen 127.0.0.1:0 2>&1"):format(program,
      here)):find "chmod 600")
    assert.truthy(shell(program .. " serve --listen 0.0.0.0:0 2>&1"):find "a token is wanted")
    os.execute("rm -rf " .. here)
  end)

  case("survives 200 malformed requests and answers the next one", function()
    math.randomseed(7)
    local pieces = { "GET ", "POST ", "/v1/runs", "/%00", "/../../etc", " HTTP/1.1\r\n", "\r\n",
      "Host: localhost\r\n", "Host: \255\r\n", "Content-Length: -1\r\n", "\r\n\r\n",
      "Content-Length: 99999999999999999999\r\n", "Transfer-Encoding: chunked\r\n",
      "ffffffffff\r\n",
      "Content-Type: multipart/form-data\r\n", "{\"scenario\":", ("A"):rep(3000), "?limit=%ff&&=",
      "Content-Type: multipart/form-data; boundary=x\r\n", "--x\r\n", "--x--\r\n", "0\r\n\r\n",
      "Content-Disposition: form-data; name=\"f\"; filename=\"../../x\"\r\n\r\n" }
    local script = assert(io.open(at .. "/fuzz.sh", "w"))
    for i = 1, 200 do
      local text = {}
      if i % 2 == 0 then text[1] = "POST /v1/realtraces HTTP/1.1\r\nHost: localhost\r\n" end
      for _ = 1, math.random(1, 9) do text[#text + 1] = pieces[math.random(#pieces)] end
      local bytes = table.concat(text):gsub(".", function(c)
        return ("\\x%02x"):format(c:byte())
      end)
      script:write(("{ exec 3<>/dev/tcp/127.0.0.1/%s && printf '%s' >&3; exec 3>&-; }\n"):format(
        server.port, bytes))
    end
    script:close()
    os.execute(("bash %s/fuzz.sh >/dev/null 2>&1"):format(at))
    assert.equal(200, (ask(server, "/healthz")))
  end)

  -- The status line of what is sent as it stands.
  local function raw(lines)
    local text = table.concat(lines, "\\r\\n"):gsub("'", "'\\''")
    return shell(("bash -c 'exec 3<>/dev/tcp/127.0.0.1/%s; printf \"%s\" >&3; head -1 <&3'")
      :format(server.port, text))
  end

  case("refuses heads that two parties could read differently", function()
    local head = { "POST /v1/scenarios HTTP/1.1", "Host: localhost" }
    local function with(...)
      local lines = table.move(head, 1, #head, 1, {})
      for _, line in ipairs { ... } do lines[#lines + 1] = line end
      lines[#lines + 1] = ""
      lines[#lines + 1] = "{}"
      return raw(lines)
    end
    assert.matches("^HTTP/1.1 4[012]%d", with "Content-Length: 2")
    assert.not_matches("^HTTP/1.1 400 .*", raw { "GET /healthz HTTP/1.1", "Host: localhost",
      "Connection: close", "", "" })
    for _, lines in ipairs { { "Content-Length: 2", "Content-Length: 3" },
      { "Content-Length: 2", "Transfer-Encoding: chunked" }, { "Host: example.org",
        "Content-Length: 2" }, { "Content-Length: 2, 2" }, { "Content-Length: +2" },
      { "Transfer-Encoding: gzip, chunked" }, { "Transfer-Encoding: identity" },
      { "Transfer-Encoding: chunked", "Transfer-Encoding: chunked" },
      { "Transfer-Encoding : chunked", "Content-Length: 2" },
      { "A: b\\rContent-Length: 2", "Content-Length: 2" } } do
      assert.matches("^HTTP/1.1 400", with(table.unpack(lines)), table.concat(lines, "; "))
    end
    -- The head alone: the server closes after it, and bash would die of lines that it still sends.
    assert.matches("^HTTP/1.. 400", raw { "POST /v1/scenarios HTTP/1.0", "Host: localhost",
      "Transfer-Encoding: chunked", "", "" })
    local function absolute(host)
      return raw { "GET http://localhost:80/healthz HTTP/1.1", "Host: " .. host,
        "Connection: close", "", "" }
    end
    assert.matches("^HTTP/1.1 200", absolute "localhost:80")
    assert.matches("^HTTP/1.1 400", absolute "localhost")
    assert.matches("^HTTP/1.1 403", raw { "GET http://example.org/healthz HTTP/1.1",
      "Host: example.org", "Connection: close", "", "" })
    assert.matches("^HTTP/1.1 403", raw { "GET /healthz HTTP/1.1", "Host: localhost:80:80",
      "Connection: close", "", "" })
    assert.equal(404, (ask(server, "/healthz%00")))
    assert.equal(200, (ask(server, "/health%7A")))
    assert.equal(200, (ask(server, "/healthz")))
  end)

  case("answers others while one address holds all it can", function()
    local script = assert(io.open(at .. "/half.sh", "w"))
    script:write(("ulimit -n 4096; for i in $(seq 1000); do { eval \"exec $((i + 20))<>"
      .. "/dev/tcp/127.0.0.1/%s\"; } 2>/dev/null; done; echo held; sleep 30\n"):format(server.port))
    script:close()
    local pid = shell(("bash %s/half.sh > %s/half.log 2>&1 & echo $!"):format(at, at)):match "%d+"
    assert(served.wait(function()
      return shell(("cat %s/half.log"):format(at)):find "held"
    end))
    assert.equal(200, (ask(server, "/healthz", "-m 20 --interface 127.0.0.3")))
    os.execute("kill " .. pid)
  end)

  case("answers those of an address that holds all it can with half bodies", function()
    local here = shell("mktemp -d"):match "%S+"
    local patient = start(here, { words = "--patience 86400" })
    local script = assert(io.open(at .. "/bodies.sh", "w"))
    script:write(([[ulimit -n 4096
for i in $(seq 256); do
  { eval "exec $((i + 20))<>/dev/tcp/127.0.0.1/@"; printf 'POST /v1/runs HTTP/1.1\r\nHost: \
localhost\r\nContent-Length: 1000\r\n\r\nabc' >&$((i + 20)); } 2>/dev/null
done
echo held
sleep 300]]):gsub("@", patient.port):gsub("\\\n", ""))
    script:close()
    local pid = shell(("bash %s/bodies.sh > %s/bodies.log 2>&1 & echo $!"):format(at,
      at)):match "%d+"
    assert(served.wait(function() return shell(("cat %s/bodies.log"):format(at)):find "held" end))
    assert(served.wait(function() return ask(patient, "/healthz", "-m 20") == 200 end))
    os.execute("kill " .. pid)
    assert.is_true(stop(patient))
    os.execute("rm -rf " .. here)
  end)

  case("shows no addresses in SQL", function()
    local out = shell(("%s sql \"SELECT hex(fts3_tokenizer('simple'))\" --store %s/t.db 2>&1")
      :format(program, at))
    assert.matches("fts3_tokenizer is not available", out)
    out = shell(("%s sql 'EXPLAIN SELECT * FROM span' --store %s/t.db 2>&1"):format(program, at))
    assert.matches("EXPLAIN is not available; EXPLAIN QUERY PLAN is\n$", out)
    out = shell(("%s sql 'EXPLAIN QUERY PLAN SELECT * FROM span' --store %s/t.db 2>&1"):format(
      program, at))
    assert.matches("SCAN", out)
  end)

  case("loses nothing stored by kill -9 in an upload and in a run", function()
    local here = shell("mktemp -d"):match "%S+"
    local first = start(here)
    local _, made = ask(first, "/v1/runs", "-d " .. quote('{"scenario":' .. SMALL .. "}"))
    local id = json.decode(made).run_id
    local _, job = ask(first, "/v1/runs", "-H 'Prefer: respond-async' -d "
      .. quote [[{"scenario_id":"demo","duration":"3000s","replications":4000,"engine":"event"}]])
    job = "/v1/jobs/" .. json.decode(job).job_id
    os.execute(("head -c 30000000 /dev/zero > %s/big; curl -s -m 300 --limit-rate 100K "
      .. "-F file=@%s/big %s/v1/realtraces >/dev/null &"):format(here, here, first.url))
    assert(served.wait(function()
      return select(2, ask(first, job)):find '"running"'
        and shell(("ls %s/t.db-spool"):format(here)):find "body%-"
    end))
    assert.is_true(stop(first, "KILL"))
    local second = start(here)
    local status, body = ask(second, "/v1/runs")
    assert.equal(200, status)
    assert.equal(1, #json.decode(body).runs)
    assert.equal(200, (ask(second, "/v1/runs/" .. id)))
    assert.equal("", shell(("ls %s/t.db-spool | grep body-"):format(here)))
    assert.is_true(stop(second, "INT"))
    assert.truthy(shell(("%s sql 'PRAGMA integrity_check' --store %s/t.db"):format(program, here))
      :find "ok")
    os.execute("rm -rf " .. here)
  end)
end)
