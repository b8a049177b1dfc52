--- A server's launch arguments, as a scenario says them: the way back of launch.lua.
-- Knows those of vLLM, SGLang, trtllm-serve and Dynamo's workers that decide who is in a step and
-- on how many GPUs; others are told, not guessed. Called by manifest.lua and tandem.twin.
local nearest = require "tandem.text.nearest"
local shell = require "tandem.text.shell"

local arguments = {}

-- Arguments with a number, and where it goes: of vLLM, SGLang, trtllm-serve.
local NUMBERS <const> = { ["tensor-parallel-size"] = "tp", tp = "tp", ["tp-size"] = "tp",
  ["pipeline-parallel-size"] = "pp", pp = "pp", ["pp-size"] = "pp",
  ["data-parallel-size"] = "dp", dp = "dp", ["dp-size"] = "dp",
  ["expert-parallel-size"] = "ep", ep = "ep", ["ep-size"] = "ep",
  ["max-num-seqs"] = "max_seqs", ["max-running-requests"] = "max_seqs",
  ["max-batch-size"] = "max_seqs",
  ["max-num-batched-tokens"] = "max_batched_tokens", ["max-num-tokens"] = "max_batched_tokens",
  ["chunked-prefill-size"] = "max_batched_tokens",
  ["max-prefill-tokens"] = "max_prefill_tokens",
  ["block-size"] = "block_tokens", ["page-size"] = "block_tokens",
  ["gpu-memory-utilization"] = "memory", ["mem-fraction-static"] = "memory",
  ["kv-cache-free-gpu-memory-fraction"] = "memory", ["free-gpu-memory-fraction"] = "memory",
  ["num-gpu-blocks-override"] = "kv_blocks",
  ["long-prefill-token-threshold"] = "long_prefill_tokens" }
local FLAGS <const> = { ["enable-prefix-caching"] = { "prefix_caching", true },
  ["no-enable-prefix-caching"] = { "prefix_caching", false },
  ["disable-radix-cache"] = { "prefix_caching", false },
  ["enable-chunked-prefill"] = { "chunked_prefill", true },
  ["no-enable-chunked-prefill"] = { "chunked_prefill", false },
  ["async-scheduling"] = { "plans_ahead", true },
  ["no-async-scheduling"] = { "plans_ahead", false },
  ["disable-overlap-schedule"] = { "plans_ahead", false },
  ["enable-priority-scheduling"] = { "order", "priority" } }
-- What a server is by a flag, not its engine.
local MARKS <const> = { ["enable-expert-parallel"] = "experts_apart",
  ["enable-dp-attention"] = "attention_apart", ["is-prefill-worker"] = { "role", "prefill" },
  ["is-decode-worker"] = { "role", "decode" } }
local ORDERS <const> = { fcfs = "fcfs", priority = "priority", lpm = "longest_prefix",
  ["dfs-weight"] = "prefix_weight" }
local TYPES <const> = { fp8 = "fp8", fp8_e4m3 = "fp8", e4m3 = "fp8" }
local ROLES <const> = { prefill = "prefill", decode = "decode", kv_producer = "prefill",
  kv_consumer = "decode" }
-- What runs which server, as a word of the command line.
local SERVERS <const> = { ["vllm"] = "vllm", ["trtllm-serve"] = "tensorrt_llm",
  ["sglang.launch_server"] = "sglang", ["vllm.entrypoints.openai.api_server"] = "vllm",
  ["dynamo.vllm"] = "vllm", ["dynamo.sglang"] = "sglang", ["dynamo.trtllm"] = "tensorrt_llm",
  ["sglang"] = "sglang" }
local OF_SERVER <const> = { tp = true, pp = true, dp = true, ep = true }

---@class tandem.LaunchArguments
---@field server string|nil  vllm, sglang, tensorrt_llm
---@field model string|nil   the last part of its name
---@field weights string|nil as it is said
---@field served string|nil  what clients ask for
---@field tp integer         GPUs that attention is divided over
---@field pp integer
---@field dp integer|nil
---@field ep integer|nil
---@field kv string|nil      what the KV cache is stored in
---@field quantization string|nil  of the weights
---@field role "prefill"|"decode"|nil
---@field engine table<string, any>
---@field unknown string[]   arguments that say nothing here

