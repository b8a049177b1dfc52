--- A run as rules of advice see it: what can be counted, what its files say, numbers in words.
--
-- Owns `tandem.AdviceView`. It is all that a rule can reach: no store, no SQL. Called by
-- tandem.advice.
local card = require "tandem.analysis.card"
local format = require "tandem.text.format"

local view = {}

---@class tandem.AdviceView
---@field private inner tandem.View
local AdviceView = { __name = "tandem.AdviceView" }

-- Rules get a table without the inner view: it is reached through this.
local inner_of = setmetatable({}, { __mode = "k" })
AdviceView.__index = AdviceView
AdviceView.__metatable = false

---@param inner tandem.View
---@return tandem.AdviceView
function view.new(inner)
  local made = setmetatable({}, AdviceView)
  inner_of[made] = { view = inner, counted = {} }
  return made
end

local function key_of(name, options)
  local parts = { name }
  for _, key in ipairs(require("tandem.text.nearest").sorted_keys(options or {})) do
    parts[#parts + 1] = ("%s=%s"):format(key, tostring(options[key]))
  end
  return table.concat(parts, "\0")
end

--- What C counts, the rows by the names of its tables: view:count("kernels", { each = "device" })
--- .kernels. Besides the analyses there is the evidence of src/analysis/evidence.
---@param name string
---@param options? table
---@return table<string, table[]>
function AdviceView:count(name, options)
  local of, key = inner_of[self], key_of(name, options)
  if not of.counted[key] then
    if name == "evidence-causes" then of.view:trim(0) end -- the graph is larger than all else
    local raw, message, code = of.view:count(name, options)
    if not raw then error({ message = message, code = code }, 0) end
    local frames = {}
    for _, frame in ipairs(raw.frames) do frames[frame.name] = frame.rows end
    of.counted[key] = frames
  end
  return of.counted[key]
end

--- GPUs that worked: { device, rank, elapsed_ns, busy_ns }.
---@return table[]
function AdviceView:devices() return self:count("evidence-idle").devices end

local function key_of_device(row) return ("%s\0%s"):format(row.device, row.rank) end

--- The one of a row's device and rank.
---@param row table
---@return table
function AdviceView:device(row)
  local of = inner_of[self]
  if not of.devices then
    of.devices = {}
    for _, device in ipairs(self:devices()) do
      local key = key_of_device(device)
      of.devices[key] = of.devices[key] or device
    end
  end
  return of.devices[key_of_device(row)] or { elapsed_ns = 0, busy_ns = 0 }
end

--- "GPU #0", with its rank where it has one.
---@param row table
---@return string
function AdviceView:where(row)
  return (row.device or "") .. (row.rank and (" of rank %d"):format(row.rank) or "")
end

-- The longest of all GPUs, as evidence.
local function longest_of(view_, picked, say)
  local rows = {}
  for i, one in ipairs(picked.worst) do
    rows[i] = { what = say(one), where = view_:where(one), start_ns = one.start_ns,
      dur_ns = one.dur_ns, bytes = one.bytes }
  end
  return rows
end

-- Where the host's work and calls hold this much of the path, a GPU idles for them alone.
local HOST_HOLDS <const> = 0.75

--- How much of a GPU's time faster launches may give back: what it waited for calls, or, where the
--- host's work and calls hold most of the path, all in which it idled or only communicated.
---@param row table
---@param waited_ns number  nanoseconds
---@return number           nanoseconds
function AdviceView:launches_cap(row, waited_ns)
  local split = self:count("evidence-causes", { nodes = 100 })
  local held_ns = 0
  for _, cause in ipairs(split.causes) do
    if cause.cause == "host" or cause.cause == "launch" then held_ns = held_ns + cause.total_ns end
  end
  if not split.run[1] or held_ns < HOST_HOLDS * split.run[1].total_ns then return waited_ns end
  for _, one in ipairs(self:count("evidence-overlap").devices) do
    if one.device == row.device and one.rank == row.rank then
      return math.max(waited_ns, one.elapsed_ns - one.busy_ns + one.exposed_comm_ns)
    end
  end
  return waited_ns
end

--- What copies of a kind are called among the causes: "HtoD, pageable".
---@param row { kind: string, src_kind?: string, dst_kind?: string }
---@return string
function AdviceView:copy_name(row)
  local side = row.kind == "HtoD" and row.src_kind or row.kind == "DtoH" and row.dst_kind
  return row.kind .. (side and ", " .. side or "")
end

local function singular(noun) return (noun:gsub("ies$", "y"):gsub("s$", "")) end

--- A finding on copies that GPUs did with nothing beside them; nil where that was too short.
---@param pick string  of evidence-copies: "sync", "sync-memset", "async-pageable"
---@param least number  the share of a GPU's time from which it is a finding
---@param noun string  "copies"
---@param say fun(one: table): string  one of the longest, in words
---@return table|nil  without claims
---@return table[]  the kinds that were picked
function AdviceView:copies_alone(pick, least, noun, say)
  local picked, most, share = self:count("evidence-copies", { pick = pick }), nil, 0
  for _, row in ipairs(picked.devices) do
    local elapsed_ns = self:device(row).elapsed_ns
    local its = elapsed_ns > 0 and row.alone_ns / elapsed_ns or 0
    if its >= least and (not most or its > share) then most, share = row, its end
  end
  if not most then return nil, picked.kinds end
  return { where = self:where(most), cap_ns = most.alone_ns, rows = longest_of(self, picked, say),
    evidence = ("%s %s took %s, %s of it with nothing else on the GPU"):format(
      self:integer(most.count), most.count == 1 and singular(noun) or noun,
      self:time(most.total_ns), self:time(most.alone_ns)) },
    picked.kinds
end

--- Operators with shapes against the limit of their GPU, as tandem roofline has them: { device,
--- rank, name, kernel, dims, type, gpu_ns, count, flops, of_limit, … }.
---@return table[]
function AdviceView:limits()
  local of = inner_of[self]
  if not of.limits then
    local raw, message, code = require("tandem.analysis.roofline").judged(of.view, {})
    if not raw then error({ message = message, code = code }, 0) end
    for _, frame in ipairs(raw.frames) do
      if frame.name == "shapes" then of.limits = frame.rows end
    end
    of.limits = of.limits or {}
  end
  return of.limits
end

local HAS <const> = "SELECT 1 AS yes FROM layout AS l WHERE l.run = ?1 AND l.category = ?2"
  .. " AND (?3 IS NULL OR EXISTS (SELECT 1 FROM layout_arg AS a WHERE a.run = l.run"
  .. " AND a.layout = l.id AND a.key = ?3))"

--- Has the run rows of a category, or of it with an argument: "memcpy", "memcpy.src_kind"?
---@param need string
---@return boolean
function AdviceView:has(need)
  local category, key = need:match "^([^.]+)%.?(.*)$"
  local run = inner_of[self].view.run
  return run.store.db:one(HAS, run.number, category, key ~= "" and key or nil) ~= nil
end

--- The card of the catalogue that a GPU is, by its name or by what the file says of it; nil when
--- it is not known.
---@param row table
---@return tandem.Gpu|nil
function AdviceView:gpu(row) return card.of(inner_of[self].view.run, row.device) end

--- A time in words.
---@param ns number  nanoseconds
---@return string
function AdviceView:time(ns) return format.time(ns / 1e9) end
--- A share in words.
---@param share number  0 to 1
---@return string
function AdviceView:percent(share) return format.percent(share) end
--- A size in words.
---@param bytes number
---@return string
function AdviceView:bytes(bytes) return format.bytes(bytes) end
--- A bandwidth in words.
---@param per_second number  bytes
---@return string
function AdviceView:speed(per_second) return format.quantity(per_second, "speed") end
--- A count in words.
---@param count integer
---@return string
function AdviceView:integer(count) return format.integer(count) end

return view
