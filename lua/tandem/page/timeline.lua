--- A timeline as a page of its own.
--
-- Owns the elements of the page and the order of the viewer's scripts. What they do is
-- src/viewer/timeline's. Called by `tandem view` and by pages that have a timeline inside.
local format = require "tandem.text.format"
local html = require "tandem.page.html"
local theme = require "tandem.plot.svg.theme"

local timeline = {}

-- In order of use; main.js is last.
local SCRIPTS = { "sql/words", "sql/values", "sql/functions", "sql/parse", "sql/compile",
  "sql/query", "ui/rows", "format", "data", "run", "range", "window", "kept", "arrangement",
  "scene", "colours", "curves", "features", "paint", "compare", "labels", "view", "input",
  "detail", "tracks", "drag", "requests", "arrows", "made", "found", "search", "sums",
  "statistics", "neighbours", "copy", "undo", "play", "marks", "notes", "tables", "asked",
  "pick", "links", "help", "main" }

local POLICY <const> = "default-src 'none'; style-src 'unsafe-inline'; "
  .. "script-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'"

local BODY <const> = [[
<p id="tl-wait">Reading the timeline …</p>
<div id="tl" hidden>
<div class="tl-bar">
<h1>%s<small>%s</small></h1><div class="tl-tools">
<fieldset id="tl-modes"><legend class="unseen">How two runs are shown</legend>
<label><input type="radio" name="tl-mode" value="stacked" checked>stacked</label>
<label><input type="radio" name="tl-mode" value="overlay">overlay</label>
<label><input type="radio" name="tl-mode" value="difference">difference</label></fieldset>
<label>shift, ms <input id="tl-shift" type="number" step="any" value="0" size="7"></label>
<span class="tl-group"><button type="button" id="tl-play" aria-label="Play">▶</button>
<input id="tl-scrub" type="range" min="0" max="1000" step="any" value="0" aria-label="Moment">
<select id="tl-speed" aria-label="Speed"><option value="0.02">1/50</option><option value="0.1">1/10
</option><option value="0.5">1/2</option><option value="1" selected>1×</option><option value="4">4×
</option></select></span>
<span class="tl-group"><button type="button" id="tl-in" aria-label="Zoom in">+</button>
<button type="button" id="tl-out" aria-label="Zoom out">−</button>
<button type="button" id="tl-fit">fit</button>
<button type="button" id="tl-measure" aria-pressed="false" title="Drag marks a range (M)">measure
</button>
<button type="button" id="tl-all" title="Open or shut all lanes (E)">all tracks</button></span>
<span class="tl-group tl-searching"><input id="tl-search" type="search"
placeholder="search ( / )"
title="Names of spans, tracks and threads; key=value asks for an argument"
aria-label="Search names, tracks and arguments; Enter goes to the next">
<small id="tl-found-count" role="status"></small>
<ul id="tl-found" hidden></ul></span>
<details class="tl-drop" id="tl-tracks"><summary id="tl-tracks-words">tracks</summary>
<div class="tl-dropped"><input id="tl-filter" type="search" placeholder="filter tracks (T)"
aria-label="Filter lanes, tracks and counters by name"><ul id="tl-hidden"></ul></div></details>
<details class="tl-drop" id="tl-notes"><summary id="tl-notes-words">notes</summary>
<div class="tl-dropped"><div id="tl-note-new"><input id="tl-note-text" maxlength="2000"
placeholder="note on what is chosen (B)" aria-label="A note on what is chosen; empty: a bookmark">
<button type="button" id="tl-note-add">add</button></div><ul id="tl-note-list"></ul>
<p><button type="button" id="tl-note-save" disabled>save as a file</button>
<label>read a file <input type="file" id="tl-note-file" accept=".json"></label>
<span id="tl-note-said" role="status"></span></p></div></details>
<details class="tl-drop" id="tl-sql"><summary>SQL</summary>
<div class="tl-dropped"><textarea id="tl-sql-text" rows="3" spellcheck="false" aria-label="SQL"
title="Tables: span, track, request, class, name, counter, run; times are nanoseconds"></textarea>
<p><button type="button" id="tl-sql-go" title="Ctrl Enter">ask</button>
<span id="tl-sql-said" class="tl-note" role="status">Tables: span, track, request, class, name,
counter, run. Times are nanoseconds; rows with start_ns and dur_ns become a track.</span></p>
<div class="tl-answer"><table id="tl-sql-rows" hidden><thead></thead><tbody></tbody></table></div>
</div></details>
<details class="tl-drop"><summary>bottlenecks</summary>
<div class="tl-dropped"><ul id="tl-marks"></ul></div></details>
<button type="button" id="tl-help-button" aria-label="Help">?</button>
</div></div>
<div class="tl-row"><div class="tl-left">
<div class="tl-head"><div><span id="tl-count"></span><span id="tl-span"></span></div>
<div><canvas id="tl-mini" aria-hidden="true"></canvas>
<canvas id="tl-ruler" aria-hidden="true"></canvas></div></div>
<div class="tl-main"><div id="tl-gutter" role="group" aria-label="Lanes and tracks"></div>
<div id="tl-split" role="separator" tabindex="0" aria-orientation="vertical" aria-valuemin="60"
aria-valuemax="900" aria-label="Width of the labels: left and right arrow"></div>
<div id="tl-scroll" tabindex="0" role="application"
aria-label="Timeline: arrow keys pan, plus and minus zoom, question mark lists all keys">
<div id="tl-room"></div><canvas id="tl-canvas"></canvas></div></div></div>
<aside id="tl-detail" hidden aria-live="polite"><header><h2 id="tl-detail-title"></h2>
<button type="button" id="tl-copy" title="The name, or the sums as a table (C)">copy</button>
<button type="button" id="tl-detail-close" aria-label="Close the details">×</button></header>
<div id="tl-detail-body"></div></aside></div>
<p id="tl-live" role="status"></p>
<div id="tl-tip" hidden></div><div id="tl-menu" role="menu" hidden></div>
</div>
<dialog id="tl-help" aria-labelledby="tl-help-title"><form method="dialog"><header>
<h2 id="tl-help-title">Keys and colours</h2><button>Close</button></header>
<div class="tl-columns"><table><tbody>%s</tbody></table><div>%s</div></div>
</form></dialog>
]]

