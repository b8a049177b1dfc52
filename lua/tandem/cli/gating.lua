--- The exit code of commands with gates, and what they say of gates that do not hold.
--
-- Owns that undecided gates fail with --strict only. Used by diff and score.
local codes = require "tandem.cli.codes"

local gating = {}

--- One line for each gate that does not simply hold, and the exit code.
---@param made tandem.Answer  with a table "gates" where gates were asked for
---@param args { gate?: string[], strict?: boolean }
---@param console tandem.Console
---@return integer code
function gating.verdicts(made, args, console)
  if #(args.gate or {}) == 0 then return codes.OK end
  local code = codes.OK
  for _, row in ipairs(made:frame "gates".rows) do
    if row.verdict == "fails" or (args.strict and row.verdict == "undecided") then
      code = codes.NO
    end
    if row.verdict ~= "holds" then
      console:record(codes.NO, row.says, { kind = "gate", where = { path = row.gate } })
      console:note(("gate %s: %s: %s"):format(row.verdict == "fails" and "failed" or "undecided",
        row.gate, row.says))
    end
  end
  return code
end

return gating
