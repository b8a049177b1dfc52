--- Pages: self-contained HTML files without any outside resource.
--
-- A table of contents; each kind of page lives in its own file. Styles and scripts are
-- src/viewer's. Used by answers, `tandem report` and `tandem flame`, and by scripts.
local page = {}

--- A RowTable as HTML: sortable, searchable when long.
---@param rowtable tandem.RowTable
---@param options? tandem.PageTableOptions
---@return string
function page.table(rowtable, options) return require("tandem.page.table").of(rowtable, options) end

--- An answer as a page.
---@param answer tandem.Answer
---@return string
function page.answer(answer) return require("tandem.page.answer").page(answer) end

--- Everything that is known of a run as a page.
---@param run tandem.Run
---@param filter? tandem.AnalysisFilter
---@param tell? fun(fraction: number)  how much of the work is done
---@return string|nil
---@return string|nil message
---@return integer|nil code
function page.report(run, filter, tell)
  return require("tandem.page.report").of(run, filter, tell)
end

--- An overlay as a page.
---@param answer tandem.Overlay
---@return string
function page.overlay(answer) return require("tandem.page.overlay").of(answer) end

--- A fit as a page.
---@param fit tandem.Fit
---@return string
function page.fit(fit) return require("tandem.page.fit").of(fit) end

--- A flame graph as a page.
---@param graph tandem.FlameGraph
---@return string
function page.flame(graph) return require("tandem.page.flame").of(graph) end

return page
