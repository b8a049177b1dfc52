--- What a file is, and which command takes it: for whoever gave it to another.
--
-- Owns the words of one line. Traces are recognized by the readers, measurements of LLM servers by
-- tandem.llm.read, recorded requests by their layouts; what is left goes by its first bytes. Called
-- when a file was refused, so that it may cost a moment.
local core = require "tandem.core"
local json_file = require "tandem.io.json_file"
local shell = require "tandem.text.shell"
local text_file = require "tandem.io.text_file"

local filekind = {}

filekind.SCENARIO = "a scenario"
filekind.TRACE = "a trace"

---@class tandem.FileKind
---@field noun string  "a scenario"
---@field use string   "`tandem run FILE` simulates it"

local function has(head, ...)
  for _, key in ipairs { ... } do
    if not head:find('"' .. key .. '"%s*:') then return false end
  end
  return true
end

-- Where the manual tells of the recorded requests that a file has; nil: it has none. They are known
-- by what sessions of agents have, or by the names in the first row.
local function help_of_requests(head)
  if head:find '"hash_ids"%s*:' and head:find '"tool_tokens"%s*:'
    or head:find '"round_index"%s*:' then
    return "agent-sessions"
  end
  if head:find '"hash_ids"%s*:' then return "recordings" end
  local names, record = {}, head:match "^%s*(%b{})"
  if record then
    for name in record:gmatch '"([^"\\]+)"%s*:' do names[#names + 1] = name end
  else
    for name in ((head:match "^[^\r\n]*" or "") .. ","):gmatch "([^,]*)," do
      names[#names + 1] = name
    end
  end
  return require("tandem.replay.layouts").known(names) and "recordings" or nil
end

local function of_measurements(path)
  local ok, measured = pcall(require("tandem.llm.read").file, path)
  return ok and measured
end

---@param path string
---@return tandem.FileKind|nil
function filekind.of(path)
  local head, trace = core.recognize(path)
  if not head then return nil end
  if not trace and text_file.is_table(head) then
    local file = text_file.open { path = path }
    head = file and file:head() or head
  end
  local name = shell.word(path)
  local requests = not trace and help_of_requests(head)
  if trace and head:find("^SQLite format 3\0") and head:sub(69, 72) == "TDMS" then
    return { noun = "a tandem store",
      use = ("`tandem runs --store %s` lists its runs"):format(name) }
  elseif trace then
    return { noun = ("a trace (%s)"):format(trace),
      use = ("`tandem import %s` makes a run of it"):format(name) }
  elseif path:find "%.lua$" then
    return { noun = "a Lua script", use = ("`tandem run %s` simulates a scenario"):format(name) }
  elseif path:find "%.ipynb$" then
    return { noun = "a notebook", use = ("`tandem notebook run %s` runs it"):format(name) }
  elseif has(head, "model_type", "hidden_size") then
    return { noun = "a model's configuration",
      use = ("a scenario takes it as td.llm { config = %q }"):format(path) }
  elseif head:find "^%s*{" and (has(head, "pipeline") or has(head, "workload")) then
    return { noun = filekind.SCENARIO, use = ("`tandem run %s` simulates it"):format(name) }
  elseif requests then
    return { noun = requests == "recordings" and "a table of recorded requests"
        or "recorded sessions of agents",
      use = ("a scenario takes it as td.replay { file = %q } (tandem help %s)")
        :format(path, requests) }
  end
  local measured = of_measurements(path)
  if not measured then return nil end
  local use = ("`tandem fit %s` fits a step model to it"):format(name)
  if measured.kind == "points" then
    local score = ("`tandem score %s SCENARIO` holds a scenario against it"):format(name)
    use = measured.points[1].prompt and ("%s, %s"):format(use, score) or score
  elseif measured.tokenless then
    use = ("`tandem import %s` makes a run of its requests"):format(name)
  end
  return { noun = "a measurement of an LLM server", use = use }
end

--- What to say of a file that was taken for something else.
---@param path string
---@param wanted string  "a scenario": what it should have been
---@return string|nil words  "not a scenario but a trace (…); `tandem import x.json` makes …"
function filekind.instead(path, wanted)
  local kind = filekind.of(path)
  if not kind or kind.noun == wanted then return nil end
  return ("not %s but %s; %s"):format(wanted, kind.noun, kind.use)
end

-- Why a file that begins like JSON is none.
local function broken_json(path)
  local head = core.recognize(path)
  if not head or not head:find "^[\239\187\191%s]*[{%[]" then return nil end
  local stream <close> = json_file.open { path = path }
  if not stream then return nil end
  for _ in stream.record, stream do stream:value {} end
  return json_file.problem(stream)
end

--- The message of readers that know none of the formats, or what is better said of the file:
--- another command takes it, it is nearly something that one takes, or JSON that is broken.
---@param message string
---@return string
function filekind.told(message)
  local path = message:match "^(.*) is in none of the formats that are read;"
  if not path then return message end
  local instead = filekind.instead(path, filekind.TRACE)
  if instead then return ("%s is %s"):format(path, instead) end
  local ok, measured, nearly = pcall(require("tandem.llm.read").file, path)
  if ok and not measured and nearly then return nearly end
  local broken = broken_json(path)
  return broken and ("%s: %s"):format(path, broken) or message
end

return filekind
