--- Faults planted into programs whose gains are known: a sample of `make accuracy CASE=planted`.
local judge = require "tests.accuracy.planted.judge"
local planted = require "tests.accuracy.planted.init"
local store_fixture = require "tests.spec.support.store_fixture"

local SEED <const>, CASES <const> = 1, 60

describe("advice on programs with planted faults", function()
  local stores
  setup(function() stores = store_fixture.new() end)
  teardown(function()
    stores.opened:close()
    stores:remove()
  end)

  it("finds them first, claims what mending gains, and finds nothing in clean ones", function()
    local right, faulty, near, above, clean, silent = 0, 0, 0, 0, 0, 0
    for number = 1, CASES do
      local case = judge.case(number, SEED)
      local verdict = planted.judged(stores, case)
      if #case.kinds == 0 then
        clean, silent = clean + 1, silent + (verdict.right and 1 or 0)
      else
        faulty, right = faulty + 1, right + (verdict.right and 1 or 0)
        near = near + (verdict.near and 1 or 0)
        above = above + (verdict.above and 1 or 0)
      end
    end
    assert.is_true(faulty >= 50 and clean >= 5)
    assert.is_true(right >= 0.95 * faulty, right)
    assert.is_true(near >= 0.9 * right, near)
    assert.is_true(above <= 0.03 * right, above)
    assert.equal(clean, silent)
  end)

  it("finds sizes that kernels do not take whole in names of ranges, or says that none tell them",
    function()
      local number = 0
      local case
      repeat
        number = number + 1
        local kinds = judge.kinds(number, require("tests.accuracy.planted.machine").draws(SEED))
        case = #kinds == 1 and kinds[1].name == "odd sizes" and judge.case(number, SEED)
      until case
      case.format = "nsys"
      local verdict = planted.judged(stores, case)
      assert.is_true(verdict.right and verdict.near)
      case.shapes = false
      local _, answer = planted.judged(stores, case)
      for _, row in ipairs(answer:rows()) do assert.not_equal("unaligned-products", row.rule) end
      local missing = {}
      for _, row in ipairs(answer:frame("unjudged").rows) do missing[row.rule] = row.missing end
      assert.matches("emit_nvtx(record_shapes=True)", missing["unaligned-products"], 1, true)
    end)

  it("plants every kind, alone and in twos", function()
    local seen, two = {}, 0
    for number = 1, CASES do
      local kinds = judge.kinds(number, require("tests.accuracy.planted.machine").draws(number))
      for _, kind in ipairs(kinds) do seen[kind.name] = true end
      two = two + (#kinds == 2 and 1 or 0)
    end
    for _, kind in ipairs(require("tests.accuracy.planted.faults").kinds) do
      assert.is_true(seen[kind.name], kind.name)
    end
    assert.is_true(two > 5)
  end)
end)
