--- Figures counted plainly in Lua, to hold answers against: unions of intervals, moments, rows by a
--- key. Knows nothing of tandem; rows are tests.SourceRow (support/source_rows.lua).
local counted = {}

--- Rows of some categories by track, then time.
---@param rows tests.SourceRow[]
---@param categories string  words with a space between
---@return tests.SourceRow[]
function counted.of_category(rows, categories)
  local wanted, out = {}, {}
  for word in categories:gmatch "%S+" do wanted[word] = true end
  for _, row in ipairs(rows) do
    if wanted[row.category] then out[#out + 1] = row end
  end
  table.sort(out, function(a, b)
    if a.track ~= b.track then return a.track < b.track end
    return a.from < b.from
  end)
  return out
end

--- Lists of rows by a key of theirs, or by what a function says of them.
---@generic R
---@param rows R[]
---@param key string|fun(row: R): any
---@return table<any, R[]>
function counted.by(rows, key)
  local out = {}
  for _, row in ipairs(rows) do
    local value = type(key) == "function" and key(row) or row[key]
    if value ~= nil then
      out[value] = out[value] or {}
      table.insert(out[value], row)
    end
  end
  return out
end

--- Intervals of time as a list of { from, to } that neither touch nor overlap.
---@param spans { from: integer, to: integer }[]
---@return integer[][]
function counted.union(spans)
  local list = {}
  for i, s in ipairs(spans) do list[i] = { s.from, s.to } end
  table.sort(list, function(a, b) return a[1] < b[1] end)
  local out = {}
  for _, one in ipairs(list) do
    local last = out[#out]
    if last and one[1] <= last[2] then
      last[2] = math.max(last[2], one[2])
    else
      out[#out + 1] = { one[1], one[2] }
    end
  end
  return out
end

--- How much of a window they cover (default: of all time).
---@param intervals integer[][]
---@param from? integer
---@param to? integer
---@return integer
function counted.within(intervals, from, to)
  local sum = 0
  for _, one in ipairs(intervals) do
    sum = sum + math.max(0, math.min(one[2], to or one[2]) - math.max(one[1], from or one[1]))
  end
  return sum
end

--- How long both are covered.
---@param a integer[][]
---@param b integer[][]
---@return integer
function counted.both(a, b)
  local sum, k = 0, 1
  for _, one in ipairs(a) do
    while b[k] and b[k][2] <= one[1] do k = k + 1 end
    local at = k
    while b[at] and b[at][1] < one[2] do
      sum = sum + math.min(one[2], b[at][2]) - math.max(one[1], b[at][1])
      at = at + 1
    end
  end
  return sum
end

--- Equal but for the last digits of a double.
---@param wanted number
---@param got number|nil
---@param what string
function counted.near(wanted, got, what)
  assert(got and math.abs(wanted - got) <= 1e-9 * math.max(1, math.abs(wanted)),
    ("%s: %.17g counted, %s answered"):format(what, wanted, tostring(got)))
end

--- Of some times: count, total and moments of a row of an answer, those that it has.
---@param times integer[]
---@param row table     count, total_ns, mean_ns, median_ns, min_ns, max_ns, stddev_ns
---@param what string
function counted.check(times, row, what)
  table.sort(times)
  local n, total, squares = #times, 0, 0
  for _, t in ipairs(times) do total = total + t end
  for _, t in ipairs(times) do squares = squares + (t - total / n) ^ 2 end
  local figures = { count = n, total_ns = total, mean_ns = total / n, min_ns = times[1],
    median_ns = (times[(n + 1) // 2] + times[n // 2 + 1]) / 2, max_ns = times[n],
    stddev_ns = n > 1 and (squares / (n - 1)) ^ 0.5 or nil }
  local seen = 0
  for name, value in pairs(figures) do
    if row[name] then
      counted.near(value, row[name], what .. " " .. name)
      seen = seen + 1
    end
  end
  assert(seen >= 2, what .. ": no figures")
end

return counted
