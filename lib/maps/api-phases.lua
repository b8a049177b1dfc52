-- Captures of API calls alone (eBPF): input, execute and retrieve, as tandem phases tells them.
local td = require "tandem"

return td.map {
  request = { phases = true },
  stages = {
    { "input", phase = "input" },
    { "execute", phase = "execute" },
    { "retrieve", phase = "retrieve" },
  },
}
