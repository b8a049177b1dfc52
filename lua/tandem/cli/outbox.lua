--- `tandem outbox`: what was asked to be sent and has not arrived.
local codes = require "tandem.cli.codes"
local forms = require "tandem.cli.forms"
local storing = require "tandem.cli.storing"

---@type tandem.Command
local command = {
  summary = "what is still to be sent: list, send, forget",
  about = "Lists the uploads that were asked for and have not arrived, sends them (send), or "
    .. "forgets them (rm NUMBER…). Nothing is sent on its own.",
  arguments = {
    { name = "action", value = "ACTION", count = "?", help = "send or rm; without one, the list." },
    { name = "numbers", value = "NUMBER", count = "*", help = "Which ones; send: all." },
  },
  options = {
    { "--due", help = "send: only those whose time has come, for a timer." },
    { "--token-file", value = "FILE", help = "The token's file, which only you may read (0600)." },
    { "--ca-file", value = "FILE.pem", help = "Trust these certificates instead of the system's." },
    { "--patience", value = "S", kind = "number", least = 0,
      help = "Seconds to wait for an address that does not answer; 30." },
    { "--csv", help = "List as CSV." },
    forms.json("List as JSON (schema tandem.outbox/1)."),
    storing.option,
  },
  examples = { "tandem outbox", "tandem outbox send", "tandem outbox rm 3" },
}

local function list(args, console, store)
  local outbox = require "tandem.upload.outbox"
  local moment = require("tandem.store.list").moment
  local rows, message, code = outbox.rows(store)
  if not rows then return nil, message, code end
  for _, row in ipairs(rows) do
    row.asked = moment(row.asked_utc_ns)
    row.next = row.next_utc_ns and moment(row.next_utc_ns)
  end
  local made = require("tandem.store.rows").new({ { name = "id", title = "#" }, { name = "asked" },
    { name = "url", title = "to" }, { name = "form" }, { name = "runs" }, { name = "tries" },
    { name = "next", title = "not before" }, { name = "error", title = "last error", wrap = true },
    { name = "key", hidden = true }, { name = "raw", hidden = true } }, rows)
  if args.json then
    console.write_out(made:to_json "tandem.outbox/1")
  elseif args.csv then
    console.write_out(made:to_csv())
  elseif #rows == 0 then
    console:note "the outbox is empty"
  else
    console:print(made:lines(console.style))
  end
  return codes.OK
end

-- The rows that are meant; all when none is named.
local function chosen(args, store)
  local outbox = require "tandem.upload.outbox"
  if #args.numbers == 0 then
    return outbox.rows(store, args.due and require("tandem.io.date").now_ns() or nil)
  end
  local rows = {}
  for i, text in ipairs(args.numbers) do
    local number = math.tointeger(tonumber(text))
    if not number then
      return nil, ("'%s' is not a number of the outbox; `tandem outbox` lists them"):format(text),
        codes.USAGE
    end
    local message, code
    rows[i], message, code = outbox.row(store, number)
    if not rows[i] then return nil, message, code end
  end
  return rows
end

local actions = {}

function actions.send(args, console, store)
  local upload = require "tandem.cli.upload"
  local rows, message, code = chosen(args, store)
  if not rows then return nil, message, code end
  local worst = codes.OK
  for _, row in ipairs(rows) do
    local sent, why, failed = require("tandem.upload").send(store, row,
      upload.sending(args, console))
    if sent then
      upload.tell(console, sent, row.url)
    else
      worst = console:fail(failed or codes.IO, ("number %d: %s"):format(row.id, why))
      if failed == codes.INTERRUPTED then break end
    end
  end
  if #rows == 0 then console:note "nothing is to be sent" end
  return worst
end

function actions.rm(args, console, store)
  if #args.numbers == 0 then return nil, "which ones? tandem outbox lists them", codes.USAGE end
  local rows, message, code = chosen(args, store)
  if not rows then return nil, message, code end
  for _, row in ipairs(rows) do
    local done
    done, message, code = require("tandem.upload.outbox").remove(store, row.id)
    if not done then return nil, message, code end
    console:note(("forgot %s to %s"):format(table.concat(row.runs, " "), row.url))
  end
  return codes.OK
end

---@param args table
---@param console tandem.Console
---@return integer code
function command.run(args, console)
  local action = args.action and actions[args.action]
  if args.action and not action then
    return console:usage(("there is no '%s'; %s"):format(args.action,
      require("tandem.text.nearest").hint(args.action, { "send", "rm" })))
  end
  return storing.with(args, console, { readonly = not action }, function(store)
    return (action or list)(args, console, store)
  end)
end

return command