local KEYS <const> = {
  { "W S, + −, Ctrl wheel, pinch", "zoom" }, { "A D, ← →, drag, Shift wheel", "pan" },
  { "↑ ↓, wheel", "scroll tracks" }, { "F", "what is chosen: a span, a range" },
  { "0", "all of the time" }, { "Z, Shift Z", "the window before, and back" },
  { "click", "details of a span" }, { "double click", "zoom to it" },
  { "M, or Shift drag", "mark a range: its statistics" },
  { "R", "mark the chosen span's time, or what is seen" },
  { "/", "search names, tracks, key=value of arguments; Enter, N, Shift N walk through" },
  { "J K", "next of the same name, the one before" },
  { "< >", "span before, span after in its row" },
  { "[ ]", "request before, request after" }, { ", .", "along an arrow, back and forth" },
  { "C", "copy the name, or the sums of a range as a table" },
  { "Space", "play" }, { "E", "open or shut all lanes" }, { "Esc", "choose nothing" },
  { "B", "a note on what is chosen, without words a bookmark" },
  { "T", "filter lanes, tracks and counters" },
  { "Q", "ask in SQL; Ctrl Enter asks" },
  { "on a label: P, H", "pin to the top, hide" },
  { "on a label: Alt ↑ ↓, drag", "move" },
  { "on a label: Alt + −, its lower edge", "height" },
  { "on a label: X, Ctrl click", "select for sums, or not" },
  { "on a label: right click", "menu of all these" },
}

local LEGEND <const> = {
  "A lane's curve is how many are active: dark the mean, pale from least to most.",
  "Under it its tracks. Each name has one colour, everywhere. Where spans are narrower than a "
    .. "pixel, its strength says how busy it is; a click goes nearer.",
  "A red bar over a lane: something in it was saturated. Red teeth: its queue was forming. The "
    .. "list of bottlenecks says why, with figures.",
  "Of two runs the first is the first colour. Difference: above the line the first has more.",
}

