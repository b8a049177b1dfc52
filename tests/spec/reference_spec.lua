-- The reference page (tandem doc): every name has its place, every link an end.

local cli = require "tandem.cli"
local help = require "tandem.help"
local node = require "tandem.language.node"
local public = require "tandem.help.public"
local reference = require "tandem.page.reference"

local function unescaped(text)
  return (text:gsub("&lt;", "<"):gsub("&gt;", ">"):gsub("&quot;", '"'):gsub("&#39;", "'")
    :gsub("&amp;", "&"))
end

describe("the reference page", function()
  local text, ids, links
  setup(function()
    text, ids, links = reference.of(), {}, {}
    for id in text:gmatch '[%s]id="([^"]*)"' do
      id = unescaped(id)
      ids[id] = (ids[id] or 0) + 1
    end
    for target in text:gmatch 'href="#([^"]*)"' do links[unescaped(target)] = true end
  end)

  it("has a place for every command, constructor, function, method, class and topic", function()
    local count = 0
    local function placed(id)
      assert.is_truthy(ids[id], id)
      count = count + 1
    end
    for _, name in ipairs(cli.commands) do placed("command-" .. name) end
    for _, word in ipairs(public.constructors()) do placed("td." .. word) end
    for _, one in ipairs(public.names()) do placed(one.name) end
    for _, class in ipairs(public.classes()) do placed(class.name) end
    for _, name in ipairs(help.topics()) do placed("topic-" .. name) end
    placed "metrics"
    placed "keys-slo"
    assert.is_true(count >= 480, count)
  end)

  it("has each place once, and no link to nowhere", function()
    for id, count in pairs(ids) do assert.equal(1, count, id) end
    local count = 0
    for target in pairs(links) do
      assert.is_truthy(ids[target], target)
      count = count + 1
    end
    assert.is_true(count >= 480, count)
  end)

  it("has every option of every command, and every key of every constructor", function()
    for _, name in ipairs(cli.commands) do
      local from = text:find(('id="command-%s"'):format(name), 1, true)
      local own = unescaped(text:sub(from, text:find("</article>", from, true)))
      for _, option in ipairs(cli.command(name).options or {}) do
        assert.is_truthy(own:find((option[1]:gsub("%s+", ", ")), 1, true), name .. option[1])
      end
    end
    for _, word in ipairs(public.constructors()) do
      local from = text:find(('id="td.%s"'):format(word), 1, true)
      local own = text:sub(from, text:find("</article>", from, true))
      for key in pairs(node.types[word].keys) do
        assert.is_truthy(own:find(("<code>%s</code>"):format(key), 1, true), word .. "." .. key)
      end
    end
  end)

  it("says each time the same, and needs nothing from outside", function()
    assert.equal(text, reference.of())
    assert.is_nil(text:find '<script[^>]-src=' or text:find '<link[^>]-href="http')
    assert.is_nil(text:find("?tandem", 1, true)) -- lines of examples stay lines
  end)
end)
