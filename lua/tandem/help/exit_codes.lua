--- Help topic: exit codes, from the table that the commands use.
local codes = require "tandem.cli.codes"

---@type tandem.Topic
return {
  title = "what the program leaves with",
  text = function(place)
    local rows = {}
    for index, meaning in ipairs(codes.meanings) do
      rows[index] = { tostring(meaning[1]), meaning[2] }
    end
    local column_table = require "tandem.column_table"
    return "Every command leaves with one of these exit codes:\n\n"
      .. column_table.format({ { title = "", align = "right" }, { title = "", wrap = true } }, rows,
        { style = place, indent = 2 })
      .. "\n\nResults go to standard output; complaints, notes and progress to standard error."
  end,
}
