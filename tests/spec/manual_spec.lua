-- The manual: its Markdown, its index, how chapters look in a terminal; the search behind
-- `tandem help WORD`. That chapters say what the program does is held by tests/cli/readme.txt.
local help = require "tandem.help"
local inserts = require "tandem.help.inserts"
local manual = require "tandem.help.manual"
local markdown = require "tandem.help.markdown"
local search = require "tandem.help.search"
local styles = require "tandem.plot.style"

local STYLE <const> = styles.new { width = 88, unicode = true }

-- The commands that an answer of the search leads to.
local function reads(word)
  local list = {}
  for i, found in ipairs(search.hits(word)) do list[i] = found.read end
  return list
end

local function first_of(list, wanted, most)
  for i = 1, most do
    if list[i] == wanted then return true end
  end
  return false
end

describe("the manual's Markdown", function()
  it("is read as blocks", function()
    local blocks = markdown.blocks(table.concat({ "<!-- topic: a, b -->", "# A `title`", "",
      "Words that", "go on.", "", "- one", "  more", "- two", "", "| x | y |", "|---|---|",
      "| 1 | `a\\|b` |", "", "<!-- show: x -->", "```text", "out", "```", "", "    piece", "",
      "<!-- insert: keys slo -->", "In the file.", "", "![alt](img.svg)" }, "\n"))
    local kinds = {}
    for i, block in ipairs(blocks) do kinds[i] = block.kind end
    assert.same({ "heading", "paragraph", "list", "table", "code", "code", "insert", "image" },
      kinds)
    assert.same({ "a", "b" }, blocks[1].names)
    assert.equal("Words that go on.", blocks[2].text)
    assert.same({ "one more", "two" }, blocks[3].items)
    assert.same({ { "x", "y" }, { "1", "`a|b`" } }, blocks[4].rows)
    assert.same({ "text", "" }, { blocks[5].language, blocks[6].language })
    assert.same({ "keys slo", "In the file." }, { blocks[7].text, blocks[7].fallback })
    assert.equal("a-title", markdown.slug(blocks[1].text))
  end)

  it("has code, links and emphasis inside of lines", function()
    local parts = {}
    for i, part in ipairs(markdown.inline "a `b*c` [d](#e) **f** *g h*, 2 * 3 <https://x.y>") do
      parts[i] = part.kind .. ":" .. part.text
    end
    assert.same({ "text:a ", "code:b*c", "text: ", "link:d", "text: ", "strong:f", "text: ",
      "emphasis:g h", "text:, 2 * 3 ", "link:https://x.y" }, parts)
  end)
end)

