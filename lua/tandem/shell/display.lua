--- A value as what a notebook shows: texts by media type.
--
-- Owns the choice: text for every value (show's), SVG where a value is or has a picture, HTML for
-- tables of rows. A picture speaks for itself; an answer that has one is shown as its text, and the
-- picture follows. Sends nothing: cells do. Runs the value's own methods, so callers guard it.
local format = require "tandem.text.format"
local nearest = require "tandem.text.nearest"
local reach = require "tandem.shell.reach"
local show = require "tandem.shell.show"
local styles = require "tandem.plot.style"

local display = {}

local MOST_ROWS <const> = 100 -- of a table

---@alias tandem.MimeBundle table<string, any>  texts by media type; data for JSON types

local function class_of(value)
  local meta = debug.getmetatable(value)
  return type(meta) == "table" and type(meta.__name) == "string" and meta.__name or ""
end

local function svg_text(made)
  local text = made ~= nil and tostring(made) or ""
  return text:find("<svg", 1, true) and text or nil
end

local function svg_of(value)
  local method = (type(value) == "table" or type(value) == "userdata") and reach.get(value, "svg")
  return type(method) == "function" and svg_text(method(value)) or nil
end

--- The chart of an answer, by its class.
---@type table<string, fun(value: any): any>
local CHARTS = {
  ["tandem.Result"] = function(value)
    return require("tandem.page.simulated").stage_chart(value)
  end,
  ["tandem.PlanAnswer"] = function(value) return value:plot() end,
  ["tandem.Answer"] = function(value) return (value:plot()) end,
  ["tandem.Overlay"] = function(value) return value:picture() end,
  ["tandem.WhatIf"] = function(value) return value:plot() end,
  ["tandem.Tornado"] = function(value) return value:plot() end,
}

local function html_table(value)
  local escape, out = require("tandem.page.html").escape, { "<table>\n<thead><tr>" }
  local rows_of, columns = require "tandem.store.rows", {}
  for _, column in ipairs(value.columns) do
    if not column.hidden then
      columns[#columns + 1] = column
      out[#out + 1] = "<th>" .. escape(styles.clean(column.title or column.name)) .. "</th>"
    end
  end
  out[#out + 1] = "</tr></thead>\n<tbody>\n"
  for index = 1, math.min(#value.rows, MOST_ROWS) do
    local row = value.rows[index]
    out[#out + 1] = "<tr>"
    for _, column in ipairs(columns) do
      local cell = row[column.name]
      local shown = column.show and column.show(cell, row) or rows_of.text(cell)
      if type(shown) == "table" then shown = shown.text end
      out[#out + 1] = "<td>" .. escape(styles.clean(shown)) .. "</td>"
    end
    out[#out + 1] = "</tr>\n"
  end
  out[#out + 1] = "</tbody>\n</table>"
  if #value.rows > MOST_ROWS then
    out[#out + 1] = ("\n<p>… %s more rows</p>"):format(
      format.integer(#value.rows - MOST_ROWS))
  end
  return table.concat(out)
end

local function chart_of(value, class)
  local made = CHARTS[class] and CHARTS[class](value)
  return made and (svg_of(made) or class_of(made) == "tandem.SvgChart" and svg_text(made)) or nil
end

--- What is shown of one value: its own bundle, and the one of its picture when that is apart.
---@param value any
---@param style tandem.Style
---@return tandem.MimeBundle[]
function display.bundles(value, style)
  local class = class_of(value)
  if class == "tandem.SvgChart" then
    return { { ["image/svg+xml"] = value.text,
      ["text/plain"] = ("SVG chart, %g × %g"):format(value.width, value.height) } }
  end
  local bundles = { { ["text/plain"] = show.value(value, style) } }
  if class == "tandem.RowTable" then
    bundles[1]["text/html"] = html_table(value)
  elseif CHARTS[class] then
    local svg = chart_of(value, class)
    bundles[2] = svg and { ["image/svg+xml"] = svg, ["text/plain"] = "(the same as a picture)" }
      or nil
  else
    bundles[1]["image/svg+xml"] = svg_of(value)
  end
  return bundles
end

--- Is this a bundle of a person's own: { ["text/html"] = "…" }?
---@param value any
---@return boolean
function display.is_bundle(value)
  if type(value) ~= "table" or getmetatable(value) ~= nil or next(value) == nil then
    return false
  end
  for key in next, value do
    if type(key) ~= "string" or not key:find "^%a[%w.+-]*/[%w.+-]+$" then return false end
  end
  return true
end

--- A bundle of a person's own as it is sent: JSON types hold data, all others text; there is
--- always text/plain.
---@param bundle table<string, any>
---@param style tandem.Style
---@return tandem.MimeBundle
function display.own(bundle, style)
  local out = {}
  for _, key in ipairs(nearest.sorted_keys(bundle)) do
    local is_data = key:find "/json$" or key:find "%+json$"
    out[key] = is_data and bundle[key] or tostring(bundle[key])
  end
  if out["text/plain"] == nil then
    local first = nearest.sorted_keys(bundle)[1]
    out["text/plain"] = type(out[first]) == "string" and ("(%s)"):format(first)
      or show.value(out[first], style)
  end
  return out
end

return display
