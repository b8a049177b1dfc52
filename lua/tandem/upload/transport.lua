--- The way out: HTTP requests with a token, and when to ask again.
--
-- Owns where libcurl's module is found, which tokens are taken, and the rule of retries: time-outs
-- (broken connections are those of impatient machines between), 429 and 5xx; exponential back-off
-- with full jitter, at least what Retry-After says, and in all no longer than the patience that was
-- given. Anything else is final. Called by tandem.upload.client.
local core = require "tandem.core"

local transport = {}

local BASE_S <const>, MOST_S <const>, PATIENCE_S <const> = 0.5, 30, 30
local RETRIED <const> = { timeout = true, cut = true, unreached = true, unsecured = true }

-- ---- the module ----

local loaded

---@return table|nil module
---@return string|nil message
---@return integer|nil code
local function native()
  if loaded then return loaded end
  local module, message = require("tandem.module").open("upload", "luaopen_tandem_upload")
  if not module then return nil, message, 4 end
  loaded = module
  return loaded
end

-- ---- tokens ----

--- The token that the environment or a file gives; nil without a message: none.
---@param path? string  a file that only its owner may read
---@return string|nil token
---@return string|nil message
---@return integer|nil code
function transport.token(path)
  local text, where = os.getenv "TANDEM_TOKEN", "$TANDEM_TOKEN"
  if path then
    local module, message, code = native()
    if not module then return nil, message, code end
    text, message = module.secret(path)
    if not text then return nil, "the token: " .. message, 4 end
    text, where = text:gsub("%s+$", ""), path
  end
  if not text or text == "" and not path then return nil end
  if not text:find "^[\33-\126]+$" then
    return nil, ("the token of %s is not one word of visible characters"):format(where), 2
  end
  return text
end

-- ---- addresses ----

local LOOPBACK <const> = { ["localhost"] = true, ["[::1]"] = true }

--- Is this an address that may be sent to? Its form without a slash at the end.
---@param url string
---@param plain? boolean  http:// beyond this machine is fine
---@return string|nil url
---@return string|nil problem
function transport.address(url, plain)
  local scheme, authority, rest = url:match "^(%a+)://([^/?#]*)(.*)$"
  scheme = scheme and scheme:lower()
  if scheme ~= "http" and scheme ~= "https" or authority == "" then
    return nil, ("'%s' is not an address such as https://host:8080"):format(
      url:gsub("//.*@", "//…@"))
  elseif authority:find "@" then
    return nil, "the address holds a password, which others can see: put it into $TANDEM_TOKEN or "
      .. "--token-file"
  elseif url:find "[%s%c]" then
    return nil, ("'%s' has blanks in it"):format(url)
  end
  local host = authority:lower():gsub(":%d+$", "")
  if scheme == "http" and not plain and not LOOPBACK[host] and not host:find "^127%.%d+%.%d+%.%d+$"
  then
    return nil, ("%s is not encrypted, everybody between can read along: https://, or "
      .. "--plain-http if that is meant"):format(url)
  end
  return scheme .. "://" .. authority .. rest:gsub("/+$", "")
end

-- ---- asking again ----

local MONTHS <const> = { Jan = 1, Feb = 2, Mar = 3, Apr = 4, May = 5, Jun = 6, Jul = 7, Aug = 8,
  Sep = 9, Oct = 10, Nov = 11, Dec = 12 }

