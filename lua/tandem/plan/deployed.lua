--- What a plan chose, as something to deploy.
--
-- Owns which row that is (the best of the highest load) and the lines that say what was planned.
-- What a deployment is, and its forms, are tandem.deploy's. Called by plan/answer.lua and
-- `tandem plan --emit`.
local deploy = require "tandem.deploy"
local format = require "tandem.text.format"
local space_of = require "tandem.plan.space"

local deployed = {}

-- The row whose load is the highest that has an answer.
local function row_of(answer)
  local found
  for _, row in ipairs(answer.best) do
    if row and (not found or (row.load or 0) >= (found.load or 0)) then found = row end
  end
  return found
end

local function words_of(answer, row)
  local q = answer.question
  local out = { ("tandem %s, plan of %s for %s at a confidence of %s:"):format(
    require("tandem.core").version(), q.scenario.name,
    row.load and format.rate(row.load) or "its load", format.percent(answer.confidence)) }
  if row.count then
    out[2] = ("%s%s. Do not change what was simulated without planning anew."):format(
      row.kind and row.kind ~= "" and row.count .. " × " .. row.kind
        or format.plural(row.count, "GPU"), row.setting and ", " .. tostring(row.setting) or "")
  end
  return out
end

--- The best answer for the highest load in a form. Raises { plan = why } where there is none.
---@param answer tandem.PlanAnswer
---@param form tandem.DeployForm
---@return string
function deployed.text(answer, form)
  local row = row_of(answer)
  if not row then
    error({ plan = "--emit: nothing meets the objectives, so there is nothing to deploy" }, 0)
  end
  local refused = deploy.refuses(answer.question.scenario, form)
  if refused then error({ plan = refused }, 0) end
  local found = answer.deployed
  if not found then
    local q = answer.question
    local set = row.space and row.count and row.space.set(row.count)
      or row.trial and row.trial.set or {}
    found = deploy.of(space_of.with(q, set), words_of(answer, row),
      { seed = q.seed, threads = q.threads, load = q.demand.unit == "rate" and row.load or nil })
    answer.deployed = found
  end
  return deploy.text(form, found)
end

return deployed
