--- Findings as claims on the run's time: one cause, once.
--
-- Owns what a claim of a rule is, how claims become gains that do not overlap
-- (src/analysis/path/gains.c replays them), and which findings are another's. Called by
-- tandem.advice.
local format = require "tandem.text.format"
local nearest = require "tandem.text.nearest"

local causes = {}

--- Times as fast as nothing at all.
causes.GONE = 1e9

-- Findings that would gain less of the run at most are not told, nor gains where replaying the
-- unchanged run is further off.
local LEAST_GAIN <const>, MOST_ERROR <const> = 0.005, 0.05

local WORDS <const> = { loader = "loading data", host = "work of the host", launch = "launches",
  sync = "returns from waits", allocate = "allocating memory", copy = "copies",
  comm = "communication", attention = "attention in several kernels", kernel = "kernels",
  gap = "gaps between kernels", system = "waits in the operating system",
  held = "waiting for what is not recorded", nothing = "nothing recorded" }

--- All causes in words.
causes.WORDS = WORDS

--- A cause in words.
---@param cause string
---@return string
function causes.words(cause) return WORDS[cause] or cause end

local TERM <const> = { cause = "string", name = "string", low = "number", high = "number",
  start_ns = "number", dur_ns = "number" }

-- What is wrong with a list of claims; nil: nothing.
function causes.problem(claims)
  for _, term in ipairs(claims) do
    if type(term) ~= "table" then return "a claim is a table" end
    for _, key in ipairs(nearest.sorted_keys(term)) do
      if type(term[key]) ~= TERM[key] then
        return ("a claim has no %s that is a %s"):format(tostring(key), type(term[key]))
      end
    end
    if term.cause ~= "wait" and term.cause ~= "within" and not WORDS[term.cause] then
      return ("there is no cause '%s'; %s"):format(tostring(term.cause),
        nearest.hint(tostring(term.cause), nearest.sorted_keys(WORDS)))
    end
    local low, high = term.low or 1, term.high or causes.GONE
    if not (low >= 1 and high >= low) then
      return "a claim makes its rows 'low' to 'high' times as fast, from 1"
    end
  end
end

local function line_of(id, found, term)
  local low, high = term.low or 1, term.high or causes.GONE
  if term.cause == "within" then low, high = term.start_ns, term.start_ns + term.dur_ns end
  local number = term.cause == "within" and "%d" or "%.17g"
  local cap, sure = found.cap_ns or 0, found.sure_ns or found.cap_ns or 0
  return (("%%d\t%%d\t%%d\t%%s\t%%s\t%s\t%s\t%%d"):format(number, number)):format(id,
    found.symptom and 2 or 1, math.floor(cap + 0.5), term.cause,
    (term.name or ""):gsub("[\t\n]", " "), low, high, math.floor(sure + 0.5))
end

local function text_of(findings)
  local lines = {}
  for id, found in ipairs(findings) do
    for _, term in ipairs(found.claims or {}) do lines[#lines + 1] = line_of(id, found, term) end
  end
  return table.concat(lines, "\n")
end

-- Puts what a claim gains into the row of its finding.
local function put(row, found, claim, total_ns, trusted)
  local merged = claim.part_of ~= nil
  if claim.held_ns > 0 then -- a wait's time is that of what it waits for
    row.held_ns, row.held_share = claim.held_ns, claim.held_ns / total_ns
  end
  row.start_ns, row.dur_ns = claim.start_ns, claim.dur_ns
  if not trusted then return end
  row.gain_ns = merged and claim.alone_ns or claim.gain_ns
  row.most_ns = merged and claim.alone_most_ns or claim.most_ns
  row.how = found.how
end

local function by_time(split)
  local sorted = table.move(split, 1, #split, 1, {})
  table.sort(sorted, function(a, b)
    if a.total_ns ~= b.total_ns then return a.total_ns > b.total_ns end
    return a.cause < b.cause
  end)
  return sorted
end

local function shares(row, total_ns)
  row.gain_share = row.gain_ns and row.gain_ns / total_ns
  row.most_share = row.most_ns and row.most_ns / total_ns
end

--- The split of the run's time, and the gains of findings. `rows[i]` is of `findings[i]`: it gets
--- gain_ns and most_ns with their shares, what it holds of the path, and when. Answers with the
--- causes, the rows that stay, and those that another finding explains.
---@param view tandem.AdviceView
---@param findings table[]
---@param rows table[]
---@return { total_ns: number, causes: table[], kept: table[], merged: table[], basis: string[] }
function causes.settle(view, findings, rows)
  local counted = view:count("evidence-causes", { claims = text_of(findings), nodes = 0 })
  local run, of = counted.run[1] or { total_ns = 0, residual_ns = 0 }, {}
  for _, claim in ipairs(counted.claims) do of[claim.id] = claim end
  local simulated = view:has "stage"
  local trusted = math.abs(run.residual_ns) <= MOST_ERROR * run.total_ns
  local made = { total_ns = run.total_ns, kept = {}, merged = {}, basis = {},
    causes = simulated and {} or by_time(counted.causes) }
  local function is_small(id)
    return of[id] and not findings[id].asked and trusted and not simulated
      and (rows[id].most_ns or 0) < LEAST_GAIN * run.total_ns
  end
  for id, row in ipairs(rows) do
    local found, claim = findings[id], of[id]
    if claim and run.total_ns > 0 and not simulated then
      put(row, found, claim, run.total_ns, trusted)
      row.part_of = claim.part_of and rows[claim.part_of].rule
    else
      row.gain_ns, row.most_ns = found.least_ns, found.gain_ns or found.cap_ns
    end
    if run.total_ns > 0 then shares(row, run.total_ns) end
  end
  -- What explains others may be too small to be told: then they stand for themselves.
  for id, row in ipairs(rows) do
    local claim = of[id]
    local owner = claim and row.part_of and claim.part_of
    if owner and not of[owner].part_of and is_small(owner) then row.part_of = nil end
    if row.part_of or not is_small(id) then
      local list = row.part_of and made.merged or made.kept
      list[#list + 1] = row
    end
  end
  if not trusted then
    made.basis[1] = ("no gains are claimed: replaying the unchanged run is %s off"):format(
      format.percent(math.abs(run.residual_ns) / run.total_ns))
  end
  return made
end

--- Where the time goes, in a sentence; nil: nothing is known. Causes share all of the path.
---@param split table[]  the causes, the largest first
---@return string|nil
function causes.sentence(split)
  local parts, total_ns = {}, 0
  for _, row in ipairs(split) do total_ns = total_ns + row.total_ns end
  for i, row in ipairs(split) do
    if i > 3 or i > 1 and row.share < 0.05 then break end
    parts[i] = ("%.1f %% %s"):format(100 * row.share,
      row.cause == "nothing" and "not recorded" or causes.words(row.cause))
  end
  return #parts > 0 and ("The run's time (%s from its first call or work to its last) is %s.")
    :format(format.time(total_ns / 1e9), format.list(parts)) or nil
end

return causes
