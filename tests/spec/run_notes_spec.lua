-- Notes on moments of a run, kept in its store.
local fixture = require "tests.spec.support.store_fixture"
local notes = require "tandem.store.notes"
local td = require "tandem"

describe("notes on a run", function()
  local files, opened, run
  setup(function()
    files = fixture.new()
    files:tandem("run", "demo", "--duration", "1s", "--replications", "1")
    opened = assert(td.store(files:path "a.db"))
    run = assert(opened:run "last")
  end)
  teardown(function()
    opened:close()
    files:remove()
  end)

  it("are none before any was kept, without a table", function()
    assert.same({}, notes.of(run))
    assert.is_nil(opened.db:one "SELECT 1 AS yes FROM sqlite_schema WHERE name = 'run_note'")
  end)

  it("come back as they were kept, and go when none is kept", function()
    local list = { { from = 5, to = 9, text = "\"<b>\" \u{202e} 'x'" },
      { from = 0, to = 0, text = "" } }
    assert.is_true(notes.keep(run, assert(notes.check(list))))
    assert.same(list, notes.of(run))
    assert.is_true(notes.keep(run, {}))
    assert.same({}, notes.of(run))
  end)

  it("refuse what is none", function()
    for text, list in pairs { ["is a list"] = { from = 1 }, ["note 1 wants from and to"] = { {} },
      ["in this order"] = { { from = 2, to = 1, text = "" } },
      ["wants a text"] = { { from = 1, to = 1 } } } do
      local made, wrong = notes.check(list)
      assert.is_nil(made)
      assert.truthy(wrong:find(text, 1, true), wrong)
    end
    local many = {}
    for i = 1, 1001 do many[i] = { from = i, to = i, text = "" } end
    assert.truthy(select(2, notes.check(many)):find "at most 1000")
  end)

  it("are removed when the run is scrubbed", function()
    assert.is_true(notes.keep(run, { { from = 1, to = 2, text = "Ada's" } }))
    assert(opened:scrub("last", { environment = true }))
    assert.same({}, notes.of(run))
  end)

  it("go with their run", function()
    assert.is_true(notes.keep(run, { { from = 1, to = 2, text = "x" } }))
    assert(opened.db:run("DELETE FROM run WHERE number = ?", run.number))
    assert.same(0, opened.db:one("SELECT count(*) AS n FROM run_note").n)
  end)
end)
