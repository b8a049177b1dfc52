--- The engine that measured requests are replayed on: settings of td.generate's engine.
-- Owns which of them a replay has, and what is taken where nobody says. Called by init.lua and the
-- command line.

local core = require "tandem.core"
local format = require "tandem.text.format"
local llm = require "tandem.llm"
local nearest = require "tandem.text.nearest"
local scheduler = require "tandem.llm.scheduler"

local engine = {}

local AMPLE <const> = 1 << 24 -- blocks

-- Those that a replay knows: vLLM's plain settings, and how many blocks there are.
local function kinds()
  local known = { kv_blocks = "whole" }
  for key, sort in pairs(scheduler.plain "vllm") do known[key] = sort end
  return known
end

--- Reads { "max_seqs=128", "plans_ahead=true" }, also several in one with commas or spaces.
---@param texts string[]
---@return table|nil settings
---@return string|nil message
function engine.read(texts)
  local known, settings = kinds(), {}
  for _, text in ipairs(texts) do
    for word in text:gmatch "[^%s,]+" do
      local key, value = word:match "^([%w_]+)=(.+)$"
      if not key then return nil, ("--engine wants KEY=VALUE, not '%s'"):format(word) end
      if not known[key] then
        return nil, ("--engine has no '%s'; %s"):format(key,
          nearest.hint(key, nearest.sorted_keys(known)))
      end
      if known[key] == "whole" then
        settings[key] = math.tointeger(tonumber(value))
        if not settings[key] or settings[key] < 0 then
          return nil, ("--engine %s wants a whole number, not '%s'"):format(key, value)
        end
      elseif value == "true" or value == "false" then
        settings[key] = value == "true"
      else
        return nil, ("--engine %s wants true or false, not '%s'"):format(key, value)
      end
    end
  end
  return settings
end

local function blocks_beside(options, settings, model_of)
  if not (options.model and options.gpu) then return nil end
  local architecture, published = model_of(options.model)
  if not architecture then return nil, published end
  local tokens, message = llm.kv_tokens { architecture = architecture, gpu = options.gpu,
    parallelism = { tensor = options.tp or 1 }, precision = published }
  if not tokens then return nil, message end
  return math.floor(tokens / settings.block_tokens)
end

--- What a replay wants, the settings that were told, and notes of what was not.
---@param measured tandem.llm.Measured
---@param options table  engine, model, gpu, tp
---@param model_of fun(name: string): table|nil, string
---@return table|nil config   of core.serving.replay
---@return table|string told  or a message
---@return string[]|nil notes
function engine.of(measured, options, model_of)
  local told, notes, settings = {}, {}, {}
  for key, value in pairs(measured.engine or {}) do told[key] = value end
  for key, value in pairs(options.engine or {}) do told[key] = value end
  local defaults = scheduler.defaults "vllm"
  local assumed = {}
  for _, name in ipairs { "max_seqs", "max_batched_tokens" } do
    if told[name] == nil then
      assumed[#assumed + 1] = ("%s = %s"):format(name, format.integer(defaults[name]))
    end
  end
  if #assumed > 0 then
    notes[1] = ("nobody says how the engine was set: %s, as td.generate takes them; --engine "
      .. "tells others"):format(format.list(assumed))
  end
  for name in pairs(kinds()) do
    settings[name] = told[name]
    if settings[name] == nil and name ~= "kv_blocks" then
      settings[name] = defaults[name]
    end
  end
  if not settings.kv_blocks then
    local blocks, message = blocks_beside(options, settings, model_of)
    if message then return nil, message end
    settings.kv_blocks = blocks or AMPLE
    if not blocks then
      notes[#notes + 1] = "the KV cache is taken to be large enough; --engine kv_blocks=N, or "
        .. "--model and --gpu, tell its size"
    end
    told.kv_blocks = settings.kv_blocks
  end
  settings.blocks, settings.kv_blocks = settings.kv_blocks, nil
  -- Whose prompts begin alike is in no client's file; a script may know.
  settings.prefix_caching = measured.requests[1].hashes ~= nil
  settings.hash_tokens = settings.block_tokens
  local problem = core.serving.problems(settings)[1]
  if problem then return nil, ("%s %s"):format(problem.where, problem.what) end
  return settings, told, notes
end

return engine
