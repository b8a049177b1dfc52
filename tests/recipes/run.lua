-- The recipes of "How to add" (src/README.md), followed:
-- BUILD/tandem lua tests/recipes/run.lua BUILD
--
-- Each file beside this one adds one thing to a copy of the tree in BUILD/recipes, by the files
-- that its recipe names and no more; the copy is built; then each thing is used, by the program
-- that was built. A recipe returns { about, most = how many files of the product it may touch,
-- add = function(copy), check = function(sh) }. Prints a line for each, and "N passed, N failed".

local NAMES <const> = { "distribution", "stage", "arrivals", "scheduler_option", "analysis",
  "command", "scenario", "model_family", "search", "kernel_rule", "card", "reader", "driver_call",
  "writer", "advice", "kind_of_test" }

local function recipe(name) return require("tests.recipes." .. name) end

--- What a shell says, and whether it left with 0.
---@param command string
---@return string, boolean
local function sh(command)
  local pipe = assert(io.popen("{ " .. command .. "; } 2>&1"))
  local text = pipe:read "a"
  return text, pipe:close() == true
end

-- In the copy, by its program.
if arg[1] == "--check" then
  recipe(arg[2]).check(sh)
  return
end

local build = assert(arg[1], "which build?")
local folder = build .. "/recipes"
local passed, failed = 0, 0

local function report(ok, what, why)
  if ok then passed = passed + 1 else failed = failed + 1 end
  print(("%s %s%s"):format(ok and "ok  " or "FAIL", what, why and ": " .. why or ""))
  return ok
end

-- Objects come along with their times, so that only what a recipe touched is compiled.
local text, ok = sh(("rm -rf '%s' && mkdir -p '%s/build' '%s/tests' && "
  .. "cp -Rp Makefile src lua lib scenarios notebooks '%s' && cp -Rp tests/recipes tests/run-deps "
  .. "tests/run-all '%s/tests' && cp -Rp '%s/obj' '%s/luac' '%s/build'"):format(folder, folder,
  folder, folder, folder, build, build, folder))
assert(ok, text)

local Copy = require "tests.recipes.copy"
local added = {}
for _, name in ipairs(NAMES) do
  local one, copy = recipe(name), Copy.new(folder)
  local done, why = pcall(one.add, copy)
  local files = copy:files()
  if not done then
    report(false, name, why)
  elseif report(#files <= one.most, ("%s: %d files"):format(name, #files),
    #files > one.most and ("more than %d: %s"):format(one.most, table.concat(files, ", "))) then
    added[#added + 1] = name
  end
end

-- Without optimization: what is compiled here is used once.
text, ok = sh(("%s -C '%s' BUILD=build OPTIMIZE=-O1 all"):format(os.getenv "MAKE" or "make",
  folder))
if not ok then print(text:sub(-6000)) end
report(ok, "the copy builds")
for _, name in ipairs(ok and added or {}) do
  local said, fine = sh(("cd '%s' && TANDEM_STORE=$PWD/store.db NO_COLOR=1 build/tandem lua "
    .. "tests/recipes/run.lua --check %s"):format(folder, name))
  report(fine, name .. " works", not fine and said:sub(-2000) or nil)
end
print(("%d passed, %d failed"):format(passed, failed))
os.exit(failed == 0)
