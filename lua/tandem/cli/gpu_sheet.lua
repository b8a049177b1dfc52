--- One GPU of the catalogue with every number and where it comes from: `tandem list gpus NAME`.
local column_table = require "tandem.text.columns"
local format = require "tandem.text.format"
local styles = require "tandem.plot.style"

local gpu_sheet = {}

-- Which figures are shown, in order: field, title, quantity, and whose source it shares.
local FIGURES = {
  { "memory_bytes", "memory", "bytes" }, { "bandwidth", "memory bandwidth", "speed" },
  { "h2d", "from the host", "speed" }, { "d2h", "to the host", "speed" },
  { "peer_bandwidth", "to other GPUs", "speed" }, { "time_per_token", "time per token", "time",
    "ms_per_token" }, { "tdp_w", "power limit, W", "count" },
}

local function source_words(source)
  if not source then
    return "derived"
  end
  return ("%s, %s%s"):format(source.title, source.date, source.checked and "" or " (unchecked)")
end

--- The sheet as text.
---@param gpu tandem.Gpu
---@param style tandem.Style
---@return string
function gpu_sheet.text(gpu, style)
  local rows, sources = {}, gpu.sources or {}
  for _, figure in ipairs(FIGURES) do
    local value = gpu[figure[1]]
    if value then
      rows[#rows + 1] = { figure[2], format.quantity(value, figure[3]),
        source_words(sources[figure[4] or figure[1]]) }
    end
  end
  for _, kind in ipairs(require("tandem.text.nearest").sorted_keys(gpu.flops_by_type)) do
    local rate = format.quantity(gpu.flops_by_type[kind], "flops")
    if kind:find("^int") then
      rate = rate:gsub("FLOP", "OP")
    end
    rows[#rows + 1] = { kind:gsub("_", " ") .. ", dense", rate,
      source_words(sources["flops_" .. kind] or sources.flops) }
  end
  local price = gpu.price_per_hour_usd
  if price then
    rows[#rows + 1] = { "price per hour", price.low == price.high and ("$%.2f"):format(price.low)
      or ("$%.2f–%.2f"):format(price.low, price.high), source_words(price.source) }
  end
  local lines = {
    style:paint(gpu.name, "bold"),
    ("%s %s (%s), %d, %s, on %s"):format(gpu.vendor, gpu.architecture, gpu.chip, gpu.year,
      gpu.form_factor, gpu.link), "",
  }
  local made = column_table.lines({ { title = "" }, { title = "", align = "right" },
    { title = "", wrap = true } }, rows, { style = style, indent = 2 })
  table.move(made, 1, #made, #lines + 1, lines)
  for _, note in ipairs(gpu.notes or {}) do
    lines[#lines + 1] = ""
    table.move(styles.wrap("Note: " .. note, style.width), 1, 20, #lines + 1, lines)
  end
  return table.concat(lines, "\n")
end

return gpu_sheet
