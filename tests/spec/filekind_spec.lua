-- What a file is that was given to the wrong command.
local filekind = require "tandem.io.filekind"

describe("a file's kind", function()
  local folder

  before_each(function()
    folder = os.tmpname()
    os.remove(folder)
    assert(os.execute("mkdir " .. folder))
  end)

  after_each(function() os.execute("rm -r " .. folder) end)

  local function written(name, text)
    local path = folder .. "/" .. name
    local file = assert(io.open(path, "wb"))
    file:write(text)
    file:close()
    return path
  end

  local function noun_of(path)
    local kind = filekind.of(path)
    return kind and kind.noun
  end

  it("is known by content: traces, packed or not", function()
    assert.equal("a trace (PyTorch profiler (Kineto) or Chrome trace JSON)", noun_of(written("x",
      '{"traceEvents":[{"ph":"X","name":"k","ts":1,"dur":2,"pid":1,"tid":1}]}')))
    assert.equal("a trace (Linux perf's samples (perf script))",
      noun_of(written("p", "main 7 1.5: cycles:\n\t1 f (g)\n")))
    assert.equal("a trace (folded stacks)", noun_of(written("y", "main;work 3\nmain;rest 4\n")))
    local packed = written("z", '{"traceEvents":[]}')
    assert(os.execute("gzip " .. packed))
    assert.matches("^a trace %(PyTorch", noun_of(packed .. ".gz"))
  end)

  it("tells a store from other SQLite files", function()
    local td = require "tandem"
    local path = folder .. "/a.db"
    td.store(path):close()
    local kind = filekind.of(path)
    assert.equal("a tandem store", kind.noun)
    assert.equal(("`tandem runs --store %s` lists its runs"):format(path), kind.use)
  end)

  it("is a scenario where JSON has a pipeline or a workload, not where it has others", function()
    assert.equal(filekind.SCENARIO, noun_of(written("s.json",
      '{"name":"a","workload":{"rps":3},"pipeline":[]}')))
    assert.is_nil(noun_of(written("t.json", '{"name":"a","work":3}')))
    assert.is_nil(noun_of(written("u.txt", "A line about a workload and its pipeline\n")))
    assert.is_nil(noun_of(written("v", "\0\1\2\3")))
    assert.is_nil(noun_of(written("empty", "")))
    assert.is_nil(noun_of(folder .. "/nowhere"))
    assert.is_nil(noun_of(folder))
  end)

  it("is what it is for: requests, a model, a measurement, a script, a notebook", function()
    local azure = written("a.csv", "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16,3,4\n")
    assert.same({ noun = "a table of recorded requests", use = ("a scenario takes it as td.replay "
      .. "{ file = %q } (tandem help recordings)"):format(azure) }, filekind.of(azure))
    assert.equal("recorded sessions of agents",
      filekind.of("tests/data/agents/trace_0504.json.gz").noun)
    assert.equal("recorded sessions of agents",
      filekind.of("tests/data/agents/tracelab.jsonl.gz").noun)
    assert.equal("a table of recorded requests", noun_of(written("m.jsonl",
      '{"timestamp": 27, "input_length": 6, "output_length": 5, "hash_ids": [1]}\n')))
    assert.equal("a model's configuration", noun_of(written("config.json",
      '{"model_type": "llama", "hidden_size": 4096}')))
    assert.equal("a measurement of an LLM server",
      noun_of "tests/data/serving/clients/aiperf.jsonl")
    assert.equal("a Lua script", noun_of(written("a.lua", "return 1")))
    assert.equal("a notebook", noun_of(written("a.ipynb", '{"cells": []}')))
  end)

  it("is told in words that a shell can take", function()
    local path = written("it's mine.ipynb", '{"cells": []}')
    assert.equal(("not a trace but a notebook; `tandem notebook run '%s/it'\\''s mine.ipynb'` runs "
      .. "it"):format(folder), filekind.instead(path, filekind.TRACE))
    assert.is_nil(filekind.instead(written("s.json", '{"pipeline": []}'), filekind.SCENARIO))
  end)
end)
