--- Kernels by name, against Nsight Systems' own summary of the same capture.
local fixture = require "tests.spec.support.analysis_fixture"

local CAPTURE <const> = "nsys/h100_2gpu_1s.sqlite.gz"

describe("the summary of kernels", function()
  local data, run

  setup(function()
    data = fixture.new(CAPTURE)
    run = data:run(CAPTURE)
  end)
  teardown(function() data:remove() end)

  local function same_figures(row, wanted)
    assert.equal(wanted["Total Time (ns)"], ("%d"):format(row.total_ns))
    assert.equal(wanted["Instances"], ("%d"):format(row.count))
    assert.equal(wanted["Avg (ns)"], ("%.1f"):format(row.mean_ns))
    assert.equal(wanted["Med (ns)"], ("%.1f"):format(row.median_ns))
    assert.equal(wanted["Min (ns)"], ("%d"):format(row.min_ns))
    assert.equal(wanted["Max (ns)"], ("%d"):format(row.max_ns))
    assert.equal(wanted["StdDev (ns)"], ("%.1f"):format(row.stddev_ns))
    assert.equal(wanted["Time (%)"], ("%.1f"):format(100 * row.share))
  end

  it("has the figures of nsys stats -r cuda_gpu_kern_sum", function()
    local by_name, rows = {}, run:kernels():rows()
    for _, row in ipairs(rows) do by_name[row.name] = row end
    local wanted = fixture.expected "nsys/s_cuda_gpu_kern_sum.csv"
    assert.equal(#wanted, #rows)
    for _, one in ipairs(wanted) do same_figures(assert(by_name[one.Name], one.Name), one) end
  end)

  it("has the figures of cuda_gpu_kern_gb_sum by grid and block", function()
    local function key(x, y, z, bx, by, bz, name)
      return ("%d %d %d %d %d %d %s"):format(x, y, z, bx, by, bz, name)
    end
    local by_key, rows = {}, run:kernels({ by = "grid" }):rows()
    for _, row in ipairs(rows) do
      by_key[key(row.grid_x, row.grid_y, row.grid_z, row.block_x, row.block_y, row.block_z,
        row.name)] = row
    end
    local wanted = fixture.expected "nsys/s_cuda_gpu_kern_gb_sum.csv"
    assert.equal(#wanted, #rows)
    for _, one in ipairs(wanted) do
      local x, y, z = one.GridXYZ:match "(%d+)%s+(%d+)%s+(%d+)"
      local bx, by, bz = one.BlockXYZ:match "(%d+)%s+(%d+)%s+(%d+)"
      same_figures(assert(by_key[key(x, y, z, bx, by, bz, one.Name)], one.Name), one)
    end
  end)

  it("has the names of the compiler, and keeps those that have none", function()
    local plain, mangled = run:kernels():rows(), run:kernels({ by = "mangled" }):rows()
    local total = { 0, 0 }
    for k, rows in ipairs { plain, mangled } do
      for _, row in ipairs(rows) do total[k] = total[k] + row.total_ns end
    end
    assert.equal(total[1], total[2])
    local found = 0
    for _, row in ipairs(mangled) do found = found + (row.name:find "^_Z" and 1 or 0) end
    assert.is_true(found > 20)
  end)

  it("never merges devices when it is split by them", function()
    local total = { 0, 0 }
    for _, row in ipairs(run:kernels({ by = "base", each = "device" }):rows()) do
      local index = row.device == "GPU #0" and 1 or 2
      total[index] = total[index] + row.count
    end
    assert.same({ 1721, 1721 }, total)
  end)

  it("narrows to a window, a device and a range", function()
    local all = #run:kernels():rows()
    local some = run:kernels { range = "100ms..200ms", device = 0 }
    assert.is_true(#some:rows() > 0 and #some:rows() < all)
    local _, message = run:kernels { nvtx = "no such range" }
    assert.equal("the run has no range 'no such range'", message)
  end)

  it("refuses options that it does not know, with the nearest", function()
    assert.has_error(function() run:kernels { bye = "name" } end,
      "there is no option 'bye'; did you mean 'by'?")
    assert.has_error(function() run:kernels { by = "bass" } end,
      "by cannot be 'bass'; did you mean 'base'?")
  end)

  it("abstains on a run without kernels and says what is missing", function()
    local other <close> = setmetatable({ data = fixture.new "cuda_api/vllm-37343.ingero.jsonl.gz" },
      { __close = function(self) self.data:remove() end })
    local out, err, code = other.data.stores:tandem("kernels", "last")
    assert.equal("", out)
    assert.matches("cannot answer: the run has no kernels", err, 1, true)
    assert.equal(1, code)
  end)
end)
