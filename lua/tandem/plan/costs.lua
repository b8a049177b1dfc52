--- What an answer costs, in words: dollars and watts, and who says so.
--
-- Owns the sentence and where each price is from; sums are scenario/bill's. Called by plan/report.
local format = require "tandem.text.format"
local prices = require "tandem.scenario.prices"
local styles = require "tandem.plot.style"

local costs = {}

-- Who says what a kind costs: "H100 SXM at $20.00 an hour for 8 (prices.csv: aws)".
local function offer_words(q, kind)
  local list = q.base.checked.prices and q.base.checked.prices[prices.canonical(kind.name)]
  if list then
    local parts = {}
    for i, one in ipairs(list) do
      parts[i] = ("%s an hour%s%s"):format(format.quantity(one.usd_per_hour, "money"),
        one.per > 1 and (" for %d"):format(one.per) or "", one.source
          and (" (%s)"):format(styles.clean(one.source)) or "")
    end
    return ("%s at %s"):format(styles.clean(kind.name), table.concat(parts, " or "))
  end
  local entry = require("tandem.catalogue").gpu(kind.name)
  local price = entry and entry.price_per_hour_usd
  -- One of the scenario's own has no source but that.
  local middle = price and (price.low + price.high) / 2
  if not price or math.abs(kind.usd_per_hour / kind.count - middle) > 1e-6 * middle then
    return nil
  end
  return ("%s at %s an hour (%s, %s)"):format(styles.clean(kind.name),
    price.low == price.high and ("$%.2f"):format(price.low)
      or ("$%.2f–%.2f, its middle counted,"):format(price.low, price.high),
    price.source.title, price.source.date)
end

-- " ($2.00 of it for 48 CPU workers)".
local function worker_words(bill)
  local parts = {}
  for i, one in ipairs(bill.workers) do
    parts[i] = ("%s of it for %s"):format(format.quantity(one.usd_per_hour, "money"),
      one.name == "cpu" and format.plural(one.count, "CPU worker")
        or ("%d × %s"):format(one.count, styles.clean(one.name)))
  end
  return #parts > 0 and (" (%s)"):format(format.list(parts)) or ""
end

--- What a row costs and who says so; nil where nothing is counted that costs.
---@param q tandem.PlanQuestion
---@param row tandem.PlanRow
---@return string|nil
function costs.words(q, row)
  local bill = row.bill
  if not bill or bill.gpus == 0 and #bill.workers == 0 then return nil end
  if not bill.usd_per_hour then
    return ("There is no price for %s: %s (dollars an hour) gives one."):format(bill.unpriced,
      prices.option(bill.unpriced))
  end
  local parts = {}
  for _, kind in ipairs(bill.kinds) do parts[#parts + 1] = offer_words(q, kind) end
  local total = ("%s an hour%s%s"):format(format.quantity(bill.usd_per_hour, "money"),
    bill.held and " for what is held at the mean" or "", worker_words(bill))
  if bill.watts and bill.gpus > 0 then
    total = total .. (" and %s W"):format(format.integer(bill.watts))
  end
  return ("It costs %s%s."):format(total, #parts > 0 and ": " .. table.concat(parts, "; ")
    or "")
end

return costs
