--- Several runs that one word of a command line names: "6f64", "6f64,a09b", "tag:main".
--
-- Used by diff and gate, whose two sides are such words.
local codes = require "tandem.cli.codes"

local sides = {}

--- The runs of a word; nil, message, code where it names none.
---@param store tandem.Store
---@param text string
---@return tandem.Run[]|nil
---@return string|nil message
---@return integer|nil code
function sides.runs(store, text)
  local runs = {}
  for word in text:gmatch "[^,]+" do
    local ids, tag = { word }, word:match "^tag:(.+)$"
    if tag then
      local rows, message, code = store.db:all("SELECT id FROM run JOIN run_tag"
        .. " ON run_tag.run = run.number WHERE tag = ? ORDER BY number", tag)
      if not rows then return nil, message, code end
      ids = {}
      for i, row in ipairs(rows) do ids[i] = row.id end
      if #ids == 0 then return nil, ("no run has the tag '%s'"):format(tag), codes.INVALID end
    end
    for _, id in ipairs(ids) do
      local run, message, code = store:run(id)
      if not run then return nil, message, code end
      runs[#runs + 1] = run
    end
  end
  if #runs == 0 then return nil, ("'%s' names no run"):format(text), codes.USAGE end
  return runs
end

return sides
