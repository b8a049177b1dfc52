/* Which operator launched each piece of GPU work; see summary.h. */
#include "analysis/summary/summary.h"

#include <stdlib.h>

#include "base/memory.h"

static bool find_ops(tdm_launching_ops *o) {
  o->op = tdm_array_new(o->work->count + 1, sizeof *o->op);
  if (o->op == NULL) return false;
  for (size_t i = 0; i < o->work->count; i++) {
    uint32_t call = o->call_of[i];
    o->op[i] = call != TDM_NO_ROW ? o->nesting.innermost[call] : o->external.cause[i];
    o->by_id += call == TDM_NO_ROW && o->op[i] != TDM_NO_ROW;
    o->found += o->op[i] != TDM_NO_ROW;
  }
  return true;
}

tdm_status tdm_launching_ops_open(tdm_run_view *view, const tdm_wanted *wanted,
                                  tdm_launching_ops *o, tdm_error *error) {
  const tdm_launched *launched = NULL;
  *o = (tdm_launching_ops){.ops = NULL};
  tdm_status status = tdm_run_view_table(view, wanted, &o->ops, error);
  if (status != TDM_OK || o->ops->count == 0) return status;
  status = tdm_gpu_launched(view, &launched, error);
  if (status != TDM_OK) return status;
  o->calls = launched->calls;
  o->work = launched->work;
  o->call_of = launched->by_call.cause;
  status =
      tdm_correlation_open(view, o->ops, 0, o->work, TDM_WORK_EXTERNAL_ID, &o->external, error);
  if (status == TDM_OK) status = tdm_nesting_open(view, o->ops, o->calls, &o->nesting, error);
  if (status == TDM_OK && !find_ops(o))
    status = tdm_error_memory(error, "operators", o->work->count * sizeof *o->op);
  return status;
}

void tdm_launching_ops_close(tdm_launching_ops *o) {
  tdm_correlation_close(&o->external);
  tdm_nesting_close(&o->nesting);
  free(o->op);
  *o = (tdm_launching_ops){.ops = NULL};
}
