--- A fit in words: parameters with their sources, the held-out part, what could not be told.
-- Owns the report's tables. Called by init.lua.

local column_table = require "tandem.text.columns"
local format = require "tandem.text.format"
local styles = require "tandem.plot.style"

local report = {}

-- Four digits in the unit; per-size times have theirs after them.
---@param value number|nil
---@param unit string
---@return string
function report.value(value, unit)
  if value == nil then return "–" end
  if format.kinds[unit] then return format.quantity(value, format.kinds[unit], 4) end
  local per = unit:match "^s/(.+)$"
  if per and math.abs(value) < 1e-9 and value ~= 0 then
    return ("%.4g ps/%s"):format(value * 1e12, per)
  elseif per then
    return format.quantity(value, "time", 4) .. "/" .. per
  end
  if value == math.huge then return "∞" end
  return ("%.4g"):format(value)
end

--- The 95 % interval of a parameter, "" where it has none.
---@param p tandem.FitParameter
---@return string
function report.interval(p)
  if p.kind == "assumed" then return "" end
  if p.low and p.high and p.low == p.high then return "" end
  if p.low and not p.high then return "≥ " .. report.value(p.low, p.unit) end
  if p.low and p.high then
    local low, high = report.value(p.low, p.unit), report.value(p.high, p.unit)
    local number, unit = low:match "^(%S+)( .+)$"
    if unit and high:sub(-#unit) == unit then low = number end -- 8.1 … 8.5 µs
    return ("%s … %s"):format(low, high)
  end
  return ""
end

local function parameters(self, style)
  local rows = {}
  for i, p in ipairs(self.parameters) do
    local short = p.path:gsub("^pipeline%.", "")
    if p.term then short = ("%s (%s)"):format(short, p.term) end
    rows[i] = { short, report.value(p.value, p.unit), report.interval(p),
      p.kind ~= "fitted" and p.kind or "", p.prior and report.value(p.prior, p.unit) or "",
      p.source }
  end
  return column_table.lines({ { title = "parameter", wrap = true },
    { title = "value", align = "right" }, { title = "95 % interval", align = "right" },
    { title = "" }, { title = "before", align = "right", optional = 1 },
    { title = "source", wrap = true } }, rows, { style = style })
end

-- Near by luck is not near.
local function verdict(row)
  if not row.within then return { text = row.cause, color = "yellow" } end
  if not row.half or row.half > 0.05 then return "within 5 %, not surely" end
  return { text = "within 5 %", color = "green" }
end

local function held_out(self, style)
  local rows = {}
  for i, r in ipairs(self.rows) do
    rows[i] = { r.stage, format.integer(r.visits), format.time(r.predicted),
      format.time(r.observed), r.half
        and ("%s ± %s"):format(format.change(r.error), format.percent(r.half))
        or format.change(r.error),
      verdict(r) }
  end
  return column_table.lines({ { title = "held out", wrap = true },
    { title = "visits", align = "right" }, { title = "predicted", align = "right" },
    { title = "measured", align = "right" }, { title = "error", align = "right" },
    { title = "", wrap = true } }, rows, { style = style })
end

--- The report of a fit.
---@param self tandem.Fit
---@param style tandem.Style|nil
---@return string
function report.text(self, style)
  style = style or styles.detect(1)
  local lines = {}
  local function say(text) lines[#lines + 1] = text end
  local function wrapped(text)
    table.move(styles.wrap(style:text(text), style.width), 1, 100, #lines + 1, lines)
  end
  local run = self.real.run
  say(style:paint(style:text(("Fit%s to %s"):format(self.given and " of " .. self.base.name or "",
    run and run.name or "visits")), "bold"))
  wrapped(("%s fitted, %s held out (%s)."):format(format.plural(self.train.count, "request"),
    format.integer(self.hold.count), self.split == "half" and "the last part"
      or "spread evenly"))
  wrapped(("Arrivals: %s."):format(self.workload.source))
  say ""
  table.move(parameters(self, style), 1, 10000, #lines + 1, lines)
  if #self.rows > 0 then
    say ""
    table.move(held_out(self, style), 1, 10000, #lines + 1, lines)
    local total = self.rows[#self.rows]
    if total.standing_in then
      wrapped(("Of %s the total takes the fitted part's mean."):format(
        format.list(total.standing_in)))
    end
    wrapped("Means of own time; a total is stages and gaps without waits for other requests.")
  end
  if #self.refused > 0 then
    say ""
    say "Not fitted:"
    for _, r in ipairs(self.refused) do wrapped(("- %s: %s"):format(r.what, r.why)) end
  end
  if #self.notes > 0 then
    say ""
    for _, note in ipairs(self.notes) do wrapped("Note: " .. note .. ".") end
  end
  return table.concat(lines, "\n")
end

return report
