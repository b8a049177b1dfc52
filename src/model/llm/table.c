/* Sums of measured operators. See table.h. */
#include "model/llm/table.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "model/llm/roofline.h"

typedef struct {
  tdm_llm_step base;
  tdm_llm_table t;
  double least_prefill; /* smallest measured number of prefill tokens above 0 */
  double most_prefill;  /* largest; 0: none was measured */
  double *numbers;      /* what the skew's pointers point into */
} table;

/* ---- skew */

static size_t bucket(const tdm_llm_buckets *b, double x) {
  size_t i = 0;
  while (i < b->count && x > b->edges[i]) i++;
  return i;
}

static double next_edge(const tdm_llm_buckets *b, double x) {
  size_t i = bucket(b, x);
  return i < b->count ? b->edges[i] : INFINITY;
}

/* The share of long sequences among two lengths that have the batch's mean, longest and variance:
 * what was measured had two lengths. The variance is (mean − short) · (longest − mean). */
static double skew_rate(const tdm_llm_batch *b, double mean) {
  double longest = (double)b->decode_context_max;
  if (longest <= mean) return 1;
  double variance = b->decode_squares / (double)b->decode_seqs - mean * mean;
  double above = b->decode_squares > 0 ? variance / (longest - mean) : mean;
  return above > 0 ? above / (longest - mean + above) : 0;
}

static double alpha_of(const tdm_llm_skew *s, const tdm_llm_batch *b, double mean, double tokens,
                       double context) {
  size_t n = bucket(&s->seqs, (double)b->decode_seqs), r = bucket(&s->rate, skew_rate(b, mean));
  size_t l = bucket(&s->longest, (double)b->decode_context_max), c = bucket(&s->context, context);
  size_t longs = s->longest.count + 1, contexts = s->context.count + 1;
  size_t rates = s->rate.count + 1, plane = (s->seqs.count + 1) * rates * longs * contexts;
  const double *at = s->alpha + ((n * rates + r) * longs + l) * contexts + c;
  size_t low = 0;
  while (low + 1 < s->prefill_count && s->prefill_tokens[low + 1] <= tokens) low++;
  double value = at[low * plane];
  if (low + 1 == s->prefill_count || tokens <= s->prefill_tokens[low]) return value;
  double way =
      (tokens - s->prefill_tokens[low]) / (s->prefill_tokens[low + 1] - s->prefill_tokens[low]);
  return value + way * (at[(low + 1) * plane] - value);
}

/* ---- attention */

/* One layer's, with one chunk of `tokens` on `context`: t_mean, and α·(t_max − t_mean) in parts. */
typedef struct {
  double mean_s, gap_s, alpha;
} chunk;

static chunk chunk_of(const table *m, const tdm_llm_batch *b, double tokens, double context) {
  double seqs = (double)b->decode_seqs, mean = 0;
  if (tokens > 0 && tokens < m->least_prefill) tokens = m->least_prefill;
  if (b->decode_seqs > 0) mean = b->decode_context / seqs;
  double point[4] = {tokens, tokens > 0 ? context : 0, seqs, mean};
  chunk c = {.mean_s = tdm_llm_grid_at(m->t.attention, point)};
  if (m->t.skew.prefill_count == 0 || b->decode_seqs < 2 || (double)b->decode_context_max <= mean)
    return c;
  point[3] = (double)b->decode_context_max;
  c.gap_s = tdm_llm_grid_at(m->t.attention, point) - c.mean_s;
  c.alpha = alpha_of(&m->t.skew, b, mean, tokens, context);
  return c;
}

/* More tokens than any measured chunk attend piece by piece, each to those before it. */
static double chunk_s(const table *m, const tdm_llm_batch *b, double tokens, double context) {
  const tdm_llm_batch none = {0};
  double sum = 0;
  while (m->most_prefill > 0 && tokens > m->most_prefill) {
    sum += chunk_of(m, &none, m->most_prefill, context).mean_s;
    tokens -= m->most_prefill;
    context += m->most_prefill;
  }
  chunk c = chunk_of(m, b, tokens, context);
  return sum + (c.gap_s > 0 ? c.mean_s + c.alpha * c.gap_s : c.mean_s);
}

/* One chunk, and no drafts beside it. */
static bool one_prompt(const tdm_llm_batch *b) {
  double n = (double)b->prefill_tokens;
  return b->prefill_seqs == 1 && b->prefill_attention <= n * (b->prefill_context + (n + 1) / 2);
}

