--- Help topic: rules from kernel names to categories; the shipped packs from lib/rules.
local column_table = require "tandem.column_table"
local page = require "tandem.help.page"

return page("rules from kernel names to categories", function(place)
  local rows = {}
  for i, pack in ipairs(require "lib.rules") do
    rows[i] = { { text = pack.name, color = "bold" }, pack.about or "" }
  end
  return ([[
tandem categories sorts GPU work by rules. The packs that come with tandem:

%s

All of them hold unless an engine is named: --engine vllm, or tandem categories IN,vllm.

Rules of your own, in a file of Lua:

  local td = require "tandem"
  return td.rules "mine" {
    extends = { "torch" },
    { id = "router", match = "my_router|gate_kernel", category = "moe_routing",
      why = "our router", priority = 10 },
  }

match is a regular expression (PCRE2), searched anywhere in the name. Of all rules that match, the
one with the highest priority decides (0 unless told), then the one that stands first; those of
extends stand behind. Besides its category a rule may say library, dtype, phase and tensor_core,
each decided in the same way; any_case = true takes upper and lower case alike; models = { … } keeps
a rule for models of these names.

JSON of this form is read too, its rules in the order of the file, and nothing is added to them:

  {"ENGINE": {"MODEL": {"gemm|nvjet": "gemm", "flash": "attn", ".*": "misc"}}}

Copies and memsets are called [CUDA memcpy Host-to-Device] and [CUDA memset], as Nsight Systems
calls them, whatever the source of the trace.

--rules FILE names a file. When an engine is named it is also looked for in the .lua and .json files
of the folder $TANDEM_RULES (rules in the working directory, unless it is set), and then among the
shipped ones: the first of these places that knows it decides. What no rule matches is shown as
unmatched.]])
    :format(column_table.format({ { title = "" }, { title = "", wrap = true } }, rows,
      { style = place, indent = 2 }))
end)
