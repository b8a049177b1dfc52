-- tandem.sweep.indexed: a sweep as an Indexed Job, run index by index as its pods would.
local indexed = require "tandem.sweep.indexed"
local json = require "tandem.io.json"
local fixture = require "tests.spec.support.store_fixture"

local PROGRAM <const> = os.getenv "PROGRAM" or "build/tandem"

local SCENARIO <const> = [[
local td = require "tandem"
return td.scenario "it's a grid" {
  workload = td.poisson { rps = 10, requests = 200 },
  target   = td.gpu "L40S" {},
  pipeline = { td.fixed "work" { time = "5ms", on = "gpu" } },
}
]]

local function options(more)
  local out = { command = { "tandem", "sweep", "here/grid 1.lua", "--over", "rps=10,20,30,40,50" },
    file = "here/grid 1.lua", text = SCENARIO, tasks = 2, name = "It's a grid!",
    image = "registry.example/tandem:1", claim = "results" }
  for key, value in pairs(more or {}) do out[key] = value end
  return out
end

-- The pod's script: the third word of its command.
local function script_of(document)
  return json.decode((document:match '%- "?%-c"?\n%s+%- (".-[^\\]")\n'))
end

describe("an Indexed Job", function()
  it("has a part for each index and the scenario inside", function()
    local text = assert(indexed.documents(options { time = "90min", memory = "4GiB", cpus = 2 }))
    assert.truthy(text:find("completionMode: Indexed", 1, true))
    assert.truthy(text:find("completions: 2", 1, true))
    assert.truthy(text:find("activeDeadlineSeconds: 5400", 1, true))
    assert.truthy(text:find('memory: "4096Mi"', 1, true))
    assert.truthy(text:find("name: it-s-a-grid\n", 1, true))
    assert.truthy(text:find(json.encode(SCENARIO), 1, true))
    assert.truthy(script_of(text):find('--shard "$JOB_COMPLETION_INDEX/2"', 1, true))
    assert.truthy(script_of(text):find("tandem sweep /scenario/grid-1.lua --over", 1, true))
    assert.truthy(script_of(text):find("--threads 2", 1, true))
    assert.truthy(text:find("# A sweep in 2 parts, written", 1, true))
    assert.truthy(indexed.documents(options { tasks = 1 }):find("in 1 part, written", 1, true))
    assert.truthy(indexed.documents(options { tasks = 100000 }))
    assert.equal(text, assert(indexed.documents(options { time = "90min", memory = "4GiB",
      cpus = 2 })))
  end)

  it("gives the points of the whole sweep when its pods have run", function()
    local files = fixture.new()
    local function run(words)
      local pipe = assert(io.popen(words .. " 2>&1"))
      local out = pipe:read "a"
      pipe:close()
      return out
    end
    run(("mkdir %s"):format(table.concat({ files:path "results", files:path "work0",
      files:path "work1", files:path "scenario", files:path "bin" }, " ")))
    local grid = files:write("scenario/grid-1.lua", SCENARIO)
    run(('ln -s "$(realpath %s)" %s'):format(PROGRAM, files:path "bin/tandem"))
    local script = script_of(assert(indexed.documents(options())))
    local function pod(index)
      local own = script:gsub("/scratch/", files:path("work" .. index) .. "/")
        :gsub("/results/", files:path "results/"):gsub("/scenario/", files:path "scenario/")
      return os.execute(("PATH=%s:$PATH JOB_COMPLETION_INDEX=%d sh %s >%s 2>&1"):format(
        files:path "bin", index, files:write("pod.sh", own), files:path "log"))
    end
    for _, index in ipairs { 0, 1, 1 } do assert.is_true(pod(index)) end -- 1 again: all is there
    assert.truthy(io.open(files:path "log"):read "a":find "3 of 3 points were there already")
    run(("%s merge --into %s %s"):format(PROGRAM, files:path "all.db",
      files:path "results/it-s-a-grid-*.db"))
    local sweep = ("%s sweep %s --over rps=10,20,30,40,50 --csv --no-progress"):format(PROGRAM,
      grid)
    local merged = run(sweep .. " --store " .. files:path "all.db")
    local whole = run(sweep .. " --no-store")
    assert.equal("5 of 5 points were there already\n" .. whole, merged)
    files:remove()
  end)

  it("says in one line what is wrong", function()
    for _, case in ipairs {
      { { tasks = 0 }, "tasks: 0 is not a number of parts" },
      { { tasks = 100001 }, "tasks: 100001 is not a number of parts from 1 to 100000" },
      { { image = "" }, "image: '' is not" },
      { { image = "a b" }, "image: 'a b' is not" },
      { { claim = "My Results" }, "for example 'my%-results'" },
      { { time = "soon" }, "time: soon is not a time limit" },
      { { memory = "much" }, "memory: much is not a size" },
      { { text = ("x"):rep(1000000) }, "has 1000000 bytes" },
      { { text = "\xff" }, "not UTF%-8" },
    } do
      local text, problem = indexed.documents(options(case[1]))
      assert.is_nil(text)
      assert.truthy(problem:find(case[2]), problem)
    end
  end)
end)
