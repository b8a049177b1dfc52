--- A timeline as a page of its own.
--
-- Owns the elements of the page and the order of the viewer's scripts. What they do is
-- src/viewer/timeline's. Called by `tandem view`.
local html = require "tandem.page.html"
local theme = require "tandem.plot.svg.theme"

local timeline = {}

-- In order of use; main.js is last.
timeline.scripts = { "format", "data", "run", "window", "scene", "colours", "curves", "features",
  "paint", "compare", "view", "input", "detail", "main" }

local POLICY <const> = "default-src 'none'; style-src 'unsafe-inline'; "
  .. "script-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'"

local BODY <const> = [[
<p id="tl-wait">Reading the timeline …</p>
<div id="tl" hidden>
<div class="tl-bar">
<h1>%s<small>%s</small></h1>
<fieldset id="tl-modes"><legend class="unseen">How two runs are shown</legend>
<label><input type="radio" name="tl-mode" value="stacked" checked>stacked</label>
<label><input type="radio" name="tl-mode" value="overlay">overlay</label>
<label><input type="radio" name="tl-mode" value="difference">difference</label></fieldset>
<span id="tl-tools"></span>
</div>
<div class="tl-head"><div><span id="tl-span"></span></div>
<div><canvas id="tl-mini" aria-hidden="true"></canvas>
<canvas id="tl-ruler" aria-hidden="true"></canvas></div></div>
<div class="tl-main"><div id="tl-gutter" role="group" aria-label="Lanes and tracks"></div>
<div id="tl-scroll" tabindex="0" role="application"
aria-label="Timeline: arrow keys pan, plus and minus zoom, question mark lists all keys">
<div id="tl-room"></div><canvas id="tl-canvas"></canvas></div></div>
<aside id="tl-detail" hidden aria-live="polite"><header><h2 id="tl-detail-title"></h2>
<button type="button" id="tl-detail-close" aria-label="Close the details">×</button></header>
<div id="tl-detail-body"></div></aside>
<div id="tl-tip" hidden></div>
</div>
]]

local function words_of(made)
  local parts = {}
  for i, run in ipairs(made.runs) do parts[i] = ("%s %s"):format(run.kind, run.id) end
  return table.concat(parts, " · ")
end

--- The page as one text.
---@param made tandem.Timeline
---@return string
function timeline.of(made)
  local scripts = {}
  for i, name in ipairs(timeline.scripts) do scripts[i] = html.source("timeline/" .. name .. ".js") end
  return table.concat({
    "<!doctype html>", '<html lang="en">', "<head>", '<meta charset="utf-8">',
    ('<meta http-equiv="Content-Security-Policy" content="%s">'):format(POLICY),
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="generator" content="tandem">', '<link rel="icon" href="data:,">',
    ("<title>%s</title>"):format(html.escape(made.title)),
    "<style>", theme.properties(), html.source "page.css", html.source "timeline.css", "</style>",
    "</head>", '<body class="tl-page">',
    BODY:format(html.escape(made.title), html.escape(words_of(made))),
    '<script type="application/json" id="timeline-meta">', made.meta, "</script>",
    '<script type="text/plain" id="timeline-data">', made.data, "</script>",
    "<script>", table.concat(scripts, "\n"), "</script>", "</body>", "</html>", "",
  }, "\n")
end

return timeline
