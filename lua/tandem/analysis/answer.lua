--- What an analysis answers: tables that print themselves, what their figures are shares of, and
--- what could not be answered.
--
-- Owns `tandem.Answer` and its forms: text, CSV, JSON, a page. Values are the analysis's, how they
-- read is its description's. The first table is the answer's own: sorting, filtering and taking the
-- first rows go to it.
local json = require "tandem.io.json"
local rows_of = require "tandem.store.rows"
local styles = require "tandem.plot.style"

local answer = {}

---@class tandem.AnswerFrame
---@field name string
---@field title string
---@field plain boolean|nil  for programs, not for people
---@field brief nil|fun(rows: table[]): table[], string|nil  the rows worth a line, and what of the
---                          others is to be said
---@field table tandem.RowTable
---@field left_out integer|nil  rows behind those in the table

---@class tandem.Answer
---@field analysis string
---@field description tandem.Analysis  internal
---@field run tandem.Run
---@field filter tandem.AnalysisFilter
---@field frames tandem.AnswerFrame[]
---@field basis string[]   what figures are shares of, how they were counted
---@field compared? { a: table[], b: table[] }  the runs of a diff
---@field cannot string[]  what could not be answered, and what is missing for it
local Answer = { __name = "tandem.Answer" }
Answer.__index = Answer

