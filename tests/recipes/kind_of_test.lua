-- A kind of test that passes.

local function add(copy)
  copy:before("tests/run-all", "compilers() {\n", 'recipe() { one "a recipe" true; }\n\n')
  copy:after("Makefile", "MORE  := ", "recipe ")
end

local function check(sh)
  local text, ok = sh "make test-recipe"
  assert(ok and text:find "1 passed, 0 failed", text)
end

return { about = "a kind of test", most = 1, add = add, check = check }
