-- Sweeps, what-ifs, maps, fits and scores over HTTP: each answers as its command does, is described
-- by what the command takes, refuses by name, tells its progress and stops when it is cancelled.
local json = require "tandem.io.json"
local served = require "tests.spec.support.served"

local case = served.there() and it or pending

-- #slow: as serve_spec.
describe("studies of tandem serve #slow", function()
  local at, server, run, other
  setup(function()
    if not served.there() then return end
    at = served.shell("mktemp -d"):match "%S+"
    server = served.start(at)
  end)
  teardown(function()
    if not served.there() then return end
    served.stop(server, "KILL")
    os.execute("rm -rf " .. at)
  end)

  local function quote(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

  local function post(path, object, words)
    local status, body = served.ask(server, path, ("%s -d %s"):format(words or "",
      quote(json.encode(object))))
    return status, json.decode(body) or body, body
  end

  -- The same question asked of the command, in a process of its own.
  local function command(words)
    local text = served.shell(("TANDEM_STORE=%s/t.db %s %s --json 2>/dev/null"):format(at,
      served.program, words))
    return json.decode(text).result
  end

  case("simulates two runs to ask about", function()
    local _, made = post("/v1/runs", { scenario_id = "demo", duration = "10s", spans = "all" })
    run = made.run_id
    _, made = post("/v1/runs", { scenario_id = "demo", duration = "10s", spans = "all",
      set = { ["pipeline.compute.tokens"] = 140 } })
    other = made.run_id
    assert.is_string(other)
  end)

  case("jobs say what they are about, and whether they went well", function()
    assert.equal(200, (post("/v1/maps", { run = run })))
    assert.equal(400, (post("/v1/plans", { scenario_id = "demo", load = "fast" })))
    assert.equal(200, (post("/v1/sql", { query = "SELECT 1" })))
    local _, list = served.ask(server, "/v1/jobs")
    local newest = {}
    for _, job in ipairs(json.decode(list).jobs) do newest[job.kind] = newest[job.kind] or job end
    assert.same({ "demo", true }, { newest.run.about, newest.run.well })
    assert.same({ "demo", true }, { newest.map.about, newest.map.well })
    assert.same({ "demo", "done", false }, { newest.plan.about, newest.plan.state,
      newest.plan.well })
    assert.is_nil(newest.sql.about)
  end)

  case("answers as the commands do", function()
    local asked = {
      { "/v1/sweeps", { scenario_id = "demo", over = { rps = "20:60:3", gpus = { 1, 2 } },
        replications = 3 }, "sweep demo --over gpus=1,2 --over rps=20:60:3 --replications 3" },
      { "/v1/whatifs", { scenario_id = "demo", variant = { "two GPUs: gpus=2" },
        replications = 3 }, "whatif demo --variant 'two GPUs: gpus=2' --replications 3" },
      { "/v1/maps", { run = run }, "map " .. run },
      { "/v1/fits", { real = run, split = "half" }, ("fit %s --split half"):format(run) },
      { "/v1/fits", { real = run, scenario_id = "demo" }, ("fit %s --scenario demo"):format(run) },
      { "/v1/scores", { real = run, sim = other, within = "3%" },
        ("score %s %s --within 3%%"):format(run, other) },
    }
    for _, one in ipairs(asked) do
      local status, made = post(one[1], one[2])
      assert.equal(200, status, one[1])
      if one[1] == "/v1/whatifs" then
        assert.truthy(made.plot:find "<svg" and made.plot_slim:find "<svg")
      end
      if one[1] == "/v1/fits" then assert.truthy(made.scenario:find "return td.scenario") end
      made.plot, made.plot_slim, made.scenario = nil, nil, nil
      assert.same(command(one[3]), made, one[1])
    end
  end)

  case("draws a sweep where a chart is asked for, and gives pages", function()
    local _, made = post("/v1/sweeps", { scenario_id = "demo", over = { rps = "20:60:3" },
      replications = 2, plot = "rps,p99" })
    for key, width in pairs { plot = 720, plot_slim = 380 } do
      assert.equal(width, tonumber(made[key]:match '<svg[^>]- width="(%d+)"'), key)
    end
    for path, body in pairs { ["/v1/maps"] = { run = run }, ["/v1/fits"] = { real = run },
      ["/v1/scores"] = { real = run, sim = other } } do
      body.form = "html"
      local status, _, text = post(path, body)
      assert.equal(200, status, path)
      assert.matches("^<!doctype html>", text)
    end
  end)

  case("refuses by name what a command does not take, and what is missing", function()
    local refused = {
      { "/v1/sweeps", { scenario_id = "demo", ovre = {} }, 400, "ovre", "did you mean 'over'" },
      { "/v1/sweeps", { scenario_id = "demo", over = 5 }, 400, "over", "object" },
      { "/v1/sweeps", { scenario_id = "demo", trusted = true }, 400, "trusted", "no 'trusted'" },
      { "/v1/sweeps", { scenario_id = "demo", out = "x.csv" }, 400, "out", "no 'out'" },
      { "/v1/sweeps", { scenario_id = "demo", store = "x.db" }, 400, "store", "no 'store'" },
      { "/v1/sweeps", { scenario_id = "demo", over = { ["-x"] = "1" } }, 400, "over", "name" },
      { "/v1/sweeps", { over = { rps = "1,2" } }, 400, "scenario", "wanted" },
      { "/v1/whatifs", { scenario_id = "demo", variant = { { 1 } } }, 400, "variant", "one value" },
      { "/v1/maps", {}, 400, "run", "missing" },
      { "/v1/maps", { run = "ffff" }, 404, nil, "No run" },
      { "/v1/maps", { run = run, map = "return 1" }, 422, nil, "map" },
      { "/v1/maps", { run = run, map = "os.exit(0)" }, 422, nil, "os" },
      { "/v1/fits", { split = "half" }, 400, "real", "missing" },
      { "/v1/scores", { real = run }, 400, "sim", "missing" },
      { "/v1/scores", { real = run, sim = other, scenario_id = "demo" }, 400, "sim", "not both" },
      { "/v1/scores", { real = run, scenario_id = "demo" }, 400, nil, "scrapes" },
      { "/v1/scores", { real = run, sim = other, form = "csv" }, 400, "form", "json or html" },
      { "/v1/scores", { real = 5, sim = other }, 400, "real", "of type string" },
      { "/v1/scores", { real = run, sim = 1 }, 400, "sim", "of type string" },
      { "/v1/overlays", {}, 400, "real", "missing" },
      { "/v1/overlays", { real = run, sim = { 1 } }, 400, "sim", "of type string" },
      { "/v1/overlays", { reel = run }, 400, "reel", "did you mean 'real'?" },
    }
    for _, one in ipairs(refused) do
      local path, body, wanted, where, word = table.unpack(one, 1, 5)
      local status, made, text = post(path, body)
      assert.equal(wanted, status, path .. text)
      assert.equal(where, made.error.path, text)
      assert.truthy(made.error.message:find(word, 1, true), text)
      assert.is_nil(text:find(at, 1, true), text)
      assert.is_nil(made.error.message:find "[?!][.]$", text)
    end
  end)

  case("describes bodies by what the commands take", function()
    local _, text = served.ask(server, "/openapi.json")
    local document = json.decode(text)
    local function keys(noun)
      local body = document.paths["/v1/" .. noun].post.requestBody.content["application/json"]
      return body.schema.properties
    end
    local command_of = { plans = "plan", sweeps = "sweep", whatifs = "whatif", maps = "map",
      fits = "fit", scores = "score" }
    for noun, name in pairs(command_of) do
      local properties = keys(noun)
      for _, option in ipairs(require("tandem.cli").command(name).options) do
        local key = option[1]:match("%-%-([%w-]+)"):gsub("-", "_")
        if option.choices and key ~= "as" then
          assert.same(option.choices, properties[key].enum, noun .. " " .. key)
        end
      end
      assert.is_nil(properties.trusted)
      assert.is_nil(properties.store)
    end
    assert.is_table(keys("sweeps").over)
    assert.is_nil(keys("fits").texts)
  end)

  case("tells how far a sweep is, and stops it", function()
    local function begin(points)
      local status, job = post("/v1/sweeps", { scenario_id = "demo", replications = 20,
        over = { rps = "20:90:" .. points } }, "-H 'Prefer: respond-async'")
      assert.equal(202, status)
      return job
    end
    local job = begin(40)
    local events = served.shell(("curl -s -N -m 300 %s%s"):format(server.url, job.events))
    local between, last = 0, 0
    for share in events:gmatch '"progress":([%d.]+)' do
      share = tonumber(share)
      assert.is_true(share >= last)
      last = share
      if share > 0 and share < 1 then between = between + 1 end
    end
    assert.equal(1, last)
    assert.is_true(between > 0, events)
    job = begin(4000)
    served.ask(server, "/v1/jobs/" .. job.job_id, "-X DELETE")
    assert.truthy(served.wait(function()
      local _, view = served.ask(server, "/v1/jobs/" .. job.job_id)
      return view:find '"state":"cancelled"'
    end))
  end)
end)
