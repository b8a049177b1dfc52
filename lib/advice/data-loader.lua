local td = require "tandem"

return td.advice "data-loader" {
  title = "The GPU waits for data",
  looks_for = "times in which the loop waits for its data loader while the GPU has no work",
  needs = { "user_annotation|nvtx|cpu_op", "kernel|graph" },
  threshold = "5%",
  find = function(view, least)
    local loading = view:count("evidence-ranges", { named = "DataLoader" })
    if #loading.devices == 0 then return nil, "ranges with DataLoader in their name" end
    local found = {}
    for _, row in ipairs(loading.devices) do
      if row.idle_ns > 0 and row.idle_ns >= least * row.elapsed_ns then
        local rows = {}
        for i, range in ipairs(loading.worst) do
          rows[i] = { what = range.name, start_ns = range.start_ns, dur_ns = range.dur_ns }
        end
        found[#found + 1] = { where = view:where(row), elapsed_ns = row.elapsed_ns,
          evidence = ("%s waits for data took %s; for %s of it the GPU had no work"):format(
            view:integer(row.count), view:time(row.total_ns), view:time(row.idle_ns)),
          gain_ns = row.idle_ns, how = "the idle time within these waits", rows = rows }
      end
    end
    return found
  end,
  what_to_do = "More workers (num_workers), persistent_workers=True, a larger prefetch_factor, "
    .. "cheaper decoding, data nearer to the machine.",
  source = "PyTorch documentation, torch.utils.data; Performance Tuning Guide, asynchronous data "
    .. "loading",
}
