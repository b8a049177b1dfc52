--- A search over everything that the program can explain, for words that name nothing themselves:
--- `tandem help outage`.
--
-- Owns what is searched and what counts as a better answer; the words come from where help has
-- them: the manual, commands and their options, keys and constructors, functions and objects of
-- Lua, metrics, analyses, rules of advice, policies, the catalogue. Used by `tandem help`, the
-- shell and Jupyter.
local markdown = require "tandem.help.markdown"
local manual = require "tandem.help.manual"
local styles = require "tandem.plot.style"

local search = {}

---@class tandem.help.Item
---@field read string     what shows it: "tandem help td.gpu"
---@field name string     what it is called there: "mtbf"; its words are matched first
---@field about string    a line of words
---@field body? string[]  sentences of a text
---@field weight number   1 for what people look for first

local MOST_HITS <const>, MOST_LINES <const> = 6, 3

-- Endings that do not matter: retries, retry; failures, failing, failed.
local function stem(word)
  word = word:lower()
  if #word > 4 then
    local bare = word:match "^(.-[^aeiou])ies$"
    if bare then return bare .. "y" end
    for _, ending in ipairs { "ations", "ation", "ing", "ures", "ure", "ed", "es", "e", "s" } do
      if #word - #ending >= 3 and word:sub(-#ending) == ending then
        return word:sub(1, #word - #ending)
      end
    end
  end
  return #word == 4 and word:match "^(.*[^s])s$" or word
end

local function stems(text)
  local list = {}
  for word in text:gsub("(%l)(%u)", "%1 %2"):gmatch "[%w\128-\255]+" do
    list[#list + 1] = stem(word)
  end
  return list
end

-- ---- what is searched

local function add(items, read, name, about, weight, body)
  items[#items + 1] = { read = read, name = name, about = about or "", weight = weight,
    body = body }
end

local function sentences(section)
  local list = {}
  local function split(text)
    for sentence in (markdown.plain(text) .. " "):gmatch "(.-[.:?!])%s" do
      list[#list + 1] = sentence:match "^%s*(.*)$"
    end
    list[#list + 1] = markdown.plain(text):match "[^.:?!]+$"
  end
  local at = section.from + 1
  while at <= section.to and section.chapter.blocks[at].kind ~= "heading" do
    local block = section.chapter.blocks[at]
    if block.kind == "paragraph" then split(block.text) end
    for _, item in ipairs(block.items or {}) do split(item) end
    for i = 2, #(block.rows or {}) do
      list[#list + 1] = markdown.plain(table.concat(block.rows[i], ": "))
    end
    at = at + 1
  end
  return list
end

local function add_manual(items)
  for _, chapter in ipairs(manual.chapters()) do
    for _, section in ipairs(chapter.sections) do
      add(items, "tandem help " .. section.names[1], section.title,
        table.concat(section.names, " "), 1, sentences(section))
      items[#items].is_section = true
    end
  end
end

local function add_commands(items)
  local cli = require "tandem.cli"
  for _, name in ipairs(cli.commands) do
    local command, read = cli.command(name), "tandem help " .. name
    add(items, read, "tandem " .. name, command.summary, 0.9, { command.about })
    for _, option in ipairs(command.options or {}) do
      add(items, read, option[1]:match "%-%-%S+" or option[1], option.help, 0.7)
    end
  end
end

local function add_keys(items)
  require("tandem.language.glossary").apply()
  local nearest = require "tandem.text.nearest"
  local types = require("tandem.language.node").types
  for _, name in ipairs(nearest.sorted_keys(types)) do
    local spec = types[name]
    local record = spec.group == "record"
    if not name:find "^seed" and not (record and not spec.doc) then
      local read = record and "tandem help " .. name or "tandem help td." .. name
      add(items, read, (record and "" or "td.") .. name, spec.doc, record and 0.7 or 0.95)
      for _, key in ipairs(nearest.sorted_keys(spec.keys)) do
        add(items, read, key, spec.keys[key].doc, 0.9)
      end
    end
  end
end

local function add_calls(items)
  local public = require "tandem.help.public"
  for _, one in ipairs(public.names()) do
    add(items, "tandem help " .. one.name, one.name,
      one.entry and table.concat(one.entry.text, " "), 0.8)
  end
  for _, class in ipairs(public.classes()) do
    for _, field in ipairs(class.fields) do
      add(items, "tandem help " .. class.name, field.name:gsub("%?$", ""), field.text, 0.5)
    end
  end
end

local function add_rest(items)
  for _, field in ipairs(require("tandem.report.schema").fields) do
    add(items, "tandem help json", field[1], field[2], 0.75)
  end
  for _, rule in ipairs(require("tandem.advice.files").shipped()) do
    add(items, "tandem help advice-rules", rule.name, rule.looks_for, 0.75)
  end
  local policies = require "tandem.language.policies"
  for _, list in ipairs { policies.routers, policies.disciplines, policies.replica_routers } do
    for _, one in ipairs(list) do add(items, "tandem help policies", one[1], one[2], 0.8) end
  end
  for _, shipped in ipairs(require("tandem.scenario.locate").shipped()) do
    add(items, "tandem list scenarios", shipped.short, shipped.title, 0.6)
  end
  local catalogue = require "tandem.catalogue"
  for _, name in ipairs(catalogue.gpu_names()) do
    add(items, ("tandem list gpus %q"):format(name), name, "a card of the catalogue", 0.6)
  end
  for _, link in ipairs(catalogue.links()) do
    add(items, "tandem list links", link.name, "a link of the catalogue", 0.6)
  end
end

local items

local function all()
  if not items then
    items = {}
    for _, add_some in ipairs { add_manual, add_commands, add_keys, add_calls, add_rest } do
      add_some(items)
    end
    for _, item in ipairs(items) do
      local names = stems((item.name:gsub("^td%.", ""):gsub("^tandem ", "")))
      item.is_word = #names == 1
      if #names > 1 then names[#names + 1] = stem(table.concat(names)) end -- dataloader
      item.name_stems, item.about_stems = names, stems(item.about)
    end
  end
  return items
end

-- ---- how well it fits

local function has(list, wanted)
  for _, one in ipairs(list) do
    if one == wanted then return 2 end
  end
  if #wanted < 4 then return 0 end
  for _, one in ipairs(list) do
    if one:sub(1, #wanted) == wanted then return 1 end
  end
  return 0
end

-- How many sentences of a body have the word; each that has it counts one for being shown.
local function in_body(item, wanted, votes)
  local count = 0
  if item.body and not item.body_stems then
    item.body_stems = {}
    for i, sentence in ipairs(item.body) do item.body_stems[i] = stems(sentence) end
  end
  for i in ipairs(item.body or {}) do
    if has(item.body_stems[i], wanted) > 0 then
      count, votes[i] = count + 1, (votes[i] or 0) + 1
    end
  end
  return count
end

-- How well an item fits one word.
local function fit(item, wanted, votes)
  local score = ({ [0] = 0, 24, 60 })[has(item.name_stems, wanted)]
  if score == 60 and item.is_word then score = 100 end
  score = score + ({ [0] = 0, 8, 25 })[has(item.about_stems, wanted)]
  return score + math.min(36, 9 * in_body(item, wanted, votes))
end

---@class tandem.help.Hit
---@field read string
---@field lines { [1]: string, [2]: string }[]
---@field score number

-- How many of the words are in an item, how well they fit, and its sentence with most of them.
local function score_of(item, wanted)
  local found, sum, votes = 0, 0, {}
  for _, word in ipairs(wanted) do
    local score = fit(item, word, votes)
    if score > 0 then found = found + 1 end
    sum = sum + score
  end
  local best
  for i = 1, item.body and #item.body or 0 do
    if votes[i] and votes[i] > (best and votes[best] or 0) then best = i end
  end
  return found, item.weight * sum / #wanted, best and item.body[best]
end

-- What has at least so many of the words.
local function hits_with(wanted, least)
  local hits, by_read = {}, {}
  for order, item in ipairs(all()) do
    local found, score, sentence = score_of(item, wanted)
    if found >= least then
      local hit = by_read[item.read]
      if not hit then
        hit = { read = item.read, lines = {}, score = 0, order = order }
        by_read[item.read], hits[#hits + 1] = hit, hit
      end
      hit.score = math.max(hit.score, score) + (hit.score > 0 and 2 or 0)
      hit.lines[#hit.lines + 1] = { item.name,
        item.is_section and (sentence or "") or item.about ~= "" and item.about or sentence or "",
        score = score, order = order }
    end
  end
  local function better(a, b)
    if a.score ~= b.score then return a.score > b.score end
    return a.order < b.order
  end
  for _, hit in ipairs(hits) do table.sort(hit.lines, better) end
  table.sort(hits, better)
  return hits
end

--- Where a question is answered, best first: by all of its words, else by most of them. A name with
--- dots is no question.
---@param question string
---@return tandem.help.Hit[]
function search.hits(question)
  local wanted = stems(question)
  for least = #wanted, question:find "%s" and 1 or math.max(1, #wanted), -1 do
    local hits = hits_with(wanted, least)
    if #hits > 0 then return hits end
  end
  return {}
end

-- A name without what joins its words.
local function bare(name) return (name:lower():gsub("[_.:-]", "")) end

--- The page that a word means and misses by how its words are joined (exitcodes) or, where they are
--- joined, by a letter (exit-code). Words that stand alone are left to the search, which knows
--- their endings: a leak is no peak, and the kernels of a GPU are not that of a notebook.
---@param word string
---@param pages string[]  names that have help of their own
---@return string|nil
function search.meant(word, pages)
  if word:find "[^%w_.:-]" then return nil end
  for _, known in ipairs(search.words()) do
    if known == word then return nil end
  end
  local wanted, near = bare(word), {}
  local joined = #wanted < #word
  local distance = require("tandem.text.nearest").distance
  for _, page in ipairs(pages) do
    local name = bare(page)
    if name == wanted and page:lower() ~= word:lower() then return page end
    if joined and #name < #page and distance(wanted, name) == 1 then near[#near + 1] = page end
  end
  table.sort(near)
  return near[1]
end

--- The words that things are called by, for "did you mean".
---@return string[]
function search.words()
  local list, seen = {}, {}
  for _, item in ipairs(all()) do
    for word in item.name:gmatch "[%w_-]+" do
      if #word > 2 and not seen[word] then
        seen[word], list[#list + 1] = true, word
      end
    end
  end
  return list
end

-- "name: words", of at most two lines.
local function described(text, style, out)
  local made = styles.wrap(text, style.width - 6)
  if #made > 2 then made = { made[1], styles.cut(made[2] .. " …", style.width - 6) } end
  for i, one in ipairs(made) do out[#out + 1] = (i == 1 and "    " or "      ") .. one end
end

-- The lines of a hit that were not told before; what several commands share is told once.
local function fresh(one, told)
  local list = {}
  for _, line in ipairs(one.lines) do
    local words = line[2]:gsub("%s+", " ")
    local text = words == "" and line[1] or line[1] .. ": " .. words
    if #list < MOST_LINES and not told[text] then list[#list + 1] = text end
    told[text] = true
  end
  return list
end

--- What to say to a word that names nothing; nil where nothing is found.
---@param question string
---@param style tandem.Style
---@return string|nil
function search.text(question, style)
  local hits, told, shown = search.hits(question), {}, 0
  if #hits == 0 then return nil end
  local lines = { ("'%s' is explained here, best first:"):format(styles.clean(question)) }
  for _, one in ipairs(hits) do
    local texts = shown < MOST_HITS and fresh(one, told) or {}
    if #texts > 0 then
      shown = shown + 1
      lines[#lines + 1] = ""
      lines[#lines + 1] = "  " .. style:paint(one.read, "bold")
      for _, text in ipairs(texts) do described(text, style, lines) end
    end
  end
  return table.concat(lines, "\n")
end

return search
