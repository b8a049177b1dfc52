--- Least squares with coefficients that are not negative, for a handful of terms.
--
-- A term that comes out negative is left out and the others are fitted again. Each row weighs by
-- one over its value: long services vary more than short ones. Called by close.lua.

-- Gauss's elimination of the normal equations of the terms in `use`.
local function solve(rows, values, use)
  local n, a = #use, {}
  for i = 1, n do
    a[i] = {}
    for k = 1, n + 1 do a[i][k] = 0 end
  end
  for r, row in ipairs(rows) do
    local weight = 1 / math.max(values[r], 1e-6)
    for i = 1, n do
      for k = 1, n do a[i][k] = a[i][k] + weight * row[use[i]] * row[use[k]] end
      a[i][n + 1] = a[i][n + 1] + weight * row[use[i]] * values[r]
    end
  end
  for i = 1, n do
    if math.abs(a[i][i]) < 1e-12 then return nil, use[i] end
    for k = i + 1, n do
      local factor = a[k][i] / a[i][i]
      for m = i, n + 1 do a[k][m] = a[k][m] - factor * a[i][m] end
    end
  end
  local b = {}
  for i = n, 1, -1 do
    local sum = a[i][n + 1]
    for k = i + 1, n do sum = sum - a[i][k] * b[k] end
    b[i] = sum / a[i][i]
  end
  return b
end

--- Coefficients of the first `count` terms of each row; 0 for those left out.
return function(rows, values, count)
  local use, result = {}, { 0, 0, 0 }
  for i = 1, count do use[i] = i end
  while #use > 0 do
    local b, singular = solve(rows, values, use)
    local worst
    for i, term in ipairs(use) do
      if singular == term or b and b[i] < 0 and (not worst or b[i] < b[worst]) then worst = i end
    end
    if not worst then
      for i, term in ipairs(use) do result[term] = b[i] end
      return result
    end
    table.remove(use, worst)
  end
  return result
end
