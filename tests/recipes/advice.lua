-- A rule of advice that finds one thing in every run.

local function add(copy)
  copy:before("lib/advice.lua", '"fragmentation",', '"recipe", ')
  copy:write("lib/advice/recipe.lua", [[
local td = require "tandem"

return td.advice "recipe" {
  title = "A recipe", looks_for = "any work at all", needs = {},
  find = function() return { { evidence = "there was some work" } } end,
  what_to_do = "Nothing.", source = "nobody",
}
]])
end

local function check(sh)
  assert(select(2, sh "build/tandem run scenarios/01-demo.lua --store advised.db"))
  local text = sh "build/tandem advice last --store advised.db"
  assert(text:find "recipe%s+there was some work" and text:find "recipe: Nothing.", text)
end

return { about = "a rule of advice", most = 2, add = add, check = check }
