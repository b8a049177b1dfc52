--- A machine that runs a program: a thread a rank, streams, copies, collectives that ranks meet in.
--
-- Owns what takes how long: its laws are its own and know nothing of src/analysis. A program is a
-- function of a rank; ranks run as coroutines and wait for one another in collectives. All draws
-- are functions of their names, so that a program with a change sees the luck that it had without.
-- Times are microseconds. Called by program.lua.
local machine = {}

-- ---- draws ----

local function hash(seed, name)
  local h = 0xcbf29ce484222325 ~ seed * 0x9e3779b97f4a7c15
  for i = 1, #name do h = (h ~ name:byte(i)) * 0x100000001b3 end
  h = (h ~ h >> 30) * 0xbf58476d1ce4e5b9
  h = (h ~ h >> 27) * 0x94d049bb133111eb
  return h ~ h >> 31
end

---@class tests.Draws
---@field seed integer
local Draws = {}
Draws.__index = Draws

--- Uniform from `least` to `most`.
function Draws:within(name, least, most)
  return least + (most - least) * ((hash(self.seed, name) >> 11) * 2.0 ^ -53)
end

--- One of a list.
function Draws:one_of(name, list)
  return list[1 + math.min(#list - 1, self:within(name, 0, #list) // 1 | 0)]
end

function Draws:chance(name, share) return self:within(name, 0, 1) < share end

--- A time that varies around `mean` by the share `cv`: lognormal.
function Draws:time(name, mean, cv)
  local u, v = self:within(name .. "#u", 1e-12, 1), self:within(name .. "#v", 0, 1)
  local z = math.sqrt(-2 * math.log(u)) * math.cos(2 * math.pi * v)
  return mean * math.exp(cv * z - cv * cv / 2)
end

---@param seed integer
---@return tests.Draws
function machine.draws(seed) return setmetatable({ seed = seed }, Draws) end

-- ---- a rank ----

---@class tests.Rank
---@field number integer
---@field now number            its thread's time
---@field rows table[]          { category, name, from, to, stream | thread, … }
---@field draws tests.Draws
local Rank = {}
Rank.__index = Rank

local COMPUTE <const>, CALL <const> = 7, 5

local function new_rank(number, draws)
  return setmetatable({ number = number, now = 0, rows = {}, draws = draws, free = {}, thread = 1,
    correlation = 0, scope = "", count = 0, slower = 1, launches = 1 }, Rank)
end

-- The next name of a draw within the present scope.
function Rank:key(what)
  self.count = self.count + 1
  return ("%d/%s/%d/%s"):format(self.number, self.scope, self.count, what)
end

--- What follows draws its luck by this name.
function Rank:at(scope) self.scope, self.count = scope, 0 end

function Rank:row(row)
  self.rows[#self.rows + 1] = row
  return row
end

--- Time of the host that nothing records; `us` is taken as it is.
function Rank:idle(us) self.now = self.now + us end

--- Goes on in another thread.
function Rank:switch(thread)
  self.now = self.now + self.draws:time(self:key "switch", 15, 0.3)
  self.thread = thread
end

--- Time of the host: slower where the host is.
function Rank:work(us, cv)
  self.now = self.now + self.draws:time(self:key "host", us, cv or 0.1) * self.slower
end

--- An operator or range around a body.
function Rank:op(name, self_us, body, more)
  local row = self:row { category = "cpu_op", name = name, from = self.now, thread = self.thread }
  for key, value in pairs(more or {}) do row[key] = value end
  if self_us > 0 then self:work(self_us / 2) end
  if body then body() end
  if self_us > 0 then self:work(self_us / 2) end
  row.to = self.now
end

function Rank:range(name, body)
  local row = self:row { category = "user_annotation", name = name, from = self.now,
    thread = self.thread }
  body()
  row.to = self.now
end

-- A call of the runtime; the row is open until it is closed.
function Rank:begin(name)
  self.correlation = self.correlation + 1
  return self:row { category = "cuda_runtime", name = name, from = self.now, thread = self.thread,
    correlation = self.correlation }
end

function Rank:finish(call, us)
  self.now = self.now + us
  call.to = self.now
end

-- When a stream can begin what was asked for by a call that ends at `asked`.
function Rank:starts(stream, asked)
  local idle = asked + self.draws:time(self:key "way", 2.4, 0.15)
  local next_ = (self.free[stream] or 0) + self.draws:time(self:key "gap", 0.9, 0.2)
  return math.max(idle, next_)
end

--- A kernel; `us` varies by a few percent.
function Rank:kernel(name, us, more)
  more = more or {}
  local stream = more.stream or COMPUTE
  local call = self:begin "cudaLaunchKernel"
  self:finish(call, self.draws:time(self:key "call", CALL, 0.2) * self.slower * self.launches)
  local from = self:starts(stream, call.to)
  if more.after then from = math.max(from, more.after + 1.5) end
  local to = from + self.draws:time(self:key "kernel", us, 0.03)
  self.free[stream] = to
  return self:row { category = "kernel", name = name, from = from, to = to, stream = stream,
    correlation = call.correlation, grid = more.grid or 264 }
end

--- A graph of `count` kernels, launched at once.
function Rank:graph(count, name_of, us, gap)
  local call = self:begin "cudaGraphLaunch"
  self:finish(call, self.draws:time(self:key "call", 12, 0.2))
  local at = self:starts(COMPUTE, call.to)
  for i = 1, count do
    local to = at + self.draws:time(self:key "kernel", us, 0.05)
    self:row { category = "kernel", name = name_of(i), from = at, to = to, stream = COMPUTE,
      correlation = call.correlation, grid = 132, node = i }
    self.free[COMPUTE] = to
    at = to + self.draws:time(self:key "gap", gap, 0.1)
  end
end

--- A copy of { kind, bytes, memory, rate (GB/s), waits, stream, call }.
function Rank:copy(one)
  local stream = one.stream or COMPUTE
  local call = self:begin(one.call or "cudaMemcpyAsync")
  local asked = self.draws:time(self:key "call", CALL, 0.2)
  local from = self:starts(stream, self.now + asked)
  local to = from + 1.5 + self.draws:time(self:key "copy", one.bytes / one.rate / 1e3, 0.02)
  self.free[stream] = to
  self:finish(call, (one.waits or one.memory == "Pageable") and to + 3 - self.now or asked)
  return self:row { category = "gpu_memcpy", kind = one.kind, memory = one.memory, from = from,
    to = to, stream = stream, correlation = call.correlation, bytes = one.bytes // 1 | 0 }
end

--- A memset of managed memory, which is waited for unless it is asynchronous.
function Rank:memset(us, async)
  local call = self:begin(async and "cudaMemsetAsync" or "cudaMemset")
  local from = self:starts(COMPUTE, self.now + CALL)
  local to = from + self.draws:time(self:key "memset", us, 0.05)
  self.free[COMPUTE] = to
  self:finish(call, async and CALL or to + 3 - self.now)
  self:row { category = "gpu_memset", from = from, to = to, stream = COMPUTE, bytes = 1 << 20,
    correlation = call.correlation, memory = "Managed" }
end

--- The host waits for a stream, or for all.
function Rank:wait(name, stream)
  local call, last = self:begin(name), 0
  for of, free in pairs(self.free) do
    if stream == nil or of == stream then last = math.max(last, free) end
  end
  self:finish(call, math.max(2, last + self.draws:time(self:key "back", 4, 0.2) - self.now))
  self:row { category = "cuda_sync", name = stream and "Stream Sync" or "Context Sync",
    from = call.from + 1, to = call.to - 1, stream = stream, correlation = call.correlation }
end

--- A collective of all ranks on a stream, after what another stream has done so far.
function Rank:collective(name, us, stream, after)
  local call = self:begin "cudaLaunchKernel"
  self:finish(call, self.draws:time(self:key "call", CALL, 0.2))
  local from = math.max(self:starts(stream, call.to), after and after + 1.5 or 0)
  local meeting = coroutine.yield { from = from, us = us }
  self.free[stream] = meeting
  return self:row { category = "kernel", name = name, from = from, to = meeting, stream = stream,
    correlation = call.correlation, grid = 24 }
end

-- ---- running ----

--- Runs a program on ranks; the rows of each, and how long from the first to the last of the first.
---@param count integer
---@param draws tests.Draws
---@param program fun(rank: tests.Rank)
---@return table[][] rows
---@return number us
function machine.run(count, draws, program)
  local ranks, threads, asked = {}, {}, {}
  for i = 1, count do
    ranks[i] = new_rank(i - 1, draws)
    threads[i] = coroutine.wrap(function()
      program(ranks[i])
    end)
    asked[i] = threads[i]()
  end
  while asked[1] do
    local last, us = 0, asked[1].us
    for i = 1, count do last = math.max(last, asked[i].from) end
    for i = 1, count do asked[i] = threads[i](last + us) end
  end
  local rows, first, last = {}, math.huge, 0
  for i, rank in ipairs(ranks) do
    rows[i] = rank.rows
    for _, row in ipairs(rank.rows) do
      first, last = math.min(first, row.from), math.max(last, row.to)
    end
  end
  return rows, last - first
end

return machine
