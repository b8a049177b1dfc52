--- The pages for a browser: the files of src/viewer/ui, the style sheets that all pages share, and
--- the manual.
--
-- Owns their types, their tags (a browser asks again and is told that nothing changed) and what the
-- pages may do. They are open without a token: they hold no data, and ask for it themselves.
local answer = require "tandem.serve.answer"

local assets = {}

local TYPES <const> = { html = "text/html; charset=utf-8", css = "text/css; charset=utf-8",
  js = "text/javascript; charset=utf-8" }

-- Nothing from elsewhere, no scripts or styles inside of markup.
local POLICY <const> = "default-src 'self'; img-src 'self' data:; base-uri 'none'; "
  .. "form-action 'none'; frame-ancestors 'none'; object-src 'none'"

-- frame.html shows pages that tandem made (timelines, reports), whose scripts and styles are inside
-- of them. They run in a sandbox: an origin of their own, which may ask this server for nothing.
-- The manual is such a page, too, in a tab of its own.
local INSIDE <const> = "default-src 'none'; script-src 'unsafe-inline'; "
  .. "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
local OTHER_HEADERS <const> = {
  ["frame.html"] = { ["Content-Security-Policy"] = INSIDE
    .. "frame-ancestors 'self'; sandbox allow-scripts allow-downloads",
    ["X-Frame-Options"] = "SAMEORIGIN" },
  ["manual.html"] = { ["Content-Security-Policy"] = INSIDE
    .. "frame-ancestors 'none'; sandbox allow-scripts" },
}

-- Not files as they are: colours, and what pages made by commands look like.
local MADE <const> = {
  ["theme.css"] = function() return require("tandem.plot.svg.theme").site() end,
  ["page.css"] = function() return require("tandem.page.html").source "page.css" end,
  ["manual.html"] = function() return require("tandem.page.reference").of() end,
}

local made = {}

-- { text, tag } of a file; nil when there is none.
local function find(name)
  if made[name] then return made[name] end
  local text = MADE[name] and MADE[name]()
    or require("tandem.embedded").read("src/viewer/ui/" .. name)
  if not text then return nil end
  local found = { text = text,
    tag = ('"%s"'):format(require("tandem.scenario.canonical").hash(text):sub(1, 24)) }
  -- From a directory they may change while we serve.
  if not os.getenv "TANDEM_ROOT" then made[name] = found end
  return found
end

-- Whether the browser has it: tags in a list, weak where somebody between has packed the text.
local function is_known(tag, given)
  for one in (given or ""):gmatch '"[^"]*"' do
    if one == tag then return true end
  end
  return given == "*"
end

local function respond(request, name)
  local kind = TYPES[name:match "%.(%l+)$" or ""]
  local found = kind and find(name)
  if not found then
    return answer.problem(404, "not_found", ("There is no page '%s'."):format(name), "name")
  end
  local headers = { ["Content-Type"] = kind, ETag = found.tag, ["Cache-Control"] = "no-cache",
    ["Content-Security-Policy"] = POLICY }
  for key, value in pairs(OTHER_HEADERS[name] or {}) do headers[key] = value end
  if is_known(found.tag, request.headers["if-none-match"]) then
    return { status = 304, body = "", headers = headers }
  end
  return { status = 200, body = found.text, headers = headers }
end

---@type tandem.serve.Route[]
assets.routes = {
  { method = "GET", path = "/", summary = "pages for a browser", open = true,
    answers = { [200] = "HTML" },
    handle = function(request) return respond(request, "index.html") end },
  { method = "GET", path = "/docs", summary = "the manual, as tandem doc writes it", open = true,
    answers = { [200] = "HTML", [304] = "as the browser has it" },
    handle = function(request) return respond(request, "manual.html") end },
  { method = "GET", path = "/ui/{name}", summary = "what these pages are made of", open = true,
    given = { name = "app.js" },
    answers = { [200] = "HTML, CSS or JavaScript", [304] = "as the browser has it",
      [404] = "there is no such file" },
    handle = function(request) return respond(request, request.params.name) end },
}

return assets
