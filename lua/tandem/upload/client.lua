--- A parcel to its receiver: begun or resumed, sent in chunks, finished.
--
-- Owns the order of requests (tandem help sending has them), how large a piece is, and what a cut
-- means: the receiver is asked how much it has, and the rest is sent, in smaller pieces, since it
-- may keep whole ones only. Whether a request may be asked again is transport's. Called by
-- tandem.upload.
local cjson = require "cjson"
local json = require "tandem.io.json"

local client = {}

-- What a receiver may ask for in one piece; a bad line comes down to the least.
local LEAST_CHUNK <const>, MOST_CHUNK <const> = 1024, 256 << 20
local CONFLICT <const>, GONE <const>, WORKING <const> = { [409] = true, [404] = true,
  [410] = true }, 404, 202

-- Without a byte moving: what was sent is checked and stored before a finish is answered. While
-- another request has the receiver finishing, it is asked again for so long.
local FINISH_STALL_S <const>, WORKING_S <const> = 900, 3600

-- The fields of an answer's JSON; a failure when it has none.
local function fields(answer, url)
  local ok, body = pcall(cjson.decode, answer.body)
  if ok and type(body) == "table" then return body end
  return nil, { message = ("%s answers with something that is not JSON: is a tandem there?"):format(
    url), code = 4, again = false }
end

local function ids_of(body)
  local ids = {}
  if type(body.run_ids) == "table" then
    for i, id in ipairs(body.run_ids) do ids[i] = tostring(id) end
  end
  return ids
end

-- Begins an upload, or finds the one that was begun; its id, offset and chunk size, or done.
local function begin(line, parcel)
  local answer, failure = line:ask { method = "POST", path = "/v1/uploads",
    headers = { "Content-Type: application/json", "Idempotency-Key: " .. parcel.key },
    body = json.encode({ key = parcel.key, bytes = parcel.bytes, sha256 = parcel.key,
      media_type = require("tandem.upload.parcel").MEDIA_TYPE, runs = parcel.runs },
      { lists = { runs = true } }) }
  if not answer then return nil, failure end
  local body
  body, failure = fields(answer, line.url)
  if not body then return nil, failure end
  if body.done == true then return { done = true, ids = ids_of(body) } end
  local id, offset = body.upload_id, math.tointeger(body.offset or 0)
  if type(id) ~= "string" or not id:find "^[%w_-]+$" or not offset or offset < 0
    or offset > parcel.bytes then
    return nil, { message = ("%s answers without a usable upload_id and offset"):format(line.url),
      code = 4, again = false }
  end
  local chunk = math.tointeger(body.chunk_bytes or 0) or 0
  chunk = math.max(LEAST_CHUNK, math.min(MOST_CHUNK, chunk > 0 and chunk or 4 << 20))
  return { path = "/v1/uploads/" .. id, offset = offset, chunk = chunk, most = chunk }
end

-- The offset that an answer names; nil where it makes no sense.
local function offset_in(answer, parcel)
  local offset = math.tointeger(tonumber(answer.headers["upload-offset"] or ""))
  return offset and offset >= 0 and offset <= parcel.bytes and offset or nil
end

-- Where the receiver is, after a cut; nil and the failure. Lost: it knows nothing of this upload.
local function look(line, upload, parcel)
  local answer, failure = line:ask({ method = "HEAD", path = upload.path }, CONFLICT)
  if not answer then return nil, failure end
  local offset = answer.status < 300 and offset_in(answer, parcel)
  if offset then return offset end
  return nil, { message = line.url .. " has lost the upload", code = 4, again = true, lost = true }
end

-- Sends one chunk; moves the upload to where the receiver then is.
local function send_chunk(line, upload, parcel)
  local bytes = math.min(upload.chunk, parcel.bytes - upload.offset)
  local answer, failure = line:try({ method = "PATCH", path = upload.path, file = parcel.path,
    from = upload.offset, bytes = bytes, headers = {
      "Content-Type: application/offset+octet-stream", "Upload-Offset: " .. upload.offset } },
    CONFLICT)
  if answer and answer.status ~= GONE then
    local offset = offset_in(answer, parcel)
    if not offset then
      return nil, { message = line.url .. " does not say how much it has", code = 4, again = false }
    end
    if offset > upload.offset then
      line:progressed()
      upload.chunk = math.min(upload.most, 2 * upload.chunk)
    end
    if offset <= upload.offset and not line:pause("it took nothing of a chunk") then
      return nil, { message = line.url .. " takes nothing", code = 4, again = true }
    end
    upload.offset = offset
    return true
  end
  if failure and not failure.again then return nil, failure end
  if failure then
    upload.chunk = math.max(LEAST_CHUNK, bytes // 2) -- of what was tried, which may be a rest
    local waited, wait_s = line:pause(failure.message, failure.after_s)
    failure.after_s = wait_s
    if not waited then return nil, failure end
  end
  local offset
  offset, failure = look(line, upload, parcel)
  if not offset then return nil, failure end
  if offset > upload.offset then line:progressed() end
  upload.offset = offset
  return true
end

-- All was sent; asked again while the receiver is at it. The ids of the runs there; lost: it knows
-- nothing of this upload.
local function finish(line, upload, parcel)
  local waited_s = 0
  while true do
    local answer, failure = line:ask({ method = "POST", path = upload.path .. "/finish",
      headers = { "Idempotency-Key: " .. parcel.key }, body = "", stall_s = FINISH_STALL_S },
      { [GONE] = true })
    if not answer then return nil, failure end
    if answer.status == GONE then
      return nil, { message = line.url .. " loses the upload", code = 4, again = true, lost = true }
    elseif answer.status ~= WORKING then
      local body, none = fields(answer, line.url)
      if not body then return nil, none end
      return { ids = ids_of(body), already = false }
    end
    line:progressed()
    local wait_s = line:wait(answer)
    if not wait_s then return nil, { message = "interrupted", code = 130, again = true } end
    waited_s = waited_s + wait_s
    if waited_s > WORKING_S then
      return nil, { message = line.url .. " does not come to an end with it", code = 4,
        again = true }
    end
  end
end

--- Sends a parcel.
---@param line tandem.Transport
---@param parcel tandem.Parcel
---@param progress? fun(sent: integer, all: integer)
---@return { ids: string[], already: boolean }|nil
---@return tandem.TransportFailure|nil
function client.send(line, parcel, progress)
  local begun = 0
  while true do
    local upload, failure = begin(line, parcel)
    if not upload then return nil, failure end
    if upload.done then return { ids = upload.ids, already = true } end
    begun = begun + 1
    while upload and upload.offset < parcel.bytes do
      if progress then progress(upload.offset, parcel.bytes) end
      local done
      done, failure = send_chunk(line, upload, parcel)
      if not done then
        if not failure.lost or begun > 3 then return nil, failure end
        upload = nil
      end
    end
    if upload then
      if progress then progress(parcel.bytes, parcel.bytes) end
      local sent
      sent, failure = finish(line, upload, parcel)
      if sent or not failure.lost or begun > 3 then return sent, failure end
    end
  end
end

--- Sends the JSON of a parcel, in one request, to whatever address takes it.
---@param line tandem.Transport
---@param parcel tandem.Parcel
---@return { ids: string[], already: boolean }|nil
---@return tandem.TransportFailure|nil
function client.post(line, parcel)
  local answer, failure = line:ask { method = "POST", path = "", body = parcel.body, headers = {
    "Content-Type: application/json", "Content-Encoding: gzip",
    "Idempotency-Key: " .. parcel.key } }
  if not answer then return nil, failure end
  return { ids = {}, already = false }
end

return client
