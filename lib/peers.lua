--- What GPUs without links of their own get from each other over PCIe, as measured in whole hosts:
-- switches, root complexes and NUMA are in it, so it is the host's as much as the card's.
-- Owns these numbers. Cards name one of them as their `peer` (lib/gpus.lua); a scenario says what
-- its own host does with peer_bandwidth and peer_latency of td.gpu. Read by tandem.catalogue.
--
-- An entry holds
--   measured_on   the card, and what is known of the host
--   bandwidth     bytes/s each way that large all-reduces of two GPUs get
--   latency_s     what the smallest of them takes
--   all_reduces   flat, by number of GPUs: bytes, microseconds
--   source        key in lib/sources.lua

---@class tandem.Peer
---@field measured_on string
---@field bandwidth number
---@field latency_s number
---@field all_reduces? table<integer, number[]>
---@field source string

---@type table<string, tandem.Peer>
return {
  -- 16 MiB in 892 us: n/2 · 2(n - 1)/n of the bytes a GPU and direction. Beyond two GPUs what comes
  -- between them rules: 3.8 GB/s each of four, 1.9 of eight.
  ["PCIe 4.0, 8 L40S"] = {
    measured_on = "8 L40S", bandwidth = 18.8e9, latency_s = 5.4e-6, source = "collectives_l40s",
    all_reduces = {
      [2] = { 256, 5.402, 4096, 5.583, 16384, 6.222, 32768, 7.407, 65536, 9.861, 131072, 10.99,
        262144, 18.05, 524288, 32.1, 1048576, 60.25, 2097152, 116.8, 4194304, 229.4, 8388608, 449.9,
        16777216, 891.9, 67108864, 3542 },
      [4] = { 256, 13.29, 4096, 14.09, 16384, 17.51, 32768, 26.02, 65536, 36.92, 131072, 59.63,
        262144, 115.6, 524288, 219, 1048576, 360.6, 2097152, 840.8, 4194304, 1649, 8388608, 3322,
        16777216, 6676, 67108864, 27240 },
      [8] = { 256, 24.99, 4096, 26.73, 16384, 27.37, 32768, 48.36, 65536, 72.89, 131072, 108.4,
        262144, 207.1, 524288, 444.5, 1048576, 582.6, 2097152, 2080, 4194304, 4014, 8388608, 8168,
        16777216, 15810, 67108864, 60070 },
    },
  },
  -- 16 MiB in 475 us; 28 GB/s each of four, 23 of eight.
  ["PCIe 5.0, 8 RTX PRO 6000 Server"] = {
    measured_on = "8 RTX PRO 6000 Server", bandwidth = 35.3e9, latency_s = 4.3e-6,
    source = "collectives_rtxpro6000s",
    all_reduces = {
      [2] = { 256, 4.266, 4096, 4.532, 16384, 5.056, 32768, 5.371, 65536, 6.187, 131072, 8.18,
        262144, 11.12, 524288, 17.62, 1048576, 30.15, 2097152, 55.69, 4194304, 106, 8388608,
        244.5, 16777216, 474.9, 67108864, 1844 },
      [4] = { 256, 12.64, 4096, 12.67, 16384, 14.85, 32768, 15.76, 65536, 16.95, 131072, 25, 262144,
        57.33, 524288, 76.45, 1048576, 87.66, 2097152, 145.8, 4194304, 246.9, 8388608, 462,
        16777216, 886.9, 67108864, 3556 },
      [8] = { 256, 23.6, 4096, 25.95, 16384, 27.53, 32768, 29.79, 65536, 31.19, 131072, 49.45,
        262144, 84.34, 524288, 156.3, 1048576, 133.5, 2097152, 222.6, 4194304, 346.9, 8388608,
        674.6, 16777216, 1274, 67108864, 5068 },
    },
  },
  -- Copies go through the host's memory.
  ["PCIe 5.0, 2 RTX PRO 6000 without peer access"] = {
    measured_on = "two RTX PRO 6000 without peer access", bandwidth = 16e9, latency_s = 20e-6,
    source = "collectives_rtxpro6000",
  },
}
