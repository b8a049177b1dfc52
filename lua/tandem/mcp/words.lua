--- A call's arguments as the words of a command line.
--
-- Owns what of an argument's type is asked for before a job is begun, and which files it may name:
-- those that came with the call and those of the server's folder. Nothing of an argument can be
-- taken for an option: options are written NAME=VALUE, what stands free comes after "--". The
-- command itself refuses everything else, in its own words.
local jobs = require "tandem.serve.jobs"
local nearest = require "tandem.text.nearest"
local tools = require "tandem.mcp.tools"

local words = {}

local MOST_WORD <const>, MOST_FILES <const> = 1 << 17, 64

-- Raises what is wrong with a call: it is answered with these words.
local function refuse(text, ...) error({ refused = text:format(...) }, 0) end

local function whole(value) return math.type(value) == "integer" or value == value // 1 end

-- A value as the text that the command line has for it.
local function text_of(name, spec, value)
  local kind = type(value)
  if kind == "number" and (spec.kind == "integer") then
    if not whole(value) then refuse("%s wants a whole number, not %s", name, value) end
    value = math.tointeger(value) or value
  elseif kind ~= "string" and kind ~= "number" and kind ~= "boolean" then
    refuse("%s wants one value, not %s", name, kind == "table" and "a list or an object" or kind)
  end
  local text = tostring(value)
  if text:find "\0" then refuse("%s has a byte 0", name) end
  if #text > MOST_WORD then refuse("%s is longer than %d KiB", name, MOST_WORD // 1024) end
  return text
end

-- The path of a file that an argument names, where there is one.
local function path_of(text, place)
  if place.files[text] then return place.job.directory .. "/" .. text end
  local folder = place.folder
  if not folder then return nil end
  local relative = text:gsub("^%./+", "")
  if require("tandem.core").files.beneath(folder, relative) then
    return folder .. "/" .. relative
  end
end

-- The text, or in its place the path of the file that it names.
local function located(name, spec, text, place)
  if not spec.reads then return text end
  local path = path_of(text, place)
  if path then return path end
  if spec.reads == "file" or text == "-" or text:find "/" then
    refuse("%s: there is no file '%s' %s", name, text, place.folder
      and "in the folder of this server, or it leads out of it"
      or "among the texts of this call; this server has no folder of files (--files DIR)")
  end
  return text
end

local function is_list(value)
  return type(value) == "table" and (#value > 0 or next(value) == nil)
end

local function settings(name, spec, value, out, place)
  if type(value) ~= "table" or #value > 0 then refuse("%s wants an object: KEY: VALUE", name) end
  for _, key in ipairs(nearest.sorted_keys(value)) do
    if type(key) ~= "string" or not key:find "^[%w_][%w_.%[%]#*-]*$" then
      refuse("%s: '%s' is no name of a setting", name, tostring(key))
    end
    local one = value[key]
    if is_list(one) then -- the command line's commas
      local parts = {}
      for i, item in ipairs(one) do parts[i] = text_of(name .. "." .. key, spec, item) end
      one = table.concat(parts, ",")
    end
    out[#out + 1] = spec[1]:match "%-%-[%w-]+"
    out[#out + 1] = key .. "=" .. located(name, spec, text_of(name .. "." .. key, spec, one), place)
  end
end

local function add_option(name, spec, value, out, place)
  local flag = spec[1]:match "%-%-[%w-]+"
  if not spec.value then
    if type(value) ~= "boolean" then refuse("%s is true or false", name) end
    if value then out[#out + 1] = flag end
  elseif spec.many then
    settings(name, spec, value, out, place)
  else
    if spec.collect and type(value) ~= "table" then value = { value } end
    if is_list(value) and not spec.collect then -- A,B,… of the command line
      local parts = {}
      for i, item in ipairs(value) do parts[i] = text_of(name, spec, item) end
      value = table.concat(parts, ",")
    end
    for _, one in ipairs(spec.collect and value or { value }) do
      out[#out + 1] = flag .. "=" .. located(name, spec, text_of(name, spec, one), place)
    end
  end
end

local function add_argument(name, spec, value, out, place)
  local several = spec.count == "+" or spec.count == "*"
  if several and type(value) ~= "table" then value = { value } end
  if several and not is_list(value) then refuse("%s wants a list", name) end
  if spec.count == "+" and #value == 0 then refuse("%s wants one at least", name) end
  for _, one in ipairs(several and value or { value }) do
    out[#out + 1] = located(name, spec, text_of(name, spec, one), place)
  end
end

-- The texts that came with a call, by name; they are written when the job has a directory.
local function files_of(given)
  if given == nil then return {} end
  if type(given) ~= "table" or #given > 0 then refuse "texts wants an object: NAME: TEXT" end
  local count = 0
  for name, text in pairs(given) do
    count = count + 1
    if type(name) ~= "string" or not name:find "^%w[%w_.-]*%.%w+$" or #name > 100
      or type(text) ~= "string" then
      refuse("texts: '%s' is no name of a file with its text", tostring(name))
    end
  end
  if count > MOST_FILES then refuse("texts are at most %d", MOST_FILES) end
  return given
end

local OF_PAGES <const> = { page_rows = { least = 1, most = 1000 }, page_offset = { least = 0,
  most = 1 << 53 }, wait_s = { least = 0, most = 30 } }

--- The numbers of a call that are the server's own: page_rows, page_offset, wait_s.
---@param given table
---@return table
function words.own(given)
  local own = {}
  for name, range in pairs(OF_PAGES) do
    local value = given[name]
    if value ~= nil then
      if type(value) ~= "number" or not whole(value) or value < range.least
        or value > range.most then
        refuse("%s wants a whole number from %d to %d", name, range.least, range.most)
      end
      own[name] = math.tointeger(value)
    end
  end
  return own
end

--- Refuses arguments that a tool has not, and those that it lacks.
---@param tool tandem.mcp.Tool
---@param given table
function words.check(tool, given)
  local schema = tool.described.inputSchema
  for _, name in ipairs(nearest.sorted_keys(given)) do
    if type(name) ~= "string" or not schema.properties[name] then
      refuse("%s has no argument '%s'; %s", tool.name, tostring(name),
        nearest.hint(tostring(name), nearest.sorted_keys(schema.properties)))
    end
  end
  for _, name in ipairs(schema.required or {}) do
    if given[name] == nil then refuse("%s lacks its argument '%s'", tool.name, name) end
  end
end

--- The command line of a call; raises { refused } where it cannot be one. Writes the call's files.
---@param tool tandem.mcp.Tool
---@param given table
---@param job tandem.serve.Job
---@param context tandem.mcp.Context
---@return string[]
function words.of(tool, given, job, context)
  local place = { files = files_of(given.texts), folder = context.folder, job = job }
  local out, free = { tool.command }, {}
  for _, option in ipairs(tool.options) do
    local name = tools.property(option)
    if given[name] ~= nil then add_option(name, option, given[name], out, place) end
  end
  for _, option in ipairs(require("tandem.cli").command(tool.command).options or {}) do
    if option.answers then out[#out + 1] = option[1] end
    if option[1] == "--store" then jobs.stored(context, out) end
  end
  for _, spec in ipairs(tool.arguments) do
    if given[spec.name] ~= nil then add_argument(spec.name, spec, given[spec.name], free, place) end
  end
  for name, text in pairs(place.files) do jobs.write(job, name, text) end
  out[#out + 1] = "--"
  return table.move(free, 1, #free, #out + 1, out)
end

return words
