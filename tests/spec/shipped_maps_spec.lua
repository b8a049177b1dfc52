-- Maps that come with tandem: each is found by its name, is told in the help, and finds the
-- requests of a real capture.
local maps = require "tandem.map"
local store_fixture = require "tests.spec.support.store_fixture"
local td = require "tandem"

-- Name, capture, requests, tokens of the first, stages that must be there.
local CASES <const> = {
  { "torch-steps", "kineto/nccl_parser_config__nccl_data.json.gz", 3, nil,
    { "compute", "collectives", "optimizer" } },
  { "execute-steps", "kineto/inference__vllm_prefilldecode_piecewise__graph_execution.json.gz", 1,
    8192, { "attention", "gemm" } },
  { "execute-steps", "kineto/inference__sglang_decode__sglang_Qwen3-8B_decode.json.gz", 1, 32,
    { "attention", "gemm" } },
  { "api-phases", "cuda_api/vllm-37343.ingero.jsonl.gz", 1, nil, { "input", "execute" } },
}

describe("a shipped map", function()
  local files
  setup(function() files = store_fixture.new() end)
  teardown(function() files:remove() end)

  it("is told in the help and loads by its name", function()
    local names = maps.shipped()
    assert.same({ "api-phases", "execute-steps", "torch-steps" }, names)
    local console = require("tandem.cli.console").of_strings { unicode = true }
    assert.equal(0, require("tandem.cli").main({ "help", "map" }, console))
    for _, name in ipairs(names) do
      assert.is_truthy(maps.is(assert(td.map.load(name))), name)
      assert.is_truthy(console.out:find(name, 1, true), name)
    end
    local none, why = td.map.load "torch-step"
    assert.is_nil(none)
    assert.matches("did you mean the shipped map 'torch%-steps'", why)
  end)

  for _, case in ipairs(CASES) do
    it(("finds the requests of a capture: %s in %s"):format(case[1], case[2]), function()
      local _, err, code = files:tandem("import", "tests/data/" .. case[2])
      assert.equal(0, code, err)
      local store <close> = assert(td.store(files:path "a.db"))
      local visits = assert(store:run "last":visits(assert(td.map.load(case[1]))))
      assert.equal(case[3], visits.count)
      if case[4] then assert.equal(case[4], visits:requests().sizes.tokens[1]) end
      for _, name in ipairs(case[5]) do
        assert.is_true(visits:stage(name).count > 0, name)
      end
    end)
  end
end)
