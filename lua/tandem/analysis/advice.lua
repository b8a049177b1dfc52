--- Advice: what to change, and what it would gain. Rules are lib/advice; they are asked by
--- lua/tandem/advice.
local columns = require "tandem.analysis.columns"

-- What to do, once a rule, in the order of the findings.
local function notes(answer)
  local lines, said = {}, {}
  for _, row in ipairs(answer:frame("findings").rows) do
    if not said[row.rule] then
      said[row.rule] = true
      lines[#lines + 1] = ("%s: %s%s Source: %s."):format(row.rule, row.what_to_do,
        row.how and (" Expected gain: %s."):format(row.how) or "", row.source)
    end
  end
  return lines
end

-- The finding that would gain most.
local function headline(answer)
  local first = answer:rows()[1]
  if not first then return nil end
  local gain = first.gain_share and (" (up to %.1f %% of the run)"):format(100 * first.gain_share)
  return ("First to change%s: %s. %s."):format(gain or "", first.title, first.evidence)
end

---@type tandem.Analysis
return {
  title = "Advice",
  summary = "what to change, with evidence and expected gain",
  about = "Asks rules whether the run shows a known problem: copies from pageable memory, "
    .. "synchronous copies, needless waits, idle GPUs, launches that hold the GPU up, exposed "
    .. "communication and their kind. Every finding says what it rests on, the threshold, what it "
    .. "would gain at most, how that was estimated, and what to do; rules that cannot be judged on "
    .. "the run say what is missing. Rules are small Lua files (lib/advice); --rules adds yours.",
  options = {
    { name = "only", value = "RULE,…", help = "These rules alone." },
    { name = "rules", value = "PATH", help = "Rules of your own: a file, or a folder of them; "
      .. "one with the name of a shipped rule replaces it." },
    { name = "threshold", value = "RULE=VALUE,…", help = "Other thresholds: gpu-gaps=500ms, "
      .. "low-utilization=30%." },
  },
  frames = {
    findings = { title = "Findings", columns = {
      columns.time("gain_ns", "gain"), columns.share("gain_share", "of run"),
      columns.bytes("gain_bytes", "memory"), columns.text("rule", "rule"),
      columns.text("where", "where"), columns.text("evidence", "evidence", { wrap = true }),
      columns.text("threshold", "threshold", { hidden = true }),
      columns.text("title", "title", { hidden = true }),
      columns.text("how", "how", { hidden = true }),
      columns.text("what_to_do", "what to do", { hidden = true }),
      columns.text("source", "source", { hidden = true }) } },
    evidence = { title = "Evidence", columns = {
      columns.text("rule", "rule"), columns.text("where", "where", { optional = 2 }),
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
  notes = notes,
  examples = { "tandem advice last", "tandem advice last --only gpu-gaps "
    .. "--threshold gpu-gaps=500ms", "tandem advice last --rules my-rules/" },
}
