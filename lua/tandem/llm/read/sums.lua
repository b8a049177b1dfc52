--- Operating points out of what load generators sum up: a load, lengths of requests, their times.
--
-- A load is so many clients, each with one request at a time, or a rate. How many requests were in
-- the server is what the clients are in the first case and Little's law in the second: answered a
-- second times the mean time of an answer. Owns what a point has; which file says it how is said by
-- the readers of the formats, which call this.

local sums = {}

---@alias tandem.llm.Statistics table<string, number>  mean, p50, p90, p95, p99, p999, min, max …

---@class tandem.llm.Sums
---@field row table              model, backend: what ran
---@field position integer
---@field requests number|nil    that were answered
---@field duration_s number|nil  from the first request to the last answer
---@field clients number|nil     closed loop
---@field rate number|nil        requests a second that were sent
---@field prompt tandem.llm.Statistics|nil  tokens
---@field output tandem.llm.Statistics|nil
---@field times table<string, tandem.llm.Statistics>  ttft, tpot, itl, e2e; seconds
---@field served number|nil      requests a second, where neither count nor duration is told
---@field tokens_s number|nil    output tokens a second, likewise

---@class tandem.llm.Point: tandem.llm.Sums
---@field prompt integer|nil     means; the rest of what is told of them is in lengths
---@field output integer|nil
---@field lengths table<string, tandem.llm.Statistics>|nil  prompt, output
---@field concurrency number|nil  requests in the server in the mean; nil: not to be told
---@field ttft_s number|nil       means that a step model is fitted to
---@field tpot_s number|nil

local WAITED <const> = 0.5 -- share of a request's time before its first token

local function middle(statistics)
  return statistics and (statistics.mean or statistics.p50)
end

local function whole(statistics)
  return statistics and statistics.mean and math.floor(statistics.mean + 0.5) or nil
end

-- Mean time of an answer, from its parts where it is not told itself.
local function e2e_of(made, output)
  local e2e = made.times.e2e and made.times.e2e.mean
  local ttft, tpot = middle(made.times.ttft), middle(made.times.tpot)
  return e2e or ttft and tpot and output and ttft + tpot * (output - 1)
end

local function tpot_of(made, output, e2e)
  local told, ttft = middle(made.times.tpot), middle(made.times.ttft)
  if told or not (ttft and output and e2e and output > 1) then return told end
  return (e2e - ttft) / (output - 1)
end

--- A point; nil and what its sums do not tell.
---@param made tandem.llm.Sums
---@return tandem.llm.Point|nil
---@return string|nil why
function sums.point(made)
  if not (made.clients or made.rate) then
    return nil, "tell neither how many clients there were nor the rate of requests"
  elseif next(made.times) == nil then
    return nil, "tell no times"
  end
  local output = made.output and made.output.mean
  local e2e = e2e_of(made, output)
  made.served = made.served or made.requests and made.duration_s and made.duration_s > 0
    and made.requests / made.duration_s or nil
  made.tokens_s = made.tokens_s or made.served and output and made.served * output
  made.ttft_s, made.tpot_s = middle(made.times.ttft), tpot_of(made, output, e2e)
  if made.tpot_s and not made.times.tpot then made.times.tpot = { mean = made.tpot_s } end
  made.lengths = { prompt = made.prompt, output = made.output }
  made.prompt, made.output = whole(made.prompt), whole(made.output)
  -- Clients who have one request each never had more of them inside than were left.
  local rounds = made.clients and (not made.requests or made.requests > made.clients)
  if rounds then
    made.concurrency = made.clients
  elseif made.served and e2e then
    made.concurrency = made.served * e2e
    if made.ttft_s and made.ttft_s > WAITED * e2e then made.concurrency, made.waited = nil, true end
  end
  return made
end

return sums
