--- What lies inside what on a thread: own times of operators and of frames, and categories of GPU
--- work, counted over the rows of captures' own files (support/source_rows.lua).
local counted = require "tests.spec.support.counted"
local fixture = require "tests.spec.support.analysis_fixture"
local source_rows = require "tests.spec.support.source_rows"

local KINETO <const> = "kineto/timeline_analysis__sampled_rank-0.json.gz"
local BERT <const> = "kineto/h100__gaunernst_bert-small-uncased__1016001.json.gz"

local near, of_category = counted.near, counted.of_category

-- By name: count, own time, and time of those that are in none of their name, of rows that nest on
-- their tracks. What outlasts the row that it began in is cut to it; no operator does.
local function nested(rows)
  local by = {}
  for _, list in pairs(counted.by(rows, "track")) do
    table.sort(list, function(a, b)
      if a.from ~= b.from then return a.from < b.from end
      if a.to ~= b.to then return a.to > b.to end
      return a.at < b.at -- the profiler writes the outer one first
    end)
    local stack = {}
    for _, row in ipairs(list) do
      while #stack > 0 and stack[#stack].to <= row.from do table.remove(stack) end
      local outer, to = stack[#stack], row.to
      if outer then to = math.min(to, outer.to) end
      local sum = by[row.name] or { count = 0, own = 0, total = 0, outermost = 0 }
      by[row.name] = sum
      sum.count, sum.own = sum.count + 1, sum.own + to - row.from
      local within = false
      for _, one in ipairs(stack) do within = within or one.name == row.name end
      if not within then
        sum.total, sum.outermost = sum.total + to - row.from, sum.outermost + 1
      end
      if outer then by[outer.name].own = by[outer.name].own - (to - row.from) end
      stack[#stack + 1] = { name = row.name, to = to }
    end
  end
  return by
end

describe("a count of what nests", function()
  local data, sources
  setup(function()
    data = fixture.new(KINETO, BERT)
    sources = { [KINETO] = source_rows.kineto(KINETO), [BERT] = source_rows.kineto(BERT) }
  end)
  teardown(function() data:remove() end)

  it("has the operators' own time on the host", function()
    for file, rows in pairs(sources) do
      local by, all = nested(of_category(rows, "cpu_op")), 0
      local answer = data:run(file):ops():rows()
      for _, row in ipairs(answer) do
        local sum = by[row.name]
        assert.same({ sum.count, sum.outermost, sum.own, sum.total },
          { row.count, row.outermost, row.self_ns, row.total_ns }, row.name)
        near(sum.total / sum.outermost, row.mean_ns, row.name)
        by[row.name], all = nil, all + row.gpu_self_ns
      end
      assert.is_nil(next(by))
      for _, row in ipairs(answer) do near(row.gpu_self_ns / all, row.share, row.name) end
    end
  end)

  it("has the frames' own time on the host", function()
    for file, rows in pairs(sources) do
      local by = nested(of_category(rows, "cpu_op user_annotation python_function runtime driver"))
      local run, whole, seen = data:run(file), 0, 0
      for _, sum in pairs(by) do whole = whole + sum.own end
      for _, row in ipairs(run:flame():rows()) do
        local sum = assert(by[row.name], row.name)
        assert.same({ sum.count, sum.own, sum.total },
          { row.count, row.self_ns, row.total_ns }, row.name)
        near(sum.own / whole, row.share, row.name)
        seen = seen + 1
      end
      assert.is_true(seen > 30)
      local own, root = 0, run:flame():frame("stacks").rows[1]
      for _, row in ipairs(run:flame():frame("stacks").rows) do own = own + row.self_ns end
      assert.same({ whole, whole, 0 }, { root.total_ns, own, root.depth })
    end
  end)
end)
