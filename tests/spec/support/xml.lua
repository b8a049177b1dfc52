-- Reads SVG in specs: a small strict parser of XML, and what holds for every chart.
local assert = require "luassert"

local xml = {}

--- Elements with attributes and text; errors on anything not well formed.
function xml.parse(text)
  local root = { name = "", children = {}, text = "" }
  local stack, at = { root }, 1
  local function entities(value)
    assert(not value:find "<", "a bare <")
    local rest = value:gsub("&%a+;", function(name)
      return assert(({ ["&amp;"] = "+", ["&lt;"] = "+", ["&gt;"] = "+", ["&quot;"] = "+" })[name],
        name)
    end)
    assert(not rest:find "&", "a bare &")
    return (value:gsub("&(%a+);", { amp = "&", lt = "<", gt = ">", quot = '"' }))
  end
  while at <= #text do
    local open = text:find("<", at, true) or #text + 1
    stack[#stack].text = stack[#stack].text .. entities(text:sub(at, open - 1))
    if open > #text then break end
    local close = assert(text:find(">", open, true), "an open tag")
    local tag = text:sub(open + 1, close - 1)
    if tag:sub(1, 1) == "/" then
      assert(tag:sub(2) == stack[#stack].name, "closes " .. tag .. " in " .. stack[#stack].name)
      stack[#stack] = nil
    else
      local empty = tag:sub(-1) == "/"
      if empty then tag = tag:sub(1, -2) end
      local name, rest = tag:match "^(%a+)(.*)$"
      local element = { name = name, children = {}, text = "", attributes = {} }
      while rest ~= "" do
        local key, value, after = rest:match '^ (%a[%w:%-]*)="([^"]*)"(.*)$'
        assert(key, "bad attributes: " .. rest)
        assert(element.attributes[key] == nil, "twice: " .. key)
        element.attributes[key], rest = entities(value), after
      end
      table.insert(stack[#stack].children, element)
      if not empty then stack[#stack + 1] = element end
    end
    at = close + 1
  end
  assert(#stack == 1, "not closed: " .. stack[#stack].name)
  assert(#root.children == 1 and root.text:match "^%s*$", "one element at the top")
  return root.children[1]
end

--- Every element below with a class (all of them without one).
function xml.all(element, class, name, found)
  found = found or {}
  for _, child in ipairs(element.children) do
    local classes = " " .. (child.attributes.class or "") .. " "
    if (not class or classes:find(" " .. class .. " ", 1, true))
      and (not name or child.name == name) then
      found[#found + 1] = child
    end
    xml.all(child, class, name, found)
  end
  return found
end

function xml.texts(element, class)
  local found = {}
  for index, child in ipairs(xml.all(element, class, "text")) do found[index] = child.text end
  return found
end

--- Parses a chart and checks what holds for every chart.
function xml.drawn(chart)
  local text = tostring(chart)
  local root = xml.parse(text)
  local width, height = tonumber(root.attributes.width), tonumber(root.attributes.height)
  assert.equal("svg", root.name)
  assert.equal("http://www.w3.org/2000/svg", root.attributes.xmlns)
  assert.equal("title", root.children[1].name)
  for _, element in ipairs(xml.all(root)) do
    for key, value in pairs(element.attributes) do
      if key ~= "class" and key ~= "xmlns" then
        assert.is_nil(value:find "nan", key)
        assert.is_nil(value:find "inf", key)
        assert.is_nil(value:find "e[+-]", key)
      end
    end
    if element.name == "text" then
      assert.is_nil(element.text:find "nan")
      local x, y = tonumber(element.attributes.x), tonumber(element.attributes.y)
      assert.is_true(x >= 0 and x <= width, element.text)
      assert.is_true(y >= 0 and y <= height, element.text)
    elseif element.name == "rect" then
      assert.is_true(tonumber(element.attributes.width) >= 0)
      assert.is_true(tonumber(element.attributes.height) >= 0)
    end
  end
  assert.is_nil(text:find "<script")
  assert.is_nil(text:find "@import")
  assert.is_nil(text:find "url%(")
  return root
end

return xml
