--- What may go wrong with a public function, and an example: what its annotation has no place for.
--
-- Owns the index of the tables in this folder, one a noun: name → errors, example, see. Loaded when
-- help is asked for. The specs hold every public name against it, and run the examples.
local calls = {}

---@class tandem.CallHelp
---@field errors string     what it raises or returns as nil, message, code
---@field example? string   code, and what it prints behind `-->`; the annotation's unless here
---@field see? string[]     other names

local NOUNS <const> = { "td", "scenario", "store", "analyses", "compare", "study", "search",
  "picture" }

local known

--- All of them, by name.
---@return table<string, tandem.CallHelp>
function calls.all()
  if not known then
    known = {}
    for _, noun in ipairs(NOUNS) do
      for name, about in pairs(require("tandem.help.calls." .. noun)) do known[name] = about end
    end
  end
  return known
end

return calls
