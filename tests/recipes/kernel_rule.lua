-- A rule for kernels that nobody has.

local function add(copy)
  copy:before("lib/rules/jax.lua", '  { id = "gemm-fusion",\n', '  { id = "recipe", '
    .. 'match = "^recipe_kernel_\\\\d+$", category = "gemm", library = "recipe",\n    '
    .. 'why = "a recipe has kernels of this name" },\n')
end

local function check()
  local found
  for _, pack in ipairs(require "lib.rules") do
    for _, rule in ipairs(pack.rules or pack) do
      found = found or rule.id == "recipe" and rule.category == "gemm"
    end
  end
  assert(found)
end

return { about = "a kernel rule", most = 1, add = add, check = check }
