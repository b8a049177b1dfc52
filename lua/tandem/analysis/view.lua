--- A run seen through a filter: what its analyses share while it is open.
--
-- Owns core.view and one view a run and filter, kept with the run, so that what one analysis has
-- loaded the next one finds. Called by analysis.ask, by reports and by analyses made of others.
local options = require "tandem.analysis.options"

local view = {}

---@class tandem.View
---@field run tandem.Run
---@field filter tandem.AnalysisFilter
---@field private core userdata
---@field private placed tandem.Times|false|nil
---@field alone boolean|nil
local View = { __name = "tandem.View" }
View.__index = View

local KEYS <const> = { "range", "nvtx", "device", "stream", "process", "thread", "rank" }

local function key_of(filter)
  local parts = {}
  for i, name in ipairs(KEYS) do parts[i] = tostring(filter[name] or "") end
  return table.concat(parts, "\0")
end

--- The run's views, by filter; they go when nobody needs them.
local views = setmetatable({}, { __mode = "k" })

--- Whether the view of a run through a filter is open: somebody may hold what was made of it.
---@param run tandem.Run
---@param filter tandem.AnalysisFilter
---@return boolean
function view.is_open(run, filter)
  return views[run] ~= nil and views[run].key == key_of(filter)
end

--- The view of a run through a filter.
---@param run tandem.Run
---@param filter? tandem.AnalysisFilter
---@return tandem.View|nil
---@return string|nil message
---@return integer|nil code
function view.of(run, filter)
  filter = filter or {}
  local key = key_of(filter)
  local known = views[run]
  if known and known.key == key then return known.view end
  local wanted, message = options.view_filter(run, filter)
  if not wanted then return nil, message, 2 end
  local core, why, code = require("tandem.core").view(run.store.path, run.number, wanted)
  if not core then return nil, why, code end
  local made = setmetatable({ run = run, filter = filter, core = core }, View)
  views[run] = { key = key, view = made }
  return made
end

-- An answer without rows.
local function abstaining(description, why)
  local frames = {}
  for name in pairs(description.frames) do
    frames[#frames + 1] = { name = name, columns = {}, rows = {} }
  end
  table.sort(frames, function(a, b) return a.name < b.name end)
  return { frames = frames, basis = {}, cannot = { why } }
end

--- Asks an analysis. What it cannot answer is in the answer; nil when the world failed.
---@param name string
---@param chosen? table<string, any>
---@return tandem.Answer|nil
---@return string|nil message
---@return integer|nil code
function View:ask(name, chosen)
  local description = require("tandem.analysis").named(name)
  local raw, message, code
  local times = self:times()
  if times and times.none then
    raw = abstaining(description, require("tandem.store.times").CANNOT)
  elseif description.answer then
    raw, message, code = description.answer(self, chosen or {})
  else
    raw, message, code = self:count(name, chosen)
  end
  if not raw then return nil, message, code end
  if times and not times.none then
    raw.basis = raw.basis or {}
    table.insert(raw.basis, times.note)
  end
  return require("tandem.analysis.answer").new(name, description, self, raw)
end

--- Where the run's times come from, looked at once; nil: they were recorded.
---@private
---@return tandem.Times|nil
function View:times()
  if self.placed == nil then self.placed = require("tandem.store.times").of(self.run) or false end
  return self.placed or nil
end

--- What C counts, as it comes: { frames = { { name, columns, rows } }, basis, cannot }.
---@param name string  of src/analysis/analysis.h
---@param chosen? table<string, any>
---@return table|nil
---@return string|nil message
---@return integer|nil code
function View:count(name, chosen)
  return self.core:answer(name, chosen or {})
end

-- Tables that are kept all the same: reading them again costs more than they do.
local KEPT_BYTES <const> = 128 << 20

--- Between analyses of which the next wants much memory and little of what was loaded before:
--- forgets that. Only of a view that `alone` says nobody made visits or an overlay of.
---@param most_bytes? integer  tables that take no more are kept
function View:trim(most_bytes)
  if self.alone then self.core:trim(most_bytes or KEPT_BYTES) end
end

--- Closes its connection; twice is fine.
function View:close()
  self.core:close()
  if views[self.run] and views[self.run].view == self then views[self.run] = nil end
end

View.__close = View.close

return view
