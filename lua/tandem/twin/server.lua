--- A server's launch arguments, as a scenario says them.
-- Knows those of vLLM, SGLang and trtllm-serve that decide who is in a step; others are told, not
-- guessed. Called by twin.

local server = {}

-- Arguments with a number, and where it goes: of vLLM, SGLang, trtllm-serve.
local NUMBERS <const> = { ["tensor-parallel-size"] = "tp", tp = "tp", ["tp-size"] = "tp",
  ["pipeline-parallel-size"] = "pp", pp = "pp", ["pp-size"] = "pp",
  ["max-num-seqs"] = "max_seqs", ["max-running-requests"] = "max_seqs",
  ["max-batch-size"] = "max_seqs",
  ["max-num-batched-tokens"] = "max_batched_tokens", ["max-num-tokens"] = "max_batched_tokens",
  ["chunked-prefill-size"] = "max_batched_tokens",
  ["max-prefill-tokens"] = "max_prefill_tokens",
  ["block-size"] = "block_tokens", ["page-size"] = "block_tokens",
  ["gpu-memory-utilization"] = "memory", ["mem-fraction-static"] = "memory",
  ["kv-cache-free-gpu-memory-fraction"] = "memory",
  ["num-gpu-blocks-override"] = "kv_blocks",
  ["long-prefill-token-threshold"] = "long_prefill_tokens" }
local FLAGS <const> = { ["enable-prefix-caching"] = { "prefix_caching", true },
  ["no-enable-prefix-caching"] = { "prefix_caching", false },
  ["disable-radix-cache"] = { "prefix_caching", false },
  ["enable-chunked-prefill"] = { "chunked_prefill", true },
  ["no-enable-chunked-prefill"] = { "chunked_prefill", false },
  ["async-scheduling"] = { "plans_ahead", true },
  ["no-async-scheduling"] = { "plans_ahead", false },
  ["disable-overlap-schedule"] = { "plans_ahead", false } }
-- What runs which server, as a word of the command line.
local SERVERS <const> = { ["vllm"] = "vllm", ["trtllm-serve"] = "tensorrt_llm",
  ["sglang.launch_server"] = "sglang", ["vllm.entrypoints.openai.api_server"] = "vllm",
  ["dynamo.vllm"] = "vllm", ["dynamo.sglang"] = "sglang", ["dynamo.trtllm"] = "tensorrt_llm",
  ["sglang"] = "sglang" }
local OF_SCENARIO <const> = { tp = true, pp = true }

---@class tandem.twin.Server
---@field server string|nil  vllm, sglang, tensorrt_llm
---@field model string|nil
---@field tp integer
---@field pp integer
---@field engine table<string, any>
---@field unknown string[]  arguments that say nothing here

local function model_name(text)
  return text and text:match "([^/]+)/*$" or nil
end

--- Reads "vllm serve meta-llama/Llama-3.1-8B --max-num-seqs 128".
---@param text string|nil
---@return tandem.twin.Server|nil
---@return string|nil wrong
function server.read(text)
  local out, words = { tp = 1, pp = 1, engine = {}, unknown = {} }, {}
  for word in (text or ""):gmatch "%S+" do words[#words + 1] = word end
  local i = 1
  while words[i] do
    local name, value = words[i]:match "^%-%-?([%w%-_]+)=?(.*)$"
    if words[i] == "-m" then -- of python: what it runs is the next word
      name = nil
    end
    if not name then
      local runs = SERVERS[words[i]:match "[^/]+$" or ""]
      if runs and not out.server then
        out.server = runs
      elseif words[i - 1] == "serve" or words[i - 1] == "trtllm-serve" or words[i]:find "/" then
        out.model = model_name(words[i])
      end
    else
      name = name:gsub("_", "-")
      local flag = FLAGS[name]
      if flag then
        out.engine[flag[1]] = flag[2]
      else
        if value == "" and words[i + 1] and not words[i + 1]:find "^%-%-" then
          value, i = words[i + 1], i + 1
        end
        local key = NUMBERS[name]
        local number = tonumber(value)
        if key and not number then
          return nil, ("--server: --%s wants a number, not '%s'"):format(name, value)
        elseif name == "chunked-prefill-size" and number < 0 then
          out.engine.chunked_prefill = false
        elseif key then
          (OF_SCENARIO[key] and out or out.engine)[key] = math.tointeger(number) or number
        elseif name == "model" or name == "model-path" then
          out.model = model_name(value)
        else
          out.unknown[#out.unknown + 1] = "--" .. name
        end
      end
    end
    i = i + 1
  end
  return out
end

return server
