local td = require "tandem"

-- Even loads that are never late are fetched and handed over.
local SHORTER <const> = 10

local BY_WORKERS <const> = "Let workers load (DataLoader num_workers, from as many as the loads "
  .. "take longer than the rest of a step), pin_memory=True, persistent_workers=True."

return td.advice "data-loader" {
  title = "The loop waits for its data loader",
  looks_for = "times in which the loop waits for its data loader while the GPU has no work",
  needs = { "user_annotation|nvtx|cpu_op", "kernel|graph" },
  threshold = "5%",
  find = function(view, least)
    local loading = view:count("evidence-ranges", { named = "DataLoader" })
    if #loading.devices == 0 then return nil, "ranges with DataLoader in their name" end
    local most
    for _, row in ipairs(loading.devices) do
      if row.idle_ns > 0 and row.idle_ns >= least * row.elapsed_ns
        and (not most or row.idle_ns > most.idle_ns) then
        most = row
      end
    end
    if not most then return {} end
    local rows = {}
    for i, range in ipairs(loading.worst) do
      rows[i] = { what = range.name, start_ns = range.start_ns, dur_ns = range.dur_ns }
    end
    local by_itself = loading.worst[1].name:find("_SingleProcess", 1, true) ~= nil
    return { where = view:where(most), rows = rows,
      evidence = ("%s loads took %s; for %s of it the GPU had no work"):format(
        view:integer(most.count), view:time(most.total_ns), view:time(most.idle_ns)),
      claims = { { cause = "loader", low = by_itself and 1e9 or SHORTER } },
      how = by_itself and "the run replayed without the loads but the first, the host 30 % slower "
        .. "beside the workers at least and not slower at most"
        or "the run replayed with a tenth of them at least, without them at most",
      what_to_do = by_itself and BY_WORKERS or nil }
  end,
  what_to_do = "More workers (num_workers), persistent_workers=True, a larger prefetch_factor, "
    .. "cheaper decoding, data nearer to the machine.",
  source = "PyTorch documentation, torch.utils.data; Performance Tuning Guide, asynchronous data "
    .. "loading",
}
