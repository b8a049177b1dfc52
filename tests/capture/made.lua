--- Capture files written from Lua: what src/capture/format.h says, record by record.
--
-- Loaded by specs with dofile, which then make whole files; run as a program under tandem capture
-- (`tandem lua tests/capture/made.lua [infer|steady SECONDS|die|lost]`) it plays one that uses
-- CUDA: it writes the records into $TANDEM_CAPTURE_FILE that the libraries would have written.
local made = {}

local SLOT <const>, HEADER <const>, CHUNK <const> = 64, 4096, 1 << 18
local KINDS <const> = { name = 1, call = 2, launch = 3, kernel = 4, copy = 5, fill = 6, graph = 7,
  sync = 8, memory = 9, range = 10, open = 11, mark = 12, device = 13, message = 14, caught = 15 }

--- FNV-1a, the number of a name.
---@param text string
---@return integer
function made.hash(text)
  local hash = 0xcbf29ce484222325
  for i = 1, #text do hash = (hash ~ text:byte(i)) * 0x100000001b3 end
  return hash
end

---@param fields { command: string?, start_ns: integer?, wanted: integer?, chunks: integer?,
---  lost: integer?, ended: integer? }
---@return string
function made.header(fields)
  return (string.pack("<c8I4I4i8i8I8I8I8I4I4c1024", "TANDEMC1", 2, fields.wanted or 31,
    fields.start_ns or 0, 1767225600000000000, 0, fields.chunks or 0, fields.lost or 0, 1,
    fields.ended or 1, fields.command or "./infer") .. ("\0"):rep(HEADER)):sub(1, HEADER)
end

