--- Columns of answers: how people read a time, a share, a count, a name. CSV and JSON have the
--- plain values.
--
-- Owns the cells that analyses share. `more` is merged in: optional, hidden, wrap. Used by the
-- descriptions beside this file.
local format = require "tandem.text.format"
local styles = require "tandem.plot.style"

local columns = {}

local function column(name, title, align, show, more)
  local made = { name = name, title = title, align = align, show = function(value, row)
    if value == nil then return "" end
    return show(value, row)
  end }
  for key, value in pairs(more or {}) do made[key] = value end
  return made
end

--- Nanoseconds as a time of three digits.
---@param name string
---@param title? string
---@param more? table
---@return tandem.RowColumn
function columns.time(name, title, more)
  return column(name, title or name:gsub("_ns$", ""), "right",
    function(value) return format.time(value / 1e9) end, more)
end

--- Nanoseconds from the run's beginning: rows carry absolute ones.
---@param name string
---@param title? string
---@param more? table
---@return tandem.RowColumn
function columns.moment(name, title, more)
  return column(name, title or name:gsub("_ns$", ""), "right",
    function(value) return ("%.6f s"):format(value / 1e9) end, more)
end

--- A number that names something: digits without groups.
---@param name string
---@param title? string
---@param more? table
---@return tandem.RowColumn
function columns.id(name, title, more)
  return column(name, title or name, "right", function(value) return ("%d"):format(value) end, more)
end

--- Adds to what was counted when things were since the run's first record, as --range takes it.
---@param view tandem.View
---@param raw table|nil  what view:count gave
---@param absolute string  the column of run times
---@param relative string  the new one
function columns.since_start(view, raw, absolute, relative)
  local first = view.run.first_ns or 0
  for _, frame in ipairs(raw and raw.frames or {}) do
    for _, row in ipairs(frame.rows) do
      if row[absolute] then row[relative] = row[absolute] - first end
    end
    frame.columns[#frame.columns + 1] = relative
  end
end

--- A share of 0…1 as a percentage.
---@param name string
---@param title? string
---@param more? table
---@return tandem.RowColumn
function columns.share(name, title, more)
  return column(name, title or name, "right",
    function(value) return ("%.1f %%"):format(100 * value) end, more)
end

---@param name string
---@param title? string
---@param more? table
---@return tandem.RowColumn
function columns.count(name, title, more)
  return column(name, title or name, "right", function(value)
    if math.type(value) == "integer" then return format.integer(value) end
    return format.quantity(value, "count")
  end, more)
end

---@param name string
---@param title? string
---@param more? table
---@return tandem.RowColumn
function columns.bytes(name, title, more)
  return column(name, title or name:gsub("_bytes$", ""), "right", format.bytes, more)
end

--- Bytes a second, in powers of 1000 as links and memories are sold.
---@param name string
---@param title? string
---@param more? table
---@return tandem.RowColumn
function columns.bandwidth(name, title, more)
  return column(name, title or name, "right",
    function(value) return format.quantity(value, "speed") end, more)
end

--- A number with so many decimals.
---@param name string
---@param title? string
---@param digits? integer
---@param more? table
---@return tandem.RowColumn
function columns.number(name, title, digits, more)
  local pattern = ("%%.%df"):format(digits or 2)
  return column(name, title or name, "right",
    function(value) return pattern:format(value) end, more)
end

--- A text; with `more.words` one of a few, each with the word that people read.
---@param name string
---@param title? string
---@param more? table
---@return tandem.RowColumn
function columns.text(name, title, more)
  local words = more and more.words or {}
  return column(name, title or name, "left",
    function(value) return words[value] or styles.clean(tostring(value)) end, more)
end

--- The eight columns of a summary (src/analysis/summary/summary.h).
---@return tandem.RowColumn[]
function columns.summary()
  return { columns.share("share", "time"), columns.time("total_ns", "total"),
    columns.count("count", "count"), columns.time("mean_ns", "mean"),
    columns.time("median_ns", "median", { optional = 2 }),
    columns.time("min_ns", "min", { optional = 3 }),
    columns.time("max_ns", "max", { optional = 2 }),
    columns.time("stddev_ns", "std dev", { optional = 3 }) }
end

--- The five columns of a split (option `each`).
---@return tandem.RowColumn[]
function columns.split()
  return { columns.count("rank", "rank"), columns.text("device", "GPU"),
    columns.text("process", "process"), columns.text("stream", "stream"),
    columns.id("thread", "thread") }
end

--- A row's GPU in a chart: ranks call theirs the same; some files do not tell which it was.
---@param row { rank?: integer, device?: string }
---@return string
function columns.gpu_name(row)
  local device = row.device or "(GPU not told)"
  return row.rank and ("rank %d %s"):format(row.rank, device) or device
end

--- Lists of columns as one.
---@param ... tandem.RowColumn[]
---@return tandem.RowColumn[]
function columns.join(...)
  local all = {}
  for _, list in ipairs { ... } do table.move(list, 1, #list, #all + 1, all) end
  return all
end

return columns
