--- What the commands on stored runs share: --store, opening it, its complaints.
--
-- Owns the option, the way from a failure to an exit code, and where pages go. Used by runs, show,
-- diff, rm, tag, note, gc, sql, scrub, import, export, report, flame and the analyses.
local codes = require "tandem.cli.codes"
local store = require "tandem.store"
local verify = require "tandem.store.verify"

local storing = {}

---@type tandem.Option
storing.option = { "--store", value = "FILE.db",
  help = "The store (default: $TANDEM_STORE, else tandem.db here)." }

---@type tandem.ArgumentSpec
storing.run = { name = "run", value = "RUN",
  help = "The beginning of its id, its name, or last; tandem runs lists them." }

-- Complains of a run that the store does not have. Who names a trace instead has not imported it.
local function absent(opened, message, code, console)
  local kind = require("tandem.io.filekind").of(opened.missed)
  if kind then
    message = ("no run has this name; %s is %s: %s"):format(opened.missed, kind.noun, kind.use)
  end
  return console:fail(code, message, { kind = "absent", where = { path = opened.missed } })
end

-- What a failure in the middle of the work comes of: nil when the file is sound, so the fault is
-- ours.
local function damage(opened, raised)
  local blamed = type(raised) == "string" and require("tandem.core").blamed(raised)
  if blamed then return blamed end
  local told, unread = pcall(opened.db.unread, opened.db)
  if told and unread then return unread end
  local ok, found, message = pcall(verify.own_check, opened.db, "quick_check(1)")
  if ok and found then return found ~= "ok" and opened.path .. " is damaged" or nil end
  return not ok and tostring(found) or message
end

--- Calls `work` with the open store and closes it; what cannot be opened is told. `work` returns
--- the exit code, or nil, message, code.
---@param args table
---@param console tandem.Console
---@param options tandem.StoreOptions
---@param work fun(opened: tandem.Store): integer|nil, string|nil, integer|nil
---@param reading? number  how much of the work is reading runs, for who watches (default: most)
---@return integer code
function storing.with(args, console, options, work, reading)
  local opened <close>, message, code = store.open(args.store, options)
  if not opened then return console:fail(code or codes.IO, tostring(message)) end
  local finish = console:reading(opened, reading or 0.9)
  local done, torn
  local interrupted = require("tandem.core").guard.interrupted
  local ok, trouble = xpcall(function() done, message, code = work(opened) end, function(raised)
    torn = not interrupted() and damage(opened, raised) or nil
    return torn or debug.traceback(raised)
  end)
  finish()
  if torn then return console:fail(codes.IO, torn) end
  if not ok then error(trouble, 0) end
  if done then return done end
  if code == codes.USAGE then return console:usage(tostring(message)) end
  if code == codes.INVALID and opened.missed then
    return absent(opened, tostring(message), code, console)
  end
  return console:fail(code or codes.IO, tostring(message))
end

-- A time of the command line on the clock of the run: simulations begin at 0, measured runs with
-- their first record.
local function moment(run, option, text)
  if not text then return nil end
  local seconds, dimension = require("tandem.units").parse(text)
  if dimension ~= "s" then
    return nil, ("%s wants a time such as 1.5s, not '%s'"):format(option, text)
  end
  local start = run.kind == "measured" and run.first_ns or 0
  local far = start + seconds * 1e9 -- where no record can be: any such moment is as good
  if far >= 0x1p63 then return math.maxinteger elseif far < -0x1p63 then return math.mininteger end
  return start + math.floor(seconds * 1e9 + 0.5)
end

--- The part of a run's time that --from and --to leave, on the run's clock.
---@param run tandem.Run
---@param args table
---@return { from: integer?, to: integer? }|nil
---@return string|nil message
function storing.bounds(run, args)
  local bounds = {}
  for _, name in ipairs { "from", "to" } do
    local wrong
    bounds[name], wrong = moment(run, "--" .. name, args[name])
    if wrong then return nil, wrong end
  end
  if bounds.from and bounds.to and bounds.from > bounds.to then
    return nil, ("--from %s is after --to %s"):format(args.from, args.to)
  end
  return bounds
end

--- Writes a page or a picture of a run: to --out, to standard output for "-", else to `otherwise`.
---@param args table
---@param console tandem.Console
---@param text string
---@param otherwise string
---@return integer|nil code
---@return string|nil message
---@return integer|nil failure
function storing.page(args, console, text, otherwise)
  local path = args.out or otherwise
  local damaged = require("tandem.core").database_damage()
  if damaged then return nil, damaged, codes.IO end
  if path == "-" then
    console.write_out(text)
    return codes.OK
  end
  local done, message, code = require("tandem.io.outfile").write(path, text)
  if not done then return nil, message, code end
  console:note(("wrote %s"):format(path))
  return codes.OK
end

return storing
