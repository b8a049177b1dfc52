-- Numbers as a person reads them.
local format = require "tandem.text.format"

local function est(value, half)
  return { value = value, half = half }
end

describe("format", function()
  it("chooses the unit and three digits", function()
    local cases = {
      { 0.0123, "time", "12.3 ms" }, { 1.5e-6, "time", "1.50 µs" }, { 3e-9, "time", "3 ns" },
      { 12.345, "time", "12.3 s" }, { 7200, "time", "2 h" }, { 0, "time", "0 s" },
      { 0.25, "time", "250 ms" }, { 2, "rate", "2 /s" }, { 123456789, "rate", "123 M/s" },
      { 8 * 1024 * 1024, "bytes", "8 MiB" }, { 864e9, "speed", "864 GB/s" },
      { 181.05e12, "flops", "181 TFLOP/s" }, { 1234567, "count", "1,234,567" },
      { 0.5, "percent", "50 %" }, { 1.44, "percent", "144 %" }, { 3.5, "money", "$3.50" },
    }
    for _, case in ipairs(cases) do
      assert.equal(case[3], format.quantity(case[1], case[2]))
    end
  end)

  it("groups the digits of thousands, whatever the unit", function()
    local cases = { { 1759.4, "count", "1,759" }, { -1759.4, "count", "-1,759" },
      { 123456.7, "count", "123,457" }, { 9988, "rate", "9,988 /s" }, { 3588, "time", "3,588 s" },
      { 4836852 * 3600, "time", "4,836,852 h" }, { 1023, "bytes", "1,023 B" },
      { 1234.5, "money", "$1,234.50" }, { 123.456, "percent", "12,346 %" },
      { 1000.25, "power", "1,000 W" }, { 999.4, "count", "999" } }
    for _, case in ipairs(cases) do
      assert.equal(case[3], format.quantity(case[1], case[2]))
    end
    assert.equal("2,001 ± 2,408", format.estimate(est(2001, 2408), "count"))
    assert.equal("$12,001.2 ± $1.3", format.estimate(est(12001.23, 1.26), "money"))
    assert.same({ "-2,408.12", "± 0.12" }, { format.estimate_parts(est(-2408.12, 0.12), "count") })
    assert.equal("0", format.integer(-0.4))
    assert.equal("-∞", format.percent(-math.huge))
  end)

  it("takes the next unit when rounding reaches it", function()
    assert.equal("1 s", format.time(0.9996))
    assert.equal("1 ms", format.time(0.00099999))
    assert.equal("999 ms", format.time(0.9994))
  end)

  it("has nothing below the tick of the clock", function()
    assert.equal("0 s", format.time(4e-10))
    assert.equal("0.600 ns", format.time(6e-10))
  end)

  it("gives no sign to a change that rounds to nothing", function()
    assert.equal("0 %", format.change(0))
    assert.equal("0 %", format.change(-1e-13))
    assert.equal("0 %", format.change(1e-13))
    assert.equal("0 %", format.percent(-1e-13))
    assert.equal("-0.01 %", format.change(-1e-4))
    assert.equal("+12 %", format.change(0.12))
  end)

  it("says what is missing or endless", function()
    assert.equal("–", format.time(nil))
    assert.equal("–", format.quantity(0 / 0, "rate"))
    assert.equal("∞", format.quantity(math.huge, "count"))
    assert.equal("∞", format.integer(math.huge))
    assert.equal("–", format.percent(nil))
    assert.equal("–", format.estimate(nil, "time"))
  end)

  it("shows more digits of a percentage near 0 and near 1", function()
    assert.equal("99.96 %", format.percent(0.9996))
    assert.equal("0.03 %", format.percent(0.0003))
    assert.equal("100 %", format.percent(1))
    assert.equal("0 %", format.percent(0))
    assert.equal("12.3 %", format.percent(0.1234))
  end)

  it("gives a value as many decimals as its half-width supports", function()
    assert.equal("42.31 ± 0.12 ms", format.estimate(est(0.04231, 0.00012), "time"))
    assert.equal("250 ± 14 ms", format.estimate(est(0.25, 0.014), "time"))
    assert.equal("0 ± 7 %", format.estimate(est(-0.002, 0.07), "percent"))
    assert.equal("42.3 ± 0.4 ms", format.estimate(est(0.04231, 0.0004), "time"))
    assert.equal("42.3 ms", format.estimate(est(0.04231), "time"))
    assert.equal("42.3 ms", format.estimate(est(0.04231, 0), "time"))
    assert.equal("1.00 ± 0.20 /s", format.estimate(est(1, 0.2), "rate"))
    assert.equal("93.4 ± 1.2 %", format.estimate(est(0.934, 0.012), "percent"))
  end)

  it("does not print the digits of next to nothing", function()
    assert.equal("< 0.0001", format.estimate(est(1.7e-6, 3.5e-6), "count"))
    assert.equal("0", format.estimate(est(0, 0), "count"))
    assert.equal("0.00063 ± 0.00005", format.estimate(est(0.00063, 0.00005), "count"))
  end)

  it("takes the unit of the larger of value and half-width", function()
    assert.equal("0.1 ± 2.0 ms", format.estimate(est(0.0001, 0.002), "time"))
  end)

  it("writes lists and counts in words", function()
    assert.equal("1 request", format.plural(1, "request"))
    assert.equal("1,960 requests", format.plural(1960, "request"))
    assert.equal("2 queries", format.plural(2, "query", "queries"))
    assert.equal("", format.list {})
    assert.equal("a", format.list { "a" })
    assert.equal("a, b and c", format.list { "a", "b", "c" })
    assert.equal("a or b", format.list({ "a", "b" }, "or"))
  end)

  it("binds numbers to their units", function()
    assert.equal("it takes 5\u{a0}ms, then 3 turns at 4.5\u{a0}/s.",
      format.bind "it takes 5 ms, then 3 turns at 4.5 /s.")
    local styles = require "tandem.plot.style"
    assert.same({ "it takes", "5 ms" }, styles.wrap(format.bind "it takes 5 ms", 10))
  end)

  it("groups digits without losing the sign", function()
    assert.equal("-1,234", format.integer(-1234))
    assert.equal("999", format.integer(999))
    assert.equal("0", format.integer(-0.2))
  end)
end)
