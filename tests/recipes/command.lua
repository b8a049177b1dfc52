-- `tandem hello`.

local function add(copy)
  copy:after("lua/tandem/cli/init.lua", '"version", "help", "doc"', ', "hello"')
  copy:write("lua/tandem/cli/hello.lua", [[
--- `tandem hello`.
local codes = require "tandem.cli.codes"

---@type tandem.Command
local hello = { summary = "greet somebody",
  arguments = { { name = "who", value = "WHO", help = "Whom." } } }

---@param args table
---@param console tandem.Console
---@return integer code
function hello.run(args, console)
  console:print("hello " .. args.who)
  return codes.OK
end

return hello
]])
end

local function check(sh)
  assert(sh "build/tandem hello world" == "hello world\n")
  assert(sh "build/tandem help":find "hello%s+greet somebody")
  assert(sh "build/tandem hello; echo $?":find "\n2\n$")
end

return { about = "a command", most = 2, add = add, check = check }
