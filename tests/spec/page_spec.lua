--- Pages: well formed, nothing from outside, nothing unescaped, the numbers those of the answers.
local fixture = require "tests.spec.support.analysis_fixture"
local store_fixture = require "tests.spec.support.store_fixture"
local rows_of = require "tandem.store.rows"
local page = require "tandem.page"
local td = require "tandem"

local EVIL <const> = [[</script><img src=x onerror=alert(1)>"'&<!-- ]] .. "\u{202e}\1"

local VOID <const> = { meta = true, link = true, input = true, img = true, br = true }

-- The elements of a page in order; complains where one is not closed or closes another.
local function check_markup(text)
  local stack, count = {}, 0
  -- What scripts, styles and data hold is text.
  text = text:gsub("(<script[^>]*>)(.-)(</script>)", "%1%3"):gsub("(<style>)(.-)(</style>)", "%1%3")
  for closing, name, rest in text:gmatch "<(/?)([%a][%w]*)([^<>]*)>" do
    count = count + 1
    if closing == "/" then
      local open = table.remove(stack)
      assert(open == name, ("</%s> closes <%s>"):format(name, tostring(open)))
    elseif not VOID[name] and rest:sub(-1) ~= "/" then
      stack[#stack + 1] = name
    end
  end
  assert.same({}, stack)
  assert.is_nil(text:gsub("<!doctype html>", ""):gsub("</?[%a][^<>]*>", ""):find "[<>]")
  return count
end

local function check_alone(text)
  assert.is_nil(text:find("https?://"))
  assert.is_nil(text:find("@import", 1, true))
  assert.is_nil(text:find("url(", 1, true))
  assert.is_nil(text:gsub('="[^"]*"', '=""'):find("<[^<>]*%ssrc="))
  for target in text:gmatch 'href="([^"]*)"' do
    assert.is_true(target:sub(1, 1) == "#" or target == "data:,", target)
  end
  local known = {}
  for id in text:gmatch ' id="([^"]*)"' do
    assert.is_nil(known[id], id)
    known[id] = true
  end
  for target in text:gmatch 'href="#([^"]*)"' do assert.is_true(known[target], target) end
  assert.matches("default%-src 'none'", text)
end

local function check(text)
  assert.matches("^<!doctype html>", text)
  assert.is_nil(text:find("<img", 1, true))
  assert.is_nil(text:find("\u{202e}", 1, true))
  check_alone(text)
  return check_markup(text)
end

describe("a page's table", function()
  local hostile = rows_of.new({ { name = "share", show = function(v) return v .. EVIL end },
    { name = EVIL }, { name = "hidden", hidden = true } },
    { { share = 0.25, [EVIL] = EVIL, hidden = "secret" }, { share = 1.5, [EVIL] = EVIL:rep(40) } })

  it("escapes names, titles and words, and leaves out what is hidden", function()
    local text = page.table(hostile, { caption = EVIL })
    check_markup(text)
    assert.is_nil(text:find("<img", 1, true))
    assert.is_nil(text:find("secret", 1, true))
    assert.matches("--w:25.0%%", text)
    assert.matches("--w:100.0%%", text)
    assert.matches('<details class="long">', text)
  end)

  it("writes numbers below zero with a minus sign, and leaves hyphens of words", function()
    local rows = rows_of.new({ { name = "change", show = function(v) return v .. " %" end },
      { name = "name" } }, { { change = -3.5, name = "sm80-2 -7" } })
    local text = page.table(rows)
    assert.matches('data%-v="%-3.5">−3.5 %%<', text)
    assert.matches(">sm80%-2 %-7<", text)
    local canvas = require "tandem.plot.svg.canvas"
    assert.equal("−5 ± 12 % (−∞ to −.5)", canvas.minus "-5 ± 12 % (-∞ to -.5)")
    assert.equal("3-5, 1e-5, a - b, --all, x-1", canvas.minus "3-5, 1e-5, a - b, --all, x-1")
    assert.matches(">−20 ms<", tostring(require("tandem.plot").bars { title = "t",
      x = { unit = "s" }, rows = { { name = "a", value = -0.02 } } }:svg()))
  end)

  it("of a plot says where an interval is not known", function()
    local plot = require("tandem.plot").scatter { title = "t", x = { label = "x" },
      y = { label = "y" }, points = { { x = 1, y = 2, name = "a", half_y = 0.5 },
        { x = 2, y = 3, name = "b" } } }
    local text = require("tandem.page.plot").of(plot)
    assert.matches('<td class="right" data%-v="0.5">[^<]+</td></tr>', text)
    assert.matches('<td class="right">–</td></tr>', text)
  end)

  it("says how many rows it left out", function()
    local rows = {}
    for i = 1, 60 do rows[i] = { n = i } end
    local text = page.table(rows_of.new({ { name = "n" } }, rows), { most = 40 })
    local _, count = text:gsub("<tr>", "")
    assert.equal(41, count)
    assert.matches("the first 40 of 60 rows", text, 1, true)
  end)

  it("holds the beginning of a very long name, and says how long it is", function()
    local text = page.table(rows_of.new({ { name = "n" } }, { { n = ("é"):rep(10000) } }))
    check_markup(text)
    assert.is_true(#text < 4000)
    assert.matches("ééé… (the first 1,000 of 10,000 characters; CSV has all)", text, 1, true)
    local all = page.table(rows_of.new({ { name = "n" } }, { { n = ("é"):rep(1000) } }))
    assert.matches(("é"):rep(1000) .. "</p>", all, 1, true)
  end)

  it("has no column that is empty, and is no wider than four short columns need", function()
    local text = page.table(rows_of.new({ { name = "a" }, { name = "none" }, { name = "b" } },
      { { a = 1, b = "x" }, { b = "y" } }))
    assert.is_nil(text:find("none", 1, true))
    assert.equal(2, select(2, text:gsub('<th scope="col"', "")))
    assert.matches('class="table slight"', text, 1, true)
    local long = page.table(rows_of.new({ { name = "a" } }, { { a = ("word "):rep(9) } }))
    assert.matches('class="table"', long, 1, true)
    local empty = page.table(rows_of.new({ { name = "a" }, { name = "b" } }, { {} }))
    assert.equal(2, select(2, empty:gsub('<th scope="col"', "")))
  end)

  it("names no unit over values that tell theirs", function()
    local chart = require("tandem.plot").lines { x = { label = "rps" },
      y = { label = "p99", unit = "time" }, series = { { x = { 1, 2 }, y = { 0.1, 0.2 } } } }
    local text = page.table(chart:table())
    assert.matches("<span>p99</span>", text, 1, true)
    assert.matches(">100 ms<", text, 1, true)
    assert.equal("rps,p99 (s)", chart:csv():match "^[^\r\n]+")
  end)

  it("keeps every bit of a number to sort by", function()
    local text = page.table(rows_of.new({ { name = "a" } }, { { a = 0.1 + 0.2 },
      { a = math.maxinteger }, { a = 0 / 0 } }))
    assert.matches('data-v="0.30000000000000004"', text, 1, true)
    assert.matches(('data-v="%d"'):format(math.maxinteger), text, 1, true)
    assert.is_nil(text:find 'data%-v="%-?nan')
  end)
end)

describe("pages of a run", function()
  local CAPTURE <const> = "nsys/h100_2gpu_1s.sqlite.gz"
  local CALLS <const> = "cuda_api/vllm-37343.ingero.jsonl.gz"
  local data

  setup(function() data = fixture.new(CAPTURE, CALLS) end)
  teardown(function() data:remove() end)

  it("have the numbers of the answer, row by row", function()
    local answer = data:run(CAPTURE):kernels { by = "base" }
    local text = answer:to_html()
    check(text)
    local body = text:match "<tbody>(.-)</tbody>"
    local rows, at = answer:rows(), 0
    for line in body:gmatch "<tr>(.-)</tr>" do
      at = at + 1
      local found = {}
      for value in line:gmatch 'data%-v="([^"]*)"' do found[#found + 1] = tonumber(value) end
      local row = rows[at]
      assert.same({ row.share, row.total_ns, row.count, row.mean_ns, row.median_ns, row.min_ns,
        row.max_ns, row.stddev_ns }, found)
    end
    assert.equal(#rows, at)
  end)

  it("have the words of people where records have names of programs", function()
    local path = data:run(CAPTURE):critical_path()
    local bounds = {}
    for _, row in ipairs(path:frame("bound").rows) do bounds[row.bound] = true end
    assert.is_true(bounds.gpu_compute_bound)
    local text = path:to_html()
    assert.matches(">GPU compute<", text)
    assert.is_nil(text:find "gpu[_ ]compute")
    assert.is_nil(text:find ">[%w]+_bound<")
    assert.is_nil(text:find ">[%w_]+_overhead<")
  end)

  it("tell once what to do", function()
    local advice = data:run(CAPTURE):advice()
    local text = advice:to_html()
    local row = advice:frame("findings").rows[1]
    local what = row.what_to_do:match "^[%w ]+"
    local _, count = text:gsub(what, "")
    assert.equal(1, count, what)
    assert.is_truthy(table.concat(advice:notes(true), "\n"):find(row.rule
      .. ": Expected gain: ", 1, true))
    assert.matches(what, table.concat(advice:notes(), "\n"))
  end)

  it("say what cannot be answered", function()
    local text = data:run(CALLS):kernels():to_html()
    check(text)
    assert.matches("Cannot answer:</b> the run has no kernels", text, 1, true)
  end)

  it("report every analysis, and those without an answer at the end", function()
    for _, capture in ipairs { CAPTURE, CALLS } do
      local run = data:run(capture)
      local text = assert(page.report(run))
      check(text)
      local missing = text:match "What this run cannot tell</h2>(.*)$" or ""
      local given = text:sub(1, #text - #missing)
      for _, name in ipairs(require("tandem.analysis").names()) do
        local title = require("tandem.page.html").escape(
          require("tandem.analysis").named(name).title)
        local answer = assert(require("tandem.analysis").ask(run, name))
        local told = not answer:abstains() and given:find("<h2>" .. title .. "</h2>", 1, true)
        for titles in missing:gmatch "<dt>(.-)</dt>" do -- those that miss the same stand together
          told = told or (", " .. titles .. ","):find(", " .. title .. ",", 1, true)
        end
        assert.is_truthy(told, name)
      end
    end
  end)

  it("tell once what thirty analyses miss", function()
    local text = assert(page.report(data:run(CALLS)))
    local reasons = {}
    for reason in text:match("What this run cannot tell</h2>(.*)$"):gmatch "<dd>(.-)</dd>" do
      assert.is_nil(reasons[reason], reason)
      reasons[reason] = true
    end
  end)

  it("tell how much of a report is done", function()
    local told = {}
    assert(page.report(data:run(CAPTURE), nil, function(fraction) told[#told + 1] = fraction end))
    assert.equal(#require("tandem.analysis").names(), #told)
    assert.equal(0, told[1])
    for i = 2, #told do assert.is_true(told[i] > told[i - 1] and told[i] < 1) end
  end)

  it("say what the readers had to repair", function()
    local stores = fixture.new "kineto/h100__gaunernst_bert-small-uncased__1016001.json.gz"
    local run = assert(stores.store:run "last")
    local text = assert(page.report(run))
    local part = text:match 'Data quality</h2>(.-)</section>'
    for row in run:problems() do
      assert.is_truthy(part:find("<dt>" .. row.count .. "</dt>", 1, true), row.kind)
    end
    stores:remove()
  end)

  it("are written by their commands", function()
    local path = data.stores:path "r.html"
    local _, err, code = data.stores:tandem("report", "last", "--out", path, "--range", "..1s")
    assert.equal(0, code, err)
    local file = assert(io.open(path))
    local text = file:read "a"
    file:close()
    check(text)
    assert.matches("only range ..1s", text, 1, true)
    _, err, code = data.stores:tandem("report", "last", "--nvtx", "no such range")
    assert.matches("the run has no range", err, 1, true)
    assert.is_true(code ~= 0)
  end)
end)

describe("the page of a run with more than spans", function()
  -- The rows of a section's tables as lists of texts.
  local function rows_in(text, title)
    local rows = {}
    local section = text:match("<h2>" .. title .. "</h2>(.-)</section>") or ""
    for line in section:gmatch "<tr>(.-)</tr>" do
      local cells = {}
      for cell in line:gmatch "<t[dh][^>]*>(.-)</t[dh]>" do
        cells[#cells + 1] = cell:gsub("<[^>]*>", ""):gsub("&quot;", '"'):gsub("&gt;", ">")
      end
      rows[cells[1] or #rows + 1] = cells
    end
    return rows
  end

  it("has the histograms and gauges of a server's metrics", function()
    local data = fixture.new "prometheus/sglang_llama8b_overloaded.prom"
    local text = assert(page.report(assert(data.store:run "last")))
    data:remove()
    check(text)
    local rows = rows_in(text, "Samples")
    -- 3,116,093.85 s of 11,228 requests; 1,513 of them took up to 60 s, the last bound.
    assert.same({ "sglang:e2e_request_latency_seconds", "server", "11,228", "278 s", "> 60 s",
      "> 60 s", "> 60 s" }, rows["sglang:e2e_request_latency_seconds"])
    -- 14,006 of 14,007 took up to 50 ms, the first bound.
    local calls = rows['sglang:func_latency_seconds{name="generate_request"}']
    assert.same({ "14,007", "322 µs", "≤ 50 ms", "≤ 50 ms", "≤ 50 ms" }, { table.unpack(calls, 3) })
    assert.same({ "sglang:num_queue_reqs", "server", "2,826" }, rows["sglang:num_queue_reqs"])
    assert.is_nil(rows["sglang:e2e_request_latency_seconds_sum"]) -- is in the histogram's mean
    assert.matches("<dt>samples of counters</dt><dd>91</dd>", text, 1, true)
    assert.is_nil(text:find("<dt>spans in all</dt>", 1, true))
  end)

  it("has percentiles between two scrapes on a line within their bucket", function()
    local stores = store_fixture.new()
    local path = stores:path "two.prom"
    local file = assert(io.open(path, "w"))
    local function scrape(ms, low, middle, all, sum)
      file:write(('x_seconds_bucket{le="1"} %d %d\nx_seconds_bucket{le="3"} %d %d\n'):format(
        low, ms, middle, ms), ('x_seconds_bucket{le="+Inf"} %d %d\nx_seconds_count %d %d\n'):format(
        all, ms, all, ms), ("x_seconds_sum %d %d\nbusy %d %d\n"):format(sum, ms, low, ms))
    end
    scrape(1700000000000, 5, 7, 10, 30)
    scrape(1700000060000, 7, 15, 20, 50)
    file:close()
    local store = assert(td.store(stores:path "s.db"))
    local text = assert(page.report(assert(store:import { path })))
    store:close()
    stores:remove()
    -- Of 10 that came in, 2 took up to 1 s, 8 up to 3 s, 10 more: half of them up to 2 s.
    local row = rows_in(text, "Samples")["x_seconds"]
    assert.same({ "10", "2 s", "2 s", "> 3 s", "> 3 s" }, { table.unpack(row, 3) })
    assert.same({ "2", "5", "6", "7" }, { table.unpack(rows_in(text, "Samples")["busy"], 3) })
  end)

  it("has the figures of a profiled kernel, in their units", function()
    local data = fixture.new "ncu/copy_blocked.csv"
    local text = assert(page.report(assert(data.store:run "last")))
    data:remove()
    check(text)
    local rows = rows_in(text, "Figures")
    assert.equal("21.1 ms", rows["Duration"][2])
    assert.equal("4.96 GHz", rows["DRAM Frequency"][2])
    assert.equal("61.8 %", rows["DRAM Throughput"][2])
    assert.matches("^OPT: The memory access pattern", rows["rule.MemoryCacheAccessPattern"][2])
    assert.is_nil(text:find("47 figures of 1", 1, true))
  end)
end)

describe("pages of a hostile trace", function()
  local stores, store, run

  setup(function()
    stores = store_fixture.new()
    local name = require("cjson").encode(EVIL)
    local trace = ([[{"traceEvents":[
      {"ph":"M","name":"process_name","pid":1,"args":{"name":NAME}},
      {"ph":"X","cat":"cpu_op","name":NAME,"pid":1,"tid":1,"ts":0,"dur":100},
      {"ph":"X","cat":"cuda_runtime","name":NAME,"pid":1,"tid":1,"ts":20,"dur":5,
       "args":{"correlation":7}},
      {"ph":"X","cat":"kernel","name":NAME,"pid":0,"tid":7,"ts":60,"dur":30,
       "args":{"device":0,"stream":7,"correlation":7}}]}]]):gsub("NAME",
      function() return name end)
    local _, err, code = stores:tandem("import", stores:write("<b>&\".json", trace))
    assert(code == 0, err)
    store = assert(td.store(stores:path "a.db"))
    run = assert(store:run "last")
  end)
  teardown(function()
    store:close()
    stores:remove()
  end)

  it("hold its names as text", function()
    check(run:kernels():to_html())
    check(assert(page.report(run)))
    local graph = require("tandem.flame").of(run:flame { weight = "gpu" })
    check(page.flame(graph))
    local both = require("tandem.flame").of(run:flame { merge = true }, run:flame { merge = true })
    check(page.flame(both))
  end)

  it("carry a flame graph's frames as data that reads back", function()
    local graph = require("tandem.flame").of(run:flame())
    local text = page.flame(graph)
    local made = require("cjson").decode(
      text:match '<script type="application/json" id="flame%-data">\n(.-)\n</script>')
    local sum = 0
    for i, frame in ipairs(graph.frames) do
      assert.equal(frame.depth, made.depth[i])
      assert.equal(frame.self, made.self[i])
      sum = sum + made.self[i]
    end
    assert.equal(#graph.frames, #made.name)
    assert.equal(100000, sum)
  end)
end)

describe("the page of a simulated run", function()
  it("has its figures, charts and analyses", function()
    local stores = store_fixture.new()
    local _, err, code = stores:tandem("run", "scenarios/01-demo.lua", "--set", "requests=300")
    assert.equal(0, code, err)
    local store = assert(td.store(stores:path "a.db"))
    local text = assert(page.report(assert(store:run "last")))
    check(text)
    for _, title in ipairs { "Latency and load", "Stages", "How busy each resource is" } do
      assert.is_truthy(text:find(title, 1, true), title)
    end
    store:close()
    stores:remove()
  end)

  it("has a day by windows, as the run tells it", function()
    local stores = store_fixture.new()
    local _, err, code = stores:tandem("run", "scenarios/16-a-day.lua", "--set",
      "workload.duration=2h", "slo.within=15min", "slo.p99=4s")
    assert.is_true(code == 0 or code == 1, err)
    local store = assert(td.store(stores:path "a.db"))
    local run = assert(store:run "last")
    local text = assert(page.report(run))
    check(text)
    for _, title in ipairs { "By 15 min", "Load by 15 min", "Latency by 15 min",
      "GPUs by 15 min" } do
      assert.is_truthy(text:find(title, 1, true), title)
    end
    local windows = require "tandem.page.windows"
    local result = assert(require("tandem.page.simulated").result(run))
    local rows = windows.rows(result).rows
    assert.equal(8, #rows)
    for i, row in ipairs(rows) do
      local item = result.windows.items[i]
      assert.equal((i - 1) * 900, row.from_s)
      assert.equal(item.offered_rps.value, row.offered_rps)
      assert.equal(item.latency.p99.value, row.latency_p99)
    end
    -- The objective of every window is a line in the picture of its figure.
    assert.is_truthy(windows.charts(result)[2]:svg():find('class="limit"', 1, true))
    local plain = store_fixture.new()
    store:close()
    stores:remove()
    plain:tandem("run", "scenarios/01-demo.lua", "--set", "requests=300")
    store = assert(td.store(plain:path "a.db"))
    result = assert(require("tandem.page.simulated").result(assert(store:run "last")))
    assert.is_nil(windows.rows(result))
    assert.same({}, windows.charts(result))
    store:close()
    plain:remove()
  end)

  it("draws the largest of very many stages and resources, and says so", function()
    local simulated = require "tandem.page.simulated"
    local result = { stages = {}, resources = {} }
    for i = 1, 50 do
      local time = i == 7 and 90 or i
      result.stages[i] = { name = ("stage%d."):format(i), wait = { mean = { value = 0 } },
        service = { mean = { value = time } } }
      result.resources[i] = { name = ("gpu%d."):format(i), servers = 1,
        utilization = { value = time / 100 } }
    end
    for kind, chart in pairs { stage = simulated.stage_chart(result),
      gpu = simulated.utilization(result) } do
      local svg, named, last = chart:svg(), 0, 0
      for number in svg:gmatch(">" .. kind .. "(%d+)%.<") do
        number = tonumber(number)
        assert.is_true((number == 7 or number > 11) and number > last, kind .. number)
        named, last = named + 1, number
      end
      assert.equal(40, named)
      assert.matches("; the 40 largest of 50<", svg)
    end
  end)

  it("calls no resource the busiest that has as many servers as it wants", function()
    local stores = store_fixture.new()
    local _, err, code = stores:tandem("run", "scenarios/01-demo.lua", "--duration", "5s", "--set",
      "pipeline.preprocess.time=100ms", "rps=20")
    assert.equal(0, code, err)
    local store = assert(td.store(stores:path "a.db"))
    local run = assert(store:run "last")
    local simulated = require "tandem.page.simulated"
    local result = assert(simulated.result(run))
    assert.equal("cpu", result.resources[1].name)
    assert.is_true(result.resources[1].utilization.value > 1)
    assert.matches("The busiest resource is L40 gpu: [%d.]+ %% of the time of its 4 servers%.",
      table.concat(simulated.findings(result)))
    assert.is_nil(simulated.utilization(result):svg():find(">cpu<", 1, true))
    local shown = stores:tandem("show", "last")
    assert.matches("\n  cpu +[%d.]+ busy\n", shown)
    assert.matches("\n  L40 gpu +[%d.]+ %% busy\n", shown)
    store:close()
    stores:remove()
  end)

  it("draws a chart for telephones and for wide rooms, too, unless its width is told", function()
    local html = require "tandem.page.html"
    local function widths(options)
      local chart = require("tandem.plot").lines(setmetatable({ x = {}, y = {},
        series = { { x = { 1, 2 }, y = { 1, 2 } } } }, { __index = options }))
      local found = {}
      for class, width in html.figure(chart):gmatch '<div class="scroll ?(%l*)".-width="(%d+)"' do
        found[#found + 1] = class .. width
      end
      return table.concat(found, " ")
    end
    assert.equal("720 slim380 wide1040", widths {})
    assert.equal("540 slim380", widths { width = 540 })
    assert.equal("1100 slim380", widths { width = 1100 })
  end)

  it("has no help of the command line", function()
    local html, named = require "tandem.page.html", 0
    for _, name in ipairs(require("tandem.analysis").names()) do
      local about = require("tandem.analysis").named(name).about or ""
      local shown = html.without_options(about)
      assert.is_nil(shown:find "%-%-%l", name)
      assert.is_nil(shown:find "`tandem ", name)
      if about:find "%-%-%l" then
        named = named + 1
        assert.is_true(#shown > 100 and #shown < #about, name)
        assert.matches("^%u.*%.$", shown)
      else
        assert.equal(#about - #(about:match "%s*%(`tandem [%l -]+`%)" or ""), #shown)
      end
    end
    assert.is_true(named > 4)
    assert.equal("Adds a up. Other b; c.", html.without_options
      "Adds a (--all adds b) up. With --csv more. Other b; --x has d; c.")
    assert.equal("no limits for GPU 9: not in the catalogue", html.without_options
      "no limits for GPU 9: not in the catalogue (tandem list gpus)")
  end)

  it("leaves no tile alone in its line", function()
    local function abreast(count, text)
      local tiles = {}
      for i = 1, count do tiles[i] = { "label", i == 2 and text or "1" } end
      local made = require("tandem.page.html").facts("tiles", tiles)
      return tonumber(made:match "^<dl class=\"tiles\" style=\"%-%-abreast: (%d+)\">")
    end
    assert.is_nil(abreast(6, "1"))
    assert.equal(4, abreast(7, "1"))
    assert.equal(5, abreast(10, "1"))
    assert.equal(3, abreast(6, "787 ± 240 tokens/s"))
    assert.equal(4, abreast(11, "787 ± 240 tokens/s"))
    assert.is_nil(require("tandem.page.html").facts("facts", { { "a", "1" } }):find "abreast")
  end)

  it("draws no course of a single moment", function()
    local function titles(ttft)
      local found = {}
      for _, section in ipairs(require("tandem.page.llm").sections { llm = { { name = "llm" } },
        series = { t = { 0, 1, 2 }, llm = { { kv = { 0.1, 0.2, 0.3 }, ttft_mean = ttft } } } }) do
        for _, chart in ipairs(section.charts) do
          found[#found + 1] = chart:svg():match "<title[^>]*>([^<]*)<"
        end
      end
      return table.concat(found, ", ")
    end
    assert.equal("KV cache", titles { 0.5, 0, 0 })
    assert.equal("KV cache, TTFT over time", titles { 0.5, 0, 0.4 })
  end)
end)
