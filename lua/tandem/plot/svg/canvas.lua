--- The paper of an SVG chart: elements, escaping, how wide text is, and saving.
--
-- Owns the bytes of a file: fixed number formats, so that the same data gives the same file; no
-- name from outside is written unescaped. What is drawn where is the charts' business.
local styles = require "tandem.plot.style"
local theme = require "tandem.plot.svg.theme"

local canvas = {}

---@class tandem.Canvas
---@field width number
---@field height number
---@field out string[]
---@field used table<string, boolean>  classes
local Canvas = {}
Canvas.__index = Canvas

--- A coordinate: two decimals at most, never "-0".
---@param value number
---@return string
local function coordinate(value)
  assert(value == value and math.abs(value) < 1e7, "a coordinate off the paper")
  local text = ("%.2f"):format(value):gsub("0+$", ""):gsub("%.$", "")
  return text == "-0" and "0" or text
end
canvas.coordinate = coordinate

local NOTE <const> = { margin = 24, size = 11 }

local ENTITIES = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;" }

--- Text without control characters, broken UTF-8, and marks that turn the words around them.
---@param text any
---@return string
function canvas.clean(text)
  return (styles.clean(text):gsub("\u{fffe}", "?"):gsub("\u{ffff}", "?")
    :gsub("\xe2\x80[\xaa-\xae]", "?"):gsub("\xe2\x81[\xa6-\xa9]", "?"))
end

--- The same as XML may hold it: nothing in it is markup.
---@param text any
---@return string
function canvas.escape(text)
  text = canvas.clean(text)
  return (text:gsub('[&<>"]', ENTITIES))
end

--- Numbers below zero as pages and drawings write them: with the minus sign, as wide as a plus.
--- A hyphen within a word or between two numbers stays one.
---@param text any
---@return string
function canvas.minus(text)
  return (tostring(text):gsub("%f[^%s%(\0]%-%f[%d∞.]", "−"))
end

-- Widths in shares of the size, on the generous side: fonts differ from reader to reader.
local WIDTHS = {}
for class, width in pairs { ["ijl.,:;'|! "] = 0.32, ["frtI()[]{}/\\-\"`"] = 0.42,
  ["mwMW%@"] = 0.95, ["ABCDEFGHKLNOPQRSTUVXYZ&+<>=~#_"] = 0.7 } do
  for character in class:gmatch "." do WIDTHS[character] = width end
end

local function character_width(code, character)
  return WIDTHS[character] or (styles.columns(character) * (code < 0x80 and 0.61 or 0.64))
end

--- About how wide a text will be.
---@param text any
---@param size? number  of the type (default: 12)
---@return number
function canvas.text_width(text, size)
  text = styles.clean(text)
  local sum = 0
  for _, code in utf8.codes(text) do sum = sum + character_width(code, utf8.char(code)) end
  return sum * (size or 12)
end

--- A text cut to a width. What is far behind the cut is not looked at.
---@param text any
---@param width number
---@param size? number
---@return string
function canvas.fit(text, width, size)
  text, size = styles.clean(text), size or 12
  local sum, last, room = 0, 0, width - canvas.text_width("…", size)
  for position, code in utf8.codes(text) do
    local character = utf8.char(code)
    sum = sum + character_width(code, character)
    if sum * size > width then return text:sub(1, last):gsub("%s+$", "") .. "…" end
    if sum * size <= room then last = position + #character - 1 end
  end
  return text
end

