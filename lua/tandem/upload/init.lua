--- `td.upload`: stored runs to another machine's tandem, or to an address that takes their JSON.
--
-- Owns the way from a request to its end: noted in the outbox first (of a store that can be
-- written), packed, sent, and taken from the outbox when it has arrived. Nothing calls this unless
-- somebody asked for it. Called by `tandem upload`, `tandem outbox send`, `tandem run --upload` and
-- scripts.
local client = require "tandem.upload.client"
local outbox = require "tandem.upload.outbox"
local parcel = require "tandem.upload.parcel"
local transport = require "tandem.upload.transport"

local upload = {}

---@class tandem.UploadOptions
---@field to string               https://host:port
---@field raw? boolean            with host names, paths, environments and artifacts
---@field json? boolean           the JSON of the runs (tandem.upload/1), in one request, to the
---                               address as it stands
---@field token_file? string      default: $TANDEM_TOKEN
---@field plain_http? boolean     unencrypted to other machines
---@field authorities? string     a file of certificates to trust instead of the system's
---@field patience_s? number      how long to wait for one that does not answer (default: 30 s)
---@field base_s? number          how long to wait at most after a first failure; 0.5
---@field waiting? fun(seconds: number, why: string)  told before it tries again
---@field progress? fun(sent: integer, all: integer)  told how many bytes have arrived

---@class tandem.Sent
---@field ids string[]     the runs' ids over there; none where the receiver is no tandem
---@field already boolean  it had them
---@field bytes integer
---@field key string

local function deliver(store, row, options, token)
  local made <close>, message, code = parcel.make(store, row.runs, { raw = row.raw == 1,
    form = row.form })
  if not made then return nil, { message = message, code = code, again = false } end
  local line <close>, why, failed = transport.open(row.url, { token = token,
    authorities = options.authorities, patience_s = options.patience_s, base_s = options.base_s,
    waiting = options.waiting })
  if not line then return nil, { message = why, code = failed, again = false }, made.key end
  local sent, failure
  if row.form == "json" then
    sent, failure = client.post(line, made)
  else
    sent, failure = client.send(line, made, options.progress)
  end
  if sent then sent.bytes, sent.key = made.bytes, made.key end
  return sent, failure, made.key
end

local OPTIONS <const> = { "to", "raw", "json", "token_file", "plain_http", "authorities",
  "patience_s", "base_s", "waiting", "progress" }

--- Sends what a row of the outbox says.
---@param store tandem.Store
---@param row tandem.OutboxRow
---@param options table   token_file, authorities, patience_s, waiting, progress
---@return tandem.Sent|nil
---@return string|nil message
---@return integer|nil code
function upload.send(store, row, options)
  local token, message, code = transport.token(options.token_file)
  if not token and message then return nil, message, code end
  local sent, failure, key = deliver(store, row, options, token)
  if sent and row.id then
    local done
    done, message, code = outbox.remove(store, row.id)
    if not done then return nil, message, code end
  end
  if sent then return sent end
  if row.id then outbox.failed(store, row.id, key, failure) end
  return nil, failure.message, failure.code
end

-- What is to be sent as a row of the outbox; of a store that is only read it is not kept.
local function noted(store, what)
  if store.readonly then return what end
  local id, message, code = outbox.add(store, what)
  if not id then return nil, message, code end
  return outbox.row(store, id)
end

--- Asks for runs to be sent, and sends them. What does not arrive stays in the outbox.
---@param store tandem.Store
---@param texts string[]
---@param options tandem.UploadOptions
---@return tandem.Sent|nil
---@return string|nil message
---@return integer|nil code
---@return integer|nil kept  its number in the outbox
function upload.runs(store, texts, options)
  local url, problem = transport.address(tostring(options.to), options.plain_http)
  if not url then return nil, problem, 2 end
  local token, message, code = transport.token(options.token_file)
  if not token and message then return nil, message, code end
  local ids = {}
  for i, text in ipairs(texts) do
    local run
    run, message, code = store:run(text)
    if not run then return nil, message, code end
    ids[i] = run.id
  end
  local row
  row, message, code = noted(store, { url = url, form = options.json and "json" or "store",
    raw = options.raw and 1 or 0, runs = ids })
  if not row then return nil, message, code end
  local sent
  sent, message, code = upload.send(store, row, options)
  if sent then return sent end
  return nil, message, code, row.id
end

--- `td.upload(run, { to = URL })`: one stored run.
---@param run tandem.Run
---@param options tandem.UploadOptions
---@return tandem.Sent|nil
---@return string|nil message
---@return integer|nil code
function upload.one(run, options)
  if type(run) ~= "table" or not run.store or not run.id then
    error("td.upload wants a stored run: td.upload(store:run 'last', { to = URL })", 3)
  elseif type(options) ~= "table" or type(options.to) ~= "string" then
    error("td.upload wants { to = URL }", 3)
  end
  local stranger = require("tandem.text.nearest").stranger(options, OPTIONS)
  if stranger then error("td.upload: " .. stranger, 3) end
  local store <close>, message, code = require("tandem.store").open(run.store.path,
    { either = true })
  if not store then return nil, message, code end
  return upload.runs(store, { run.id }, options)
end

return upload
