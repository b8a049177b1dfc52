--- The forms that a command can answer in, and options that exclude each other.
--
-- Owns the option --json and the words for what cannot stand together. Used by every command that
-- has more than one form.
local forms = {}

--- The option --json: the answer in an envelope (tandem.cli.envelope).
---@param help string  what the result is
---@return tandem.Option
function forms.json(help) return { "--json", help = help, answers = true } end

--- What to say of options of which one would have to go.
---@param one string
---@param other string
---@return string
function forms.not_both(one, other) return ("give %s or %s, not both"):format(one, other) end

--- Which of some flags was given; nil when none was, and why when several were.
---@param args table
---@param names string[]  "csv", "json"
---@return string|nil name
---@return string|nil message
function forms.chosen(args, names)
  local found
  for _, name in ipairs(names) do
    if args[name] then
      if found then return nil, forms.not_both("--" .. found, "--" .. name) end
      found = name
    end
  end
  return found
end

return forms
