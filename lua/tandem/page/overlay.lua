--- An overlay as a page: its three pictures, each as wide as the page, and its tables.
--
-- Owns the order of the sections. Called by tandem.Overlay; `tandem.page.answer` has the tables.
local answers = require "tandem.page.answer"
local html = require "tandem.page.html"
local tables = require "tandem.page.table"

local page = {}

local TITLES <const> = { stacked = "One above the other", overlay = "One over the other",
  difference = "Where one is busy and the other not" }

local function whose(side)
  local run = side.run
  local id = run and run.id and run.id ~= "" and (" · run %s"):format(run.id:sub(1, 8)) or ""
  return ("%s: %s%s"):format(side.word, side:name(), id)
end

local function tables_of(answer)
  local parts = {}
  for _, frame in ipairs(answer.frames) do
    if #frame.table.rows > 0 and not frame.plain then
      parts[#parts + 1] = tables.of(frame.table, { caption = frame.title })
    end
  end
  parts[#parts + 1] = html.list("notes", answer:notes())
  parts[#parts + 1] = answers.cannot(answer)
  return table.concat(parts, "\n")
end

--- The page; the view that was asked for comes first.
---@param answer tandem.Overlay
---@return string
function page.of(answer)
  local sections = {}
  for i, plot in ipairs(answer:plots()) do
    sections[i] = { title = TITLES[plot.title], id = plot.title, body = html.figure(plot.chart) }
  end
  local real, sim = answer.real.run, answer.sim.run
  if real and sim and real.store and sim.store then
    sections[#sections + 1] = require("tandem.page.timeline").section(real, sim,
      { clock = answer.clock })
  end
  sections[#sections + 1] = { title = "In numbers", id = "numbers", body = tables_of(answer) }
  return require("tandem.page.document").of {
    title = ("%s over %s"):format(answer.real:name(), answer.sim:name()),
    eyebrow = answer.description.title,
    subtitle = whose(answer.real) .. " · " .. whose(answer.sim),
    sections = sections, contents = false,
  }
end

return page
