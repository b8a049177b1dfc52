--- Names of ranges and operators that differ in what only counts are one in every table that tells
--- them, by one function, and as they are when asked for whole.
local made_trace = require "tests.spec.support.made_trace"
local store_fixture = require "tests.spec.support.store_fixture"

local STEPS <const> = 4
local FOLDED <const> = { layer = "blocks.*.mlp", operator = "aten::mm, sizes = [[16, 5185]]" }

describe("names that only count", function()
  local stores, run

  -- Each step has a layer of its own number, in it an operator as emit_nvtx writes it, a kernel
  -- late in it, and 2 ms without work before.
  setup(function()
    stores = store_fixture.new()
    local made = made_trace.new()
    local thread, stream = made:thread(), made:stream()
    for i = 1, STEPS do
      local at = 4000 * i
      made:span("nvtx", thread, ("blocks.%d.mlp"):format(i), at, at + 3900)
      made:span("nvtx", thread, ("aten::mm, seq = %d, op_id = %d, sizes = [[16, 5185]]"):format(
        100 + i, 7 * i), at + 100, at + 3000)
      made:launch(thread, stream, i, { at + 2200, at + 2210 }, { at + 2220, at + 3220 }, "gemm")
    end
    run = made:run(stores)
  end)
  teardown(function() stores:remove() end)

  local function names_of(rows, key)
    local found = {}
    for _, row in ipairs(rows) do
      if row[key] then found[row[key]] = (found[row[key]] or 0) + 1 end
    end
    return found
  end

  local ONCE <const> = { [FOLDED.layer] = 1, [FOLDED.operator] = 1 }

  for name, key in pairs { ranges = "name", projected = "name", range_kernels = "range" } do
    it("are one row in " .. name .. ", which says how many they are", function()
      local rows = run[name](run):rows()
      assert.same(ONCE, names_of(rows, key))
      for _, row in ipairs(rows) do assert.equal(STEPS, row.names) end
      assert.equal(2 * STEPS, #run[name](run, { names = "whole" }):rows())
    end)
  end

  it("are folded in gaps", function()
    local gaps = run:gaps():rows()
    assert.equal(STEPS - 1, #gaps)
    assert.same({ [FOLDED.operator] = STEPS - 1 }, names_of(gaps, "range"))
    for name, count in pairs(names_of(run:gaps({ names = "whole" }):rows(), "range")) do
      assert.matches("^aten::mm, seq = 10%d, op_id = %d+, sizes", name)
      assert.equal(1, count)
    end
  end)

  it("are one row of the critical path, whose time is that of all", function()
    local total, names = {}, {}
    for _, row in ipairs(run:critical_path():rows()) do
      total[row.name], names[row.name] = row.total_ns, row.names
    end
    local whole = {}
    for _, row in ipairs(run:critical_path({ names = "whole" }):rows()) do
      local folded = row.name:match "^blocks" and FOLDED.layer
        or row.name:match "^aten" and FOLDED.operator or row.name
      whole[folded] = (whole[folded] or 0) + row.total_ns
    end
    assert.same(whole, total)
    assert.equal(STEPS, names[FOLDED.operator])
    assert.equal(STEPS, names[FOLDED.layer])
    assert.is_nil(names.gemm)
    for _, step in ipairs(run:critical_path():frame("path").rows) do
      assert.is_nil(step.name:find("seq = ", 1, true))
    end
  end)
end)
