--- A server's launch arguments, as a scenario says them.
-- Knows those of `vllm serve` that decide who is in a step; others are told, not guessed. Called by
-- twin.

local server = {}

-- Arguments with a number, and where it goes.
local NUMBERS <const> = { ["tensor-parallel-size"] = "tp", tp = "tp",
  ["pipeline-parallel-size"] = "pp", pp = "pp", ["max-num-seqs"] = "max_seqs",
  ["max-num-batched-tokens"] = "max_batched_tokens", ["block-size"] = "block_tokens",
  ["gpu-memory-utilization"] = "memory", ["num-gpu-blocks-override"] = "kv_blocks" }
local FLAGS <const> = { ["enable-prefix-caching"] = { "prefix_caching", true },
  ["no-enable-prefix-caching"] = { "prefix_caching", false },
  ["enable-chunked-prefill"] = { "chunked_prefill", true },
  ["no-enable-chunked-prefill"] = { "chunked_prefill", false },
  ["async-scheduling"] = { "plans_ahead", true },
  ["no-async-scheduling"] = { "plans_ahead", false } }
local OF_SCENARIO <const> = { tp = true, pp = true }

---@class tandem.twin.Server
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
    if not name then
      if words[i - 1] == "serve" or words[i]:find "/" then out.model = model_name(words[i]) end
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
        elseif key then
          (OF_SCENARIO[key] and out or out.engine)[key] = math.tointeger(number) or number
        elseif name == "model" then
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
