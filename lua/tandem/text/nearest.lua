--- The nearest valid word to a mistyped one: what every "did you mean" in tandem uses.
-- Owns the distance and the threshold; knows nothing about scenarios. Called by check, sandbox,
-- scenario and anything else that must say what it would have understood.

local nearest = {}

-- The words proposed last, so that what a message proposes is known without reading it.
local REMEMBERED <const> = 16
local proposed, count = {}, 0

--- Which of the words that were proposed lately a message names.
---@param message string
---@return string|nil
function nearest.said(message)
  for back = 0, REMEMBERED - 1 do
    local word = proposed[(count - back) % REMEMBERED]
    if word and message:find("'" .. word .. "'", 1, true) then return word end
  end
end

--- Edit distance with adjacent transposition, on bytes.
---@param a string
---@param b string
---@return integer
function nearest.distance(a, b)
  local la, lb = #a, #b
  local before, last = nil, {}
  for j = 0, lb do last[j] = j end
  for i = 1, la do
    local row = { [0] = i }
    for j = 1, lb do
      local same = a:byte(i) == b:byte(j)
      local d = math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (same and 0 or 1))
      if i > 1 and j > 1 and a:byte(i) == b:byte(j - 1) and a:byte(i - 1) == b:byte(j) then
        d = math.min(d, before[j - 2] + 1)
      end
      row[j] = d
    end
    before, last = last, row
  end
  return last[lb]
end

-- How far apart words of these lengths may be to be worth proposing.
local function allowed(a, b) return math.max(1, math.max(a, b) // 3) end

--- The closest candidate, or nil when nothing is close enough to be worth proposing.
--- Ties go to the nearer length, then to the alphabetically first: the answer never depends on
--- table order.
---@param word string
---@param candidates string[]
---@return string|nil
function nearest.word(word, candidates)
  if type(word) ~= "string" or #word > 200 then return nil end
  local best, best_d = nil, math.huge
  local wanted = word:lower()
  for _, c in ipairs(candidates) do
    if type(c) == "string" then
      local begins = #wanted >= 3 and #c > #wanted and c:lower():find(wanted, 1, true) == 1
      -- Words differ by at least their lengths.
      local d = begins and 1 or math.abs(#c - #wanted) > allowed(#c, #wanted) and math.huge
        or nearest.distance(wanted, c:lower())
      local longer = best and math.abs(#c - #wanted) - math.abs(#best - #wanted)
      if d < best_d or (best and d == best_d and (longer < 0 or (longer == 0 and c < best))) then
        best, best_d = c, d
      end
    end
  end
  if not best or best_d > allowed(#wanted, #best) then return nil end
  count = count + 1
  proposed[count % REMEMBERED] = best
  return best
end

--- The sorted keys of a table; integers before strings, so iteration never depends on hashing.
---@param t table
---@return any[]
function nearest.sorted_keys(t)
  local keys, n, texts, numbers = {}, 0, true, true
  for k in next, t do
    n = n + 1
    keys[n] = k
    local kind = type(k)
    texts, numbers = texts and kind == "string", numbers and kind == "number"
  end
  if texts or numbers then
    table.sort(keys)
    return keys
  end
  table.sort(keys, function(x, y)
    local tx, ty = type(x), type(y)
    if tx ~= ty then return tx < ty end
    if tx == "number" or tx == "string" then return x < y end
    return tostring(x) < tostring(y)
  end)
  return keys
end

--- What to say of a word that a module does not have.
---@param name string the module, as people write it
---@param t table
---@param word any
---@return string
function nearest.absent(name, t, word)
  local words = {}
  for _, k in ipairs(nearest.sorted_keys(t)) do
    if type(k) == "string" and not k:find "^__" then words[#words + 1] = k end
  end
  return ("%s has no '%s'; %s"):format(name, tostring(word), nearest.hint(tostring(word), words))
end

--- What to say of a table of options with a key that there is not; nil where all are known.
---@param given table
---@param known string[]
---@return string|nil
function nearest.stranger(given, known)
  local names = {}
  for _, name in ipairs(known) do names[name] = true end
  for _, name in ipairs(nearest.sorted_keys(given)) do
    if not names[name] then
      return ("there is no option '%s'; %s"):format(tostring(name),
        nearest.hint(tostring(name), known))
    end
  end
end

-- A name of a kernel may fill a screen.
local LONGEST <const>, MOST_LISTED <const> = 72, 12
local function listed(words, most)
  local shown = {}
  for i = 1, math.min(#words, most) do
    local word = words[i]
    local cut = #word > LONGEST and utf8.len(word) and utf8.offset(word, LONGEST, 1)
    shown[i] = cut and word:sub(1, cut - 1) .. "…" or word
  end
  return table.concat(shown, ", ") .. (#words > most and ", …" or "")
end

--- "did you mean 'x'?" when there is a near word, else of many those that have it in them, else
--- "one of a, b, c".
---@param word any
---@param candidates string[]
---@return string
function nearest.hint(word, candidates)
  local near = nearest.word(word, candidates)
  if near then return ("did you mean '%s'?"):format(near) end
  if #candidates == 0 then return "" end
  local sorted, having = { table.unpack(candidates) }, {}
  table.sort(sorted)
  local part = #sorted > MOST_LISTED and type(word) == "string" and #word >= 3 and word:lower()
  for _, one in ipairs(part and sorted or {}) do
    if one:lower():find(part, 1, true) then having[#having + 1] = one end
  end
  if #having > 0 then return "these have it in them: " .. listed(having, 4) end
  return "one of " .. listed(sorted, MOST_LISTED)
end

return nearest
