--- The exit code of commands with gates, and what they say of gates that do not hold.
--
-- Owns that undecided gates fail with --strict only, and the options that diff and gate share. Used
-- by diff, gate and score.
local codes = require "tandem.cli.codes"

local gating = {}

---@type tandem.Option
gating.condition = { "--gate", value = "CONDITION", collect = true, help = "Exit with 1 unless it "
  .. "holds: total<+3%, compute (GPU time without copies and communication), busy, elapsed, work "
  .. "(pieces), memory, kernel:NAME, base:, category:, "
  .. "operator:, stage:, range:, call: and a NAME, its @mean, @p99 or @count, p99 and other "
  .. "figures of simulations; against the change (+3%, -5ms) or all of B (40us); "
  .. "times without a unit are seconds. May be repeated." }

---@type tandem.Option
gating.strict = { "--strict", help = "Gates that the spread allows no verdict on fail too." }

--- Whether a gate's row is a failure.
---@param row { verdict: string }
---@param strict boolean|nil
---@return boolean
function gating.is_failure(row, strict)
  return row.verdict == "fails" or (strict and row.verdict == "undecided") or false
end

--- One line for each gate that does not simply hold, and the exit code.
---@param made tandem.Answer  with a table "gates" where gates were asked for
---@param args { gate?: string[], strict?: boolean }
---@param console tandem.Console
---@return integer code
function gating.verdicts(made, args, console)
  if #(args.gate or {}) == 0 then return codes.OK end
  local code = codes.OK
  for _, row in ipairs(made:frame "gates".rows) do
    if gating.is_failure(row, args.strict) then code = codes.NO end
    if row.verdict ~= "holds" then
      console:record(codes.NO, row.says, { kind = "gate", where = { path = row.gate } })
      console:note(("gate %s: %s: %s"):format(row.verdict == "fails" and "failed" or "undecided",
        row.gate, row.says))
    end
  end
  return code
end

return gating
