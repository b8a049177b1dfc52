-- tandem.mcp without processes: calls as command lines, options as schemas, and what of an answer
-- is shown. Whole conversations are in mcp_spec.lua.

local json = require "tandem.io.json"
local result = require "tandem.mcp.result"
local tools = require "tandem.mcp.tools"
local words = require "tandem.mcp.words"

local at
setup(function()
  at = os.tmpname()
  os.remove(at)
  assert(os.execute(("mkdir -p %s/open/sub %s/job && echo x > %s/open/a.csv && "
    .. "echo x > %s/open/sub/b.csv"):format(at, at, at, at)))
end)
teardown(function() os.execute("rm -rf " .. at) end)

local function line(name, given, folder)
  local tool = assert(tools.named(name))
  local ok, out = pcall(function()
    words.check(tool, given)
    return words.of(tool, given, { directory = at .. "/job" },
      { folder = folder, store_path = "S" })
  end)
  if not ok then
    assert(type(out) == "table", out)
    return nil, out.refused
  end
  return table.concat(out, " "), out
end

local function refused(want, ...)
  local none, why = line(...)
  assert.is_nil(none)
  assert.equal(want, why)
end

describe("what strangers named", function()
  -- An escape, a C1 control and a mark that turns text around.
  local NAME <const> = "a\27[31m\u{9b}31m\u{202e}b"
  local function drives(text) return text:find "[\1-\9\11-\31]" or text:find "\u{9b}"
    or text:find "\u{202e}" end

  it("drives no terminal as a tool's text, and means the same", function()
    local text = result.of({ name = NAME }, false).content[1].text
    assert.is_nil(drives(text))
    assert.equal(NAME, json.decode(text).name)
    assert.is_nil(drives(result.of({}, false, NAME).content[1].text))
  end)

  it("drives none as a route's answer", function()
    local answer = require "tandem.serve.answer"
    local body = answer.json(200, { name = NAME }).body
    assert.is_nil(drives((body:gsub("\n$", ""))))
    assert.equal(NAME, json.decode(body).name)
    assert.is_nil(drives(answer.json(200, '{"name": "\u{9b}"}').body))
  end)
end)

-- ---- calls

