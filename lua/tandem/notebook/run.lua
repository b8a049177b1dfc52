--- Runs a notebook without Jupyter: its cells, one after the other, in one session.
--
-- Owns what becomes of a cell's output in the file: streams joined, displays updated in place,
-- outputs cleared, numbers given. What cells do is tandem.shell.cells', as in the kernel. Used by
-- cli/notebook.lua.
local cells = require "tandem.shell.cells"
local core = require "tandem.core"
local file = require "tandem.notebook.file"
local json = require "tandem.io.json"

local run = {}

---@class tandem.NotebookFailure
---@field cell integer
---@field problem tandem.shell.Problem

--- Collects the outputs of the cell that runs.
local function collector()
  local self = { outputs = json.list(), ids = {}, clear_next = false }
  local function add(output, id)
    if self.clear_next then
      for index = #self.outputs, 1, -1 do self.outputs[index] = nil end
      self.clear_next = false
    end
    self.outputs[#self.outputs + 1] = output
    if id then
      self.ids[id] = self.ids[id] or {}
      table.insert(self.ids[id], output)
    end
  end
  local sink = {}
  function sink.stream(name, text)
    local last = not self.clear_next and self.outputs[#self.outputs]
    if last and last.output_type == "stream" and last.name == name then
      last.text = last.text .. text
    elseif text ~= "" then
      add { output_type = "stream", name = name, text = text }
    end
  end
  function sink.display(bundle, id, update)
    if update and id then
      for _, output in ipairs(self.ids[id] or {}) do output.data = bundle end
    else
      add({ output_type = "display_data", data = bundle, metadata = {} }, id)
    end
  end
  function sink.result(bundle)
    add { output_type = "execute_result", data = bundle, metadata = {},
      execution_count = self.count }
  end
  function sink.problem(problem)
    add { output_type = "error", ename = problem.name, evalue = problem.message,
      traceback = json.list(problem.trace) }
  end
  function sink.clear(wait)
    self.clear_next = true
    if not wait then
      for index = #self.outputs, 1, -1 do self.outputs[index] = nil end
      self.clear_next = false
    end
  end
  function sink.ask() return nil, "nobody can be asked while a notebook runs by itself" end
  self.sink = sink
  return self
end

local function may_fail(cell)
  for _, tag in ipairs(type(cell.metadata.tags) == "table" and cell.metadata.tags or {}) do
    if tag == "raises-exception" then return true end
  end
  return false
end

--- Runs all code cells; the notebook's outputs and counts are those of this run. Ends at the first
--- cell that fails, unless it is tagged raises-exception.
---@param book tandem.Notebook
---@param directory string  where cells run
---@param env? table  the globals that cells see (default: _G)
---@return tandem.NotebookFailure|nil failure
---@return string|nil message  it did not begin
function run.book(book, directory, env)
  local before, message = core.files.enter(directory)
  if not before then return nil, message end
  local collected = collector()
  local session = cells.new(collected.sink, env)
  local count, failure = 0, nil
  for index, cell in ipairs(book.cells) do
    if cell.cell_type == "code" then
      cell.outputs = json.list()
      cell.metadata.execution = nil -- times of an earlier run
      cell.execution_count = json.null
      if not failure and cell.source:find "%S" then
        count = count + 1
        collected.outputs, collected.count, collected.clear_next = cell.outputs, count, false
        cell.execution_count = count
        local problem, quit = session:run(cell.source, count)
        if problem and (problem.name == "Interrupted" or not may_fail(cell)) then
          failure = { cell = index, problem = problem }
        elseif quit then
          break
        end
      end
    end
  end
  session:close()
  core.files.enter(before)
  book.metadata.kernelspec = book.metadata.kernelspec or file.KERNEL
  book.metadata.language_info = require("tandem.jupyter.kernel").LANGUAGE
  return failure
end

-- ---- comparing ----

local function first_difference(a, b)
  local mine, line = (a .. "\n"):gmatch "(.-)\n", 0
  for theirs in (b .. "\n"):gmatch "(.-)\n" do
    line = line + 1
    local one = mine()
    if one ~= theirs then return line, one, theirs end
  end
  return line + 1, mine(), nil
end

local SHOWN <const> = 60 -- characters of a line that differs

--- A line from a little before where it differs.
local function shown(text, from)
  if not text then return "nothing" end
  while from > 1 and (text:byte(from) or 0) & 0xC0 == 0x80 do from = from - 1 end
  return ('"%s%s"'):format(from > 1 and "…" or "", require("tandem.page.html").cut(
    require("tandem.io.utf8").text(text:sub(from)), SHOWN))
end

local function first_byte(a, b)
  local at = 1
  while at <= #a and a:byte(at) == b:byte(at) do at = at + 1 end
  return at
end

local function text_difference(what, was, is)
  if was == is then return nil end
  local line, old, new = first_difference(was, is)
  local at = first_byte(old or "", new or "")
  local from = at > SHOWN // 2 and at - SHOWN // 3 or 1
  return ("%s, line %d: %s, and %s was committed"):format(what, line, shown(new, from),
    shown(old, from))
end

--- What an output says, as named texts.
local function texts_of(output)
  if output.output_type == "stream" then return { [output.name or "stream"] = output.text } end
  if output.output_type == "error" then
    return { error = table.concat(output.traceback or {}, "\n") }
  end
  local texts = {}
  for kind, value in next, output.data or {} do
    texts[kind] = type(value) == "string" and value or json.encode(value)
  end
  return texts
end

local function output_difference(was, is)
  if was.output_type ~= is.output_type then
    return ("%s, and %s was committed"):format(is.output_type, was.output_type)
  end
  local old, new, kinds = texts_of(was), texts_of(is), {}
  for kind in next, old do kinds[kind] = true end
  for kind in next, new do kinds[kind] = true end
  for _, kind in ipairs(require("tandem.text.nearest").sorted_keys(kinds)) do
    if not old[kind] or not new[kind] then
      return ("%s %s"):format(kind, new[kind] and "is new" or "was committed and is not there")
    end
    local difference = text_difference(kind, old[kind], new[kind])
    if difference then return difference end
  end
end

--- How the outputs of a cell differ from those that were committed, in one line; nil when they do
--- not.
---@param was table[]
---@param is table[]
---@return string|nil
function run.difference(was, is)
  for index = 1, math.min(#was, #is) do
    local difference = output_difference(was[index], is[index])
    if difference then return difference end
  end
  if #was ~= #is then
    local format = require "tandem.text.format"
    return ("%s, and %d committed"):format(format.plural(#is, "output"), #was)
  end
end

return run