static double attention_s(const table *m, const tdm_llm_batch *b) {
  double tokens = (double)b->prefill_tokens;
  if (b->prefill_tokens == 0) return chunk_s(m, b, 0, 0);
  if (one_prompt(b)) return chunk_s(m, b, tokens, b->prefill_context);
  /* The context with which one chunk would have as many pairs. */
  double context = b->prefill_attention / tokens - (tokens + 1) / 2, share = 1;
  if (context < 0) {
    share = b->prefill_attention / (tokens * (tokens + 1) / 2);
    context = 0;
  }
  double together = chunk_s(m, b, tokens, context);
  if (share < 1) {
    const tdm_llm_batch none = {0};
    together -= (1 - share) * chunk_s(m, &none, tokens, 0);
  }
  if (b->prefill_seqs == 0) return together; /* drafts alone */
  double seqs = (double)b->prefill_seqs;
  double one = chunk_s(m, b, ceil(tokens / seqs), b->prefill_context / seqs);
  return together > one ? together : one;
}

/* ---- steps */

static double fixed_s(const table *m, const tdm_llm_batch *b) {
  const tdm_llm_table *t = &m->t;
  int64_t count = b->prefill_tokens + b->decode_seqs;
  double tokens = (double)count, sampled = (double)b->sampled;
  double sum = t->step_s + t->sequence_s * (double)(b->prefill_seqs + b->decode_seqs);
  sum += tdm_llm_grid_at(t->tokens, &tokens);
  if (t->sampled != NULL && sampled > 0) sum += tdm_llm_grid_at(t->sampled, &sampled);
  if (t->experts != NULL) {
    int64_t groups = (int64_t)t->data;
    double met = tdm_llm_distinct_experts(t->experts_all, t->experts_active, count * groups);
    double point[2] = {tokens * t->data / t->expert_groups, met / t->expert_groups};
    sum += t->expert_layers * tdm_llm_grid_at(t->experts, point);
  }
  double bytes = tokens * t->reduce_bytes;
  sum += t->reduces * tdm_llm_all_reduce_s(&t->link, t->gpus, bytes);
  if (t->gathers > 0) {
    double reached = tdm_llm_experts_reached((int64_t)t->expert_groups, t->experts_active);
    sum += t->gathers *
           tdm_llm_all_gather_s(&t->link, t->gpus * (int64_t)t->data, bytes * t->data * reached);
  }
  return t->sends > 0 ? sum + t->sends * tdm_llm_send_s(&t->link, bytes) : sum;
}

static double table_step_s(const tdm_llm_step *base, const tdm_llm_batch *batch) {
  const table *m = (const table *)base;
  return fixed_s(m, batch) + m->t.attention_layers * attention_s(m, batch);
}

/* Steps after this one over which attention stays linear: up to the first at or beyond the next
 * measured context or bucket edge. At a measured context both sides agree; past an edge they do
 * not, so that the step at an edge, which still belongs to the bucket, ends the piece. */
static double linear_steps(const table *m, const tdm_llm_batch *b) {
  double mean = b->decode_context / (double)b->decode_seqs, most = (double)b->decode_context_max;
  double point[4] = {0, 0, (double)b->decode_seqs, mean};
  double steps = floor(tdm_llm_grid_next(m->t.attention, point) - mean);
  const tdm_llm_skew *s = &m->t.skew;
  if (s->prefill_count == 0 || b->decode_seqs < 2 || most <= mean) return steps;
  point[3] = most;
  steps = tdm_least_real(steps, tdm_llm_grid_next(m->t.attention, point) - most);
  steps = tdm_least_real(steps, next_edge(&s->longest, most) - most);
  if (b->decode_squares > 0) return steps; /* all move alike: the rate stays */
  /* (mean + i) / (most + i) ≤ edge */
  double edge = next_edge(&s->rate, mean / most);
  if (edge < 1) steps = tdm_least_real(steps, floor((edge * most - mean) / (1 - edge)));
  return steps;
}

static tdm_llm_batch later(tdm_llm_batch b, double steps) {
  tdm_llm_batch_grow(&b, (int64_t)steps);
  return b;
}

/* Σ max(0, gap) over steps from `first` to `last` at even distances. */
static double gaps_s(double first, double last, double steps) {
  if (first <= 0 && last <= 0) return 0;
  if (first < 0) { /* backwards it falls */
    double swapped = first;
    first = last;
    last = swapped;
  }
  if (last < 0) {
    double slope = (last - first) / (steps - 1);
    steps = floor(-first / slope) + 1;
    last = first + slope * (steps - 1);
  }
  return steps * (first + last) / 2;
}

static double table_decode_run_s(const tdm_llm_step *base, const tdm_llm_batch *batch, int64_t k) {
  const table *m = (const table *)base;
  double left = (double)k, attention = 0;
  tdm_llm_batch now = *batch;
  while (left > 0) {
    double steps = linear_steps(m, &now) + 1; /* this one and those after it */
    if (!(steps >= 1)) steps = 1;
    steps = tdm_least_real(steps, left);
    tdm_llm_batch end = later(now, steps - 1);
    chunk first = chunk_of(m, &now, 0, 0), last = chunk_of(m, &end, 0, 0);
    attention += steps * (first.mean_s + last.mean_s) / 2 +
                 first.alpha * gaps_s(first.gap_s, last.gap_s, steps);
    now = later(end, 1);
    left -= steps;
  }
  return fixed_s(m, batch) * (double)k + m->t.attention_layers * attention;
}