describe("a call", function()
  it("is its command's line: options with their values, then what stands free", function()
    local out = line("kernels", { run = "last", limit = 3, by = "name" })
    for _, part in ipairs { "^kernels ", "%-%-limit=3 ", "%-%-by=name ", "%-%-store S ",
      "%-%-json ", " %-%- last$" } do
      assert.truthy(out:find(part), out)
    end
    assert.truthy(line("kernels", { run = "last", limit = 3.0 }):find("--limit=3 ", 1, true))
    assert.truthy(line("sql", { query = "--x" }):find(" -- --x$"))
    assert.equal("help -- sql store", line("help", { topic = { "sql", "store" } }))
    assert.equal("help -- sql", line("help", { topic = "sql" }))
    assert.equal("help --", line("help", { topic = {} }))
    assert.equal("help --", line("help", {}))
    local plan = line("plan", { file = "demo", confidence = 0.9, mix = true, no_doubt = false })
    assert.truthy(plan:find("--confidence=0.9 ", 1, true) and plan:find("--mix ", 1, true))
    assert.is_nil(plan:find("no-doubt", 1, true))
  end)

  it("has lists as commas, or one by one where an option is taken again", function()
    local set = line("run", { file = "demo", set = { b = { 1, 2.5 }, a = "x", ["c.d"] = true } })
    assert.truthy(set:find("--set a=x --set b=1,2.5 --set c.d=true", 1, true), set)
    local twice = line("diff", { a = "1", b = "2", gate = { "p99<1%", "mean<2%" } })
    assert.truthy(twice:find("--gate=p99<1% --gate=mean<2%", 1, true), twice)
    assert.truthy(line("diff", { a = "1", b = "2", gate = "p99<1%" })
      :find("--gate=p99<1%", 1, true))
    assert.truthy(line("plan", { file = "demo", kinds = { "L4", "H100 SXM" } })
      :find("--kinds=L4,H100 SXM", 1, true))
  end)

  it("is refused in its own words", function()
    refused("limit wants a whole number, not 1.5", "kernels", { run = "x", limit = 1.5 })
    refused("run wants one value, not a list or an object", "kernels", { run = { 1 } })
    refused("query has a byte 0", "sql", { query = "a\0b" })
    refused("mix is true or false", "plan", { file = "demo", mix = 1 })
    refused("set wants an object: KEY: VALUE", "run", { file = "demo", set = { "a" } })
    refused("set wants an object: KEY: VALUE", "run", { file = "demo", set = "a=1" })
    refused("set: '-x' is no name of a setting", "run", { file = "demo", set = { ["-x"] = 1 } })
    refused("set.a wants one value, not a list or an object", "run", { file = "demo",
      set = { a = { b = 1 } } })
    refused("files wants one at least", "check", { files = {} })
    refused("files wants a list", "check", { files = { a = 1 } })
    refused("kernels lacks its argument 'run'", "kernels", {})
    assert.matches("kernels has no argument 'rn'; did you mean 'run'", select(2,
      line("kernels", { rn = "x" })))
    local most = 1 << 17
    assert.is_string(line("sql", { query = ("x"):rep(most) }))
    refused("query is longer than 128 KiB", "sql", { query = ("x"):rep(most + 1) })
  end)

  it("names files that came with it, or those beneath the server's folder", function()
    local folder = at .. "/open"
    local function files(name, given)
      local out, why = line("import", { files = { name }, texts = given }, folder)
      return out and out:match " %-%- (.*)$" or why
    end
    assert.equal(folder .. "/a.csv", files "a.csv")
    assert.equal(folder .. "/a.csv", files "./a.csv")
    assert.equal(folder .. "/sub/b.csv", files "sub/b.csv")
    assert.equal(at .. "/job/t.csv", files("t.csv", { ["t.csv"] = "text" }))
    local written = assert(io.open(at .. "/job/t.csv")):read "a"
    assert.equal("text", written)
    for _, name in ipairs { "b.csv", "../job/t.csv", "/etc/passwd", "-" } do
      assert.equal(("files: there is no file '%s' in the folder of this server, or it leads out of "
        .. "it"):format(name), files(name))
    end
    refused("files: there is no file 'a.csv' among the texts of this call; this server has no "
      .. "folder of files (--files DIR)", "import", { files = { "a.csv" } })
    -- What may be a name of something else is one where there is no such file.
    assert.truthy(line("run", { file = "demo" }, folder):find(" -- demo$"))
    assert.truthy(line("run", { file = "a.csv" }, folder)
      :find(" -- " .. folder .. "/a.csv", 1, true))
    assert.is_nil(line("run", { file = "x/demo" }, folder))
    assert.is_nil(line("run", { file = "-" }, folder))
  end)

  it("brings texts of plain names, 64 at most", function()
    for _, name in ipairs { "a.lua", "0-b_c.d.csv", ("n"):rep(96) .. ".lua" } do
      assert.is_string(line("run", { file = "demo", texts = { [name] = "x" } }), name)
    end
    for _, name in ipairs { "a", ".a.lua", "a/b.lua", "a.", ("n"):rep(97) .. ".lua", "-a.lua" } do
      refused(("texts: '%s' is no name of a file with its text"):format(name), "run",
        { file = "demo", texts = { [name] = "x" } })
    end
    refused("texts: 'a.lua' is no name of a file with its text", "run",
      { file = "demo", texts = { ["a.lua"] = 1 } })
    refused("texts wants an object: NAME: TEXT", "run", { file = "demo", texts = { "x" } })
    refused("texts wants an object: NAME: TEXT", "run", { file = "demo", texts = "x" })
    local many = {}
    for i = 1, 64 do many[("f%d.lua"):format(i)] = "x" end
    assert.is_string(line("run", { file = "demo", texts = many }))
    many["g.lua"] = "x"
    refused("texts are at most 64", "run", { file = "demo", texts = many })
  end)

  it("has the server's own numbers within their bounds", function()
    assert.same({ page_rows = 1000, page_offset = 0, wait_s = 30 },
      words.own { page_rows = 1000, page_offset = 0.0, wait_s = 30, other = "x" })
    assert.same({ page_rows = 1, wait_s = 0 }, words.own { page_rows = 1, wait_s = 0 })
    for _, wrong in ipairs { { page_rows = 0 }, { page_rows = 1001 }, { page_rows = 1.5 },
      { page_rows = "5" }, { page_offset = -1 }, { wait_s = 31 }, { wait_s = -1 } } do
      local ok, out = pcall(words.own, wrong)
      assert.is_false(ok)
      assert.matches("wants a whole number from %d+ to %d+", out.refused)
    end
  end)
end)

