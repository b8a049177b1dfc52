-- Errors of predictions in a table: mean, median, bias (median with its sign) and 90th percentile
-- of predicted / measured − 1, in percent, by set, GPU, engine and kind of model. Owns the
-- arithmetic of errors; predictions come from predict.lua. Called by `make accuracy`.

local score = {}

local METRICS <const> = { "tpot_s", "ttft_s", "throughput" }

local function quantile(list, level)
  if #list == 0 then return nil end
  table.sort(list)
  return list[math.max(1, math.ceil(level * #list))]
end

---@param errors number[]  predicted / measured − 1
---@return { count: integer, mean: number, median: number, bias: number, p90: number }|nil
function score.summary(errors)
  if #errors == 0 then return nil end
  local sizes, sum, signed = {}, 0, table.move(errors, 1, #errors, 1, {})
  for i, e in ipairs(errors) do
    sizes[i] = math.abs(e)
    sum = sum + math.abs(e)
  end
  return { count = #errors, mean = 100 * sum / #errors, median = 100 * quantile(sizes, 0.5),
    bias = 100 * quantile(signed, 0.5), p90 = 100 * quantile(sizes, 0.9) }
end

-- The groups that a point counts in, sorted by their first letter.
local function groups_of(p)
  return { "0all", "1" .. p.set, "2" .. p.gpu, "3" .. p.engine, "4" .. p.kind,
    p.split and "5prefill apart from decode" or "5together" }
end

---@param list tests.Point[]
---@param predicted table[]  by number of the point
---@return table<string, table<string, number[]>>
function score.errors(list, predicted)
  local groups = {}
  for i, p in ipairs(list) do
    for _, name in ipairs(groups_of(p)) do
      local g = groups[name] or { tpot_s = {}, ttft_s = {}, throughput = {} }
      groups[name] = g
      for _, metric in ipairs(METRICS) do
        -- Means of TTFT in closed loops are start-up: see the README of InferenceX.
        local told = metric ~= "ttft_s" or p.ttft_is == "median" or p.load == "open"
        if p[metric] and predicted[i][metric] and told then
          table.insert(g[metric], predicted[i][metric] / p[metric] - 1)
        end
      end
    end
  end
  return groups
end

local function cells(errors)
  local s = score.summary(errors)
  if not s then return (" "):rep(32) end
  return ("%5d %6.1f %6.1f %+6.1f %5.0f"):format(s.count, s.mean, s.median, s.bias, s.p90)
end

--- Prints a line for each group.
function score.print(groups)
  local names = {}
  for name in pairs(groups) do names[#names + 1] = name end
  table.sort(names)
  print(("%-26s | %-32s | %-32s | %s"):format("error, %", "TPOT", "median TTFT", "tokens/s"))
  local head = "    n   mean median   bias   p90"
  print(("%-26s | %s | %s | %s"):format("", head, head, head))
  local before = "0"
  for _, name in ipairs(names) do
    if name:sub(1, 1) ~= before then print() end
    before = name:sub(1, 1)
    local g = groups[name]
    print(("%-26s | %s | %s | %s"):format(name:sub(2), cells(g.tpot_s), cells(g.ttft_s),
      cells(g.throughput)))
  end
end

return score
