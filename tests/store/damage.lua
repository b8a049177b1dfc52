-- A store damaged at random, again and again: every figure is the same, or an error says why not.
-- Run inside the program by tests/run-all: DAMAGES=N build/tandem lua tests/store/damage.lua BUILD,
-- DAMAGE_SEED=N for others than the test's; the spec of stores takes the module for a few.
--
-- Owns the kinds of damage and what is read after each. What is read shares nothing with the check:
-- figures are compared with those of the whole store.

local core = require "tandem.core"
local rng = { state = math.tointeger(os.getenv "DAMAGE_SEED") or 20261126 }

-- xorshift: the same damage in every run of the test.
function rng.below(n)
  local x = rng.state
  x = x ~ (x << 13)
  x = x ~ (x >> 7)
  x = x ~ (x << 17)
  rng.state = x
  return (x >> 1) % n
end

local damage = { kinds = {}, below = rng.below }

local function replace(bytes, at, with)
  return bytes:sub(1, at) .. with .. bytes:sub(at + #with + 1)
end

local function noise(count)
  local out = {}
  for i = 1, count do out[i] = string.char(rng.below(256)) end
  return table.concat(out)
end

local PAGE <const> = 4096

damage.kinds[1] = { name = "bit", make = function(bytes)
  local at = rng.below(#bytes)
  return replace(bytes, at, string.char(bytes:byte(at + 1) ~ (1 << rng.below(8))))
end }
damage.kinds[2] = { name = "byte", make = function(bytes)
  local at = rng.below(#bytes)
  return replace(bytes, at, string.char((bytes:byte(at + 1) + 1 + rng.below(255)) % 256))
end }
damage.kinds[3] = { name = "bytes", make = function(bytes)
  local count = 1 + rng.below(600)
  return replace(bytes, rng.below(#bytes - count), noise(count))
end }
damage.kinds[4] = { name = "zeros", make = function(bytes) -- a sector that was never written
  local sector = rng.below(#bytes // 512)
  return replace(bytes, sector * 512, ("\0"):rep(512))
end }
damage.kinds[5] = { name = "page", make = function(bytes) -- zeros, noise, or another page's bytes
  local pages = #bytes // PAGE
  local to, from = rng.below(pages), rng.below(pages)
  local how = rng.below(3)
  return replace(bytes, to * PAGE, how == 0 and ("\0"):rep(PAGE) or how == 1 and noise(PAGE)
    or bytes:sub(from * PAGE + 1, (from + 1) * PAGE))
end }
damage.kinds[6] = { name = "cut", make = function(bytes)
  return bytes:sub(1, rng.below(#bytes))
end }
damage.kinds[7] = { name = "swap", make = function(bytes) -- of two pages
  local pages = #bytes // PAGE
  local a, b = rng.below(pages) * PAGE, rng.below(pages) * PAGE
  local first, second = bytes:sub(a + 1, a + PAGE), bytes:sub(b + 1, b + PAGE)
  return replace(replace(bytes, a, second), b, first)
end }

-- What people see of a store, as one text; raises where any of it is refused.
local QUERIES <const> = {
  "SELECT number, id, kind, name, state, spans, first_ns, last_ns, summary_json, note FROM run",
  "SELECT run, category, count(*), sum(dur_ns), sum(start_ns), count(DISTINCT name), min(name)"
    .. " FROM span GROUP BY 1, 2",
  "SELECT run, sum(length(args)), count(lane), sum(bytes), sum(track) FROM span GROUP BY 1",
  "SELECT run, kind, count(*), sum(from_ns), sum(to_ns) FROM edge GROUP BY 1, 2",
  "SELECT run, name, count(*), sum(value) FROM counter GROUP BY 1, 2",
  "SELECT run, count(*), sum(arrival_ns), sum(end_ns), min(outcome) FROM request GROUP BY 1",
  "SELECT run, key, value FROM fact", "SELECT * FROM metric", "SELECT * FROM run_tag",
  "SELECT run, id, process, name, kind, pid, tid, device FROM track", "SELECT * FROM source",
  "SELECT run, id, name FROM name",
}

function damage.figures(path)
  local out = {}
  local db <close> = assert(core.database(path, { store = true, readonly = true }))
  for _, sql in ipairs(QUERIES) do
    local columns = #assert(db:columns(sql))
    for row in assert(db:lists(sql)) do
      for i = 1, columns do out[#out + 1] = tostring(row[i]) end
    end
  end
  for _, run in ipairs(assert(db:all "SELECT id FROM run ORDER BY number")) do
    local store <close> = assert(require("tandem.store").open(path, { readonly = true }))
    local found = assert(store:run(run.id))
    for _, name in ipairs { "kernels", "copies", "breakdown" } do
      local answer, why, code = found[name](found)
      if not answer and code == 4 then error(why, 0) end
      out[#out + 1] = tostring(answer or why)
    end
  end
  return table.concat(out, "\n")
end

--- Damages a copy of `path` `count` times. Returns how many were noticed, by kind, and the first
--- that changed a figure without an error.
function damage.try(path, count)
  local file <close> = assert(io.open(path, "rb"))
  local whole = file:read "a"
  local truth, copy = damage.figures(path), path .. ".copy"
  local noticed, silent = {}, {}
  for i = 1, count do
    local kind = damage.kinds[(i - 1) % #damage.kinds + 1]
    local bytes = kind.make(whole)
    local out <close> = assert(io.open(copy, "wb"))
    assert(out:write(bytes))
    out:close()
    local ok, figures = pcall(damage.figures, copy)
    if not ok then
      noticed[kind.name] = (noticed[kind.name] or 0) + 1
      local text = tostring(figures)
      if text:find("traceback", 1, true) then silent[#silent + 1] = text end
    elseif figures ~= truth then
      silent[#silent + 1] = ("%s, number %d: other figures, no error"):format(kind.name, i)
    end
    for _, ending in ipairs { "", "-wal", "-shm" } do os.remove(copy .. ending) end
  end
  return noticed, silent
end

--- A small store with a measured and a simulated run, as nothing but its own file.
function damage.make(program, path)
  for _, command in ipairs {
    "import tests/data/nsys/h100_cut.sqlite.gz --name h100", "run demo --duration 2s --spans all",
    "tag last kept", "note last 'to be damaged'" } do
    local pipe = assert(io.popen(("'%s' %s --store '%s' 2>&1"):format(program, command, path)))
    local text = pipe:read "a"
    if not pipe:close() then error(text, 0) end
  end
end

if ... == nil then return damage end

local folder = os.tmpname()
os.remove(folder)
assert(core.files.make(folder))
damage.make((...) .. "/tandem", folder .. "/t.db")
local count = math.tointeger(os.getenv "DAMAGES") or 10000
local noticed, silent = damage.try(folder .. "/t.db", count)
os.execute(("rm -rf '%s'"):format(folder))
local parts = {}
for _, kind in ipairs(damage.kinds) do
  parts[#parts + 1] = ("%s %d"):format(kind.name, noticed[kind.name] or 0)
end
for i = 1, math.min(#silent, 20) do print("FAIL " .. silent[i]) end
print("noticed: " .. table.concat(parts, ", "))
print(("%d passed, %d failed"):format(count - #silent, #silent))
