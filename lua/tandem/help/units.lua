--- Help topic: quantities with units.
return require("tandem.help.page")("quantities: numbers with units", [[
A plain number is in SI units: seconds, bytes, bytes/s, FLOP/s, requests/s. Text carries its unit
and is checked against what the key wants:

  times        5ms  2us  30ns  1.5s  2min  1h  1d
  sizes        8MiB  2GB  512KiB  4096B        (Ki Mi Gi Ti are powers of 1024, k M G T of 1000)
  bandwidths   32GB/s  64Gbps  900MB/s
  work, rates  2 TFLOP  180 TFLOP/s
  arrivals     15rps  2krps  90rpm
  per token    0.2ms/tok  120 tok/s
  shares       5%

In Lua, td.si "8MiB" gives the plain number.]])
