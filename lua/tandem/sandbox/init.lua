--- Where scenario scripts run, and how a file becomes a scenario.
-- Owns the allow-listed environment (no files, clock, debug or unseeded randomness; pairs in sorted
-- order; unknown globals are errors), the instruction and memory budget, and load_scenario. Every
-- failure comes out as one clear line with the user's file and line.

local check = require "tandem.check"
local core = require "tandem.core"
local expr = require "tandem.expr"
local lines = require "tandem.check.lines"
local mend = require "tandem.io.utf8"
local nearest = require "tandem.text.nearest"
local node = require "tandem.language.node"
local safe = require "tandem.text.safe"
local scenario = require "tandem.scenario"
local shortage = require "tandem.text.shortage"

local sandbox = {}

node.types.script = { type = "script", group = "record", keys = {
  name = { kind = "string", required = true },
  script = { kind = "list", required = true, min = 1, of = { kind = "string" } },
  with = { kind = "list", of = { kind = "any" } } } }

-- What a script may not have, and what to say about it.
local withheld = {
  io = "files", os = "clock and no system", debug = "debugging", load = "code loading",
  loadstring = "code loading", loadfile = "code loading", dofile = "code loading",
  package = "modules", getmetatable = "metatables of others", rawset = "raw assignment",
  collectgarbage = "garbage collector",
}

local function is_symbolic(v) return expr.is_symbol(v) or node.group(v) == "dist" end

-- math, with the functions that cost models use working on symbols too.
local function make_math()
  local out = {}
  for k, v in pairs(math) do out[k] = v end
  for _, name in ipairs { "random", "randomseed" } do
    out[name] = function()
      error(("math.%s is not available in scenarios: the same seed must give the same bytes; "
        .. "td.uniform(0, 1) and the other distributions draw"):format(name), 2)
    end
  end
  for _, name in ipairs { "max", "min", "exp", "sqrt", "abs", "floor", "ceil", "log" } do
    local native, symbolic = math[name], expr.functions[name]
    out[name] = function(a, b, ...)
      if is_symbolic(a) or is_symbolic(b) then
        if name == "log" and b ~= nil then return symbolic(a) / symbolic(b) end
        if b ~= nil then return symbolic(a, b, ...) end
        return symbolic(a)
      end
      -- math.log(x, nil) is not math.log(x).
      if b == nil then return native(a) end
      return native(a, b, ...)
    end
  end
  expr.trust(out)
  return out
end

local function sorted_pairs(t)
  local mt = getmetatable(t)
  if type(mt) == "table" and mt.__pairs then return pairs(t) end
  local keys, i = nearest.sorted_keys(t), 0
  return function()
    i = i + 1
    local k = keys[i]
    if k ~= nil then return k, t[k] end
  end, t, nil
end

local function sorted_next(t, after)
  local keys = nearest.sorted_keys(t)
  if after == nil then return keys[1], keys[1] ~= nil and t[keys[1]] or nil end
  for i, k in ipairs(keys) do
    if k == after then return keys[i + 1], keys[i + 1] ~= nil and t[keys[i + 1]] or nil end
  end
end

-- Addresses differ from run to run, so they are not shown.
core.hide_addresses()
local function stable_tostring(v) return ("%s"):format(v) end

local function safe_setmetatable(t, mt)
  if type(t) ~= "table" or getmetatable(t) ~= nil then
    error("setmetatable wants a plain table that has no metatable yet", 2)
  end
  if type(mt) == "table" and (rawget(mt, "__gc") or rawget(mt, "__close")) then
    error("__gc and __close are not available in scenarios", 2)
  end
  return setmetatable(t, mt)
end

local function copy_of(t, without)
  local out = {}
  for k, v in pairs(t) do
    if k ~= without then out[k] = v end
  end
  return out
end

-- A text's own methods are the program's: without what shows compiled code.
getmetatable("").__index = copy_of(string, "dump")