describe("the manual", function()
  it("has chapters by the numbers of their files, each in the index of its folder", function()
    local file <close> = assert(io.open "lua/tandem/manual/README.md")
    local index, last = file:read "a", 0
    for number, chapter in ipairs(manual.chapters()) do
      assert.equal(number, tonumber(chapter.file:match "^%d+"))
      local line = ("- [%s](%s): `tandem help %s`\n"):format(chapter.title, chapter.file,
        chapter.name)
      local at = assert.truthy(index:find(line, 1, true), line)
      assert.is_true(at > last, line)
      last = at
    end
  end)

  it("gives no name to two sections, and none that a command's page would hide", function()
    local commands, seen = {}, {}
    for _, name in ipairs(require("tandem.cli").commands) do commands[name] = true end
    for _, chapter in ipairs(manual.chapters()) do
      assert.is_nil(commands[chapter.name], chapter.name)
    end
    for _, name in ipairs(help.topics()) do
      assert.is_nil(seen[name], name)
      seen[name] = true
    end
  end)

  it("has inserts that are made, on their own section's page alone", function()
    local count = 0
    for _, chapter in ipairs(manual.chapters()) do
      for _, block in ipairs(chapter.blocks) do
        if block.kind == "insert" then
          count = count + 1
          assert.is_true(#inserts.text(block.text, STYLE) > 20, block.text)
          assert.is_true(#block.fallback > 20, block.text)
        end
      end
    end
    assert.is_true(count >= 20, count)
    assert.truthy(help.topic("stages").text(STYLE):find("td.transfer \"name\"", 1, true))
    local whole = help.topic("scenarios").text(STYLE)
    assert.is_nil(whole:find("td.transfer \"name\"", 1, true))
    assert.truthy(whole:find "One section alone: tandem help .*stages")
  end)

  it("names only commands, options, topics and constructors that there are", function()
    local cli, call = require "tandem.cli", require "tandem.help.call"
    local known = {}
    for _, list in ipairs { cli.commands, help.topics(), call.known() } do
      for _, name in ipairs(list) do known[name] = true end
    end
    local function judge(text, where)
      local topic = text:match "^tandem help (%w[%w_.:-]*)$"
      if topic and not topic:find "^%u+$" then
        assert.is_true(known[topic] or manual.section(topic) ~= nil
          or require("tandem.language.node").types[topic] ~= nil, where .. text)
      end
      local word = text:match "^td%.(%l[%w_]*)$"
      if word then assert.is_truthy(rawget(require "tandem", word), where .. text) end
    end
    local count = 0
    for _, chapter in ipairs(manual.chapters()) do
      for _, block in ipairs(chapter.blocks) do
        local texts = { block.text or "", block.fallback }
        for _, item in ipairs(block.items or {}) do texts[#texts + 1] = item end
        for _, row in ipairs(block.rows or {}) do
          table.move(row, 1, #row, #texts + 1, texts)
        end
        for _, text in ipairs(texts) do
          for code in text:gmatch "`([^`]+)`" do
            judge(code, chapter.file .. ": ")
            count = count + 1
          end
        end
      end
    end
    assert.is_true(count > 500, count)
  end)
end)

describe("help on a word", function()
  it("shows the section that is about it", function()
    for word, chapter in pairs { failure = "planning", mtbf = "planning", outage = "planning",
      price = "planning", peak = "planning", timeout = "hardware", priority = "hardware",
      retries = "hardware", think = "arrivals", speculation = "llm", gate = "performance",
      -- what the trade calls it
      spot = "planning", sla = "scenarios", tco = "planning", headroom = "planning",
      seasonality = "planning", latency = "results", percentile = "results", carbon = "llm",
      ["load-balancing"] = "hardware", occupancy = "performance" } do
      local topic = assert(help.topic(word), word)
      assert.equal(chapter, topic.section.chapter.name, word)
    end
  end)

  it("else searches all that can be explained, best first", function()
    assert.is_true(first_of(reads "preempt", "tandem help llm_engine", 2))
    assert.is_true(first_of(reads "stragglers", "tandem help advice-rules", 1))
    assert.is_true(first_of(reads "cold", "tandem help td.generate", 3))
    assert.is_true(first_of(reads "warmup_s", "tandem help json", 1))
    assert.is_true(first_of(reads "time_per_token", "tandem help td.tokens", 3))
    assert.is_true(first_of(reads "H200", "tandem list gpus \"H200 SXM\"", 3))
    assert.is_true(first_of(reads "batch script of slurm", "tandem help many-machines", 3))
    assert.is_true(first_of(reads "burst", "tandem help td.bursts", 1))
    assert.is_true(first_of(reads "dataloader", "tandem help advice-rules", 1))
    assert.is_true(first_of(reads "roundrobin", "tandem help policies", 1))
    assert.is_true(first_of(reads "quantization", "tandem help td.llm", 1))
    assert.is_true(first_of(reads "oom", "tandem help memory", 2))
    assert.is_true(first_of(reads "leak", "tandem help memory", 2))
    assert.is_true(first_of(reads "M/M/c", "tandem help explain", 1))
    assert.is_true(first_of(reads "mfu", "tandem help Gpu", 1))
  end)

  it("leads to every system that tandem stands in for", function()
    for _, word in ipairs { "gputrc2graph", "HTA", "flame graph", "torch.compile",
      "memory timeline",
      "profiling session", "HDF5", "eBPF", "Nsight Systems", "overlay", "Perfetto", "capacity",
      "Chrome trace", "NVTX" } do
      local topic = help.topic(word:lower():gsub(" ", "-"))
      assert.is_true(topic ~= nil or search.text(word, STYLE) ~= nil, word)
    end
  end)

  it("does not mind endings", function()
    assert.same(reads "preemption", reads "preemptions")
    assert.is_true(#reads "swapping" > 0)
  end)

  it("tells the same thing once, a few lines a place", function()
    local text = assert(search.text("nccl", STYLE))
    local seen = {}
    for line in text:gmatch "    %-%-[^\n]*" do
      assert.is_nil(seen[line], line)
      seen[line] = true
    end
    local _, count = text:gsub("\n  tandem ", "")
    assert.is_true(count >= 2 and count <= 6, count)
    for line in text:gmatch "[^\n]+" do assert.is_true(styles.columns(line) <= 88, line) end
  end)

  it("finds nothing where there is nothing", function()
    assert.is_nil(search.text("xyzzy", STYLE))
    assert.is_nil(search.text("?", STYLE))
    assert.is_nil(search.text("td.possion", STYLE))
  end)

  it("is asked in the shell as a name, in quotes or not", function()
    local asked = require("tandem.shell.commands").asked
    assert.same({ "outage", "td.gpu", "", "", "warm cache", "run" }, { asked 'help "outage"',
      asked "help('td.gpu')", asked "help", asked "help()", asked '?warm cache', asked "help run" })
    assert.is_nil(asked "help = 5")
    assert.is_nil(asked "helper")
    local session = { env = setmetatable({ td = require "tandem" }, { __index = _G }) }
    local text, found = require("tandem.shell.help").text(session, "stragglers", STYLE)
    assert.is_true(found)
    assert.equal(search.text("stragglers", STYLE), text)
  end)
end)
