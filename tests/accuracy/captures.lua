-- Every real capture, the whole way: import, map, fit on one half, predict the other half, simulate
-- it, lay one over the other. The bar: the mean of each stage and gap of which a capture has at
-- least 100 visits, and of the total, is predicted within 5 %, or the report names the cause.
--
-- Captures are those of tests/data and, where it is there, ../shared/data. Maps are the best
-- proposal, proposals with many requests, and those of maps.lua.

local format = require "tandem.text.format"
local maps = require "tests.accuracy.maps"
local store_fixture = require "tests.spec.support.store_fixture"
local td = require "tandem"

local captures = {}

local FOLDERS <const> = { "tests/data/nsys", "tests/data/kineto", "tests/data/cuda_api",
  "../shared/data/nsys", "../shared/data/kineto", "../shared/data/kineto_2021",
  "../shared/data/ebpf_jsonl" }
local MANY <const> = 100
local KERNELS <const> = 12
local LINE <const> = "  %-38.38s %7s %7s %10s %10s %9s %8s  %s"

local function short(path) return (path:match("[^/]+$"):gsub("%.gz$", "")) end

-- The captures' paths, each name once.
local function files()
  local list, seen = {}, {}
  for _, folder in ipairs(FOLDERS) do
    local pipe = assert(io.popen(("ls '%s' 2>/dev/null"):format(folder)))
    for name in pipe:lines() do
      local is_capture = name:find "%.sqlite" or name:find "%.json" or name:find "%.h5"
      if is_capture and not seen[short(name)] then
        seen[short(name)] = true
        list[#list + 1] = folder .. "/" .. name
      end
    end
    pipe:close()
  end
  return list
end

-- A map in which each kernel is a request, and each name that is launched often a stage.
local function by_kernel(run)
  local answer, stages, names = run:kernels(), {}, {}
  for _, row in ipairs(answer and answer.frames[1].table.rows or {}) do
    local name = require("tandem.page.answer").short(row.name or row.kernel)
    if row.count >= MANY and #stages < KERNELS and not names[name] then
      names[name] = true
      stages[#stages + 1] = { name, kernel = row.name or row.kernel }
    end
  end
  return #stages > 0 and td.map { request = { starts = { kernel = "*" }, each = "stream" },
    stages = stages } or nil
end

-- Maps that are tried on a run: { why, visits }.
local function mapped(run)
  local list, seen = {}, {}
  local function try(why, visits, first)
    local hash = visits and visits.map:hash()
    if not visits or seen[hash] or not first and visits.count < MANY then return end
    seen[hash] = true
    list[#list + 1] = { why = why, visits = visits }
  end
  local proposals, message = td.map.propose(run, { limit = 6 })
  for i, one in ipairs(proposals or {}) do try(one.why, one.visits, i == 1) end
  for _, one in ipairs(maps) do
    if run.name:find(one[1], 1, true) then try(one[2], (run:visits(one[3]))) end
  end
  local kernels = by_kernel(run)
  if kernels then try("kernels by their names", (run:visits(kernels))) end
  return list, message
end

local function error_words(row)
  local half = row.half and (" ±%.1f"):format(100 * row.half) or ""
  return ("%+.1f"):format(100 * row.error), half
end

-- Prints one row; whether it holds to the bar.
local function put(row)
  local error, half = error_words(row)
  local verdict = row.cause or row.half and row.half > 0.05 and "within 5 %, not surely"
    or "within 5 %"
  print(LINE:format(row.stage, format.integer(row.visits + row.fitted), format.integer(row.visits),
    format.time(row.predicted), format.time(row.observed), error .. " %", half, verdict))
  return row.within or row.cause ~= nil
end

local tally

local function put_fit(one)
  local fit, message = td.fit { real = one.visits }
  if not fit then
    print(("  %s"):format(message))
    return true
  end
  if fit.hold.count == 0 then
    print "  one request: there is no other to predict"
    return true
  end
  local good = true
  for _, row in ipairs(fit.rows) do
    good = put(row) and good
    if row.visits + row.fitted >= MANY then
      local key = row.within and "within" or "caused"
      tally[key] = tally[key] + 1
    end
  end
  local laid, why = fit:overlay()
  if not laid then
    print("  no overlay: " .. tostring(why))
    return good
  end
  local words = {}
  for _, lane in ipairs(laid:frame "lanes".rows) do
    if lane.alike then
      words[#words + 1] = ("%s %s"):format(lane.lane, format.percent(lane.alike))
    end
  end
  print("  overlay of what was held out, alike: " .. table.concat(words, ", "))
  return good
end

local function put_run(run)
  local list, message = mapped(run)
  if #list == 0 then print(("%s: no map: %s\n"):format(run.name, message)) end
  local good = true
  for _, one in ipairs(list) do
    print(("%s: %s: %s"):format(run.name, one.why, format.plural(one.visits.count, "request")))
    print(LINE:format("", "visits", "held", "predicted", "measured", "error", "", ""))
    good = put_fit(one) and good
    print ""
  end
  return good
end

--- Prints the table; false when a stage with enough visits is off without a cause.
---@return boolean
function captures.run()
  local stores, good = store_fixture.new(), true
  tally = { within = 0, caused = 0 }
  local path = stores:path "a.db"
  for _, file in ipairs(files()) do
    local _, err, code = stores:tandem("import", file, "--name", short(file))
    if code ~= 0 then print(("%s: %s"):format(short(file), err)) end
  end
  local store <close> = assert(td.store(path, { readonly = true }))
  for _, row in ipairs(store:runs().rows) do good = put_run(assert(store:run(row.id))) and good end
  stores:remove()
  print(("of the stages, gaps and totals with %d visits or more, %d are predicted within 5 %%, %d "
    .. "miss it with a cause"):format(MANY, tally.within, tally.caused))
  return good
end

return captures