/* ---- making */

static void free_grids(const tdm_llm_table *t) {
  tdm_llm_grid_free(t->tokens);
  tdm_llm_grid_free(t->attention);
  tdm_llm_grid_free(t->experts);
  tdm_llm_grid_free(t->sampled);
  tdm_llm_grid_free(t->link.all_reduce);
}

static void table_free(tdm_llm_step *base) {
  table *m = (table *)base;
  free_grids(&m->t);
  free(m->numbers);
  free(m);
}

static const tdm_llm_step_kind table_kind = {.name = "table",
                                             .step_s = table_step_s,
                                             .decode_run_s = table_decode_run_s,
                                             .free = table_free};

static size_t alpha_count(const tdm_llm_skew *s) {
  return s->prefill_count * (s->seqs.count + 1) * (s->rate.count + 1) * (s->longest.count + 1) *
         (s->context.count + 1);
}

static const double *keep(double **to, const double *from, size_t count) {
  double *kept = *to;
  if (count > 0) memcpy(kept, from, count * sizeof *from);
  *to += count;
  return kept;
}

static bool keep_skew(table *m) {
  tdm_llm_skew *s = &m->t.skew;
  if (s->prefill_count == 0) return true;
  size_t alphas = alpha_count(s);
  m->numbers = tdm_array_new(s->prefill_count + s->seqs.count + s->rate.count + s->longest.count +
                                 s->context.count + alphas,
                             sizeof(double));
  if (m->numbers == NULL) return false;
  double *to = m->numbers;
  s->prefill_tokens = keep(&to, s->prefill_tokens, s->prefill_count);
  s->seqs.edges = keep(&to, s->seqs.edges, s->seqs.count);
  s->rate.edges = keep(&to, s->rate.edges, s->rate.count);
  s->longest.edges = keep(&to, s->longest.edges, s->longest.count);
  s->context.edges = keep(&to, s->context.edges, s->context.count);
  s->alpha = keep(&to, s->alpha, alphas);
  return true;
}

static const char *unfit(const tdm_llm_table *t) {
  if (t->tokens == NULL) return "no times by tokens";
  if (t->attention == NULL) return "no times of attention";
  if (!(t->attention_layers > 0)) return "no layers";
  if (t->experts != NULL && (t->experts_active < 1 || t->experts_active > t->experts_all))
    return "experts in use must be 1 to all of them";
  if (t->experts != NULL && !(t->expert_groups >= 1)) return "experts are shared by 1 GPU or more";
  if (t->data != 0 && !(t->data >= 1 && t->data <= 1 << 20))
    return "1 group of GPUs or more, up to a million";
  bool linked = t->link.bandwidth > 0;
  if ((t->gathers > 0 || t->sends > 0) && !linked) return "several GPUs and no link between them";
  if (t->gpus > 1 && t->link.all_reduce == NULL && !linked)
    return "several GPUs and no link between them";
  if (!(t->step_s >= 0 && t->sequence_s >= 0)) return "overheads must be seconds ≥ 0";
  const tdm_llm_skew *s = &t->skew;
  for (size_t i = 0; i < (s->prefill_count > 0 ? alpha_count(s) : 0); i++)
    if (!(s->alpha[i] >= 0 && s->alpha[i] <= 1)) return "shares of skew must be in [0, 1]";
  return NULL;
}

tdm_status tdm_llm_table_new(const tdm_llm_table *t, tdm_llm_step **out, tdm_error *error) {
  *out = NULL;
  const char *why = unfit(t);
  table *made = why == NULL ? calloc(1, sizeof *made) : NULL;
  if (made == NULL) {
    free_grids(t);
    if (why != NULL) return tdm_error_set(error, TDM_INVALID, "table step model: %s", why);
    return tdm_error_memory(error, "table step model", sizeof *made);
  }
  made->base.kind = &table_kind;
  made->t = *t;
  if (made->t.data == 0) made->t.data = 1;
  const double *axis;
  size_t count = tdm_llm_grid_first_axis(t->attention, &axis);
  for (size_t i = count; i > 0 && axis[i - 1] > 0; i--) made->least_prefill = axis[i - 1];
  if (made->least_prefill > 0) made->most_prefill = axis[count - 1];
  if (!keep_skew(made)) {
    table_free(&made->base);
    return tdm_error_memory(error, "table step model", alpha_count(&t->skew) * sizeof(double));
  }
  *out = &made->base;
  return TDM_OK;
}
