--- Captures of tests/data in a store, and what other tools answer on them.
local store_fixture = require "tests.spec.support.store_fixture"
local td = require "tandem"

local fixture = {}

---@class tests.AnalysisFixture
---@field stores tests.StoreFixture
---@field store tandem.Store
local Fixture = {}
Fixture.__index = Fixture

--- A store with these files of tests/data in it, a run each, under the names of the files.
---@param ... string  "nsys/h100_2gpu_1s.sqlite.gz"
---@return tests.AnalysisFixture
function fixture.new(...)
  local stores = store_fixture.new()
  for _, file in ipairs { ... } do
    local _, err, code = stores:tandem("import", "tests/data/" .. file)
    assert(code == 0, err)
  end
  local store = assert(td.store(stores:path "a.db"))
  return setmetatable({ stores = stores, store = store }, Fixture)
end

--- The run of a file.
---@param file string
---@return tandem.Run
function Fixture:run(file)
  local name = file:match "[^/]+$"
  local row = assert(self.store.db:one("SELECT id FROM run WHERE name = ?", name), name)
  return assert(self.store:run(row.id))
end

function Fixture:remove()
  self.store:close()
  self.stores:remove()
end

--- The lines of a gzipped file of tests/data/expected.
---@param file string  "nsys/s_cuda_gpu_kern_sum.csv"
---@return string[]
function fixture.expected_lines(file)
  local pipe = assert(io.popen("gzip -dc tests/data/expected/" .. file .. ".gz"))
  local lines = {}
  for line in pipe:lines() do lines[#lines + 1] = line end
  assert(pipe:close(), file)
  return lines
end

local function cells_of(line)
  local cells, at = {}, 1
  while at <= #line + 1 do
    if line:sub(at, at) == '"' then
      local stop = at
      repeat stop = assert(line:find('"', stop + 1, true)) + 1 until line:sub(stop, stop) ~= '"'
      cells[#cells + 1] = line:sub(at + 1, stop - 2):gsub('""', '"')
      at = stop + 1
    else
      local stop = line:find(",", at, true) or #line + 1
      cells[#cells + 1] = line:sub(at, stop - 1)
      at = stop + 1
    end
  end
  return cells
end

--- Its rows as tables by the titles of the first line; all values are texts.
---@param file string
---@return table<string, string>[]
function fixture.expected(file)
  local lines = fixture.expected_lines(file)
  local titles, rows = cells_of(lines[1]), {}
  for i = 2, #lines do
    local row = {}
    for k, cell in ipairs(cells_of(lines[i])) do row[titles[k]] = cell end
    rows[#rows + 1] = row
  end
  return rows
end

--- Whether a number is what another tool printed, as exactly as it printed it.
---@param wanted string  "1842.5"; "" where there is none
---@param got number|nil
---@param what? string
function fixture.same_number(wanted, got, what)
  if wanted == "" then
    assert(got == nil, what)
    return
  end
  local decimals = #(wanted:match "%.(%d+)$" or "")
  local off = math.abs(assert(got, what) - tonumber(wanted))
  if off > 0.5 * 10 ^ -decimals + 1e-9 * math.abs(got) * (decimals > 0 and 1e-3 or 0) then
    error(("%s: %s printed, %.17g counted"):format(what or "a number", wanted, got), 2)
  end
end

return fixture