-- A table of the program as scripts see it: to be read and called, not changed.
local shown = setmetatable({}, { __mode = "k" })
local function to_look_at(name, value)
  if type(value) ~= "table" then return value end
  local meta = getmetatable(value)
  if meta ~= nil and not meta.__call then return value end -- a value with a life of its own
  if not shown[value] then
    shown[value] = setmetatable({}, {
      __index = function(_, key) return value[key] end,
      __newindex = function(_, key)
        error(("td.%s cannot be changed (%s)"):format(name, tostring(key)), 2)
      end,
      __pairs = function() return sorted_pairs(value) end,
      __call = meta and function(_, ...) return value(...) end or nil,
      __len = function() return #value end,
    })
  end
  return shown[value]
end

-- Words that run simulations, and the key of a scenario that describes the same.
local studies = { sweep = "sweep", plan = "plan", whatif = "whatif", tornado = "whatif",
  optimize = "plan" }

-- Words that need stored runs.
local outside = { store = "opens files", score = "compares runs", overlay = "compares runs",
  fit = "reads runs", upload = "sends runs", plot = "draws" }

-- td.load for scripts: what they load is confined as they are, and lies beside them.
local function load_confined(path, options)
  local own = scenario.directory
  local settings = { text = options and options.text, directory = own }
  if settings.text then return sandbox.load_scenario(path, settings) end
  path = type(path) == "string" and path or ""
  local known, source = require("tandem.scenario.locate").shipped_text(path)
  if known then return sandbox.load_scenario(known, { text = source }) end
  local prefix = own and own .. "/" or "./"
  local inside = path:sub(1, #prefix) == prefix and path:sub(#prefix + 1) or path
  local text, why = require("tandem.sandbox.beside").text(inside, own)
  if not text then
    return nil, ("td.load: %s (--trusted lifts this)"):format(why)
  end
  settings.text, settings.directory = text, nil
  return sandbox.load_scenario((own and prefix or "") .. inside, settings)
end

-- `td` as scripts see it: nothing can be assigned, and a mistyped word is an error at once.
local language
local function read_only_language()
  if language then return language end
  local td = require "tandem"
  language = setmetatable({ __tandem = true }, {
    __index = function(_, key)
      if outside[key] then
        error(("td.%s %s, and a scenario file only describes: run this script with "
          .. "`tandem lua FILE`"):format(key, outside[key]), 2)
      end
      if studies[key] then
        error(("td.%s runs simulations, and a scenario file only describes: give the scenario a %s "
          .. "block and call `tandem %s FILE`, or run this script with `tandem lua FILE`"):format(
          key, studies[key] .. " = { … }", studies[key]), 2)
      end
      if key == "map" then return require("tandem.map").word_in_files end
      if key == "load" then return load_confined end
      local value = rawget(td, key)
      if value == nil then error(nearest.absent("td", td, key), 2) end
      return to_look_at(key, value)
    end,
    __newindex = function(_, key)
      error(("td cannot be changed (td.%s)"):format(tostring(key)), 2)
    end,
    __pairs = function() return sorted_pairs(td) end,
  })
  return language
end

--- A fresh environment for one script.
---@return table environment
function sandbox.environment()
  local env = {
    assert = assert, error = error, ipairs = ipairs, pcall = pcall, select = select,
    tonumber = tonumber, type = type, xpcall = xpcall, rawequal = rawequal, rawlen = rawlen,
    rawget = rawget, pairs = sorted_pairs, next = sorted_next, tostring = stable_tostring,
    setmetatable = safe_setmetatable, _VERSION = _VERSION,
    math = make_math(), string = copy_of(string, "dump"), table = copy_of(table),
    utf8 = copy_of(utf8), coroutine = copy_of(coroutine),
  }
  function env.require(name)
    if name == "tandem" then return read_only_language() end
    error(("a scenario may only require \"tandem\", not \"%s\" (--trusted lifts this)")
      :format(tostring(name)), 2)
  end
  -- Results go to standard output; what a script says goes beside them.
  function env.print(...)
    local parts = table.pack(...)
    for i = 1, parts.n do parts[i] = safe.lines(mend.text(stable_tostring(parts[i]))) end
    io.stdout:flush()
    io.stderr:write(table.concat(parts, "\t"), "\n")
  end
  -- What stops a script has to find the coroutine that runs.
  env.coroutine.resume, env.coroutine.wrap = core.guard.resume, core.guard.wrap
  env._G = env
  local known = nearest.sorted_keys(env)
  return setmetatable(env, {
    __index = function(_, key)
      if withheld[key] then
        error(("'%s' is not available in scenarios: no %s here (--trusted lifts this)"):format(
          key, withheld[key]), 2)
      end
      local hint = key == "td" and "write: local td = require \"tandem\""
        or nearest.word(tostring(key), known)
        and ("did you mean '%s'?"):format(nearest.word(tostring(key), known))
        or "declare it with 'local'"
      error(("unknown global '%s'; %s"):format(tostring(key), hint), 2)
    end,
    __newindex = function(_, key)
      error(("assignment to the global '%s'; write 'local %s'"):format(tostring(key),
        tostring(key)), 2)
    end,
  })
end

-- The line of the innermost running frame of that source, seen from `level` up.
local function line_of(source, level)
  for i = level + 1, level + 60 do
    local info = debug.getinfo(i, "Sl")
    if not info then return nil end
    if info.source == source and info.currentline > 0 then return info.currentline end
  end
end

-- What xpcall hands back about an error: its words and the user's line.
local function handler(source)
  return function(message)
    local line = line_of(source, 2)
    if type(message) ~= "string" then return { value = message, line = line } end
    return { message = message, line = line }
  end
end

---@class tandem.Budget
---@field instructions integer|nil the script may execute about so many
---@field memory_bytes integer|nil Lua memory may grow by so much
---@field seconds number|nil       it may take so much of the processor's time

-- By xpcall, or within the budget; then pcall of the script catches nothing that ends it.
local function with_budget(budget, chunk, source)
  if not budget or not (budget.instructions or budget.memory_bytes or budget.seconds) then
    return xpcall(chunk, handler(source))
  end
  local ok, value, line = core.allowance(chunk, source, math.floor(budget.instructions or 0),
    math.floor(budget.memory_bytes or 0), budget.seconds or 0)
  if ok then return true, value end
  if type(value) ~= "string" then return false, { value = value, line = line } end
  return false, { message = value, line = line }
end

local function one_problem(file, line, message)
  local problems = check.problems()
  problems[1] = check.problem(file, line, "", message)
  return problems
end

-- "[string …]:3: text" or "file:3: text" → 3, "text"; else nil and the message.
local function split_position(message, file)
  local prefix = file .. ":"
  if message:sub(1, #prefix) == prefix then
    local line, text = message:sub(#prefix + 1):match("^(%d+): (.*)$")
    if line then return math.tointeger(line), text end
  end
  -- Lua shortens long names from the left.
  local tail, number, rest = message:match("^%.%.%.([^\n:]+):(%d+): (.*)$")
  if tail and file:sub(-#tail) == tail then return math.tointeger(number), rest end
  local _, text = message:match("^[^\n:]+%.lua:(%d+): (.*)$")
  if text then return nil, text end
  return nil, message
end

-- The line of the script's last `return`: where an error arose that left no frame of the script,
-- because the call was a tail call.
local function last_return(text)
  local line, found = 0, nil
  for one in (text .. "\n"):gmatch("(.-)\n") do
    line = line + 1
    if one:find "^%s*return%f[%W]" then found = line end
  end
  return found
end

--- Run a script in the sandbox: what it returns, or nil and the problem.
---@param text string
---@param source string  chunk name: "@file", "=stdin"
---@param options tandem.LoadOptions|nil
---@return any value
---@return tandem.Problems|nil problems
function sandbox.evaluate(text, source, options)
  options = options or {}
  local file = lines.file(source)
  if text:sub(1, 3) == "\239\187\191" then text = text:sub(4) end
  if text:sub(1, 1) == "#" then text = "--" .. text end
  text = mend.text(text) -- as JSON has it, from which it is run again
  lines.sources[source] = text -- scripts that are not on disk, for finding lines in them
  local environment = not options.trusted and sandbox.environment() or nil
  local chunk, syntax
  if environment then chunk, syntax = load(text, source, "t", environment)
  else chunk, syntax = load(text, source, "t") end
  if not chunk then
    if shortage.is(syntax) then error("not enough memory", 0) end
    local line, message = split_position(syntax, file)
    return nil, one_problem(file, line, message)
  end
  local outer, describing = scenario.directory, scenario.describing
  scenario.directory, scenario.describing = options.directory, describing or environment ~= nil
  local ok, value = with_budget(options.budget, chunk, source)
  scenario.directory, scenario.describing = outer, describing
  if ok then return value end
  if check.is_problems(value.value) then return nil, value.value end
  if shortage.is(value.message) then error("not enough memory", 0) end -- no fault of the script
  local message = value.message
    or ("raises %s instead of a message"):format(check.describe(value.value))
  local line, words = split_position(message, file)
  return nil, one_problem(file, line or value.line or last_return(text), words)
end

local function load_lua(text, source, options)
  local value, problems = sandbox.evaluate(text, source, options)
  if problems then return nil, problems end
  if scenario.is(value) then
    scenario.came_from(value, lines.sources[source])
    return value, check.problems()
  end
  local file = lines.file(source)
  return nil, one_problem(file, nil, ("does not return a scenario but %s; end it with"
    .. " `return td.scenario \"name\" { … }`, or run it as a script: tandem lua %s"):format(
    value == nil and "nothing" or check.describe(value), file == "stdin" and "-" or file))
end

-- A script that stands in a JSON file (json.write_script), with what `with` changed afterwards.
local function load_embedded(raw, source, options)
  local ctx = check.context()
  ctx:push("scenario", raw)
  local file = check.fields(ctx, raw, node.types.script)
  if #ctx.problems > 0 then return nil, ctx.problems end
  local made, problems = load_lua(table.concat(file.script, "\n"),
    ("=%s (script)"):format(lines.file(source)), options)
  for _, changes in ipairs(file.with or {}) do
    if not made then break end
    made, problems = made:try_with(changes)
  end
  return made, problems
end

---@class tandem.LoadOptions
---@field trusted boolean|nil run the script with all of Lua
---@field text string|nil the source itself, when it is not to be read from `path`
---@field budget tandem.Budget|nil what the script may take at most
---@field directory string|nil where relative file names start; default: the scenario's own

local function read(path)
  if path == "-" then return io.stdin:read("a"), "=stdin" end
  local file, message = io.open(path, "rb")
  if not file then return nil, message end
  local text, why = file:read("a")
  file:close()
  if not text then return nil, ("%s: %s"):format(path, why) end
  return text, "@" .. path
end

--- Load a scenario from a file (.lua or .json), from "-" (standard input; JSON when it begins with
--- '{'), or from `options.text`.
---@param path string
---@param options tandem.LoadOptions|nil
---@return tandem.Scenario|nil
---@return tandem.Problems|string problems; a text when the file could not be read
function sandbox.load_scenario(path, options)
  options = options and copy_of(options) or {}
  local text, source = options.text, path == "-" and "=stdin" or "@" .. path
  if not text then
    text, source = read(path)
    if not text then return nil, "cannot read " .. source end
  end
  options.directory = options.directory or (path ~= "-" and path:match("^(.*)/[^/]*$")) or nil
  if text:find("^[\239\187\191%s]*{") or path:find("%.json$") then
    lines.sources[source] = text
    local raw, problems = require("tandem.scenario.json").read_scenario(text, source)
    if not raw then return nil, problems end
    if raw.script ~= nil then return load_embedded(raw, source, options) end
    return scenario.check(raw, { directory = options.directory })
  end
  return load_lua(text, source, options)
end

return sandbox
