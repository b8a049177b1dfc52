--- A program run so that its CUDA calls go into a capture file.
--
-- Owns the environment that the libraries need, and the time of a capture: delay, duration, Ctrl-C.
-- Processes, signals and the file's header are src/bind/capture's. Used by the command capture.
local record = {}

--- What can be recorded, in the order of the header's bits.
record.PARTS = { "api", "gpu", "memory", "nvtx", "sync", "graphs" }
local RANGES = 1 << #record.PARTS -- the program's own profiler ranges switch recording

local POLL_MS <const> = 200

---@class tandem.CaptureEnd
---@field how "exit"|"signal"
---@field number integer
---@field seconds number    from the program's start to its end
---@field interrupts integer  how often Ctrl-C was pressed
---@field state { chunks: integer, lost: integer, bytes: integer, unreachable: string? }

local function core() return require "tandem.core" end

--- The libraries that a backend needs: paths, or nil and what is missing.
---@param backend "auto"|"cupti"|"preload"
---@return { preload?: string, cupti?: string }|nil
---@return string|nil message
local function libraries_of(backend)
  local preload, cupti = core().capture.library "preload", core().capture.library "cupti"
  if not preload then
    return nil, "capture.so, the library that goes into programs, is not beside tandem: `make` "
      .. "builds it, on Linux"
  end
  if preload:find "[%s:]" then
    return nil, ("tandem lies in %s: $LD_PRELOAD takes no path with a space or a colon in it")
      :format(preload:match "^(.*)/")
  end
  if backend == "cupti" and not cupti then
    return nil, "capture_cupti.so is not beside tandem: `make` builds it where it finds CUDA's "
      .. "headers (cupti.h); --backend preload needs none"
  end
  return { preload = preload, cupti = backend ~= "preload" and cupti or nil }
end

-- LD_PRELOAD goes before what is there. CUPTI alone leaves the driver's calls to it.
local function environment(libraries, path, backend)
  local list = { "TANDEM_CAPTURE_FILE=" .. path, "NVTX_INJECTION64_PATH=" .. libraries.preload }
  if libraries.cupti then list[#list + 1] = "CUDA_INJECTION64_PATH=" .. libraries.cupti end
  if backend ~= "cupti" then
    local before = os.getenv "LD_PRELOAD"
    list[#list + 1] = "LD_PRELOAD=" .. libraries.preload
      .. (before and before ~= "" and ":" .. before or "")
  end
  return list
end

local REASONS <const> = {
  [2] = "there is no such program",
  [8] = "it is not a program of this machine, and a script needs a first line such as #!/bin/sh",
  [13] = "it is not executable, or a directory",
  [20] = "a part of its path is not a directory",
}

-- Waits for the program's end, and switches recording when it is time.
local function follow(session, plan, began, watch)
  local clock = core().clock
  local on_at, off_at = plan.delay, plan.duration and (plan.delay or 0) + plan.duration
  while true do
    local now = clock() - began
    if on_at and now >= on_at then
      session:record(true)
      on_at = nil
    end
    if off_at and now >= off_at then
      session:record(false)
      off_at = nil
    end
    local wait_ms = POLL_MS
    for _, moment in ipairs { on_at or math.huge, off_at or math.huge } do
      wait_ms = math.min(wait_ms, math.max(1, math.ceil((moment - now) * 1000)))
    end
    local how, number = session:wait(wait_ms)
    if how then return how, number, clock() - began end
    if watch then watch() end
  end
end

--- Makes the file.
---@param plan { argv: string[], wanted: integer, limit: integer, delay: number?, ranges: boolean?,
---  range: string? }
---@param path string
---@return userdata|nil session
---@return string? message
---@return integer? code
---@return integer? errno
function record.make(plan, path)
  local wanted = plan.wanted | (plan.ranges and RANGES or 0)
  return core().capture.make(path, wanted, plan.limit, not plan.delay and not plan.ranges
    and not plan.range, table.concat(plan.argv, " "), plan.range)
end

--- Runs the program. The session keeps the file, whatever happens.
---@param session userdata
---@param plan { argv: string[], backend: string, delay: number?, duration: number? }
---@param watch? fun()  called now and then while the program runs
---@return tandem.CaptureEnd|nil
---@return string|nil message
---@return integer|nil code
function record.run(session, plan, watch)
  local libraries, message = libraries_of(plan.backend)
  if not libraries then return nil, message, 4 end
  local began = core().clock()
  local started, reason, failed, errno = session:start(plan.argv,
    environment(libraries, session:path(), plan.backend))
  if not started then
    return nil, ("cannot run %s: %s"):format(plan.argv[1], REASONS[errno] or reason), failed
  end
  local how, number, seconds = follow(session, plan, began, watch)
  session:stop()
  return { how = how, number = number, seconds = seconds, interrupts = session:interrupts(),
    state = session:state() }
end

return record
