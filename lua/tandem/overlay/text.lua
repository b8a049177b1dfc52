--- An overlay in a terminal: a lane after the other, the real run above the simulated one.
--
-- Owns the three views as lines of text. Called by the description of an overlay; colours, widths
-- and what may be printed are the style's.
local format = require "tandem.text.format"
local spark = require "tandem.plot.spark"
local styles = require "tandem.plot.style"

local text = {}

local REAL <const>, SIM <const> = "cyan", "yellow"
-- A column is marked where one is busy and the other not for at least this share of it.
local MARKED <const> = 0.25

local function most_of(...)
  local most = 0
  for _, list in ipairs { ... } do
    for _, value in ipairs(list) do most = math.max(most, value) end
  end
  return most
end

-- Marks of each column, of runs of one colour each.
local function painted(marks, colors, style)
  local parts, from = {}, 1
  for i = 1, #marks do
    if colors[i] ~= colors[i + 1] or i == #marks then
      parts[#parts + 1] = style:paint(table.concat(marks, "", from, i), colors[i] or nil)
      from = i + 1
    end
  end
  return table.concat(parts)
end

local function share_note(word, share)
  if not share then return word .. ": no such lane" end
  if share > 0 and share < 0.0005 then return word .. " < 0.1 %" end
  return ("%s %.1f %%"):format(word, 100 * share)
end

local views = {}

-- Two sparklines, and where they part.
function views.stacked(of, row, words, style)
  local most = most_of(of.real_mean, of.simulated_mean)
  local lines = {
    { style:paint(spark.line(of.real_mean, most, style), REAL), share_note(words.real,
      row.real_busy) },
    { style:paint(spark.line(of.simulated_mean, most, style), SIM), share_note(words.sim,
      row.simulated_busy) },
  }
  if not row.alike then return lines end
  local up, down = style.unicode and "▲" or "^", style.unicode and "▼" or "v"
  local marks, colors, any = {}, {}, false
  for i = 1, #of.real_busy do
    local real, sim = of.real_busy[i] - of.both_busy[i], of.simulated_busy[i] - of.both_busy[i]
    local mark = math.max(real, sim) >= MARKED
    marks[i] = mark and (real >= sim and up or down) or " "
    colors[i] = mark and (real >= sim and REAL or SIM) or false
    any = any or mark
  end
  if any then
    lines[3] = { painted(marks, colors, style), ("alike %.1f %%"):format(100 * row.alike) }
  else
    lines[2][2] = ("%s, alike %.1f %%"):format(lines[2][2], 100 * row.alike)
  end
  return lines
end

-- One line: the upper half of a column is the real run, the lower half the simulated one.
function views.overlay(of, row, words, style)
  local both = style.unicode and "█" or "#"
  local up, down = style.unicode and "▀" or "'", style.unicode and "▄" or ","
  local half = most_of(of.real_mean, of.simulated_mean) / 2
  local marks, colors = {}, {}
  for i = 1, #of.real_mean do
    local real = half > 0 and of.real_mean[i] >= half
    local sim = half > 0 and of.simulated_mean[i] >= half
    marks[i] = real and sim and both or real and up or sim and down or " "
    colors[i] = real and not sim and REAL or sim and not real and SIM or false
  end
  return { { painted(marks, colors, style), row.alike and ("%s, %s, alike %.1f %%"):format(
    share_note(words.real, row.real_busy), share_note(words.sim, row.simulated_busy),
    100 * row.alike) or share_note(words.real, row.real_busy) .. ", "
    .. share_note(words.sim, row.simulated_busy) } }
end

-- Two sparklines of what only one of them was busy, on one scale for all lanes.
function views.difference(of, row, words, style)
  if not row.alike then return {} end
  local real, sim = {}, {}
  for i = 1, #of.real_busy do
    real[i] = of.real_busy[i] - of.both_busy[i]
    sim[i] = of.simulated_busy[i] - of.both_busy[i]
  end
  local function note(word, ns)
    return ("only %s %s"):format(word, format.time(ns / 1e9))
  end
  return { { style:paint(spark.line(real, 1, style), REAL), note(words.real, row.only_real_ns) },
    { style:paint(spark.line(sim, 1, style), SIM), note(words.sim, row.only_simulated_ns) } }
end

local function legend(answer, style)
  local real, sim = answer.real.word, answer.sim.word
  if answer.view == "overlay" then
    local both = style.unicode and "█" or "#"
    local up, down = style.unicode and "▀" or "'", style.unicode and "▄" or ","
    return ("%s both  %s  %s: where a lane does at least half of the most it ever does"):format(
      both, style:paint(up .. " " .. real, REAL), style:paint(down .. " " .. sim, SIM))
  elseif answer.view == "difference" then
    return ("above: only %s, below: only %s; the highest block is all of a column"):format(
      style:paint(real, REAL), style:paint(sim, SIM))
  end
  return ("above: %s, below: %s; %s %s only %s, %s only %s for a quarter of a column"):format(
    style:paint(real, REAL), style:paint(sim, SIM), "marks:", style.unicode and "▲" or "^", real,
    style.unicode and "▼" or "v", sim)
end

local function run_lines(answer, style)
  local lines, wide = {}, math.max(#answer.real.word, #answer.sim.word)
  for _, side in ipairs { answer.real, answer.sim } do
    local id = side.run and side.run.id and side.run.id .. "  " or ""
    lines[#lines + 1] = ("%s  %s%s"):format(style:paint(styles.pad(side.word, wide),
      side == answer.real and REAL or SIM), id, style:text(styles.clean(side:name())))
  end
  return lines
end

--- The runs, and their lanes as the answer's view shows them.
---@param answer tandem.Overlay
---@param style tandem.Style
---@return string[]
function text.lines(answer, style)
  local lines = run_lines(answer, style)
  lines[#lines + 1] = ""
  local rows, list = answer:frame("lanes").rows, answer.laid:lanes()
  local label = 0
  for _, lane in ipairs(list) do label = math.max(label, styles.columns(lane.label)) end
  label = math.min(label, 24)
  local note = answer.view == "overlay" and 48
    or math.max(#answer.real.word, #answer.sim.word) + 24
  local room = math.max(16, style.width - label - note - 5)
  local edge, words = style:text "│", { real = answer.real.word, sim = answer.sim.word }
  for index, lane in ipairs(list) do
    local made = views[answer.view](answer.laid:bins(index, room), rows[index], words, style)
    for i, one in ipairs(made) do
      lines[#lines + 1] = ("%s %s%s%s %s"):format(styles.pad(i == 1 and style:text(styles.clean(
        lane.label)) or "", label), edge, one[1], edge, style:text(one[2]))
    end
  end
  local function at(ns) return format.time((ns - answer.zero_ns) / 1e9) end
  local right = at(answer.to_ns)
  lines[#lines + 1] = style:paint(style:text(string.rep(" ", label + 2) .. styles.pad(
    at(answer.from_ns), room - styles.columns(right)) .. right), "dim")
  lines[#lines + 1] = legend(answer, style)
  return lines
end

return text
