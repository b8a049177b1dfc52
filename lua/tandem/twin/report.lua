--- A twin in words and as a scenario's text.
-- Owns the tables and the comments. Called by twin.

local compare = require "tandem.twin.compare"
local format = require "tandem.text.format"
local scenario_source = require "tandem.scenario.source"
local style = require "tandem.plot.style"

local report = {}

local DIGITS <const> = 4
local WIDTH <const> = 97

local function number(value, unit)
  if value == math.huge then return "∞" end
  if unit == "s" then return format.time(value) end
  local text = format.number and format.number(value) or ("%.3g"):format(value)
  return unit == "tok" and ("%.0f tokens"):format(value) or unit == "req/s"
    and ("%.3g a second"):format(value) or text
end

local function range_of(p)
  if p.why then return "not identifiable" end
  if not p.low then return "" end
  return ("%s … %s"):format(number(p.low, p.unit), number(p.high, p.unit))
end

local function parameter_lines(self)
  local lines = {}
  for _, p in ipairs(self.parameters) do
    if p.value then
      local line = ("  %s %s  %s"):format(style.pad(p.name, 20),
        style.pad(number(p.value, p.unit), 16, "right"), range_of(p))
      lines[#lines + 1] = line:gsub(" +$", "")
    end
  end
  lines[#lines + 1] = ""
  lines[#lines + 1] = "What they do not tell"
  for _, p in ipairs(self.parameters) do
    if p.why then
      local wrapped = style.wrap(p.name .. ": " .. p.why, WIDTH)
      for _, line in ipairs(wrapped) do lines[#lines + 1] = "  " .. line end
    end
  end
  return lines
end

local function shown(row, value)
  return row.tokens and ("%.0f"):format(value) or format.time(value)
end

local function bucket(row)
  local low, high = row.p99[1], row.p99[2]
  return high == math.huge and "above " .. shown(row, low)
    or ("%s – %s"):format(shown(row, low), shown(row, high))
end

local COLUMNS <const> = { { 10, "left" }, { 10, "right" }, { 10, "right" }, { 8, "right" },
  { 23, "left" }, { 10, "right" } }

-- Signs like µ and – are a column and several bytes.
local function line_of(cells, last)
  local out = { " " }
  for i, column in ipairs(COLUMNS) do out[i + 1] = style.pad(cells[i], column[1], column[2]) end
  return table.concat(out, " ") .. last
end

local function row_lines(self)
  local lines = { line_of({ "", "recorded", "twin", "off", " p99 is in", "twin p99" },
    "  shares differ by") }
  for _, row in ipairs(self.rows) do
    local off = row.mean > 0 and format.change(row.error) or "–"
    lines[#lines + 1] = line_of({ row.what, shown(row, row.mean), shown(row, row.twin_mean), off,
      " " .. bucket(row), shown(row, row.twin_p99) }, (row.p99_near and "  " or "! ")
      .. (row.apart and ("%.3f"):format(row.apart) or "other bounds"))
  end
  return lines
end

--- The report.
---@param self tandem.Twin
---@return string
function report.text(self)
  local lines = { "From " .. self.instances[1]:describe()
    .. (#self.instances > 1 and (" and %d more"):format(#self.instances - 1) or ""), "",
    "What metrics tell, and its 95 % interval" }
  for _, line in ipairs(parameter_lines(self)) do lines[#lines + 1] = line end
  lines[#lines + 1] = ""
  lines[#lines + 1] = ("The twin beside the recording, %s; shares at the bounds differ by %.3f in "
    .. "the median"):format(self.as_came and "with requests when they came" or "for as long",
    compare.apart(self.rows))
  for _, line in ipairs(row_lines(self)) do lines[#lines + 1] = line end
  for _, note in ipairs(self.notes) do lines[#lines + 1] = "Note: " .. note end
  return table.concat(lines, "\n")
end

--- The scenario as a Lua file.
---@param self tandem.Twin
---@return string|nil
---@return string|nil why
function report.source(self)
  local head, comments = { "A twin of " .. self.instances[1]:describe() .. "." }, {}
  for _, p in ipairs(self.parameters) do
    if p.path and p.low and not p.why then
      comments[p.path] = range_of(p)
    elseif p.why then
      for _, line in ipairs(require("tandem.plot.style").wrap(("Not identifiable, %s: %s."):format(
          p.name, p.why), WIDTH)) do
        head[#head + 1] = line
      end
    end
  end
  return scenario_source.of(rawget(self.scenario, "raw"), { head = head, comments = comments,
    digits = DIGITS })
end

--- What it found, as a table for JSON.
---@param self tandem.Twin
---@return table
function report.data(self)
  return { schema = "tandem.twin/1", name = self.name, parameters = self.parameters,
    rows = self.rows, apart = compare.apart(self.rows),
    notes = require("tandem.io.json").list(self.notes) }
end

return report
