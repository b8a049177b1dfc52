-- Runs examples of help as a reader would, in the working directory, each with a store of its own:
--   tandem lua run_examples.lua FILE
-- FILE returns a list of { name, code }. Prints one line for each that fails, and how many ran.
-- Where a line of an example ends in `--> text`, what it prints must be that text.
local td = require "tandem"

local failed, ran = 0, 0
local real_print = print

local function fail(name, text, ...)
  failed = failed + 1
  real_print(("%s: %s"):format(name, text:format(...)))
end

-- Output by the line that printed it.
local function collect(env, wanted, seen, name)
  function env.print(...)
    local line, parts = debug.getinfo(2, "l").currentline, table.pack(...)
    for i = 1, parts.n do parts[i] = tostring(parts[i]) end
    local text = table.concat(parts, "\t")
    seen[line] = true
    if wanted[line] and wanted[line] ~= text then
      fail(name, "line %d prints '%s', not '%s'", line, text, wanted[line])
    elseif text:find "^nil" and not wanted[line] then
      fail(name, "line %d prints %s", line, text)
    end
  end
end

local function run(name, code)
  for _, ending in ipairs { "", "-wal", "-shm", "-journal" } do os.remove("tandem.db" .. ending) end
  local env, wanted, seen, number = setmetatable({ td = td }, { __index = _G }), {}, {}, 0
  for line in (code .. "\n"):gmatch "(.-)\n" do
    number = number + 1
    wanted[number] = line:match "%-%->%s+(.-)%s*$"
  end
  collect(env, wanted, seen, name)
  local chunk, wrong = load(code, "=example", "t", env)
  if not chunk then return fail(name, "%s", wrong) end
  local start = os.clock()
  local ok, message = xpcall(chunk, function(m)
    return type(m) == "string" and debug.traceback(m, 2) or tostring(m)
  end)
  if not ok then return fail(name, "%s", message) end
  for line in pairs(wanted) do
    if not seen[line] then fail(name, "line %d prints nothing", line) end
  end
  if os.getenv "TANDEM_EXAMPLE_TIMES" then
    real_print(("%6.2f %s"):format(os.clock() - start, name))
  end
end

local main = ...
for _, one in ipairs(dofile(main or arg[1])) do
  run(one[1], one[2])
  ran = ran + 1
end
real_print(("%d examples ran, %d failures"):format(ran, failed))
os.exit(failed == 0 and 0 or 1)
