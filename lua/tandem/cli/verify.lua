--- `tandem verify`: whether a store is whole; --repair writes it anew from what is.
local codes = require "tandem.cli.codes"
local format = require "tandem.text.format"
local forms = require "tandem.cli.forms"
local json = require "tandem.io.json"
local storing = require "tandem.cli.storing"

---@type tandem.Command
local command = {
  summary = "check that nothing of a store is damaged",
  about = "Compares every page of the store with its checksum and reads every table and every row "
    .. "of every run, or of RUN. Damage is told by page and by run, and the exit code is 4. With "
    .. "--repair, a store that is damaged, or that has no checksums yet, is written anew from the "
    .. "runs that are whole; the old file is kept beside it as FILE.damaged.",
  arguments = {
    { name = "file", value = "FILE.db", count = "?",
      help = "The store (default: --store, $TANDEM_STORE, else tandem.db here)." },
    { name = "run", value = "RUN", count = "?", help = "Only this run, and all pages." },
  },
  options = {
    storing.option,
    { "--repair", help = "Write the store anew from what is whole. Nobody else may use it now." },
    forms.json("Print JSON (schema tandem.verify/1): the pages, the runs and what is wrong with "
      .. "them."),
  },
  damage = true,
  examples = { "tandem verify", "tandem verify lab.db", "tandem verify lab.db last",
    "tandem verify lab.db --repair" },
}

local MOST <const> = 8 -- numbers of pages that a line lists

local function listed(pages)
  local parts = {}
  for i = 1, math.min(#pages, MOST) do parts[i] = tostring(pages[i]) end
  return table.concat(parts, ", ") .. (#pages > MOST and " …" or "")
end

local function tell(seen, console)
  local style = console.style
  for _, run in ipairs(seen.runs) do
    console:print(style:text(("%s  %s  %s"):format(run.id or ("run number " .. run.number),
      run.trouble and "damaged" or "whole  ", run.trouble or run.name or "")))
  end
  for _, text in ipairs(seen.trouble) do console:print(style:text("damaged: " .. text)) end
  if not seen.checked then
    console:print("no checksums: a store of an older tandem; what cannot be seen by reading it was "
      .. "not checked")
  else
    console:print(("%s compared, %s damaged%s"):format(format.plural(seen.pages, "page"),
      #seen.damaged == 0 and "none" or format.integer(#seen.damaged),
      #seen.damaged > 0 and ": " .. listed(seen.damaged) or ""))
    if #seen.unmarked > 0 then
      console:print(("%s written by another program, which makes no checksums: %s"):format(
        format.plural(#seen.unmarked, "page"), listed(seen.unmarked)))
    end
  end
end

-- The same for programs, beside the answer.
local function record(path, seen, console)
  local function problem(what) console:record(codes.IO, what, { where = { file = path } }) end
  for _, run in ipairs(seen.runs) do
    if run.trouble then
      problem(("run %s is damaged: %s"):format(run.id or ("number " .. run.number), run.trouble))
    end
  end
  for _, text in ipairs(seen.trouble) do problem(text) end
  for _, list in ipairs { { seen.damaged, "damaged" },
    { seen.unmarked, "written by another program" } } do
    if #list[1] > 0 then
      problem(("%s %s: %s"):format(format.plural(#list[1], "page"), list[2], listed(list[1])))
    end
  end
end

-- Lists that may be empty are lists all the same.
local LISTS <const> = { damaged = true, unmarked = true, runs = true, trouble = true }

local function data_of(path, seen)
  local runs = {}
  for i, run in ipairs(seen.runs) do
    runs[i] = { number = run.number, id = run.id, name = run.name, trouble = run.trouble }
  end
  return json.encode({ schema = "tandem.verify/1", store = path, sound = seen.sound,
    checked = seen.checked, pages = seen.pages, damaged = seen.damaged, unmarked = seen.unmarked,
    runs = runs, trouble = seen.trouble }, { indent = 2, lists = LISTS }) .. "\n"
end

local function mend(path, log, console)
  local done, message, code = require("tandem.store.repair").store(path, log)
  if not done then return console:fail(code or codes.IO, tostring(message)) end
  local lost = {}
  for i, run in ipairs(done.lost) do
    lost[i] = ("%s%s"):format(run.id or ("number " .. run.number),
      run.name and run.name ~= "" and (" (%s)"):format(run.name) or "")
  end
  console:note(console.style:text(("%s kept, %s lost%s; the old file is %s"):format(
    format.plural(done.kept, "run"), #lost == 0 and "none" or format.integer(#lost),
    #lost > 0 and ": " .. table.concat(lost, ", ") or "", done.old)))
  for _, name in ipairs(done.tables) do
    console:note(("the table %s could not be read and is empty"):format(name))
  end
  return codes.OK
end

local function copy_where(log, path)
  if not log then return nil end
  return require("tandem.store.verify").copy(path, log)
end

-- Looks at the store, or at a copy of it where its log is damaged. nil, code: it could not be read.
local function look(args, path, console)
  local verify = require "tandem.store.verify"
  local seen
  local log, unread = verify.log(path)
  if unread then return nil, console:fail(codes.IO, unread) end
  local copied <close>, uncopied, failed = copy_where(log, path)
  if log and not copied then return nil, console:fail(failed or codes.IO, uncopied) end
  args.store = copied and copied.path or path
  local code = storing.with(args, console, { readonly = true, trusting = true }, function(store)
    local why, no
    seen, why, no = verify.store(store, args.run)
    if not seen then return nil, why, no end
    if log then
      table.insert(seen.trouble, 1, log.text)
      seen.log, seen.sound = log, false
    end
    record(path, seen, console)
    if args.json then console.write_out(data_of(path, seen)) else tell(seen, console) end
    return seen.sound and codes.OK or codes.IO
  end)
  return seen, code
end

---@param args table
---@param console tandem.Console
---@return integer code
function command.run(args, console)
  local path = require("tandem.store.path").of(args.file or args.store)
  local seen, code = look(args, path, console)
  if not seen then return code end
  if args.repair and not args.run and (not seen.sound or not seen.checked) then
    return mend(path, seen.log, console)
  end
  if not seen.sound and not args.repair then
    console:note(("%s is damaged; --repair writes it anew from what is whole"):format(path))
  end
  return code
end

return command