local function rows_of(pairs_)
  local parts = {}
  for i, pair in ipairs(pairs_) do
    parts[i] = ("<tr><th scope=\"row\">%s</th><td>%s</td></tr>"):format(html.escape(pair[1]),
      html.escape(pair[2]))
  end
  return table.concat(parts)
end

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
  for i, name in ipairs(SCRIPTS) do
    scripts[i] = html.source((name:find "/" and name or "timeline/" .. name) .. ".js")
  end
  return table.concat({
    "<!doctype html>", '<html lang="en">', "<head>", '<meta charset="utf-8">',
    ('<meta http-equiv="Content-Security-Policy" content="%s">'):format(POLICY),
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="generator" content="tandem">', '<link rel="icon" href="data:,">',
    ("<title>%s</title>"):format(html.escape(made.title)),
    "<style>", theme.properties(), html.source "page.css", html.source "timeline.css", "</style>",
    "</head>", '<body class="tl-page">',
    BODY:format(html.escape(made.title), html.escape(words_of(made)), rows_of(KEYS),
      html.list("legend", LEGEND)),
    '<script type="application/json" id="timeline-meta">', made.meta, "</script>",
    '<script type="text/plain" id="timeline-data">', made.data, "</script>",
    "<script>", table.concat(scripts, "\n"), "</script>", "</body>", "</html>", "",
  }, "\n")
end

--- Spans, and nodes over them, that a page of tables carries along at most: some 4 MB.
timeline.inside_most = 500000

-- Which spans are there, and how to see the others.
local function thinned_words(thinned, ids)
  local stay = ("the longest of each %s neighbours in a row"):format(format.integer(thinned.group))
  if thinned.whole_ns then
    stay = ("all of at least %s, shorter ones where they stand apart, and %s"):format(
      format.time(thinned.whole_ns / 1e9), stay)
  end
  return ("%s of %s spans: %s. Curves and totals are of all; a paler block stands for spans "
    .. "that are not here. A timeline of its own (<code>tandem view %s</code>) has every span, or "
    .. "those of a part."):format(format.integer(thinned.spans), format.integer(thinned.all), stay,
    html.escape(ids))
end

local function told(made, run, other, options, spans)
  local from, to, words = options.from_ns, options.to_ns, nil
  if from or to then
    local first = run.first_ns or 0
    words = ("A part of its %s spans, from %s to %s."):format(format.integer(spans),
      format.time(((from or first) - first) / 1e9),
      to and format.time((to - first) / 1e9) or "its end")
  elseif not made.thinned then
    words = ("All of its %s spans."):format(format.integer(spans))
  end
  if made.thinned then
    local ids = other and ("%s %s"):format(run.id, other.id) or run.id
    words = (words and words .. " " or "") .. thinned_words(made.thinned, ids)
  end
  return ('<p class="about">%s%s</p>'):format(words,
    other and "" or " ↗ beside a row opens its place here.")
end

--- A section of another page with the timeline inside, thinned where there are too many spans; nil
--- where no spans are kept or two runs have no common clock.
---@param run tandem.Run
---@param other? tandem.Run
---@param options? tandem.TimelineOptions
---@return tandem.PageSection|nil
---@return integer|nil timeline_ns  what is added to times since the run's first record for times
--- there
function timeline.section(run, other, options)
  local spans = (run.span_count or 0) + (other and other.span_count or 0)
  if spans == 0 then return nil end
  options = setmetatable({ most = timeline.inside_most }, { __index = options or {} })
  local made = require("tandem.timeline").of(run, other, options)
  if not made then return nil end
  if made.is_empty then
    return { title = "Timeline", id = "timeline", body = ('<p class="about">There is nothing to '
      .. "draw: its %s spans are moments without a length.</p>"):format(format.integer(spans)) }
  end
  local body = table.concat { told(made, run, other, options, spans),
    '<iframe class="timeline" title="Timeline" data-page="timeline-page">',
    '</iframe><script type="application/json" id="timeline-page">',
    html.json(timeline.of(made)), "</script>" }
  return { title = "Timeline", id = "timeline", body = body }, (run.first_ns or 0) - made.origin_ns
end

return timeline
