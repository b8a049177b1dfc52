--- `tandem watch`: what a running capture does, live.
local codes = require "tandem.cli.codes"
local files = require "tandem.capture.files"
local format = require "tandem.text.format"
local live = require "tandem.capture.live"
local storing = require "tandem.cli.storing"

local QUIET_S <const> = 5 -- without a record, where tandem capture is gone: the program is too

---@type tandem.Command
local command = {
  summary = "follow a running tandem capture, second by second",
  about = "Says every second what a program under tandem capture does: calls and launches, copies "
    .. "and their speed, memory in use, how busy the GPU is, the calls and kernels that take the "
    .. "most time, the phase. Reads the capture file only and ends with the capture. In a pipe "
    .. "each second is a line.",
  arguments = {
    { name = "file", value = "FILE", count = "?",
      help = "The raw capture (default: the latest one beside the store)." },
  },
  options = {
    { "--every", value = "TIME", help = "Instead of every second." },
    { "--once", help = "Look once: what was recorded so far." },
    storing.option,
  },
  examples = { "tandem watch", "tandem watch --every 200ms | tee rates.txt" },
}

local function interval_of(args)
  local value, found = require("tandem.units").parse(args.every or "1s")
  if not value or found ~= "s" or not (value >= 0.01 and value <= 3600) then
    return nil, ("--every wants a time from 10ms on, not '%s'"):format(args.every)
  end
  return value
end

-- Draws over what it drew before.
local function picture(console)
  local drawn = 0
  return function(one)
    local lines = one:lines(console.style)
    local up = drawn > 0 and ("\27[%dA\27[J"):format(drawn) or ""
    console.write_out(up .. table.concat(lines, "\n") .. "\n")
    io.stdout:flush()
    drawn = #lines
  end
end

local function plain(console)
  return function(one)
    console:print(console.style:text(one:line()))
    io.stdout:flush()
  end
end

-- Why the capture is over; nil: it is not.
local function over(one, quiet_s)
  if one.sums.ended then return "the capture has ended" end
  if quiet_s < QUIET_S or not require("tandem.core").capture.abandoned(one.path) then return nil end
  return ("no tandem capture is there any more; tandem import %s reads what is in it"):format(
    require("tandem.text.shell").word(one.path))
end

local function follow(one, args, seconds, console)
  local draw = console.style.terminal and picture(console) or plain(console)
  local clock = require("tandem.core").clock
  local quiet_since, records = clock(), -1
  while true do
    local done, message, code = one:look()
    if not done then return console:fail(code, message) end
    draw(one)
    if one.sums.records ~= records then
      records, quiet_since = one.sums.records, clock()
    end
    local why = args.once and "" or over(one, clock() - quiet_since)
    if why then
      console:note(("%s%s, %s"):format(why ~= "" and why .. ": " or "",
        format.plural(one.sums.records, "record"), format.bytes(one.sums.bytes)))
      return codes.OK
    end
    one.follower:wait(math.floor(seconds * 1000))
  end
end

---@param args table
---@param console tandem.Console
---@return integer code
function command.run(args, console)
  local seconds, wrong = interval_of(args)
  if not seconds then return console:usage(wrong) end
  local path = args.file
  if not path then
    local store = require("tandem.store.path").of(args.store)
    local all = files.all(store)
    path = all[#all]
    if not path then
      return console:fail(codes.INVALID, ("no capture is running (none in %s); tandem capture -- "
        .. "PROGRAM starts one"):format(files.directory(store)))
    end
  end
  local one, message, code = live.open(path)
  if not one then return console:fail(code or codes.IO, tostring(message)) end
  code = follow(one, args, seconds, console)
  one:close()
  return code
end

return command
