--- What a fuzzer does with a file that a reader written in Lua takes: it is refused in one line, or
-- what was read keeps the reader's promises. Raises where neither is so. Called by the fuzzers
-- tests/fuzz/fuzz_lua_*.c through lua_script.h, which owns the Lua state, and by mutate.lua.

local manifest = require "tandem.deploy.manifest"
local price_file = require "tandem.scenario.price_file"
local replay = require "tandem.replay"
local read = require "tandem.llm.read"
local telemetry = require "tandem.telemetry"
require "tandem.core"

local PATH <const> = os.tmpname()

local function written(text)
  local file <close> = assert(io.open(PATH, "wb"))
  assert(file:write(text))
end

local function must_be_line(text)
  if type(text) ~= "string" or text == "" or text:find "[\n\r]" then
    error(("not told in one line: %q"):format(tostring(text)), 0)
  end
  if text:find "attempt to %l+ " or text:find "bad argument #" then
    error(("a mistake of ours told as theirs: %s"):format(text), 0)
  end
end

local function must_be_number(value, what, least)
  if not math.type(value) or value ~= value or value < least or value == math.huge then
    error(("%s is %s"):format(what, tostring(value)), 0)
  end
end

local takes = {}

function takes.benchmarks()
  local measured, message = read.file(PATH)
  if not measured then
    if message ~= nil then must_be_line(message) end
    return
  end
  for _, note in ipairs(measured.notes) do must_be_line(note) end
  local last = 0
  for _, r in ipairs(measured.requests or {}) do
    must_be_number(r.at_s, "a request's start", last)
    must_be_number(r.e2e_s, "a request's time", 0)
    if not measured.tokenless then
      must_be_number(r.prompt, "a prompt", 1)
      must_be_number(r.output, "an answer", 1)
      must_be_number(r.ttft_s, "a first token", 0)
    end
    last = r.at_s
  end
  for _, p in ipairs(measured.points or {}) do
    if p.concurrency then must_be_number(p.concurrency, "a point's concurrency", 0) end
  end
end

function takes.spans()
  local records, message = telemetry.records(PATH)
  if records then
    local file <close> = assert(io.tmpfile())
    assert(records:write(file))
    file:seek "set"
    for line in file:lines "L" do
      if line:sub(-1) ~= "\n" then error("half a line at its end", 0) end
    end
  end
  if message ~= nil then must_be_line(message) end
end

function takes.sessions()
  local data, problem = replay.load({ file = PATH }, ".")
  if not data then return must_be_line(problem) end
  must_be_number(data.count, "rows", 1)
end

function takes.manifests(text)
  local deployed, message = manifest.parse(text, "it.yaml")
  if not deployed then return must_be_line(message) end
  for _, note in ipairs(deployed.notes) do must_be_line(note) end
  local scenario, why = manifest.scenario(deployed, { gpu = "H100 SXM", name = "it" })
  if not scenario then return must_be_line(why) end
  local source, unsaid = manifest.source(deployed, scenario, "it.yaml")
  if not source then must_be_line(unsaid) end
end

function takes.prices(text)
  local offers, message = price_file.read(text, "offers.csv", {})
  if not offers then return must_be_line(message) end
  for name, list in pairs(offers) do
    if type(name) ~= "string" or #list == 0 then error("a GPU without a price", 0) end
  end
end

--- @param text string
--- @param word string  which reader
return function(text, word)
  written(text)
  takes[word](text)
end
