local td = require "tandem"

-- A graph starts its next kernel within about a microsecond; launches worth capturing repeat.
local GRAPH_GAP_NS <const>, LEAST_LAUNCHES <const>, LEAST_REPEATS <const> = 1000, 500, 10

-- How many names the kernels of each GPU have.
local function names_by_gpu(view)
  local names = {}
  for _, kernel in ipairs(view:count("kernels", { each = "device" }).kernels) do
    local where = view:where(kernel)
    names[where] = (names[where] or 0) + 1
  end
  return names
end

return td.advice "uncaptured-graphs" {
  title = "Repeated launches that no CUDA graph holds",
  looks_for = "many kernels of few names, launched one by one, whose launches the GPU waits for",
  needs = { "kernel", "runtime|driver", "kernel.correlation" },
  threshold = "10%",
  find = function(view, least)
    local most, gain_ns
    local names_of = names_by_gpu(view)
    for _, row in ipairs(view:count("evidence-launches").devices) do
      local its_ns = row.waited_ns - row.waited * GRAPH_GAP_NS
      local names = names_of[view:where(row)] or 0
      if row.from_graphs == 0 and row.whole_graphs == 0 and row.launched >= LEAST_LAUNCHES
        and names > 0 and row.kernels >= LEAST_REPEATS * names
        and its_ns >= least * row.elapsed_ns and (not most or its_ns > gain_ns) then
        most, gain_ns = row, its_ns
      end
    end
    if not most then return {} end
    return { where = view:where(most),
      evidence = ("%s kernels of %s names, none from a graph; the GPU waited %s for their "
        .. "launches"):format(view:integer(most.kernels), view:integer(names_of[view:where(most)]),
        view:time(most.waited_ns)),
      claims = { { cause = "launch", low = 4 }, { cause = "host" } },
      cap_ns = view:launches_cap(most, gain_ns), sure_ns = gain_ns,
      how = "the run replayed with launches that take a quarter at least, at most without them and "
        .. "the host's work between them; no more than the GPU waited for calls, but 1 µs for "
        .. "each, or at most, where the host holds three quarters of the run, than it idled",
      rows = { { what = "launches that the GPU waited for", count = most.waited,
        dur_ns = most.waited_ns } } }
  end,
  what_to_do = "Capture the repeated part: torch.cuda.graphs, torch.compile with "
    .. "mode=\"reduce-overhead\", cudaStreamBeginCapture.",
  source = "CUDA C++ Programming Guide, CUDA Graphs",
}
