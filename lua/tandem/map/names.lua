--- Names of a run as the patterns and words that a person would write for them.
--
-- Owns: the shortest glob that takes a kernel and no other, the glob of ranges that differ in
-- numbers only, the sizes that such numbers are, and short names for stages. Looks at distinct
-- names only. Called by requests.lua and repeating.lua.
local pattern = require "tandem.map.pattern"

local names = {}

local SHORT <const>, LONG <const> = 40, 80

-- ---- kernels ----

-- A name as a glob: what a glob cannot hold or would read otherwise is any one character.
local function as_glob(name)
  return (name:gsub("%c", "?"):gsub("^/", "?"))
end

-- Does a pattern take exactly the wanted ones of all names?
local function takes_only(text, wanted, all)
  if pattern.problem(text) then return false end
  local matches = pattern.matcher(text)
  for name in pairs(wanted) do
    if not matches(name) then return false end
  end
  for _, name in ipairs(all) do
    if not wanted[name] and matches(name) then return false end
  end
  return true
end

-- "void at::native::reduce_kernel<512, T>(T)" → "reduce_kernel"; a mangled name → its last part.
local function base_of(name)
  if name:find "^_Z" then
    local at, last = 1, nil
    while true do
      local from, to, digits = name:find("(%d+)", at)
      if not from then break end
      local length = math.tointeger(tonumber(digits))
      local word = length and length > 0 and #digits < 4 and name:sub(to + 1, to + length)
      if not word or not word:find "^[%a_][%w_]*$" or #word < length then break end
      at = to + 1 + length
      -- Composable Kernel's entry says nothing; the kernel is its first long argument.
      if word == "kentry" then
        local count = name:match("%D(%d%d)%a", at)
        local begin = count and select(2, name:find("%D%d%d%f[%a]", at))
        return begin and name:sub(begin + 1, begin + math.tointeger(tonumber(count))) or word
      end
      last = word
      if name:sub(at, at) == "I" then break end
    end
    return last or name
  end
  local text = name
  while text:find "%b<>" do text = text:gsub("%b<>", "") end
  text = text:gsub("%(anonymous namespace%)", ""):gsub("%b()", "")
  text = text:gsub("<.*$", ""):gsub("%(.*$", "")
  return text:match "([%w_~]+)%s*$" or name
end
names.base_of = base_of

-- Words that are in names of every library's kernels and tell a reader nothing.
local PLAIN <const> = { void = true, native = true, const = true, float = true, double = true,
  unsigned = true, bool = true, char = true, long = true, kernel = true, anonymous = true,
  namespace = true, cuda = true, detail = true, std = true, half = true, bfloat16 = true }

