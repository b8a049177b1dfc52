--- result.html of `tandem categories`: stacked bars of all profiles, a table of seconds side by
--- side, the kernels behind it.
--
-- Owns the page: one file, nothing from outside, no script. Light and dark follow the reader's
-- settings; on narrow screens a chart of that width takes the place of the wide one. What is shown
-- comes from tandem.categories.profile.
local canvas = require "tandem.plot.svg.canvas"
local format = require "tandem.text.format"
local plot = require "tandem.plot"

local categories = {}

local IDLE <const> = "CPU(non-GPU)"
local KERNELS <const> = 100 -- of each column, on the page; the CSV has all

local STYLE <const> = [[
:root{color-scheme:light dark;--paper:#fff;--ink:#1f2328;--muted:#59636e;--line:#d8dee4;
--head:#f3f5f8;--shade:#f8fafc;--warn:#9a3412}
@media (prefers-color-scheme:dark){:root{--paper:#0d1117;--ink:#e6edf3;--muted:#9da7b3;
--line:#30363d;--head:#161b22;--shade:#11161d;--warn:#ffb077}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);line-height:1.45;
font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
main{max-width:1100px;margin:0 auto;padding:24px 20px 48px}
h1{font-size:1.5rem;margin:0 0 4px}
h2{font-size:1.15rem;margin:32px 0 8px}
p{margin:6px 0}
.muted,caption,figcaption{color:var(--muted);font-size:.9rem}
.warn{color:var(--warn)}
figure{margin:16px 0}
figure svg{display:block;max-width:100%;height:auto}
.narrow{display:none}
.scroll{overflow-x:auto}
.scroll:focus-visible,summary:focus-visible{outline:2px solid #2e70ef;outline-offset:2px}
table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}
caption{text-align:left;padding:0 0 6px}
th,td{padding:5px 10px;border-bottom:1px solid var(--line);text-align:right;vertical-align:top}
thead th{background:var(--head);overflow-wrap:anywhere;min-width:6rem;max-width:15rem}
tbody th{white-space:nowrap}
tbody tr:nth-child(even){background:var(--shade)}
tfoot th,tfoot td{border-top:2px solid var(--line);border-bottom:0;font-weight:600}
.text{text-align:left}
.share{color:var(--muted);font-size:.85em;padding-left:.6em}
.kernel{text-align:left;overflow-wrap:anywhere;min-width:16rem;
font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.82rem}
summary{cursor:pointer;padding:6px 0;font-weight:600;overflow-wrap:anywhere}
@media (max-width:640px){main{padding:16px 12px 32px}.wide{display:none}.narrow{display:block}
th,td{padding:5px 6px}.share{display:block;padding-left:0}}
@media print{.scroll{overflow:visible}details{break-inside:avoid}}
]]

local escape = canvas.escape

local function columns_of(profiles)
  local columns = {}
  for _, one in ipairs(profiles) do
    table.move(one.columns, 1, #one.columns, #columns + 1, columns)
  end
  return columns
end

-- Decimals that tell the columns' seconds apart without filling the page.
local function seconds_pattern(columns)
  local most = 0
  for _, column in ipairs(columns) do most = math.max(most, column.wall_ns) end
  local digits = most >= 100e9 and 2 or most >= 10e9 and 3 or 6
  return ("%%.%df"):format(digits)
end

-- ---- chart ----

local function bar_of(column)
  local parts = {}
  for i, row in ipairs(column.categories) do
    parts[i] = { name = row.category, value = row.elapsed_ns / 1e9, rest = row.category == IDLE }
  end
  return { name = column.name, parts = parts }
end

local function chart(columns, title, width)
  local bars = {}
  for i, column in ipairs(columns) do bars[i] = bar_of(column) end
  return plot.stacked({ title = title, width = width, bars = bars,
    x = { label = "elapsed time", unit = "s" } }):svg()
end

-- ---- table ----

-- Categories of all columns, the largest over all of them first, CPU(non-GPU) last.
local function categories_of(columns)
  local sums, names = {}, {}
  for _, column in ipairs(columns) do
    for _, row in ipairs(column.categories) do
      if not sums[row.category] then names[#names + 1] = row.category end
      sums[row.category] = (sums[row.category] or 0) + row.elapsed_ns
    end
  end
  table.sort(names, function(a, b)
    if (a == IDLE) ~= (b == IDLE) then return b == IDLE end
    if sums[a] ~= sums[b] then return sums[a] > sums[b] end
    return a < b
  end)
  return names
end

-- A user's rules may give the name of what they do not match, or of the GPU's idle time.
local function by_category(column)
  local found = {}
  for _, row in ipairs(column.categories) do
    local sum = found[row.category] or { elapsed_ns = 0, wall_share = 0 }
    sum.elapsed_ns = sum.elapsed_ns + row.elapsed_ns
    sum.wall_share = sum.wall_share + (row.wall_share or 0)
    found[row.category] = sum
  end
  return found
end

local function table_cell(row, pattern)
  if not row then return "<td></td>" end
  return ("<td>%s<span class=\"share\">%.1f&nbsp;%%</span></td>"):format(
    pattern:format(row.elapsed_ns / 1e9), 100 * row.wall_share)
end

local function add_table(out, columns)
  local pattern, found = seconds_pattern(columns), {}
  out[#out + 1] = '<div class="scroll" tabindex="0"><table><caption>Elapsed seconds, and their '
    .. 'share of the wall clock</caption>\n<thead><tr><th class="text" scope="col">Category</th>'
  for i, column in ipairs(columns) do
    found[i] = by_category(column)
    out[#out + 1] = ("<th scope=\"col\">%s</th>"):format(escape(column.name))
  end
  out[#out + 1] = "</tr></thead>\n<tbody>"
  for _, name in ipairs(categories_of(columns)) do
    local cells = {}
    for i in ipairs(columns) do cells[i] = table_cell(found[i][name], pattern) end
    out[#out + 1] = ("<tr><th class=\"text\" scope=\"row\">%s</th>%s</tr>"):format(escape(name),
      table.concat(cells))
  end
  out[#out + 1] = "</tbody>\n<tfoot><tr><th class=\"text\" scope=\"row\">total</th>"
  for _, column in ipairs(columns) do
    out[#out + 1] = ("<td>%s</td>"):format(pattern:format(column.wall_ns / 1e9))
  end
  out[#out + 1] = "</tr></tfoot></table></div>"
end

-- ---- kernels ----

local function kernel_row(row, pattern)
  return ("<tr><td>%s</td><td>%s</td><td class=\"text\">%s</td><td class=\"text\">%s</td>"
    .. "<td class=\"kernel\">%s</td></tr>"):format(pattern:format(row.elapsed_ns / 1e9),
    format.integer(row.count), escape(row.category or "unmatched"), escape(row.rule or ""),
    escape(row.name or ""))
end

local function add_kernels(out, column)
  local pattern = seconds_pattern { column }
  local shown = math.min(KERNELS, #column.kernels)
  out[#out + 1] = ("<details><summary>%s: %s</summary>"):format(escape(column.name),
    format.plural(#column.kernels, "kernel"))
  out[#out + 1] = '<div class="scroll" tabindex="0"><table><thead><tr>'
    .. '<th scope="col">elapsed s</th><th scope="col">count</th><th class="text" scope="col">'
    .. 'category</th><th class="text" scope="col">rule</th><th class="text" scope="col">kernel</th>'
    .. "</tr></thead>\n<tbody>"
  for i = 1, shown do out[#out + 1] = kernel_row(column.kernels[i], pattern) end
  out[#out + 1] = "</tbody></table></div>"
  if shown < #column.kernels then
    out[#out + 1] = ("<p class=\"muted\">and %d more, all in result.csv</p>"):format(
      #column.kernels - shown)
  end
  out[#out + 1] = "</details>"
end

-- ---- page ----

local function add_unmatched(out, columns)
  for _, column in ipairs(columns) do
    if column.unmatched_ns > 0 then
      out[#out + 1] = ("<p class=\"warn\">%s: %.1f&nbsp;%% of the GPU's time matched no rule</p>")
        :format(escape(column.name), 100 * column.unmatched_ns / column.gpu_ns)
    end
  end
end

-- Sentences of all profiles, each once.
local function add_basis(out, profiles)
  local seen = {}
  out[#out + 1] = "<h2>How it was counted</h2>\n<ul class=\"muted\">"
  for _, one in ipairs(profiles) do
    local own = #profiles > 1 and one.name .. ": " or ""
    for _, sentence in ipairs(one.answer:notes()) do
      local whole = sentence:find "^elapsed:" and sentence or own .. sentence
      if not seen[whole] then out[#out + 1] = ("<li>%s</li>"):format(escape(whole)) end
      seen[whole] = true
    end
    for _, sentence in ipairs(one.answer.cannot) do
      out[#out + 1] = ("<li class=\"warn\">%scannot answer: %s</li>"):format(escape(own),
        escape(sentence))
    end
  end
  out[#out + 1] = "</ul>"
end

--- The page.
---@param profiles tandem.CategoryProfile[]
---@param options? { title?: string }
---@return string
function categories.render(profiles, options)
  local title = options and options.title or "GPU time by category"
  local columns = columns_of(profiles)
  local out = { "<!DOCTYPE html>", '<html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    ("<title>%s</title>"):format(escape(title)), "<style>" .. STYLE .. "</style></head>",
    "<body><main>", ("<h1>%s</h1>"):format(escape(title)) }
  add_unmatched(out, columns)
  if #columns > 0 then
    out[#out + 1] = '<figure class="wide">' .. chart(columns, nil, 1060) .. "</figure>"
    out[#out + 1] = '<figure class="narrow">' .. chart(columns, nil, 360) .. "</figure>"
    add_table(out, columns)
    out[#out + 1] = "<h2>Kernels</h2>"
    for _, column in ipairs(columns) do add_kernels(out, column) end
  end
  add_basis(out, profiles)
  out[#out + 1] = "</main></body></html>\n"
  return table.concat(out, "\n")
end

return categories
