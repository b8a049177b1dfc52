/* Longer steps under a cap. See capped.h. */
#include "model/llm/capped.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define TOKENS 64 /* of the mean context, with one factor */

typedef struct {
  tdm_llm_step base;
  tdm_llm_step *step;
  tdm_llm_power *power;
  tdm_llm_cap cap;
} capped;

static double factor(const capped *m, const tdm_llm_batch *batch) {
  const tdm_llm_power *p = m->power;
  double seconds = tdm_llm_step_s(m->step, batch);
  double arithmetic_s = tdm_llm_step_s(p->arithmetic_step, batch);
  double memory_s = tdm_llm_step_s(p->memory_step, batch);
  double wanted =
      m->cap.draw * (p->active + (p->memory * memory_s + p->arithmetic * arithmetic_s) / seconds);
  if (!(wanted > p->cap)) return 1; /* also where seconds are 0 or unknown */
  if (wanted > 1) wanted = 1;
  double lacking = (wanted - p->idle) / (p->cap - p->idle) - 1;
  double computes = arithmetic_s / (m->cap.full * seconds);
  if (computes > 1) computes = 1;
  double a = m->cap.memory + (m->cap.arithmetic - m->cap.memory) * computes;
  return 1 + a * lacking * lacking;
}

static double mean_context(const tdm_llm_batch *batch) {
  return batch->decode_context / (double)batch->decode_seqs;
}

/* That of all decode-only batches like this one whose mean contexts are in one row of TOKENS. */
static double decode_factor(const capped *m, const tdm_llm_batch *batch, double row) {
  double context = (row + 0.5) * TOKENS, seqs = (double)batch->decode_seqs;
  tdm_llm_batch like = *batch;
  like.decode_context = seqs * context;
  like.decode_context_max = (int64_t)context;
  if (batch->decode_squares > 0) like.decode_squares = seqs * context * context;
  return factor(m, &like);
}

static double capped_step_s(const tdm_llm_step *base, const tdm_llm_batch *batch) {
  const capped *m = (const capped *)base;
  bool mixed = batch->prefill_tokens > 0 || batch->decode_seqs == 0;
  return tdm_llm_step_s(m->step, batch) *
         (mixed ? factor(m, batch) : decode_factor(m, batch, floor(mean_context(batch) / TOKENS)));
}

static double capped_decode_run_s(const tdm_llm_step *base, const tdm_llm_batch *batch, int64_t k) {
  const capped *m = (const capped *)base;
  double mean = mean_context(batch), row = floor(mean / TOKENS), sum = 0, before_s = 0;
  for (int64_t done = 0; done < k; row++) {
    double left = ceil((row + 1) * TOKENS - mean); /* steps until the next row begins */
    int64_t end = left < (double)k ? (int64_t)left : k;
    if (end <= done) continue;
    double until_s = tdm_llm_decode_run_s(m->step, batch, end);
    sum += (until_s - before_s) * decode_factor(m, batch, row);
    before_s = until_s;
    done = end;
  }
  return sum;
}

static void capped_free(tdm_llm_step *base) {
  capped *m = (capped *)base;
  tdm_llm_step_free(m->step);
  tdm_llm_power_free(m->power);
  free(m);
}

static const tdm_llm_step_kind capped_kind = {.name = "capped",
                                              .step_s = capped_step_s,
                                              .decode_run_s = capped_decode_run_s,
                                              .free = capped_free};

static bool is_fit(const tdm_llm_power *power, const tdm_llm_cap *cap) {
  return power->cap > power->idle && cap->memory >= 0 && cap->arithmetic >= 0 && cap->full > 0 &&
         cap->draw > 0 && isfinite(cap->memory + cap->arithmetic + cap->full + cap->draw);
}

tdm_status tdm_llm_capped_new(tdm_llm_step *step, tdm_llm_power *power, const tdm_llm_cap *cap,
                              tdm_llm_step **out, tdm_error *error) {
  bool fit = is_fit(power, cap);
  capped *made = fit ? malloc(sizeof *made) : NULL;
  *out = NULL;
  if (made != NULL) {
    *made = (capped){.base.kind = &capped_kind, .step = step, .power = power, .cap = *cap};
    *out = &made->base;
    return TDM_OK;
  }
  tdm_llm_step_free(step);
  tdm_llm_power_free(power);
  if (fit) return tdm_error_memory(error, "a step model", sizeof *made);
  return tdm_error_set(error, TDM_INVALID,
                       "a cap on power: wants to be above what the GPU draws idle");
}
