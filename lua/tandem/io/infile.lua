--- A file that is read whole.
--
-- Owns what is said of one that is not there: the nearest name beside it. Used by whatever takes a
-- small file: scripts, rules, maps, notebooks, settings; and by commands that take a large one.
local infile = {}

--- The file that may have been meant by a mistyped path: of the same ending, in the same directory.
---@param path string
---@return string hint  "; did you mean 'first.lua'?", or ""
function infile.hint(path)
  local directory, name = path:match "^(.*/)([^/]*)$"
  directory, name = directory or "", name or path
  local stem, ending = name:match "^([^.]+)(.*)$"
  local stems = {}
  for _, other in ipairs(require("tandem.core").files.list(directory == "" and "." or directory)
    or {}) do
    if stem and #other > #ending and other:sub(#other - #ending + 1) == ending then
      stems[#stems + 1] = other:sub(1, #other - #ending)
    end
  end
  local near = stem and ending ~= "" and require("tandem.text.nearest").word(stem, stems)
  return near and ("; did you mean '%s%s%s'?"):format(directory, near, ending) or ""
end

local function is_absent(message) return message:find("No such file or directory", 1, true) end

--- The text of a file.
---@param path string
---@return string|nil text
---@return string|nil message
---@return integer|nil code  4
function infile.read(path)
  local file <close>, message = io.open(path, "rb")
  if not file then
    return nil, "cannot read " .. message .. (is_absent(message) and infile.hint(path) or ""), 4
  end
  local text, why = file:read "a"
  if not text then return nil, ("cannot read %s: %s"):format(path, why), 4 end
  return text
end

return infile
