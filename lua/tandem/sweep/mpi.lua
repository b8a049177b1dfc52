--- The work of a sweep on the ranks of an MPI job: rank 0 hands jobs out, the others answer.
-- Owns finding and loading the C module beside the program, the messages between the ranks, and who
-- holds which job. Jobs and answers are texts it does not read. MPI itself is src/mpi's, what a job
-- means is job.lua's. Called by the crew (backend) and by the sweep command (world, serve).
--
-- A rank that dies ends the whole job: so Open MPI wants it, and the sweep is resumed from its
-- ledger. Under `mpirun --enable-recovery` the others live on, but nothing tells rank 0: Open MPI
-- 4.1 reports neither the death nor the failed send. So there, what a rank keeps for much longer
-- than jobs have taken is given to another rank as well, and the first answer counts. Who has not
-- answered two jobs gets no more. Rank 0 itself must live: without it the others wait for ever.

local core = require "tandem.core"

local mpi = {}

local interrupted = core.interrupted
local function clock() return core.clock() end -- a test has one of its own

-- How long to wait before looking for Ctrl-C again.
local GLANCE_S <const> = 0.05
-- A job is given out a second time after this many times the longest that one has taken.
local OVERDUE_FACTOR <const> = 3
local OVERDUE_LEAST_S <const> = 1
-- How long to wait, at the end, for a rank that may be lost, and for texts still on their way.
local FAREWELL_S <const>, DRAIN_S <const> = 2, 30

-- Messages: one letter, then for a job and its answer the job's number, then the text.
local JOB <const>, ANSWER <const>, FAILED <const>, STOP <const>, BYE <const> =
  "j", "a", "f", "s", "b"

local function pack(kind, number, text) return kind .. ("<i8"):pack(number) .. text end
local function unpack_body(message) return ("<i8"):unpack(message, 2), message:sub(10) end

-- ---- the world

---@class tandem.mpi.World
---@field rank integer       from 0
---@field size integer       how many ranks there are: at least 2
---@field recovery boolean   whether the job outlives a rank that dies
---@field transport table    init, send, receive, drain, finalize: see src/mpi/module.c

local function load_module()
  local path, problem = require("tandem.module").find "mpi"
  if not path then return nil, problem end
  -- "*": some builds of Open MPI look for its own symbols among the global ones.
  local _, refused = package.loadlib(path, "*")
  local open, unusable = package.loadlib(path, "luaopen_tandem_mpi")
  if not open then
    return nil, ("%s cannot be loaded: %s"):format(path, tostring(refused or unusable))
  end
  return open()
end

-- How many ranks were started with us: 1 when we are alone, nil with a message when we are not but
-- Open MPI does not know of it, math.huge when only MPI can tell.
local function launched(getenv)
  local size = tonumber(getenv "OMPI_COMM_WORLD_SIZE")
  if size then return size end
  if getenv "PMIX_RANK" then return math.huge end
  local tasks = tonumber(getenv "SLURM_STEP_NUM_TASKS") or 1
  if tasks > 1 then
    return nil, ("srun started %d tasks that do not know each other; use srun --mpi=pmix, or a "
      .. "job array (tandem sweep --slurm)"):format(tasks)
  end
  local others = tonumber(getenv "PMI_SIZE") or 1
  if others > 1 then
    return nil, ("%d ranks were started by an mpirun that is not Open MPI's; use mpirun.openmpi")
      :format(others)
  end
  return 1
end

