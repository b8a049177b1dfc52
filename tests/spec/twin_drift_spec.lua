-- Does a server drift from its twin? Simulated ones, unchanged and changed; and one that is asked
-- over HTTP, whose clock is its own.

local drift = require "tandem.twin.drift"
local metrics = require "tandem.metrics"
local names = require "tandem.metrics.names"
local td = require "tandem"

local WINDOW <const>, RECORDED <const> = 300, 1200

local function server(parts, duration)
  return td.scenario "served" { target = td.gpu "H100 SXM" { count = 1 },
    workload = td.poisson { rps = parts.rps or 8, duration = duration },
    attrs = { prompt_tokens = td.lognormal { mean = parts.prompt or 700, cv = 1 },
      output_tokens = td.gamma { mean = parts.output or 120, cv = 0.7 } },
    pipeline = { td.generate "answer" { model = td.llm "Llama-3.1-8B",
      engine = { server = "vllm" },
      step = td.roofline { factor = parts.factor or 1, request = "8ms" } } } }
end

local function exported(parts, duration, seed, scrape)
  local path = os.tmpname()
  assert(server(parts, duration):run { replications = 1, seed = seed, warmup = "none",
    metrics = path, scrape = scrape or 15 })
  return path
end

-- Windows of a server as the detector sees them: which figures of each drift.
local function judged(detector, parts, windows, seed)
  local path = exported(parts, (windows + 2) * WINDOW, seed, WINDOW)
  local merged = metrics.merged(assert(metrics.read { path }))
  os.remove(path)
  local known, out = names.own(), {}
  for k = 2, windows + 1 do
    local rows, any = detector:judge(drift.seen(merged, known, k, k), WINDOW)
    out[#out + 1] = { any = any }
    for _, row in ipairs(assert(rows)) do out[#out][row.key] = row.drifted end
  end
  return out
end

local function share(list, key)
  local n = 0
  for _, one in ipairs(list) do n = n + (one[key] and 1 or 0) end
  return n / #list
end

describe("drift", function()
  local recorded, twin

  setup(function()
    recorded = exported({}, RECORDED, 1)
    twin = assert(td.twin { files = { recorded }, gpu = "H100 SXM" })
  end)
  teardown(function() os.remove(recorded) end)

  -- 5 % are asked for, of twins of three recordings, each of which errs in its own way.
  it("is seen in as few unchanged windows as was said", function()
    local seen, n = 0, 0
    for seed = 11, 13 do
      local path = exported({}, RECORDED, seed)
      local one = assert(td.twin { files = { path }, gpu = "H100 SXM" })
      os.remove(path)
      local list = judged(assert(drift.of(one, WINDOW, 0.05)), {}, 40, 100 + seed)
      seen, n = seen + share(list, "any") * #list, n + #list
    end
    assert(seen / n <= 0.08, seen / n)
  end)

  it("is seen when rate, lengths or steps change, and in what has changed", function()
    local detector = assert(drift.of(twin, WINDOW))
    assert(share(judged(detector, {}, 40, 5), "any") <= 0.1)
    for key, parts in pairs { rate = { rps = 10 }, prompt = { prompt = 1000 },
      output = { output = 160 }, gap = { factor = 0.8 } } do
      local list = judged(detector, parts, 10, 7)
      assert(share(list, key) >= 0.8, key .. " " .. share(list, key))
    end
    local slower = judged(detector, { factor = 0.8 }, 10, 8)
    assert(share(slower, "prompt") <= 0.2 and share(slower, "rate") <= 0.2)
  end)

  it("is not judged in windows that nearly nobody came in", function()
    local detector = assert(drift.of(twin, WINDOW))
    local path = exported({ rps = 0.02 }, 2 * WINDOW, 3, WINDOW)
    local merged = metrics.merged(assert(metrics.read { path }))
    os.remove(path)
    assert.is_nil(drift.seen(merged, names.own(), 1, 1))
    assert.is_nil((detector:judge(nil, WINDOW)))
  end)

  -- A server that gives one scrape a request, with the time that was then.
  local function served(path, text)
    local script = path .. ".js"
    local file <close> = assert(io.open(script, "w"))
    file:write([[
const fs = require("fs"), http = require("http");
const lines = fs.readFileSync(process.argv[2], "utf8").split("\n").filter((l) => l && l[0] !== "#");
const times = [...new Set(lines.map((l) => l.split(" ").pop()))].sort((a, b) => a - b);
let k = 0;
const server = http.createServer((request, answer) => {
  if (request.url === "/stop") process.exit();
  if (request.url !== "/metrics") { answer.statusCode = 404; return answer.end(); }
  if (k === 3) { k += 1; answer.statusCode = 503; return answer.end(); }
  const time = times[Math.min(k++ - (k > 3 ? 1 : 0), times.length - 1)];
  answer.end(lines.filter((l) => l.endsWith(" " + time)).join("\n") + "\n# EOF\n");
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
setTimeout(() => process.exit(), 120000);
]])
    file:close()
    local data <close> = assert(io.open(path, "w"))
    data:write(text)
    data:close()
    local pipe = assert(io.popen(("node %s %s"):format(script, path)))
    return pipe, assert(pipe:read "l"), script
  end

  it("is told of a server that is fetched, which may not answer for once", function()
    local follow = require "tandem.twin.follow"
    for seed, parts in ipairs { {}, { output = 200 } } do
      local path = exported(parts, 4 * WINDOW, 20 + seed)
      local file <close> = assert(io.open(path))
      local pipe, port, script = served(path, file:read "a")
      local told, noted = {}, {}
      local out = assert(follow.run(twin, { url = "http://127.0.0.1:" .. port .. "/metrics",
        every_s = 0.001, window_s = WINDOW, windows = 2,
        note = function(_, why) noted[#noted + 1] = why end,
        tell = function(from, to, rows, drifted)
          told[#told + 1] = { to - from, rows, drifted }
        end }))
      assert.equal(2, out.windows)
      assert.is_false(out.stopped)
      assert.matches("it answers 503", noted[1], 1, true)
      for _, one in ipairs(told) do
        assert.equal(WINDOW, one[1])
        assert.equal(seed == 2, one[3])
      end
      local line <close> = require("tandem.module").open("upload", "luaopen_tandem_upload").open()
      line:ask { method = "GET", url = "http://127.0.0.1:" .. port .. "/stop" }
      pipe:close()
      os.remove(path)
      os.remove(script)
    end
  end)
end)
