-- Help on every public name: none without words, types, units, errors and an example that runs.

local call = require "tandem.help.call"
local calls = require "tandem.help.calls"
local live = require "tandem.embedded"
local nearest = require "tandem.text.nearest"
local node = require "tandem.language.node"
local public = require "tandem.help.public"
local styles = require "tandem.plot.style"
local support = require "tests.spec.support.public"

-- How many there were when this was written: what is found must not shrink unseen.
local FUNCTIONS <const>, METHODS <const>, CONSTRUCTORS <const>, TABLES <const> = 54, 190, 51, 34

-- Objects with methods that no script gets: nothing public names them.
local INSIDE <const> = { ["tandem.View"] = true, ["tandem.Space"] = true, ["tandem.Crew"] = true,
  ["tandem.SvgChart"] = true, ["tandem.Transport"] = true, ["tandem.Parcel"] = true,
  ["tandem.Uploads"] = true, ["tandem.Scratch"] = true, ["tandem.llm.Calibration"] = true }

-- The metatables of the program's objects, wherever its modules keep them: by name, the functions
-- that values of that kind have.
local function live_objects()
  local found, seen, waiting = {}, {}, {}
  local function want(value)
    local kind = type(value)
    if (kind == "table" or kind == "function") and not seen[value] then
      seen[value] = true
      waiting[#waiting + 1] = value
    end
  end
  local function methods_of(index, into)
    if type(index) == "table" then
      for name, member in next, index do
        if type(member) == "function" and type(name) == "string" then into[name] = member end
      end
    elseif type(index) == "function" then -- looks names up in tables that it closes over
      for i = 1, 20 do
        local name, value = debug.getupvalue(index, i)
        if not name then break end
        if (name == "methods" or name == "METHODS") then methods_of(value, into) end
      end
    end
  end
  for _, file in ipairs(live.list "lua/tandem/") do
    local module = file:match "^lua/(.*)%.lua$"
    module = module and module:gsub("/init$", ""):gsub("/", ".")
    -- Commands, workers and kernels do something when they are loaded, or are for nobody's scripts.
    local skipped = not module or module:find "^tandem%.meta" or module:find "^tandem%.cli"
      or module:find "^tandem%.worker" or module:find "^tandem%.jupyter"
      or module:find "^tandem%.shell" or module:find "^tandem%.serve"
    if not skipped then
      local ok, value = pcall(require, module)
      if ok then want(value) end
    end
  end
  while #waiting > 0 do
    local value = table.remove(waiting)
    if type(value) == "table" then
      local name = rawget(value, "__name")
      if type(name) == "string" and name:find "^tandem%." then
        local into = found[name] or {}
        found[name] = into
        methods_of(rawget(value, "__index"), into)
      end
      for _, member in next, value do want(member) end
      want(debug.getmetatable(value))
    else
      for i = 1, 255 do
        local name, member = debug.getupvalue(value, i)
        if not name then break end
        want(member)
      end
    end
  end
  return found
end

local function none(problems, label)
  assert.equal(0, #problems, (label or "") .. "\n" .. table.concat(problems, "\n"))
end

-- A directory with a trace of a reader's.
local function with_capture()
  local directory = os.tmpname()
  os.remove(directory)
  assert(os.execute(("mkdir -p '%s' && cp '%s' '%s/capture.json.gz'"):format(directory,
    "tests/data/kineto/inference__sglang_decode__sglang_Qwen3-8B_decode.json.gz", directory)))
  return directory
end

-- Runs a script of support there, and what it prints; the directory goes.
local function in_directory(directory, script, argument)
  local program = os.getenv "PROGRAM" or "build/tandem"
  local from = assert(io.popen "pwd"):read "l"
  if not program:find "^/" then program = from .. "/" .. program end
  local pipe = assert(io.popen(("cd '%s' && unset TANDEM_STORE && '%s' lua "
    .. "'%s/tests/spec/support/%s' %s 2>&1"):format(directory, program, from, script,
    argument or "")))
  local told = pipe:read "a"
  pipe:close()
  os.execute(("rm -rf '%s'"):format(directory))
  return told
end

describe("help on public names", function()
  it("has words, types, units, errors and an example for each", function()
    local problems, functions, methods = {}, 0, 0
    for _, one in ipairs(public.names()) do
      if one.owner:find "^td" then functions = functions + 1 else methods = methods + 1 end
      local lacks = support.lacks(one, call.about(one))
      table.move(lacks, 1, #lacks, #problems + 1, problems)
    end
    none(problems)
    assert.is_true(functions >= FUNCTIONS, functions)
    assert.is_true(methods >= METHODS, methods)
  end)

  it("reports a name without help, and each thing that one lacks", function()
    local td = require "tandem"
    rawset(td, "planted", function(x) return x end)
    local planted
    for _, one in ipairs(public.functions()) do
      planted = one.name == "td.planted" and one or planted
    end
    rawset(td, "planted", nil)
    assert.same({ "td.planted: no comment above its definition" }, support.lacks(planted, nil))
    local entry = require("tandem.shell.annotations").parse("x.lua", table.concat({
      "---@param wait number", "---@return number", "function Thing:does(wait, often)" }, "\n"))[1]
    assert.same({ "Thing:does: no description", "Thing:does: no type of its parameter often",
      "Thing:does: wait is a number without a unit",
      "Thing:does: its return is a number without a unit", "Thing:does: no errors",
      "Thing:does: no example" },
      support.lacks({ name = "Thing:does", owner = "Thing", word = "does", entry = entry }, nil))
  end)

  it("knows every method that the program's objects have", function()
    local problems, objects = {}, 0
    local found = live_objects()
    for _, name in ipairs(nearest.sorted_keys(found)) do
      local methods = found[name]
      if next(methods) and not INSIDE[name] then
        objects = objects + 1
        if not public.class(name) then
          problems[#problems + 1] = name .. ": nothing public names it, but it has methods"
        end
        for _, method in ipairs(nearest.sorted_keys(methods)) do
          if not method:find "^__" and not public.find(name .. ":" .. method) then
            problems[#problems + 1] = ("%s:%s is not known to help"):format(name, method)
          end
        end
      end
    end
    none(problems)
    assert.is_true(objects >= 16, objects)
    for _, word in ipairs { "find", "answer", "table" } do
      assert.is_function(found["tandem.Result"][word])
    end
    assert.is_function(found["tandem.Run"].spans)
    for _, word in ipairs(require("tandem.analysis").names()) do
      assert.truthy(public.find("Run:" .. word), word)
    end
  end)

  it("knows what the engine gives to functions of scenarios", function()
    local td, next = require "tandem", next -- not the spec's globals: the function is carried
    local result = assert(td.scenario "s" { workload = td.poisson { rps = 5, duration = "5s" },
      target = td.gpu "L40", pipeline = { td.process "own" { fn = function(p)
        for name in next, p do td.record(name, 1) end
      end } } }:run { replications = 1 })
    local methods = nearest.sorted_keys(result.recorded)
    assert.is_true(#methods >= 4)
    for _, word in ipairs(methods) do
      assert.truthy(public.find("Process:" .. word), word)
    end
    local fields = {}
    for _, field in ipairs(public.class("Request").fields) do fields[field.name] = true end
    for name in pairs(require("tandem.expr").request_fields) do
      assert.is_true(fields[name] == true, name)
    end
  end)

  it("says nothing of names that there are not", function()
    local known = {}
    for _, one in ipairs(public.names()) do known[one.name] = true end
    for _, name in ipairs(nearest.sorted_keys(calls.all())) do
      assert.is_true(known[name] == true, name)
    end
  end)

  it("has words, a type and a unit for every key of every table of options", function()
    local problems, tables = {}, public.option_tables()
    for _, class in ipairs(tables) do
      local lacks = support.lacks_of_options(class)
      table.move(lacks, 1, #lacks, #problems + 1, problems)
    end
    none(problems)
    assert.is_true(#tables >= TABLES, #tables)
    local entry = require("tandem.shell.annotations").parse("x.lua",
      "---@class tandem.Nobody\n---@field a number\nlocal x = 1")[1]
    assert.equal(3, #support.lacks_of_options { name = "NobodyOptions", entry = entry,
      fields = entry.fields, methods = {} })
  end)

  it("has words, a type, errors and an example for every constructor", function()
    local style, words = styles.new { unicode = true }, public.constructors()
    assert.is_true(#words >= CONSTRUCTORS, #words)
    for _, word in ipairs(words) do
      local text = table.concat(assert(call.help("td." .. word, style)), "\n")
      assert.truthy(text:find(node.types[word].doc:sub(1, 20), 1, true), word)
      assert.truthy(text:find("Errors", 1, true), word)
      assert.truthy(text:find(node.types[word].example:match "^[^\n]+", 1, true), word)
    end
    local keys, quantities = 0, 0
    for name, spec in pairs(node.types) do
      for key, key_spec in pairs(name:find "^seed" and {} or spec.keys) do
        local what = name .. "." .. key
        keys = keys + 1
        assert.is_string(key_spec.doc, what)
        local kind = require("tandem.help.reference").kind(key_spec)
        if key_spec.kind == "quantity" then
          quantities = quantities + 1
          assert.is_true(key_spec.dim == "1" or kind:find "^number" == nil,
            what .. " does not say its unit")
        end
      end
    end
    assert.is_true(keys >= 400 and quantities >= 200, keys .. " " .. quantities)
  end)

  it("is the same in the shell and on the command line", function()
    local session = { env = setmetatable({ td = require "tandem" }, { __index = _G }) }
    local shell = require "tandem.shell.help"
    local style = styles.new { unicode = true, width = 88 }
    for _, name in ipairs { "td.load", "Result:find", "store:import", "td.poisson", "td.max",
      "td.plan.gpus", "td.map", "Run:kernels", "RunOptions" } do
      local text, found = shell.text(session, name, style)
      assert.is_true(found, name)
      assert.equal(style:text(table.concat(call.help(name, style), "\n")), text, name)
    end
    local text, found = shell.text(session, "Result:fnd", style)
    assert.is_false(found)
    assert.truthy(text:find("did you mean 'Result:find'", 1, true), text)
  end)

  it("is that of a value's class for what a session holds", function()
    local env = setmetatable({ td = require "tandem" }, { __index = _G })
    env.r = env.td.load("demo"):run { requests = 20, replications = 1 }
    local shell, style = require "tandem.shell.help", styles.new { unicode = true }
    assert.equal(table.concat(call.help("Result:find", style), "\n"),
      (shell.text({ env = env }, "r:find", style)))
    assert.truthy(shell.text({ env = env }, "r", style):find("r is a tandem.Result", 1, true))
  end)

  it("tells of tables of options that refuse what they do not have", function()
    local directory = with_capture()
    local told = in_directory(directory, "strangers.lua")
    assert.matches("^%d+ were asked\n$", told)
    assert.is_true(tonumber(told:match "^%d+") >= 64, told)
  end)

  -- #slow: under sanitizers an example may take longer than it may otherwise.
  it("shows examples that run, and print what they say #slow", function()
    local directory = with_capture()
    local list, count = { "return {" }, 0
    for _, one in ipairs(public.names()) do
      local code = one.name:find "^td%.plot%." and "print(" .. call.example(one) .. ")"
        or call.example(one)
      count = count + 1
      list[#list + 1] = ("{ %q, %q },"):format(one.name, code)
    end
    -- And one of each kind that fails, so that failing is seen.
    list[#list + 1] = '{ "planted 1", "error [[no]]" }, { "planted 2", "print(1)  --> 2" },'
    list[#list + 1] = '{ "planted 3", "print(nil, [[why]])" },'
    list[#list + 1] = '{ "planted 4", "if false then\\nprint(1)  --> 1\\nend" } }'
    local file = assert(io.open(directory .. "/list.lua", "w"))
    file:write(table.concat(list, "\n"))
    file:close()
    local told = in_directory(directory, "run_examples.lua", "list.lua")
    local summary = ("%d examples ran, 4 failures\n"):format(count + 4)
    assert.equal(summary, told:sub(-#summary), told)
    for i = 1, 4 do assert.truthy(told:find("planted " .. i, 1, true), told) end
    assert.is_true(count >= FUNCTIONS + METHODS, count)
  end)
end)
