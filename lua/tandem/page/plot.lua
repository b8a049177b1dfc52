--- A plot as a page of its own: the picture, what it was drawn from, the rows to sort and search.
--
-- Owns what stands on the page. The buttons that save the picture are src/viewer/page.js's, as on
-- every page with figures.
local document = require "tandem.page.document"
local html = require "tandem.page.html"
local tables = require "tandem.page.table"

local page = {}

-- Rows on the page; the plot's CSV has all of them.
local MOST <const> = 500

--- The page.
---@param plot tandem.Plot
---@return string
function page.of(plot)
  local title = plot.title and tostring(plot.title) or "Plot"
  local rows, all = plot:head(MOST)
  return document.of { title = title, told = true, contents = false, sections = {
    { id = "picture", body = html.figure(plot) },
    { id = "data", body = tables.of(rows, { caption = "Data", most = MOST, few = 20, all = all,
      unknown = "–", rest = "plot:csv() has all" }) },
  } }
end

return page
