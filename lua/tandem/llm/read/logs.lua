--- Logs in which an engine tells of each iteration: vLLM with --enable-logging-iteration-details,
-- TensorRT-LLM with print_iter_log.
--
-- Neither tells contexts. Owns these lines. Called by init.lua.

local format = require "tandem.text.format"

local function step(ms, prefill_seqs, prefill_tokens, decode_seqs)
  local x = { step = 1, prefill_seqs = prefill_seqs, prefill_tokens = prefill_tokens,
    decode_seqs = decode_seqs, prefill_step = prefill_tokens > 0 and 1 or 0,
    decode_step = decode_seqs > 0 and 1 or 0 }
  return { y = ms * 1e-3, x = x }
end

-- Iteration(12): 1 context requests, 512 context tokens, 3 generation requests, 3 generation
-- tokens, iteration elapsed time: 12.34 ms
local function vllm(line)
  local seqs, tokens, running, ms = line:match("Iteration%(%d+%):%s+(%d+) context requests?,%s+"
    .. "(%d+) context tokens?,%s+(%d+) generation requests?,.-elapsed time:%s+([%d.]+)")
  ms = tonumber(ms)
  return ms and step(ms, tonumber(seqs), tonumber(tokens), tonumber(running))
end

-- iter = 7, …, host_step_time = 12.3ms, …, states = {'num_ctx_requests': 0, 'num_ctx_tokens': 0,
-- 'num_generation_tokens': 8}; only the first rank's
local function tensorrt_llm(line)
  local ms = tonumber((line:match "host_step_time = ([%d.]+) ?ms"))
  local rank = line:match "[ ,]rank = (%d+)"
  if not ms or rank and rank ~= "0" then return nil end
  local seqs, tokens = line:match "'num_ctx_requests': (%d+)", line:match "'num_ctx_tokens': (%d+)"
  local running = line:match "'num_generation_tokens': (%d+)"
  return seqs and tokens and running
    and step(ms, tonumber(seqs), tonumber(tokens), tonumber(running)) or nil
end

local LEAST_S <const> = 1e-4

local function reader(name, parse)
  local function knows(lines)
    for _, line in ipairs(lines) do
      if parse(line) then return true end
    end
    return false
  end
  return { name = name, shape = "log", fields = {}, knows = knows, read = function(lines)
    local steps, short, notes = {}, 0, {}
    for _, line in ipairs(lines) do
      local one = parse(line)
      if one and one.x.prefill_tokens + one.x.decode_seqs > 0 then
        if one.y >= LEAST_S then steps[#steps + 1] = one else short = short + 1 end
      end
    end
    if #steps <= short then
      return nil, ("%d of its %d iterations took less than 0.1 ms: it scheduled asynchronously and "
        .. "timed only the launch"):format(short, short + #steps)
    end
    if short > 0 then
      notes[1] = ("%s below 0.1 ms are left out"):format(format.plural(short, "iteration"))
    end
    return { kind = "steps", steps = steps, notes = notes }
  end }
end

return { reader("vLLM's iteration log", vllm),
  reader("TensorRT-LLM's iteration log", tensorrt_llm) }
