--- `tandem upload`: stored runs to another machine, or what would be sent.
local codes = require "tandem.cli.codes"
local format = require "tandem.text.format"
local storing = require "tandem.cli.storing"

---@type tandem.Command
local command = {
  summary = "send runs to a tandem serve, or to an address that takes their JSON",
  about = "Sends stored runs to another machine's tandem serve. Environments, host names, paths "
    .. "and artifacts are taken out of what is sent (the store keeps them) unless --raw. What "
    .. "does not arrive stays in the outbox: tandem outbox send. Sent again, runs are not stored "
    .. "twice. A token is read from $TANDEM_TOKEN or --token-file; tandem help sending has the "
    .. "protocol.",
  arguments = {
    { name = "runs", value = "RUN", count = "+",
      help = "The beginnings of their ids, or last; tandem runs lists them." },
  },
  options = {
    { "--to", value = "URL", help = "Where to: https://host:8080. With --json the whole address." },
    { "--dry-run", help = "Send nothing: print what would leave this machine." },
    { "--output", value = "FILE.db", help = "With --dry-run: write what would be sent into a store "
      .. "to look into; with --json, into a JSON file." },
    { "--raw", help = "Send runs as they are, with host names, paths and artifacts." },
    { "--json", help = "POST the runs' figures as JSON (tandem.upload/1) in one request, to any "
      .. "endpoint; no spans." },
    { "--token-file", value = "FILE", help = "The token's file, which only you may read (0600)." },
    { "--plain-http", help = "Allow http:// to another machine: everybody between can read it." },
    { "--ca-file", value = "FILE.pem", help = "Trust these certificates instead of the system's." },
    { "--patience", value = "S", kind = "number", least = 0,
      help = "Seconds to wait for an address that does not answer; 30. Then the outbox keeps it." },
    storing.option,
  },
  examples = { "tandem upload last --to https://lab:8080 --dry-run",
    "tandem upload last 6f64 --to https://lab:8080 --token-file ~/.tandem-token",
    "tandem upload last --json --to https://example.org/hooks/runs" },
}

-- ---- what would leave ----

local REMOVED <const> = { "environment", "hosts", "texts", "names", "artifacts" }
local WORDS <const> = { environment = "recorded variables and arguments",
  hosts = "facts of the host", texts = "directories and hosts in texts", names = "names",
  artifacts = "artifacts" }

local function print_parcel(console, parcel, url)
  local lines = { ("%s would go to %s"):format(format.plural(#parcel.runs, "run"), url) }
  for i, run in ipairs(parcel.runs) do
    lines[#lines + 1] = ("  %s  %s  %s"):format(run.id, run.kind, console.style:text(run.name))
    local removed = {}
    for _, name in ipairs(REMOVED) do
      local count = parcel.removed and parcel.removed[i][name] or 0
      if count > 0 then removed[#removed + 1] = ("%d %s"):format(count, WORDS[name]) end
    end
    lines[#lines + 1] = not parcel.removed and "    removed: nothing (--raw)"
      or "    removed: " .. (#removed > 0 and table.concat(removed, ", ") or "nothing was there")
  end
  lines[#lines + 1] = "fields"
  for _, one in ipairs(parcel.tables) do
    lines[#lines + 1] = ("  %-11s %7s  %s"):format(one.name,
      format.integer(one.rows) .. (one.rows == 1 and " row " or " rows"),
      table.concat(one.columns, ", "))
  end
  lines[#lines + 1] = ("%s bytes, %s, key %s"):format(format.integer(parcel.bytes),
    parcel.body and "gzip of JSON" or "zstd of a store", parcel.key)
  console:print(lines)
end

-- Files of the parcel are gone before anything is printed: a pipe may be closed at any line.
local function dry_run(args, console, store, url)
  local parcel, message, code = require("tandem.upload.parcel").make(store, args.runs,
    { raw = args.raw, form = args.json and "json" or "store" })
  if not parcel then return nil, message, code end
  local done = true
  if args.output and args.json then
    done, message, code = require("tandem.io.outfile").write(args.output, parcel.text .. "\n")
  elseif args.output then
    done, message, code = require("tandem.io.outfile").copy(args.output, parcel.store_path)
  end
  parcel:close()
  if not done then return nil, message, code end
  if args.json and not args.output then
    console.write_out(parcel.text .. "\n")
    console:note(("%s bytes of gzip would go to %s, key %s"):format(format.integer(parcel.bytes),
      url, parcel.key))
  else
    print_parcel(console, parcel, url)
  end
  return codes.OK
end

-- ---- sending ----

--- What sending needs of a command line; also of `tandem outbox` and `tandem run`.
---@param args table
---@param console tandem.Console
---@return table options
function command.sending(args, console)
  local progress = console:progress "uploading"
  return { token_file = args.token_file, plain_http = args.plain_http, authorities = args.ca_file,
    patience_s = args.patience, progress = progress and function(sent, all)
      progress(sent / all)
    end, waiting = function(seconds, why)
      console:note(("%s; again in %s"):format(why, format.time(seconds)))
    end }
end

--- Tells what became of an upload.
---@param console tandem.Console
---@param sent tandem.Sent
---@param url string
function command.tell(console, sent, url)
  if sent.already then
    console:note(("%s has them already%s"):format(url, #sent.ids > 0 and ": "
      .. table.concat(sent.ids, " ") or ""))
  else
    console:note(("sent %s bytes to %s%s"):format(format.integer(sent.bytes), url,
      #sent.ids > 0 and ": " .. table.concat(sent.ids, " ") or ""))
  end
end

---@param args table
---@param console tandem.Console
---@return integer code
function command.run(args, console)
  if not args.to then return console:usage "--to URL is missing: where shall they go?" end
  if args.output and not args.dry_run then return console:usage "--output goes with --dry-run" end
  local url, problem = require("tandem.upload.transport").address(args.to,
    args.plain_http or args.dry_run)
  if not url then return console:usage(problem) end
  return storing.with(args, console, { readonly = args.dry_run, either = true }, function(store)
    if args.dry_run then return dry_run(args, console, store, url) end
    local options = command.sending(args, console)
    options.to, options.raw, options.json = args.to, args.raw, args.json
    local sent, message, code, kept = require("tandem.upload").runs(store, args.runs, options)
    if sent then
      command.tell(console, sent, url)
      return codes.OK
    end
    if kept and code ~= codes.INTERRUPTED then
      message = ("%s (kept as number %d in the outbox: tandem outbox send)"):format(message, kept)
    end
    return nil, message, code
  end)
end

return command