-- Words of a name, the shortest first: what may tell it from others.
local function words_of(name)
  local seen, words = {}, {}
  for word in name:gmatch "[%a_][%w_]+" do
    if #word >= 4 and not seen[word] and not PLAIN[word:lower()] then
      seen[word], words[#words + 1] = true, word
    end
  end
  table.sort(words, function(a, b)
    if #a ~= #b then return #a < #b end
    return a < b
  end)
  return words
end

local function common_length(name, all)
  local longest = 0
  for _, other in ipairs(all) do
    if other ~= name then
      local n = 0
      while n < #name and name:byte(n + 1) == other:byte(n + 1) do n = n + 1 end
      longest = math.max(longest, n)
    end
  end
  return longest
end

--- The shortest pattern that takes one name of a list and no other.
---@param name string
---@param all string[]  distinct
---@return string
function names.glob(name, all)
  local wanted = { [name] = true }
  local plain = not name:find "[%*%?%c]" and not name:find "^/"
  if #name <= SHORT and plain then return name end
  local base = base_of(name)
  local tries = { "*" .. base .. "*", ("/\\b%s\\b/"):format(base:gsub("[^%w_]", ".")) }
  for _, word in ipairs(words_of(name)) do
    if #word <= SHORT and word ~= base then tries[#tries + 1] = ("*%s*"):format(word) end
  end
  for _, word in ipairs(words_of(name)) do
    if #word <= SHORT and word ~= base then tries[#tries + 1] = ("*%s*%s*"):format(base, word) end
  end
  for _, text in ipairs(tries) do
    if #text <= LONG and takes_only(text, wanted, all) then return text end
  end
  local from = common_length(name, all) + 1
  local to = name:match("^[%w_]*()", from)
  local text = name:sub(1, math.max(to - 1, from)) .. "*"
  return takes_only(text, wanted, all) and text or as_glob(name)
end

local function common_prefix(list)
  local prefix = list[1]
  for _, name in ipairs(list) do
    while name:sub(1, #prefix) ~= prefix do prefix = prefix:sub(1, -2) end
  end
  return prefix
end

-- Words that all names of a list have, the longest first.
local function common_words(list)
  local words = {}
  for _, word in ipairs(words_of(list[1])) do
    local all = true
    for _, name in ipairs(list) do all = all and name:find(word, 1, true) end
    if all then table.insert(words, 1, word) end
  end
  return words
end

--- One pattern that takes all kernels of a list and none of others: a beginning, a word that they
--- share, or their functions' names one by one. Nil where that would be too long to read.
---@param list string[]    distinct
---@param others string[]  distinct
---@return string|nil
function names.group(list, others)
  if #list == 1 then
    local all = table.move(others, 1, #others, 2, { list[1] })
    local text = names.glob(list[1], all)
    return #text <= LONG and text or nil
  end
  local wanted, all = {}, table.move(others, 1, #others, 1, {})
  for _, name in ipairs(list) do wanted[name], all[#all + 1] = true, name end
  local prefix, tries = common_prefix(list), {}
  local short = prefix:match "^[%a_]%w*_" -- "Cijk_" of "Cijk_Alik_Bljk_…"
  if short and not prefix:find "[%*%?]" then tries[1] = short .. "*" end
  for _, word in ipairs(common_words(list)) do tries[#tries + 1] = ("*%s*"):format(word) end
  local last = prefix:match "[%w_]+$" -- what it says behind types and namespaces
  if last and #last >= 3 and not PLAIN[last:lower()] and not prefix:find "[%*%?]" then
    tries[#tries + 1] = prefix .. "*"
  end
  local bases, seen = {}, {}
  for _, name in ipairs(list) do
    local base = base_of(name):gsub("[^%w_]", ".")
    if not seen[base] then seen[base], bases[#bases + 1] = true, base end
  end
  table.sort(bases)
  tries[#tries + 1] = ("/%s/"):format(table.concat(bases, "|"))
  tries[#tries + 1] = ("/\\b(%s)\\b/"):format(table.concat(bases, "|"))
  for _, text in ipairs(tries) do
    if #text <= 2 * LONG and takes_only(text, wanted, all) then return text end
  end
end

-- ---- ranges ----

--- The pattern of ranges. Of a name that came once, numbers are taken to vary.
---@param range { name: string, names: integer, count: integer }  of candidate-ranges
---@param others string[]  globs of all other ranges
---@return string
function names.range(range, others)
  local text = as_glob(range.name)
  -- Digits within words are parts of them: "fp5r5" is a hash, "x2" a name.
  if range.names == 1 and range.count == 1 then
    text = text:gsub("%f[%w]%d+%f[^%w]", "*"):gsub("_%d+%f[_%z%s%(]", "_*")
  end
  local _, stars = text:gsub("%*", "")
  -- PyTorch names what it wraps "what#whose": the first says enough.
  local outer = #text > SHORT and text:match "^([%w_%.%(%)]+#)"
  if stars > 1 or outer then
    local cut = outer and outer .. "*" or text:match "^([^%*]+%*)"
    -- A beginning tells the ranges apart when no other begins so.
    if cut and #cut > 4 and not cut:find "^%W" then
      local alone = true
      for _, other in ipairs(others) do
        alone = alone and (other == range.name or other:sub(1, #cut - 1) ~= cut:sub(1, -2))
      end
      if alone then return cut end
    end
  end
  if text ~= as_glob(range.name) then
    local matches = pattern.matcher(text)
    for _, other in ipairs(others) do
      if other ~= range.name and matches(other) then return as_glob(range.name) end
    end
  end
  return text
end

-- ---- sizes ----

-- The numbers of a name: { value, from } each, where its text begins.
local function numbers_of(name)
  local list = {}
  for from, digits, to in name:gmatch "()(%d+%.?%d*)()" do
    list[#list + 1] = { value = tonumber(digits), from = from, to = to,
      fraction = digits:find "%.%d" ~= nil }
  end
  return list
end

local function increases(column)
  for i = 2, #column do
    if column[i] <= column[i - 1] then return false end
  end
  return #column > 1
end

local function key_of(column) return table.concat(column, " ") end

-- What serving engines mean by their abbreviations.
local MEANT <const> = { execute = "tokens", decode_bs = "batch_size", bs = "batch_size" }
-- Words that are known to count something, also where a capture has one request only.
local COUNTED <const> = { tokens = true, batch_size = true, batch = true, context = true,
  context_sq = true, context_sk = true, generation = true, generation_sk = true, seq = true,
  seqlen = true, length = true, size = true, requests = true, prompt = true, steps = true }

local OUTER <const> = "()(%a%a%a%a[%a]*)[%d%s_%(%[=:%-]*%l*%d*%l*%d*$"

-- What stands before a number: its word, and the text from that word on as an expression.
local function label_of(example, number, fraction)
  local before = example:sub(1, number.from - 1)
  local value = fraction and "([\\d.]+)" or "(\\d+)"
  local key = before:match "%f[%w_](%a[%w_]*)=$"
  if key then return key, ("/\\b%s=%s/"):format(key, value) end
  local word = before:match "(%a[%a_]*)[%s=:#_%-%(%[]*$"
  if not word then return nil end
  local from = #before - #before:match "(%a[%a_]*[%s=:#_%-%(%[]*)$" + 1
  if #word < 4 then
    -- A short word belongs to the longer one before it: "context_9(sq8155" is context_sq.
    local outer_from, outer = before:sub(1, from - 1):match(OUTER)
    if outer then word, from = outer .. "_" .. word, outer_from end
  end
  word = word:lower():gsub("[^%w]+", "_"):gsub("^_+", ""):gsub("_+$", "")
  word = MEANT[word] or word
  local text = before:sub(from):gsub("%d+", "\0"):gsub("[^%w_ =:,#\0%-]", "\\%0")
    :gsub("\0", "\\d+")
  return word, ("/%s%s/"):format(text, value)
end

local MOST_SIZES <const> = 4

--- The numbers in names of requests that are not their ordinal, as sizes of a map.
---@param distinct string[]  names in order of their first request
---@return table<string, string>|nil  expression by name of the size
---@return string[] order
function names.sizes(distinct)
  local example = numbers_of(distinct[1])
  local columns = {}
  for k = 1, #example do columns[k] = {} end
  for i, name in ipairs(distinct) do
    local numbers = numbers_of(name)
    if #numbers ~= #example then return nil, {} end
    for k, number in ipairs(numbers) do
      columns[k][i], columns[k].fraction = number.value, columns[k].fraction or number.fraction
    end
  end
  local sizes, order, seen = {}, {}, {}
  for k, number in ipairs(example) do
    local before = distinct[1]:sub(1, number.from - 1)
    local ordinal = before:find "#$" or before:find "_id ?[=:]? ?$" or increases(columns[k])
    local key, varies = key_of(columns[k]), #distinct == 1
    for i = 2, #distinct do varies = varies or columns[k][i] ~= columns[k][1] end
    if varies and not ordinal and not seen[key] and columns[k][1] < 2 ^ 53
      and not (#distinct == 1 and (columns[k][1] == 0 or #example < 2)) then
      local word, expression = label_of(distinct[1], number, columns[k].fraction)
      if word and not sizes[word] and #order < MOST_SIZES
        and (#distinct > 1 or COUNTED[word]) then
        sizes[word], order[#order + 1], seen[key] = expression, word, true
      end
    end
  end
  if #order == 0 then return nil, {} end
  return sizes, order
end

-- ---- stages ----

--- A short name for a stage that takes a range: "## forward ##" → "forward".
---@param text string  name or glob
---@return string
function names.stage(text)
  local short = text:gsub("%c", " "):gsub(", op_id = .*$", ""):gsub("^nn%.Module: ", "")
  short = short:match "^([%a_][%w_%.%(%)]+)#[%a_]" or short
  short = short:gsub("<.->", ""):gsub("%*", " "):gsub("#+", " ")
  if short:find "|" then -- "[param|model|0|forward]": its last word
    for word in short:gmatch "[^|%[%]]+" do
      if word:find "%a" then short = word end
    end
  end
  short = short:gsub("^%s+", ""):gsub("[%s_:%.]+$", ""):gsub("%s+", " ")
  short = short:gsub("^%w+::", "")
  if #short > 32 then short = short:sub(1, 32):gsub("[%s_:%.]+%w*$", "") end
  return short ~= "" and short or "range"
end

--- Appends a number to a name that is taken.
---@param name string
---@param taken table<string, boolean>
---@return string
function names.unique(name, taken)
  local made, n = name, 1
  while taken[made] do
    n = n + 1
    made = ("%s %d"):format(name, n)
  end
  taken[made] = true
  return made
end

return names
