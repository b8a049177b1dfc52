-- JSON of other programs, a record at a time: the same values as another reader's, whatever the
-- layout; memory of a record; what is no JSON ends the records and is told.

local cjson = require "cjson"
local core = require "tandem.core"
local json_file = require "tandem.io.json_file"

local function all(text, keep)
  local stream = assert(json_file.open { text = text })
  local out = {}
  while stream:record() do out[#out + 1] = stream:value(keep) end
  return out, json_file.problem(stream)
end

-- A value of cjson's own writing, from a sequence of draws.
local function drawn(draw, depth)
  local sort = draw(depth > 4 and 6 or 8)
  if sort == 1 then return cjson.null end
  if sort == 2 then return draw(2) == 1 end
  if sort == 3 then return draw(1 << 40) - (1 << 39) end
  if sort == 4 then return (draw(1 << 20) - (1 << 19)) / 1024 end
  if sort < 7 then return ("ä\"\\\n/"):rep(draw(3)) .. string.char(draw(26) + 96) end
  local out = {}
  for i = 1, draw(5) do
    local key = sort == 7 and i or string.char(draw(26) + 96):rep(i)
    out[key] = drawn(draw, depth + 1)
  end
  return out
end

describe("records of JSON", function()
  it("are what cjson reads, in lines, in a list and with white between them", function()
    local state = 7
    local function draw(most)
      state = (state * 6364136223846793005 + 1442695040888963407) & (1 << 63) - 1
      return (state >> 20) % most + 1
    end
    for _ = 1, 200 do
      local values, written = {}, {}
      for i = 1, draw(4) do
        values[i] = { v = drawn(draw, 0) }
        written[i] = cjson.encode(values[i])
      end
      for _, text in ipairs { table.concat(written, "\n"), table.concat(written, " \n\n\t"),
        "\u{FEFF}[" .. table.concat(written, " ,\n") .. "]", table.concat(written) } do
        assert.same(values, (all(text)))
      end
    end
  end)

  it("have the keys that are asked for, and sums of lists", function()
    assert.same({ { a = 1, b = { a = { 2 } } } },
      (all('{"a":1,"x":{"a":9},"b":{"x":[1],"a":[2]}}', { a = true, b = true })))
    assert.same({ { t = { 3.5, 0, 7, cjson.null, 6 } } },
      (all('{"t":[[1,2.5],[],7,null,[1,[2,"x"],3]]}', { t = "sum" })))
  end)

  it("have the beginnings of texts where those are enough", function()
    local function first(text, most)
      local stream <close> = json_file.open({ text = text }, most)
      stream:record()
      return stream:value(), json_file.problem(stream)
    end
    assert.same({ a = "äb", b = { "äb" }, c = "x" }, (first('{"a":"äbää","b":["äbä"],"c":"x"}', 4)))
    local long = ('{"a":"%s","b":7}'):format(("x"):rep(17 << 20))
    assert.same({ a = "xxxx", b = 7 }, (first(long, 4)))
    local value, problem = first(long)
    assert.is_nil(value)
    assert.matches("a text of more than 16 MiB", problem, 1, true)
  end)

  it("have null where a number is none", function()
    assert.same({ { a = cjson.null, b = cjson.null, c = math.huge } },
      (all '{"a":NaN,"b":1-2,"c":Infinity}'))
    assert.same({ { t = { 3 } } }, (all('{"t":[[1,NaN,2]]}', { t = "sum" })))
  end)

  it("are walked key by key and item by item, what is left of them passed over", function()
    local stream = assert(json_file.open {
      text = '{"a":[1,{"b":2,"c":[3]},[4]],"d":{"e":5}}{"a":[6]}' })
    local seen = {}
    while stream:record() do
      for key, kind in stream:keys() do
        seen[#seen + 1] = key .. kind
        for inner in stream:items() do
          seen[#seen + 1] = inner
          seen[#seen + 1] = stream:keys()()
        end
      end
    end
    assert.equal("alist value object b list dobject alist value", table.concat(seen, " "))
    assert.is_nil(stream:problem())
    stream:close()
    assert.is_false(pcall(stream.record, stream))
  end)

  it("end where there is none, and say at which object", function()
    for text, words in pairs {
      ['{"a":1}{"a":'] = "object 2 of it cannot be read (it ends in the middle)",
      ['{"a":1}\n{"a" 1}'] = "object 2 of it cannot be read (a comma, colon or bracket",
      ["[INFO] started"] = "cannot be read (characters that are not JSON)",
      [('{"a":'):rep(300) .. "1" .. ("}"):rep(300)] = "cannot be read (values nested too deeply)",
      ["\31\139\8\0rest"] = "gzip data ends too early" } do
      local values, problem = all(text)
      assert.matches(words, problem, 1, true)
      assert.is_true(#values < 2)
    end
    assert.same({}, (all ""))
  end)

  it("take the memory of one, by number too", function()
    local path = os.tmpname()
    local file <close> = assert(io.open(path, "wb"))
    for i = 1, 60 do
      file:write(cjson.encode { n = i, text = ("x"):rep(200000), more = { n = -i } }, "\n")
    end
    file:close()
    collectgarbage()
    local before, most = collectgarbage "count", 0
    local survey = json_file.survey { path = path }
    local records = json_file.records({ path = path }, survey.count, { n = true, more = true })
    for i, record in ipairs(records) do
      assert.same({ n = i, more = { n = -i } }, record)
      collectgarbage()
      most = math.max(most, collectgarbage "count" - before)
    end
    assert.equal(60, #records)
    assert.is_true(most < 300, most) -- KiB; the file has 12,000
    assert.equal(7, records[7].n)
    assert.equal(60, records[60].n)
    assert.is_nil(records[61])
    os.remove(path)
  end)

  it("of a packed file are those of the plain one", function()
    local plain = '{"a":1}\n{"a":[2]}\n'
    assert.same(all(plain), (all(core.digest.gzip(plain))))
  end)
end)
