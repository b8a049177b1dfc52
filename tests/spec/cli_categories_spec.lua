--- The command `tandem categories`: its inputs, its files, whose rules hold.
local fixture = require "tests.spec.support.store_fixture"
local profile = require "tandem.categories.profile"

local CAPTURE <const> = "tests/data/nsys/h100_2gpu_1s.sqlite.gz"

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "a"
  file:close()
  return text
end

describe("tandem categories", function()
  local stores

  setup(function()
    stores = fixture.new()
    assert(select(3, stores:tandem("import", CAPTURE, "--name", "a capture")) == 0)
  end)
  teardown(function() stores:remove() end)

  local function categories(...) return stores:tandem("categories", ...) end

  it("understands engine, model and seconds behind an input", function()
    assert.same({ source = "last", file = false, engine = "vllm", model = "llama",
      elapsed = 306500000000 }, profile.parse "last,vllm,llama,306.5")
    assert.same({ source = "last", file = false, engine = "vllm" }, profile.parse "last,vllm")
    assert.same({ source = "last", file = false, engine = "vllm", model = "llama" },
      profile.parse "last,vllm,llama,0")
    local path = stores:write("a,b.sqlite", "x")
    assert.same({ source = path, file = true }, profile.parse(path))
    assert.same({ source = path, file = true, engine = "e", model = "m" },
      profile.parse(path .. ",e,m"))
    assert.equal("'last,a,b,soon': the elapsed time is in seconds, not 'soon'",
      select(2, profile.parse "last,a,b,soon"))
  end)

  it("keeps to --limit in every form", function()
    local function rows_of(text)
      local decoded = require("cjson").decode(text)
      return (decoded.profiles or decoded.result.profiles)[1].answer.tables
    end
    local whole = categories("last", "--csv")
    local cut, told = categories("last", "--csv", "--limit", "2")
    local function kernels(text)
      local of_gpu = {}
      for line in text:gmatch "[^\n]+" do
        local gpu = not line:find("CPU(non-GPU)", 1, true) and line:match ",(GPU [^,]*),"
        if gpu then of_gpu[gpu] = (of_gpu[gpu] or 0) + 1 end
      end
      return of_gpu
    end
    local all = kernels(whole)
    local left = 0
    for gpu, count in pairs(kernels(cut)) do
      assert.equal(math.min(2, all[gpu]), count)
      left = left + all[gpu] - count
    end
    assert.is_true(left > 0)
    assert.equal(("%d more rows (--limit 0 gives all)\n"):format(left), told)
    assert.is_true(#cut < #whole)
    assert.equal(whole, (categories("last", "--csv", "--limit", "0")))
    local longest = 0
    for _, one in ipairs(rows_of(categories("last", "--json"))) do
      longest = math.max(longest, #one.rows)
    end
    assert.is_true(longest > 2)
    for _, one in ipairs(rows_of(categories("last", "--json", "--limit", "2"))) do
      assert.is_true(#one.rows <= 2)
    end
  end)

  it("writes a table and a page of all inputs into a new folder", function()
    local directory = stores:path "out/deep"
    local out, err, code = categories("last,vllm,llama,2", CAPTURE, "--out-dir", directory,
      "--title", "Before & after")
    assert.equal(0, code)
    assert.equal(("wrote %s/result.csv and %s/result.html\n"):format(directory, directory), err)
    assert.matches("llama_vllm_a capture_0", out, 1, true)
    assert.matches("h100_2gpu_1s_1", out, 1, true)
    local csv, page = read(directory .. "/result.csv"), read(directory .. "/result.html")
    assert.matches("\nllama_vllm_a capture_0,memcpy,225,[CUDA memcpy Host-to-Device],0.920872841,"
      .. "0.920872841,GPU #0,cuda_libraries/memcpy\n", csv, 1, true)
    assert.matches("<h1>Before &amp; after</h1>", page, 1, true)
    assert.is_nil(page:find "<script" or page:find "https?://[^w]")
    local _, columns = page:gsub('<th scope="col">%S+_%d, GPU #%d</th>', "")
    assert.equal(2, columns)
  end)

  it("writes no file that nobody asked for", function()
    local out, err, code = categories "last"
    assert.equal(0, code)
    assert.matches("memcpy", out, 1, true)
    assert.equal("", err)
    assert.is_nil(io.open "result.csv")
    assert.is_nil(io.open "result.html")
  end)

  it("gives as many rows as --limit says in CSV and JSON, too", function()
    local csv, told = stores:tandem("kernels", "last", "--limit", "2", "--csv")
    assert.equal(3, select(2, csv:gsub("\n", "")))
    local all, nothing = stores:tandem("kernels", "last", "--csv")
    local more = select(2, all:gsub("\n", "")) - 3
    assert.equal(("%d more rows (--limit 0 gives all)\n"):format(more), told)
    assert.equal("", nothing)
    assert.is_true(select(2, all:gsub("\n", "")) > 3)
    assert.equal(csv, all:match "^[^\n]*\n[^\n]*\n[^\n]*\n")
    local json = require("cjson").decode((stores:tandem("kernels", "last", "--limit", "1",
      "--json")))
    assert.equal(1, #json.result.tables[1].rows)
    assert.equal(more + 1, json.result.tables[1].left_out)
    assert.equal(all, (stores:tandem("kernels", "last", "--limit", "0", "--csv")))
  end)

  it("leaves nothing of imported files behind", function()
    local files, made = require("tandem.core").files, {}
    local temporary = files.temporary
    function files.temporary()
      local path = temporary()
      made[#made + 1] = path
      return path
    end
    local _, _, code = categories(CAPTURE, "--csv")
    files.temporary = temporary
    assert.equal(0, code)
    assert.equal(1, #made)
    for _, ending in ipairs { "", "-wal", "-shm" } do
      assert.is_nil(io.open(made[1] .. ending))
    end
  end)

  it("prints one form instead of writing files", function()
    local csv = categories("last", "--csv", "--device", "0")
    assert.matches("^Model_Engine,Category,", csv)
    local json = categories("last", "--json")
    local value = assert(require("tandem.io.json").decode(json)).result
    assert.equal("tandem.categories/1", value.schema)
    assert.equal("a capture_0", value.profiles[1].profile)
    assert.equal("categories", value.profiles[1].answer.analysis)
    assert.matches("^<!DOCTYPE html>", (categories("last", "--html")))
    assert.equal(2, select(3, categories("last", "--csv", "--json")))
  end)

  it("leaves with 1 in every form where there is no GPU work", function()
    for _, form in ipairs { "--csv", "--json", "--html" } do
      local out, err, code = categories("last", "--range", "5s..", form)
      assert.equal(1, code, form)
      assert.matches("a capture_0: cannot answer: ", err, 1, true)
      assert.equal(form == "--json", out:find('"cannot": [', 1, true) ~= nil, form)
    end
  end)

  it("reads rules of Lua, with packs they extend behind them", function()
    local file = stores:write("own.lua", [[
      local td = require "tandem"
      return td.rules "own" {
        extends = { "cuda_libraries" },
        { id = "wide", match = "tilesize64x256", category = "wide gemm", priority = 3 },
      }
    ]])
    local csv = categories("last", "--rules", file, "--csv", "--device", "0")
    assert.matches(",wide gemm,124,", csv, 1, true)
    assert.matches(",own/wide\n", csv, 1, true)
    assert.matches(",cuda_libraries/memcpy\n", csv, 1, true)
  end)

  it("reads several engines and models of JSON and asks which is meant", function()
    local file = stores:write("two.json", [[{"A": {"m": {"gemm": "first"}, "n": {"gemm": "second"}},
      "B": {"m": {"gemm": "third"}}}]])
    local function first_gemm(input)
      return categories(input, "--rules", file, "--csv", "--device", "0"):match ",(%w+),124,"
    end
    assert.equal("first", first_gemm "last,A,m")
    assert.equal("second", first_gemm "last,A,n")
    assert.equal("third", first_gemm "last,B,m")
    assert.equal("third", first_gemm "last,B")
    local function wrong(input)
      local _, err, code = categories(input, "--rules", file, "--csv")
      assert.equal(2, code)
      return err:match "^tandem: ([^\n]*)" or err:match "categories: ([^\n]*)"
    end
    assert.matches("say which engine: .* has rules for A, B$", wrong "last")
    assert.equal("say which model: A has rules for m, n", wrong "last,A")
    assert.matches("^A has no rules for the model 'k'; ", wrong "last,A,k")
    assert.matches("^there are no rules for the engine 'C'; ", wrong "last,C")
    stores:write("two.json", '{"A": {}}')
    assert.matches("two.json has no rules$", wrong "last")
  end)

  it("adds up on the page what rules call like the idle time", function()
    local file = stores:write("idle.json", '{"A": {"m": {"gemm": "CPU(non-GPU)"}}}')
    local function idle(html)
      return tonumber(html:match '<th class="text" scope="row">CPU%(non%-GPU%)</th><td>([%d.]+)<')
    end
    local base = stores:write("unmatched.json", '{"A": {"m": {"^no name$": "x"}}}')
    local csv = categories("last", "--rules", file, "--csv", "--device", "0")
    local gemm_s = 0
    for seconds in csv:gmatch ",CPU%(non%-GPU%),%d+,[^\n]-,(%d+%.%d+),%d+%.%d+," do
      gemm_s = gemm_s + tonumber(seconds)
    end
    assert.is_true(gemm_s > 0)
    assert.near(idle(categories("last", "--rules", base, "--html", "--device", "0")) + gemm_s,
      idle(categories("last", "--rules", file, "--html", "--device", "0")), 2e-6)
  end)

  it("looks through the folder of rules when an engine is named", function()
    local choose = require "tandem.categories.choose"
    local read_rules = require "tandem.categories.read"
    local folder = stores:path "packs"
    assert(require("tandem.core").files.make(folder))
    stores:write("packs/b.json", '{"own": {"m": {"x": "json"}}}')
    stores:write("packs/a.lua",
      'return require("tandem").rules "vllm" { { id = "mine", match = "x", category = "lua" } }')
    stores:write("packs/notes.txt", "nothing")
    local original = read_rules.folder
    read_rules.folder = function() return folder end
    local own = choose.rules { engine = "own" }
    local vllm = choose.rules { engine = "vllm" }
    local all = choose.rules {}
    read_rules.folder = original
    assert.same({ "json" }, { own.set:match("x").category })
    assert.same({ category = "lua", rule = "vllm/mine" }, vllm.set:match "x")
    assert.equal(1, #vllm.list)
    assert.is_nil(all.set:match("x").category)
  end)

  it("says what is wrong with a file, and where", function()
    local function complaint(name, text)
      local path = stores:write(name, text)
      local _, err, code = categories("last", "--rules", path)
      assert.equal(3, code)
      return (err:gsub("^.-categories: ", ""):gsub("^tandem: ", ""):gsub(".*/", ""))
    end
    assert.equal("a.json: rule x(: at offset 2 of 'x(': missing closing parenthesis\n",
      complaint("a.json", '{"A": {"B": {"x(": "c"}}}'))
    assert.equal("b.json:2: the text ends too early\n", complaint("b.json", '{"A":\n'))
    assert.equal("c.json: A, B: the category of 'x' is not a text\n",
      complaint("c.json", '{"A": {"B": {"x": 3}}}'))
    assert.equal("d.lua:1: td.rules \"d\": rule 'x' has no key 'mach'; did you mean 'match'?\n",
      complaint("d.lua", 'return require("tandem").rules "d" { { id = "x", mach = "y" } }'))
    assert.equal("e.lua: does not return td.rules \"name\" { … }, or a list of them\n",
      complaint("e.lua", "return 3"))
    assert.equal(4, select(3, categories("last", "--rules", stores:path "none.json")))
  end)
end)
