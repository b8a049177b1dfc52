-- `tandem works RUN`: how much work there was on GPUs.

local function add(copy)
  copy:after("src/analysis/analysis.h", '  ANALYSIS(RAN, "osrt", tdm_answer_osrt)',
    ' ANALYSIS(RAN, "works", tdm_answer_works)')
  copy:write("src/analysis/summary/works.c", [[
/* Work on GPUs: how many pieces. */
#include "analysis/analysis.h"
#include "analysis/run_view/gpu_work.h"

tdm_status tdm_answer_works(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                            tdm_error *error) {
  static const tdm_field fields[] = {{"count", TDM_FIELD_INT}};
  (void)options;
  const tdm_table *work;
  tdm_status status = tdm_run_view_table(view, &tdm_gpu_work, &work, error);
  if (status != TDM_OK) return status;
  tdm_frame *frame = tdm_answer_frame(out, "works", fields, 1);
  if (work->count == 0) {
    tdm_answer_cannot(out, "this run has no work on GPUs");
    return TDM_OK;
  }
  tdm_frame_row(frame);
  tdm_frame_int(frame, 0, (int64_t)work->count);
  return TDM_OK;
}
]])
  copy:write("lua/tandem/analysis/works.lua", [[
--- Work on GPUs. The counting is src/analysis/summary/works.c's.
local columns = require "tandem.analysis.columns"

---@type tandem.Analysis
return {
  title = "Work",
  summary = "how much work there was on GPUs",
  about = "Counts what ran on GPUs.",
  frames = { works = { title = "Work", columns = { columns.count("count", "pieces") } } },
}
]])
end

local function check(sh)
  assert(select(2, sh "build/tandem run scenarios/01-demo.lua --store store.db"))
  local counted = sh "build/tandem works last --store store.db --csv"
  assert(counted:find "^count\r?\n[1-9]%d*", counted)
  local td = require "tandem"
  local store <close> = td.store "store.db"
  local answer = assert(store:run "last"):works()
  assert(answer:rows()[1].count == tonumber(counted:match "\n(%d+)"))
  assert(sh "build/tandem help":find "how much work there was on GPUs")
  local _, ok = sh "build/tandem report last --store store.db --out works.html"
  assert(ok and sh "cat works.html":find(">Work<", 1, true))
end

return { about = "an analysis", most = 3, add = add, check = check }
