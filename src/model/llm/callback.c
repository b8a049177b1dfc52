/* Asking, and sums of what was answered. See callback.h. */
#include "model/llm/callback.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define ROWS        2  /* the scheduler's row, and the part of it that a trace shows */
#define STEPS_AHEAD 16 /* what is asked in vain when an arrival ends a row */

/* sums[j]: the time of the first j + 1 steps that begin with this batch. */
typedef struct {
  tdm_llm_batch first, next;
  double *sums;
  size_t count, capacity;
} row;

typedef struct {
  tdm_llm_step base;
  uint32_t function;
  tdm_llm_asking asking;
  row *rows; /* the one asked last comes first; NULL while not bound */
} callback;

static double ask(const callback *m, const tdm_llm_batch *batch) {
  return m->rows != NULL ? m->asking.step_s(m->asking.context, m->function, batch) : NAN;
}

static double callback_step_s(const tdm_llm_step *base, const tdm_llm_batch *batch) {
  return ask((const callback *)base, batch);
}

static row *row_of(const callback *m, const tdm_llm_batch *batch) {
  row *rows = m->rows;
  if (rows[0].count > 0 && memcmp(&rows[0].first, batch, sizeof *batch) == 0) return rows;
  row swapped = rows[1];
  rows[1] = rows[0];
  rows[0] = swapped;
  if (rows[0].count == 0 || memcmp(&rows[0].first, batch, sizeof *batch) != 0) {
    rows[0].first = rows[0].next = *batch;
    rows[0].count = 0;
  }
  return rows;
}

static double callback_decode_run_s(const tdm_llm_step *base, const tdm_llm_batch *batch,
                                    int64_t k) {
  const callback *m = (const callback *)base;
  if (k <= 0) return 0;
  if (m->rows == NULL) return NAN;
  row *r = row_of(m, batch);
  while (r->count < (size_t)k) {
    if (!tdm_array_grow(&r->sums, &r->capacity, r->count + 1, sizeof *r->sums)) return NAN;
    double before = r->count > 0 ? r->sums[r->count - 1] : 0;
    r->sums[r->count++] = before + ask(m, &r->next);
    tdm_llm_batch_grow(&r->next, 1);
  }
  return r->sums[k - 1];
}

static void callback_free(tdm_llm_step *base) {
  callback *m = (callback *)base;
  for (size_t i = 0; m->rows != NULL && i < ROWS; i++) free(m->rows[i].sums);
  free(m->rows);
  free(m);
}

static const tdm_llm_step_kind callback_kind = {.name = "callback",
                                                .step_s = callback_step_s,
                                                .decode_run_s = callback_decode_run_s,
                                                .free = callback_free,
                                                .steps_ahead = STEPS_AHEAD};

static callback *make(uint32_t function) {
  callback *made = calloc(1, sizeof *made);
  if (made == NULL) return NULL;
  made->base.kind = &callback_kind;
  made->function = function;
  return made;
}

tdm_status tdm_llm_callback_new(uint32_t function, tdm_llm_step **out, tdm_error *error) {
  callback *made = make(function);
  *out = made != NULL ? &made->base : NULL;
  return made != NULL ? TDM_OK : tdm_error_memory(error, "a step model", sizeof *made);
}

bool tdm_llm_callback_is(const tdm_llm_step *model) {
  return model->kind == &callback_kind;
}

tdm_status tdm_llm_callback_bind(const tdm_llm_step *model, const tdm_llm_asking *asking,
                                 tdm_llm_step **out, tdm_error *error) {
  *out = NULL;
  if (model->kind != &callback_kind) return TDM_OK;
  callback *bound = make(((const callback *)model)->function);
  if (bound != NULL) bound->rows = calloc(ROWS, sizeof *bound->rows);
  if (bound == NULL || bound->rows == NULL) {
    free(bound);
    return tdm_error_memory(error, "a step model", sizeof *bound);
  }
  bound->asking = *asking;
  *out = &bound->base;
  return TDM_OK;
}
