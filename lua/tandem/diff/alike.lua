--- Whether two sides of a diff do the same work, and over what they are compared.
--
-- Owns the decision (units of work, whole windows, not at all) and its words. What is counted is
-- src/analysis/diff/alike.c's. Called by tandem.diff and its columns.
local format = require "tandem.text.format"
local styles = require "tandem.plot.style"

local alike = {}

-- Of 350 pairs of captures those of one program have 0.79 and more, those of different ones 0.54
-- and less (of GPU work by function, or of operators).
local SAME_WORK <const> = 0.6

---@class tandem.Alike
---@field over "units"|"windows"|"nothing"  what is compared
---@field row table|nil  what was counted; nil: nothing was asked

--- From the row that was counted; none where the caller says what to compare.
---@param row table|nil
---@return tandem.Alike
function alike.of(row)
  if not row or not (row.work or row.operators) then return { over = "windows" } end
  if row.in_units then return { over = "units", row = row } end
  local most = math.max(row.work or 0, row.operators or 0)
  return { over = most >= SAME_WORK and "windows" or "nothing", row = row }
end

local function gpus(row)
  if not row.a_gpus or not row.b_gpus or row.a_gpus == row.b_gpus then return nil end
  return ("A ran on %s, B on %s."):format(styles.clean(row.a_gpus), styles.clean(row.b_gpus))
end

local function one_unit(row, iteration)
  local text = row.a_kernels == row.b_kernels
    and ("%d kernels a GPU"):format(row.a_kernels)
    or ("%d kernels a GPU in A, %d in B"):format(row.a_kernels, row.b_kernels)
  local warm_up = row.a_warm_up + row.b_warm_up
  return ("Both do the same over and over: %s, %d times in A, %d times in B%s. Figures are of %s; "
    .. "--whole compares all that was recorded.")
    :format(text, row.a_units, row.b_units, warm_up > 0 and (" (%s of warm-up left out)")
      :format(format.plural(warm_up, "unit")) or "", iteration
      and ("unit %d of both, which repeats nothing"):format(iteration)
      or "one of these units of work, from whole ones")
end

-- "takes 19.9 ms, 13.8 % ± 9.6 % more than A's"
local function verdict(rows)
  local by = {}
  for _, row in ipairs(rows) do by[row.figure] = row end
  local wall, work = by.elapsed, by.compute
  if not wall or not wall.change or not wall.half then return nil end
  local function change(row)
    if not row.half or row.a == 0 then return format.change(row.change) end
    if math.abs(row.b - row.a) <= row.half then
      return ("as much as A's, to ± %s"):format(format.percent(row.half / row.a))
    end
    return ("%s %s than A's"):format(format.estimate({ value = math.abs(row.change),
      half = row.half / row.a }, "percent"), row.change > 0 and "more" or "less")
  end
  return ("One takes %s in A and %s in B, %s; computing alone takes %s."):format(
    format.time(wall.a / 1e9), format.time(wall.b / 1e9), change(wall), change(work))
end

--- What a reader must know before any figure.
---@param of tandem.Alike
---@param totals table[]  rows of the table of totals
---@param iteration? integer  the one unit that is compared
---@return string[]
function alike.sentences(of, totals, iteration)
  local row, out = of.row, {}
  if not row then return out end
  if of.over == "nothing" then
    local shares = {}
    if row.work then shares[1] = format.percent(row.work) .. " of their GPU work by function" end
    if row.operators then
      shares[#shares + 1] = format.percent(row.operators) .. " of their operators"
    end
    out[1] = ("These runs do different work: they have %s in common. What each takes in all "
      .. "says nothing of a change. --by kernel puts names side by side, --whole compares "
      .. "all the same.")
      :format(table.concat(shares, " and "))
  elseif of.over == "units" then
    out[1], out[2] = one_unit(row, iteration), verdict(totals)
  end
  out[#out + 1] = gpus(row)
  return out
end

--- What a gate on a change says where nothing can be compared.
alike.NO_VERDICT = "the runs do different work, so a change of it is none (--whole compares all "
  .. "the same)"

return alike
