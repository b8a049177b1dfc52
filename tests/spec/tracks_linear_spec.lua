--- What a run costs by its tracks, GPUs and names, in instructions of Lua and bytes of its page:
--- three times as many cost about three times as much, and the page is hardly larger.
local core = require "tandem.core"
local page = require "tandem.page.report"
local store_fixture = require "tests.spec.support.store_fixture"

local FEW <const>, MANY <const> = 400, 1200

local LAUNCH <const> = '{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":100,'
  .. '"tid":%d,"ts":%d,"dur":2,"args":{"correlation":%d}}'
local KERNEL <const> = '{"ph":"X","cat":"kernel","name":"%s","pid":%d,"tid":%d,"ts":%d,"dur":%d,'
  .. '"args":{"device":%d,"stream":%d,"correlation":%d}}'

-- Kernels one after the other, each on a stream, a GPU, of a name or from a thread of its own.
local function events_of(kind, count)
  local events = {}
  for i = 1, count do
    local device, stream = kind == "gpus" and i or 0, kind == "streams" and i or 7
    local name = kind == "names" and "kernel_" .. i or "gemm_" .. i % 5
    local thread = kind == "threads" and 100 + i or 100
    events[#events + 1] = LAUNCH:format(thread, i * 10 + 1, i)
    events[#events + 1] = KERNEL:format(name, device, stream, i * 10 + 5, 3 + i % 3, device, stream,
      i)
  end
  return '{"traceEvents":[' .. table.concat(events, ",\n") .. "]}"
end

-- Instructions that a call takes, in thousands.
local function counted(call)
  local thousands = 0
  debug.sethook(function() thousands = thousands + 1 end, "", 1000)
  local made = call()
  debug.sethook()
  return thousands, made
end

describe("runs with many", function()
  local stores
  setup(function() stores = store_fixture.new() end)
  teardown(function() stores:remove() end)

  local function imported(kind, count)
    local name = ("%s-%d"):format(kind, count)
    local trace, path = stores:path(name .. ".json"), stores:path(name .. ".db")
    local file = assert(io.open(trace, "w"))
    file:write(events_of(kind, count))
    file:close()
    local id = assert(core.import { store = path, files = { trace }, name = "many",
      version = core.version(), created_utc_ns = 0 })
    return assert(assert(require("tandem").store(path)):run(id))
  end

  for _, kind in ipairs { "streams", "gpus", "names", "threads" } do
    it(kind .. " cost by their number", function()
      local few, many = imported(kind, FEW), imported(kind, MANY)
      local function held(before, after)
        assert.is_true(after <= before * MANY / FEW * 1.1,
          ("%d thousand instructions, then %d"):format(before, after))
      end
      held((counted(function() return few:advice {} end)),
        (counted(function() return many:advice {} end)))
      local before, small = counted(function() return assert(page.of(few)) end)
      local after, large = counted(function() return assert(page.of(many)) end)
      few.store:close()
      many.store:close()
      held(before, after)
      local _, frames = small:gsub("<iframe", "")
      assert.equal(1, frames)
      local function without_timeline(text)
        return #text:gsub('<script type="application/json" id="timeline%-page">.-</script>', "")
      end
      assert.is_true(without_timeline(large) < without_timeline(small) * 1.3,
        ("%d bytes, then %d"):format(without_timeline(small), without_timeline(large)))
    end)
  end
end)