local function padded(text, length) return text .. ("\0"):rep(length - #text) end

---@param text string
---@return string
function made.name(text)
  local slots = #text <= 48 and 1 or 1 + (#text - 48 + SLOT - 1) // SLOT
  return padded(string.pack("<BBI2I4i8", KINDS.name, 0, #text, slots, made.hash(text)) .. text,
    slots * SLOT)
end

--- One record of `kind`; a name is given as text, and must be written somewhere.
---@param kind string
---@param r table
---@return string
function made.record(kind, r)
  local head = string.pack("<BBI2I4i8i8i8", KINDS[kind], r.detail or 0, r.flags or 0,
    r.correlation or 0, r.from, r.to or r.from, r.name and made.hash(r.name) or 0)
  local rest
  if kind == "launch" or kind == "kernel" then
    local grid, block = r.grid or { 1, 1, 1 }, r.block or { 1, 1, 1 }
    rest = string.pack("<I4I4I4I2I2I2I2I4I2I2I4", grid[1], grid[2], grid[3], block[1], block[2],
      block[3], 32, r.stream or 0, r.device or 0, 1, 0)
  elseif kind == "range" or kind == "open" or kind == "mark" then
    rest = string.pack("<i8I8I8I4I4", r.domain and made.hash(r.domain) or 0, 0, 0, 0, r.tid or 0)
  else
    rest = string.pack("<i4I2I2I8I8I8", r.result or 0, r.device or 0, 1, r.stream or 0,
      r.address or 0, r.amount or 0)
  end
  return head .. rest
end

--- A chunk of records.
---@param pid integer
---@param tid integer
---@param records string[]
---@return string
function made.chunk(pid, tid, records)
  local body = table.concat(records)
  assert(#body <= CHUNK - SLOT, "too many records for a chunk")
  local head = string.pack("<I4I4I4I4c32c16", pid, tid, #body // SLOT, 0, "infer", "")
  return padded(head .. body, CHUNK)
end

--- Records of a small inference process, from a time on: init, weights, `steps` requests, the end.
---@param from integer ns
---@param steps integer
---@return string[] host  records of its thread
---@return string[] device
function made.inference(from, steps)
  local host, device, now, correlation = {}, {}, from, 0
  for _, text in ipairs { "cuInit", "cuMemAlloc_v2", "cuMemcpyHtoD_v2", "cuMemcpyHtoDAsync_v2",
    "cuLaunchKernel", "cuMemcpyDtoH_v2", "cuMemFree_v2", "gemm", "softmax", "request",
    "NVIDIA H100", "cuCtxDestroy_v2" } do
    host[#host + 1] = made.name(text)
  end
  local function call(name, length, more)
    correlation = correlation + 1
    local r = { name = name, correlation = correlation, from = now, to = now + length, detail = 0 }
    for key, value in pairs(more or {}) do r[key] = value end
    host[#host + 1] = made.record("call", r)
    now = now + length + 400
    return correlation
  end
  call("cuInit", 40000000)
  host[#host + 1] = made.record("device", { from = now, name = "NVIDIA H100", amount = 80 << 30 })
  for block = 1, 4 do
    local alloc = call("cuMemAlloc_v2", 80000)
    host[#host + 1] = made.record("memory", { from = now, correlation = alloc, detail = 1,
      address = block << 30, amount = 64 << 20 })
    local copy = call("cuMemcpyHtoD_v2", 5000000)
    device[#device + 1] = made.record("copy", { from = now - 4900000, to = now - 500, detail = 1,
      correlation = copy, amount = 64 << 20, flags = 2 })
  end
  for _ = 1, steps do
    local began = now
    local input = call("cuMemcpyHtoDAsync_v2", 6000)
    device[#device + 1] = made.record("copy", { from = now, to = now + 9000, detail = 1,
      correlation = input, amount = 4096 })
    local at = now + 20000
    for k = 1, 8 do
      local kernel = k % 4 == 0 and "softmax" or "gemm"
      local launch = call("cuLaunchKernel", 3000)
      host[#host + 1] = made.record("launch", { name = kernel, correlation = launch, from = now,
        grid = { 64, 1, 1 }, block = { 128, 1, 1 } })
      device[#device + 1] = made.record("kernel", { name = kernel, correlation = launch, from = at,
        to = at + 100000 * k, grid = { 64, 1, 1 }, block = { 128, 1, 1 } })
      at = at + 100000 * k + 1000
    end
    local output = call("cuMemcpyDtoH_v2", at + 10000 - now)
    device[#device + 1] = made.record("copy", { from = at, to = at + 8000, detail = 2,
      correlation = output, amount = 1024 })
    host[#host + 1] = made.record("range", { name = "request", from = began, to = now, flags = 32 })
    now = now + 300000
  end
  for block = 1, 4 do
    local free = call("cuMemFree_v2", 30000)
    host[#host + 1] = made.record("memory", { from = now, correlation = free, detail = 1, flags = 1,
      address = block << 30 })
  end
  call("cuCtxDestroy_v2", 9000000)
  return host, device
end

--- A whole file.
---@param path string
---@param steps? integer
function made.write(path, steps)
  local host, device = made.inference(1000000000, steps or 5)
  local file <close> = assert(io.open(path, "wb"))
  file:write(made.header { start_ns = 1000000000, chunks = 2, command = "./infer model.bin" },
    made.chunk(4242, 4243, host), made.chunk(4242, 0, device))
end

-- A process that has lost its way to the file: errno, behind the header's texts.
local UNREACHABLE_AT <const>, EACCES <const> = 1348, 13
local function lose_way(path)
  local file <close> = assert(io.open(path, "r+b"))
  file:seek("set", UNREACHABLE_AT)
  file:write(string.pack("<I4", EACCES))
end

-- As a program: appends chunks, which are its alone.
local function append(path, chunks)
  local file <close> = assert(io.open(path, "r+b"))
  file:seek("set", 16)
  local start_ns = string.unpack("<i8", file:read(8))
  file:seek("set", 40)
  local count = string.unpack("<I8", file:read(8))
  file:seek("set", HEADER + count * CHUNK)
  for _, chunk in ipairs(chunks(start_ns)) do
    file:write(chunk)
    count = count + 1
  end
  file:seek("set", 40)
  file:write(string.pack("<I8", count))
end

local function play(what, seconds)
  local path = os.getenv "TANDEM_CAPTURE_FILE"
  if not path then return io.stderr:write "no TANDEM_CAPTURE_FILE\n" end
  if what == "lost" then return lose_way(path) end
  local rounds = what == "steady" and math.floor((seconds or 3) * 5) or 1
  for round = 1, rounds do
    append(path, function(start_ns)
      local host, device = made.inference(start_ns + 1000000 + (round - 1) * 200000000, 5)
      return { made.chunk(4242, 4243, host), made.chunk(4242, 0, device) }
    end)
    if what == "steady" then os.execute "sleep 0.2" end
  end
  print "the answer is 42"
  if what == "die" then os.execute "kill -9 $PPID" end
end

if arg and (arg[0] or ""):find "capture/made%.lua$" then
  play(arg[1] or "infer", tonumber(arg[2]))
end

return made
