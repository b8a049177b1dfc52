-- What tandem writes for other programs: JSON and CSV read back equal, whatever the values are.
local core = require "tandem.core"
local csv = require "tandem.io.csv"
local date = require "tandem.io.date"
local json = require "tandem.io.json"
local mend = require "tandem.io.utf8"
local td = require "tandem"

local ROUNDS <const> = 400

-- A stream of its own, so that every run tries the same values.
local function draws(seed)
  local state = seed
  return function(most)
    state = state ~ (state << 13)
    state = state ~ (state >> 7)
    state = state ~ (state << 17)
    return (state >> 11) % most + 1
  end, function() return ("d"):unpack(("i8"):pack(state)) end
end

local PIECES <const> = { '"', "\\", ",", "\r", "\n", "\r\n", "\0", "\127", "é", "😀", "\u{FFFD}",
  "\u{2028}", "</script>", "x'00'", " ", "inf", "" }

local function random_text(draw)
  local parts = {}
  for i = 1, draw(12) do
    parts[i] = draw(2) == 1 and PIECES[draw(#PIECES)] or string.char(draw(256) - 1)
  end
  return table.concat(parts)
end

local EXTREMES <const> = { 0, 1, -1, math.maxinteger, math.mininteger, 2.0 ^ 53, 2.0 ^ 63, 5e-324,
  2.2250738585072014e-308, 1.7976931348623157e308, -1.7976931348623157e308, 0.1, 1 / 3, 1e15, 1e16,
  123456789012345678.0, math.pi }

local function random_value(draw, bits, depth)
  local kind = draw(depth > 3 and 4 or 6)
  if kind == 1 then return random_text(draw) end
  if kind == 2 then return EXTREMES[draw(#EXTREMES)] end
  if kind == 3 then
    local number = bits()
    return number == number and math.abs(number) < math.huge and number or 7
  end
  if kind == 4 then return draw(2) == 1 end
  local made = kind == 5 and json.list() or {}
  for i = 1, draw(5) - 1 do
    made[kind == 5 and i or random_text(draw)] = random_value(draw, bits, depth + 1)
  end
  return made
end

-- What a value is once it was written: texts UTF-8, -0 as 0.
local function written(value)
  if type(value) == "string" then return mend.text(value) end
  if type(value) ~= "table" then return value == 0 and 0 or value end
  local out = {}
  for key, one in pairs(value) do out[written(key)] = written(one) end
  return out
end

local LAYOUTS <const> = { {}, { indent = 2 }, { fit = true }, { indent = 1, spread = true },
  { floats = true } }

describe("JSON", function()
  it("reads back equal, whatever the bytes, the numbers and the layout", function()
    local draw, bits = draws(88172645463325252)
    for round = 1, ROUNDS do
      local value = { random_value(draw, bits, 0) }
      local layout = LAYOUTS[round % #LAYOUTS + 1]
      local text = json.encode(value, layout)
      assert.is_truthy(utf8.len(text))
      assert.is_nil(text:find "[%z\1-\9\11-\31\127]")
      assert.same(written(value), (assert(json.decode(text))))
      assert.is_table(require("cjson").decode(text))
      assert.equal(text, json.encode(value, layout))
    end
  end)

  it("is exact about floats where it is asked to be", function()
    assert.equal("[2.0,2,1e+30]", json.encode({ 2.0, 2, 1e30 }, { floats = true }))
    assert.equal("[2,2,1e+30]", json.encode { 2.0, 2, 1e30 })
  end)

  it("breaks lines where they do not fit", function()
    local long = ("x"):rep(60)
    assert.equal('{"a": [1, 2], "b": {}}', json.encode({ a = { 1, 2 }, b = {} }, { fit = true }))
    assert.equal(('{\n  "a": ["%s"],\n  "b": [1, [2]]\n}'):format(long .. ("y"):rep(10)),
      json.encode({ a = { long .. ("y"):rep(10) }, b = { 1, { 2 } } }, { fit = true }))
    assert.equal(('["%s", "%s"]'):format(long, ("y"):rep(24)), -- 92 columns
      json.encode({ long, ("y"):rep(24) }, { fit = true }))
    assert.equal(('[\n  "%s",\n  "%s"\n]'):format(long, ("y"):rep(25)),
      json.encode({ long, ("y"):rep(25) }, { fit = true }))
  end)

  it("with an indent breaks the lists that hold tables, wherever these stand", function()
    local function encode(value) return json.encode(value, { indent = 2 }) end
    assert.equal("[1, 2]", encode { 1, 2 })
    local broken = { [[ [
  1,
  [2]
] ]], [[ [
  [1],
  2
] ]] }
    assert.equal(broken[1], " " .. encode { 1, { 2 } } .. " ")
    assert.equal(broken[2], " " .. encode { { 1 }, 2 } .. " ")
    assert.equal("[\n  1,\n  2\n]", json.encode({ 1, 2 }, { indent = 2, spread = true }))
  end)

  it("knows lists that are empty, and null", function()
    assert.equal('{"a":[],"b":[],"c":{},"d":null}',
      json.encode({ a = json.list(), b = {}, c = {}, d = json.null }, { lists = { b = true } }))
    local kept = json.decode('{"a": [], "b": {}, "c": null}', nil, nil, true)
    assert.equal('{"a":[],"b":{},"c":null}', json.encode(kept))
  end)

  it("spells what is no finite number as CSV and scenarios do", function()
    assert.equal('["inf","-inf","nan"]', json.encode { math.huge, -math.huge, 0 / 0 })
    assert.equal("inf,-inf,nan", csv.line { math.huge, -math.huge, 0 / 0 })
    local scenario = td.scenario "x" { cpu = { workers = math.huge }, target = td.gpu "L40" {},
      workload = td.poisson { rps = 2, duration = "2s" },
      pipeline = { td.fixed "a" { time = "1ms" } } }
    assert.equal("inf", json.decode(scenario:to_json()).cpu.workers)
    local result = json.decode(scenario:run({ seed = 1, replications = 1 }):to_json())
    assert.equal("inf", result.resources[1].servers)
  end)

  it("mends names that are no UTF-8 wherever they are written", function()
    local scenario = td.scenario "a\xffb" { target = td.gpu "L40" {},
      workload = td.poisson { rps = 2, duration = "2s" },
      pipeline = { td.fixed "s\xfe" { time = "1ms" } } }
    for _, text in ipairs { scenario:to_json(),
      scenario:run({ seed = 1, replications = 1 }):to_json() } do
      assert.is_truthy(utf8.len(text))
      assert.equal("a\u{FFFD}b", json.decode(text).name)
      assert.is_truthy(text:find("s\u{FFFD}", 1, true))
    end
  end)

  it("writes C's way where C writes: U+FFFD for each byte", function()
    assert.equal('"\u{FFFD}\u{FFFD}a\u{FFFD}\\u0000\u{FFFD}"', json.encode "\xed\xa0a\xff\0\xc3")
    assert.equal("\u{FFFD}\u{FFFD}a\u{FFFD}\0\u{FFFD}", mend.text "\xed\xa0a\xff\0\xc3")
  end)

  it("raises on what it has no place for", function()
    for _, value in ipairs { print, { [1.5] = 1 }, { [true] = 1 }, io.stdout } do
      assert.has_error(function() json.encode(value) end)
    end
    assert.equal("null", json.encode(nil))
    assert.equal("[null]", json.encode { require("cjson").null })
    assert.is_function(core.json_write)
  end)
end)

-- RFC 4180, read independently of what wrote it.
local function read_csv(text)
  local rows, at = {}, 1
  while at <= #text do
    local row, ended = {}, false
    while not ended do
      local value
      if text:sub(at, at) == '"' then
        local close = at + 1
        while true do
          close = assert(text:find('"', close, true))
          if text:sub(close + 1, close + 1) ~= '"' then break end
          close = close + 2
        end
        value = text:sub(at + 1, close - 1):gsub('""', '"')
        at = close + 1
      else
        value = text:match('^[^,"\r\n]*', at)
        at = at + #value
      end
      row[#row + 1] = value
      local after = text:sub(at, at)
      assert(after == "," or after == "\n", "neither a comma nor a line end after a cell")
      at, ended = at + 1, after == "\n"
    end
    rows[#rows + 1] = row
  end
  return rows
end

describe("CSV", function()
  it("reads back equal, whatever the bytes and numbers, where texts are as they are", function()
    csv.raw = true
    finally(function() csv.raw = false end)
    local draw, bits = draws(1234567890123456789)
    for _ = 1, ROUNDS do
      local values, wanted, lines = {}, {}, {}
      for i = 1, 3 do
        values[i], wanted[i] = {}, {}
        for k = 1, 4 do
          local value = draw(2) == 1 and random_text(draw) or random_value(draw, bits, 9)
          values[i][k] = value
          wanted[i][k] = type(value) == "string" and mend.text(value) or value
        end
        lines[i] = csv.line(values[i]) .. "\n"
      end
      local found = read_csv(table.concat(lines))
      for i, row in ipairs(wanted) do
        assert.equal(#row, #found[i])
        for k, value in ipairs(row) do
          local cell = found[i][k]
          if type(value) == "number" then
            assert.is_true(tonumber(cell) == value, cell)
          else
            assert.equal(tostring(value), cell)
          end
        end
      end
    end
  end)

  it("hands no formula to a spreadsheet and no control to a terminal", function()
    for cell, wanted in pairs { ["=1+2"] = "'=1+2", ["+a"] = "'+a", ["-a"] = "'-a", ["@x"] = "'@x",
      ["\t=1"] = "'\t=1", ["-5"] = "-5", ["+1e3"] = "+1e3", ["-"] = "-", ["a=1"] = "a=1",
      ["a\27[31m\u{202e}b"] = "a?[31m?b", ["a\nb"] = '"a\nb"', ["\r-x"] = "?-x" } do
      assert.equal(wanted, csv.cell(cell))
    end
    assert.equal("-5,=,1", csv.line { -5, "=", 1 })
    csv.raw = true
    finally(function() csv.raw = false end)
    assert.equal("=1+2,\27", csv.line { "=1+2", "\27" })
  end)

  it("leaves cells empty where there is nothing", function()
    assert.equal(",1,,", csv.line({ nil, 1 }, 4))
    assert.equal('a?b,"c,d","e""f"', csv.line { "a\rb", "c,d", 'e"f' })
    assert.equal("9007199254740993", csv.cell(9007199254740993))
  end)
end)

describe("dates", function()
  it("are written one way", function()
    local moment <const> = 1795423631 * 1000000000 + 123999 -- 2026-11-23 08:47:11 UTC
    assert.equal("2026-11-23T08:47:11.000123Z", date.iso(moment))
    assert.equal("20261123-084711", date.stamp(moment))
    assert.equal(os.date("%Y-%m-%d %H:%M", 1795423631), date.minute(moment))
  end)

  it("are read by the clock on the wall", function()
    local noon = assert(date.of_wall(2026, 11, 23, 12, 30))
    assert.equal("2026-11-23 12:30", date.minute(noon))
    assert.equal("2026-11-23 00:00", date.minute(assert(date.of_wall(2026, 11, 23))))
    assert.is_nil(date.of_wall(2026, 2, 31))
    assert.is_nil(date.of_wall(2026, 13, 1))
  end)
end)
