--- Help topic: what serves requests, from the specifications.
return require("tandem.help.reference").topic("resource", "what serves requests",
  "target = a GPU or a fleet; cpu = { workers = 8 } are the CPU workers (unlimited unless told); "
  .. "resources = a list of pools, links and memories that steps name in on = …. Each GPU has one "
  .. "copy engine a direction unless told otherwise. The catalogue: tandem list gpus.")
