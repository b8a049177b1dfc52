--- `tandem doc`: the reference as a page.
local codes = require "tandem.cli.codes"

local NAME <const> = "tandem-reference.html"

---@type tandem.Command
local doc = {
  summary = "write the reference as a page: commands, scenarios, Lua",
  about = "Writes one self-contained HTML page with everything that tandem help tells: commands "
    .. "with their options, the keys of scenarios, every function and method of Lua with types, "
    .. "units, errors and an example, topics, metrics, exit codes. It has a search and needs no "
    .. "network. The same version writes the same bytes.",
  options = {
    { "-o --out", value = "FILE|DIR", help = "Where to: a file, or a directory that is there; - is "
      .. "standard output (default: " .. NAME .. ")." },
    { "--open", help = "Show it in the browser ($BROWSER, else the desktop's)." },
  },
  examples = { "tandem doc", "tandem doc --out site/ --open" },
}

local function is_directory(path)
  return path:sub(-1) == "/" or require("tandem.core").files.list(path) ~= nil
end

-- The desktop's way to open a file: Linux, then macOS.
local OPENERS <const> = { "xdg-open", "open" }

local function open(path)
  local browser = os.getenv "BROWSER"
  local quoted = require("tandem.text.shell").word(path)
  for _, program in ipairs(browser and browser ~= "" and { browser } or OPENERS) do
    local there = os.execute(("command -v %s >/dev/null 2>&1"):format(program))
    if there then
      local shown = os.execute(("%s %s >/dev/null 2>&1"):format(program, quoted))
      return shown or nil, ("%s could not show %s"):format(program, path)
    end
  end
  return nil, ("no browser was found to show %s: set $BROWSER, or open it yourself"):format(path)
end

---@param args table
---@param console tandem.Console
---@return integer code
function doc.run(args, console)
  local path = args.out or NAME
  if path == "-" and args.open then
    return console:usage "give --out - or --open, not both"
  end
  local text = require("tandem.page.reference").of()
  if path == "-" then
    console.write_out(text)
    return codes.OK
  end
  if is_directory(path) then path = path:gsub("/*$", "") .. "/" .. NAME end
  local done, message, code = require("tandem.io.outfile").write(path, text)
  if not done then return console:fail(code, message) end
  console:note(("wrote %s"):format(path))
  if args.open then
    local shown, why = open(path)
    if not shown then return console:fail(codes.IO, why) end
  end
  return codes.OK
end

return doc
