--- Runs that another machine sends: the receiver's routes of `tandem upload`.
--
-- Owns how requests become calls of tandem.serve.uploads, whose logic it is, one receiver a worker,
-- and when what was left unfinished goes. A connection that breaks inside a piece loses that piece:
-- the sender asks where to go on.
local answer = require "tandem.serve.answer"
local core = require "tandem.core"
local uploads = require "tandem.serve.uploads"

local receive = {}

local UNFINISHED_NS <const> = 7 * 86400 * 1000000000 -- then a sender has to begin anew

local receiver

local function of(context)
  if not receiver then
    local db, message, code = core.database(context.store_path, { store = true })
    receiver = uploads.new(answer.check(db, message, code), context.store_path,
      { most_bytes = context.upload_bytes })
    receiver:sweep(core.utc_ns() - UNFINISHED_NS)
  end
  return receiver
end

-- Where the server keeps its files is nobody's business.
local function without_paths(message)
  if not receiver then return message end
  local folder = receiver.directory:match "^(.*/)[^/]*$" or ""
  for _, path in ipairs { receiver.directory .. "/", folder } do
    if path ~= "" and path ~= "/" then
      message = tostring(message):gsub(path:gsub("%p", "%%%0"), "")
    end
  end
  return message
end

-- What a call of the receiver gave, or leaves with its problem.
local function given(value, message, code, offset)
  if value ~= nil then return value end
  local made = answer.problem(uploads.STATUS[code] or 500, code or "store", without_paths(message))
  if offset then made.headers["Upload-Offset"] = ("%d"):format(offset) end
  error(made, 0)
end

local function begin(request, context)
  local ok, wanted = pcall(require("cjson").decode, answer.body(request))
  if not ok or type(wanted) ~= "table" then
    answer.raise(400, "bad_json", "The body is not a JSON object.")
  end
  local state = given(of(context):create(wanted, request.sender))
  local status = state.created and 201 or 200
  state.created = nil
  return answer.json(status, state)
end

-- A short body is in memory; the receiver takes files.
local function append(request, context)
  local offset = math.tointeger(tonumber(request.headers["upload-offset"] or ""))
  if not offset or offset < 0 then
    answer.raise(400, "bad_request", "PATCH wants the header Upload-Offset: bytes that are here.",
      "Upload-Offset")
  end
  local path, own = request.body_file, nil
  if not path then
    own = assert(core.files.temporary())
    local file = assert(io.open(own, "wb"))
    file:write(request.body or "")
    file:close()
  end
  local at, message, code, here = of(context):append(request.params.id, offset,
    { path = path or own, bytes = request.body_bytes })
  if own then core.files.discard(own) end
  given(at, message, code, here)
  return { status = 204, body = "", headers = { ["Upload-Offset"] = ("%d"):format(at) } }
end

local function finish(request, context)
  local ids, message, code = of(context):finish(request.params.id)
  if code ~= "working" then
    return answer.json(200, { run_ids = given(ids, message, code) })
  end
  return answer.json(uploads.STATUS.working, { state = "working" }, { ["Retry-After"] = "1" })
end

---@type tandem.serve.Route[]
receive.routes = {
  { method = "POST", path = "/v1/uploads", tag = "uploads", summary = "begin to send runs here",
    about = "What tandem upload does; tandem help sending has the protocol. A repeat is harmless: "
      .. "the key is the hash of what is sent.",
    body = { ["application/json"] = "{key, bytes, sha256, media_type, runs}" },
    example = ([[{"key": "%s", "bytes": 1000, "sha256": "%s", "media_type": "%s", "runs": []}]])
      :format(("0123456789abcdef"):rep(4), ("0123456789abcdef"):rep(4), uploads.MEDIA_TYPE),
    answers = { [201] = "{upload_id, offset, chunk_bytes}", [200] = "known: where to go on, or "
      .. "{done, run_ids}", [400] = "it is not understood", [413] = "too large",
      [429] = "too many are open: come again later" },
    handle = begin },
  { method = "HEAD", path = "/v1/uploads/{id}", tag = "uploads", summary = "where to go on",
    answers = { [200] = "the header Upload-Offset", [404] = "there is no such upload" },
    handle = function(request, context)
      local offset = given(of(context):offset(request.params.id))
      return { status = 200, body = "", headers = { ["Upload-Offset"] = ("%d"):format(offset) } }
    end },
  { method = "PATCH", path = "/v1/uploads/{id}", tag = "uploads", large = true,
    summary = "the next piece",
    curl = "-X PATCH -H 'Upload-Offset: 0' -H 'Content-Type: application/offset+octet-stream' "
      .. "--data-binary @runs.part",
    body = { ["application/offset+octet-stream"] = "bytes from Upload-Offset on" },
    answers = { [204] = "the new Upload-Offset", [404] = "there is no such upload",
      [409] = "another offset is right: Upload-Offset says which" },
    handle = append },
  { method = "POST", path = "/v1/uploads/{id}/finish", tag = "uploads",
    summary = "all has been sent", answers = { [200] = "{run_ids}",
      [202] = "another request finishes it just now: ask again",
      [404] = "there is no such upload", [409] = "something lacks", [422] = "it is damaged" },
    handle = finish },
}

return receive
