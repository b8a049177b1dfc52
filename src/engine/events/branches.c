/* Branches of a request: those of a fork, which it waits for at once, and sub-agents, which turns
 * of a recorded session begin and which it waits for where the recording says so, at the latest at
 * its end. A branch's end is its parent's news. What each does on its way is route.c's, who they
 * are model/rows.h's. Called by route.c. */
#include "engine/events/llm.h"

static double *slots_of(tdm_engine *e, uint32_t index) {
  return e->state + (size_t)index * e->model->state_slots;
}

/* As its parent, but with nothing of what the parent holds. */
static uint32_t branch_of(tdm_engine *e, uint32_t parent) {
  uint32_t child = tdm_request_new(e);
  if (child == TDM_NO_INDEX) return child;
  e->requests[child] = e->requests[parent];
  e->requests[child].flags = 0;
  e->more[child].parent = parent;
  for (size_t slot = 0; slot < e->model->state_slots; slot++)
    slots_of(e, child)[slot] = slots_of(e, parent)[slot];
  for (uint32_t k = 0; k < e->model->op_count; k++)
    if (e->model->ops[k].code == TDM_OP_SEIZE) slots_of(e, child)[e->model->ops[k].b] = 0;
  return child;
}

void tdm_branch_fork(tdm_engine *e, const tdm_op *op, uint32_t index) {
  e->more[index].pending += op->b;
  e->more[index].waits = true;
  e->requests[index].op = op->max;
  for (uint32_t i = 0; i < op->b && e->status == TDM_OK; i++) {
    uint32_t child = branch_of(e, index);
    if (child == TDM_NO_INDEX) return;
    e->requests[child].op = e->model->choices[op->a + i].target;
    e->more[child].speaker = tdm_prefix_branch(e, index, e->requests[child].op);
    tdm_route_advance(e, child);
  }
}

/* It takes the whole way of its class, turn by turn of its own conversation. */
static void begin_agent(tdm_engine *e, uint32_t index, uint32_t unit) {
  uint32_t child = branch_of(e, index);
  if (child == TDM_NO_INDEX) return;
  tdm_request *r = &e->requests[child];
  r->op = e->model->classes[r->class_index].entry;
  r->ordinal &= ((uint64_t)1 << TDM_VISIT_SHIFT) - 1;
  r->gpu = TDM_NO_INDEX;
  e->more[index].pending++;
  e->more[child].unit = unit + 1;
  e->more[child].speaker = tdm_prefix_branch(e, index, unit + (uint32_t)e->model->op_count);
  if (e->model->conversation != TDM_NO_INDEX) tdm_prefix_forget(e, child);
  tdm_request_turn(e, child);
  tdm_route_advance(e, child);
}

bool tdm_branch_turn(tdm_engine *e, uint32_t index) {
  const tdm_request_rows *rows = &e->model->classes[e->requests[index].class_index].arrivals->rows;
  if (rows->begin_count == 0) return true;
  size_t row = tdm_request_row(e, index), count = 0;
  uint32_t turns = (uint32_t)(e->requests[index].ordinal >> TDM_VISIT_SHIFT) + 1;
  if (turns > e->more[index].begun) { /* else it is here again */
    e->more[index].begun = turns;
    const tdm_row_begins *begun = tdm_rows_begun(rows, row, &count);
    for (size_t i = 0; i < count && e->status == TDM_OK; i++) begin_agent(e, index, begun[i].unit);
  }
  if (!tdm_rows_joins(rows, row) || e->more[index].pending == 0) return e->status == TDM_OK;
  e->more[index].waits = true;
  return false;
}

bool tdm_branch_await(tdm_engine *e, uint32_t index) {
  if (e->more[index].pending == 0) return true;
  e->more[index].waits = true;
  e->requests[index].op--; /* come back here afterwards */
  return false;
}

void tdm_branch_ended(tdm_engine *e, uint32_t parent) {
  tdm_request_more *more = &e->more[parent];
  if (--more->pending > 0 || !more->waits) return;
  more->waits = false;
  tdm_route_advance(e, parent);
}

/* The last of them lets the parent go. */
void tdm_branch_remove_all(tdm_engine *e, uint32_t parent) {
  for (uint32_t i = 0; i < e->request_count && e->more[parent].pending > 0; i++)
    if (e->more[i].parent == parent) tdm_route_remove(e, i, TDM_OUTCOME_TIMED_OUT);
}

void tdm_branch_withdraw(tdm_engine *e, uint32_t index, tdm_outcome outcome) {
  tdm_request *r = &e->requests[index];
  r->flags |= outcome == TDM_OUTCOME_TIMED_OUT ? TDM_FLAG_TIMED_OUT : TDM_FLAG_DROPPED;
  r->at = TDM_AT_MOVE;
  e->more[index].waits = true;
  tdm_branch_remove_all(e, index);
}
