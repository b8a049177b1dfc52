--- Flame graphs: the stacks of an answer, or of two answers merged, as one list of frames.
--
-- Owns `tandem.FlameGraph`. Frames are in preorder, the heaviest first; a frame has its own weight
-- and its total, and with a second run the same of that. Drawn by flame/svg.lua and page/flame.lua,
-- written by flame/folded.lua and flame/speedscope.lua.
local flame = {}

---@class tandem.FlameFrame
---@field depth integer  0: everything
---@field name string
---@field category string
---@field self integer
---@field total integer
---@field count integer|nil
---@field was_self integer|nil   of the other run
---@field was_total integer|nil

---@class tandem.FlameGraph
---@field title string
---@field answer tandem.Answer
---@field against tandem.Answer|nil
---@field unit "ns"|"samples"
---@field frames tandem.FlameFrame[]

local GATHERED <const> = "gathered"

local function unit_of(answer)
  local first = answer:frame("stacks").rows[1]
  return first and (first.total_ns and "ns" or "samples") or nil
end

local function frames_of(answer, unit)
  local frames = {}
  for i, row in ipairs(answer:frame("stacks").rows) do
    frames[i] = { depth = row.depth, name = row.name or "", category = row.category,
      self = row["self_" .. unit], total = row["total_" .. unit], count = row.count }
  end
  return frames
end

-- ---- two runs ----

local function child_of(node, frame)
  -- How many frames were gathered is no part of what they are.
  local key = frame.category == GATHERED and GATHERED or frame.category .. "\0" .. frame.name
  local child = node.by[key]
  if not child then
    child = { name = frame.name, category = frame.category, by = {}, children = {}, order =
      #node.children, self = 0, total = 0, was_self = 0, was_total = 0 }
    node.by[key] = child
    node.children[#node.children + 1] = child
  end
  return child
end

local function add(root, frames, prefix)
  local path = { [0] = root }
  for _, frame in ipairs(frames) do
    local node = frame.depth == 0 and root or child_of(path[frame.depth - 1], frame)
    path[frame.depth] = node
    node[prefix .. "self"] = node[prefix .. "self"] + frame.self
    node[prefix .. "total"] = node[prefix .. "total"] + frame.total
    if prefix == "" then node.count = frame.count end
  end
end

local function heavier(a, b)
  local x, y = math.max(a.total, a.was_total), math.max(b.total, b.was_total)
  if x ~= y then return x > y end
  return a.order < b.order
end

local function preorder(root)
  local frames, stack = {}, { { root, 0 } }
  while #stack > 0 do
    local node, depth = table.unpack(table.remove(stack))
    frames[#frames + 1] = { depth = depth, name = node.name, category = node.category,
      self = node.self, total = node.total, count = node.count, was_self = node.was_self,
      was_total = node.was_total }
    table.sort(node.children, heavier)
    for i = #node.children, 1, -1 do stack[#stack + 1] = { node.children[i], depth + 1 } end
  end
  return frames
end

local function merged(now, was)
  local root = { name = "all", category = "all", by = {}, children = {}, order = 0, self = 0,
    total = 0, was_self = 0, was_total = 0 }
  add(root, now, "")
  add(root, was, "was_")
  return preorder(root)
end

-- ---- the graph ----

--- The graph of an answer of `flame`; nil where it has no stacks. With a second answer: what
--- changed since then.
---@param answer tandem.Answer
---@param against? tandem.Answer
---@return tandem.FlameGraph|nil
---@return string|nil message
function flame.of(answer, against)
  local unit = unit_of(answer)
  if not unit then return nil, "there are no stacks: " .. table.concat(answer.cannot, "; ") end
  local frames = frames_of(answer, unit)
  if against then
    local other = unit_of(against)
    if not other then
      return nil, "the other run has no stacks: " .. table.concat(against.cannot, "; ")
    elseif other ~= unit then
      return nil, ("one run has %s, the other %s"):format(unit, other)
    end
    frames = merged(frames, frames_of(against, unit))
  end
  return { title = answer.run.name, answer = answer, against = against, unit = unit,
    frames = frames }
end

--- A weight in words.
---@param graph tandem.FlameGraph
---@param weight number
---@return string
function flame.words(graph, weight)
  local format = require "tandem.text.format"
  if graph.unit == "ns" then return format.time(weight / 1e9) end
  return format.plural(weight, "sample")
end

--- Kinds of frames as people read them, in the order of the legend; flame.js has the same.
flame.KINDS = { { "kernel", "kernels" }, { "graph", "graphs" }, { "stage", "services" },
  { "memcpy", "copies" }, { "memset", "memsets" }, { "cpu_op", "operators" },
  { "sample", "sampled frames" }, { "frame", "sampled frames" }, { "python_function", "Python" },
  { "nvtx", "NVTX ranges" }, { "user_annotation", "annotations" }, { "runtime", "runtime calls" },
  { "driver", "driver calls" }, { "osrt", "operating system" }, { "mpi", "MPI" },
  { "nccl", "NCCL" } }

local WORDS <const> = {}
for _, one in ipairs(flame.KINDS) do WORDS[one[1]] = one[2] end

--- A kind of frames in words.
---@param category string
---@return string
function flame.kind(category) return WORDS[category] or category end

-- Which colour of the eight a category has.
local COLORS <const> = { nvtx = 3, user_annotation = 3, cpu_op = 1, python_function = 5,
  runtime = 2, driver = 8, osrt = 4, mpi = 7, nccl = 7, sample = 1, frame = 1, kernel = 6,
  memcpy = 4, memset = 4, graph = 6, stage = 6 }

--- The colour of a category, 1 … 8; 0: grey, what only holds frames together.
---@param category string
---@return integer
function flame.color(category) return COLORS[category] or 0 end

return flame