-- Our number among them, as far as the environment tells.
local function launched_as(getenv)
  for _, name in ipairs { "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "SLURM_PROCID", "PMI_RANK" } do
    local rank = math.tointeger(tonumber(getenv(name)))
    if rank then return rank end
  end
  return 0
end

local world_of_process
local parted = false

-- The end of MPI here. Under recovery it is not finalized: that may wait for the dead for ever
-- (over TCP it does), and mpirun does not ask for it there.
local function part(world)
  world.transport.drain(world.recovery and FAREWELL_S or DRAIN_S)
  if not world.recovery then world.transport.finalize() end
  world_of_process, parted = nil, true
end

--- The other ranks that mpirun or srun started together with this process. MPI begins here, once;
--- who gets a world must end with `backend:close()` (rank 0) or `mpi.serve` (the others).
---@param getenv (fun(name: string): string?)? for tests
---@return tandem.mpi.World|nil world nil: there are none, work alone
---@return string|nil message there are others but they cannot be reached: do not work at all
---@return integer|nil rank with a message: which of them this is; it is enough that 0 says it
function mpi.world(getenv)
  if world_of_process then return world_of_process end
  getenv = getenv or os.getenv
  local function fail(message) return nil, message, launched_as(getenv) end
  local ranks, problem = launched(getenv)
  if not ranks then return fail(problem) end
  if ranks == 1 then return nil end
  if parted then return fail "MPI has ended in this process and cannot begin again" end
  local transport, unloaded = load_module()
  if not transport then return fail(unloaded) end
  local rank, size = transport.init()
  if not rank then return fail(size) end
  if size == 1 then
    transport.finalize()
    if ranks == math.huge then return nil end
    return fail(("%d ranks were started, but MPI sees one: is this the mpirun of the Open MPI "
      .. "that tandem was built with?"):format(ranks))
  end
  world_of_process = { rank = rank, size = size, transport = transport,
    recovery = getenv "OMPI_MCA_orte_enable_recovery" == "1" }
  return world_of_process
end

-- ---- rank 0

---@class tandem.mpi.Backend
---@field size integer how many jobs run at once
---@field capacity integer how many to have given for nobody to wait for work
local backend = {}
backend.__index = backend

---@class tandem.mpi.Job
---@field text string
---@field began_s number when it was last handed out
---@field holders integer[] ranks that have it; none while it waits to be handed out

--- What hands jobs to the other ranks. Call it on rank 0, once.
---@param world tandem.mpi.World
---@param options { work: (fun(text: string): string)?, ahead: integer? }? work: rank 0 computes,
--- too, while nobody's answer waits; ahead: jobs a rank holds at most (default: 2)
---@return tandem.mpi.Backend
function mpi.backend(world, options)
  options = options or {}
  local ahead = options.ahead or 2
  local self = setmetatable({
    world = world, transport = world.transport, work = options.work, ahead = ahead,
    size = world.size - 1 + (options.work and 1 or 0),
    capacity = ahead * (world.size - 1) + (options.work and 1 or 0),
    queue = {}, first = 1, last = 0, -- numbers of jobs that nobody holds
    jobs = {}, -- number → tandem.mpi.Job: all that are not answered
    unanswered = 0,
    held = {}, -- rank → how many jobs it holds; no rank that is lost or has left
    slots = ahead * (world.size - 1), -- how many more jobs the others would take
    longest_s = 0,
    trouble = nil, -- why the last rank was lost
  }, backend)
  for rank = 1, world.size - 1 do self.held[rank] = 0 end
  return self
end

local function enqueue(self, number)
  self.last = self.last + 1
  self.queue[self.last] = number
end

local function dequeue(self)
  while self.first <= self.last do
    local number = self.queue[self.first]
    self.queue[self.first] = nil
    self.first = self.first + 1
    if self.jobs[number] then return number end
  end
end

local function waiting(self) return self.first <= self.last end

local function remove(list, value)
  for i = #list, 1, -1 do
    if list[i] == value then table.remove(list, i) end
  end
end

-- The rank gets nothing more; what only it held waits for another.
local function lose(self, rank, why)
  if not self.held[rank] then return end
  self.slots = self.slots - (self.ahead - self.held[rank])
  self.held[rank] = nil
  self.trouble = ("rank %d: %s"):format(rank, why)
  local orphans = {}
  for number, job in pairs(self.jobs) do
    for _, holder in ipairs(job.holders) do
      if holder == rank then orphans[#orphans + 1] = number end
    end
  end
  table.sort(orphans)
  for _, number in ipairs(orphans) do
    local job = self.jobs[number]
    remove(job.holders, rank)
    if #job.holders == 0 then enqueue(self, number) end
  end
end

-- A failure that the transport reported; false when it is nobody's and so the end of us all.
local function blame(self, message, rank)
  if not rank then return false end
  lose(self, rank, message)
  return true
end

local function hand(self, rank, number)
  local job = self.jobs[number]
  job.holders[#job.holders + 1] = rank
  job.began_s = clock()
  self.held[rank] = self.held[rank] + 1
  self.slots = self.slots - 1
  local sent, message, lost = self.transport.send(rank, pack(JOB, number, job.text))
  if not sent then blame(self, message, lost or rank) end
end

-- Hands out what waits: one each, then the second each.
local function feed(self)
  for level = 0, self.ahead - 1 do
    for rank = 1, self.world.size - 1 do
      if self.slots == 0 or not waiting(self) then return end
      if self.held[rank] == level then
        local number = dequeue(self)
        if not number then return end
        hand(self, rank, number)
      end
    end
  end
end

--- Takes a job; it goes out at once when a rank has room for it. Any number may be given.
---@param number integer comes back with the answer; not one that is still unanswered
---@param text string
function backend:give(number, text)
  assert(not self.jobs[number], "this number is still unanswered")
  self.jobs[number] = { text = text, began_s = clock(), holders = {} }
  self.unanswered = self.unanswered + 1
  enqueue(self, number)
  feed(self)
end

-- The job is answered, unless another rank was faster.
local function settle(self, number)
  local job = self.jobs[number]
  if not job then return false end
  self.jobs[number] = nil
  self.unanswered = self.unanswered - 1
  return true
end

-- A message of another rank: when it is the first answer to a job, what take returns.
local function read(self, rank, message)
  local kind = message:sub(1, 1)
  if kind == BYE then
    lose(self, rank, "it left")
    return nil
  end
  local number, text = unpack_body(message)
  local job = self.jobs[number]
  if self.held[rank] then
    self.held[rank] = self.held[rank] - 1
    self.slots = self.slots + 1
  end
  if job then self.longest_s = math.max(self.longest_s, clock() - job.began_s) end
  local new = settle(self, number)
  feed(self)
  if not new then return nil end
  if kind == FAILED then return number, nil, text end
  return number, text
end

local function compute(self)
  local number = dequeue(self)
  if not number then return nil end
  local job = self.jobs[number]
  local began_s = clock()
  local done, text = pcall(self.work, job.text)
  self.longest_s = math.max(self.longest_s, clock() - began_s)
  settle(self, number)
  if not done then return number, nil, tostring(text) end
  return number, text
end

-- Under recovery: the job that is out the longest and overdue goes to somebody who has nothing to
-- do, too. Nobody holds it twice: who holds it is not idle.
local function repeat_overdue(self)
  local patience_s = math.max(OVERDUE_LEAST_S, OVERDUE_FACTOR * self.longest_s)
  local now, oldest = clock(), nil
  for number, job in pairs(self.jobs) do
    if #job.holders == 1 and now - job.began_s > patience_s then
      local than = self.jobs[oldest]
      if not than or job.began_s < than.began_s
        or job.began_s == than.began_s and number < oldest then oldest = number end
    end
  end
  if not oldest then return end
  for rank = 1, self.world.size - 1 do
    if self.held[rank] == 0 then return hand(self, rank, oldest) end
  end
  if self.work then enqueue(self, oldest) end -- no rank has room before this one
end

--- The next answer, in whatever order they come. With `work`, this is when rank 0 computes; it may
--- then take longer than the timeout.
---@param timeout_s number? default: for ever
---@return integer|nil number
---@return string|nil text the answer; without a number: "timeout", "empty" (nothing is unanswered),
--- "interrupted", or why it cannot go on
---@return string|nil message why the job has no answer (its work raised an error)
function backend:take(timeout_s)
  local until_s = clock() + (timeout_s or math.huge)
  while true do
    if interrupted() then return nil, "interrupted" end
    if self.unanswered == 0 then return nil, "empty" end
    local busy = self.work and waiting(self)
    local patience_s = busy and 0 or math.max(0, math.min(GLANCE_S, until_s - clock()))
    local rank, message, lost = self.transport.receive(patience_s)
    local number, text, failure
    if rank then
      number, text, failure = read(self, rank, message)
    elseif message ~= "timeout" then
      if not blame(self, message, lost) then return nil, message end
      feed(self)
    elseif busy then
      number, text, failure = compute(self)
    end
    if number then return number, text, failure end
    if self.world.recovery then repeat_overdue(self) end
    if not self.work and next(self.held) == nil and self.unanswered > 0 then
      return nil, "every other rank is lost; the last was " .. self.trouble
    end
    if clock() >= until_s then return nil, "timeout" end
  end
end

--- Ends the other ranks' `serve` and MPI. Jobs without an answer are dropped; a rank that computes
--- one finishes it first.
function backend:close()
  if self.closed then return end
  self.closed = true
  local function say_stop(rank)
    if not self.transport.send(rank, STOP) then self.held[rank] = nil end
  end
  for rank = 1, self.world.size - 1 do
    if self.held[rank] then say_stop(rank) end
  end
  -- Where a death ends the job, everybody says goodbye; where not, some may be dead.
  local began_s = clock()
  while next(self.held) ~= nil do
    local rank, message, lost = self.transport.receive(GLANCE_S)
    if rank and message == BYE then
      self.held[rank] = nil
    elseif not rank and message ~= "timeout" then
      if not lost then break end
      self.held[lost] = nil
    end
    if self.world.recovery and clock() - began_s > math.max(FAREWELL_S, self.longest_s) then
      break
    end
  end
  part(self.world)
end

-- ---- the other ranks

--- Computes jobs until rank 0 says stop, or Ctrl-C; then MPI is over in this process.
---@param world tandem.mpi.World
---@param work fun(text: string): string an error it raises becomes the job's failure
---@return true|nil
---@return string|nil message why it ended before it was told to
function mpi.serve(world, work)
  local transport = world.transport
  local jobs, first, last = {}, 1, 0
  local problem
  while true do
    if interrupted() then
      problem = "interrupted"
      break
    end
    -- Everything that has come first: a stop overtakes the jobs before it.
    local rank, message = transport.receive(first > last and GLANCE_S or 0)
    if rank then
      if message == STOP then break end
      last = last + 1
      jobs[last] = message
    elseif message ~= "timeout" then
      problem = message
      break
    elseif first <= last then
      local number, text = unpack_body(jobs[first])
      jobs[first] = nil
      first = first + 1
      local done, answer = pcall(work, text)
      local sent, unsent = transport.send(0, pack(done and ANSWER or FAILED, number,
        tostring(answer)))
      if not sent then
        problem = unsent
        break
      end
    end
  end
  transport.send(0, BYE)
  part(world)
  if problem then return nil, problem end
  return true
end

return mpi
