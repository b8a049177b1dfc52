--- What is planted: kinds of faults, each with what the program is without it.
--
-- Owns the kinds: what a kind sets in a program of program.lua, what undoes it, with the costs that
-- undoing really has, and which rules of advice name it. Called by judge.lua.
local faults = {}

---@class tests.Fault
---@field name string
---@field rules string[]   any of them names it
---@field shapes? boolean      it shows in shapes of operators alone
---@field busy? number        how busy its GPU is without it, where gaps between short kernels count
---@field plant fun(p: table, d: tests.Draws)
---@field mend fun(p: table, d: tests.Draws)

-- What a step's GPU work takes, roughly, in µs: how large a fault must be to matter.
local function step_us(p)
  local h = p.hidden
  local products = 2.0 * p.tokens * h * h * (3 + 1 + 4 + 4) / (989e12 * p.efficiency) * 1e6
  return 3 * p.layers * (products + p.attention_us + 77) + 600
end

-- Kernels that take so many times what the host takes to launch them.
local function against_host(p, times)
  local layer_us = (step_us(p) - 600) / (3 * p.layers)
  p.scale = times * 8 * (p.op_us + 5.5) / layer_us
end

--- The kinds, in the order in which a run of `make accuracy` goes through them.
---@type tests.Fault[]
faults.kinds = {
  { name = "loader without workers", rules = { "data-loader" },
    plant = function(p, d) p.item, p.load_us = true, step_us(p) * d:within("size", 0.15, 0.9) end,
    mend = function(p, d) p.prefetched, p.slower = true, d:within("beside", 1, 1.3) end },
  { name = "too few workers", rules = { "data-loader" },
    plant = function(p, d) p.item, p.late_us = true, step_us(p) * d:within("size", 0.15, 0.9) end,
    mend = function(p) p.late_us = nil end },
  { name = "pageable inputs", rules = { "async-pageable" },
    plant = function(p, d)
      local rate = d:within("rate", 6, 12)
      p.item, p.input = true, { count = d:within("pieces", 1, 4) // 1 | 0, memory = "Pageable",
        rate = rate, stream = 7 }
      p.input.bytes = step_us(p) * d:within("size", 0.15, 0.6) * rate * 1e3 / p.input.count
    end,
    mend = function(p, d)
      p.input.memory, p.input.rate = "Pinned", p.link * d:within("reached", 0.8, 1)
    end },
  { name = "synchronous copies", rules = { "sync-memcpy" },
    plant = function(p, d)
      p.item, p.input = true, { count = d:within("pieces", 1, 4) // 1 | 0, memory = "Pinned",
        rate = p.link, stream = 7, waits = true, call = "cudaMemcpy" }
      p.input.bytes = step_us(p) * d:within("size", 0.15, 0.6) * p.link * 1e3 / p.input.count
    end,
    mend = function(p) p.input.waits, p.input.call, p.input.stream = nil, nil, 20 end },
  { name = "synchronous memsets", rules = { "sync-memset", "oversynchronization" },
    plant = function(p, d) p.memsets = d:within("count", 8, 16) // 1 | 0 end,
    mend = function(p) p.memset_async = true end },
  { name = "waits for values", rules = { "oversynchronization" },
    plant = function(p, d)
      p.waits, p.op_us = "value", d:within("host", 14, 20)
      against_host(p, d:within("kernels", 1.4, 1.8))
    end,
    mend = function(p) p.waits, p.item = nil, nil end }, -- all that are found, a step's too
  { name = "waits for the device", rules = { "oversynchronization" },
    plant = function(p, d)
      p.waits, p.op_us = "device", d:within("host", 14, 20)
      against_host(p, d:within("kernels", 1.4, 1.8))
    end,
    mend = function(p) p.waits = nil end },
  { name = "time that nothing records", rules = { "gpu-gaps", "low-utilization" },
    plant = function(p, d)
      p.item, p.unrecorded_us = true, step_us(p) * d:within("size", 0.15, 0.9)
    end,
    mend = function(p) p.unrecorded_us = nil end },
  { name = "a sparse phase", rules = { "low-utilization", "gpu-gaps", "host-work", "launch-bound",
    "uncaptured-graphs" },
    plant = function(p, d)
      local us = d:within("pause", 100, 600)
      p.item = true
      p.sparse = { us = us, count = step_us(p) * d:within("size", 0.2, 0.8) // us | 0 }
    end,
    mend = function(p) p.sparse.us = 0 end },
  { name = "launch bound", rules = { "launch-bound", "uncaptured-graphs", "host-work" },
    plant = function(p, d)
      p.op_us = d:within("host", 20, 40)
      against_host(p, d:within("kernels", 0.15, 0.5))
    end,
    mend = function(p) p.slower, p.launches = 0.02, 0.1 end },
  { name = "no graph", rules = { "uncaptured-graphs", "launch-bound" }, busy = 0.6,
    plant = function(p, d)
      p.op_us = d:within("host", 2, 5)
      against_host(p, d:within("kernels", 0.3, 0.7))
    end,
    mend = function(p) p.slower, p.launches = 0.05, 0.1 end },
  { name = "short kernels", rules = { "small-kernels" },
    plant = function(p, d)
      p.graph = { count = step_us(p) * d:within("size", 0.3, 0.9) // 4 | 0,
        us = d:within("us", 2, 3.5), gap = d:within("gap", 0.9, 1.6) }
    end,
    mend = function(p, d)
      local of = d:within("fused", 8, 24) // 1 | 0
      p.graph.count, p.graph.us = p.graph.count // of, p.graph.us * of
    end },
  { name = "communication alone", rules = { "exposed-communication" },
    plant = function(p, d)
      p.ranks, p.exposed = 2, true
      p.reduce_us = step_us(p) * d:within("size", 0.15, 0.5) / p.layers
    end,
    mend = function(p) p.exposed = nil end },
  { name = "copies alone", rules = { "exposed-copies" },
    plant = function(p, d)
      p.input = { count = 1, memory = "Pinned", rate = p.link, stream = 7 }
      p.input.bytes = step_us(p) * d:within("size", 0.15, 0.6) * p.link * 1e3
    end,
    mend = function(p) p.input.stream = 20 end },
  { name = "no tensor cores", rules = { "tensor-cores-unused" },
    plant = function(p, d) p.plain = d:within("times", 5, 7.4) end,
    mend = function(p) p.plain = nil end },
  { name = "a slow link", rules = { "slow-copies", "exposed-copies" },
    plant = function(p, d)
      local rate = p.link * d:within("rate", 0.15, 0.4)
      p.input = { count = 1, memory = "Pinned", rate = rate, stream = 7 }
      p.input.bytes = step_us(p) * d:within("size", 0.2, 0.8) * rate * 1e3
    end,
    mend = function(p) p.input.rate = p.link end },
  { name = "a straggler", rules = { "stragglers" },
    plant = function(p, d)
      p.ranks, p.late_rank, p.late_times = 2, 1, d:within("times", 1.15, 1.6)
    end,
    mend = function(p) p.late_times = 1 end },
  { name = "weights from the host", rules = { "repeated-copies" },
    plant = function(p, d)
      p.weights_bytes = step_us(p) / (2 * p.layers) * d:within("size", 0.5, 3) * p.link * 1e3
    end,
    mend = function(p) p.weights_bytes = nil end },
  { name = "attention in pieces", rules = { "unfused-attention" },
    plant = function(p, d) p.unfused = d:within("times", 3.5, 9) end,
    mend = function(p) p.unfused = nil end },
  { name = "odd sizes", rules = { "unaligned-products" }, shapes = true,
    plant = function(p, d) p.odd = d:within("times", 3, 6) end,
    mend = function(p) p.odd = nil end },
  { name = "operators of the host", rules = { "host-work", "gpu-gaps" },
    plant = function(p, d) p.item, p.host_us = true, step_us(p) * d:within("size", 0.2, 0.9) end,
    mend = function(p) p.host_us = nil end },
}

-- Those that may stand together: they set different parts of a program.
local ASIDE <const> = { ["loader without workers"] = "loads", ["too few workers"] = "loads",
  ["pageable inputs"] = "input", ["synchronous copies"] = "input", ["copies alone"] = "input",
  ["a slow link"] = "input", ["time that nothing records"] = "between",
  ["operators of the host"] = "between", ["weights from the host"] = "weights",
  ["no tensor cores"] = "kernels", ["attention in pieces"] = "attention" }

--- Two kinds that a program can have at once.
---@param d tests.Draws
---@return tests.Fault[]
function faults.two(d)
  local list = {}
  for _, kind in ipairs(faults.kinds) do
    if ASIDE[kind.name] then list[#list + 1] = kind end
  end
  local one = d:one_of("first of two", list)
  local others = {}
  for _, kind in ipairs(list) do
    if ASIDE[kind.name] ~= ASIDE[one.name] then others[#others + 1] = kind end
  end
  return { one, d:one_of("second of two", others) }
end

return faults
