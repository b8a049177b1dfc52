-- `tandem gate` and what it leaves for continuous integration: exit codes, JUnit, Markdown,
-- annotations, hostile names in each, the scripts of lib/ci; and how often it errs.
local ci = require "tandem.diff.ci"
local json = require "tandem.io.json"
local store_fixture = require "tests.spec.support.store_fixture"

local BEFORE <const>, AFTER <const> = "tests/data/nsys/mfu_2gpu_before.sqlite.gz",
  "tests/data/nsys/mfu_2gpu_after.sqlite.gz"

-- Whether a text is XML: elements closed in order, attributes quoted, entities known, no control
-- characters. Returns the elements by name, with their attributes as they read.
local ENTITY <const> = { amp = "&", lt = "<", gt = ">", quot = '"', apos = "'" }
local function unescaped(text)
  assert.is_nil(text:find "[<\"]", text)
  return (text:gsub("&(#?)(%w+);", function(number, name)
    local out = number == "#" and utf8.char(tonumber(name)) or ENTITY[name]
    return assert(out, name)
  end))
end
local function xml_of(text)
  assert.is_nil(text:find "[\0-\8\11\12\14-\31]")
  assert.is_not_nil(utf8.len(text))
  local open, found = {}, {}
  local body = text:gsub("^<%?xml[^>]*%?>", "")
  for before, close, name, attributes, empty in body:gmatch "([^<]*)<(/?)(%a+)([^>]-)(/?)>" do
    unescaped(before)
    if close == "/" then
      assert.equal(name, table.remove(open))
    else
      local values = {}
      for key, value in attributes:gmatch '(%a+)="([^"]*)"' do values[key] = unescaped(value) end
      found[name] = found[name] or {}
      table.insert(found[name], values)
      if empty ~= "/" then open[#open + 1] = name end
    end
  end
  assert.equal(0, #open)
  return found
end

describe("tandem gate", function()
  local files
  setup(function()
    files = store_fixture.new()
    assert.equal(0, select(3, files:tandem("import", BEFORE, "--name", "before")))
    assert.equal(0, select(3, files:tandem("import", AFTER, "--name", "after")))
  end)
  teardown(function() files:remove() end)

  local function read(path)
    local file <close> = assert(io.open(path, "rb"))
    return file:read "a"
  end

  it("leaves with 1 when a gate fails, and with --strict when one is undecided", function()
    local out, err, code = files:tandem("gate", "before", "after")
    assert.equal(0, code)
    assert.is_truthy(out:find("undecided  total<+3%", 1, true))
    assert.is_truthy(err:find("gate undecided: total<+3%", 1, true))
    assert.equal(1, select(3, files:tandem("gate", "before", "after", "--strict")))
    assert.equal(0, select(3, files:tandem("gate", "before", "after", "--gate", "total<+50%")))
    assert.equal(1, select(3, files:tandem("gate", "before", "after", "--gate", "total<-50%")))
    assert.equal(2, select(3, files:tandem("gate", "before", "after", "--gate", "total")))
    assert.equal(3, select(3, files:tandem("gate", "before", "nobody")))
  end)

  it("says what diff says", function()
    local gates = { "--gate", "total<+50%", "--gate", "elapsed<-50%", "--json" }
    local own = json.decode((files:tandem("gate", "before", "after", table.unpack(gates))))
    local of_diff = json.decode((files:tandem("diff", "before", "after", table.unpack(gates))))
    assert.same(of_diff.result, own.result)
    assert.equal(1, own.code)
    assert.equal("gate", own.problems[1].kind)
  end)

  it("writes JUnit, a summary that is added to, and annotations", function()
    local junit, summary = files.directory .. "/gate.xml", files.directory .. "/gate.md"
    local _, err, code = files:tandem("gate", "before", "after", "--gate", "total<+50%", "--gate",
      "total<-50%", "--gate", "total<+3%", "--junit", junit, "--summary", summary, "--ci", "github")
    assert.equal(1, code)
    local found = xml_of(read(junit))
    assert.equal(3, #found.testcase)
    assert.equal("total<+50%", found.testcase[1].name)
    assert.equal(1, #found.failure)
    assert.equal(1, #found.skipped)
    assert.equal("1", found.testsuite[1].failures)
    assert.is_truthy(err:find("::error title=tandem gate::total<-50%25 fails: ", 1, true))
    assert.is_truthy(err:find("::warning title=tandem gate::total<+3%25 is undecided", 1, true))
    assert.is_truthy(read(summary):find("1 of 3 gates failed", 1, true))
    files:tandem("gate", "before", "after", "--summary", summary)
    assert.is_truthy(read(summary):find("1 of 3 gates failed.*no gate failed"))
    assert.equal(4, select(3, files:tandem("gate", "before", "after", "--junit", "/nowhere/x.xml")))
  end)

  it("is what the scripts of lib/ci run", function()
    local out = files.directory .. "/ci"
    local function run(environment)
      local pipe = assert(io.popen(("cd %s && env GITHUB_STEP_SUMMARY=%s/step.md TANDEM=%s "
        .. "TANDEM_OUT=%s %s sh %s/lib/ci/gate.sh 2>&1; echo code $?"):format(files.directory,
        files.directory, require("tandem.core").executable(), out, environment,
        os.getenv "PWD" or ".")))
      local text = pipe:read "a"
      pipe:close()
      return text, tonumber(text:match "code (%d+)%s*$")
    end
    local here = os.getenv "PWD" or "."
    local both = ("TANDEM_BASE='%s/%s' TANDEM_NEW='%s/%s'"):format(here, BEFORE, here, AFTER)
    local text, code = run(both)
    assert.equal(0, code, text)
    assert.equal(1, #xml_of(read(out .. "/gate.xml")).testcase)
    text, code = run(both .. " TANDEM_GATES='total<-50%\n\nelapsed<+50%' GITHUB_ACTIONS=true")
    assert.equal(1, code, text)
    assert.equal(2, #xml_of(read(out .. "/gate.xml")).testcase)
    assert.is_truthy(text:find("::error title=tandem gate::total<-50%25", 1, true), text)
    local _, written = read(files.directory .. "/step.md"):gsub("### tandem gate", "")
    assert.equal(2, written) -- one a run
    text, code = run "TANDEM_BASE= TANDEM_NEW=x"
    assert.equal(2, code, text)
    text, code = run(both:gsub("after", "nobody") .. "")
    assert.is_true(code == 3 or code == 4, text)
    for _, name in ipairs { "lib/ci/action.yml", "lib/ci/gitlab.yml" } do
      assert.is_truthy(read(name):find("gate.sh", 1, true))
      assert.is_nil(read(name):find "\t")
    end
  end)
end)

describe("what is told to CI", function()
  local HOSTILE <const> = "a]]><b>&\"'\0\1\27[31m\127\255\u{FFFE}\n::error::x%0A|`*_@user"
  local report = { a = { HOSTILE }, b = { "b" }, strict = false, rows = {
    { gate = HOSTILE, verdict = "fails", says = HOSTILE },
    { gate = "plain<1%", verdict = "undecided", says = HOSTILE },
    { gate = "held<1%", verdict = "holds", says = HOSTILE } },
    totals = { { figure = HOSTILE, a = "1", b = "2", change = "+100 %" } } }

  it("is XML whatever a name has in it", function()
    local found = xml_of(ci.junit(report))
    assert.equal(3, #found.testcase)
    assert.is_nil(found.b)
    assert.is_truthy(found.testcase[1].name:find('a]]><b>&"\'', 1, true))
    assert.is_truthy(found.testcase[1].name:find("\n::error", 1, true))
  end)

  it("is one row a gate in Markdown, without markup of a name", function()
    local text = ci.summary(report)
    local rows = 0
    for line in text:gmatch "[^\n]+" do
      assert.is_nil(line:find "^::")
      if line:find "^| " then rows = rows + 1 end
    end
    assert.equal(1 + 3 + 1 + 1, rows)
    assert.is_nil(text:find "<")
    assert.is_nil(text:find("@user", 1, true))
    assert.is_nil(text:find "[\0-\9\11-\31\127]")
  end)

  it("is one line an annotation, and no more than are shown", function()
    for _, line in ipairs(ci.annotations(report)) do
      assert.is_nil(line:find "%c")
      assert.is_truthy(line:find("%250A", 1, true))
      local _, commands = line:gsub("^::", "")
      assert.equal(1, commands)
    end
    local many = { a = {}, b = {}, rows = {}, strict = false }
    for i = 1, 25 do many.rows[i] = { gate = "g" .. i, verdict = "fails", says = "x" } end
    local lines = ci.annotations(many)
    assert.equal(ci.MOST_ANNOTATIONS, #lines)
    assert.is_truthy(lines[#lines]:find("and 16 more", 1, true))
  end)
end)

describe("an undecided gate", function()
  -- Normal quantiles: 0.99 at 2.3263, 0.95 at 1.6449, 0.975 at 1.9600. A half-width of 2 ms shrinks
  -- with the root of the repeats until both chances fit into the distance from the limit.
  it("needs as many repeats as the distance from its limit asks for", function()
    local gate = require "tandem.diff.gate"
    local one = assert(gate.parse "latency.mean<10ms")
    local function judged(value_ms, repeats)
      return assert(gate.judge(one, { a = 0, b = value_ms / 1000, b_half = 0.002, unit = "s",
        repeats = repeats }))
    end
    local sure = 2 * (2.3263 + 1.6449) / 1.9600
    assert.equal(math.ceil(5 * sure ^ 2), judged(11, 5).needs)
    assert.equal(math.ceil(5 * sure ^ 2), judged(9, 5).needs)
    assert.equal(math.ceil(5 * (sure / 1.5) ^ 2), judged(8.5, 5).needs)
    for _, row in ipairs { judged(10, 5), judged(11, nil) } do
      assert.same({ "undecided", nil }, { row.verdict, row.needs })
    end
    assert.same({ "fails", nil }, { judged(13, 5).verdict, judged(13, 5).needs })
    assert.matches("about 83 runs a side would most likely tell", gate.says_needs(judged(11, 5)))
    assert.matches("more than 1,000 runs a side", gate.says_needs(judged(10.1, 5)))
    assert.is_nil(gate.says_needs(judged(13, 5)))
  end)
end)
