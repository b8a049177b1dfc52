-- Symmetric positive definite systems by Cholesky, for some hundred unknowns. Matrices are lists of
-- rows; only the lower half is read. Called by pool.lua.

local linear = {}

---@param n integer
---@return number[][]
function linear.zeros(n)
  local rows = {}
  for i = 1, n do
    local row = {}
    for j = 1, n do row[j] = 0 end
    rows[i] = row
  end
  return rows
end

--- L of A = L·Lᵀ, in place of A.
---@param a number[][]
---@return number[][]
function linear.cholesky(a)
  local n = #a
  for j = 1, n do
    local row = a[j]
    for k = 1, j do
      local sum, other = row[k], a[k]
      for m = 1, k - 1 do sum = sum - row[m] * other[m] end
      if k == j then
        assert(sum > 0, "not positive definite")
        row[k] = math.sqrt(sum)
      else
        row[k] = sum / other[k]
      end
    end
  end
  return a
end

--- L·y = b.
---@param l number[][]
---@param b number[]
---@return number[]
function linear.forward(l, b)
  local y = {}
  for i = 1, #l do
    local row, sum = l[i], b[i]
    for j = 1, i - 1 do sum = sum - row[j] * y[j] end
    y[i] = sum / row[i]
  end
  return y
end

--- Lᵀ·x = y.
---@param l number[][]
---@param y number[]
---@return number[]
function linear.backward(l, y)
  local x = {}
  for i = #l, 1, -1 do
    local sum = y[i]
    for j = i + 1, #l do sum = sum - l[j][i] * x[j] end
    x[i] = sum / l[i][i]
  end
  return x
end

--- An element of the diagonal of A⁻¹, A = L·Lᵀ: the square of L⁻¹'s column, which begins at i.
---@param l number[][]
---@param i integer
---@return number
function linear.inverse_diagonal(l, i)
  local column, sum = {}, 0
  for k = i, #l do
    local row, rest = l[k], k == i and 1 or 0
    for j = i, k - 1 do rest = rest - row[j] * column[j] end
    column[k] = rest / row[k]
    sum = sum + column[k] * column[k]
  end
  return sum
end

return linear
