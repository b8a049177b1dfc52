-- Rank 0's side of a sweep under MPI, with a transport that the test plays: who gets which job, and
-- what happens when ranks fail. tests/mpi has the real thing.

local core = require "tandem.core"
local mpi = require "tandem.sweep.mpi"

-- Messages as they stand on the wire.
local function answer(number, text) return "a" .. ("<i8"):pack(number) .. text end
local function number_of(message) return (("<i8"):unpack(message, 2)) end

-- A world whose other ranks do what the test says: `sent[rank]` is what they were sent, `say` what
-- they send. A rank in `dead` cannot be sent to.
local function play(size, recovery)
  local inbox, first = {}, 1
  local stage = { sent = {}, dead = {}, finalized = 0 }
  for rank = 1, size - 1 do stage.sent[rank] = {} end
  local transport = {}
  function transport.send(rank, message)
    if stage.dead[rank] then return nil, "MPI: cannot send to rank " .. rank, rank end
    table.insert(stage.sent[rank], message)
    if message == "s" then stage.say(rank, "b") end
    return true
  end
  function transport.receive()
    local next_one = inbox[first]
    if not next_one then return nil, "timeout" end
    first = first + 1
    return table.unpack(next_one, 1, 3)
  end
  function transport.drain(seconds)
    stage.drained = seconds
    return true
  end
  function transport.finalize() stage.finalized = stage.finalized + 1 end
  function stage.say(rank, message) inbox[#inbox + 1] = { rank, message } end
  function stage.fail(message, rank) inbox[#inbox + 1] = { nil, message, rank } end
  -- The numbers of the jobs that a rank was sent.
  function stage.jobs(rank)
    local out = {}
    for _, message in ipairs(stage.sent[rank]) do
      if message:sub(1, 1) == "j" then out[#out + 1] = number_of(message) end
    end
    return out
  end
  stage.world = { rank = 0, size = size, recovery = recovery or false, transport = transport }
  return stage
end

describe("mpi.backend", function()
  it("hands each rank one job, then a second, and keeps the rest", function()
    local stage = play(4)
    local backend = mpi.backend(stage.world)
    assert.equal(3, backend.size)
    assert.equal(6, backend.capacity)
    for number = 1, 8 do backend:give(number, "") end
    assert.same({ { 1, 4 }, { 2, 5 }, { 3, 6 } }, { stage.jobs(1), stage.jobs(2), stage.jobs(3) })
    stage.say(2, answer(2, "two"))
    assert.same({ 2, "two" }, { backend:take(0) })
    assert.same({ 2, 5, 7 }, stage.jobs(2))
  end)

  it("tells a failed job from an answered one", function()
    local stage = play(2)
    local backend = mpi.backend(stage.world)
    backend:give(9, "x")
    stage.say(1, "f" .. ("<i8"):pack(9) .. "why not")
    local number, text, message = backend:take(0)
    assert.same({ 9, "why not" }, { number, message })
    assert.is_nil(text)
    assert.same({ n = 2, nil, "empty" }, table.pack(backend:take(0)))
  end)

  it("computes on rank 0 what nobody has room for, answers of others first", function()
    local stage = play(2)
    local backend = mpi.backend(stage.world, { work = function(text)
      if text == "bad" then error("bad work", 0) end
      return text:upper()
    end })
    assert.equal(3, backend.capacity)
    for number, text in ipairs { "a", "b", "c", "bad" } do backend:give(number, text) end
    assert.same({ 3, "C" }, { backend:take(0) })
    stage.say(1, answer(1, "A"))
    assert.same({ 1, "A" }, { backend:take(0) })
    assert.same({ 1, 2, 4 }, stage.jobs(1))
    backend:give(5, "bad")
    assert.same({ n = 3, 5, nil, "bad work" }, table.pack(backend:take(0)))
    assert.same({ n = 2, nil, "timeout" }, table.pack(backend:take(0)))
  end)

  it("gives a lost rank's jobs to others", function()
    for _, how in ipairs { "send", "receive", "goodbye" } do
      local stage = play(3)
      local backend = mpi.backend(stage.world)
      for number = 1, 4 do backend:give(number, "") end
      if how == "send" then
        stage.dead[1] = true
        stage.say(1, answer(1, ""))
        assert.equal(1, (backend:take(0)))
        backend:give(5, "") -- cannot be sent to rank 1
      elseif how == "receive" then
        stage.fail("MPI: it is gone", 1)
      else
        stage.say(1, "b")
      end
      for _, number in ipairs { 2, 4 } do
        stage.say(2, answer(number, ""))
        assert.equal(number, (backend:take(1)))
      end
      assert.same(how == "send" and { 2, 4, 3, 5 } or { 2, 4, 1, 3 }, stage.jobs(2))
    end
  end)

  it("says so when everybody is lost", function()
    local stage = play(3)
    local backend = mpi.backend(stage.world)
    backend:give(1, "")
    stage.fail("MPI: it is gone", 1)
    stage.fail("MPI: so is this", 2)
    local number, why = backend:take(1)
    assert.is_nil(number)
    assert.equal("every other rank is lost; the last was rank 2: MPI: so is this", why)
  end)

  it("goes on alone when everybody is lost and rank 0 works, too", function()
    local stage = play(2)
    local backend = mpi.backend(stage.world, { work = string.upper })
    backend:give(1, "a")
    backend:give(2, "b")
    stage.fail("MPI: it is gone", 1)
    assert.same({ 1, "A" }, { backend:take(1) })
    assert.same({ 2, "B" }, { backend:take(1) })
  end)

  it("passes on a failure of nobody's", function()
    local stage = play(2)
    local backend = mpi.backend(stage.world)
    backend:give(1, "")
    stage.fail "MPI: everything is broken"
    assert.same({ n = 2, nil, "MPI: everything is broken" }, table.pack(backend:take(1)))
  end)

  it("under recovery gives an overdue job to an idle rank; the first answer counts", function()
    local stage = play(3, true)
    -- Time goes by where rank 0 waits and nowhere else: how busy the machine is does not matter.
    local clock <const>, receive <const> = core.clock, stage.world.transport.receive
    local _ <close> = setmetatable({}, { __close = function() core.clock = clock end })
    local now = 100
    core.clock = function() return now end
    function stage.world.transport.receive(seconds)
      now = now + seconds
      return receive()
    end
    local backend = mpi.backend(stage.world)
    backend:give(1, "")
    backend:give(2, "")
    stage.say(2, answer(2, "two"))
    assert.equal(2, (backend:take(0)))
    assert.same({ n = 2, nil, "timeout" }, table.pack(backend:take(0.9)))
    assert.same({ 2 }, stage.jobs(2)) -- not yet: a second at least
    assert.same({ n = 2, nil, "timeout" }, table.pack(backend:take(0.3)))
    assert.same({ 2, 1 }, stage.jobs(2))
    stage.say(2, answer(1, "one"))
    stage.say(1, answer(1, "one, late"))
    assert.same({ 1, "one" }, { backend:take(0) })
    assert.same({ n = 2, nil, "empty" }, table.pack(backend:take(0)))
    backend:close()
    assert.equal(0, stage.finalized) -- some may be dead
  end)

  it("takes a rank that cannot be sent to as lost, though nobody says which it is", function()
    local stage = play(3)
    local send = stage.world.transport.send
    function stage.world.transport.send(rank, message)
      if rank == 1 then return nil, "MPI: broken" end
      return send(rank, message)
    end
    local backend = mpi.backend(stage.world)
    backend:give(1, "")
    assert.same({ 1 }, stage.jobs(2))
    assert.is_nil(backend.held[1])
  end)

  it("under recovery says farewell to them, and does not wait for the dead", function()
    local stage = play(2, true)
    mpi.backend(stage.world):close()
    assert.same({ 0, 2 }, { stage.finalized, stage.drained })
  end)

  it("stops the others once, and hears them out", function()
    local stage = play(3)
    local backend = mpi.backend(stage.world)
    for number = 1, 9 do backend:give(number, "") end
    stage.say(1, answer(1, ""))
    backend:close()
    backend:close()
    assert.equal("s", stage.sent[1][#stage.sent[1]])
    assert.equal("s", stage.sent[2][#stage.sent[2]])
    assert.same({ 1, 30 }, { stage.finalized, stage.drained })
  end)
end)

describe("mpi.serve", function()
  local function serve(messages, work)
    local sent, finalized = {}, 0
    local transport = {
      receive = function()
        local message = table.remove(messages, 1)
        if message == nil then return nil, "MPI: rank 0 is gone", 0 end
        if message == false then return nil, "timeout" end
        return 0, message
      end,
      send = function(rank, message)
        assert.equal(0, rank)
        sent[#sent + 1] = message
        return true
      end,
      drain = function() return true end,
      finalize = function() finalized = finalized + 1 end,
    }
    local done, problem = mpi.serve({ rank = 1, size = 2, transport = transport }, work)
    assert.equal(1, finalized)
    return sent, done, problem
  end
  local function job(number, text) return "j" .. ("<i8"):pack(number) .. text end

  it("answers jobs in the order of their coming, failures, too", function()
    local sent, done = serve({ job(7, "a"), job(8, "b"), false, false, "s" }, function(text)
      if text == "b" then error("no", 0) end
      return text .. "!"
    end)
    assert.is_true(done)
    assert.same({ answer(7, "a!"), "f" .. ("<i8"):pack(8) .. "no", "b" }, sent)
  end)

  it("lets a stop overtake jobs", function()
    local sent = serve({ job(7, "a"), job(8, "b"), "s" }, function() error "must not be called" end)
    assert.same({ "b" }, sent)
  end)

  it("ends when rank 0 is gone", function()
    local _, done, problem = serve({ false, false }, string.upper)
    assert.is_nil(done)
    assert.equal("MPI: rank 0 is gone", problem)
  end)
end)

describe("mpi.world", function()
  local function started_as(environment)
    return mpi.world(function(name) return environment[name] end)
  end

  it("is nobody where nobody else was started", function()
    assert.same({ n = 1 }, table.pack(started_as {}))
    assert.same({ n = 1 }, table.pack(started_as { OMPI_COMM_WORLD_SIZE = "1" }))
    assert.same({ n = 1 }, table.pack(started_as { SLURM_NTASKS = "8", SLURM_PROCID = "0" }))
  end)

  it("refuses to do the same sweep many times over", function()
    local world, message, rank = started_as { SLURM_STEP_NUM_TASKS = "8", SLURM_PROCID = "3" }
    assert.is_nil(world)
    assert.equal("srun started 8 tasks that do not know each other; use srun --mpi=pmix, or a job "
      .. "array (tandem sweep --slurm)", message)
    assert.equal(3, rank)
    world, message, rank = started_as { PMI_SIZE = "4", PMI_RANK = "0" }
    assert.is_nil(world)
    assert.truthy(message:find "not Open MPI's")
    assert.equal(0, rank)
  end)
end)
