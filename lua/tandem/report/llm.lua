--- What a report says of LLM servers: their times, rates and KV caches.
-- Owns which figures are shown and how they are called; layout is text/columns.lua's. Called by
-- report/text.lua and result:table "llm".
local format = require "tandem.text.format"
local styles = require "tandem.plot.style"

local llm = {}

local TIMES = { { "ttft", "TTFT" }, { "tpot", "TPOT" }, { "itl", "ITL" }, { "e2e", "E2E" },
  { "queueing", "queueing" }, { "normalized", "E2E/token" }, { "transfer", "transfer" } }
local FIELDS = { "mean", "p50", "p90", "p99" }

local function row_of(label, times)
  local row = { label }
  for _, field in ipairs(FIELDS) do
    row[#row + 1] = times[field].value and format.estimate(times[field], "time") or "–"
  end
  row[#row + 1] = times.max and format.time(times.max) or "–"
  return row
end

--- Times of each server; of each class too, where several share one.
---@param result tandem.Result
---@return tandem.Column[] titles
---@return tandem.Cell[][] rows
function llm.times(result)
  local titles, rows = { { title = "server" } }, {}
  for _, field in ipairs(FIELDS) do titles[#titles + 1] = { title = field, align = "right" } end
  titles[#titles + 1] = { title = "max", align = "right", optional = 1 }
  for _, server in ipairs(result.llm or {}) do
    local name = styles.clean(server.name)
    for _, time in ipairs(TIMES) do
      if server[time[1]] then
        rows[#rows + 1] = row_of(name .. " " .. time[2], server[time[1]])
      end
      for _, class in ipairs(#server.classes > 1 and server.classes or {}) do
        if class[time[1]] then
          rows[#rows + 1] = row_of("  " .. styles.clean(class.name), class[time[1]])
        end
      end
    end
  end
  return titles, rows
end

local OF_TENANTS <const> = { { "tokens/s", "output_tokens_per_s", nil, "count" },
  { "goodput", "goodput_rps", nil, "rate" }, { "queueing", "queueing", "mean", "time" },
  { "TTFT", "ttft", "mean", "time" }, { "p99", "ttft", "p99", "time" },
  { "TPOT", "tpot", "mean", "time" }, { "p99", "tpot", "p99", "time" },
  { "ITL p99", "itl", "p99", "time" },
  { "end to end", "e2e", "mean", "time" }, { "p99", "e2e", "p99", "time" } }

--- What tenants of a server were given; no rows where it has one or none.
---@param server table
---@return tandem.Column[] titles
---@return tandem.Cell[][] rows
function llm.tenants(server)
  local titles, rows = { { title = "tenant" } }, {}
  for i, one in ipairs(OF_TENANTS) do
    titles[#titles + 1] = { title = one[1], align = "right", optional = i > 5 and i or nil }
  end
  for _, tenant in ipairs(#(server.tenants or {}) > 1 and server.tenants or {}) do
    local row = { styles.clean(tenant.name) }
    for _, one in ipairs(OF_TENANTS) do
      local estimate = tenant[one[2]]
      if one[3] then estimate = estimate and estimate[one[3]] end
      row[#row + 1] = estimate and estimate.value and format.estimate(estimate, one[4]) or "–"
    end
    rows[#rows + 1] = row
  end
  return titles, rows
end

local HELD <const> = { { "blocks", "requests wait for KV blocks" },
  { "seqs", "as many sequences run as may (max_seqs)" },
  { "tokens", "steps are full of tokens (max_batched_tokens)" },
  { "rule", "a rule of the scheduler makes requests wait" } }

--- What keeps requests out of steps most of the time, in words, and how much of it.
---@param server table
---@return string why
---@return number share
function llm.held_most(server)
  local why, most = "", 0
  for _, one in ipairs(HELD) do
    local share = server.held and server.held[one[1]].value or 0
    if share > most then why, most = one[2], share end
  end
  return why, most
end

-- Tiers below the KV cache: what was found there, what moved, what loads cost requests.
local function add_tiers(rows, server)
  for _, tier in ipairs(server.kv_tiers or {}) do
    rows[#rows + 1] = { styles.clean(tier.name), format.estimate(tier.cached, "percent"),
      ("of the prompt tokens found there, by %s of the requests; loads %s/s, stores %s/s"):format(
        format.percent(tier.requests.value or 0), format.bytes(tier.loaded_bytes_per_s.value or 0),
        format.bytes(tier.stored_bytes_per_s.value or 0)) }
  end
  if server.load_wait_s and (server.load_wait_s.value or 0) > 0 then
    rows[#rows + 1] = { "loads", format.estimate(server.load_wait_s, "time"),
      "a request, waiting for blocks from there" }
  end
end

--- The rest of a server's figures: name, figure, what it is.
---@param server table
---@return string[][]
function llm.facts(server)
  local replicas = format.plural(server.replicas, "replica")
  local rows = {
    { "output", format.estimate(server.output_tokens_per_s, "count") .. " tokens/s",
      server.gpus > 0 and ("%s a GPU (%s on %s)"):format(
        format.quantity(server.output_tokens_per_s_gpu.value or 0, "count"), replicas,
        format.plural(server.gpus, "GPU")) or replicas },
    { "prompts", format.estimate(server.prompt_tokens_per_s, "count") .. " tokens/s",
      (server.cached.value or 0) > 0 and format.percent(server.cached.value)
        .. " of them found in the cache" or "" },
    { "batch", format.estimate(server.batch, "count"),
      ("sequences a step, of %s"):format(format.time(server.step_s.value or 0)) },
    { "KV cache", format.estimate(server.kv_mean, "percent"),
      ("of %s blocks of %s; at most %s"):format(format.integer(server.kv_blocks),
        format.plural(server.block_tokens, "token"), format.percent(server.kv_peak.value or 0)) },
  }
  add_tiers(rows, server)
  if server.usd_per_million_tokens then
    table.insert(rows, 2, { "cost", format.estimate(server.usd_per_million_tokens, "money"),
      ("a million output tokens, at %s an hour"):format(
        format.quantity(server.usd_per_hour, "money")) })
  end
  if server.fairness and server.fairness.value and #server.tenants > 1 then
    rows[#rows + 1] = { "fairness", format.estimate(server.fairness, "count"),
      ("Jain's index of the %d tenants' tokens by shares: 1 when each had what was due to it")
        :format(#server.tenants - (server.tenants[#server.tenants].name == "others" and 1 or 0)) }
  end
  local why, share = llm.held_most(server)
  if share >= 0.001 then
    rows[#rows + 1] = { "held back", format.percent(share), "of the time: " .. why }
  end
  for _, pool in ipairs(server.pools or {}) do
    rows[#rows + 1] = { styles.clean(pool.name), format.estimate(pool.batch, "count"),
      ("a step, of %s; KV cache at most %s%s"):format(format.time(pool.step_s.value or 0),
        format.percent(pool.kv_peak.value or 0),
        pool.gpus > 0 and "; " .. format.plural(pool.gpus, "GPU") or "") }
  end
  if server.transfer_bytes_per_s and server.transfer_bytes_per_s.value then
    rows[#rows + 1] = { "KV caches",
      format.bytes(server.transfer_bytes_per_s.value) .. "/s",
      "from prefill to decode replicas" }
  end
  if (server.replicas_mean.value or server.replicas) ~= server.replicas then
    rows[#rows + 1] = { "replicas", format.estimate(server.replicas_mean, "count"),
      ("of %d on average, %d at most%s"):format(server.replicas, server.replicas_peak.value,
        server.gpus > 0 and (": %s GPU-hours"):format(
          format.quantity(server.gpu_seconds.value / 3600, "count")) or "") }
  end
  if (server.restarts.value or 0) > 0 then
    rows[#rows + 1] = { "begun anew", format.estimate(server.restarts, "count"),
      "times a request, because a replica failed" }
  end
  if server.power_w then
    rows[#rows + 1] = { "power", format.estimate(server.power_w, "count") .. " W",
      ("of the GPUs; %s J an output token"):format(
        format.quantity(server.joules_per_output_token.value or 0, "count")) }
  end
  if server.api then
    rows[#rows + 1] = { "API server", format.estimate(server.api, "percent"),
      "of its workers' time" .. ((server.api.value or 0) > 0.9
        and ": it is what requests wait for" or "") }
  end
  if (server.preemptions.value or 0) > 0 then
    rows[#rows + 1] = { "preempted", format.estimate(server.preemptions, "count"),
      "times a request" }
  end
  if (server.swapped_out.value or 0) > 0 then
    rows[#rows + 1] = { "swapped", format.estimate(server.swapped_out, "count"),
      "tokens a request to host memory and back" }
  end
  if server.accepted.value then
    rows[#rows + 1] = { "accepted", format.estimate(server.accepted, "percent"),
      "of the drafted tokens" }
  end
  if (server.adapter_loads.value or 0) > 0 then
    rows[#rows + 1] = { "adapters", format.estimate(server.adapter_loads, "count"),
      "loads a request" }
  end
  return rows
end

--- What was not measured of what steps are made of, while the scenario is known.
---@param result tandem.Result
---@param server table  of result.llm
---@return string[]
function llm.step_notes(result, server)
  local scenario = result.scenario and result:scenario()
  local checked = scenario and rawget(scenario, "checked")
  if not checked then return {} end
  local out = require("tandem.llm.deployment").notes(checked, server.name)
  local seen = {}
  -- Where the model's doubt is told, this is told with it.
  for _, one in ipairs(result.doubt and {} or require("tandem.doubt").of(scenario, {})) do
    local text = one.server == server.name
      and require("tandem.report.doubt").unmeasured(require("tandem.doubt").record(one))
    if text and not seen[text] then out[#out + 1], seen[text] = text, true end
  end
  return out
end

return llm
