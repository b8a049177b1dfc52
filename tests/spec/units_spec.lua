-- Quantities: what people write, what it means in SI, and what is refused.

local units = require "tandem.units"

describe("units.parse", function()
  it("reads every dimension", function()
    for text, wanted in pairs {
      ["5ms"] = { 0.005, "s" }, ["250 us"] = { 0.00025, "s" }, ["250µs"] = { 0.00025, "s" },
      ["1h"] = { 3600, "s" }, ["2.5min"] = { 150, "s" }, ["1d"] = { 86400, "s" },
      ["8MiB"] = { 8388608, "B" }, ["8MB"] = { 8e6, "B" }, ["1kB"] = { 1000, "B" },
      ["32GB/s"] = { 32e9, "B/s" }, ["100Gbit/s"] = { 12.5e9, "B/s" }, ["8Gbps"] = { 1e9, "B/s" },
      ["2 TFLOP/s"] = { 2e12, "FLOP/s" }, ["180TFLOPS"] = { 180e12, "FLOP/s" },
      ["3 GFLOP"] = { 3e9, "FLOP" }, ["15rps"] = { 15, "req/s" }, ["15/s"] = { 15, "req/s" },
      ["900/min"] = { 15, "req/s" }, ["5%"] = { 0.05, "1" }, ["1e6"] = { 1e6, "1" },
      ["1_000"] = { 1000, "1" }, ["0.2ms/token"] = { 0.0002, "s/tok" }, ["-3"] = { -3, "1" },
      ["128 tokens"] = { 128, "tok" }, [".5s"] = { 0.5, "s" }, ["2$/h"] = { 2 / 3600, "$/s" },
    } do
      local value, dim = units.parse(text)
      assert.equal(wanted[1], value, text)
      assert.equal(wanted[2], dim, text)
    end
  end)

  it("is the same number as the decimal it stands for", function()
    for _, n in ipairs { 1, 3, 7, 9, 17, 123, 999 } do
      assert.equal(n / 1e3, (units.parse(n .. "ms")))
      assert.equal(n / 1e6, (units.parse(n .. "us")))
      assert.equal(n / 1e9, (units.parse(n .. "ns")))
    end
  end)

  it("asks what a comma means", function()
    local asked = "'1,800 s': thousands or a decimal? Write \"1800 s\" or \"1.800 s\""
    assert.same({ n = 2, nil, asked }, table.pack(units.parse "1,800 s"))
    assert.same({ n = 2, nil, asked }, table.pack(units.as("1,800 s", "s")))
    assert.same({ n = 2, nil, "'1,234,567': write \"1234567\", without commas" },
      table.pack(units.parse "1,234,567"))
  end)

  it("refuses what it does not know, with the nearest unit", function()
    local value, problem = units.parse "5Gib"
    assert.is_nil(value)
    assert.matches("did you mean 'GiB'", problem, 1, true)
    for _, text in ipairs { "", "ms", "five ms", "5 parsecs", "5ms/", "1.2.3", "0x10", "5 m s" } do
      assert.is_nil((units.parse(text)), text)
    end
  end)
end)

describe("units.as", function()
  it("takes a plain number as SI and refuses another dimension", function()
    assert.equal(5, units.as(5, "s"))
    assert.equal(5, units.as("5", "B"))
    local value, problem = units.as("5ms", "B")
    assert.is_nil(value)
    assert.matches("'5ms' is a time; wanted a size", problem, 1, true)
    assert.is_nil((units.as("5 tokens", "s")))
  end)

  it("asks whether a small b means bits or bytes", function()
    local value, problem = units.parse "6 Mb"
    assert.is_nil(value)
    assert.matches('bits or bytes? Write "6MB" for bytes, "6Mbit" for bits', problem, 1, true)
    assert.equal(125000, (units.parse "1Mbit"))
    assert.equal(125e6, (units.parse "1Gb/s")) -- how networks are told
  end)
end)

describe("units.format", function()
  it("prints what a person would write", function()
    assert.equal("2.5 ms", units.format(0.0025, "s"))
    assert.equal("90 s", units.format(90, "s"))
    assert.equal("1 h", units.format(3600, "s"))
    assert.equal("8 MiB", units.format(8388608, "B"))
    assert.equal("8 MB", units.format(8e6, "B"))
    assert.equal("32 GB/s", units.format(32e9, "B/s"))
    assert.equal("20 rps", units.format(20, "req/s"))
    assert.equal("0 s", units.format(0, "s"))
  end)

  it("is read back to four digits", function()
    for _, dim in ipairs { "s", "B", "B/s", "FLOP", "FLOP/s", "req/s" } do
      for exponent = -6, 13 do
        local value = 1.234 * 10.0 ^ exponent
        local back = units.as(units.format(value, dim), dim)
        assert.is_true(math.abs(back - value) <= 1e-3 * value, units.format(value, dim))
      end
    end
  end)
end)
