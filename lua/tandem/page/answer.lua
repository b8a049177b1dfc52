--- An answer of an analysis as HTML: charts, tables, what figures are shares of, what is missing.
--
-- Owns the body that the answer's own page and reports share. An analysis without charts of its own
-- gets one of its longest rows, where these are shares of a whole.
local html = require "tandem.page.html"
local styles = require "tandem.plot.style"
local tables = require "tandem.page.table"
local plot = require "tandem.plot"

local answers = {}

local BARS <const> = 8

-- The column that says what a row is: the last of the texts that people see.
local function naming_column(frame)
  local found
  for _, column in ipairs(frame.table.columns) do
    local first = frame.table.rows[1][column.name]
    if type(first) == "string" and not column.hidden then found = column.name end
  end
  return found
end

local NAME <const> = 34

-- A name without its namespaces.
local function bare(name)
  -- %f: a long word is not looked at again from each of its letters.
  return (styles.clean(name):gsub("^void ", ""):gsub("%(anonymous namespace%)::", "")
    :gsub("%f[%w_][%a_][%w_]*::", ""))
end

--- A name as a sentence has room for it: without namespaces, cut in the middle, since names that
--- are alike often differ at their ends.
---@param name string
---@return string
function answers.short(name)
  local text = bare(name)
  local length = utf8.len(text)
  if length <= NAME then return text end
  local head = NAME * 3 // 5
  return text:sub(1, utf8.offset(text, head + 1) - 1) .. "…"
    .. text:sub(utf8.offset(text, length - (NAME - head - 1) + 1))
end

