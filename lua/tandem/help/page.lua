--- Prose topics: paragraphs that wrap to the reader's width, code that does not.
--
-- Owns the layout of a text written as paragraphs; lines that start with two spaces are code or a
-- list and stay as they are.
local style = require "tandem.plot.style"

--- Makes a topic of a title and a text.
---@param title string
---@param body string|fun(place: tandem.Style): string
---@return tandem.Topic
return function(title, body)
  return {
    title = title,
    text = function(place)
      local text = type(body) == "function" and body(place) or body --[[@as string]]
      local lines, paragraph = {}, {}
      local function flush()
        if #paragraph > 0 then
          local wrapped = style.wrap(table.concat(paragraph, " "), place.width)
          table.move(wrapped, 1, #wrapped, #lines + 1, lines)
          paragraph = {}
        end
      end
      for line in (text .. "\n"):gmatch("(.-)\n") do
        if line == "" or line:sub(1, 2) == "  " then
          flush()
          lines[#lines + 1] = line
        else
          paragraph[#paragraph + 1] = line
        end
      end
      flush()
      while lines[#lines] == "" do
        lines[#lines] = nil
      end
      return table.concat(lines, "\n")
    end,
  }
end
