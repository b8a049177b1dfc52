--- What a process may touch that works for strangers: files of one directory, no other programs.
--
-- Owns the rule for Lua: the server starts its jobs with $TANDEM_CONFINED, the job's directory, and
-- whatever a scenario names from there on (recordings, tables, config.json, charts to write) is
-- opened only inside it; beside it only the store that the command line names, to see whether it
-- can be written, and, for reading alone, the folder $TANDEM_READABLE where the server was given
-- one; links that lead out of it are not followed. What C opens for readers in Lua keeps to the
-- same rule. Shipped files are part of the program and need no opening; stores and traces are
-- opened by C, by names that the server chose. Called first by the command line.
-- luacheck: globals io os package
local confined = {}

local function refused(path)
  return nil, ("%s: this process opens files of its own directory only"):format(tostring(path)), 13
end

--- Replaces the functions of io and os that open, remove, rename or start anything. For good.
---@param directory string  as the paths of its files begin
---@param store? string      the store's path
---@param readable? string   a folder that may be read
function confined.enter(directory, store, readable)
  local open, remove, rename = io.open, os.remove, os.rename
  local core = require "tandem.core"
  local beneath = core.files.beneath
  local inside = directory .. "/"
  local function is_inside(path)
    return type(path) == "string" and path:sub(1, #inside) == inside
      and not path:find("..", #inside, true)
  end
  local below = readable and readable:gsub("/+$", "") .. "/"
  local function may_be_read(path, mode)
    return below and type(path) == "string" and path:sub(1, #below) == below
      and (mode == nil or mode == "r" or mode == "rb")
      and beneath(readable, path:sub(#below + 1)) ~= nil
  end
  local function may_be_opened(path, mode)
    return is_inside(path) or path == store or may_be_read(path, mode)
  end
  function io.open(path, mode)
    if not may_be_opened(path, mode) then return refused(path) end
    return open(path, mode)
  end
  -- Without a path it is a text that is read.
  local function confine(from, name)
    local opens = from[name]
    from[name] = function(path, ...)
      if path ~= nil and not may_be_opened(path, "rb") then return refused(path) end
      return opens(path, ...)
    end
  end
  confine(core, "pieces")
  confine(core, "json_stream")
  confine(core, "recognize")
  confine(core.digest, "sha256_file")
  function os.remove(path)
    if not is_inside(path) then return refused(path) end
    return remove(path)
  end
  function os.rename(from, to)
    if not is_inside(from) or not is_inside(to) then return refused(to) end
    return rename(from, to)
  end
  io.lines, io.input, io.output = nil, nil, nil
  io.popen, os.execute = nil, nil
  local temporary, beside = core.files.temporary, core.files.beside
  function core.files.beside(path)
    if not is_inside(path) then return refused(path) end
    return beside(path)
  end
  function core.files.temporary(folder) return temporary(folder, directory) end
  function os.tmpname() return assert(core.files.temporary()) end
  package.loadlib = nil
end

return confined
