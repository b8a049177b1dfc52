--- A fitted scenario as a Lua file: each fitted number with its interval and where it is from.
-- Owns what the comments say; the text is scenario/source.lua's. Called by init.lua.

local format = require "tandem.text.format"
local scenario_source = require "tandem.scenario.source"
local report = require "tandem.fit.report"

local source = {}

-- Digits of numbers that are not whole: beyond any error of a fit.
local DIGITS <const> = 5
local WIDTH <const> = 97

local function comment_of(p)
  local what = p.term and p.term .. ": " or ""
  local range = report.interval(p)
  local kind = p.kind == "fitted" and "" or p.kind .. ", "
  return what .. (range ~= "" and range .. "; " or "") .. kind .. p.source
end

local function comments_of(parameters)
  local out = {}
  for _, p in ipairs(parameters) do
    local text = comment_of(p)
    out[p.path] = out[p.path] and out[p.path] .. "; " .. text or text
  end
  return out
end

local function head_of(fit)
  local run = fit.real.run
  local head = { ("Fitted to %s, %s: %s, of which %s fitted and %s held out (%s)."):format(
    run and run.name or "visits", run and run.id and "run " .. run.id or "made of tables",
    format.plural(fit.real.count, "request"), format.integer(fit.train.count),
    format.integer(fit.hold.count), fit.split == "half" and "the last part" or "spread evenly") }
  local total = fit.rows[#fit.rows]
  if total then
    head[#head + 1] = ("Held out, the mean total of a request is %s, predicted %s (%s%s)."):format(
      format.time(total.observed), format.time(total.predicted), format.change(total.error),
      total.half and " ± " .. format.percent(total.half) or "")
  end
  for _, r in ipairs(fit.refused) do
    head[#head + 1] = ("Not fitted: %s: %s"):format(r.what, r.why)
  end
  local lines = {}
  for _, text in ipairs(head) do
    local wrapped = require("tandem.plot.style").wrap(text, WIDTH)
    table.move(wrapped, 1, #wrapped, #lines + 1, lines)
  end
  return lines
end

--- The file.
---@param fit tandem.Fit
---@return string|nil
---@return string|nil message
function source.of(fit)
  local made, problems = fit:scenario()
  if not made then return nil, tostring(problems) end
  return scenario_source.of(rawget(made, "raw"), { head = head_of(fit), digits = DIGITS,
    comments = comments_of(fit.parameters) })
end

return source
