--- Advice: what to change, and what it would gain. Rules are lib/advice; they are asked by
--- lua/tandem/advice.
local causes = require "tandem.advice.causes"
local columns = require "tandem.analysis.columns"

-- A line of each rule, in the order of the findings.
local function by_rule(answer, line)
  local lines, said = {}, {}
  for _, name in ipairs { "findings", "merged" } do
    for _, row in ipairs(answer:frame(name).rows) do
      local key = row.rule .. row.what_to_do
      if not said[key] then
        said[key] = true
        lines[#lines + 1] = ("%s: %s%sSource: %s."):format(row.rule, line(row),
          row.how and ("Expected gain: %s. "):format(row.how) or "", row.source)
      end
    end
  end
  return lines
end

-- What to do.
local function notes(answer)
  return by_rule(answer, function(row) return row.what_to_do .. " " end)
end

-- Pages have what to do under its finding.
local function page_notes(answer) return by_rule(answer, function() return "" end) end

-- Gains at most below this of the run are not worth a sentence; nor is what is told at least below
-- that.
local WORTH <const>, LEAST_TOLD <const> = 0.01, 0.0005

local function interval(least, most)
  if not most then return "" end
  if (least or 0) < LEAST_TOLD then return ("at most %.1f %% of the run"):format(100 * most) end
  return ("at least %.1f %%, at most %.1f %% of the run"):format(100 * least, 100 * most)
end

-- What a colleague would say: where the time goes, what holds it up most, what to do; what then.
local function headline(answer)
  local rows = answer:rows()
  local sentences = { causes.sentence(answer:frame("causes").rows) }
  for i = 1, math.min(#rows, 2) do
    local row = rows[i]
    if i == 2 and (row.most_share or 0) < WORTH then break end
    local gain = interval(row.gain_share, row.most_share)
    local sure = (row.gain_share or 0) >= LEAST_TOLD or row.most_share == nil
    sentences[#sentences + 1] = ("%s%s: %s: %s. %s"):format(i > 1 and "Then"
      or sure and "First to change" or "First to look into", gain ~= "" and (" (%s)"):format(gain)
      or "", row.title, row.evidence, row.what_to_do)
    if i == 1 and row.gain_ns == nil then break end
  end
  return rows[1] and sentences or nil
end

-- "NVIDIA H100 80GB HBM3 #0" leaves no room for evidence.
local function short_gpu(value)
  return (value:gsub("^NVIDIA ", ""):gsub("^Tesla ", ""):gsub("[ -]%d+GB", ""):gsub(" HBM%w*", ""))
end

local function where(more)
  return columns.text("where", "where", { optional = more, show = function(value)
    return value and short_gpu(value) or ""
  end })
end

-- Findings, and those that others explain.
local function findings_of(first, more)
  return columns.join({ columns.share("gain_share", "at least"),
    columns.share("most_share", "at most"), columns.share("held_share", "holds"),
    columns.bytes("gain_bytes", "memory"), columns.text("rule", "rule") }, first, {
    columns.text("evidence", "evidence", { wrap = true, more = "what_to_do" }),
    columns.time("gain_ns", "at least", { hidden = true }),
    columns.time("most_ns", "at most", { hidden = true }),
    columns.time("held_ns", "holds", { hidden = true }),
    columns.moment("at_ns", "at", { hidden = true }), { name = "start_ns", hidden = true },
    columns.time("dur_ns", "for", { hidden = true }),
    columns.text("threshold", "threshold", { hidden = true }),
    columns.text("title", "title", { hidden = true }),
    columns.text("how", "how", { hidden = true }),
    columns.text("what_to_do", "what to do", { hidden = true }),
    columns.text("source", "source", { hidden = true }) }, more or {})
end

---@type tandem.Analysis
return {
  title = "Advice",
  summary = "what to change, with evidence and expected gain",
  about = "Splits the run's critical path among causes (each instant has one) and asks rules "
    .. "whether the run shows a known problem: a loader that holds it up, attention in several "
    .. "kernels, copies that repeat, launches, waits, stragglers and their kind. Every finding "
    .. "claims time of that path, and its gain is the path replayed without it, at least and at "
    .. "most; no time is claimed twice, and what another finding explains is told apart. Each says "
    .. "what it rests on, how its gain was estimated and what to do; rules that cannot be judged "
    .. "say what is missing. Rules are small Lua files (lib/advice; --rules adds yours).",
  options = {
    { name = "only", value = "RULE,…", help = "These rules alone." },
    { name = "rules", value = "PATH", help = "Rules of your own: a file, or a folder of them; "
      .. "one with the name of a shipped rule replaces it." },
    { name = "threshold", value = "RULE=VALUE,…", help = "Other thresholds: gpu-gaps=500ms, "
      .. "low-utilization=30%." },
  },
  frames = {
    findings = { title = "Findings", columns = findings_of { where() } },
    merged = { title = "Explained by findings above", columns = findings_of {
      columns.text("part_of", "explained by"), where(2) } },
    causes = { title = "Where the time goes", columns = {
      columns.share("share", "of run"), columns.time("total_ns", "time"),
      columns.text("cause", "cause", { words = causes.WORDS }) } },
    evidence = { title = "Evidence", columns = {
      columns.text("rule", "rule"), where(2),
      columns.moment("at_ns", "at", { optional = 3 }), { name = "start_ns", hidden = true },
      columns.time("dur_ns", "time"),
      columns.count("count", "count"), columns.bytes("bytes", "bytes"),
      columns.text("what", "what") } },
    unjudged = { title = "Not judged", columns = {
      columns.text("rule", "rule"), columns.text("missing", "missing"),
      columns.text("looks_for", "looks for", { hidden = true }) } },
  },
  headline = headline,
  answer = function(view, chosen) return require("tandem.advice").answer(view, chosen) end,
  notes = notes, page_notes = page_notes,
  examples = { "tandem advice last", "tandem advice last --only gpu-gaps "
    .. "--threshold gpu-gaps=500ms", "tandem advice last --rules my-rules/" },
}
