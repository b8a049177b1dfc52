--- A directory of stores for a spec, and small runs to put into them.
local td = require "tandem"

local fixture = {}

---@class tests.StoreFixture
---@field directory string
local Fixture = {}
Fixture.__index = Fixture

---@return tests.StoreFixture
function fixture.new()
  local directory = os.tmpname()
  os.remove(directory)
  assert(os.execute("mkdir " .. directory))
  return setmetatable({ directory = directory }, Fixture)
end

function Fixture:path(name) return self.directory .. "/" .. name end
function Fixture:remove() os.execute("rm -rf " .. self.directory) end

--- Writes a file into the directory; returns its path.
function Fixture:write(name, text)
  local file = assert(io.open(self:path(name), "wb"))
  file:write(text)
  file:close()
  return self:path(name)
end

--- The bytes of a store: the file and its log.
function Fixture:bytes(name)
  local parts = {}
  for _, ending in ipairs { "", "-wal" } do
    local file = io.open(self:path(name .. ending), "rb")
    if file then
      parts[#parts + 1] = file:read "a"
      file:close()
    end
  end
  return table.concat(parts)
end

--- A scenario of two stages with 50 requests.
function fixture.scenario(fields)
  local body = { requests = 50, workload = td.poisson { rps = 20 }, cpu = { workers = 1 },
    pipeline = { td.fixed "first" { time = "5ms" },
      td.fixed "second" { time = td.exponential "20ms" } }, slo = { p99 = "2s" } }
  for key, value in pairs(fields or {}) do body[key] = value end
  return td.scenario "small" (body)
end

--- Keeps a run; returns its id.
function Fixture:keep(name, options)
  local kept = { store = self:path(name), seed = 1, replications = 2 }
  for key, value in pairs(options or {}) do kept[key] = value end
  local scenario, id = kept.scenario or fixture.scenario(), nil
  kept.scenario = nil
  kept.kept = function(...) id = assert(...) end
  assert(scenario:run(kept))
  return id
end

return fixture
