--- The prices of a scenario: what a GPU, a CPU worker or a pool's server costs an hour.
-- Owns the keys and what becomes of them: by name, lists of tandem.Price. Amounts and names are
-- scenario/prices', files scenario/price_file's. Registered by language/scenario.
local check = require "tandem.check"
local nearest = require "tandem.text.nearest"
local node = require "tandem.language.node"
local prices = require "tandem.scenario.prices"
local kinds = check.kinds

local quantity = require("tandem.language.keys").quantity

local language = {}

node.types.price = { type = "price", group = "record", positional = { "price" },
  order = { "price", "per", "source" },
  keys = { price = { kind = "hourly", required = true, words = "\"2$/h\"" },
    per = quantity("1", { integer = true, min = 1, max = 100000, default = 1 }),
    source = { kind = "string" } },
  finish = function(_, c)
    return { usd_per_hour = c.price, per = c.per, source = c.source }
  end }

function kinds.hourly(ctx, v, _, key)
  local usd, wrong = prices.hourly(v)
  if not usd then ctx:problem(key, wrong) end
  return usd
end

-- One price, or a list of offers: { { "3$/h" }, { "20$/h", per = 8 } }.
function kinds.offers(ctx, v, _, key)
  local list = type(v) == "table" and #v > 0 and type(v[1]) == "table" and v or nil
  if list and list[1].usd_per_hour then return list end -- of a file that was read
  if type(v) ~= "table" then
    local usd = kinds.hourly(ctx, v, nil, key)
    return usd and { { usd_per_hour = usd, per = 1 } } or nil
  end
  local out = {}
  if list then ctx:push(key, v) end
  for i, one in ipairs(list or { v }) do
    if type(one) == "table" and getmetatable(one) == nil and one[1] ~= nil then
      local copy = node.copy(one)
      copy.price, copy[1] = copy.price or one[1], nil
      one = copy
    end
    out[i] = kinds.record(ctx, one, { of = "price" }, list and i or key)
  end
  if list then ctx:pop() end
  for i = 1, #(list or { v }) do
    if not out[i] or not out[i].usd_per_hour then return nil end -- which was told
  end
  return out
end

-- The text that was read last, and what it says: variants of a scenario read the same file.
local last = {}

local function read_file(ctx, file, offers)
  local beside = require "tandem.sandbox.beside"
  local text, wrong = beside.text(file, ctx.directory)
  if not text then return nil, wrong end
  if last.text ~= text or last.offers ~= offers or last.file ~= file then
    local price_file = require "tandem.scenario.price_file"
    local read, why = price_file.read(text, file, price_file.words(offers))
    if not read then return nil, why end
    last = { text = text, file = file, offers = offers, read = read }
  end
  return last.read
end

node.types.prices = { type = "prices", group = "record", order = { "file", "offers" },
  pattern = {
    match = function(key) return #key > 0 end, example = "L4",
    words = "a GPU, cpu or a pool: its price, { price, per = N }, or a list of these",
    spec = { kind = "offers" } },
  keys = { file = { kind = "string" }, offers = { kind = "string" } },
  finish = function(ctx, c)
    local out, written = {}, {}
    if c.file then
      local listed, wrong = read_file(ctx, c.file, c.offers)
      if not listed then return ctx:problem("file", wrong) end
      for name, list in pairs(listed) do out[name] = list end
    elseif c.offers then
      return ctx:problem("offers", "goes with file")
    end
    for _, name in ipairs(nearest.sorted_keys(c)) do
      local list = c[name]
      if type(list) == "table" then
        local canonical = prices.canonical(name)
        if written[canonical] then
          return ctx:problem(name, ("is priced twice, also as '%s'"):format(written[canonical]))
        end
        out[canonical], written[canonical] = list, name
      end
    end
    return out
  end }

--- Gives the GPUs of a checked target what the scenario's prices say.
---@param list table<string, tandem.Price[]>|nil
---@param target table|nil
function language.settle(list, target)
  for _, gpu in ipairs(list and target and (target.type == "gpu" and { target } or target.gpus)
    or {}) do
    local found = gpu.name and list[prices.canonical(gpu.name)]
    if found then gpu.price = prices.share(found) / 3600 end
  end
end

return language
