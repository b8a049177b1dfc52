-- Notebooks as files and as runs without Jupyter. The command is told in tests/cli/notebook.txt;
-- that the bytes are those of Jupyter's own writer is asked in tests/notebooks.
local file = require "tandem.notebook.file"
local json = require "tandem.io.json"
local run = require "tandem.notebook.run"
local styles = require "tandem.plot.style"

local function book_of(...)
  local cells = json.list()
  for index, source in ipairs { ... } do
    cells[index] = { cell_type = "code", source = source, metadata = {}, outputs = json.list() }
  end
  return assert(file.parse(json.encode { nbformat = 4, nbformat_minor = 5, metadata = {},
    cells = cells }))
end

local function run_cells(...)
  local book = book_of(...)
  local failure, message = run.book(book, ".", setmetatable({}, { __index = _G }))
  assert.is_nil(message)
  return book, failure
end

describe("notebook files", function()
  it("come back as the same bytes, with what tandem knows nothing of", function()
    local text = [[
{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "a",
   "metadata": {
    "tags": []
   },
   "source": [
    "# A\n",
    "µ \"quoted\" \\ \u0001"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": null,
   "id": "b",
   "metadata": {
    "deep": {
     "n": null,
     "x": 1.5,
     "y": 2.0
    }
   },
   "outputs": [
    {
     "data": {
      "application/json": {
       "empty": [],
       "object": {}
      },
      "text/plain": [
       "one\n",
       "two"
      ]
     },
     "execution_count": 3,
     "metadata": {},
     "output_type": "execute_result"
    }
   ],
   "source": []
  }
 ],
 "metadata": {},
 "nbformat": 4,
 "nbformat_minor": 5
}
]]
    assert.equal(text, file.text(assert(file.parse(text))))
  end)

  it("get ids that stay where cells lack one", function()
    local old = '{"nbformat":4,"nbformat_minor":2,"metadata":{},"cells":[{"cell_type":"code",'
      .. '"source":"1","metadata":{},"outputs":[]}]}'
    local first, second = assert(file.parse(old)), assert(file.parse(old))
    assert.truthy(first.cells[1].id:find "^%x%x%x%x%x%x%x%x$")
    assert.equal(first.cells[1].id, second.cells[1].id)
    assert.equal(5, first.nbformat_minor)
  end)

  it("say what is wrong with them", function()
    local cells = '{"nbformat":4,"metadata":{},"cells":[%s]}'
    for text, wanted in pairs {
      ['{"a":'] = "line 1: the text ends too early",
      ["5"] = "this is not a notebook",
      ['{"cells":[]}'] = "this is not a notebook",
      ['{"nbformat":3,"cells":[]}'] = "nbformat 3 is not read",
      [cells:format "5"] = "cell 1 is not a code, markdown or raw cell",
      [cells:format '{"cell_type":"code"}'] = "cell 1 has no source",
      [cells:format '{"cell_type":"code","source":[1]}'] = "cell 1 has no source",
      [cells:format '{"cell_type":"code","source":"","outputs":[{}]}'] = "cell 1 output 1 is none",
    } do
      local book, problem = file.parse(text)
      assert.is_nil(book)
      assert.equal(wanted, problem:sub(1, #wanted))
    end
  end)
end)

describe("running a notebook", function()
  it("numbers cells, joins what they print and keeps values", function()
    local book, failure = run_cells("print 'a' io.write 'b'\nio.stderr:write 'c' x = 20", "  ",
      "x + 1")
    assert.is_nil(failure)
    local first = book.cells[1].outputs
    assert.same({ "a\nb", "c" }, { first[1].text, first[2].text })
    assert.equal("stderr", first[2].name)
    assert.equal(json.null, book.cells[2].execution_count)
    assert.same({ 2, "21" }, { book.cells[3].outputs[1].execution_count,
      book.cells[3].outputs[1].data["text/plain"] })
    assert.equal("lua", book.metadata.language_info.name)
    assert.equal("tandem", book.metadata.kernelspec.name)
  end)

  it("updates displays where they stand, also from a later cell, and clears", function()
    local book = run_cells("display.html('1', { id = 'd' }) print 'after'",
      "display.html('2', { id = 'd', update = true })",
      "print 'gone' display.clear() print 'kept'", "print 'gone' display.clear(true) print 'new'",
      "bar = display.progress 'runs' bar(0.5) bar(1)")
    assert.equal("2", book.cells[1].outputs[1].data["text/html"])
    assert.equal("after\n", book.cells[1].outputs[2].text)
    assert.equal(0, #book.cells[2].outputs)
    assert.equal("kept\n", book.cells[3].outputs[1].text)
    assert.equal("new\n", book.cells[4].outputs[1].text)
    assert.equal(1, #book.cells[5].outputs)
    assert.truthy(book.cells[5].outputs[1].data["text/plain"]:find("100 %", 1, true))
  end)

  it("ends at the first cell that fails, and leaves the rest without outputs", function()
    local book, failure = run_cells("1", "y = 1\nerror 'no'", "3")
    assert.equal(2, failure.cell)
    assert.same({ "error: no", "  at line 2: error 'no'" }, failure.problem.trace)
    assert.equal("error", book.cells[2].outputs[1].output_type)
    assert.equal(0, #book.cells[3].outputs)
  end)

  it("gives print, io and the style of the terminal back", function()
    local before_print, before_io = print, io
    local book = book_of "x = 1"
    run.book(book, ".")
    assert.equal(before_print, print)
    assert.equal(before_io, io)
    assert.is_false(rawequal(styles.detect(1), styles.detect(1))) -- pinned, it is one and the same
    assert.equal(1, x) -- luacheck: ignore 113
    x = nil -- luacheck: ignore 111
  end)

  it("shows text that is no UTF-8 as what can be written", function()
    local book = run_cells "io.write 'a\\xFFb' io.write 'µ'"
    assert.equal("a\u{FFFD}bµ", book.cells[1].outputs[1].text)
  end)

  it("says nobody can be asked", function()
    local _, failure = run_cells "io.read()"
    assert.truthy(failure.problem.message:find("nobody can be asked", 1, true))
  end)

  it("lets a cell write to a file and come back", function()
    local path = os.tmpname()
    local book = run_cells(("io.output %q io.write 'in the file' io.close() io.output(io.stdout) "
      .. "io.write 'in the cell'"):format(path))
    assert.equal("in the cell", book.cells[1].outputs[1].text)
    assert.equal("in the file", io.open(path):read "a")
    os.remove(path)
  end)
end)

describe("comparing outputs", function()
  local function stream(text) return { output_type = "stream", name = "stdout", text = text } end
  local function shown(data)
    return { output_type = "display_data", data = data, metadata = {} }
  end

  it("finds nothing where nothing differs", function()
    assert.is_nil(run.difference({ stream "a\n", shown { ["text/plain"] = "x" } },
      { stream "a\n", shown { ["text/plain"] = "x" } }))
  end)

  it("names the first line that differs, near where it does", function()
    assert.equal('stdout, line 2: "c", and "b" was committed',
      run.difference({ stream "a\nb\n" }, { stream "a\nc\n" }))
    assert.equal('stdout, line 2: nothing, and "b" was committed',
      run.difference({ stream "a\nb" }, { stream "a" }))
    local long = ("x"):rep(100)
    assert.truthy(run.difference({ stream(long .. "1") }, { stream(long .. "2") })
      :find('x2", and "…', 1, true))
    assert.equal('image/svg+xml, line 1: "<svg/>", and "<svg>" was committed',
      run.difference({ shown { ["image/svg+xml"] = "<svg>" } },
        { shown { ["image/svg+xml"] = "<svg/>" } }))
  end)

  it("names outputs that came, went or changed their kind", function()
    assert.equal("1 output, and 0 committed", run.difference({}, { stream "a" }))
    assert.equal("display_data, and stream was committed",
      run.difference({ stream "a" }, { shown {} }))
    assert.equal("text/html is new", run.difference({ shown {} }, { shown { ["text/html"] = "" } }))
  end)
end)

describe("shipped notebooks", function()
  it("run from any directory", function()
    local program = require("tandem.core").executable()
    local pipe = assert(io.popen("mktemp -d"))
    local at = pipe:read "l"
    pipe:close()
    for _, name in ipairs { "01-first-simulation", "04-real-capture" } do
      local copy = ("%s/%s.ipynb"):format(at, name)
      assert(os.execute(("cp notebooks/%s.ipynb %s"):format(name, copy)))
      assert.is_true(os.execute(("cd %s && '%s' notebook run %s --check >/dev/null"):format(at,
        program, copy)), name)
    end
    os.execute("rm -rf " .. at)
    for _, one in ipairs(require("tandem.notebook.shipped").list()) do
      local opened <close> = assert(io.open(one.path, "rb"))
      assert.is_nil(opened:read "a":find("../scenarios", 1, true), one.name)
    end
  end)
end)