-- What tells rows of one name apart, by row: their other words that differ.
local function apart(frame, rows, name)
  local groups, words = {}, {}
  for _, row in ipairs(rows) do
    local group = groups[row[name]] or {}
    groups[row[name]], group[#group + 1] = group, row
  end
  for _, group in pairs(groups) do
    for _, column in ipairs(#group > 1 and frame.table.columns or {}) do
      local first, differs = group[1][column.name], false
      for _, row in ipairs(group) do differs = differs or row[column.name] ~= first end
      for _, row in ipairs(differs and not column.hidden and group or {}) do
        if type(row[column.name]) == "string" then
          words[row] = (words[row] and words[row] .. ", " or "") .. row[column.name]
        end
      end
    end
  end
  return words
end

-- Bars of the rows with the largest totals. Nothing where rows are not parts of a whole.
local function largest(frame)
  local rows = frame.table.rows
  if #rows < 2 or not rows[1].share or not rows[1].total_ns then return nil end
  local name = naming_column(frame)
  if not name then return nil end
  local sorted, bars, rest = frame.table:sort("total_ns", true).rows, {}, 0
  local words = apart(frame, table.move(sorted, 1, BARS, 1, {}), name)
  for i, row in ipairs(sorted) do
    if i <= BARS and row.total_ns and row.share then
      local which = words[row] and words[row] .. " · " or ""
      bars[#bars + 1] = { name = which .. bare(row[name]), value = row.total_ns / 1e9,
        note = ("· %.1f %%"):format(100 * row.share) }
    else
      rest = rest + (row.total_ns or 0)
    end
  end
  if rest > 0 then
    bars[#bars + 1] = { name = ("%d others"):format(#sorted - BARS), value = rest / 1e9 }
  end
  return plot.bars { title = frame.title, subtitle = "time in all and share", rows = bars,
    x = { unit = "time" } }
end

--- The charts of an answer: its own, or the one that can be made of its first table.
---@param answer tandem.Answer
---@return tandem.Plot[]
local function charts_of(answer)
  local charts = {}
  for _, one in ipairs(answers.plots(answer)) do
    local chart = one.chart
    if chart.kind ~= "bars" or #chart:table().rows > 1 then charts[#charts + 1] = chart end
  end
  if #charts == 0 and answer.frames[1] and #answer.frames[1].table.rows > 0 then
    charts[1] = largest(answer.frames[1])
  end
  return charts
end

--- What was made of all rows of an answer before its tables were cut.
---@class tandem.SettledAnswer
---@field plots tandem.Plot[]
---@field charts tandem.Chart[]
---@field notes string[]
---@field all table<tandem.AnswerFrame, integer>  rows that there were

---@type table<tandem.Answer, tandem.SettledAnswer>
local settled = setmetatable({}, { __mode = "k" })

-- From so many rows on memory is given back at once.
local MANY_ROWS <const> = 10000

--- Makes the charts and notes of an answer, and keeps the first rows of its tables: a page of many
--- answers holds no more of each.
---@param answer tandem.Answer
---@param most integer
function answers.settle(answer, most)
  local made, rows = { plots = answer:plots(), notes = answer:notes(true), all = {} }, 0
  settled[answer] = made
  made.charts = charts_of(answer)
  for _, frame in ipairs(answer.frames) do
    made.all[frame] = #frame.table.rows
    rows = rows + #frame.table.rows
  end
  require("tandem.analysis.answer").keep_first(answer, most)
  if rows > MANY_ROWS then collectgarbage() end
end

--- The charts of an answer that its analysis has.
---@param answer tandem.Answer
---@return tandem.Plot[]
function answers.plots(answer)
  return settled[answer] and settled[answer].plots or answer:plots()
end

--- What could not be answered, as HTML; empty when there is nothing.
---@param answer tandem.Answer
---@return string
function answers.cannot(answer)
  if #answer.cannot == 0 then return "" end
  local parts = {}
  for i, sentence in ipairs(answer.cannot) do
    parts[i] = "<p><b>Cannot answer:</b> " .. html.prose(html.without_options(sentence)) .. "</p>"
  end
  return ('<div class="cannot" role="note">%s</div>'):format(table.concat(parts))
end

--- Everything in an answer, without a title.
---@param answer tandem.Answer
---@param options? tandem.PageTableOptions  of its tables
---@return string
function answers.body(answer, options)
  options = options or {}
  local parts, figures, some = {}, {}, false
  local known = settled[answer]
  local charts = known and known.charts or charts_of(answer)
  for i, chart in ipairs(charts) do figures[i] = html.figure(chart) end
  if #figures > 0 then
    parts[1] = '<div class="figures">' .. table.concat(figures, "\n") .. "</div>"
  end
  for _, frame in ipairs(answer.frames) do
    if #frame.table.rows > 0 and not frame.plain then
      some = true
      parts[#parts + 1] = tables.of(frame.table, setmetatable({ caption = frame.title,
        all = known and known.all[frame], beside = answer.frames, of = frame.table },
        { __index = options }))
    end
  end
  local notes = {}
  if some then
    for i, note in ipairs(known and known.notes or answer:notes(true)) do
      notes[i] = html.without_options(note)
    end
  end
  parts[#parts + 1] = html.list("notes", notes)
  parts[#parts + 1] = answers.cannot(answer)
  return table.concat(parts, "\n")
end

-- "100ms..250ms, device 1"
local function filter_words(filter)
  local words = {}
  for _, option in ipairs(require("tandem.analysis.options").filter) do
    if filter[option.name] ~= nil then
      words[#words + 1] = ("%s %s"):format(option.name, tostring(filter[option.name]))
    end
  end
  return words
end

--- What a page says over and under its title of a run seen through a filter.
---@param run tandem.Run
---@param filter tandem.AnalysisFilter
---@return string
function answers.whose(run, filter)
  local words = { ("run %s"):format(run.id:sub(1, 8)), run.kind }
  words[#words + 1] = require("tandem.store.list").moment(run.created_utc_ns)
  local only = filter_words(filter)
  if #only > 0 then words[#words + 1] = "only " .. table.concat(only, ", ") end
  return table.concat(words, " · ")
end

--- The answer as a page.
---@param answer tandem.Answer
---@return string
function answers.page(answer)
  local description = answer.description
  return require("tandem.page.document").of {
    title = description.page_title and description.page_title(answer)
      or ("%s: %s"):format(description.title, answer.run.name),
    eyebrow = answers.whose(answer.run, answer.filter),
    subtitle = description.about and html.without_options(description.about),
    sections = { { id = "answer", body = answers.body(answer) } },
  }
end

return answers
