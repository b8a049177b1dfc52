local td = require "tandem"

local NAMED <const> = 3

return td.advice "host-work" {
  title = "The host's own work holds the run up",
  looks_for = "work of the host (operators, functions, calls) on the critical path",
  needs = { "runtime|driver|cpu_op|python_function|sample", "kernel|graph|memcpy" },
  threshold = "10%",
  find = function(view, least)
    local counted = view:count("evidence-causes", { nodes = 100 })
    local total_ns, held_ns = counted.run[1].total_ns, 0
    for _, row in ipairs(counted.causes) do
      if row.cause == "host" or row.cause == "launch" then held_ns = held_ns + row.total_ns end
    end
    if held_ns == 0 or held_ns < least * total_ns then return {} end
    local words, rows, thread = {}, {}, nil
    for _, row in ipairs(counted.nodes) do
      if row.cause == "host" then
        thread = thread or row.thread
        rows[#rows + 1] = { what = row.name, where = row.thread, start_ns = row.start_ns,
          dur_ns = row.total_ns, count = row.count }
        if #words < NAMED then
          words[#words + 1] = ("%s (%s)"):format(row.name, view:percent(row.total_ns / total_ns))
        end
      end
    end
    return { where = thread, symptom = true,
      evidence = ("operators, functions and calls take %s, %s of the run; most: %s"):format(
        view:time(held_ns), view:percent(held_ns / total_ns), table.concat(words, ", ")),
      claims = { { cause = "host" }, { cause = "launch" } },
      how = "at most the run replayed without it", rows = rows }
  end,
  what_to_do = "Do less of it a step (torch.compile, CUDA graphs, fused optimizers, larger "
    .. "batches), faster, or beside the loop in another thread or process.",
  source = "PyTorch documentation, Performance Tuning Guide",
}