--- Seconds that Retry-After asks for; nil where it says nothing.
---@param text string|nil   seconds, or a date as HTTP has it
---@param now_s number      since 1970
---@return number|nil
function transport.retry_after(text, now_s)
  if not text then return nil end
  local seconds = text:match "^%s*(%d+)%s*$"
  if seconds then return math.min(tonumber(seconds) --[[@as number]], 1e9) end
  local day, month, year, h, m, s = text:match "^%a+, (%d+) (%a+) (%d+) (%d+):(%d+):(%d+) GMT"
  if not day or not MONTHS[month] then return nil end
  local at_ns = core.date_ns(("%04d-%02d-%02dT%02d:%02d:%02dZ"):format(year, MONTHS[month], day, h,
    m, s))
  return at_ns and math.max(0, at_ns // 1000000000 - now_s)
end

--- How long to wait before the next of several tries: anything up to a bound that doubles.
---@param tries integer  that failed in a row
---@param random? fun(): number
---@param base_s? number  the first bound; half a second
---@return number seconds
function transport.back_off(tries, random, base_s)
  return (random or math.random)() * math.min(MOST_S, (base_s or BASE_S) * 2 ^ (tries - 1))
end

-- What a status says when the answer says nothing itself.
local WORDS <const> = { [400] = "bad request", [401] = "the token is missing or wrong",
  [403] = "not allowed", [404] = "nothing is there", [405] = "the method is not allowed",
  [408] = "the request took too long", [413] = "too large", [415] = "of a type that is not taken",
  [422] = "not usable", [429] = "too many requests", [500] = "it failed", [502] = "bad gateway",
  [503] = "not available just now", [504] = "no answer in time" }

-- One line from an error's body: {"error":{"message":…}}, or the status in words.
local function reason(answer)
  local ok, body = pcall(require("cjson").decode, answer.body)
  local message = ok and type(body) == "table" and type(body.error) == "table"
    and body.error.message
  if type(message) == "string" then
    message = message:gsub("[%c%s]+", " "):sub(1, 200)
  else
    message = WORDS[answer.status] or "an unexpected answer"
  end
  return ("%d, %s"):format(answer.status, message)
end

-- Why a certificate was refused, in libcurl's words; that of an unknown issuer has a way out.
local function distrust(message)
  local why = message:gsub("^SSL certificate problem: ", ""):gsub("^SSL: ", "")
  return ("its certificate is not trusted, nothing was sent: %s%s"):format(why,
    (why:find "self.signed" or why:find "issuer") and " (--ca-file FILE.pem trusts one's own)"
    or "")
end

---@class tandem.Transport
---@field url string
---@field private module table
---@field private line userdata
---@field private options table
---@field private failures integer  in a row
---@field private waited_s number    since something arrived
local Transport = { __name = "tandem.Transport" }
Transport.__index = Transport

---@class tandem.TransportOptions
---@field token? string
---@field authorities? string      a file of certificates to trust
---@field patience_s? number       for waiting between tries, in all (default: 30)
---@field base_s? number         bound of the first wait
---@field stall_s? number         without a byte moving; 30
---@field waiting? fun(seconds: number, why: string)

--- A way to an address.
---@param url string
---@param options tandem.TransportOptions
---@return tandem.Transport|nil
---@return string|nil message
---@return integer|nil code
function transport.open(url, options)
  local module, message, code = native()
  if not module then return nil, message, code end
  return setmetatable({ url = url, module = module, line = module.open(), options = options,
    failures = 0, waited_s = 0 }, Transport)
end

--- Waits after a failure, if patience is left; what was moved on since (progressed) renews it.
---@param why string
---@param after_s? number  not before
---@return boolean waited  false: patience is at its end, or Ctrl-C came
---@return number wait_s
function Transport:pause(why, after_s)
  self.failures = self.failures + 1
  local wait_s = math.max(transport.back_off(self.failures, nil, self.options.base_s),
    after_s or 0)
  if self.waited_s + wait_s > (self.options.patience_s or PATIENCE_S) then return false, wait_s end
  self.waited_s = self.waited_s + wait_s
  if self.options.waiting then self.options.waiting(wait_s, why) end
  return self.module.wait(wait_s), wait_s
end

--- Waits as long as an answer asks for; patience is not used up.
---@param answer tandem.TransportAnswer
---@return number|nil wait_s  nil: Ctrl-C came
function Transport:wait(answer)
  local wait_s = math.max(0.05, math.min(MOST_S, transport.retry_after(
    answer.headers["retry-after"], core.utc_ns() / 1e9) or 1))
  return self.module.wait(wait_s) and wait_s or nil
end

--- Something arrived: failures count anew.
function Transport:progressed() self.failures, self.waited_s = 0, 0 end

---@class tandem.TransportAnswer
---@field status integer
---@field headers table<string, string>
---@field body string

---@class tandem.TransportFailure
---@field message string
---@field code integer
---@field again boolean    asking again may help
---@field after_s number|nil  not before

--- One request, once. An answer below 300, or whose status is in `accepted`, comes back as it is.
---@param request table    method, path, headers, body or file, from, bytes
---@param accepted? table<integer, boolean>
---@return tandem.TransportAnswer|nil
---@return tandem.TransportFailure|nil
function Transport:try(request, accepted)
  local headers = { "User-Agent: tandem/" .. core.version() }
  for _, header in ipairs(request.headers or {}) do headers[#headers + 1] = header end
  if self.options.token then
    headers[#headers + 1] = "Authorization: Bearer " .. self.options.token
  end
  local answer, message, kind = self.line:ask { method = request.method,
    url = self.url .. request.path, headers = headers, body = request.body, file = request.file,
    from = request.from, bytes = request.bytes, authorities = self.options.authorities,
    stall_s = request.stall_s or self.options.stall_s }
  if kind == "stopped" or core.interrupted() then
    return nil, { message = "interrupted", code = 130, again = false }
  elseif not answer then
    if kind == "untrusted" then message = distrust(message) end
    if kind == "unsecured" then message = "no TLS there, nothing was sent: " .. message end
    return nil, { message = ("%s: %s"):format(self.url, message), code = 4,
      again = RETRIED[kind] or false }
  end
  local status = answer.status
  if status >= 200 and status < 300 or accepted and accepted[status] then return answer end
  return nil, { code = 4, again = status == 429 or status >= 500,
    after_s = transport.retry_after(answer.headers["retry-after"], core.utc_ns() / 1e9),
    message = ("%s answers %s"):format(self.url, status >= 300 and status < 400
      and ("%d, go elsewhere, which is not followed"):format(status) or reason(answer)) }
end

--- The same, asked again as long as that may help and patience lasts.
---@param request table
---@param accepted? table<integer, boolean>
---@return tandem.TransportAnswer|nil
---@return tandem.TransportFailure|nil  `again`: another time it may go
function Transport:ask(request, accepted)
  while true do
    local answer, failure = self:try(request, accepted)
    if answer or not failure.again then return answer, failure end
    local waited, wait_s = self:pause(failure.message, failure.after_s)
    if core.interrupted() then return nil, { message = "interrupted", code = 130, again = true } end
    if not waited then
      failure.after_s = wait_s
      return nil, failure
    end
  end
end

function Transport:close() self.line:close() end

Transport.__close = Transport.close

return transport
