--- What a process may touch that works for strangers: files of one directory, no other programs.
--
-- Owns the rule for Lua: the server starts its jobs with $TANDEM_CONFINED, the job's directory, and
-- whatever a scenario names from there on (recordings, tables, config.json, charts to write) is
-- opened only inside it; beside it only the store that the command line names, to see whether it
-- can be written, and, for reading alone, the folder $TANDEM_READABLE where the server was given
-- one; links that lead out of them are not followed, and pipes and devices are no files. It holds
-- in every Lua state of the process (core.confine). What C does with a path keeps to the same rule:
-- the tables below name each such function. Shipped files are part of the program and need no
-- opening. Called first by the command line, and by C for states of threads and workers.
-- luacheck: globals io os package dofile loadfile
local confined = {}

--- Functions of tandem.core whose first argument (second where told) a script can name: opened for
--- reading under the rule. Nil in its place is a text that is read.
confined.READING = { "pieces", "json_stream", "recognize", "digest.sha256_file" }

--- … that tell of a path or list a folder.
confined.LOOKING = { "files.list", "files.size", "files.real", "files.replaces" }

--- … that make a folder or a file beside another, remove one, or change who may read it.
confined.MAKING = { "files.make", "files.keep_mode", "files.beside", "files.discard" }

--- … that nothing in such a process needs.
confined.WITHHELD = { "capture.abandoned", "capture.follow", "capture.left", "capture.library",
  "capture.make", "capture.privileged", "digest.expand", "digest.pack", "digest.peek", "edit.open",
  "files.append", "files.enter", "files.link", "files.lock", "log.cut", "log.look" }

--- … whose paths only the command line names, which the server wrote: stores, traces in the job's
--- directory, what is exported into it.
confined.NAMED = { "database", "export", "import", "keep", "overlay.write", "run", "timeline",
  "view" }

local function refused(path)
  return nil, ("%s: this process opens files of its own directory only"):format(tostring(path)), 13
end

-- The table and the key of "files.list".
local function place(core, name)
  local group, key = name:match "^(%a+)%.(.+)$"
  return group and core[group] or core, key or name
end

local function enter(core, directory, store, readable)
  local open, remove, rename = io.open, os.remove, os.rename
  local beneath, size = core.files.beneath, core.files.size
  local inside = directory .. "/"
  local function is_named_inside(path)
    return type(path) == "string" and path:sub(1, #inside) == inside
      and not path:find("..", #inside, true)
  end
  -- What is there is a plain file that lies where it seems to.
  local function is_inside(path)
    return is_named_inside(path)
      and (size(path) == nil or beneath(directory, path:sub(#inside + 1)) ~= nil)
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
  local function may_be_looked_at(path)
    return path == directory or is_named_inside(path) or store and type(path) == "string"
      and path:sub(1, #store) == store and not path:find("/", #store + 1, true)
      or path == readable or may_be_read(path)
  end
  function io.open(path, mode)
    if not may_be_opened(path, mode) then return refused(path) end
    return open(path, mode)
  end
  local function guard(names, may)
    for _, name in ipairs(names) do
      local group, key = place(core, name)
      local does = group[key]
      group[key] = function(path, ...)
        if not may(path) then return refused(path) end
        return does(path, ...)
      end
    end
  end
  guard(confined.READING, function(path) return path == nil or may_be_opened(path, "rb") end)
  guard(confined.LOOKING, may_be_looked_at)
  guard(confined.MAKING, function(path) return path == directory or is_named_inside(path) end)
  guard(confined.WITHHELD, function() return false end)
  function os.remove(path)
    if not is_named_inside(path) then return refused(path) end
    return remove(path)
  end
  function os.rename(from, to)
    if not is_named_inside(from) or not is_named_inside(to) then return refused(to) end
    return rename(from, to)
  end
  io.lines, io.input, io.output = nil, nil, nil
  io.popen, os.execute = nil, nil
  local temporary = core.files.temporary
  function core.files.temporary(folder) return temporary(folder, directory) end
  function os.tmpname() return assert(core.files.temporary()) end
  package.loadlib, dofile, loadfile = nil, nil, nil
end

--- Replaces the functions that open, remove, rename, list or start anything, here and in each Lua
--- state that this process opens from now on. For good.
---@param directory string  as the paths of its files begin
---@param store? string      the store's path
---@param readable? string   a folder that may be read
function confined.enter(directory, store, readable)
  local core = require "tandem.core"
  core.confine(directory, store, readable)
  enter(core, core.confinement())
end

--- The same in a state that was opened afterwards.
function confined.again()
  local core = require "tandem.core"
  enter(core, core.confinement())
end

return confined
