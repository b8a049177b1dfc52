/* Decisions of a replica's scheduler that the user's functions make: from engine/serving to the
 * hooks. Called by generate.c when a replica opens, and from within its steps. */
#include <math.h>

#include "base/memory.h"
#include "engine/events/llm.h"

static tdm_status ask(tdm_replica_run *replica, tdm_decision_view *view, double *answer,
                      tdm_error *error) {
  tdm_engine *e = replica->engine;
  if (e->hooks == NULL || e->hooks->decide == NULL)
    return tdm_error_set(error, TDM_INVALID,
                         "a scheduler's decision is a Lua function, and no Lua is at hand");
  if (!tdm_array_grow(&e->decision_classes, &e->decision_capacity, view->count,
                      sizeof *e->decision_classes))
    return tdm_error_memory(error, "a decision", view->count * sizeof *e->decision_classes);
  for (size_t i = 0; i < view->count; i++)
    e->decision_classes[i] = e->requests[view->requests[i].id].class_index;
  view->classes = e->decision_classes;
  return e->hooks->decide(e->hooks->context, replica->pool->decide[view->decision], view, answer,
                          error);
}

static tdm_status order(void *context, const tdm_serving_view *request,
                        const tdm_serving_situation *now, double *key, tdm_error *error) {
  tdm_decision_view view = {
      .decision = TDM_DECIDE_ORDER, .requests = request, .count = 1, .now = now};
  return ask(context, &view, key, error);
}

static tdm_status admit(void *context, const tdm_serving_view *request,
                        const tdm_serving_situation *now, int64_t *tokens, tdm_error *error) {
  tdm_decision_view view = {
      .decision = TDM_DECIDE_ADMIT, .requests = request, .count = 1, .now = now};
  double answer = -1;
  tdm_status status = ask(context, &view, &answer, error);
  *tokens = answer < 1e12 ? (int64_t)ceil(answer) : (int64_t)1e12;
  return status;
}

static tdm_status preempt(void *context, const tdm_serving_view *running, size_t count,
                          const tdm_serving_situation *now, size_t *index, tdm_error *error) {
  tdm_decision_view view = {
      .decision = TDM_DECIDE_PREEMPT, .requests = running, .count = count, .now = now};
  double answer = (double)(count - 1);
  tdm_status status = ask(context, &view, &answer, error);
  *index = (size_t)answer;
  return status;
}

static tdm_status chunk(void *context, const tdm_serving_view *request, int64_t left,
                        const tdm_serving_situation *now, int64_t *tokens, tdm_error *error) {
  tdm_decision_view view = {
      .decision = TDM_DECIDE_CHUNK, .requests = request, .count = 1, .now = now, .left = left};
  double answer = 1;
  tdm_status status = ask(context, &view, &answer, error);
  *tokens = answer < 1e12 ? (int64_t)floor(answer) : (int64_t)1e12;
  return status;
}

void tdm_decide_open(tdm_replica_run *replica) {
  const uint32_t *decide = replica->pool->decide;
  tdm_serving_functions functions = {.context = replica};
  if (decide[TDM_DECIDE_ORDER] != TDM_NO_INDEX) functions.order = order;
  if (decide[TDM_DECIDE_ADMIT] != TDM_NO_INDEX) functions.admit = admit;
  if (decide[TDM_DECIDE_PREEMPT] != TDM_NO_INDEX) functions.preempt = preempt;
  if (decide[TDM_DECIDE_CHUNK] != TDM_NO_INDEX) functions.chunk = chunk;
  tdm_serving_decide(replica->serving, &functions);
}
