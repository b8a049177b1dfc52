--- Timelines as pages: JSON well formed, names harmless whatever they are, inside other pages too.
local cjson = require "cjson"
local page = require "tandem.page"
local store_fixture = require "tests.spec.support.store_fixture"
local td = require "tandem"
local timeline = require "tandem.timeline"
local timeline_page = require "tandem.page.timeline"

local EVIL <const> = [[</script><!--<script>alert(1)</script>"'&]] .. "\u{2028}\u{202e}\u{2029}\1"

local function count(text, part)
  local found, at = 0, 1
  while true do
    local from, to = text:find(part, at, true)
    if not from then return found end
    found, at = found + 1, to + 1
  end
end

describe("a timeline", function()
  local stores, store, hostile, made, text
  setup(function()
    stores = store_fixture.new()
    local kernels = {}
    for i = 1, 200 do kernels[i] = { i % 2 == 0 and EVIL or "gemm", 1000 * i, 900 } end
    local trace = store_fixture.jsonl { path = EVIL, kernels = kernels, ranges = { EVIL, "step" } }
      :gsub("GPU #0", function() return (cjson.encode(EVIL):sub(2, -2)) end)
      :gsub("stream 7", function() return (cjson.encode(EVIL):sub(2, -2)) end)
    local _, err, code = stores:tandem("import", stores:write("<b>&\"\u{2028}.jsonl", trace))
    assert(code == 0, err)
    store = assert(td.store(stores:path "a.db"))
    hostile = assert(store:run "last")
    made = assert(timeline.of(hostile, nil, { title = EVIL }))
    text = timeline_page.of(made)
  end)
  teardown(function()
    store:close()
    stores:remove()
  end)

  it("of moments alone says in a report that there is nothing to draw", function()
    local moments = stores:write("moments.json", cjson.encode { traceEvents = {
      { ph = "i", name = "a", pid = 1, tid = 1, ts = 1, s = "t" },
      { ph = "i", name = "b", pid = 1, tid = 1, ts = 5, s = "t" } } })
    local _, err, code = stores:tandem("import", moments)
    assert(code == 0, err)
    local run = assert(store:run "moments.json")
    assert.is_true(timeline.of(run).is_empty)
    assert.is_false(made.is_empty)
    local section = assert(timeline_page.section(run))
    assert.matches("nothing to draw: its 2 spans are moments", section.body, 1, true)
    assert.is_nil(section.body:find "<iframe")
    assert.is_nil(page.report(run):find("Time by kind of record", 1, true))
  end)

  it("says what it holds in JSON", function()
    local meta = cjson.decode(made.meta)
    assert.equal("tandem.timeline/2", meta.schema)
    assert.equal(EVIL, meta.title)
    assert.equal(hostile.id, meta.runs[1].id)
    assert.equal(hostile.span_count, meta.runs[1].spans)
    assert.equal(EVIL, meta.runs[1].groups[1])
    local length = 0
    for _, characters in ipairs(meta.blocks) do length = length + characters + 1 end
    assert.equal(#made.data, length)
    assert.is_nil(made.data:find "[^!-~\n]")
    assert.is_nil(made.data:find "[<>&\"'`\\/~]")
  end)

  it("cannot be left by what it holds", function()
    assert.equal(3, count(text, "<script"))
    assert.equal(3, count(text, "</script"))
    assert.equal(0, count(text, "<!--"))
    for _, odd in ipairs { "\u{2028}", "\u{2029}", "\u{202e}", "\1" } do
      assert.is_nil(made.meta:find(odd, 1, true))
    end
    assert.is_nil(text:find "https?://")
    assert.is_nil(text:find "<[^<>]*%ssrc=")
    assert.matches("default%-src 'none'", text)
  end)

  it("keeps to a time that was asked for", function()
    local part = assert(timeline.of(hostile, nil, { from_ns = 50000, to_ns = 60000 }))
    local meta = cjson.decode(part.meta)
    assert.is_true(meta.runs[1].spans >= 10 and meta.runs[1].spans <= 13, meta.runs[1].spans)
    assert.is_true(#part.data < #made.data)
  end)

  it("of two runs says whose it is, and why they have no common clock", function()
    local none, message, code = timeline.of(hostile, hostile, { align = "yesterday" })
    assert.is_nil(none)
    assert.matches("align cannot be 'yesterday'", message)
    assert.equal(2, code)
    assert.equal(("%s %s and %s %s"):format(hostile.name, hostile.id, hostile.name, hostile.id),
      assert(timeline.of(hostile, hostile, { align = "first" })).title)
    local _, err, failed = stores:tandem("import", stores:write("other.jsonl",
      store_fixture.jsonl { kernels = { { "gemm", 1000, 900 } } }))
    assert(failed == 0, err)
    local other = assert(store:run "other.jsonl")
    assert.equal(hostile.name .. " and other.jsonl", assert(timeline.of(hostile, other,
      { align = "first" })).title)
  end)

  it("stands inside a report as the page that it is alone", function()
    local report = assert(page.report(hostile))
    assert.equal(1, count(report, "<iframe"))
    assert.equal(timeline_page.of(assert(timeline.of(hostile))),
      cjson.decode("[" .. report:match 'id="timeline%-page">(.-)</script>' .. "]")[1])
  end)

  it("is thinned where it is too large for a report", function()
    local most = timeline_page.inside_most
    timeline_page.inside_most = 100
    local report = page.report(hostile)
    timeline_page.inside_most = most
    assert.equal(1, count(report, "<iframe"))
    local held, all = report:match "(%d+) of (%d+) spans: all of at least"
    assert.equal(hostile.span_count, tonumber(all))
    local inside = cjson.decode("[" .. report:match 'id="timeline%-page">(.-)</script>' .. "]")[1]
    local meta = cjson.decode(inside:match 'id="timeline%-meta">\n(.-)\n</script>')
    assert.equal(hostile.span_count, meta.runs[1].spans)
    assert.equal(tonumber(held), meta.runs[1].thinned.spans)
    assert.is_true(meta.runs[1].thinned.spans <= 110, meta.runs[1].thinned.spans)
    assert.is_truthy(report:find(("<code>tandem view %s</code>"):format(hostile.id), 1, true))
  end)

  it("is opened by rows of tables that have a time", function()
    local first = { columns = { { name = "name" }, { name = "at_ns" } }, rows = {
      { name = "a", at_ns = 1000, dur_ns = 500 }, { name = "b", at_ns = 2000, gap_ns = 7 },
      { name = "c", at_ns = 3000 }, { name = "d" },
      { name = "e", at_ns = 10, from_ns = 90, to_ns = 95 } } }
    local tables = require "tandem.page.table"
    local places = {}
    for place in tables.of(first, { timeline_ns = 40 }):gmatch 'data%-place="(.-)"' do
      places[#places + 1] = place
    end
    assert.same({ "1040..1540", "2040..2047", "3040..3040", "50..55" }, places)
    assert.is_nil(tables.of(first):find "data%-place")
  end)

  it("is opened by rows that sum others, or are about a GPU", function()
    local places = require "tandem.page.place"
    local whole = { rows = { { device = "GPU #1", total_ns = 9 } } }
    local parts = { rows = { { device = "GPU #0", at_ns = 1, dur_ns = 99 },
      { device = "GPU #1", at_ns = 5, dur_ns = 2 }, { device = "GPU #1", at_ns = 20, dur_ns = 8 },
      { device = "GPU #1", at_ns = 50, dur_ns = 4 } } }
    local function way(row, more)
      local options = { timeline_ns = 100, spans = { "name" }, categories = { kernel = true } }
      for key, value in pairs(more or {}) do options[key] = value end
      return (places.attributes(row, options):gsub("&quot;", '"'))
    end
    local beside = { beside = { { table = whole }, { table = parts } }, of = whole }
    assert.equal(' data-place="120..128"', way(whole.rows[1], beside))
    local named = { beside = { { table = { rows = { { device = "GPU #1", name = "gemm" } } } } } }
    assert.equal(' data-find="gemm"', way(whole.rows[1], named))
    -- Nothing that agrees, nothing that both say: no part.
    assert.equal(' data-pick="{"group":"GPU #2"}"', way({ device = "GPU #2" }, beside))
    assert.equal("", way({ rule = "x" }, beside))
    assert.equal(' data-pick="{"category":"kernel"}"', way { category = "kernel", total_ns = 5 })
    assert.equal("", way { category = "kernel", total_ns = 0 }) -- instants are not drawn
    assert.equal("", way { category = "gemm" }) -- a label, not a category of spans
    assert.equal(' data-pick="{"category":"memcpy"}"',
      way({ cause = "copy" }, { categories = { memcpy = true } }))
    assert.equal(' data-find="gemm"', way { change = "2x faster: gemm" })
    assert.equal("", way { missing = "nothing" })
    assert.equal("", places.attributes({ at_ns = 1 }, {}))
  end)
end)
