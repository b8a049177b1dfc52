local td = require "tandem"

-- A name whose longest stretch is so much of it is no part of a loop: a start-up, mostly.
local NAMED <const>, AT_ONCE <const> = 3, 0.9

-- Where one stretch is so much of it all, that stretch is what there is to say.
local STARTS <const> = 0.5
local START <const> = "Where that is a start (CUDA begins, modules load, kernels are tuned), no "
  .. "loop has it: record later steps, after a warm-up. Otherwise do it once, or beside the loop."
-- JAX begins and ends its recording in functions that the recording has.
local PROFILER <const> = "^profiler%.py:%d+ %a*_?trace$"
local RECORDING <const> = "It is the profiler that begins or ends its recording, no work of the "
  .. "program: --range looks at the rest alone, and a recording of more steps has less of it."
local PLAIN <const> = "Do less of it, faster, or beside the GPU's work: in another thread, or on "
  .. "the GPU."

-- Functions of C++ without their arguments and those of their templates.
local function short(name)
  if name:find("^[<(]") then return name end
  local cut = name:gsub("%b<>", ""):gsub("%b()", "")
  return cut ~= "" and cut:gsub("%s+$", "") or name
end

return td.advice "host-work" {
  title = "The host's own work holds the run up",
  looks_for = "work of the host (operators, functions, calls) on the critical path",
  needs = { "runtime|driver|cpu_op|python_function|sample|sched", "kernel|graph|memcpy" },
  threshold = "10%",
  find = function(view, least)
    local counted = view:count("evidence-causes", { nodes = 100 })
    local total_ns, held_ns = counted.run[1].total_ns, 0
    for _, row in ipairs(counted.causes) do
      if row.cause == "host" or row.cause == "launch" then held_ns = held_ns + row.total_ns end
    end
    if held_ns == 0 or held_ns < least * total_ns then return {} end
    local words, rows, thread, once_ns, longest = {}, {}, nil, 0, ""
    for _, row in ipairs(counted.nodes) do
      if row.cause == "host" then
        thread = thread or row.thread
        rows[#rows + 1] = { what = row.count > 1 and ("%s: %s in all, its longest"):format(
          short(row.name), view:time(row.total_ns)) or row.name, where = row.thread,
          start_ns = row.start_ns, dur_ns = row.dur_ns, count = row.count }
        if #words < NAMED then
          words[#words + 1] = ("%s (%s%s)"):format(short(row.name),
            view:percent(row.total_ns / total_ns), row.dur_ns >= AT_ONCE * row.total_ns
              and ", in one go" or "")
        end
        if row.dur_ns > once_ns then once_ns, longest = row.dur_ns, row.name end
      end
    end
    local starts = once_ns >= STARTS * held_ns
    local recording = starts and longest:find(PROFILER) ~= nil
    return { where = thread, symptom = true,
      evidence = ("operators, functions and calls take %s, %s of the run; most: %s"):format(
        view:time(held_ns), view:percent(held_ns / total_ns), table.concat(words, ", ")),
      claims = { { cause = "host" }, { cause = "launch" } },
      title = recording and "The profiler's own start or end is most of the run"
        or starts and "One stretch of the host holds the run up" or nil,
      what_to_do = recording and RECORDING or starts and START
        or not (view:has "cpu_op" or view:has "nvtx") and PLAIN or nil,
      how = "at most the run replayed without it", rows = rows }
  end,
  what_to_do = "Do less of it a step (torch.compile, CUDA graphs, fused optimizers, larger "
    .. "batches), faster, or beside the loop in another thread or process.",
  source = "PyTorch documentation, Performance Tuning Guide",
}
