--- Request by request: how far the simulation is off where both runs had the same ones.
--
-- Owns the figures of these errors and which requests are the worst. Used by init.lua.
local requests = {}

-- The value below which a share of them lies, the next one above where it falls between two.
local function at_share(sorted, share)
  return sorted[math.max(1, math.ceil(share * #sorted))]
end

-- Pearson's; nil where one of the two never changes.
local function correlation(a, b, mean_a, mean_b)
  local ab, aa, bb = 0, 0, 0
  for i, value in ipairs(a) do
    local x, y = value - mean_a, b[i] - mean_b
    ab, aa, bb = ab + x * y, aa + x * x, bb + y * y
  end
  if aa == 0 or bb == 0 then return nil end
  return ab / math.sqrt(aa * bb)
end

local function row_of(name, real, simulated)
  local apart, sum, sum_apart, sum_real, sum_simulated = {}, 0, 0, 0, 0
  for i, value in ipairs(real) do
    local wrong = simulated[i] - value
    apart[i] = math.abs(wrong)
    sum, sum_apart = sum + wrong, sum_apart + apart[i]
    sum_real, sum_simulated = sum_real + value, sum_simulated + simulated[i]
  end
  table.sort(apart)
  local n = #real
  local function share(value) return sum_real > 0 and value / sum_real * n or nil end
  return { name = name, count = n, mean_abs_ns = sum_apart / n,
    mean_abs_share = share(sum_apart / n),
    median_ns = at_share(apart, 0.5), p95_ns = at_share(apart, 0.95), bias_ns = sum / n,
    bias_share = share(sum / n),
    correlation = correlation(real, simulated, sum_real / n, sum_simulated / n) }
end

-- Values of those requests that both have, side by side.
local function joined(a, b, key)
  local at, real, simulated, numbers = {}, {}, {}, {}
  for k, request in ipairs(b.request) do at[request] = k end
  for k, request in ipairs(a.request) do
    local other = at[request]
    if other then
      local n = #real + 1
      real[n], simulated[n], numbers[n] = a[key][k], b[key][other], request
    end
  end
  return real, simulated, numbers
end

--- A row for requests as wholes and one for each stage that both have.
---@param real tandem.ScoreSample
---@param simulated tandem.ScoreSample
---@return table[]
function requests.rows(real, simulated)
  local rows = {}
  local a, b = joined(real, simulated, "total")
  if #a > 0 then rows[1] = row_of("total", a, b) end
  for _, stage in ipairs(real.stages) do
    local other = simulated.by_name[stage.name]
    if other then
      a, b = joined(stage, other, "own")
      if #a > 0 then rows[#rows + 1] = row_of(stage.name, a, b) end
    end
  end
  return rows
end

-- By request: where most of its error comes from, "waiting for compute" as well as "compute".
local function causes(real, simulated)
  local worst = {}
  local function look(name, a, b, key)
    local x, y, numbers = joined(a, b, key)
    for k, request in ipairs(numbers) do
      local wrong, known = y[k] - x[k], worst[request]
      if wrong ~= 0 and (not known or math.abs(wrong) > math.abs(known.ns)) then
        worst[request] = { name = name, ns = wrong }
      end
    end
  end
  for _, stage in ipairs(real.stages) do
    local other = simulated.by_name[stage.name]
    if other then
      look(stage.name, stage, other, "own")
      look("waiting for " .. stage.name, stage, other, "wait")
    end
  end
  look("time between stages", real, simulated, "between")
  return worst
end

-- The numbers of the pairs that differ most. Only those are sorted.
local function worst_first(a, b, most)
  local apart = {}
  for k, value in ipairs(a) do apart[k] = math.abs(b[k] - value) end
  local sorted = table.move(apart, 1, #apart, 1, {})
  table.sort(sorted)
  local least, order = sorted[math.max(1, #sorted - most + 1)], {}
  for k, value in ipairs(apart) do
    if value >= least then order[#order + 1] = k end
  end
  table.sort(order, function(p, q)
    if apart[p] ~= apart[q] then return apart[p] > apart[q] end
    return p < q
  end)
  return order
end

--- The requests whose time in the system is farthest off, the worst first.
---@param real tandem.ScoreSample
---@param simulated tandem.ScoreSample
---@param most integer
---@return table[]
function requests.worst(real, simulated, most)
  local a, b, numbers = joined(real, simulated, "total")
  local order, why, rows = worst_first(a, b, most), causes(real, simulated), {}
  for n = 1, math.min(most, #order) do
    local k = order[n]
    if b[k] == a[k] then break end
    local cause = why[numbers[k]]
    rows[n] = { request = numbers[k], id = real.requests.id[numbers[k]], real_ns = a[k],
      simulated_ns = b[k], error_ns = b[k] - a[k], mostly = cause and cause.name,
      mostly_ns = cause and cause.ns }
  end
  return rows
end

return requests