local function named(out, text)
  out.weights = text:match "^(.-)/*$"
  out.model = text:match "([^/]+)/*$"
end

-- Arguments whose value is a word. True: it was one of them.
local function worded(out, name, value)
  if name == "model" or name == "model-path" then
    if value ~= "" then named(out, value) end
  elseif name == "scheduling-policy" or name == "schedule-policy" then
    if not ORDERS[value] then return false end
    -- SGLang's priorities are a flag beside its order.
    if out.engine.order ~= "priority" then out.engine.order = ORDERS[value] end
  elseif name == "kv-cache-dtype" and TYPES[value] then
    out.kv = TYPES[value]
  elseif name == "quantization" and TYPES[value] then
    out.quantization = TYPES[value]
  elseif name == "disaggregation-mode" then
    out.role = ROLES[value]
  elseif name == "kv-transfer-config" then
    out.role = out.role or ROLES[value:match '"kv_role"%s*:%s*"([^"]*)"' or ""]
  elseif name == "served-model-name" then
    out.served = value
  else
    return false
  end
  return true
end

-- Sizes as td.generate has them: SGLang and TensorRT-LLM count all GPUs of a stage as tp.
local function resize(out)
  local dp = out.dp or 1
  if out.server == "sglang" and out.attention_apart and dp > 1 then
    if out.tp % dp ~= 0 then
      return ("--tp-size %d is no multiple of --dp-size %d"):format(out.tp, dp)
    end
    out.tp = out.tp // dp
  end
  if out.experts_apart then out.ep = out.tp * dp end
  out.experts_apart, out.attention_apart = nil, nil
end

local spelled = {}
for _, known in ipairs { NUMBERS, FLAGS, MARKS } do
  for name in pairs(known) do if #name > 4 then spelled[#spelled + 1] = "--" .. name end end
end

--- The argument that is read and nearly spelled so, two letters off at most.
---@param name string  "--max-num-seq"
---@return string|nil
function arguments.near(name)
  local near = nearest.word(name, spelled)
  return near and nearest.distance(name, near) <= 2 and near or nil
end

--- Reads "vllm serve meta-llama/Llama-3.1-8B --max-num-seqs 128", or its words.
---@param text string|string[]|nil
---@return tandem.LaunchArguments|nil
---@return string|nil wrong
function arguments.read(text)
  local out = { tp = 1, pp = 1, engine = {}, unknown = {} }
  local words = type(text) == "table" and text or shell.words(text or "")
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
        named(out, words[i])
      end
    else
      name = name:gsub("_", "-")
      local flag, mark = FLAGS[name], MARKS[name]
      if flag then
        out.engine[flag[1]] = flag[2]
      elseif mark then
        out[type(mark) == "table" and mark[1] or mark] = type(mark) == "table" and mark[2] or true
      else
        if value == "" and words[i + 1] and not words[i + 1]:find "^%-%-" then
          value, i = words[i + 1], i + 1
        end
        local key = NUMBERS[name]
        local number = tonumber(value)
        if key and not number then
          return nil, ("--%s wants a number, not '%s'"):format(name, value)
        elseif OF_SERVER[key] and not (math.tointeger(number) and number >= 1) then
          return nil, ("--%s wants a count from 1 on, not '%s'"):format(name, value)
        elseif name == "chunked-prefill-size" and number < 0 then
          out.engine.chunked_prefill = false
        elseif key then
          (OF_SERVER[key] and out or out.engine)[key] = math.tointeger(number) or number
        elseif not worded(out, name, value) then
          out.unknown[#out.unknown + 1] = "--" .. name
        end
      end
    end
    i = i + 1
  end
  local wrong = resize(out)
  if wrong then return nil, wrong end
  return out
end

return arguments
