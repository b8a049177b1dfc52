/* Which operator launched each piece of GPU work; see summary.h. */
#include "analysis/summary/summary.h"

#include <stdlib.h>

#include "base/memory.h"

bool tdm_launching_ops_replayed(const tdm_launching_ops *o, size_t row) {
  return o->captured.call != NULL && o->captured.call[row] != TDM_NO_ROW;
}

static bool find_ops(tdm_launching_ops *o) {
  o->op = tdm_array_new(o->work->count + 1, sizeof *o->op);
  if (o->op == NULL) return false;
  for (size_t i = 0; i < o->work->count; i++) {
    uint32_t call = tdm_launching_ops_replayed(o, i) ? o->captured.call[i] : o->call_of[i];
    o->op[i] = call != TDM_NO_ROW ? o->nesting.innermost[call] : o->external.cause[i];
    o->by_id += call == TDM_NO_ROW && o->op[i] != TDM_NO_ROW;
    o->found += o->op[i] != TDM_NO_ROW;
  }
  return true;
}

/* Two captured calls are of operators of one name and what else is asked of them: their numbers
 * apart. */
static bool same_op(const void *context, uint32_t a, uint32_t b) {
  const tdm_launching_ops *o = context;
  uint32_t x = o->nesting.innermost[a], y = o->nesting.innermost[b];
  if (x == TDM_NO_ROW || y == TDM_NO_ROW) return x == y;
  bool same = tdm_table_name(o->ops, x) == tdm_table_name(o->ops, y);
  for (size_t k = 1; same && o->wanted->keys[k].key != NULL; k++)
    same = tdm_table_arg(o->ops, k, x) == tdm_table_arg(o->ops, k, y);
  return same;
}

void tdm_launching_ops_say(const tdm_launching_ops *o, tdm_answer *out) {
  if (o->captured.told > 0)
    tdm_answer_basis(out,
                     "%zu GPU operations of graph launches count with the operators that were "
                     "captured, by the order in which captures of as many calls made them",
                     o->captured.told);
  if (o->captured.ambiguous > 0)
    tdm_answer_basis(out,
                     "%zu launches of graphs have no operators: several captures fit, of different "
                     "operators or shapes",
                     o->captured.ambiguous);
}

tdm_status tdm_launching_ops_open(tdm_run_view *view, const tdm_wanted *wanted,
                                  tdm_launching_ops *o, tdm_error *error) {
  const tdm_launched *launched = NULL;
  *o = (tdm_launching_ops){.wanted = wanted};
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
  if (status == TDM_OK) status = tdm_captured_open(view, launched, same_op, o, &o->captured, error);
  if (status == TDM_OK && !find_ops(o))
    status = tdm_error_memory(error, "operators", o->work->count * sizeof *o->op);
  return status;
}

void tdm_launching_ops_close(tdm_launching_ops *o) {
  tdm_correlation_close(&o->external);
  tdm_nesting_close(&o->nesting);
  tdm_captured_close(&o->captured);
  free(o->op);
  *o = (tdm_launching_ops){.ops = NULL};
}
