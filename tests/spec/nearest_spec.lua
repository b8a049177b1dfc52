-- "Did you mean": the distance, the threshold, and answers that never depend on table order.

local nearest = require "tandem.text.nearest"

describe("nearest.distance", function()
  it("counts insertions, deletions, substitutions and swaps of neighbours as one", function()
    for _, case in ipairs {
      { "", "", 0 }, { "", "abc", 3 }, { "abc", "", 3 }, { "poisson", "poisson", 0 },
      { "poison", "poisson", 1 }, { "poissonn", "poisson", 1 }, { "poiszon", "poisson", 1 },
      { "piosson", "poisson", 1 }, { "kitten", "sitting", 3 }, { "ca", "abc", 3 },
    } do
      assert.equal(case[3], nearest.distance(case[1], case[2]), case[1] .. " / " .. case[2])
    end
  end)

  it("is symmetric, and 0 only between equals", function()
    local words = { "h2d", "d2h", "hd2", "rps", "duration", "durations", "ratio" }
    for _, a in ipairs(words) do
      for _, b in ipairs(words) do
        assert.equal(nearest.distance(a, b), nearest.distance(b, a))
        assert.equal(a == b, nearest.distance(a, b) == 0)
      end
    end
  end)
end)

describe("nearest.word", function()
  local keys = { "concurrency", "discipline", "queue", "count", "link" }

  it("finds a typing mistake, whatever the case", function()
    assert.equal("concurrency", nearest.word("concurency", keys))
    assert.equal("concurrency", nearest.word("Concurrency", keys))
    assert.equal("queue", nearest.word("queu", keys))
    assert.equal("queue", nearest.word("quene", keys))
  end)

  it("completes the beginning of a word", function()
    assert.equal("discipline", nearest.word("disc", keys))
  end)

  it("proposes nothing far away", function()
    assert.is_nil(nearest.word("temperature", keys))
    assert.is_nil(nearest.word("xyz", keys))
    assert.is_nil(nearest.word("rps", {}))
  end)

  it("takes the first in the alphabet of two that are as near, in any order", function()
    assert.equal("cat", nearest.word("bat", { "rat", "cat" }))
    assert.equal("cat", nearest.word("bat", { "cat", "rat" }))
  end)

  it("is not troubled by what is no word", function()
    assert.is_nil(nearest.word(7, keys))
    assert.is_nil(nearest.word(nil, keys))
    assert.is_nil(nearest.word(("x"):rep(201), keys))
    assert.equal("queue", nearest.word("queue", { 1, true, "queue" }))
  end)
end)

describe("nearest.sorted_keys", function()
  it("puts integers in order before names in order", function()
    assert.same({ 1, 2, 10, "a", "b" },
      nearest.sorted_keys { b = 1, [10] = 1, a = 1, [2] = 1, [1] = 1 })
    assert.same({}, nearest.sorted_keys {})
  end)
end)

describe("nearest.hint", function()
  it("names the near word, else what there is", function()
    assert.equal("did you mean 'fifo'?", nearest.hint("fifi", { "lifo", "fifo", "random" }))
    assert.equal("one of fifo, lifo, random", nearest.hint("weekly", { "lifo", "fifo", "random" }))
    assert.equal("", nearest.hint("weekly", {}))
  end)

  it("cuts a long list after twelve, sorted, and leaves the caller's list alone", function()
    local many = {}
    for i = 1, 14 do many[i] = ("w%02d"):format(15 - i) end
    local hint = nearest.hint("something else", many)
    assert.equal("one of w01, w02, w03, w04, w05, w06, w07, w08, w09, w10, w11, w12, …", hint)
    assert.equal("w14", many[1])
  end)

  it("lists those of many that have the word in them, cut where they are long", function()
    local many = {}
    for i = 1, 20 do many[i] = ("kernel_of_number_%02d"):format(i) end
    many[21], many[22] = "void flash::forward<" .. ("x"):rep(200) .. ">", "a kernel, flash"
    local hint = nearest.hint("flash", many)
    assert.equal("these have it in them: a kernel, flash, void flash::forward<"
      .. ("x"):rep(51) .. "…", hint)
    assert.matches("^one of a kernel, flash, kernel_of_number_01, .*_11, …$",
      nearest.hint("zzz", many))
    assert.equal("one of a kernel, flash, b", nearest.hint("flash", { "b", "a kernel, flash" }))
  end)
end)
