--- What can be said of LLM servers before they run: what a request alone takes, how many run at a
--- time, about how much a server carries.
--
-- Owns the estimate: at the limit as many sequences run as max_seqs and the KV cache allow, all of
-- mean size; a request costs them the time of its prompt in a step, and its share of the steps of
-- its tokens. Called by explain.lua.
local core = require "tandem.core"
local format = require "tandem.format"
local style = require "tandem.plot.style"

local serving = {}

---@class tandem.ServingForecast
---@field name string
---@field requests_kv number     of mean size that the KV cache of a replica holds
---@field sequences integer      that run at a time at the limit, of a replica
---@field bound "max_seqs"|"KV cache"
---@field ttft_s number          alone
---@field tpot_s number          alone
---@field full_tpot_s number     at the limit, without prompts between
---@field carries_rps number     all replicas
---@field offered_rps number|nil

-- Mean sizes of what a server is asked for, and how often.
local function demand_of(offered, index)
  local rate, prompt, output, known = 0, 0, 0, true
  for _, step in ipairs(offered.steps) do
    if step.llm and step.llm.server == index then
      known = known and step.llm.rate ~= nil
      local weight = step.llm.rate or 1
      rate = rate + weight
      prompt = prompt + weight * step.llm.prompt_tokens
      output = output + weight * step.llm.output_tokens
    end
  end
  if rate <= 0 then return nil end
  return math.max(1, prompt / rate), math.max(1, output / rate), known and rate or nil
end

--- What to expect of a server; nil where a prompt and its tokens are no one replica's.
---@param model table
---@param offered tandem.Offered
---@param index integer
---@return tandem.ServingForecast|nil
function serving.forecast(model, offered, index)
  local server = model.servers[index]
  local pool = server.pools[1]
  local prompt, output, rate = demand_of(offered, index)
  local step = prompt and #server.pools == 1 and core.llm.step(pool.step)
  if not step then return nil end
  local config = pool.config
  local tokens, context = math.floor(prompt + 0.5), math.floor(prompt + output / 2 + 0.5)
  local by_kv = config.blocks * (config.block_tokens or 16) / context
  local count = math.max(1, math.floor(math.min(config.max_seqs, by_kv)))
  local contexts = {}
  for i = 1, count do contexts[i] = context end
  local full = step:step_s { decode = contexts }
  local with = step:step_s { decode = contexts, prefill = { { tokens, 0 } } }
  local replicas = #pool.stations / (pool.lanes or 1)
  return { name = server.name, requests_kv = by_kv, sequences = count,
    bound = by_kv < config.max_seqs and "KV cache" or "max_seqs",
    ttft_s = step:step_s { prefill = { { tokens, 0 } } },
    tpot_s = step:step_s { decode = { context } }, full_tpot_s = full,
    carries_rps = replicas / (with - full + output * full / count), offered_rps = rate }
end

--- Sentences about every server.
---@param model table
---@param offered tandem.Offered
---@return string[]
function serving.sentences(model, offered)
  local out = {}
  for index in ipairs(model.servers or {}) do
    local one = serving.forecast(model, offered, index)
    if one then
      local name = style.clean(one.name)
      out[#out + 1] = ("%s: a request of mean size that is alone has its first token after ≈ %s "
        .. "and then one each %s."):format(name, format.time(one.ttft_s), format.time(one.tpot_s))
      out[#out + 1] = ("At its limit %s sequences run at a time (%s; the KV cache has room for "
        .. "about %s), and a step of them takes ≈ %s."):format(format.integer(one.sequences),
        one.bound, format.integer(math.floor(one.requests_kv)), format.time(one.full_tpot_s))
      local room = one.offered_rps and one.carries_rps / one.offered_rps
      out[#out + 1] = ("So it carries ≈ %s%s."):format(format.quantity(
        tonumber(("%.2g"):format(one.carries_rps)), "rate"), room and (", %s of what is offered")
        :format(room >= 10 and ("%.0f×"):format(room) or ("%.1f×"):format(room)) or "")
    end
  end
  return out
end

return serving