-- The description's columns that have a value, in its order; what it does not name comes as it is.
local function shown_columns(raw, described)
  local used, columns, named = {}, {}, {}
  for _, row in ipairs(raw.rows) do
    for name in pairs(row) do used[name] = true end
  end
  for _, column in ipairs(described and described.columns or {}) do
    named[column.name] = true
    if used[column.name] or #raw.rows == 0 then columns[#columns + 1] = column end
  end
  for _, name in ipairs(raw.columns) do
    if used[name] and not named[name] then
      columns[#columns + 1] = { name = name, hidden = true }
    end
  end
  return columns
end

--- An answer from what was counted.
---@param name string
---@param description tandem.Analysis
---@param view tandem.View
---@param raw table  { frames = { { name, columns, rows } }, basis, cannot }
---@return tandem.Answer
function answer.new(name, description, view, raw)
  local frames = {}
  for i, one in ipairs(raw.frames) do
    local described = description.frames[one.name]
    frames[i] = { name = one.name, title = described and described.title or one.name,
      plain = described and described.plain, brief = described and described.brief,
      table = rows_of.new(shown_columns(one, described), one.rows) }
  end
  return setmetatable({ analysis = name, description = description, run = view.run,
    filter = view.filter, frames = frames, basis = raw.basis or {}, cannot = raw.cannot or {} },
    Answer)
end

--- One of its tables (default: the first).
---@param name? string
---@return tandem.RowTable
function Answer:frame(name)
  if not name then return self.frames[1].table end
  local names = {}
  for i, one in ipairs(self.frames) do
    if one.name == name then return one.table end
    names[i] = one.name
  end
  error(("%s has no table '%s'; %s"):format(self.analysis, tostring(name),
    require("tandem.text.nearest").hint(tostring(name), names)), 2)
end

--- The rows of its first table.
---@return table[]
function Answer:rows() return self.frames[1].table.rows end

--- Has it no row at all, and says why?
---@return boolean
function Answer:abstains()
  if #self.cannot == 0 then return false end
  for _, one in ipairs(self.frames) do
    if #one.table.rows > 0 then return false end
  end
  return true
end

--- The first rows; by a column, the largest first, when one is named.
---@param count integer
---@param column? string
---@return tandem.RowTable
function Answer:top(count, column)
  local rows = self.frames[1].table
  if column then rows = rows:sort(column, true) end
  return rows:first(count)
end

--- RowTable:sort of its first table.
---@param column string
---@param descending? boolean
---@return tandem.RowTable
function Answer:sort(column, descending) return self.frames[1].table:sort(column, descending) end

--- RowTable:filter of its first table.
---@param wanted (fun(row: table): boolean)|table<string, any>
---@return tandem.RowTable
function Answer:filtered(wanted) return self.frames[1].table:filter(wanted) end

--- RowTable:column of its first table.
---@param name string
---@return any[]
function Answer:column(name) return self.frames[1].table:column(name) end

-- ---- forms ----

local CANNOT <const> = "cannot answer:"

--- Keeps the first rows of each table of an answer.
---@param made tandem.Answer
---@param most integer
function answer.keep_first(made, most)
  for _, frame in ipairs(made.frames) do
    if #frame.table.rows > most then
      frame.left_out = #frame.table.rows - most
      frame.table = frame.table:first(most)
    end
  end
end

--- A sentence as lines in a style; those after the first are set in.
---@param sentence string
---@param style tandem.Style
---@return string[]
function answer.wrapped(sentence, style)
  local lines = styles.wrap(style:text(sentence), style.width - 2)
  for i = 2, #lines do lines[i] = "  " .. lines[i] end
  return lines
end

--- Sentences under the tables: the description's own, then the basis.
---@param page? boolean  as pages have them, which show more in the tables
---@return string[]
function Answer:notes(page)
  local make = page and self.description.page_notes or self.description.notes
  local notes = make and make(self) or {}
  return table.move(self.basis, 1, #self.basis, #notes + 1, notes)
end

--- The answer as lines in a style.
---@param style? tandem.Style
---@param limit? integer  rows of each table (default: 20); 0: all
---@param only? string    the table to print (default: those that are for people)
---@return string[]
function Answer:lines(style, limit, only)
  style, limit = style or styles.detect(1), limit or 20
  if only then self:frame(only) end
  local lines = not only and self.description.heading and self.description.heading(self, style)
    or {}
  for _, one in ipairs(self.frames) do
    if only and one.name == only and #one.table.rows == 0 then
      lines = { style:paint(one.title, "bold"), "  no rows" }
    elseif #one.table.rows > 0 and not (only and one.name ~= only or not only and one.plain) then
      if #lines > 0 then lines[#lines + 1] = "" end
      lines[#lines + 1] = style:paint(one.title, "bold")
      local shown, others = one.table, nil
      if limit > 0 and one.brief then
        local rows
        rows, others = one.brief(shown.rows)
        shown = rows_of.new(shown.columns, rows)
      end
      local worth = #shown.rows
      if limit > 0 and worth > limit then shown = shown:first(limit) end
      local made = #shown.rows > 0 and shown:lines(style, 2) or {}
      table.move(made, 1, #made, #lines + 1, lines)
      if #shown.rows < worth then
        lines[#lines + 1] = style:paint(("  and %d more rows (--limit 0 shows all)")
          :format(worth - #shown.rows), "dim")
      end
      if others then lines[#lines + 1] = style:paint("  " .. others, "dim") end
    end
  end
  local notes = self:notes()
  if #lines > 0 and #notes > 0 then
    lines[#lines + 1] = ""
    for _, note in ipairs(notes) do
      for _, line in ipairs(answer.wrapped(note, style)) do
        lines[#lines + 1] = style:paint(line, "dim")
      end
    end
  end
  for _, sentence in ipairs(self.cannot) do
    for i, line in ipairs(answer.wrapped(CANNOT .. " " .. sentence, style)) do
      lines[#lines + 1] = i > 1 and line or style:paint(CANNOT, "yellow") .. line:sub(#CANNOT + 1)
    end
  end
  return lines
end

--- The same as one text.
---@param style? tandem.Style
---@param limit? integer
---@return string
function Answer:report(style, limit) return table.concat(self:lines(style, limit), "\n") end

--- One of its tables as CSV (default: the first).
---@param name? string
---@return string
function Answer:to_csv(name) return self:frame(name):to_csv() end

--- All of it as JSON, schema tandem.analysis/1; ends with a line end.
---@return string
function Answer:to_json()
  local frames = {}
  for i, one in ipairs(self.frames) do
    local rows = {}
    for k, row in ipairs(one.table.rows) do
      local plain = {}
      for _, column in ipairs(one.table.columns) do
        local value = row[column.name]
        plain[column.name] = type(value) == "string" and rows_of.text(value) or value
      end
      rows[k] = plain
    end
    frames[i] = { name = one.name, rows = rows, left_out = one.left_out }
  end
  return json.encode({ schema = "tandem.analysis/1", analysis = self.analysis, run = self.run.id,
    compared = self.compared, filter = self.filter, tables = frames, basis = self.basis,
    cannot = self.cannot }, { indent = 2, lists = { tables = true, rows = true, basis = true,
    cannot = true, a = true, b = true } }) .. "\n"
end

--- The charts of the answer; some have none.
---@return tandem.AnalysisPlot[]
function Answer:plots()
  return self.description.plots and self.description.plots(self) or {}
end

--- Its first chart; written to a file when one is named, in the form that its ending says.
---@param path? string
---@return tandem.Plot|boolean|nil
---@return string|nil message
---@return integer|nil code
function Answer:plot(path)
  local first = self:plots()[1]
  if not first then return nil, ("%s has no chart"):format(self.analysis), 2 end
  if not path then return first.chart end
  return first.chart:save(path)
end

--- The answer as one self-contained page.
---@return string
function Answer:to_html() return require("tandem.page").answer(self) end

Answer.__tostring = function(self) return self:report() end
Answer.__len = function(self) return #self.frames[1].table.rows end

return answer
