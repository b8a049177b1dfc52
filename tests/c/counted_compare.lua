-- Lua's own string and table functions against the counted ones, on inputs drawn at random. Called
-- by test_counted.c with both sets and a seed; returns how many calls were compared, or raises the
-- first that differs.
local theirs, ours, seed, rounds = ...

math.randomseed(seed)
local random <const> = math.random

local function one_of(list) return list[random(#list)] end

local pieces <const> = { "a", "b", "c", "ab", " ", "1", ".", "%a", "%s", "%d", "%w", "%A", "%S",
  "%p", "%x", "%l", "%u", "%c", "%g", "%z", "%%", "%.", "%(", "[ab]", "[^ab]", "[a-c]", "[%w_]",
  "[]a]", "[^]a]", "[a-]", "[%a-z]", "[%]]", "%b()", "%bab", "%f[%w]", "%f[%W]", "%1", "%2", "(",
  ")", "()", "(a)", "(.-)", "(%w+)", "^", "$", "\0", "[%z]", "[\0-\5]" }
local marks <const> = { "", "", "", "", "*", "+", "-", "?" }
local broken <const> = { "%", "[", "[^", "[a", "[%", "%f", "%b", "%bx", "]", "(", ")", "%9", "*",
  "-" }
local letters <const> = { "a", "b", "c", "a", "b", "A", " ", "1", "2", "(", ")", ".", "%", "-", "]",
  "\0", "_", "\n", "\200" }

local function some(list, most, other, chance)
  local parts = {}
  for i = 1, random(0, most) do
    parts[i] = one_of(list) .. (other and one_of(other) or "")
    if chance and random() < chance then parts[i] = one_of(broken) end
  end
  return table.concat(parts)
end

-- Functions that are called by no name have one only where the state's libraries hold them; which
-- argument is out of bounds differs between patches of 5.4.
local function shown(v)
  if type(v) == "string" then v = theirs.string.gsub(v, "#%d to '[%w?.]+' %(", " to it (") end
  return type(v) == "string" and ("%q"):format(v) or tostring(v)
end

local function all_of(t)
  local out = {}
  for i = 1, t.n do out[i] = shown(t[i]) end
  return table.concat(out, ", ")
end

local compared = 0
local function compare(name, library, ...)
  local a = table.pack(pcall(theirs[library][name], ...))
  local b = table.pack(pcall(ours[library][name], ...))
  compared = compared + 1
  if all_of(a) ~= all_of(b) then
    error(("%s(%s): %s; ours: %s"):format(name, all_of(table.pack(...)), all_of(a), all_of(b)))
  end
end

local function matches(make, ...)
  local out = {}
  for a, b, c in make(...) do
    out[#out + 1] = ("%s|%s|%s"):format(tostring(a), tostring(b), tostring(c))
  end
  return table.concat(out, ";")
end

local walks <const> = {
  theirs = { walk = function(...) return matches(theirs.string.gmatch, ...) end },
  ours = { walk = function(...) return matches(ours.string.gmatch, ...) end } }
theirs.walks, ours.walks = walks.theirs, walks.ours

local answers <const> = { "x", false, 12, 1.5 }
local function upper(...)
  local first = ...
  if first == "b" then return nil end
  if first == "c" then return false end
  return tostring(first):upper() .. select("#", ...)
end
local replacements <const> = { "", "x", "<%0>", "%1", "[%1%2]", "%%", "%", "%z", "a%9", 7, 2.5,
  upper, { a = "one", b = false, ab = 3, ["1"] = {} }, function() return one_of(answers) end, true }

for _ = 1, rounds do
  local subject = some(letters, 20)
  local pattern = some(pieces, 6, marks, 0.04)
  if random() < 0.2 then pattern = "^" .. pattern end
  local at = one_of { nil, 1, 2, 5, -1, -3, 0, 100, -100, math.mininteger, math.maxinteger }
  compare("find", "string", subject, pattern, at)
  compare("find", "string", subject, some(letters, 2), at, random() < 0.5)
  compare("match", "string", subject, pattern, at)
  compare("walk", "walks", subject, pattern, at)
  local replacement = one_of(replacements)
  if replacement ~= replacements[14] then -- draws differ between two calls
    compare("gsub", "string", subject, pattern, replacement, one_of { nil, 0, 1, 2, -1, 50 })
  end
  compare("rep", "string", one_of { "", "a", subject }, random(-1, 9), one_of { nil, "", ", " })
end

-- As deep as Lua goes, and one deeper.
for n = 1, 210 do
  for _, unit in ipairs { "a?", "a-", "a*", "(a)", "()", "(", "a" } do
    local pattern = unit:rep(n)
    compare("match", "string", ("a"):rep(n), pattern)
    compare("find", "string", ("a"):rep(300), pattern)
  end
end
for _, bad in ipairs { { }, { "a" }, { "a", {} }, { {}, "a" }, { "a", "a", "x" }, { 12, 2 } } do
  for _, name in ipairs { "find", "match", "gmatch", "gsub", "rep" } do
    if name ~= "gmatch" or bad[2] ~= 2 then
      compare(name, "string", table.unpack(bad))
    end
  end
end
compare("rep", "string", "ab", math.maxinteger)
compare("gsub", "string", "hello world", "o", "0", 1.5)

-- Tables: the same elements afterwards, the same answers.
local function filled() return { 1, 2, 3, 4, 5, 6, 7, 8 } end
local pretended <const> = { __len = function() return 5 end,
  __index = function(_, k) return k * 10 end }
for _ = 1, rounds // 10 do
  for _, name in ipairs { "insert", "remove", "move", "sort" } do
    local function call(set, a, b, c, other, meta)
      local t = meta and setmetatable({}, pretended) or filled()
      local result
      if name == "insert" then result = table.pack(pcall(set.insert, t, a, other and b or nil))
      elseif name == "remove" then result = table.pack(pcall(set.remove, t, a))
      elseif name == "move" then
        local target = other and filled() or nil
        result = table.pack(pcall(set.move, t, a, b, c, target))
        if target then t = target end
        if type(result[2]) == "table" then result[2] = result[2] == t end
      else result = table.pack(pcall(set.sort, t, function(x, y) return x > y end)) end
      local parts = {}
      for k = -12, 24 do parts[#parts + 1] = tostring(rawget(t, k)) end
      return all_of(result) .. " | " .. table.concat(parts, ",")
    end
    local a, b, c = random(-3, 11), random(-3, 11), random(-3, 11)
    local other, meta = random() < 0.5, random() < 0.3
    local left = call(theirs.table, a, b, c, other, meta)
    local right = call(ours.table, a, b, c, other, meta)
    compared = compared + 1
    assert(left == right, ("%s %d %d %d: %s; ours: %s"):format(name, a, b, c, left, right))
  end
end
compare("insert", "table", {})
compare("insert", "table", {}, 1, 2, 3)
compare("insert", "table", 5, 1)
compare("move", "table", {}, 0, math.maxinteger, 2)
compare("move", "table", {}, 1, 2, math.maxinteger)
compare("remove", "table", {}, 5)
return compared
