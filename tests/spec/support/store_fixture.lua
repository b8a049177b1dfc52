--- A directory of stores for a spec, and small runs to put into them.
local cli = require "tandem.cli"
local consoles = require "tandem.cli.console"
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

--- Runs a command of the program on the store "a.db".
---@return string out, string err, integer code
function Fixture:tandem(...)
  local words = table.pack(...)
  words[#words + 1] = "--store"
  words[#words + 1] = self:path "a.db"
  local console = consoles.of_strings { unicode = true }
  local code = cli.main(words, console)
  return console.out, console.err, code
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

--- A trace of one rank in tandem's JSON Lines: kernels, collectives among them.
---@param source { path?: string, rank?: integer, utc_ns?: integer, kernels: table[],
---               ranges?: string[], facts?: table<string, string> }
---               kernels: { name, start_ns, dur_ns }
---@return string
function fixture.jsonl(source)
  local encode = require("tandem.io.json").encode
  local lines = { encode { record = "header", format = "tandem-jsonl", version = 1 },
    encode { record = "source", source = 0, path = source.path or "trace.json", format = "kineto",
      detail = "", rank = source.rank, utc_ns = source.utc_ns },
    encode { record = "track", track = 0, process = "GPU #0", name = "stream 7", kind = "stream",
      lane = "GPU", device = 0, stream = 7 },
    encode { record = "track", track = 1, process = "python (7)", name = "thread 7",
      kind = "thread", lane = "CPU", pid = 7, tid = 7 } }
  for _, key in ipairs(require("tandem.text.nearest").sorted_keys(source.facts or {})) do
    lines[#lines + 1] = encode { record = "fact", key = key, value = source.facts[key] }
  end
  lines[#lines + 1] =
    '{"record":"layout","layout":0,"category":"kernel","shape":"span","args":[]}'
  lines[#lines + 1] = '{"record":"layout","layout":1,"category":"nvtx","shape":"span",'
    .. '"args":[["where","json"]]}'
  for _, kernel in ipairs(source.kernels) do
    lines[#lines + 1] = encode { record = "span", layout = 0, track = 0, name = kernel[1],
      start_ns = kernel[2], dur_ns = kernel[3] }
  end
  for i, name in ipairs(source.ranges or {}) do
    lines[#lines + 1] = encode { record = "span", layout = 1, track = 1, name = name,
      start_ns = 1000 * i, dur_ns = 500, args = { where = { "/home/ann/model/net.py", i } } }
  end
  return table.concat(lines, "\n") .. "\n"
end

return fixture
