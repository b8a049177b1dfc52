--- Words as a POSIX shell takes them: what commands that are run, written, suggested or read from a
--- manifest are made of.
local shell = {}

--- One word, whatever it holds. Plain ones stay as they are.
---@param text string
---@return string
function shell.word(text)
  if text:find "^[%w_@%%+=:,./-][%w_@%%+=:,./#-]*$" then return text end
  return "'" .. text:gsub("'", "'\\''") .. "'"
end

-- Between two commands.
local ENDS <const> = { ["\n"] = true, [";"] = true, ["&"] = true, ["|"] = true, ["("] = true,
  [")"] = true }

-- $NAME and ${NAME}, where the environment is known; else as they stand.
local function expanded(text, env)
  text = text:gsub("%$([%a_][%w_]*)", function(name) return env[name] end)
  return (text:gsub("%${([%a_][%w_]*)}", function(name) return env[name] end))
end

--- The commands of a script, each as its words. Quotes, escapes, comments and variables that are
--- known are read; nothing else is expanded, and nothing runs.
---@param text string
---@param env table<string, string>|nil
---@return string[][]
function shell.commands(text, env)
  local out, words, parts = {}, {}, nil
  env = env or {}
  local function add(piece) parts = (parts or "") .. piece end
  local function word()
    if parts then words[#words + 1] = parts end
    parts = nil
  end
  local function command()
    word()
    if #words > 0 then out[#out + 1], words = words, {} end
  end
  local at = 1
  while at <= #text do
    local c = text:sub(at, at)
    local next_at = at + 1
    if c == "'" then
      next_at = (text:find("'", at + 1, true) or #text) + 1
      add(text:sub(at + 1, next_at - 2))
    elseif c == '"' then
      local stop = at
      repeat stop = text:find('["\\]', stop + 1) or #text + 1
        local escaped = text:sub(stop, stop) == "\\"
        if escaped then stop = stop + 1 end
      until not escaped
      add((expanded(text:sub(at + 1, stop - 1):gsub("\\\n", ""), env):gsub('\\([\\"$`])', "%1")))
      next_at = stop + 1
    elseif c == "\\" then
      if text:sub(next_at, next_at) ~= "\n" then add(text:sub(next_at, next_at)) end
      next_at = at + 2
    elseif c == "#" and not parts then
      next_at = text:find("\n", at, true) or #text + 1
    elseif ENDS[c] then
      command()
    elseif c:find "%s" then
      word()
    else
      local plain = text:match("^[^%s'\"\\;&|()]+", at)
      add(expanded(plain, env))
      next_at = at + #plain
    end
    at = next_at
  end
  command()
  return out
end

--- The words of one command: those of all that stand there.
---@param text string
---@return string[]
function shell.words(text)
  local out = {}
  for _, command in ipairs(shell.commands(text)) do
    table.move(command, 1, #command, #out + 1, out)
  end
  return out
end

return shell
