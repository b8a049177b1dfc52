-- td.echo: the same delay several times, once a round.

local function add(copy)
  copy:after("lua/tandem/language/stages/init.lua", '"hold", "process"', ', "echo"')
  copy:write("lua/tandem/language/stages/echo.lua", [[
--- td.echo: the same delay several times.

local keys = require "tandem.language.keys"

---@type tandem.StageKind
local kind = { type = "echo", doc = "a delay that comes back several times",
  keys = { time = keys.cost("s", { required = true, doc = "how long each takes" }),
    rounds = keys.quantity("1", { integer = true, min = 1, default = 2, doc = "how many" }) },
  example = 'td.echo "again" { time = "2ms", rounds = 3 }' }

function kind.check(s, at)
  if s.rounds > 3 and not at.target then at:report "has more than 3 rounds and no target" end
end

function kind.lower(to, step)
  for _ = 1, step.rounds do to:serve(step, step.time) end
end

function kind.text(s, words) return s.rounds .. " × " .. words(s.time, "s") end

return kind
]])
end

local function check(sh)
  local td = require "tandem"
  local function body(rounds)
    return { name = "s", workload = td.paced { rps = 100 }, requests = 100,
      pipeline = { td.echo "again" { time = "2ms", rounds = rounds } } }
  end
  local s = assert(td.check(body(3)))
  assert(math.abs(s:run { warmup = "none" }:get "latency.mean" - 0.006) < 1e-9)
  assert(tostring(s):find("3 × 2 ms", 1, true), tostring(s))
  local _, problems = td.check(body(4))
  assert(tostring(problems):find "again has more than 3 rounds"
    or tostring(problems):find "more than 3 rounds and no target", tostring(problems))
  _, problems = td.check { name = "s", workload = td.paced { rps = 1 },
    pipeline = { td.echo "again" { tine = "2ms" } } }
  assert(tostring(problems):find "did you mean 'time'", tostring(problems))
  local form = require("tandem.language").types().echo
  assert(form.group == "stage" and form.keys.rounds.default == 2)
  for _, command in ipairs { "build/tandem help td.echo", "build/tandem help stages",
    "cat build/meta/tandem.lua" } do
    local text = sh(command)
    assert(text:find("a delay that comes back several times", 1, true), command .. ": " .. text)
  end
end

return { about = "a stage kind", most = 4, add = add, check = check }
