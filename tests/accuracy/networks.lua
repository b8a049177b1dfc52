-- How far what `explain` says of networks drawn at random is from the truth, by family: mean
-- latency, waits of steps, how busy stations are; what it calls exact, estimated or rough.
--
-- About half an hour of one core. NETWORKS_SEED draws other networks, NETWORKS_COUNT so many (300).

local networks = require "tests.theory.support.networks"

local accuracy = {}

local BAR <const>, FAR <const> = 0.08, 1.5

local function quantile(sorted, p)
  return sorted[math.max(1, math.ceil(p * #sorted))] or 1
end

local function percent(factor) return ("%.1f %%"):format(100 * (factor - 1)) end

local function rows_of(rows, names)
  print(("%-14s %4s %8s %8s %7s %6s %6s %6s %6s %8s %8s"):format("", "of", "median", "p90",
    "worst", "exact", "about", "rough", "far", "wait p50", "busy p90"))
  for _, name in ipairs(names) do
    local all, waits, busy, counts = {}, {}, {}, { exact = 0, about = 0, rough = 0 }
    local far = 0
    for _, row in ipairs(rows) do
      if name == "all" or row.family == name then
        all[#all + 1] = row.off
        counts[row.mark] = counts[row.mark] + 1
        if row.off > FAR and row.mark ~= "rough" then far = far + 1 end
        table.move(row.waits, 1, #row.waits, #waits + 1, waits)
        table.move(row.busy, 1, #row.busy, #busy + 1, busy)
      end
    end
    table.sort(all)
    table.sort(waits)
    table.sort(busy)
    print(("%-14s %4d %8s %8s %6.2f× %6d %6d %6d %6d %8s %8s"):format(name, #all,
      percent(quantile(all, 0.5)), percent(quantile(all, 0.9)), all[#all] or 1, counts.exact,
      counts.about, counts.rough, far, percent(quantile(waits, 0.5)), percent(quantile(busy, 0.9))))
  end
end

--- Prints the table; false when the median is off by more than 8 %, or something that is not called
--- rough by more than 1.5 times, or something exact by more than its interval.
---@return boolean
function accuracy.run()
  local seed = tonumber(os.getenv "NETWORKS_SEED") or os.time() % 100000 * 1000
  local count = tonumber(os.getenv "NETWORKS_COUNT") or 300
  print(("explain of random networks from %d on: how many times too long or short its mean latency"
    .. "\nis; far: by more than %.1f× and not called rough"):format(seed + 1, FAR))
  local rows, good, unsure = {}, true, 0
  for n = seed + 1, seed + count do
    local problem = networks.problem(n)
    local truth = networks.truth(problem)
    if truth.half > 0.02 then
      unsure = unsure + 1
    else
      local row = networks.compare(problem, truth)
      rows[#rows + 1] = row
      local wrong = row.mark == "exact" and row.off - 1 > 2.2 * truth.half
      if row.off > FAR or wrong then
        print(("  %s, %s: %.4g s said, %.4g s true %s"):format(problem.name, row.mark, row.said_s,
          truth.mean_s, row.why))
      end
      good = good and not wrong and (row.off <= FAR or row.mark == "rough")
    end
  end
  local names = {}
  for i, family in ipairs(networks.families) do names[i] = family[1] end
  names[#names + 1] = "all"
  rows_of(rows, names)
  if unsure > 0 then print(("%d more need longer runs than these"):format(unsure)) end
  local all = {}
  for i, row in ipairs(rows) do all[i] = row.off end
  table.sort(all)
  return good and quantile(all, 0.5) - 1 <= BAR
end

return accuracy