-- The characters of a text.
local function characters(text)
  local list = {}
  for _, code in utf8.codes(text) do list[#list + 1] = utf8.char(code) end
  return list
end

-- The end of a text, as much as there is room for.
local function ends_with(text, width, size)
  local list, sum = characters(text), 0
  local from = #list + 1
  while from > 1 do
    sum = sum + character_width(utf8.codepoint(list[from - 1]), list[from - 1]) * size
    if sum > width then break end
    from = from - 1
  end
  return table.concat(list, "", from)
end

-- The share of its room that a name's beginning has where its middle is left out: what a path ends
-- with (a file, a function) says more than what it begins with.
local PATH_HEAD <const>, HEAD <const> = 0.25, 0.6

--- A text cut to a width where it says least: in its middle.
---@param text any
---@param width number
---@param size? number
---@return string
function canvas.middle(text, width, size)
  text, size = styles.clean(text), size or 12
  local begin = canvas.fit(text, width, size)
  if begin == text then return text end
  local room = width - canvas.text_width("…", size)
  local head = room * (text:find "%.py%(%d+%)" and PATH_HEAD or HEAD)
  local sum, last = 0, 0
  for position, code in utf8.codes(text) do
    sum = sum + character_width(code, utf8.char(code)) * size
    if sum > head then break end
    last = utf8.offset(text, 2, position) - 1
  end
  return text:sub(1, last) .. "…" .. ends_with(text, room - canvas.text_width(text:sub(1, last),
    size), size)
end

-- For each text how many characters it begins with as another one does: of texts in order, only
-- neighbours can begin alike the longest.
local function begins_alike(texts)
  local order, alike = {}, {}
  for text in pairs(texts) do order[#order + 1] = text end
  table.sort(order)
  for i, text in ipairs(order) do
    alike[text] = alike[text] or 0
    local other, n = order[i + 1] and texts[order[i + 1]], 0
    if other then
      while texts[text][n + 1] and texts[text][n + 1] == other[n + 1] do n = n + 1 end
      alike[text], alike[order[i + 1]] = math.max(alike[text], n), n
    end
  end
  return alike
end

-- A text that its beginning does not tell from others: some of that, and from where it differs.
-- Names of kernels have thousands of characters: what no room is for is not measured.
local function without_middle(list, alike, width, size)
  -- A third of the beginning, where there is room for so much.
  local begin = math.max(6, math.min(#list, math.floor(width / size / 0.56 / 3) - 6))
  local head = table.concat(list, "", 1, math.min(#list, begin)) .. "…"
  local dots, room = canvas.text_width("…", size), width - canvas.text_width(head, size)
  local function wide(i) return character_width(utf8.codepoint(list[i]), list[i]) * size end
  local from, sum = math.max(begin + 1, alike), 0
  while from <= alike and from < #list and list[from]:find "^[%s:/.]$" do from = from + 1 end
  local to = math.min(from, #list)
  for i = from, #list do
    sum = sum + wide(i)
    if sum > room then break end
    if sum + (i < #list and dots or 0) <= room then to = i end
  end
  while to == #list and from > begin + 1 and sum + wide(from - 1) <= room do
    from = from - 1
    sum = sum + wide(from)
  end
  return head .. table.concat(list, "", from, to) .. (to < #list and "…" or "")
end

-- Different texts that are seen alike: lists of them, of characters by text.
local function seen_alike(lists, seen)
  local by, groups = {}, {}
  local order = {}
  for text in pairs(lists) do order[#order + 1] = text end
  table.sort(order)
  for _, text in ipairs(order) do
    local group = by[seen[text]]
    if not group then
      group = { count = 0, lists = {} }
      by[seen[text]], groups[#groups + 1] = group, group
    end
    group.count, group.lists[text] = group.count + 1, lists[text]
  end
  local out = {}
  for _, group in ipairs(groups) do
    if group.count > 1 then out[#out + 1] = group.lists end
  end
  return out
end

-- How often texts that are still seen alike are cut anew.
local ROUNDS <const> = 3

--- Texts that stand together, each within a width: cut at the end where the beginning tells it from
--- the others, else in the middle.
---@param texts string[]
---@param width number
---@param size? number
---@return string[]
function canvas.apart(texts, width, size)
  local lists, cleaned, seen, out = {}, {}, {}, {}
  for i, text in ipairs(texts) do
    cleaned[i] = styles.clean(text)
    lists[cleaned[i]] = lists[cleaned[i]] or characters(cleaned[i])
  end
  for text, alike in pairs(begins_alike(lists)) do
    seen[text] = canvas.fit(text, width, size)
    if seen[text] ~= text and alike >= utf8.len(seen[text]) - 2 then
      seen[text] = without_middle(lists[text], alike, width, size or 12)
    end
  end
  -- What tells a text from its neighbour need not tell it from the others: cut there, and when that
  -- does not help either, at both places.
  for round = 1, ROUNDS do
    local groups = seen_alike(lists, seen)
    if #groups == 0 then break end
    for _, group in ipairs(groups) do
      for text, alike in pairs(begins_alike(group)) do
        local both = round > 1 and width / 2 or nil
        local before = both and ends_with(seen[text], both, size or 12) or ""
        seen[text] = without_middle(lists[text], alike, both or width, size or 12) .. before
      end
    end
  end
  for i, text in ipairs(cleaned) do out[i] = seen[text] end
  return out
end

---@param width number
---@param height number
---@return tandem.Canvas
function canvas.new(width, height)
  return setmetatable({ width = width, height = height, out = {}, used = {} }, Canvas)
end

---@param class string  names separated by blanks
---@return string attribute
function Canvas:class(class)
  for name in class:gmatch "%S+" do self.used[name] = true end
  return (' class="%s"'):format(class)
end

-- Closes an element; with a tip it has one inside, shown when the mouse rests there.
function Canvas:element(text, tip)
  local name = text:match "^<(%a+)"
  self.out[#self.out + 1] = tip and ("%s><title>%s</title></%s>"):format(text,
    canvas.escape(canvas.minus(tip)), name) or text .. "/>"
end

---@param x1 number
---@param y1 number
---@param x2 number
---@param y2 number
---@param class string
function Canvas:line(x1, y1, x2, y2, class)
  self:element(('<line x1="%s" y1="%s" x2="%s" y2="%s"%s'):format(coordinate(x1), coordinate(y1),
    coordinate(x2), coordinate(y2), self:class(class)))
end

---@param x number
---@param y number
---@param width number
---@param height number
---@param class string
---@param tip? string
---@param round? number
function Canvas:rect(x, y, width, height, class, tip, round)
  self:element(('<rect x="%s" y="%s" width="%s" height="%s"%s%s'):format(coordinate(x),
    coordinate(y), coordinate(width), coordinate(height),
    round and (' rx="%s"'):format(coordinate(round)) or "", self:class(class)), tip)
end

---@param x number
---@param y number
---@param text any
---@param class string
---@param turn? number  degrees about its beginning
function Canvas:text(x, y, text, class, turn)
  self.out[#self.out + 1] = ('<text x="%s" y="%s"%s%s>%s</text>'):format(coordinate(x),
    coordinate(y), self:class(class), turn and (' transform="rotate(%s %s %s)"'):format(
      coordinate(turn), coordinate(x), coordinate(y)) or "", canvas.escape(canvas.minus(text)))
end

--- A path through points { x, y }; `closed` joins the ends.
---@param points number[][]
---@param class string
---@param closed? boolean
---@param tip? string
function Canvas:path(points, class, closed, tip)
  local parts = {}
  for index, point in ipairs(points) do
    parts[index] = ("%s%s %s"):format(index == 1 and "M" or "L", coordinate(point[1]),
      coordinate(point[2]))
  end
  self:element(('<path d="%s%s"%s'):format(table.concat(parts), closed and "Z" or "",
    self:class(class)), tip)
end

local MARKS = {
  function(r) return { { -r, -r }, { r, -r }, { r, r }, { -r, r } } end,
  function(r) return { { 0, -1.25 * r }, { 1.2 * r, 0.9 * r }, { -1.2 * r, 0.9 * r } } end,
  function(r) return { { 0, -1.4 * r }, { 1.4 * r, 0 }, { 0, 1.4 * r }, { -1.4 * r, 0 } } end,
}

--- The mark of series `index`: four shapes, filled in the first four, then hollow.
---@param x number
---@param y number
---@param index integer
---@param tip? string
---@param radius? number
function Canvas:mark(x, y, index, tip, radius)
  local color = (index - 1) % theme.SERIES + 1
  local class = color <= 4 and "mark f" .. color or "mark open s" .. color
  local shape, r = (index - 1) % 4, radius or 3.5
  if shape == 0 then
    self:element(('<circle cx="%s" cy="%s" r="%s"%s'):format(coordinate(x), coordinate(y),
      coordinate(r), self:class(class)), tip)
    return
  end
  local points = MARKS[shape](r * 0.95)
  for _, point in ipairs(points) do
    point[1], point[2] = point[1] + x, point[2] + y
  end
  self:path(points, class, true, tip)
end

---@param x number
---@param y number
---@param radius number
---@param class string
---@param tip? string
function Canvas:circle(x, y, radius, class, tip)
  self:element(('<circle cx="%s" cy="%s" r="%s"%s'):format(coordinate(x), coordinate(y),
    coordinate(radius), self:class(class)), tip)
end

--- Slanted lines over a rectangle: there is no value here.
---@param x number
---@param y number
---@param width number
---@param height number
function Canvas:hatch(x, y, width, height)
  local parts, step = {}, 7
  for offset = step, width + height - 0.01, step do
    local x1, y1 = math.min(offset, width), math.max(0, offset - width)
    local x2, y2 = math.max(0, offset - height), math.min(offset, height)
    parts[#parts + 1] = ("M%s %sL%s %s"):format(coordinate(x + x1), coordinate(y + y1),
      coordinate(x + x2), coordinate(y + y2))
  end
  if #parts > 0 then
    self:element(('<path d="%s"%s'):format(table.concat(parts), self:class "hatch"))
  end
end

--- Opens a window: what is drawn until `leave` is cut at its edges, in the same coordinates.
---@param left number
---@param top number
---@param right number
---@param bottom number
function Canvas:enter(left, top, right, bottom)
  self.out[#self.out + 1] = ('<svg x="%s" y="%s" width="%s" height="%s" viewBox="%s %s %s %s">')
    :format(coordinate(left), coordinate(top), coordinate(right - left), coordinate(bottom - top),
      coordinate(left), coordinate(top), coordinate(right - left), coordinate(bottom - top))
end

function Canvas:leave()
  self.out[#self.out + 1] = "</svg>"
end

---@class tandem.SvgChart
---@field width number
---@field height number
---@field text string  the file
---@field again? fun(): tandem.SvgChart  draws it anew, at another width
local Chart = { __name = "tandem.SvgChart" }
Chart.__index = Chart
Chart.__tostring = function(self) return self.text end

--- Writes the chart; the file is there whole or not at all.
---@param path string
---@return boolean? saved
---@return string? message
function Chart:save(path) return require("tandem.io.outfile").write(path, self.text) end

--- The finished chart.
---@param title string
---@param about string  what the chart shows, for those who cannot see it
---@param scheme? "auto"|"light"|"dark"
---@param notes? string[]  below the chart: what was left out, and why
---@return tandem.SvgChart
function Canvas:finish(title, about, scheme, notes)
  for _, note in ipairs(notes or {}) do
    for _, line in ipairs(styles.wrap(canvas.clean(note), (self.width - 2 * NOTE.margin)
      // (0.56 * NOTE.size))) do
      self:text(NOTE.margin, self.height + 4, line, "note")
      self.height = self.height + NOTE.size + 4
    end
    about = about .. "; " .. note
  end
  local width, height = coordinate(self.width), coordinate(self.height)
  local paper = ('<rect width="%s" height="%s" rx="6"%s/>'):format(width, height,
    self:class "paper")
  local text = table.concat({
    ('<svg xmlns="http://www.w3.org/2000/svg" class="tdm" role="img" width="%s" height="%s" '
      .. 'viewBox="0 0 %s %s">'):format(width, height, width, height),
    ("<title>%s</title>"):format(canvas.escape(title)),
    ("<desc>%s</desc>"):format(canvas.escape(about)),
    ("<style>\n%s\n</style>"):format(theme.sheet(self.used, scheme)),
    paper, table.concat(self.out, "\n"), "</svg>", "",
  }, "\n")
  return setmetatable({ width = self.width, height = self.height, text = text }, Chart)
end

return canvas
