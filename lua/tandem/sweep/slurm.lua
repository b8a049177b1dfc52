--- A sweep as a Slurm job array: the batch script, and which part of the sweep a task has.
-- Owns the script's text, its quoting and what may stand in #SBATCH lines. Slurm places the tasks;
-- nothing here talks to it. The same options give the same bytes. Called by cli/sweep.lua.

local nearest = require "tandem.text.nearest"
local quote = require("tandem.text.shell").word
local units = require "tandem.units"

local slurm = {}

-- The most that Slurm's own MaxArraySize can be set to, less the one it does not count.
local MOST_TASKS <const> = 4000000

---@class tandem.slurm.Options
---@field command string[] the sweep, one word an element, without --shard, --store and --threads
---@field tasks integer how many parts
---@field name string? of the job (default: "tandem")
---@field time string? "90min", "2h", or as Slurm writes it: "01:30:00", "2-12:00:00"
---@field cpus integer? processors of a task (default: 1)
---@field memory string? of a task: "4GiB", or as Slurm writes it: "4G"
---@field partition string?
---@field store string? the file that the parts are merged into (default: "sweep.db")

local known = { "command", "cpus", "memory", "name", "partition", "store", "tasks", "time" }

-- ---- words of the shell

-- Text inside double quotes, where variables stand beside it.
local function inside(text) return (text:gsub('[\\"$`]', "\\%0")) end

-- ---- options

local function whole(value, least, most)
  value = math.type(value) == "float" and math.tointeger(value) or value
  return math.type(value) == "integer" and value >= least and value <= most and value or nil
end

local function show(value)
  return type(value) == "string" and ('"%s"'):format(value) or tostring(value)
end

