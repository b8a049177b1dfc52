-- What a request takes beside its steps: HTTP, tokenizing, admission, the way back.
--
-- Open loads say it: what is left of their TTFT once the prompt's step and those that it waits for
-- are taken off, as long as these were measured to be (TPOT over what was predicted of it). A
-- configuration counts once. A laboratory has one kind of host: an engine that no second one has
-- measured is as far off elsewhere as hosts may differ. Closed loops say little: load generators,
-- start-up and clients that come together are in their TTFT, and no server's. So an engine without
-- open loads has what the others have, and is as far off as engines may differ. Where prefill and
-- decode have engines of their own, a request is handed from one to the other. Owns these
-- estimates. Called by leave_out.lua and run.lua.

local base = require "tests.accuracy.calibrate.base"
local pool = require "tests.accuracy.calibrate.pool"
local predict = require "tests.accuracy.observed.predict"

local requests = {}

local ENGINES <const> = { "vllm", "sglang", "trtllm" }
local LEAST <const>, MOST <const> = 1e-3, 0.1 -- seconds
-- Of logarithms, between engines or hosts: judgement, as of a host's time a sequence (pool.lua).
local BETWEEN <const> = 0.8
local FEW <const> = 5 -- configurations that tell a spread

local function median(list)
  table.sort(list)
  return list[(#list + 1) // 2]
end

-- What is left of each configuration, by engine.
local function left_of(rows, base_of, fit)
  local by, out = {}, {}
  for _, row in ipairs(rows) do
    local p = row.point
    if p.load == "open" and p.ttft_s and p.tpot_s then
      local c = pool.apply(base_of(row.gpu, row.engine), fit:theta(row.gpu, row.engine))
      c.request_s, c.factor = 0, fit:factor(row)
      local answer = predict.point(p, c)
      local list = by[row.configuration]
      if not list then
        list = { set = row.set }
        by[row.configuration] = list
        out[row.engine] = out[row.engine] or {}
        table.insert(out[row.engine], list)
      end
      list[#list + 1] = p.ttft_s - answer.ttft_s * p.tpot_s / answer.tpot_s
    end
  end
  for _, lists in pairs(out) do
    lists.sets = {}
    for i, list in ipairs(lists) do
      lists.sets[list.set] = true
      lists[i] = math.max(LEAST, math.min(MOST, median(list)))
    end
  end
  return out
end

---@class tests.Request
---@field value number      seconds
---@field deviation number  of its logarithm
---@field count integer     configurations that say it

-- Median, and a spread from the median of what they are off, as a Gaussian has it.
local function told(list)
  local value, off = median(list), {}
  for i, one in ipairs(list) do off[i] = math.abs(math.log(one / value)) end
  return value, 1.4826 * median(off)
end

--- By engine.
---@param rows table[]
---@param base_of fun(gpu: string, engine: string): tandem.llm.Constants
---@param fit tests.Pooled
---@return table<string, tests.Request>
function requests.of(rows, base_of, fit)
  local left, all, out = left_of(rows, base_of, fit), {}, {}
  for _, engine in ipairs(ENGINES) do
    table.move(left[engine] or {}, 1, #(left[engine] or {}), #all + 1, all)
  end
  local value, spread = base.unsaid.request_s, BETWEEN
  if #all >= FEW then value, spread = told(all) end
  for _, engine in ipairs(ENGINES) do
    local own = left[engine] or {}
    if #own >= FEW then
      local mine, deviation = told(own)
      local elsewhere = next(own.sets, next(own.sets)) and 0 or BETWEEN
      out[engine] = { value = mine, deviation = math.sqrt(deviation ^ 2 + elsewhere ^ 2),
        count = #own }
    else
      out[engine] = { value = value, deviation = math.sqrt(spread ^ 2 + BETWEEN ^ 2), count = 0 }
    end
  end
  return out
end

--- Steps of decode that a request takes from its prefill to its first token where the two have
--- engines of their own: what is left of their median TTFT, over what a step was measured to be.
--- The median over configurations; 0 where few say it.
---@param rows table[]
---@param base_of fun(gpu: string, engine: string): tandem.llm.Constants
---@param fit tests.Pooled
---@param asked table<string, tests.Request>
---@return number
function requests.handed(rows, base_of, fit, asked)
  local by, all = {}, {}
  for _, row in ipairs(rows) do
    local p = row.point
    if p.split and p.ttft_is == "median" then
      local c = pool.apply(base_of(row.gpu, row.engine), fit:theta(row.gpu, row.engine))
      c.request_s, c.factor = asked[row.engine].value, fit:factor(row)
      if not by[row.configuration] then
        by[row.configuration] = {}
        all[#all + 1] = by[row.configuration]
      end
      table.insert(by[row.configuration], (p.ttft_s - predict.point(p, c).ttft_s) / p.tpot_s)
    end
  end
  for i, list in ipairs(all) do all[i] = median(list) end
  return #all >= FEW and math.max(0, median(all)) or 0
end

return requests
