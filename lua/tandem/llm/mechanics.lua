--- What an LLM engine does beside continuous batching: static and dynamic batches.
-- Owns these keys of a td.generate's engine, what is wrong with them, and what core gets of them;
-- whose turn it is and how long steps take are others'. Called by generation.lua.

local mechanics = {}

mechanics.keys = {
  batching = { kind = "enum", of = { "continuous", "dynamic", "static" }, default = "continuous" },
  wait = { kind = "quantity", dim = "s",
    doc = "dynamic: how long the oldest waits for company; 0 unless told" },
  returns_together = { kind = "boolean" },
}

local function check_batching(ctx, c)
  if c.batching == "continuous" then
    for _, key in ipairs { "wait", "returns_together" } do
      if c[key] ~= nil then
        ctx:problem(key, "is of batches; continuous batching has none (batching = \"dynamic\")")
      end
    end
    return
  end
  if c.batching == "static" and c.wait then
    ctx:problem("wait", "a static batch waits until it is full; drop wait, or batching = \"dynamic\"")
  end
  for _, key in ipairs { "prefix_caching", "plans_ahead" } do
    if c[key] then ctx:problem(key, "is for continuous batching") end
  end
end

--- Finishes and checks a written engine.
---@param ctx table
---@param c table
function mechanics.finish(ctx, c)
  check_batching(ctx, c)
  local continuous = c.batching == "continuous"
  if c.prefix_caching == nil then c.prefix_caching = continuous end
  if not continuous and c.returns_together == nil then c.returns_together = true end
end

--- Adds to core's configuration what a checked engine says.
---@param config table
---@param engine table
function mechanics.settle(config, engine)
  if engine.batching == "continuous" then return end
  config.batching = "batch"
  config.batch_returns_together = engine.returns_together
  if engine.batching == "dynamic" then
    config.batch_wait_ns = math.floor((engine.wait or 0) * 1e9 + 0.5)
  end
end

return mechanics
