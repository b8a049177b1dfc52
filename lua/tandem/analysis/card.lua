--- The card of the catalogue that a GPU of a capture is.
--
-- Owns the lookup, by a device's name or by what the file says of its number. Called by the
-- roofline and by advice.
local catalogue = require "tandem.catalogue"

local card = {}

--- nil when it is not known.
---@param run tandem.Run
---@param device string|nil  as analyses name it: "NVIDIA L4 #1"
---@return tandem.Gpu|nil
function card.of(run, device)
  local named = (device or ""):gsub(" %(%d+%)$", "") -- the second of this name
  local plain, number = named:match "^(.-)%s*#(%d+)$"
  local found = catalogue.known_gpu(plain or named)
  if found or not number then return found end
  local fact = run.store.db:one("SELECT value FROM fact WHERE run = ? AND key = ?", run.number,
    ("gpu.%s.name"):format(number))
  return fact and catalogue.known_gpu(fact.value) or nil
end

return card
