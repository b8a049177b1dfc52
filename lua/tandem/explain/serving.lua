--- What can be said of LLM servers before they run: what a request alone takes, how many run at a
--- time, about how much a server carries.
--
-- Owns the estimate: at the limit as many sequences run as max_seqs and the KV cache allow, all of
-- mean size; a request costs them the time of its prompt in a step, and its share of the steps of
-- its tokens. Prompts are computed whole: what prefix caches save is for the simulation. Called by
-- init.lua.
local core = require "tandem.core"
local format = require "tandem.text.format"
local styles = require "tandem.plot.style"

local serving = {}

---@class tandem.ServingForecast
---@field name string
---@field schedulers integer     of replicas, data-parallel groups, batches in a pipeline
---@field what string            "replicas" or "schedulers", with their role
---@field requests_kv number     of mean size that the KV cache of one holds
---@field sequences integer      that run at a time at the limit, in one
---@field bound "max_seqs"|"KV cache"
---@field ttft_s number          alone
---@field request_s number       of it, beside its prompt's step
---@field tpot_s number          alone
---@field full_tpot_s number     at the limit, without prompts between
---@field prefill_rps number|nil  what prefill replicas carry, where they are apart
---@field carries_rps number     all together
---@field offered_rps number|nil
---@field tiers tandem.TierForecast[]  below the KV cache of one
---@field taken string[]         what its server takes by version and GPU, of its pools

---@class tandem.TierForecast
---@field name string
---@field requests number  of mean size that it has room for
---@field load_s number    the whole prompt of one from there, alone
---@field shared boolean

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

local function taken_of(server)
  local out, seen = {}, {}
  for _, pool in ipairs(server.pools) do
    if pool.taken and not seen[pool.taken] then out[#out + 1] = pool.taken end
    seen[pool.taken or ""] = true
  end
  return out
end

-- A prompt in whole blocks, which but for its last token come from a tier.
local function tiers_of(config, tokens, context)
  local out, block = {}, config.block_tokens or 16
  for _, tier in ipairs(config.kv_tiers or {}) do
    local blocks = math.max(0, tokens - 1) // block
    out[#out + 1] = { name = tier.name, requests = tier.blocks * block / context,
      load_s = blocks * tier.block_s + tier.latency_s, shared = tier.shared }
  end
  return out
end

--- What to expect of a server; nil where like replicas are on several kinds of GPUs.
---@param model table
---@param offered tandem.Offered
---@param index integer
---@return tandem.ServingForecast|nil
function serving.forecast(model, offered, index)
  local server = model.servers[index]
  local first, last = server.pools[1], server.pools[#server.pools]
  local apart = #server.pools == 2 and first.role == "prefill" and last.role == "decode"
  local prompt, output, rate = demand_of(offered, index)
  if not prompt or #server.pools > 1 and not apart then return nil end
  local prefill, decode = core.llm.step(first.step), core.llm.step(last.step)
  if not (prefill and decode) then return nil end
  local config = last.config
  local tokens, context = math.floor(prompt + 0.5), math.floor(prompt + output / 2 + 0.5)
  local by_kv = config.blocks * (config.block_tokens or 16) / context
  local count = math.max(1, math.floor(math.min(config.max_seqs, by_kv)))
  local contexts = {}
  for i = 1, count do contexts[i] = context end
  local alone = prefill:step_s { prefill = { { tokens, 0 } } }
  local full = decode:step_s { decode = contexts }
  local lone = apart and 0
    or decode:step_s { decode = contexts, prefill = { { tokens, 0 } } } - full
  local prefills = apart and #first.stations / alone or nil
  local carries = #last.stations / (lone + output * full / count)
  local request_s = server.request_s or 0
  local name = (last.lanes or 1) > 1 and "schedulers" or "replicas"
  return { name = server.name, requests_kv = by_kv, sequences = count, schedulers = #last.stations,
    what = apart and "decode " .. name or name,
    bound = by_kv < config.max_seqs and "KV cache" or "max_seqs",
    request_s = request_s, ttft_s = alone + request_s,
    tpot_s = decode:step_s { decode = { context } }, full_tpot_s = full,
    prefill_rps = prefills, carries_rps = math.min(carries, prefills or carries),
    offered_rps = rate, taken = taken_of(server),
    tiers = tiers_of(first.config, tokens, context) }
end

local function rate_words(rps)
  return format.quantity(tonumber(("%.2g"):format(rps)), "rate")
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
      local name = styles.clean(one.name)
      local request = one.request_s > 0 and (", %s of it beside its steps (HTTP, tokenizing),")
        :format(format.time(one.request_s)) or ""
      out[#out + 1] = ("%s: a request of mean size that is alone has its first token after ≈ %s%s "
        .. "and then one each %s."):format(name, format.time(one.ttft_s), request,
        format.time(one.tpot_s))
      if one.prefill_rps then
        out[#out + 1] = ("Its prefill replicas carry ≈ %s, one prompt at a time.")
          :format(rate_words(one.prefill_rps))
      end
      out[#out + 1] = ("At its limit %s sequences run at a time%s (%s), and a step of them takes ≈ "
        .. "%s."):format(format.integer(one.sequences), one.schedulers > 1 and (" on each of %d %s")
        :format(one.schedulers, one.what) or "", one.bound == "max_seqs"
        and ("max_seqs; the KV cache has room for about %s"):format(
          format.integer(math.floor(one.requests_kv))) or "as many as the KV cache holds",
        format.time(one.full_tpot_s))
      for _, tier in ipairs(one.tiers) do
        out[#out + 1] = ("Below the KV cache %s has room for about %s%s; a whole prompt comes from "
          .. "there in ≈ %s alone, computed in %s."):format(tier.name,
          format.integer(math.floor(tier.requests)), tier.shared and " of all replicas" or "",
          format.time(tier.load_s), format.time(one.ttft_s - one.request_s))
      end
      local room = one.offered_rps and one.carries_rps / one.offered_rps
      out[#out + 1] = ("So it carries ≈ %s%s."):format(rate_words(one.carries_rps),
        room and (", %s of what is offered"):format(
          room >= 10 and ("%.0f×"):format(room) or ("%.1f×"):format(room)) or "")
      for _, taken in ipairs(one.taken) do out[#out + 1] = ("Left to %s."):format(taken) end
    end
  end
  return out
end

return serving
