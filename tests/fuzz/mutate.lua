--- Readers that are written in Lua, tried on the corpora of their fuzzers with some bytes changed:
-- without a sanitizer or clang, for anyone and for `make test`. An input is refused in one line or
-- read as tests/fuzz/readers.lua demands, within some steps of the machine.
--
--   build/tandem lua tests/fuzz/mutate.lua [--seed N] [--runs N | --seconds N] [--keep DIR] [WORD…]
--
-- Same seed, same inputs. What fails is printed with its number; --keep writes it into a folder.
-- Called by people, by tests/run-all and by tests/spec/mutated_spec.lua.
local core = require "tandem.core"

local mutate = {}

--- The readers, as readers.lua names them; each has a corpus in tests/fuzz/fuzz_lua_WORD.
mutate.WORDS = { "benchmarks", "manifests", "prices", "sessions", "spans" }

local MOST_STEPS <const> = 300000000 -- of Lua, for one input: some seconds

local VALUES <const> = { "null", "true", "-1", "1e999", "NaN", "{}", "[]", '""', "0", '"x"', "-0.0",
  "9223372036854775807", "18446744073709551616", "1e-320", ",", "\n", "\0", "\xff", '"\\ud800"',
  "[[[[", "}", "1.5", ":", "- ", "\t", "'", "|", "&a *a", "#", "\u{202e}", "%s" }

-- xorshift64*: not math.random, whose numbers may change with Lua.
local function dice(seed)
  local state = seed * 0x9E3779B97F4A7C15 | 1
  return function(most)
    state = state ~ state << 13
    state = state ~ state >> 7
    state = state ~ state << 17
    return (state * 0x2545F4914F6CDD1D >> 33) % most + 1
  end
end

-- Changes of a text, from the place `at` on.
local CHANGES <const> = {
  function(text, at, roll)
    return text:sub(1, at - 1) .. string.char(roll(256) - 1) .. text:sub(at + 1)
  end,
  function(text, at) return text:sub(1, at) end,
  function(text, at, roll) return text:sub(1, at - 1) .. text:sub(at + roll(200)) end,
  function(text, at, roll) return text:sub(1, at + roll(200)) .. text:sub(at) end,
  function(text, at, _, pick) -- a number is another value
    local from, to = text:find("[%d%.%-]+", at)
    return from and text:sub(1, from - 1) .. pick(VALUES) .. text:sub(to + 1) or text
  end,
  function(text, at, _, pick) -- a text is
    local from, to = text:find('"[^"]*"', at)
    return from and text:sub(1, from - 1) .. pick(VALUES) .. text:sub(to + 1) or text
  end,
  function(text, at, roll, pick, others) -- the rest is another file's
    local other = pick(others)
    return text:sub(1, at) .. other:sub(roll(#other))
  end,
}

local function changed(text, others, roll)
  local function pick(list) return list[roll(#list)] end
  for _ = 1, roll(4) do
    if text == "" then return text end
    text = pick(CHANGES)(text, roll(#text), roll, pick, others)
  end
  return text
end

-- The files of a reader's corpus, in order of their names.
local function corpus(word)
  local folder, out = "tests/fuzz/fuzz_lua_" .. word, {}
  local names = assert(core.files.list(folder))
  table.sort(names)
  for i, name in ipairs(names) do
    local file <close> = assert(io.open(folder .. "/" .. name, "rb"))
    out[i] = file:read "a"
  end
  return out
end

-- What is wrong with an input; nil: nothing.
local function problem_of(take, text, word)
  debug.sethook(function() error("it goes on and on", 0) end, "", MOST_STEPS)
  local ok, why = xpcall(take, debug.traceback, text, word)
  debug.sethook()
  return not ok and tostring(why) or nil
end

---@class tandem.Mutated
---@field runs integer
---@field bad { number: integer, word: string, text: string, why: string }[]

--- Tries a reader.
---@param word string
---@param options { seed: integer, runs?: integer, seconds?: number, take?: function }
---@return tandem.Mutated
function mutate.try(word, options)
  local take = options.take or dofile "tests/fuzz/readers.lua"
  local files = corpus(word)
  local roll, out, ends = dice(options.seed), { runs = 0, bad = {} }, nil
  if options.seconds then ends = core.clock() + options.seconds end
  while out.runs < (options.runs or math.huge) and not (ends and core.clock() > ends) do
    -- First the corpus as it is.
    local text = files[out.runs + 1] or changed(files[roll(#files)], files, roll)
    out.runs = out.runs + 1
    local why = problem_of(take, text, word)
    if why then
      out.bad[#out.bad + 1] = { number = out.runs, word = word, text = text, why = why }
      if #out.bad == 20 then break end
    end
  end
  return out
end

local function number_of(word, text)
  return tonumber(text) or error(("mutate.lua: %s wants a number"):format(word), 0)
end

--- The command line: 0 where nothing was found.
---@param words string[]
---@return integer code
function mutate.main(words)
  local options, readers, i = { seed = 1 }, {}, 1
  while i <= #words do
    local name = words[i]:match "^%-%-(%l+)$"
    if name == "keep" then options.keep = words[i + 1]
    elseif name then options[name] = number_of(words[i], words[i + 1])
    else readers[#readers + 1] = words[i] end
    i = i + (name and 2 or 1)
  end
  if not options.seconds then options.runs = options.runs or 2000 end
  local code = 0
  for _, word in ipairs(#readers > 0 and readers or mutate.WORDS) do
    local out = mutate.try(word, options)
    print(("%-12s %7d executions, %d bad"):format(word, out.runs, #out.bad))
    for _, one in ipairs(out.bad) do
      code = 1
      print(("  %s %d: %s"):format(word, one.number, one.why))
      if options.keep then
        local path = ("%s/%s-%d-%d"):format(options.keep, word, options.seed, one.number)
        local file <close> = assert(io.open(path, "wb"))
        assert(file:write(one.text))
      end
    end
  end
  return code
end

if arg and tostring(arg[0]):find "mutate%.lua$" then os.exit(mutate.main(arg), true) end

return mutate
