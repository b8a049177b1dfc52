--- Pipeline steps as data: what a request does, in order.
-- A kind of step is one file of this room, named in KINDS: its keys, words and example, what it
-- wants of the rest of a scenario, how it is lowered to the engine's few operations and how it
-- reads. Owns the list, and the record that several kinds take: batch. The parts are called by
-- check/scenario.lua, lower/steps.lua and scenario/describe.lua.

local keys = require "tandem.language.keys"
local node = require "tandem.language.node"

---@class tandem.StageKind : tandem.Spec
---@field station string|nil          where it runs where nobody says; nil: nowhere of its own
---@field uses_gpu (fun(s: table): boolean)|nil  whether a GPU must have been chosen before it
---@field check (fun(s: table, at: tandem.StepFacts))|nil  what it wants of GPUs and resources
---@field lower fun(to: tandem.Lowering, s: table)
---@field text (fun(s: table, words: fun(v: any, dim: string): string): string)|nil  in a few words

local KINDS <const> = { "fixed", "transfer", "tokens", "compute", "table", "stage", "delay",
  "generate", "branch", "loop", "fork", "hold", "process" }

node.types.batch = { type = "batch", group = "record", positional = { "max" },
  keys = { max = keys.quantity("1", { required = true, integer = true, min = 1 }),
    wait = keys.quantity("s", { doc = "how long the oldest member waits for company" }),
    preferred = { kind = "list", min = 1, of = keys.quantity("1", { integer = true, min = 1 }) },
    static = { kind = "boolean", doc = "always wait until full" },
    decide = { kind = "fn" } },
  finish = function(ctx, c)
    if c.decide and (c.static or c.preferred) then
      ctx:problem("decide", "decides alone; drop static and preferred")
    end
    for _, p in ipairs(c.preferred or {}) do
      if c.max and p > c.max then ctx:problem("preferred", ("%d is above max"):format(p)) end
    end
    if c.static and c.wait then
      ctx:problem("wait", "a static batch waits until it is full; drop wait or static")
    end
  end }

local stages = {}

for _, name in ipairs(KINDS) do
  local kind = require("tandem.language.stages." .. name)
  kind.group, kind.named = "stage", true
  stages[kind.type] = node.define(kind)
end

return stages
