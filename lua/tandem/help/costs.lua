--- Help topic: costs of one's own.
return require("tandem.help.page")("how long a step takes: functions of the request", [[
A cost may be a number (SI seconds, or bytes for a transfer), a text with a unit, a distribution, or
a Lua function of the request r that returns a number:

  td.stage "decode" { on = "gpu", batch = { max = 64, wait = "2ms" }, cost = function(r)
    return td.max(2 * P * r.batch * r.tokens / r.gpu.flops, 2 * P / r.gpu.bandwidth) + 5e-6
  end }

  r.tokens, r.anything   attributes of the request: attrs = { tokens = 128 } in the scenario, a
                         column of a replayed trace. In a batch: the largest among its members
  r.sum.tokens           in a batch: the sum over its members
  r.batch                members of the batch, 1 when there is none
  r.gpu.flops, …         figures of the GPU the request is on (tandem list gpus)

Plain arithmetic and td.max, td.min, td.exp, td.log, td.sqrt, td.abs, td.floor, td.ceil, td.pow,
td.mod, td.select and td.interp are followed once, at load, and then run in C. So is a distribution
in the arithmetic: td.exponential "2ms" * r.tokens. A function that branches on the request (if
r.tokens > 100) is called for each request instead, which is slower and gives the same kind of
answer; td.select(condition, a, b) with td.lt, td.le and td.eq says the same without branching.

In JSON and on the command line a cost may be written as text: "2e-6 * r.tokens".

  tandem explain FILE    shows what each step costs, and which costs stay functions]])
