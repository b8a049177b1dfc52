--- Advice on a run: rules are asked, findings sorted by what they would gain.
--
-- Owns the order and the checks of findings, and which rules cannot be judged. What findings gain
-- is causes.lua's. Rules are lib/advice
-- and users' files (rule.lua says what one is); what they may ask of the run is view.lua's. Called
-- by the description lua/tandem/analysis/advice.lua.
local attempt = require("tandem.text.shortage").attempt
local causes = require "tandem.advice.causes"
local files = require "tandem.advice.files"
local nearest = require "tandem.text.nearest"
local rule = require "tandem.advice.rule"

local advice = {}

-- ---- which rules, which thresholds ----

local function names_of(rules)
  local names = {}
  for i, one in ipairs(rules) do names[i] = one.name end
  return names
end

local function find(rules, name)
  for i, one in ipairs(rules) do
    if one.name == name then return i, one end
  end
end

-- The shipped rules, then the user's; one of the same name takes the shipped one's place.
local function gather(path)
  local rules = files.shipped()
  if not path then return rules end
  local own, message, code = files.user(path)
  if not own then return nil, message, code end
  for _, one in ipairs(own) do rules[find(rules, one.name) or #rules + 1] = one end
  return rules
end

local function only(rules, text)
  if not text then return rules end
  local chosen = {}
  for name in text:gmatch "[^,%s]+" do
    local _, one = find(rules, name)
    if not one then
      return nil, ("there is no rule '%s'; %s"):format(name, nearest.hint(name, names_of(rules))), 2
    end
    chosen[#chosen + 1] = one
  end
  return chosen
end

-- "gpu-gaps=500ms,low-utilization=30%"
local function thresholds_of(rules, text)
  local set = {}
  for part in (text or ""):gmatch "[^,]+" do
    local name, value = part:match "^%s*([%w-]+)%s*=%s*(.-)%s*$"
    if not name then
      return nil, ("a threshold is RULE=VALUE, such as gpu-gaps=500ms, not '%s'"):format(part), 2
    end
    local _, one = find(rules, name)
    if not one then
      return nil, ("there is no rule '%s'; %s"):format(name, nearest.hint(name, names_of(rules))), 2
    end
    local number, message = rule.threshold(value)
    if not number then return nil, ("%s: %s"):format(name, message), 2 end
    set[name] = { text = value, number = number }
  end
  return set
end

-- ---- asking one rule ----

local function missing(view, needs)
  local lacking = {}
  for _, need in ipairs(needs) do
    local any = false
    for one in need:gmatch "[^|]+" do any = any or view:has(one) end
    if not any then lacking[#lacking + 1] = (need:gsub("|", " or ")) end
  end
  return #lacking > 0 and "rows of " .. table.concat(lacking, ", ") or nil
end

local FINDING <const> = { evidence = "string", where = "string", how = "string",
  gain_ns = "number", least_ns = "number", gain_bytes = "number", elapsed_ns = "number",
  rows = "table", claims = "table", cap_ns = "number", sure_ns = "number", symptom = "boolean",
  what_to_do = "string", title = "string" }
local EVIDENCE <const> = { what = "string", where = "string", start_ns = "number",
  dur_ns = "number", count = "number", bytes = "number" }

-- Numbers are finite: findings are sorted by them.
local function fits(value, kind)
  return value == nil or type(value) == kind and (kind ~= "number" or value - value == 0)
end

local function check_keys(one, what, given, kinds)
  if type(given) ~= "table" then
    error(("advice '%s': %s is a table, not a %s"):format(one.name, what, type(given)), 0)
  end
  for _, key in ipairs(nearest.sorted_keys(kinds)) do
    if not fits(given[key], kinds[key]) then
      error(("advice '%s': %s of %s is a %s, not '%s'"):format(one.name, key, what, kinds[key],
        tostring(given[key])), 0)
    end
  end
end

-- A finding without evidence or with an unexplained gain is the rule's mistake.
local function checked(one, found)
  check_keys(one, "a finding", found, FINDING)
  if not found.evidence or found.evidence == "" then
    error(("advice '%s': a finding has no evidence"):format(one.name), 0)
  end
  local problem = found.claims and causes.problem(found.claims)
  if problem then error(("advice '%s': %s"):format(one.name, problem), 0) end
  if (found.gain_ns or found.claims) and not found.how then
    error(("advice '%s': a finding does not say how its gain was estimated"):format(one.name), 0)
  end
  for _, row in ipairs(found.rows or {}) do check_keys(one, "a row of evidence", row, EVIDENCE) end
  return found
end

local function row_of(one, found, threshold)
  return { rule = one.name, title = found.title or one.title, where = found.where,
    gain_bytes = found.gain_bytes, evidence = found.evidence, threshold = threshold,
    how = found.how, what_to_do = found.what_to_do or one.what_to_do, source = one.source }
end

local EVIDENCE_ROWS <const> = 10

local function add(out, one, found, threshold, asked)
  local is_list = type(found) == "table" and (found[1] ~= nil or next(found) == nil)
  for _, each in ipairs(is_list and found or { found }) do
    local row = row_of(one, checked(one, each), threshold)
    out.findings[#out.findings + 1] = row
    out.found[#out.found + 1] = setmetatable({ asked = asked }, { __index = each })
    out.rows_of[row] = each.rows or {}
  end
end

-- What each finding rests on, in the order of the findings.
local function evidence_of(out)
  local rows = {}
  for _, finding in ipairs(out.findings) do
    for i, row in ipairs(out.rows_of[finding]) do
      if i > EVIDENCE_ROWS then break end
      rows[#rows + 1] = { rule = finding.rule, where = row.where or finding.where,
        what = row.what, start_ns = row.start_ns, at_ns = row.start_ns
          and row.start_ns - out.first_ns, dur_ns = row.dur_ns, count = row.count,
        bytes = row.bytes }
    end
  end
  return rows
end

local function ask(out, one, view, set)
  local lacking = missing(view, one.needs)
  local threshold = set or one.threshold
    and { text = tostring(one.threshold), number = rule.threshold(one.threshold) } or {}
  if not lacking then
    local ok, found, why = attempt(one.find, view, threshold.number)
    if not ok then
      local of_view = type(found) == "table" and type(found.message) == "string" and found.code
      if of_view then return nil, found.message, found.code end
      return nil, ("advice '%s': %s"):format(one.name, tostring(found)), 3
    end
    if found then
      local fine, wrong = attempt(add, out, one, found, threshold.text, set ~= nil)
      if not fine then return nil, wrong, 3 end
      out.judged = out.judged + 1
      return true
    end
    if why ~= nil and type(why) ~= "string" then
      return nil, ("advice '%s': what is missing is a text, not a %s"):format(one.name, type(why)),
        3
    end
    lacking = why
    if not lacking then
      out.judged = out.judged + 1
      return true
    end
  end
  out.unjudged[#out.unjudged + 1] = { rule = one.name, looks_for = one.looks_for,
    missing = lacking }
  return true
end

-- What gains most comes first, by the middle of the interval; what gains no time comes last.
local function sort(findings)
  local at = {}
  for i, row in ipairs(findings) do at[row] = i end
  local function likely(row) return ((row.gain_ns or 0) + (row.most_ns or -2)) / 2 end
  table.sort(findings, function(p, q)
    local x, y = likely(p), likely(q)
    if x ~= y then return x > y end
    return at[p] < at[q]
  end)
end

local GPU_WORK <const> = { "kernel|graph|memcpy|stage" }

-- What the rules lack, each once.
local function all_missing(unjudged)
  local said, list = {}, {}
  for _, row in ipairs(unjudged) do
    for one in row.missing:gsub("^rows of ", ""):gmatch "[^,]+" do
      one = one:match "^%s*(.-)%s*$"
      if not said[one] then list[#list + 1] = one end
      said[one] = true
    end
  end
  return table.concat(list, ", ")
end

local function any_nothing(split)
  for _, row in ipairs(split) do
    if row.cause == "nothing" then return true end
  end
end

-- Limits of operators take as much memory as the graph of the critical path, which stays once
-- a rule has asked for it: asked before it, they are gone by then. What fails, fails in the rule.
local function limits_first(view, rules)
  for _, one in ipairs(rules) do
    if one.asks_limits and not missing(view, one.needs) then
      attempt(view.limits, view)
      return
    end
  end
end

--- What the rules find, as an analysis answers.
---@param inner tandem.View
---@param chosen { only?: string, rules?: string, threshold?: string }
---@return table|nil raw
---@return string|nil message
---@return integer|nil code
function advice.answer(inner, chosen)
  local rules, message, code = gather(chosen.rules)
  if not rules then return nil, message, code end
  local set
  set, message, code = thresholds_of(rules, chosen.threshold)
  if not set then return nil, message, code end
  rules, message, code = only(rules, chosen.only)
  if not rules then return nil, message, code end
  local view = require("tandem.advice.view").new(inner)
  local out = { findings = {}, found = {}, rows_of = {}, unjudged = {}, judged = 0,
    first_ns = inner.run.first_ns or 0 }
  limits_first(view, rules)
  for _, one in ipairs(rules) do
    local ok
    ok, message, code = ask(out, one, view, set[one.name])
    if not ok then return nil, message, code end
  end
  inner:trim(0)
  local fine, settled = attempt(causes.settle, view, out.found, out.findings)
  if not fine then
    if type(settled) == "table" then return nil, settled.message, settled.code end
    return nil, tostring(settled), 3
  end
  sort(settled.kept)
  out.findings = table.move(settled.merged, 1, #settled.merged, #settled.kept + 1,
    table.move(settled.kept, 1, #settled.kept, 1, {}))
  for _, row in ipairs(out.findings) do
    row.at_ns = row.start_ns and row.start_ns - out.first_ns
  end
  local raw = { frames = { { name = "findings", columns = {}, rows = settled.kept },
    { name = "merged", columns = {}, rows = settled.merged },
    { name = "causes", columns = {}, rows = settled.causes },
    { name = "evidence", columns = {}, rows = evidence_of(out) },
    { name = "unjudged", columns = {}, rows = out.unjudged } },
    basis = { ("%d of %d rules could be judged on this run"):format(out.judged, #rules) },
    cannot = {} }
  if #settled.kept > 0 then
    raw.basis[2] = "gains: at least and at most, each with those above it made too, so that they "
      .. "add up to no more than the run; where nothing is told at least, none is claimed"
    raw.basis[3] = ("shares: of the run's %s, from its first call, operator or work to its last; "
      .. "holds: of the critical path, every instant of which has one cause%s"):format(
      view:time(settled.total_ns), any_nothing(settled.causes)
        and "; time in nothing but a mark of a step counts as nothing recorded" or "")
  elseif out.judged > 0 then
    raw.basis[2] = "nothing to change was found"
  else
    raw.frames[5].rows = {}
    raw.frames[3].rows = {}
    raw.cannot[1] = missing(view, GPU_WORK) and "no rule can be judged: the run has no GPU work; "
      .. "where the host's time goes say the critical path and stacks (tandem flame)"
      or "no rule can be judged; missing: " .. all_missing(out.unjudged)
  end
  table.move(settled.basis, 1, #settled.basis, #raw.basis + 1, raw.basis)
  return raw
end

return advice
