-- Sweeps as Slurm job arrays: the script's words, what bash makes of them, and what is refused.

local slurm = require "tandem.sweep.slurm"

local function with(changes)
  local options = { command = { "tandem", "sweep", "grid.lua" }, tasks = 4 }
  for key, value in pairs(changes) do options[key] = value end
  return options
end

-- What bash does with a script as task `task` of the array; the command must print its words.
local function run(script, task)
  local path = os.tmpname()
  local file = assert(io.open(path, "w"))
  file:write(script)
  file:close()
  local pipe = assert(io.popen(
    ("SLURM_ARRAY_TASK_ID=%d SLURM_CPUS_PER_TASK=3 bash %s"):format(task, path)))
  local words = {}
  for word in pipe:read "a":gmatch "([^\1]*)\1" do words[#words + 1] = word end
  pipe:close()
  os.remove(path)
  return words
end

describe("slurm.script", function()
  it("is a readable batch script", function()
    assert.equal([[
#!/bin/bash
# A sweep in 16 parts, written by tandem. The last lines say what to do with it.
#SBATCH --job-name=gpus
#SBATCH --array=0-15
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=4
#SBATCH --time=01:30:00
#SBATCH --mem=4G
#SBATCH --partition=cpu
#SBATCH --output=gpus-%A_%a.log

set -euo pipefail

exec tandem sweep 'my grid.lua' --over rps=10..200 \
  --shard "${SLURM_ARRAY_TASK_ID}/16" \
  --store "out/gpus-${SLURM_ARRAY_TASK_ID}.db" \
  --threads "${SLURM_CPUS_PER_TASK}"

# Submit it, from the directory where the scenario is:
#   sbatch THIS_FILE
# Again for parts that failed or ran out of time; they go on where they stopped:
#   sbatch --array=1,4 THIS_FILE
# When all are done:
#   tandem merge --into out/gpus.db out/gpus-{0..15}.db
]], slurm.script {
      command = { "tandem", "sweep", "my grid.lua", "--over", "rps=10..200" }, tasks = 16,
      name = "gpus", time = "90min", cpus = 4, memory = "4GiB", partition = "cpu",
      store = "out/gpus.db",
    })
  end)

  it("says the same every time", function()
    assert.equal(slurm.script(with {}), slurm.script(with {}))
  end)

  it("hands every word to the command as it was", function()
    local odd = { "a b", "", "it's", '"', "$HOME", "`id`", "\\", "*", "~", "{1,2}", "line\nline",
      "µs", "--set", "gpu=H100 SXM", "--", "!x", "a;b", "#c", "=d", "x=1", "&", "|", "(", "<" }
    local command = { "printf", "%s\1" }
    for _, word in ipairs(odd) do command[#command + 1] = word end
    local words = run(slurm.script(with { command = command, store = 'a $b "`c`\\.d/s w.db' }), 3)
    local wanted = { table.unpack(odd) }
    local last = { "--shard", "3/4", "--store", 'a $b "`c`\\.d/s w-3.db', "--threads", "3" }
    table.move(last, 1, #last, #wanted + 1, wanted)
    assert.same(wanted, words)
  end)

  it("names the stores of all parts for the merge", function()
    local function merged(options)
      local script = slurm.script(with(options))
      return run("printf '%s\\1' " .. script:match "merge %-%-into ([^\n]*)\n" .. "\n", 0)
    end
    assert.same({ "s x.db", "s x-0.db", "s x-1.db" }, merged { tasks = 2, store = "s x.db" })
    assert.same({ "plain", "plain-0" }, merged { tasks = 1, store = "plain" })
  end)

  it("takes times and sizes in tandem's words and in Slurm's", function()
    local function line(options, key)
      return slurm.script(with(options)):match("#SBATCH %-%-" .. key .. "=(%S+)")
    end
    for given, wanted in pairs {
      ["90min"] = "01:30:00", ["2h"] = "02:00:00", ["36h"] = "1-12:00:00", ["0.5s"] = "00:00:01",
      ["30:00"] = "30:00", ["2-12"] = "2-12", ["1-02:03:04"] = "1-02:03:04",
    } do
      assert.equal(wanted, line({ time = given }, "time"))
    end
    for given, wanted in pairs {
      ["4GiB"] = "4G", ["4GB"] = "3815M", ["500M"] = "500M", ["2T"] = "2T",
    } do
      assert.equal(wanted, line({ memory = given }, "mem"))
    end
    assert.is_nil(line({}, "time"))
    assert.is_nil(line({}, "mem"))
    assert.is_nil(line({}, "partition"))
  end)

  for what, case in pairs {
    ["no command"] = { { command = {} }, "command: wanted the words of a sweep" },
    ["a command of numbers"] = { { command = { "a", 2 } }, "command: word 2 is 2, not a text" },
    ["no parts"] = { { tasks = 0 }, "tasks: 0 is not a number of parts from 1" },
    ["half a part"] = { { tasks = 2.5 }, "tasks: 2.5 is not a number of parts" },
    ["a name with a space"] = { { name = "my sweep" }, 'for example "my-sweep"' },
    ["a name that adds a line"] = { { name = "x\n#SBATCH --uid=0" }, "is not a name" },
    ["a bare time"] = { { time = "90" }, 'time: "90" is not a time limit' },
    ["a number as time"] = { { time = 90 }, "time: 90 is not a time limit" },
    ["a bare memory"] = { { memory = "4000" }, 'memory: "4000" is not a size' },
    ["no processor"] = { { cpus = 0 }, "cpus: 0 is not a number of processors" },
    ["a directory as store"] = { { store = "out/" }, 'store: "out/" is not the name of a file' },
    ["a mistyped key"] = { { tiem = "1h" }, "tiem: unknown option; did you mean 'time'?" },
    ["an odd partition"] = { { partition = "a b" }, 'for example "a-b"' },
  } do
    it("refuses " .. what, function()
      local text, problem = slurm.script(with(case[1]))
      assert.is_nil(text)
      assert.truthy(problem:find(case[2], 1, true), problem)
      assert.is_nil(problem:gsub("x\n#", ""):find "\n")
    end)
  end
end)

describe("slurm.shard", function()
  it("reads a part", function()
    assert.same({ 3, 16 }, { slurm.shard "3/16" })
    assert.same({ 0, 1 }, { slurm.shard "0/1" })
  end)

  it("refuses what is none", function()
    local huge = ("9"):rep(20) .. "/3"
    for _, text in ipairs { "16/16", "x", "0/0", "-1/4", "1/2/3", "1.5/3", huge } do
      local index, problem = slurm.shard(text)
      assert.is_nil(index)
      assert.truthy(problem:find("'" .. text .. "'", 1, true))
    end
    assert.truthy(select(2, slurm.shard "16/16"):find "15/16")
  end)
end)
