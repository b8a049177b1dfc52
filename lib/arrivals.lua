--- Arrival shapes: how a request rate moves, as multiples of its mean, for td.curve. Owns the
-- shapes and what each models; tandem.catalogue scales one to a rate and a length of time.
-- `points` is time, rate, time, rate, …: linear between points, times as fractions of `period_s`,
-- first at 0 and last at 1, and the mean of the curve is 1. `assumed = true` marks a shape chosen
-- for what it models, not measured.

---@class tandem.ArrivalShape
---@field name string
---@field models string    one sentence: what it stands for
---@field how string       the computation that gave the points
---@field period_s number  natural length in seconds
---@field periodic boolean repeats after period_s
---@field assumed boolean
---@field points number[]
---@field sources? table<string, string|tandem.Source>

--- Divides the rates so that the piecewise linear curve has mean 1 over [0, 1].
local function normalised(points)
  local area = 0
  for i = 1, #points - 3, 2 do
    area = area + (points[i + 2] - points[i]) * (points[i + 1] + points[i + 3]) / 2
  end
  local result = {}
  for i = 1, #points, 2 do
    result[i], result[i + 1] = points[i], points[i + 1] / area
  end
  return result
end

--- 1 + swing x cosine, highest at `peak` (a fraction of the period), in 48 pieces.
local function cosine(peak, swing)
  local points = {}
  for i = 0, 48 do
    points[2 * i + 1] = i / 48
    points[2 * i + 2] = 1 + swing * math.cos(2 * math.pi * (i / 48 - peak))
  end
  return normalised(points)
end

--- Requests counted in equal slots: the rate of each slot at its middle, held at both ends.
local function counted(counts)
  local n, points = #counts, { 0, counts[1] }
  for i, c in ipairs(counts) do
    points[#points + 1], points[#points + 2] = (i - 0.5) / n, c
  end
  points[#points + 1], points[#points + 2] = 1, counts[n]
  return normalised(points)
end

--- Calm, a jump to `height` times calm at 1/6 of the time, held for `hold`, then exponential decay.
local function crowd(height, hold, decay)
  local points = { 0, 1, 1 / 6, 1, 1 / 6 + 0.01, height, 1 / 6 + hold, height }
  local from = 1 / 6 + hold
  for i = 1, 20 do
    local t = from + (1 - from) * i / 20
    points[#points + 1] = t
    points[#points + 1] = 1 + (height - 1) * math.exp(-(t - from) / decay)
  end
  points[#points - 1] = 1
  return normalised(points)
end

---@type tandem.ArrivalShape[]
return {
  {
    name = "office-day", period_s = 86400, periodic = true, assumed = true,
    models = "Users of one time zone: busiest at 15:00, a fifth of that at 03:00.",
    how = "1 + 2/3 cos(2 pi (t - 15 h) / 24 h), peak to trough 5 to 1",
    points = cosine(15 / 24, 2 / 3),
  },
  {
    name = "global-day", period_s = 86400, periodic = true, assumed = true,
    models = "Users of many time zones: the day still shows, peak to trough 3 to 2.",
    how = "1 + 1/5 cos(2 pi (t - 15 h) / 24 h)",
    points = cosine(15 / 24, 1 / 5),
  },
  {
    name = "week", period_s = 7 * 86400, periodic = true, assumed = true,
    models = "Five working days, then a weekend at four tenths; the shape of a day left out.",
    how = "1 from Monday to Friday, 0.4 on Saturday and Sunday, one hour between the levels",
    points = normalised { 0, 0.4, 1 / 168, 1, 5 / 7, 1, 5 / 7 + 1 / 168, 0.4, 1, 0.4 },
  },
  {
    name = "flash-crowd", period_s = 3600, periodic = false, assumed = true,
    models = "A link is shared: ten times the load within 36 s, held 5 min, then forgotten.",
    how = "1, from t = 10 min up to 10, held to 15 min, then 1 + 9 exp(-t / 6 min)",
    points = crowd(10, 1 / 12, 0.1),
  },
  {
    name = "retry-storm", period_s = 600, periodic = false, assumed = true,
    models = "A dependency comes back, all clients at once: five times the load for a moment.",
    how = "1, from t = 100 s up to 5, held 20 s, then 1 + 4 exp(-t / 20 s)",
    points = crowd(5, 1 / 30, 1 / 30),
  },
  {
    name = "ramp", period_s = 3600, periodic = false, assumed = true,
    models = "A roll-out, or a load test looking for the knee: from nothing to twice the mean.",
    how = "linear from 0 to 2", points = { 0, 0, 1, 2 },
  },
  {
    name = "nightly-batch", period_s = 86400, periodic = true, assumed = true,
    models = "Jobs started by the clock: ten times the quiet rate between 01:00 and 03:00.",
    how = "1; 10 from 01:00 to 03:00, five minutes between the levels",
    points = normalised {
      0, 1, 1 / 24, 1, 1 / 24 + 5 / 1440, 10, 3 / 24, 10, 3 / 24 + 5 / 1440, 1, 1, 1,
    },
  },
  {
    name = "azure-chat-hour", period_s = 3300, periodic = false, assumed = false,
    models = "55 minutes of a production chat service: a smooth hump, 1.7 times from low to high.",
    how = "requests of AzureLLMInferenceTrace_conv.csv counted in slots of 300 s from its first "
      .. "request (18:15:46), 11 full slots; 19,366 requests in 3,502 s, gaps' cv 1.09",
    points = counted { 1445, 1422, 1557, 1561, 1884, 2239, 2229, 1839, 1701, 1424, 1297 },
    sources = { points = "azure_llm_2023" },
  },
  {
    name = "azure-code-hour", period_s = 3420, periodic = false, assumed = false,
    models = "57 minutes of a production code service: bursts of minutes, silence between.",
    how = "requests of AzureLLMInferenceTrace_code.csv counted in slots of 60 s from its first "
      .. "request (18:17:03), 57 full slots; 8,819 requests in 3,436 s, gaps' cv 13.2",
    points = counted {
      63, 0, 0, 531, 187, 130, 15, 42, 38, 476, 421, 63, 0, 0, 632, 299, 0, 20, 396, 315, 116, 78,
      306, 447, 252, 34, 128, 111, 406, 234, 118, 169, 130, 306, 158, 0, 339, 55, 285, 191, 0, 28,
      205, 245, 99, 0, 0, 32, 0, 0, 0, 97, 212, 22, 32, 113, 47,
    },
    sources = { points = "azure_llm_2023" },
  },
}
