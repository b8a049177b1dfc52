/* Affine step models: one dot product a step, an arithmetic series for a run. See affine.h. */
#include "model/llm/affine.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  tdm_llm_step base;
  double floor_s;
  size_t count;
  tdm_llm_affine_piece pieces[];
} affine;

static const tdm_llm_affine_piece *piece_of(const affine *model, const tdm_llm_batch *batch) {
  const tdm_llm_affine_piece *piece = model->pieces;
  while ((double)batch->decode_seqs > piece->decode_seqs_max) piece++;
  return piece;
}

/* Before the floor. */
static double value_s(const tdm_llm_affine_piece *p, const tdm_llm_batch *b) {
  double s = p->step + p->sampled * (double)b->sampled;
  if (b->prefill_tokens > 0)
    s += (b->prefill_seqs > 0 ? p->prefill_step : 0) + p->prefill_seqs * (double)b->prefill_seqs +
         p->prefill_tokens * (double)b->prefill_tokens + p->prefill_context * b->prefill_context +
         p->prefill_attention * b->prefill_attention + p->prefill_squares * b->prefill_squares;
  if (b->decode_seqs > 0)
    s += p->decode_step + p->decode_seqs * (double)b->decode_seqs +
         p->decode_context * b->decode_context +
         p->decode_context_max * (double)b->decode_context_max;
  return s;
}

static double affine_step_s(const tdm_llm_step *base, const tdm_llm_batch *batch) {
  const affine *model = (const affine *)base;
  double s = value_s(piece_of(model, batch), batch);
  return s > model->floor_s ? s : model->floor_s;
}

/* Steps grow by `slope`; those that begin below the floor are as long as it. */
static double affine_decode_run_s(const tdm_llm_step *base, const tdm_llm_batch *batch, int64_t k) {
  const affine *model = (const affine *)base;
  const tdm_llm_affine_piece *piece = piece_of(model, batch);
  double first = value_s(piece, batch);
  double slope = piece->decode_context * (double)batch->decode_seqs + piece->decode_context_max;
  double steps = (double)k, low = 0;
  if (first < model->floor_s) {
    low = slope > 0 ? ceil((model->floor_s - first) / slope) : steps;
    if (low > steps) low = steps;
    first += slope * low;
    steps -= low;
  }
  return model->floor_s * low + (first * steps + slope * (steps * (steps - 1) / 2));
}

static void affine_free(tdm_llm_step *base) {
  free(base);
}

static const tdm_llm_step_kind affine_kind = {.name = "affine",
                                              .step_s = affine_step_s,
                                              .decode_run_s = affine_decode_run_s,
                                              .free = affine_free};

static tdm_status check_piece(const tdm_llm_affine_piece *p, bool last, tdm_error *error) {
  const double values[] = {
      p->step,           p->prefill_step,    p->decode_step,        p->prefill_seqs,
      p->prefill_tokens, p->prefill_context, p->prefill_squares,    p->prefill_attention,
      p->decode_seqs,    p->decode_context,  p->decode_context_max, p->sampled};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++)
    if (!isfinite(values[i]))
      return tdm_error_set(error, TDM_INVALID, "affine step model: a coefficient is not finite");
  if (p->decode_context < 0 || p->decode_context_max < 0)
    return tdm_error_set(error, TDM_INVALID,
                         "affine step model: decode_context and decode_context_max must be ≥ 0");
  if (last && p->decode_seqs_max != INFINITY)
    return tdm_error_set(error, TDM_INVALID,
                         "affine step model: the last piece must hold for any batch");
  return TDM_OK;
}

tdm_status tdm_llm_affine_new(const tdm_llm_affine_piece *pieces, size_t count, double floor_s,
                              tdm_llm_step **out, tdm_error *error) {
  *out = NULL;
  if (count == 0) return tdm_error_set(error, TDM_INVALID, "affine step model: no coefficients");
  if (!(floor_s >= 0) || isinf(floor_s))
    return tdm_error_set(error, TDM_INVALID, "affine step model: floor_s must be ≥ 0");
  for (size_t i = 0; i < count; i++) {
    tdm_status status = check_piece(&pieces[i], i + 1 == count, error);
    if (status != TDM_OK) return status;
    if (i > 0 && !(pieces[i].decode_seqs_max > pieces[i - 1].decode_seqs_max))
      return tdm_error_set(error, TDM_INVALID,
                           "affine step model: pieces must rise in decode_seqs_max");
  }
  if (count > (SIZE_MAX - sizeof(affine)) / sizeof *pieces)
    return tdm_error_memory(error, "affine step model", SIZE_MAX);
  affine *model = malloc(sizeof *model + count * sizeof *pieces);
  if (model == NULL)
    return tdm_error_memory(error, "affine step model", sizeof *model + count * sizeof *pieces);
  model->base.kind = &affine_kind;
  model->floor_s = floor_s;
  model->count = count;
  memcpy(model->pieces, pieces, count * sizeof *pieces);
  *out = &model->base;
  return TDM_OK;
}

/* Terms of affine step models: an arithmetic series for a row of steps. See affine.h. */

const char *const tdm_llm_term_names[TDM_LLM_TERMS] = {
    "step",           "prefill_step",    "decode_step",        "prefill_seqs",
    "prefill_tokens", "prefill_context", "prefill_attention",  "prefill_squares",
    "decode_seqs",    "decode_context",  "decode_context_max", "sampled"};

void tdm_llm_terms_add(double sums[TDM_LLM_TERMS], const tdm_llm_batch *b, int64_t steps) {
  double k = (double)steps, grown = k * (k - 1) / 2;
  int decodes = b->decode_seqs > 0;
  const double row[TDM_LLM_TERMS] = {k,
                                     b->prefill_seqs > 0 ? k : 0,
                                     decodes ? k : 0,
                                     k * (double)b->prefill_seqs,
                                     k * (double)b->prefill_tokens,
                                     k * b->prefill_context,
                                     k * b->prefill_attention,
                                     k * b->prefill_squares,
                                     k * (double)b->decode_seqs,
                                     k * b->decode_context + grown * (double)b->decode_seqs,
                                     decodes ? k * (double)b->decode_context_max + grown : 0,
                                     k * (double)b->sampled};
  for (int i = 0; i < TDM_LLM_TERMS; i++) sums[i] += row[i];
}