-- ---- schemas

describe("a tool's schema", function()
  local function properties(name) return tools.named(name).described.inputSchema.properties end

  it("has the type, the bounds and the choices of each option", function()
    local run = properties "run"
    assert.same({ "integer", "boolean", "object", "string" }, { run.seed.type, run.no_doubt.type,
      run.set.type, run.engine.type })
    assert.same({ "string", "number", "boolean" }, run.set.additionalProperties.type)
    assert.same({ "array", "string", nil }, { run.tag.type, run.tag.items.type, run.tag.minItems })
    assert.equal("number", properties("plan").confidence.type)
    assert.same({ "array", 1 }, { properties("check").files.type,
      properties("check").files.minItems })
    assert.same({ "array", "string" }, { properties("help").topic.type,
      properties("help").topic.items.type })
    assert.is_nil(properties("help").topic.minItems)
    assert.is_nil(properties("diff").gate.minItems)
    assert.same({ "file" }, tools.named("run").described.inputSchema.required)
    assert.same({ "files" }, tools.named("check").described.inputSchema.required)
    assert.is_nil(tools.named("list").described.inputSchema.required)
    assert.is_nil(tools.named("runs").described.inputSchema.required)
    for _, command in ipairs { "kernels", "list" } do
      for _, option in ipairs(require("tandem.cli").command(command).options) do
        local made = properties(command)[tools.property(option)]
        if made then
          assert.same({ option.choices, option.least, option.most },
            { made.enum, made.minimum, made.maximum })
        end
      end
    end
  end)

  it("describes an option by its first sentences, or by as many words as fit", function()
    for _, tool in ipairs(tools.all()) do
      for _, specs in ipairs { tool.options, tool.arguments } do
        for _, spec in ipairs(specs) do
          local name = spec.name or tools.property(spec)
          local told = tool.described.inputSchema.properties[name].description
          assert.is_true(#told <= 100 + #" …", told)
          if #spec.help <= 100 then assert.equal(spec.help, told)
          elseif told:find "…$" then
            local kept = told:gsub(" …$", "")
            assert.equal(kept, spec.help:sub(1, #kept))
            assert.matches("^%s", spec.help:sub(#kept + 1))
            local stop = spec.help:find "%.%s"
            assert.is_true(not stop or stop > 100)
          else
            assert.equal(told, spec.help:sub(1, #told))
            assert.matches("^%.%s", spec.help:sub(#told))
            local later = spec.help:find("%.%s", #told + 1)
            assert.is_true(not later or later > 100)
          end
        end
      end
    end
  end)

  it("takes texts where a file may be named, and says what keeps something", function()
    assert.is_table(properties("run").texts)
    assert.is_table(properties("import").texts)
    assert.is_nil(properties("kernels").texts)
    assert.is_nil(properties("list").texts)
    assert.is_false(tools.named("run").described.annotations.readOnlyHint)
    assert.is_true(tools.named("kernels").described.annotations.readOnlyHint)
    for _, withheld in ipairs { "json", "store", "trusted", "threads" } do
      for _, tool in ipairs(tools.all()) do
        assert.is_nil(tool.described.inputSchema.properties[withheld], tool.name)
      end
    end
    assert.is_nil(tools.named "verify")
  end)

  it("offers nothing that writes a file or goes elsewhere", function()
    local seen = 0
    for _, tool in ipairs(tools.all()) do
      local command = tool.command and require("tandem.cli").command(tool.command)
      for _, option in ipairs(command and command.options or {}) do
        local value = not option.reads and option.value or ""
        for _, word in ipairs { "FILE", "DIR", "PATH$", "OUT", "URL", "%.%l+$" } do
          if value:find(word) then
            seen = seen + 1
            assert.is_nil(tool.described.inputSchema.properties[tools.property(option)])
          end
        end
      end
    end
    assert.is_true(seen > 20)
  end)
end)

-- ---- answers

describe("an answer", function()
  -- What a job of a command is answered with, that printed `out` and left `answer`.
  local function ended(out, answer, own, more)
    for name, text in pairs { out = out, answer = answer and json.encode(answer) or "" } do
      local file = assert(io.open(at .. "/job/" .. name, "wb"))
      file:write(text)
      file:close()
    end
    local job = { id = "j", state = "done", directory = at .. "/job", seconds = 1, progress = 1,
      detail = json.encode { tool = "sql" } }
    for key, value in pairs(more or {}) do job[key] = value end
    return result.ended(job, own or {}, { folder = at .. "/open", base = "http://h",
      store = { run = function(_, id) return id == "r" and { id = "r", kind = "measured" }
        or id == "s" and { id = "s", kind = "simulated" } or nil end } })
  end
  local function rows(n)
    local out = {}
    for i = 1, n do out[i] = { i = i } end
    return json.encode { rows = json.list(out) }
  end
  local function page(n, own)
    local told = ended(rows(n), { code = 0 }, own).structuredContent
    local shown = told.result.rows
    local cut = told.page and told.page.cut[1]
    return { #shown, shown[1] and shown[1].i, cut and cut.total, cut and cut.rows,
      told.page and told.page.next_offset }
  end

  it("has a window of a long list, and where the next begins", function()
    assert.same({ 64, 1 }, page(64))
    assert.same({ 64, 1, 65, 64, 64 }, page(65))
    assert.same({ 10, 1, 25, 10, 10 }, page(25, { page_rows = 10 }))
    assert.same({ 10, 11, 25, 10, 20 }, page(25, { page_rows = 10, page_offset = 10 }))
    assert.same({ 5, 21, 25, 5 }, page(25, { page_rows = 10, page_offset = 20 }))
    assert.same({ 10, 16, 25, 10 }, page(25, { page_rows = 10, page_offset = 15 }))
    assert.same({ 0, nil, 25, 0 }, page(25, { page_rows = 10, page_offset = 30 }))
    local told = ended(json.encode { a = { b = json.list { 1, 2, 3 } }, c = { { d = json.list {
      1, 2, 3 } } } }, { code = 0 }, { page_rows = 2, page_offset = 1 }).structuredContent
    local paths = {}
    for _, cut in ipairs(told.page.cut) do paths[cut.path] = { cut.from, cut.rows } end
    assert.same({ ["a.b"] = { 1, 2 }, ["c[1].d"] = { 1, 2 } }, paths)
  end)

  it("cuts long texts, and gives fewer rows where they are wide", function()
    local long = ("x"):rep(8 * 1024)
    assert.equal(long, ended(json.encode { a = long }, { code = 0 }).structuredContent.result.a)
    local told = ended(json.encode { a = long .. "y" }, { code = 0 }).structuredContent
    assert.equal(long .. "…", told.result.a)
    assert.same({ "a", 8 * 1024 + 1, 8 * 1024 }, { told.page.cut[1].path,
      told.page.cut[1].total_bytes, told.page.cut[1].bytes })
    local list = {}
    for i = 1, 40 do list[i] = ("x"):rep(4000) end
    local wide = ended(json.encode { rows = json.list(list) }, { code = 0 })
    told = wide.structuredContent
    assert.is_true(#told.result.rows >= 3 and #told.result.rows <= 12)
    assert.equal(#told.result.rows, told.page.next_offset)
    assert.is_false(wide.isError)
    local many = {}
    for i = 1, 20 do many["k" .. i] = ("x"):rep(4000) end
    local none = ended(json.encode(many), { code = 0 })
    assert.is_true(none.isError)
    assert.is_nil(none.structuredContent.result)
    assert.matches("the answer is too long %(%d+ KiB%)", none.structuredContent.problems[1].what)
    assert.equal("usage", none.structuredContent.problems[1].kind)
  end)

  it("is an error where the command's was, and keeps its problems", function()
    for code, wrong in pairs { [0] = false, [1] = false, [2] = true, [3] = true } do
      local told = ended("{}", { code = code, problems = { { what = at .. "/job/x.lua is bad",
        kind = "invalid", where = { file = at .. "/open/a.csv" } } } })
      assert.equal(wrong, told.isError)
      assert.equal(code, told.structuredContent.code)
      assert.equal("x.lua is bad", told.structuredContent.problems[1].what)
      assert.equal("a.csv", told.structuredContent.problems[1].where.file)
    end
    local cut = ended('{"a":', { code = 0 })
    assert.is_true(cut.isError)
    assert.equal("the answer is cut off", cut.structuredContent.problems[1].what)
    local silent = ended(" \n", { code = 0 })
    assert.is_false(silent.isError)
    assert.is_nil(silent.structuredContent.result)
  end)

  it("says how a job ended that did not end well", function()
    local function why(more, answer)
      local told = ended("{}", answer, {}, more)
      assert.is_true(told.isError)
      local one = told.structuredContent.problems[1]
      return { one.what, one.kind }
    end
    assert.same({ "the job was cancelled", "interrupted" }, why { state = "cancelled" })
    assert.same({ "the job did not end well: out of memory", "io" },
      why { state = "failed", why = "out of memory" })
    assert.same({ "the job did not end well: it said nothing", "io" }, why { state = "failed" })
    assert.same({ "the job did not end well: it said nothing", "io" }, why {})
    assert.same({ "the job was cancelled", "interrupted" }, why({ state = "cancelled" },
      { code = 0 }))
  end)

  it("names the run that was kept, with its pages", function()
    local told = ended("{}", { code = 0, run = "r" }).structuredContent
    assert.same({ "r", "http://h/#/real/r", "http://h/v1/runs/r/trace" }, { told.run,
      told.links.page, told.links.trace })
    told = ended("{}", { code = 0, run = "s" }).structuredContent
    assert.equal("http://h/#/run/s", told.links.page)
    told = ended("{}", { code = 0, run = "gone" }).structuredContent
    assert.is_nil(told.links)
    local import = { detail = json.encode { tool = "import" } }
    assert.equal("r", ended('{"id":"r"}', { code = 0 }, {}, import).structuredContent.run)
    assert.is_nil(ended('{"id":7}', { code = 0 }, {}, import).structuredContent.run)
    assert.is_nil(ended('{"id":"r"}', { code = 0 }).structuredContent.run)
  end)

  it("of help is its lines, and all of them as one text", function()
    local told = ended("a\n\nb\n\n", { code = 0 }, {}, { detail = json.encode { tool = "help" } })
    assert.same({ "a", "", "b" }, told.structuredContent.result.lines)
    assert.equal("a\n\nb", told.content[1].text)
    local other = ended('{"a":1}', { code = 0 })
    assert.same(other.structuredContent, json.decode(other.content[1].text))
  end)
end)
