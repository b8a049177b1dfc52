--- Verdicts of gates as continuous integration shows them: JUnit XML, Markdown, annotations.
--
-- Owns how each escapes: a kernel's name is a stranger's text, and none of it may become an
-- element, a line or a command. Writes nothing. Called by cli/gate.lua.
local mend = require "tandem.io.utf8"

local ci = {}

--- GitHub shows so many annotations of a kind and step.
ci.MOST_ANNOTATIONS = 10
local MOST_CHANGES <const> = 10

---@class tandem.GateRow
---@field gate string
---@field verdict "holds"|"fails"|"undecided"
---@field says string

---@class tandem.GateReport
---@field a string[]       of the base, in words
---@field b string[]       of what is new
---@field rows tandem.GateRow[]
---@field strict boolean
---@field totals? { figure: string, a: string, b: string, change: string }[]

local ENTITIES <const> = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;",
  ["'"] = "&apos;", ["\n"] = "&#10;", ["\t"] = "&#9;", ["\r"] = "&#13;" }

-- A text in XML 1.0, which has no place for most control characters, however they are written.
local function xml(text)
  text = mend.text(text):gsub("[\0-\8\11\12\14-\31\127]", "\u{FFFD}")
  return (text:gsub("\u{FFFE}", "\u{FFFD}"):gsub("\u{FFFF}", "\u{FFFD}"):gsub("[&<>\"'\n\t\r]",
    ENTITIES))
end

-- In one line without control characters.
local function line(text) return (mend.text(text):gsub("%c+", " ")) end

-- A cell of a table: every sign that Markdown or HTML knows is only itself, and nobody is called.
local function cell(text)
  return (line(text):gsub("[\\`*_%[%]{}<>&|~$#@!:^]", function(sign)
    return sign == "@" and "&#64;" or sign:find "[<>&]" and ENTITIES[sign] or "\\" .. sign
  end))
end

local function is_failure(row, strict)
  return row.verdict == "fails" or strict and row.verdict == "undecided"
end

local function count(report)
  local failed, undecided = 0, 0
  for _, row in ipairs(report.rows) do
    if is_failure(row, report.strict) then failed = failed + 1
    elseif row.verdict == "undecided" then undecided = undecided + 1 end
  end
  return failed, undecided
end

--- JUnit's XML: a case a gate, called by its condition, so that it stays the same from run to run.
--- Undecided ones are skipped, or failures where `strict`.
---@param report tandem.GateReport
---@return string
function ci.junit(report)
  local failed, undecided = count(report)
  local sums = ('tests="%d" failures="%d" errors="0" skipped="%d" time="0"'):format(#report.rows,
    failed, undecided)
  local out = { '<?xml version="1.0" encoding="UTF-8"?>', ("<testsuites %s>"):format(sums),
    ('  <testsuite name="tandem gate" %s>'):format(sums) }
  for _, row in ipairs(report.rows) do
    local head = ('    <testcase classname="tandem.gate" name="%s" time="0"'):format(xml(row.gate))
    if is_failure(row, report.strict) then
      out[#out + 1] = ('%s>\n      <failure type="%s" message="%s">%s</failure>\n    </testcase>')
        :format(head, row.verdict, xml(row.says), xml(("%s\nbase: %s\nnew: %s"):format(row.says,
          table.concat(report.a, "; "), table.concat(report.b, "; "))))
    elseif row.verdict == "undecided" then
      out[#out + 1] = ('%s>\n      <skipped message="%s"/>\n    </testcase>'):format(head,
        xml("undecided: " .. row.says))
    else
      out[#out + 1] = ("%s>\n      <system-out>%s</system-out>\n    </testcase>"):format(head,
        xml(row.says))
    end
  end
  out[#out + 1] = "  </testsuite>\n</testsuites>\n"
  return table.concat(out, "\n")
end

local SIGNS <const> = { holds = "holds", fails = "**fails**", undecided = "undecided" }

--- A summary in Markdown.
---@param report tandem.GateReport
---@return string
function ci.summary(report)
  local failed, undecided = count(report)
  local verdict = failed > 0 and ("%d of %d gates failed"):format(failed, #report.rows)
    or undecided > 0 and ("no gate failed, %d of %d undecided"):format(undecided, #report.rows)
    or ("all %d gates hold"):format(#report.rows)
  local out = { "### tandem gate: " .. verdict, "", "Base: " .. cell(table.concat(report.a, "; ")),
    "", "New: " .. cell(table.concat(report.b, "; ")), "", "| gate | verdict | it is |",
    "|---|---|---|" }
  for _, row in ipairs(report.rows) do
    out[#out + 1] = ("| %s | %s | %s |"):format(cell(row.gate), SIGNS[row.verdict], cell(row.says))
  end
  if report.totals and #report.totals > 0 then
    table.move({ "", "| | base | new | change |", "|---|---:|---:|---:|" }, 1, 3, #out + 1, out)
    for i = 1, math.min(#report.totals, MOST_CHANGES) do
      local one = report.totals[i]
      out[#out + 1] = ("| %s | %s | %s | %s |"):format(cell(one.figure), cell(one.a), cell(one.b),
        cell(one.change))
    end
  end
  return table.concat(out, "\n") .. "\n\n"
end

-- What a workflow command of GitHub says.
local function message(text)
  return (line(text):gsub("%%", "%%25"))
end

--- Annotations of GitHub Actions, a line each: errors for what fails, warnings for what is
--- undecided; of more than are shown, how many.
---@param report tandem.GateReport
---@return string[]
function ci.annotations(report)
  local out, counts = {}, { error = 0, warning = 0 }
  for _, row in ipairs(report.rows) do
    local kind = is_failure(row, report.strict) and "error"
      or row.verdict == "undecided" and "warning"
    if kind then
      counts[kind] = counts[kind] + 1
      if counts[kind] < ci.MOST_ANNOTATIONS then
        out[#out + 1] = ("::%s title=tandem gate::%s"):format(kind, message(("%s %s: %s"):format(
          row.gate, row.verdict == "fails" and "fails" or "is undecided", row.says)))
      end
    end
  end
  for _, kind in ipairs { "error", "warning" } do
    local more = counts[kind] - ci.MOST_ANNOTATIONS + 1
    if more > 0 then
      out[#out + 1] = ("::%s title=tandem gate::and %d more"):format(kind, more)
    end
  end
  return out
end

return ci