-- Slurm's days-hours:minutes:seconds. A bare number is minutes there and seconds here, so neither.
local function slurm_time(value)
  if type(value) == "string" then
    for _, form in ipairs { "^%d+:%d%d$", "^%d+:%d%d:%d%d$", "^%d+%-%d+$", "^%d+%-%d+:%d%d$",
      "^%d+%-%d+:%d%d:%d%d$" } do
      if value:find(form) then return value end
    end
    local seconds = not tonumber(value) and units.as(value, "s")
    if seconds and seconds > 0 and seconds < 1e9 then
      seconds = math.ceil(seconds)
      local days, hours = seconds // 86400, seconds // 3600 % 24
      local clock = ("%02d:%02d:%02d"):format(hours, seconds // 60 % 60, seconds % 60)
      return days > 0 and ("%d-%s"):format(days, clock) or clock
    end
  end
  return nil, ("time: %s is not a time limit; write one such as \"90min\" or \"01:30:00\""):format(
    show(value))
end

local function slurm_memory(value)
  if type(value) == "string" then
    if value:find "^[1-9]%d*[KMGT]$" then return value end
    local bytes = not tonumber(value) and units.as(value, "B")
    if bytes and bytes > 0 and bytes < 2 ^ 60 then
      local mebibytes = math.ceil(bytes / 2 ^ 20)
      if mebibytes % 1024 == 0 then return mebibytes // 1024 .. "G" end
      return mebibytes .. "M"
    end
  end
  return nil, ("memory: %s is not a size; write one such as \"4GiB\" or \"4G\""):format(show(value))
end

-- Names end up in #SBATCH lines, where nothing can be quoted, and in names of files.
local function plain_name(key, value, also)
  local allowed = "[%w._" .. also .. "-]"
  if type(value) == "string" and value:find("^%w" .. allowed .. "*$") and #value <= 200 then
    return value
  end
  local near = type(value) == "string" and value:gsub("[^%w._" .. also .. "]+", "-")
    :gsub("^%W+", ""):gsub("%-+$", ""):sub(1, 200)
  return nil, ("%s: %s is not a name that Slurm takes (letters, digits, . _ -)%s"):format(key,
    show(value), near and near ~= "" and ("; for example \"%s\""):format(near) or "")
end

local function check_command(command)
  if type(command) ~= "table" or #command == 0 then
    return "command: wanted the words of a sweep, such as { \"tandem\", \"sweep\", \"grid.lua\" }"
  end
  for i, word in ipairs(command) do
    if type(word) ~= "string" or word:find "%z" then
      return ("command: word %d is %s, not a text"):format(i, show(word))
    end
  end
end

-- All options in Slurm's own words, or the first problem.
local function check(options)
  for _, key in ipairs(nearest.sorted_keys(options)) do
    local found = false
    for _, name in ipairs(known) do found = found or name == key end
    if not found then
      return nil, ("%s: unknown option; %s"):format(tostring(key),
        nearest.hint(tostring(key), known))
    end
  end
  local out, problem = {}, check_command(options.command)
  if problem then return nil, problem end
  out.command = options.command
  out.tasks = whole(options.tasks, 1, MOST_TASKS)
  if not out.tasks then
    return nil, ("tasks: %s is not a number of parts from 1 to %d"):format(show(options.tasks),
      MOST_TASKS)
  end
  out.cpus = whole(options.cpus == nil and 1 or options.cpus, 1, 65536)
  if not out.cpus then
    return nil, ("cpus: %s is not a number of processors, 1 or more"):format(show(options.cpus))
  end
  out.name, problem = plain_name("name", options.name == nil and "tandem" or options.name, "")
  if problem then return nil, problem end
  out.store = options.store == nil and "sweep.db" or options.store
  if type(out.store) ~= "string" or not out.store:find "[^/]$" or out.store:find "%c" then
    return nil, ("store: %s is not the name of a file; for example \"sweep.db\""):format(
      show(out.store))
  end
  if options.time ~= nil then out.time, problem = slurm_time(options.time) end
  if problem then return nil, problem end
  if options.memory ~= nil then out.memory, problem = slurm_memory(options.memory) end
  if problem then return nil, problem end
  if options.partition ~= nil then
    out.partition, problem = plain_name("partition", options.partition, ",")
  end
  if problem then return nil, problem end
  return out
end

-- ---- the script

-- The words quoted, each option together with the word after it.
local function phrases(command)
  local out = {}
  for i, word in ipairs(command) do
    local before = command[i - 1] or ""
    if before:find "^%-%-[^=]*$" and not word:find "^%-" then
      out[#out] = out[#out] .. " " .. quote(word)
    else
      out[#out + 1] = (i == 1 and "exec " or "") .. quote(word)
    end
  end
  return out
end

-- Phrases on lines of at most `width`, continued by a backslash.
local function wrap(words, width)
  local lines, line = {}, words[1]
  for i = 2, #words do
    local joined = line .. " " .. words[i]
    if utf8.len(joined) and utf8.len(joined) > width - 2 then
      lines[#lines + 1] = line .. " \\"
      line = "  " .. words[i]
    else
      line = joined
    end
  end
  lines[#lines + 1] = line
  return table.concat(lines, "\n")
end

--- The batch script of a sweep in parts. Each task keeps its part in a store of its own, so a task
--- that was stopped goes on where it was when it is submitted again.
---@param options tandem.slurm.Options
---@return string|nil text
---@return string|nil message what is wrong with the options, in one line
function slurm.script(options)
  local o, problem = check(options)
  if not o then return nil, problem end
  local directory, file = o.store:match "^(.-)([^/]+)$"
  local stem, ending = file:match "^(.+)(%.[^.]+)$"
  stem, ending = directory .. (stem or file) .. "-", ending or ""

  local lines = {}
  local function add(text, ...)
    lines[#lines + 1] = select("#", ...) > 0 and text:format(...) or text
  end
  add "#!/bin/bash"
  add("# A sweep in %d part%s, written by tandem. The last lines say what to do with it.", o.tasks,
    o.tasks == 1 and "" or "s")
  add("#SBATCH --job-name=%s", o.name)
  add("#SBATCH --array=0-%d", o.tasks - 1)
  add "#SBATCH --ntasks=1"
  add("#SBATCH --cpus-per-task=%d", o.cpus)
  if o.time then add("#SBATCH --time=%s", o.time) end
  if o.memory then add("#SBATCH --mem=%s", o.memory) end
  if o.partition then add("#SBATCH --partition=%s", o.partition) end
  add("#SBATCH --output=%s-%%A_%%a.log", o.name)
  add ""
  add "set -euo pipefail"
  add ""
  add(wrap(phrases(o.command), 100) .. " \\")
  add('  --shard "${SLURM_ARRAY_TASK_ID}/' .. o.tasks .. '" \\')
  add('  --store "' .. inside(stem) .. "${SLURM_ARRAY_TASK_ID}" .. inside(ending) .. '" \\')
  add '  --threads "${SLURM_CPUS_PER_TASK}"'
  add ""
  local parts = quote(stem) .. (o.tasks > 1 and ("{0..%d}"):format(o.tasks - 1) or "0")
    .. (ending == "" and "" or quote(ending))
  add "# Submit it, from the directory where the scenario is:"
  add "#   sbatch THIS_FILE"
  add "# Again for parts that failed or ran out of time; they go on where they stopped:"
  add("#   sbatch --array=%s THIS_FILE", o.tasks > 4 and "1,4" or "0")
  add "# When all are done:"
  add("#   %s merge --into %s %s", quote(o.command[1]), quote(o.store), parts)
  return table.concat(lines, "\n") .. "\n"
end

--- Which part of a sweep `--shard` means: "3/16" is the fourth of sixteen.
---@param text string
---@return integer|nil index from 0
---@return integer|string count how many parts, or what is wrong
function slurm.shard(text)
  local index, count = tostring(text):match "^(%d+)/(%d+)$"
  index, count = math.tointeger(tonumber(index)), math.tointeger(tonumber(count))
  if not index or not count then
    return nil, ("'%s' is not a part of a sweep; write INDEX/COUNT, such as 3/16"):format(
      tostring(text))
  end
  if count < 1 or index >= count then
    return nil, count < 1 and ("'%s': there are no parts"):format(text)
      or ("'%s': parts count from 0, so the last of %d is %d/%d"):format(text, count, count - 1,
        count)
  end
  return index, count
end

return slurm
