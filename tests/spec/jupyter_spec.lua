-- The Jupyter kernel without Jupyter and without sockets: messages go in as frames and come out as
-- frames, over a link made of lists. Debian's Jupyter drives the real thing in tests/notebooks.
local core = require "tandem.core"
local json = require "tandem.io.json"
local kernels = require "tandem.jupyter.kernel"
local run = require "tandem.jupyter.run"
local specs = require "tandem.jupyter.specs"

local KEY <const> = "a key that both sides know"

--- A kernel, and the client that talks to it.
local function connect(key)
  key = key or KEY
  local self = { said = {}, sent = {}, waiting = {}, answers = {}, number = 0, key = key }
  local link = {}
  function link.send(_, channel, frames)
    local envelope = assert(core.envelope.open(key, frames))
    local content = assert(json.decode(envelope.content, nil, nil, true))
    local header = assert(json.decode(envelope.header))
    self.sent[#self.sent + 1] = { channel = channel, type = header.msg_type, content = content,
      header = header, parent = json.decode(envelope.parent), identities = envelope.identities }
  end
  function link.wait()
    local message = table.remove(self.waiting, 1)
    if not message then return nil, "timeout" end
    return "shell", message
  end
  function link.receive() return table.remove(self.answers, 1) end
  self.kernel = kernels.new { link = link, key = key, session = "k", ports = { shell = 5 },
    now = function() return "2026-01-01T00:00:00.000000Z" end,
    say = function(text) self.said[#self.said + 1] = text end,
    env = setmetatable({}, { __index = _G }) }
  return self
end

--- The frames of a request.
local function frames_of(client, kind, content, identities)
  client.number = client.number + 1
  local header = json.encode { msg_id = "m" .. client.number, msg_type = kind, session = "c",
    username = "u", version = "5.3", date = "" }
  return core.envelope.seal(client.key, identities or { "me" }, header, "{}", "{}",
    type(content) == "string" and content or json.encode(content or {}))
end

--- Sends a request; the reply's content and what came on iopub besides status.
local function ask(client, kind, content, channel)
  client.sent = {}
  client.kernel:take(channel or "shell", frames_of(client, kind, content))
  local reply, outputs, states = nil, {}, {}
  for _, message in ipairs(client.sent) do
    if message.channel ~= "iopub" then
      reply = message
    elseif message.type == "status" then
      states[#states + 1] = message.content.execution_state
    else
      outputs[#outputs + 1] = message
    end
  end
  return reply and reply.content, outputs, states, reply
end

local function execute(client, code, more)
  local content = { code = code, silent = false, store_history = true, allow_stdin = true }
  for key, value in pairs(more or {}) do content[key] = value end
  local reply, outputs = ask(client, "execute_request", content)
  if outputs[1] and outputs[1].type == "execute_input" then table.remove(outputs, 1) end
  return reply, outputs
end

describe("the Jupyter kernel", function()
  local client
  before_each(function() client = connect() end)
  after_each(function() require("tandem.plot.style").pin(nil) end)

  it("says what it is, between busy and idle, to whom it was asked by", function()
    local content, _, states, reply = ask(client, "kernel_info_request")
    assert.same({ "busy", "idle" }, states)
    assert.equal("kernel_info_reply", reply.type)
    assert.same({ "me" }, reply.identities)
    assert.equal("m1", reply.parent.msg_id)
    assert.equal("lua", content.language_info.name)
    assert.equal("5.4", content.protocol_version)
    assert.same({}, client.said)
  end)

  it("numbers executions and sends values, streams and errors apart", function()
    local reply, outputs = execute(client, "print('a', 1) io.write 'b' return 6 * 7")
    assert.equal("ok", reply.status)
    assert.equal(1, reply.execution_count)
    assert.equal("a\t1\n", outputs[1].content.text)
    assert.equal("b", outputs[2].content.text)
    assert.equal("42", outputs[3].content.data["text/plain"])
    reply, outputs = execute(client, "io.stderr:write 'careful'\nerror 'no'")
    assert.equal("error", reply.status)
    assert.equal("no", reply.evalue)
    assert.equal("  at line 2: error 'no'", reply.traceback[2])
    assert.equal("stderr", outputs[1].content.name)
    assert.same(reply.traceback, outputs[2].content.traceback)
    assert.equal(2, reply.execution_count)
  end)

  it("joins what a cell prints in a flood, in order, and loses nothing", function()
    client.kernel.clock = function() return 1 end -- all of it at once
    local _, outputs = execute(client, "for i = 1, 5000 do print(i) end io.stderr:write 'end'")
    assert.equal(102, #outputs)
    local texts, expected = {}, {}
    for index, output in ipairs(outputs) do texts[index] = output.content.text end
    for index = 1, 5000 do expected[index] = index .. "\n" end
    assert.equal(table.concat(expected) .. "end", table.concat(texts))
    assert.equal("stderr", outputs[#outputs].content.name)
  end)

  it("shows an answer without the nils where its failure would stand", function()
    local _, outputs = execute(client, "5, nil, nil")
    assert.equal("5", outputs[1].content.data["text/plain"])
    _, outputs = execute(client, "nil, 'why'")
    assert.equal('nil\n"why"', outputs[1].content.data["text/plain"])
  end)

  it("names the cell in which a function was written", function()
    execute(client, "function f(a)\n  return a.b.c\nend")
    local reply = execute(client, "x = 1\nf {}")
    assert.equal("  at input 1, line 2, in function 'f': return a.b.c", reply.traceback[2])
  end)

  it("says once that a local does not outlive its cell", function()
    local _, outputs = execute(client, "local x = 1")
    assert.equal("stderr", outputs[1].content.name)
    assert.truthy(outputs[1].content.text:find("`local x` ends with its input", 1, true))
    _, outputs = execute(client, "local y = 1")
    assert.same({}, outputs)
  end)

  it("shows a picture with its text, and an answer's picture after its text", function()
    local _, outputs = execute(client, [[p = { svg = function() return "<svg/>" end }
      return setmetatable(p, { __tostring = function() return "a plot" end })]])
    assert.same({ ["image/svg+xml"] = "<svg/>", ["text/plain"] = "a plot" },
      outputs[1].content.data)
    _, outputs = execute(client, [[return td.scenario "s" { workload = td.poisson { rps = 20,
      duration = "5s" }, target = td.gpu "L40" {}, pipeline = { td.fixed "a" { time = "2ms" },
      td.fixed "b" { time = "1ms" } } }:run { seed = 1 }]])
    assert.equal("execute_result", outputs[1].type)
    assert.equal("display_data", outputs[2].type)
    assert.truthy(outputs[2].content.data["image/svg+xml"]:find("^<svg"))
  end)

  it("shows what display is given, and updates it by its id", function()
    local _, outputs = execute(client, [[display({ ["text/html"] = "<b>x</b>" }, { id = "d" })
      display.html("<i>y</i>", { id = "d", update = true })
      display.json { list = { 1, 2 } } display.clear(true)]])
    assert.same({ "display_data", "update_display_data", "display_data", "clear_output" },
      { outputs[1].type, outputs[2].type, outputs[3].type, outputs[4].type })
    assert.equal("d", outputs[2].content.transient.display_id)
    assert.equal("<i>y</i>", outputs[2].content.data["text/html"])
    assert.same({ 1, 2 }, { table.unpack(outputs[3].content.data["application/json"].list) })
    assert.is_true(outputs[4].content.wait)
  end)

  it("sends bytes that are no UTF-8 as what JSON can hold", function()
    local _, outputs = execute(client, [[display.html "a\xFF" display.json { "b\xC3" }
      io.write "c\xE2\x82" return "d\xFF"]])
    assert.equal("a\u{FFFD}", outputs[1].content.data["text/html"])
    assert.equal("b\u{FFFD}", outputs[2].content.data["application/json"][1])
    assert.truthy(outputs[3].content.text:find "^c\u{FFFD}")
    for _, message in ipairs(client.sent) do
      assert.truthy(utf8.len(json.encode(message.content)))
    end
    assert.equal("Error", execute(client, "error 'x\\xFF'").ename)
  end)

  it("shows progress where it stands", function()
    local _, outputs = execute(client,
      "bar = display.progress 'runs' for i = 0, 4 do bar(i, 4) bar(i, 4) end bar(1.0)")
    assert.equal(5, #outputs)
    assert.truthy(outputs[5].content.data["text/plain"]:find("runs .* 100 %%"))
  end)

  it("helps in cells as the REPL does, and refuses to edit", function()
    local _, outputs = execute(client, "?td.gpu")
    assert.truthy(outputs[1].content.data["text/plain"]:find "^td%.gpu")
    local reply = execute(client, ":edit")
    assert.truthy(reply.evalue:find("wants a terminal", 1, true))
    reply = execute(client, ":quit")
    assert.equal("ask_exit", reply.payload[1].source)
  end)

  it("does not end the process for os.exit", function()
    assert.truthy(execute(client, "os.exit(0)").evalue:find("does not end a notebook", 1, true))
  end)

  it("asks for input and passes the answer on", function()
    client.answers = { frames_of(client, "input_reply", { value = "Ada" }) }
    local reply, outputs = execute(client, "io.write 'name? ' return io.read()")
    assert.equal("ok", reply.status)
    assert.equal('"Ada"', outputs[2].content.data["text/plain"])
    assert.equal("name? ", client.sent[4].content.prompt)
    assert.equal("stdin", client.sent[4].channel)
    reply = execute(client, "io.read()", { allow_stdin = false })
    assert.truthy(reply.evalue:find("does not allow input", 1, true))
  end)

  it("keeps silent cells out of history and counts", function()
    execute(client, "1")
    local reply, outputs = execute(client, "hidden = 3", { silent = true })
    assert.equal(1, reply.execution_count)
    assert.same({}, outputs)
    reply = execute(client, "hidden")
    assert.equal(2, reply.execution_count)
    local history = ask(client, "history_request", { hist_access_type = "tail", n = 5,
      output = true, raw = true })
    assert.same({ 1, 2, { "hidden", "3" } }, { history.history[2][1], history.history[2][2],
      { table.unpack(history.history[2][3]) } })
    assert.equal(2, #history.history)
  end)

  it("does not run cells that were sent behind one that fails", function()
    client.waiting = { frames_of(client, "execute_request", { code = "ran = true" }),
      frames_of(client, "kernel_info_request") }
    client.sent = {}
    client.kernel:take("shell", frames_of(client, "execute_request", { code = "error 'x'" }))
    local replies = {}
    for _, message in ipairs(client.sent) do
      if message.channel == "shell" then replies[#replies + 1] = message.content.status end
    end
    assert.same({ "error", "aborted", "ok" }, replies)
    assert.is_nil(client.kernel.cells.session.env.ran)
  end)

  it("completes by characters", function()
    local content = ask(client, "complete_request", { code = "x = 'µµ' .. td.poi",
      cursor_pos = 18 })
    assert.same({ "poisson" }, { table.unpack(content.matches) })
    assert.same({ 15, 18 }, { content.cursor_start, content.cursor_end })
  end)

  it("inspects the name at the cursor, and the call around it", function()
    for _, case in ipairs { { "td.gpu", 6 }, { "td.gpu 'L40' {  }", 15 }, { "x = td.gpu", 8 } } do
      local content = ask(client, "inspect_request", { code = case[1], cursor_pos = case[2],
        detail_level = 0 })
      assert.is_true(content.found, case[1])
      assert.truthy(content.data["text/plain"]:find "^td%.gpu")
    end
    assert.is_false(ask(client, "inspect_request", { code = "+", cursor_pos = 1 }).found)
  end)

  it("knows what is complete", function()
    for code, status in pairs { ["1"] = "complete", ["f("] = "incomplete", ["end"] = "invalid",
      ["?td.gpu"] = "complete", ["td.gpu?"] = "complete", [""] = "complete" } do
      assert.equal(status, ask(client, "is_complete_request", { code = code }).status, code)
    end
    assert.equal("    ", ask(client, "is_complete_request",
      { code = "while x do\n  if y then" }).indent)
  end)

  it("closes comms at once and has none", function()
    assert.same({}, ask(client, "comm_info_request").comms)
    local reply, outputs = ask(client, "comm_open", { comm_id = "c", target_name = "t", data = {} })
    assert.is_nil(reply)
    assert.equal("comm_close", outputs[1].type)
  end)

  it("ends when it is asked to, and says so to all", function()
    local content, outputs = ask(client, "shutdown_request", { restart = true }, "control")
    assert.is_true(content.restart)
    assert.equal("shutdown_reply", outputs[1].type)
    assert.is_true(client.kernel.ending)
  end)

  it("ignores what is no message with a line that says why", function()
    local good = frames_of(client, "execute_request", { code = "bad = 1" })
    local forged, cut = { table.unpack(good) }, { table.unpack(good, 1, 4) }
    forged[#forged] = forged[#forged]:gsub("bad = 1", "bad = 2")
    local seal = core.envelope.seal
    local header = json.encode { msg_id = "x", msg_type = "execute_request" }
    local cases = {
      { forged, "its signature is not the key's" },
      { cut, "2 frames follow the delimiter, not 5" },
      { { "x" }, "no frame of 1 is the delimiter" },
      { {}, "no frame of 0" },
      { seal(KEY, {}, "{", "{}", "{}", "{}"), "its header is" },
      { seal(KEY, {}, "[]", "{}", "{}", "{}"), "its header is not an object" },
      { seal(KEY, {}, "{}", "{}", "{}", "{}"), "lacks msg_type or msg_id" },
      { seal(KEY, {}, header, "{}", "{}", ("["):rep(5000)), "nested too deep" },
      { seal(KEY, {}, header, "{}", "{}", "\255"), "the content of execute_request is" },
      { frames_of(client, "debug_request"), "debug_request is not known here" },
    }
    for index, case in ipairs(cases) do
      client.sent = {}
      client.kernel:take("shell", case[1])
      assert.same({}, client.sent)
      assert.truthy(client.said[index]:find(case[2], 1, true), client.said[index])
    end
    assert.is_nil(client.kernel.cells.session.env.bad)
    for _, content in ipairs { "{}", '{"code":5}', '{"code":null}' } do
      assert.equal("BadRequest", ask(client, "execute_request", content).ename)
    end
  end)

  it("takes a message once", function()
    local frames = frames_of(client, "execute_request", { code = "n = (n or 0) + 1" })
    client.kernel:take("shell", frames)
    client.kernel:take("shell", frames)
    assert.equal(1, client.kernel.cells.session.env.n)
    assert.same({ "ignored a message on shell: execute_request came twice" }, client.said)
  end)

  it("does without signatures where the key is empty", function()
    client = connect ""
    assert.equal("ok", execute(client, "1").status)
    assert.equal("ok", execute(client, "1").status)
  end)
end)

describe("connection files", function()
  local path
  before_each(function() path = os.tmpname() end)
  after_each(function() os.remove(path) end)

  local function read(text)
    local file = assert(io.open(path, "wb"))
    file:write(text)
    file:close()
    return run.connection(path)
  end

  it("are told what they lack", function()
    local ports = '"shell_port":1,"control_port":2,"stdin_port":3,"iopub_port":4'
    local settings = read("{" .. ports .. ',"hb_port":5,"key":"k","ip":"127.0.0.1"}')
    assert.same({ transport = "tcp", address = "127.0.0.1", key = "k", shell = 1, control = 2,
      stdin = 3, iopub = 4, hb = 5 }, settings)
    for text, wanted in pairs {
      ["{" .. ports .. "}"] = "hb_port wants a port, 1 to 65535; it is missing",
      ["{" .. ports .. ',"hb_port":70000}'] = "hb_port wants a port, 1 to 65535, not 70000",
      ["{" .. ports .. ',"hb_port":5,"transport":"udp"}'] = "transport 'udp' is not known",
      ["{" .. ports .. ',"hb_port":5,"key":"k","signature_scheme":"hmac-md5"}'] =
        "signature_scheme 'hmac-md5' is not known; hmac-sha256",
      ["{"] = "line 1: ",
      ["5"] = "a connection file is a JSON object",
    } do
      local none, message, code = read(text)
      assert.is_nil(none)
      assert.equal(3, code)
      assert.truthy(message:find(wanted, 1, true), message)
    end
    assert.equal(4, select(3, run.connection "/nowhere/at/all.json"))
  end)
end)

describe("kernelspecs", function()
  it("are where Jupyter looks", function()
    local function env(values) return function(name) return values[name] end end
    assert.equal("/h/.local/share/jupyter/kernels", specs.user_directory(env { HOME = "/h" }))
    assert.equal("/x/jupyter/kernels", specs.user_directory(env { HOME = "/h",
      XDG_DATA_HOME = "/x" }))
    assert.equal("/j/kernels", specs.user_directory(env { HOME = "/h", XDG_DATA_HOME = "/x",
      JUPYTER_DATA_DIR = "/j" }))
    assert.is_nil(specs.user_directory(env {}))
  end)
end)
