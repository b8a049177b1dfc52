-- Files in pieces: lines and rows are those of the whole text, wherever pieces end; memory is that
-- of one; what is damaged is told.

local core = require "tandem.core"
local csv_reader = require "tandem.io.csv_reader"
local measured = require "tandem.llm.read"
local records = require "tandem.io.records"
local text_file = require "tandem.io.text_file"

local function with_file(text, what)
  local path = os.tmpname()
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
  local done, message = pcall(what, path)
  os.remove(path)
  assert(done, message)
end

local function lines_of(source)
  local file, out = assert(text_file.open(source)), {}
  for line in file.line, file do out[#out + 1] = line end
  return out, file.problem
end

-- 800 KB: three pieces and more, whose ends fall into lines.
local function long_text()
  local out = {}
  for i = 1, 40000 do out[i] = ("%d %s"):format(i, ("x"):rep(i * 7 % 31)) end
  return table.concat(out, "\n"), out
end

describe("a file in pieces", function()
  it("has the lines of its text, packed or not", function()
    local text, lines = long_text()
    for _, bytes in ipairs { text, text .. "\n", core.digest.gzip(text) } do
      with_file(bytes, function(path) assert.same(lines, (lines_of { path = path })) end)
      assert.same(lines, (lines_of { text = bytes }))
    end
    assert.same({ "a\r", "", "b" }, (lines_of { text = "a\r\n\nb" }))
    assert.same({}, (lines_of { text = "" }))
  end)

  it("tells where its packed bytes end too early, after the lines before", function()
    with_file(core.digest.gzip((long_text())):sub(1, -9), function(path)
      local lines, problem = lines_of { path = path }
      assert.equal("its gzip data ends too early", problem)
      assert.is_true(#lines > 1000)
    end)
    assert.matches("^its gzip data", select(2, text_file.open { text = "\x1f\x8b\b\0rest" }))
  end)

  it("gives the beginnings of lines, whatever is behind them", function()
    local text, lines = long_text()
    with_file(text, function(path)
      local file = assert(text_file.open { path = path })
      for i, line in ipairs(lines) do
        assert.equal(line:sub(1, 1 + i % 9), file:line_start(1 + i % 9))
      end
      assert.is_nil(file:line_start(5))
    end)
    local file = assert(text_file.open { text = ("x"):rep(3000000) .. "\nyz" })
    assert.equal("xxx", file:line_start(3))
    assert.equal("yz", file:line_start(3))
  end)

  it("ends at a line of more than 64 MiB, which a table of requests tells", function()
    local lines, problem = lines_of { text = "a\n" .. ("x"):rep((64 << 20) + 1) .. "\nb" }
    assert.same({ "a" }, lines)
    assert.equal("a line is longer than 64 MiB", problem)
    assert.equal(64 << 20, #lines_of { text = ("x"):rep(64 << 20) .. "\nb" } [1])
    with_file("at_s,name\n1," .. ("x"):rep(64 << 20) .. "\n", function(path)
      local next_row = csv_reader.rows(assert(text_file.open { path = path }))
      assert.same({ "at_s", "name" }, (next_row()))
      assert.same({ nil, "a line is longer than 64 MiB" }, { next_row() })
    end)
  end)

  it("is known by the beginnings of its lines where one is endless", function()
    local log, longest = require "tandem.llm.read.logs"[1], 0
    local knows = log.knows
    log.knows = function(lines)
      longest = math.max(longest, #lines[1])
      return knows(lines)
    end
    with_file(("ab cd "):rep(1 << 20), function(path) assert.is_nil(measured.file(path)) end)
    log.knows = knows
    assert.equal(1 << 20, longest)
  end)

  it("gives bytes in any numbers, and none where there are fewer", function()
    local text = long_text()
    with_file(text, function(path)
      local file, parts, size = assert(text_file.open { path = path }), {}, 1
      local left = #text
      while left >= size do
        parts[#parts + 1] = file:bytes(size)
        left, size = left - size, size * 3
      end
      assert.is_nil(file:bytes(left + 1))
      assert.equal(text:sub(1, #text - left), table.concat(parts))
    end)
  end)

  it("has the rows of its text, quoted over the ends of pieces", function()
    local rows, text = {}, {}
    for i = 1, 12000 do
      rows[i] = { tostring(i), ('"%s,\r\n%d'):format(("q"):rep(i % 13), i), "" }
      text[i] = ('%d,"%s",'):format(i, (rows[i][2]:gsub('"', '""')))
    end
    with_file(table.concat(text, "\r\n"), function(path)
      local next_row = csv_reader.rows(assert(text_file.open { path = path }))
      for i = 1, #rows do
        local row, line = next_row()
        assert.equal(table.concat(rows[i], "|"), table.concat(row, "|"))
        assert.equal(2 * i - 1, line)
      end
      assert.is_nil(next_row())
    end)
  end)
end)

describe("records by number", function()
  it("are counted once, and made again where one before is asked for", function()
    local begun, made = 0, 0
    local function list(count)
      return records.of(function()
        begun = begun + 1
        local n = 0
        return function()
          made, n = made + 1, n + 1
          return n <= 5 and n * 10 or nil
        end
      end, count)
    end
    local all = list()
    local seen = {}
    for i, value in ipairs(all) do seen[i] = value end
    assert.same({ { 10, 20, 30, 40, 50 }, 5, 1, 6 }, { seen, #all, begun, made })
    assert.same({ 20, 20, 2, 8 }, { all[2], all[2], begun, made })
    assert.same({}, { all[0], all[6], all.x, all[1.5] })
    assert.equal(8, made)
    assert.same({ 5, 3 }, { #list(), #list(3) })
    assert.is_nil(list(3)[4])
    assert.equal(0, #records.of(function() end))
  end)
end)

describe("measurements", function()
  it("in logs and tables of any size take the memory of what is kept of them", function()
    local function most_of(begin, text, count)
      local most = 0
      with_file(begin .. text:rep(count), function(path)
        collectgarbage()
        local before = collectgarbage "count"
        debug.sethook(function()
          collectgarbage()
          most = math.max(most, collectgarbage "count" - before)
        end, "", 30000)
        assert.is_table(measured.file(path))
        debug.sethook()
      end)
      return most
    end
    local step = "Iteration(1): 1 context requests, 512 context tokens, 3 generation requests, 3 "
      .. "generation tokens, iteration elapsed time: 12.34 ms\n"
    local other = ("INFO something else %s\n"):format(("w"):rep(2000))
    assert.is_true(most_of(step, other, 2000) < 1000) -- KiB; the file has 4,000
    assert.is_true(most_of("t,running,gen_throughput,prompt_throughput,note\n1,4,9,9,\n2,4,9,9,\n"
      .. "3,4,9,9,\n", ("3,0,0,0,%s\n"):format(("w"):rep(2000)), 2000) < 1000)
  end)

  it("in a table are those of its quoted fields too, and end where it is damaged", function()
    local begin = '"arrival_s","prompt_tokens",output_tokens,ttft_ms,e2e_ms,"text, of it"\n'
      .. '0,10,5,1,2,"a,b\n""c"""\n1,"11",6,1,2,\n'
    with_file(begin, function(path)
      local found = assert(measured.file(path))
      assert.equal("requests", found.kind)
      assert.same({ 10, 11 }, { found.requests[1].prompt, found.requests[2].prompt })
    end)
    with_file(begin .. '2,10,5,1,2,"x"y\n', function(path)
      assert.same({ nil, path .. ": line 5: text after a closing quote" }, { measured.file(path) })
    end)
    with_file("\239\187\191" .. begin, function(path) assert.is_table(measured.file(path)) end)
  end)
end)
