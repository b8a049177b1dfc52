-- No status of `tandem serve` hangs on the words of a message: two servers are asked the same, one
-- of which has every message of its own and of its jobs replaced, and answer with the same statuses
-- and codes.
local json = require "tandem.io.json"
local served = require "tests.spec.support.served"

local case, shell = served.there() and it or pending, served.shell

local function read(path)
  local file <close> = assert(io.open(path, "rb"))
  return file:read "a"
end

local function write(path, text)
  local file <close> = assert(io.open(path, "wb"))
  file:write(text)
end

-- Puts lines before what a module returns.
local function add(root, path, lines)
  local text = read(root .. "/" .. path)
  local last = text:match "\nreturn %w+%s*$"
  assert(last, path)
  write(root .. "/" .. path, text:sub(1, #text - #last) .. "\n" .. lines .. last)
end

-- A tree of the program's Lua in which one command, that of overlays, has a mistake.
local function tree(root)
  assert(os.execute(("mkdir %s && cp -r lua lib scenarios %s && mkdir %s/src && cp -r src/viewer "
    .. "%s/src"):format(root, root, root, root)))
  add(root, "lua/tandem/cli/overlay.lua", [[function command.run() error "a mistake" end]])
  return root
end

-- Replaces what is said where it passes: complaints, notes and problems of commands, problems of
-- scenarios, answers of the server, failures of its store.
local function reword(root)
  add(root, "lua/tandem/cli/console.lua", [[
local WORDS <const> = "hic sunt leones"
local fail, problems = Console.fail, Console.problems
function Console:fail(code, _, more) return fail(self, code, WORDS, more) end
function Console:note(message) -- where the server listens is read by this test
  self.write_error((message:match "http://[%w.:]+" or WORDS) .. "\n")
end
function Console:problems(list)
  for _, one in ipairs(list) do one.message = WORDS end
  return problems(self, list, WORDS)
end]])
  add(root, "lua/tandem/check/problem.lua", [[
local new, at = problem.new, problem.at
function problem.new(file, line, path) return new(file, line, path, "hic sunt leones") end
function problem.at(where) return at(where, "hic sunt leones") end]])
  add(root, "lua/tandem/serve/answer.lua", [[
local made, checked = answer.problem, answer.check
function answer.problem(status, code, _, ...)
  return made(status, code, "Hic sunt leones.", ...)
end
function answer.check(value, _, code) return checked(value, "hic sunt leones", code) end]])
  add(root, "lua/tandem/cli/envelope.lua", [[
local save = envelope.save
function envelope.save(console, ...)
  for _, one in ipairs(console.noted) do one.what = "hic sunt leones" end
  return save(console, ...)
end]])
  return root
end

local function post(path, value, words)
  return { path, ("%s -d '%s'"):format(words or "", json.encode(value):gsub("'", "'\\''")) }
end

-- What is asked, by turns; "RUN" is a run's id, "TRACE" that of an imported one.
local ASKED <const> = {
  { 400, "bad_json", "/v1/runs", "-d '{'" },
  { 400, "bad_request", post("/v1/runs", { scenario_id = "demo", seeed = 1 }) },
  { 404, "not_found", post("/v1/runs", { scenario_id = "nothing" }) },
  { 404, "not_found", "/v1/runs/ffff" },
  { 404, "not_found", "/v1/nothing" },
  { 405, "wrong_method", "/v1/runs", "-X PUT" },
  { 400, "bad_query", "/v1/runs?limit=x" },
  { 422, "invalid", post("/v1/runs", { scenario_id = "demo", set = { rsp = 4 } }) },
  { 422, "invalid", post("/v1/runs", { scenario = { name = "x" } }) },
  { 422, "invalid", post("/v1/runs", { script = "return 1" }) },
  { 422, "invalid", "/v1/scenarios", "-H 'Content-Type: text/x-lua' -d 'return 1'" },
  { 200, nil, post("/v1/check", { script = "return 1" }) },
  { 400, "bad_request", post("/v1/runs", { scenario_id = "demo", seed = -1 }) },
  { 400, "bad_request", post("/v1/plans", { scenario_id = "demo", kinds = { "H101" },
    load = "9rps" }) },
  { 422, "invalid", post("/v1/plans", { scenario_id = "demo", load = "9rps",
    set = { rsp = 4 } }) },
  { 422, "invalid", "/v1/realtraces", "-F file=@README.md" },
  { 400, "bad_request", "/v1/realtraces", "-F name=x" },
  { 422, "cannot_answer", "/api/profiler/flame?run=TRACE" },
  { 422, "cannot_answer", "/v1/runs/RUN/plots/memory.svg" },
  { 422, "cannot_answer", "/v1/runs/RUN/analyses/osrt?form=csv" },
  { 422, "cannot_answer", "/v1/runs/TRACE/compare?with=TRACE&by=range" },
  { 404, "not_found", "/v1/runs/RUN/analyses/kernel" },
  { 400, "bad_request", "/v1/runs/RUN/analyses/kernels?form=csv&table=nothing" },
  { 500, "bug", post("/v1/overlays", { real = "RUN", sim = "RUN" }) },
  { 404, "not_found", "/api/profiling/session/ffff" },
  { 422, "mode_unavailable", post("/api/profiling/run", { mode = "nsys" }) },
  { 404, "not_found", "/v1/jobs/ffff" },
}

-- #slow: as serve_spec.
describe("tandem serve #slow", function()
  local at
  setup(function() at = shell("mktemp -d"):match "%S+" end)
  teardown(function() os.execute("rm -rf " .. at) end)

  -- Statuses and codes of a server with this tree, and all that it said.
  local function answers(name, root)
    os.execute(("mkdir %s/%s"):format(at, name))
    local server = served.start(at .. "/" .. name, { environment = "TANDEM_ROOT=" .. root })
    local function ask(path, words)
      local status, body = served.ask(server, path, words)
      return status, json.decode(body) or {}, body
    end
    local _, run = ask("/v1/runs", "-d '" .. json.encode { scenario_id = "demo", seed = 1 } .. "'")
    local _, trace = ask("/v1/realtraces",
      "-F file=@tests/data/torch/memory_timeline.raw.json.gz")
    local list, said = {}, {}
    for i, one in ipairs(ASKED) do
      local path, words = one[3], one[4]
      if type(path) == "table" then path, words = path[1], path[2] end
      local function named(text)
        return text and (text:gsub("RUN", run.run_id):gsub("TRACE", trace.real_trace_id))
      end
      local status, value, body = ask(named(path), named(words))
      list[i] = ("%s %s: %d %s"):format(path, words or "", status,
        value.error and value.error.code or "-")
      said[i] = body
    end
    served.stop(server, "KILL")
    return list, said
  end

  case("has the statuses that are promised, whatever its messages say", function()
    local plain, said = answers("plain", tree(at .. "/a"))
    for i, one in ipairs(ASKED) do
      assert.matches((": %d %s"):format(one[1], one[2] or "-"), plain[i], 1, true)
    end
    local reworded, other = answers("reworded", reword(tree(at .. "/b")))
    assert.same(plain, reworded)
    for i, text in ipairs(other) do
      if ASKED[i][1] >= 400 then
        assert.matches("Hic sunt leones.", text, 1, true)
        assert.is_nil(said[i]:find("leones", 1, true))
      end
    end
  end)

  case("finds no run that was removed while its job waited, and says so as data", function()
    local root = tree(at .. "/c")
    -- The server takes any run for there, so that only the job can tell.
    add(root, "lua/tandem/serve/runs.lua", [[
function runs.find() return { id = "ffff", kind = "simulated" } end]])
    os.execute(("mkdir %s/gone"):format(at))
    local server = served.start(at .. "/gone", { environment = "TANDEM_ROOT=" .. root })
    local status, body = served.ask(server, "/v1/runs/ffff/analyses/kernels")
    served.stop(server, "KILL")
    assert.equal(404, status, body)
    assert.equal("not_found", json.decode(body).error.code)
  end)
end)
