--- Notebook files (.ipynb, nbformat 4): read whole; equal notebooks are written as equal bytes.
--
-- Owns the format: sorted keys, one space a level and texts as lists of lines, as Jupyter's own
-- writer does it; ids of cells that lack one. Knows nothing of running. Used by run.lua and
-- cli/notebook.lua.
local infile = require "tandem.io.infile"
local json = require "tandem.io.json"

local file = {}

---@class tandem.Notebook
---@field cells tandem.NotebookCell[]
---@field metadata table
---@field nbformat integer
---@field nbformat_minor integer

---@class tandem.NotebookCell
---@field id string
---@field cell_type "code"|"markdown"|"raw"
---@field source string
---@field metadata table
---@field outputs? table[]
---@field execution_count? any  json.null before it ran

local MINOR <const> = 5 -- of nbformat 4: cells have ids

-- ---- reading ----

--- A text that may be a list of lines.
local function joined(value)
  if json.is_list(value) then
    for _, line in ipairs(value) do
      if type(line) ~= "string" then return nil end
    end
    return table.concat(value)
  end
  return type(value) == "string" and value or nil
end

local function is_json(kind) return kind:find "^application/.*json$" ~= nil end

--- An output with its texts whole; nil when it is none.
local function read_output(output)
  if type(output) ~= "table" or type(output.output_type) ~= "string" then return nil end
  if output.output_type == "stream" then
    output.text = joined(output.text)
    return output.text and output
  elseif output.output_type == "display_data" or output.output_type == "execute_result" then
    if type(output.data) ~= "table" then return nil end
    for kind, value in next, output.data do
      local text = not is_json(kind) and joined(value)
      if text then output.data[kind] = text end
    end
  end
  return output
end

local CELL_TYPES <const> = { code = true, markdown = true, raw = true }

--- Mends a cell to nbformat 4.5; nil and what is wrong.
local function read_cell(cell, index)
  if type(cell) ~= "table" or not CELL_TYPES[cell.cell_type] then
    return nil, "is not a code, markdown or raw cell"
  end
  cell.source = joined(cell.source)
  if not cell.source then return nil, "has no source" end
  if type(cell.metadata) ~= "table" then cell.metadata = {} end
  if type(cell.id) ~= "string" then
    local name = ("%d %s %s"):format(index, cell.cell_type, cell.source)
    cell.id = require("tandem.core").digest.sha256(name):sub(1, 8)
  end
  if cell.cell_type ~= "code" then return cell end
  if cell.execution_count == nil then cell.execution_count = json.null end
  cell.outputs = json.list(type(cell.outputs) == "table" and cell.outputs or {})
  for k, output in ipairs(cell.outputs) do
    if not read_output(output) then return nil, ("output %d is none"):format(k) end
  end
  return cell
end

--- A notebook of its text.
---@param text string
---@return tandem.Notebook|nil notebook
---@return string|nil problem
function file.parse(text)
  local book, problem = json.decode(text, nil, nil, true)
  if problem then return nil, ("line %d: %s"):format(problem.line, problem.message) end
  if type(book) ~= "table" or book.nbformat == nil or not json.is_list(book.cells) then
    return nil, "this is not a notebook: an object with nbformat and cells"
  elseif book.nbformat ~= 4 then
    return nil, ("nbformat %s is not read; open it in Jupyter and save it as 4"):format(
      tostring(book.nbformat))
  end
  if type(book.metadata) ~= "table" then book.metadata = {} end
  if math.type(book.nbformat_minor) ~= "integer" or book.nbformat_minor < MINOR then
    book.nbformat_minor = MINOR
  end
  for index, cell in ipairs(book.cells) do
    local read, wrong = read_cell(cell, index)
    if not read then return nil, ("cell %d %s"):format(index, wrong) end
  end
  return book
end

--- A notebook of its file.
---@param path string
---@return tandem.Notebook|nil notebook
---@return string|nil message
---@return integer|nil code  4: it cannot be read, 3: it is no notebook
function file.read(path)
  local text, message, code = infile.read(path)
  if not text then return nil, message, code end
  local book, problem = file.parse(text)
  if not book then return nil, ("%s: %s"):format(path, problem), 3 end
  return book
end

-- ---- writing ----

-- As Jupyter writes its files, so that little differs where both did.
local WRITTEN <const> = { indent = 1, spread = true, floats = true }

local function lines(text)
  local list = json.list()
  for line in text:gmatch "[^\n]*\n?" do
    if line ~= "" then list[#list + 1] = line end
  end
  return list
end

local function copy_of(from)
  local copy = {}
  for key, value in next, from do copy[key] = value end
  return copy
end

local function written_output(output)
  local copy = copy_of(output)
  if output.output_type == "stream" then
    copy.text = lines(output.text)
  elseif output.data then
    copy.data = copy_of(output.data)
    for kind, value in next, output.data do
      local is_lines = kind:find "^text/" or kind == "image/svg+xml"
        or kind == "application/javascript"
      if is_lines and type(value) == "string" then copy.data[kind] = lines(value) end
    end
  end
  return copy
end

--- The text of a notebook's file.
---@param book tandem.Notebook
---@return string
function file.text(book)
  local copy = copy_of(book)
  copy.cells = json.list()
  for index, cell in ipairs(book.cells) do
    local one = copy_of(cell)
    one.source = lines(cell.source)
    if cell.outputs then
      one.outputs = json.list()
      for k, output in ipairs(cell.outputs) do one.outputs[k] = written_output(output) end
    end
    copy.cells[index] = one
  end
  return json.encode(copy, WRITTEN) .. "\n"
end

--- The name and language of tandem's kernel, as notebooks name it.
file.KERNEL = { display_name = "tandem (Lua)", language = "lua", name = "tandem" }

local FIRST_CELL <const> = [[
base = td.scenario "mine" {
  workload = td.poisson { rps = 20, duration = "60s" },
  target   = td.gpu "L40" { concurrency = 4 },
  pipeline = {
    td.transfer "h2d"     { bytes = "8MiB" },
    td.tokens   "compute" { tokens = 128 },
  },
}
return base:run { seed = 1 }]]

--- A new notebook.
---@param title string
---@return tandem.Notebook
function file.new(title)
  return assert(file.parse(json.encode { nbformat = 4, nbformat_minor = MINOR,
    metadata = { kernelspec = file.KERNEL }, cells = {
      { cell_type = "markdown", source = "# " .. title, metadata = {} },
      { cell_type = "code", metadata = {}, outputs = json.list(), source = FIRST_CELL },
    } }))
end

return file
