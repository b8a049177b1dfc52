--- The launch arguments of LLM servers, so that they are run as they were simulated.
--
-- Owns which option of vLLM, SGLang and TensorRT-LLM says what an engine's key says, and the shell
-- script of them. What has no option (how acceptances fall, policies of one's own) is a note.
-- Called by the other forms of this room too.
local deploy = require "tandem.deploy"
local format = require "tandem.text.format"
local json = require "tandem.io.json"
local shell = require "tandem.text.shell"

local launch = {}

--- The port that servers answer on.
launch.PORT = 8000

local FP8 <const> = { fp8 = true, fp8_e4m3 = true, e4m3 = true }

-- Weights in FP8 that are published in more bits: the server makes them so when it loads them.
local function quantization_of(shape)
  local model = shape.model
  if not FP8[model.weights] or not model.name then return nil end
  local published = select(2, require("tandem.language.generation").architecture(model.name))
  return not FP8[published] and "fp8" or nil
end

-- Options in their order, the empty value for a flag.
local function listed()
  local out = {}
  return out, function(option, value)
    if value == nil or value == false then return end
    out[#out + 1] = option
    if value ~= true then
      out[#out + 1] = type(value) == "number" and ("%.14g"):format(value) or tostring(value)
    end
  end
end

local function more_than(value, least) return value and value > least and value or nil end

-- What no option of the server says.
local function notes_of(pool, known)
  local out, engine = {}, pool.engine
  if engine.speculation then
    out[#out + 1] = ("speculation was simulated with %d drafted tokens and an acceptance of %g: "
      .. "which method drafts them, set yourself"):format(engine.speculation.tokens,
      engine.speculation.acceptance)
  end
  for _, key in ipairs { "order", "admit", "preempt", "chunk" } do
    local value = engine[key]
    if type(value) == "function" or type(value) == "table" then
      out[#out + 1] = ("engine.%s is a function of the scenario: the server has no such policy")
        :format(key)
    elseif known[key] and value ~= nil and not known[key][value] then
      out[#out + 1] = ("engine.%s = \"%s\" was simulated; the server has no option for it")
        :format(key, tostring(value))
    end
  end
  if engine.batching == "batch" then
    out[#out + 1] = "whole batches were simulated; this server batches continuously"
  end
  return out
end

local writers = {}

function writers.vllm(server, pool)
  local out, add = listed()
  local engine, shape = pool.engine, pool.shape
  add("--served-model-name", server.model)
  add("--tensor-parallel-size", shape.tp)
  add("--pipeline-parallel-size", more_than(shape.pp, 1))
  add("--data-parallel-size", more_than(shape.dp, 1))
  add("--enable-expert-parallel", shape.ep > 1)
  add("--gpu-memory-utilization", engine.memory)
  add("--max-num-seqs", engine.max_seqs)
  add("--max-num-batched-tokens", engine.max_batched_tokens)
  add("--block-size", engine.block_tokens)
  add(engine.prefix_caching and "--enable-prefix-caching" or "--no-enable-prefix-caching", true)
  add(engine.chunked_prefill and "--enable-chunked-prefill" or "--no-enable-chunked-prefill", true)
  add("--long-prefill-token-threshold", more_than(engine.long_prefill_tokens, 0))
  add(engine.plans_ahead and "--async-scheduling" or "--no-async-scheduling", true)
  add("--scheduling-policy", engine.order == "priority" and "priority" or nil)
  add("--quantization", quantization_of(shape))
  add("--kv-cache-dtype", FP8[shape.model.kv] and "fp8" or nil)
  if pool.role ~= "whole" then
    add("--kv-transfer-config", json.encode { kv_connector = "NixlConnector", kv_role = "kv_both" })
  end
  return out, notes_of(pool, { order = { fcfs = true, priority = true }, admit = { input = true },
    preempt = { last = true }, chunk = { greedy = true } })
end

local SGLANG_ORDERS <const> = { fcfs = "fcfs", longest_prefix = "lpm", prefix_weight = "dfs-weight",
  priority = "fcfs" }

function writers.sglang(server, pool)
  local out, add = listed()
  local engine, shape = pool.engine, pool.shape
  add("--served-model-name", server.model)
  -- SGLang divides the attention of its tp GPUs among dp.
  add("--tp-size", shape.tp * shape.dp)
  add("--pp-size", more_than(shape.pp, 1))
  add("--dp-size", more_than(shape.dp, 1))
  add("--enable-dp-attention", shape.dp > 1)
  add("--ep-size", more_than(shape.ep, 1))
  add("--mem-fraction-static", engine.memory)
  add("--max-running-requests", engine.max_seqs)
  add("--chunked-prefill-size", engine.chunked_prefill and engine.max_batched_tokens or -1)
  add("--max-prefill-tokens", more_than(engine.max_prefill_tokens, 0))
  add("--page-size", engine.block_tokens)
  add("--schedule-policy", SGLANG_ORDERS[engine.order])
  add("--enable-priority-scheduling", engine.order == "priority")
  add("--disable-radix-cache", not engine.prefix_caching)
  add("--disable-overlap-schedule", not engine.plans_ahead)
  add("--quantization", quantization_of(shape))
  add("--kv-cache-dtype", FP8[shape.model.kv] and "fp8_e4m3" or nil)
  add("--enable-metrics", true)
  return out, notes_of(pool, { order = SGLANG_ORDERS, admit = { estimate = true },
    preempt = { least_output = true }, chunk = { greedy = true } })
end

function writers.tensorrt_llm(_, pool)
  local out, add = listed()
  local engine, shape = pool.engine, pool.shape
  add("--backend", "pytorch")
  add("--tp_size", shape.tp * shape.dp)
  add("--pp_size", more_than(shape.pp, 1))
  add("--ep_size", more_than(shape.ep, 1))
  add("--kv_cache_free_gpu_memory_fraction", engine.memory)
  add("--max_batch_size", engine.max_seqs)
  add("--max_num_tokens", engine.max_batched_tokens)
  add("--enable_chunked_prefill", engine.chunked_prefill == true)
  local notes = notes_of(pool, { order = { fcfs = true }, admit = { maximum = true },
    preempt = { last = true }, chunk = { blocks = true } })
  if shape.dp > 1 then
    notes[#notes + 1] = "enable_attention_dp: true belongs into TensorRT-LLM's own options: "
      .. ("attention was simulated on %d times %s"):format(shape.dp,
        format.plural(shape.tp, "GPU"))
  end
  for _, key in ipairs { "weights", "kv" } do
    if FP8[shape.model[key]] then
      notes[#notes + 1] = ("%s in FP8 were simulated: TensorRT-LLM takes that from its checkpoint "
        .. "and its own options"):format(key == "kv" and "KV blocks" or "weights")
    end
  end
  return out, notes
end

local COMMANDS <const> = {
  vllm = function(server) return { "vllm", "serve", server.weights } end,
  sglang = function(server)
    return { "python3", "-m", "sglang.launch_server", "--model-path", server.weights }
  end,
  tensorrt_llm = function(server) return { "trtllm-serve", server.weights } end,
}

local IMAGES <const> = { vllm = "vllm/vllm-openai:v%s", sglang = "lmsysorg/sglang:v%s",
  tensorrt_llm = "nvcr.io/nvidia/tensorrt-llm/release:%s" }

--- What runs the server: the words of its command, its options, and what no option says.
---@param server tandem.DeployedServer
---@param pool tandem.DeployedPool
---@return string[] command
---@return string[] options
---@return string[] notes
function launch.arguments(server, pool)
  local options, notes = writers[server.server](server, pool)
  return COMMANDS[server.server](server), options, notes
end

--- The container image of a server; the newest where the scenario names no version.
---@param server tandem.DeployedServer
---@return string image
---@return string|nil note
function launch.image(server)
  local version = server.version and server.version:gsub("^v", "")
  local image = IMAGES[server.server]
  if version then return image:format(version) end
  return (image:gsub("v?%%s$", "latest")),
    "The scenario names no version of its server: set the image's tag to the one you measured."
end

--- Notes of all pools of a server, each once, as sentences.
---@param deployed tandem.Deployed
---@return string[]
function launch.notes(deployed)
  local out, seen = {}, {}
  local function say(text)
    if text and not seen[text] then seen[text], out[#out + 1] = true, text end
  end
  for _, server in ipairs(deployed.servers) do
    for _, pool in ipairs(server.pools) do
      local _, _, notes = launch.arguments(server, pool)
      for _, note in ipairs(notes) do say(("%s: %s."):format(server.name, note)) end
    end
  end
  return out
end

-- Options beside their values, some to a line.
local function wrapped(words)
  local lines, line = {}, ""
  local i = 1
  while i <= #words do
    local piece = shell.word(words[i])
    while words[i + 1] and not words[i + 1]:find "^%-%-" and words[i]:find "^%-%-" do
      i = i + 1
      piece = piece .. " " .. shell.word(words[i])
    end
    if line ~= "" and #line + #piece > 90 then
      lines[#lines + 1], line = line, "  " .. piece
    else
      line = line == "" and piece or line .. " " .. piece
    end
    i = i + 1
  end
  lines[#lines + 1] = line
  return table.concat(lines, " \\\n")
end

--- The shell script: one command a pool, as often as it has replicas.
---@param deployed tandem.Deployed
---@return string
function launch.text(deployed)
  local out = { "#!/bin/sh\n" .. deploy.head(deployed, launch.notes(deployed)) }
  for _, server in ipairs(deployed.servers) do
    for _, pool in ipairs(server.pools) do
      local words, options = launch.arguments(server, pool)
      table.move(options, 1, #options, #words + 1, words)
      out[#out + 1] = ("# %s%s: %s of %s %s each"):format(server.name,
        pool.role ~= "whole" and ", " .. pool.role or "",
        format.plural(pool.replicas, "replica"), format.integer(pool.gpus), pool.gpu)
      out[#out + 1] = wrapped(words) .. "\n"
    end
  end
  return table.concat(out, "\n")
end

return launch
