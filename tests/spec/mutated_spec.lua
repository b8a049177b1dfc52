-- Readers written in Lua on their corpora for fuzzing and on changed files: refused in one line, or
-- read as tests/fuzz/readers.lua demands. For longer: tests/fuzz/mutate.lua --seconds N
local mutate = dofile "tests/fuzz/mutate.lua"

describe("files that are damaged", function()
  for _, word in ipairs(mutate.WORDS) do
    it("are told in one line, or read: " .. word, function()
      local out = mutate.try(word, { seed = 20, runs = 200 })
      assert.same({}, out.bad)
      assert.equal(200, out.runs)
    end)
  end

  it("are the same for the same seed, and a reader that raises or goes on is caught", function()
    local seen = {}
    local function with(take)
      return mutate.try("prices", { seed = 3, runs = 40, take = take })
    end
    for i = 1, 2 do
      seen[i] = {}
      with(function(text) table.insert(seen[i], text) end)
    end
    assert.same(seen[1], seen[2])
    local different = {}
    for _, text in ipairs(seen[1]) do different[text] = true end
    assert.is_true(#require("tandem.text.nearest").sorted_keys(different) > 30)
    local out = with(function() error("of ours", 0) end)
    assert.same({ 20, 20 }, { out.runs, #out.bad })
    assert.matches("^of ours", out.bad[1].why)
  end)
end)
