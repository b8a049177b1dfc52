-- Texts of strangers made safe for terminals, spreadsheets and programs.
local consoles = require "tandem.cli.console"
local csv = require "tandem.io.csv"
local json = require "tandem.io.json"
local safe = require "tandem.text.safe"

-- ESC, C1, a bidi override, an isolate, BEL, a return.
local EVIL <const> = "a\27[31mb\194\155c\226\128\174d\226\129\166e\7f\rg"
local HARMLESS <const> = "a?[31mb?c?d?e?f?g"

describe("a text of a stranger", function()
  it("drives no terminal, whatever prints it", function()
    local console = consoles.of_strings {}
    console:print(EVIL)
    console:print { "one", EVIL .. "\ttwo\r\nthree" }
    console:note(EVIL)
    console:fail(4, EVIL)
    assert.equal(("%s\none\n%s\ttwo\nthree\n"):format(HARMLESS, HARMLESS), console.out)
    for line in console.err:gmatch "[^\n]+" do
      assert.is_nil(line:find "[\1-\31\127]", line)
      assert.is_nil(line:find("\194\155", 1, true))
    end
    assert.equal("broken \239\191\189", safe.screen("broken \255", false))
    assert.equal("é ≤ 5 µs\n", safe.screen("é ≤ 5 µs\n", false))
  end)

  it("leaves a style its colours", function()
    assert.equal("\27[1mbold\27[0m " .. HARMLESS:gsub("%?%[31m", "\27[31m"),
      safe.screen("\27[1mbold\27[0m " .. EVIL, true))
    assert.equal("?]8;;x? ? ?[2J", safe.screen("\27]8;;x\7 \1 \27[2J", true))
  end)

  it("overwrites no line of a CSV", function()
    assert.equal(HARMLESS, csv.cell(EVIL))
    assert.equal('"a\nb"', csv.cell "a\r\nb")
    csv.raw = true
    local raw = csv.cell(EVIL)
    csv.raw = false
    assert.equal('"' .. EVIL .. '"', raw)
  end)

  it("is escapes in JSON, which means the same", function()
    local text = safe.json(json.encode { name = EVIL, other = "é\216\156" })
    assert.is_nil(text:find("[\1-\9\11-\31\127]"))
    assert.is_nil(text:find("\194\155", 1, true) or text:find("\226\128\174", 1, true)
      or text:find("\226\129\166", 1, true) or text:find("\216\156", 1, true))
    assert.same({ name = EVIL, other = "é\216\156" }, require("cjson").decode(text))
    local console = consoles.of_strings {}
    require("tandem.cli.envelope").open(console)
    console:print(json.encode { name = EVIL })
    console.close_envelope(0)
    assert.is_nil(console.out:find("\194\155", 1, true))
    assert.same(EVIL, require("cjson").decode(console.out).result.name)
  end)
end)

describe("an error of a script", function()
  local hostile <const> = "h\27[31m\u{9b}\u{202e}\x9bx"

  local function said(command, input)
    local directory = os.tmpname()
    os.remove(directory)
    assert(os.execute(("mkdir '%s'"):format(directory)))
    local path = ("%s/%s.lua"):format(directory, hostile)
    local file = assert(io.open(path, "wb"))
    file:write(input)
    file:close()
    local pipe = assert(io.popen(("NO_COLOR=1 TERM=dumb HOME='%s' build/tandem %s 2>&1"):format(
      directory, (command:gsub("FILE", ("'%s'"):format(path))))))
    local text = pipe:read "a"
    pipe:close()
    assert(os.execute(("rm -r '%s'"):format(directory)))
    assert.truthy(utf8.len(text), text)
    assert.falsy(text:find "[\0-\8\11-\31]")
    for _, driving in ipairs { "\u{9b}", "\u{202e}" } do
      assert.falsy(text:find(driving, 1, true))
    end
    return text
  end

  it("drives no terminal, nor does the name of its file", function()
    assert.matches("h?[31m??\u{FFFD}x.lua:1: no", said("lua FILE", "error 'no'"), 1, true)
    assert.matches("x.lua:1: syntax error", said("lua FILE", "x x x"), 1, true)
    assert.matches("cannot open", said("lua FILE.no", ""), 1, true)
    assert.matches("a?[31m?\u{FFFD}", said("lua FILE", "error 'a\\27[31m\\u{9b}\\x9b'"), 1, true)
    local shown = said("repl <FILE", "error 'a\\27[31m\\u{9b}\\x9b'\n"
      .. "setmetatable({}, { __tostring = function() return 'b\\27[31m\\u{202e}\\x9b' end })\n"
      .. "{ ['c\\u{9b}'] = 'd\\27' }\n:help \27[31m\n")
    for _, part in ipairs { "error: a?[31m?\u{FFFD}", "b?[31m?\u{FFFD}", "c?" } do
      assert.matches(part, shown, 1, true)
    end
  end)
end)
