-- A view that forgets its tables between analyses answers as one that keeps them.
local fixture = require "tests.spec.support.analysis_fixture"
local analysis = require "tandem.analysis"

local FILES <const> = { "nsys/h100_cut.sqlite.gz",
  "kineto/h100__gaunernst_bert-small-uncased__1016001.json.gz", "torch/memory_timeline.json.gz" }

-- What a new view says of each analysis, as core gives it.
local function answers(run, filter, between)
  local core <close> = assert(require("tandem.core").view(run.store.path, run.number, filter))
  local all = {}
  for _, name in ipairs(analysis.names()) do
    if not analysis.named(name).answer then
      all[name] = { core:answer(name, {}) }
      between(core)
    end
  end
  return all
end

describe("a view", function()
  local data

  setup(function() data = fixture.new(table.unpack(FILES)) end)
  teardown(function() data:remove() end)

  for _, file in ipairs(FILES) do
    it("that is trimmed answers alike: " .. file, function()
      local run = data:run(file)
      local half = (run.first_ns + run.last_ns) // 2
      for _, filter in ipairs { {}, { from_ns = half }, { device = 0 } } do
        local kept = answers(run, filter, function() end)
        assert.same(kept, answers(run, filter, function(core) core:trim(0) end))
        assert.same(kept, answers(run, filter, function(core) core:trim(1 << 40) end))
      end
    end)
  end

  it("sums categories as SQL does", function()
    for _, file in ipairs(FILES) do
      local run = data:run(file)
      local by_rows = run.store:query({ "SELECT category, count(*) AS spans, CAST(total(dur_ns) AS"
        .. " INTEGER) AS total_ns FROM span WHERE run = ? GROUP BY category"
        .. " ORDER BY total_ns DESC, category", run.number }):all()
      assert.equal(run.span_count > 0, #by_rows > 0)
      assert.same(by_rows, run:span_categories():all())
    end
  end)

  it("is not told sums of chunks whose layout is gone", function()
    local run = data:run(FILES[1])
    local path = data.stores:path "damaged.db"
    local from <close> = assert(io.open(run.store.path, "rb"))
    local bytes = from:read "a"
    local to <close> = assert(io.open(path, "wb"))
    assert(to:write(bytes))
    to:close()
    do
      local db <close> = assert(require("tandem.core").database(path))
      assert(db:run [[DELETE FROM layout WHERE id = (SELECT min(layout) FROM chunk)]])
    end
    local store <close> = assert(require("tandem").store(path))
    local damaged = assert(store:run(run.id))
    assert.has_error(function() damaged:span_categories():all() end)
  end)
end)
