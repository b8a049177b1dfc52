--- print, io and os for code that runs in a notebook: what it writes and asks goes to the cell.
--
-- Owns the functions that take the place of Lua's in an environment; Lua's own tables stay as they
-- are, and files that code opens itself are files. Flushing is the front end's. Used by cells.
local streams = {}

---@class tandem.shell.Terminal
---@field write fun(name: "stdout"|"stderr", text: string)
---@field ask fun(prompt: string): string|nil, string|nil  a line, or nil and why there is none

local STAYS_OPEN <const> = "a notebook's streams stay open"

local function copied(from)
  local copy = {}
  for key, value in next, from do copy[key] = value end
  return copy
end

-- What io.write and file:write accept.
local function joined(what, ...)
  local parts = table.pack(...)
  for index = 1, parts.n do
    local part = parts[index]
    if type(part) ~= "string" and type(part) ~= "number" then
      error(("bad argument #%d to '%s' (string expected, got %s)"):format(index, what, type(part)),
        3)
    end
    parts[index] = tostring(part)
  end
  return table.concat(parts)
end

-- A line as the format of io.read wants it.
local function as_format(line, wanted)
  wanted = type(wanted) == "string" and wanted:gsub("^%*", "") or wanted
  if wanted == nil or wanted == "l" then
    return line
  elseif wanted == "L" or wanted == "a" then
    return line .. "\n"
  elseif wanted == "n" then
    return tonumber(line)
  elseif math.type(wanted) == "integer" then
    return line:sub(1, wanted)
  end
  error("bad argument #1 to 'read' (invalid format)", 3)
end

--- Files that are the cell's: io.stdout, io.stderr, io.stdin.
local function file_of(name, terminal, asked)
  local file = {}
  function file.write(self, ...)
    terminal.write(name, joined("write", ...))
    return self
  end
  function file.read(_, wanted)
    local line = asked()
    return line and as_format(line, wanted)
  end
  function file.lines(self, wanted) return function() return self:read(wanted) end end
  function file.flush(self) return self end
  function file.setvbuf() return true end
  function file.close() return nil, STAYS_OPEN end
  return setmetatable(file, { __name = "FILE*", __tostring = function()
    return ("file (%s of the cell)"):format(name)
  end })
end

--- Puts print, io and os.exit of a cell into an environment.
---@param env table
---@param terminal tandem.shell.Terminal
---@return fun() restore  puts back what was there
function streams.install(env, terminal)
  -- What stands on the line where an answer is typed is its prompt.
  local line_so_far = ""
  local function write(name, text)
    if name == "stdout" then
      line_so_far = text:find("\n", 1, true) and text:match("[^\n]*$") or line_so_far .. text
    end
    terminal.write(name, text)
  end
  local function asked()
    local answer, why = terminal.ask(line_so_far)
    line_so_far = ""
    if not answer and why then error(why, 3) end
    return answer
  end
  local real_print, real_io, real_os = env.print, env.io, env.os
  function env.print(...)
    local parts = table.pack(...)
    for index = 1, parts.n do parts[index] = tostring(parts[index]) end
    write("stdout", table.concat(parts, "\t") .. "\n")
  end
  local mine = { write = write }
  local io_of_cell = copied(real_io)
  io_of_cell.stdout = file_of("stdout", mine, asked)
  io_of_cell.stderr = file_of("stderr", mine, asked)
  io_of_cell.stdin = file_of("stdin", mine, asked)
  -- Until a cell chooses another file, the default ones are the cell's.
  local is_real = { output = false, input = false }
  for kind, own in next, { output = io_of_cell.stdout, input = io_of_cell.stdin } do
    io_of_cell[kind] = function(file)
      if file == nil then return is_real[kind] and real_io[kind]() or own end
      is_real[kind] = file ~= own
      if is_real[kind] then return real_io[kind](file) end
      real_io[kind](kind == "output" and real_io.stdout or real_io.stdin)
      return own
    end
  end
  function io_of_cell.close(file)
    if file then return file:close() end
    if not is_real.output then return nil, STAYS_OPEN end
    local file_of_cell = real_io.output()
    io_of_cell.output(io_of_cell.stdout)
    return file_of_cell:close()
  end
  function io_of_cell.write(...)
    if is_real.output then return real_io.write(...) end
    write("stdout", joined("write", ...))
    return io_of_cell.stdout
  end
  function io_of_cell.read(...)
    if is_real.input then return real_io.read(...) end
    return io_of_cell.stdin:read(...)
  end
  function io_of_cell.lines(...)
    if is_real.input or ... then return real_io.lines(...) end
    return io_of_cell.stdin:lines()
  end
  env.io = io_of_cell
  env.os = copied(real_os)
  function env.os.exit()
    error("os.exit does not end a notebook; its front end does", 2)
  end
  return function() env.print, env.io, env.os = real_print, real_io, real_os end
end

return streams
