--- A folder of measured operators as a step model, and the affine model nearest to it.
--
-- The table itself is the better model; an affine one is faster, and its coefficients can be read.
-- Owns the batches at which both are compared. Called by init.lua.

local core = require "tandem.core"
local steps = require "tandem.llm.calibrate.steps"
local tables_read = require "tandem.llm.tables"

local tables = {}

local BATCHES <const> = 1200
local SEQS_MOST <const> = 256
local CONTEXT_LEAST <const>, CONTEXT_MOST <const> = 16, 8192
local CHUNK_LEAST <const>, CHUNK_MOST <const> = 16, 2048

-- Uniform in [0, 1), by position alone.
local function uniform(i, column)
  return core.fraction(column * 0xd1342543de82ef95, i)
end

local function log_uniform(low, high, u) return math.floor(low * (high / low) ^ u + 0.5) end

-- Decode alone, a prompt's chunk alone, and both, a third each.
local function batch_of(i)
  local kind, batch = i % 3, {}
  if kind ~= 1 then
    local seqs = log_uniform(1, SEQS_MOST, uniform(i, 1))
    local context = log_uniform(CONTEXT_LEAST, CONTEXT_MOST, uniform(i, 2))
    batch.decode_seqs, batch.decode_context = seqs, seqs * context
    batch.decode_context_max, batch.sampled = context, seqs
  end
  if kind ~= 0 then
    local tokens = log_uniform(CHUNK_LEAST, CHUNK_MOST, uniform(i, 3))
    local context = uniform(i, 4) < 0.5 and 0
      or log_uniform(CONTEXT_LEAST, CONTEXT_MOST, uniform(i, 5))
    batch.prefill_seqs, batch.prefill_tokens, batch.prefill_context = 1, tokens, context
    batch.prefill_attention = tokens * (context + (tokens + 1) / 2)
    batch.prefill_squares = tokens * tokens
    batch.sampled = (batch.sampled or 0) + 1
  end
  return batch
end

---@param measured tandem.llm.Measured
---@param options table
---@param model_of fun(name: string): table|nil, string
---@return table|nil answer
---@return string|nil message
function tables.fit(measured, options, model_of)
  local name = options.model or tables_read.model_name(measured.folder)
  if not name then return nil, "of which model? --model names it" end
  local architecture, message = model_of(name)
  if not architecture then return nil, message end
  local model, why, notes = tables_read.model(measured.folder, { architecture = architecture })
  if not model then return nil, why end
  local list = {}
  for i = 1, BATCHES do
    local batch = batch_of(i)
    local x = { step = 1, prefill_step = batch.prefill_tokens and 1 or 0 }
    for term, value in pairs(batch) do x[term] = value end
    list[i] = { y = model:step_s(batch), x = x }
  end
  local answer
  answer, message = steps.fit({ kind = "steps", steps = list }, options)
  if not answer then return nil, message end
  answer.model_name, answer.notes = name, notes
  return answer
end

return tables
