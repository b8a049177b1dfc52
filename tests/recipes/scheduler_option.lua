-- engine.sip_tokens: another bound of the prompt tokens of one request in a step.

local function add(copy)
  copy:after("src/model/llm/replica.h", "  int64_t max_partial_prefills;",
    " /* */\n  int64_t sip_tokens; /* most prompt tokens of one request in a step; 0: no limit */")
  copy:before("src/model/llm/options.c", "    {FIELD(max_partial_prefills, WHOLE)",
    '    {FIELD(sip_tokens, WHOLE), KEY("sip_tokens", "prompts are taken in sips of tokens"),'
      .. "\n     RANGE(0, MOST), PRESET(0)},\n")
  copy:after("src/engine/serving/policy.c", "  int64_t most = s->config.long_prefill_tokens;\n",
    "  if (s->config.sip_tokens > 0) most = s->config.sip_tokens;\n")
end

local function check(sh)
  local td = require "tandem"
  local function body(engine)
    engine.kv_blocks = 4000
    return { name = "s", workload = td.paced { rps = 2 }, requests = 20,
      attrs = { prompt_tokens = 512, output_tokens = 4 },
      pipeline = { td.generate "answer" { engine = engine,
        step = td.affine { step = "10ms", prefill_tokens = "20us" } } } }
  end
  local function ttft(engine)
    return assert(td.check(body(engine))):run { warmup = "none" }:get "llm.answer.ttft.mean"
  end
  assert(ttft { sip_tokens = 64 } == ttft { long_prefill_tokens = 64 })
  assert(ttft { sip_tokens = 64 } > ttft {} + 0.05)
  local _, problems = td.check(body { sip_tokens = -1 })
  assert(tostring(problems):find "sip_tokens: is negative", tostring(problems))
  _, problems = td.check(body { sips_tokens = 1 })
  assert(tostring(problems):find "did you mean 'sip_tokens'", tostring(problems))
  local form = require("tandem.language").types().llm_engine
  assert(form.keys.sip_tokens.default == 0)
  assert(sh "cat build/meta/tandem.lua":find "prompts are taken in sips")
end

return { about = "an option of an LLM server's scheduler", most = 3, add = add, check = check }
