/* What step models share: runs of a kind without a closed form, sums of terms, energy, functions
 * that are asked; and single steps of a table against arithmetic done by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/llm/affine.h"
#include "model/llm/callback.h"
#include "model/llm/capped.h"
#include "model/llm/power.h"
#include "model/llm/roofline.h"
#include "model/llm/table.h"

static bool near(double value, double expected) {
  return fabs(value - expected) <= 1e-12 * fabs(expected);
}

/* Two sequences with 40 keys. */
static tdm_llm_batch two(void) {
  tdm_llm_batch b = {0};
  tdm_llm_batch_add_decode(&b, 10);
  tdm_llm_batch_add_decode(&b, 30);
  return b;
}

/* ---- a kind without a closed form */

static double context_squared(const tdm_llm_step *model, const tdm_llm_batch *b) {
  (void)model;
  return b->decode_context * b->decode_context;
}
static void keep(tdm_llm_step *model) {
  (void)model;
}

static void a_run_without_a_closed_form_is_summed(void **state) {
  (void)state;
  const tdm_llm_step_kind kind = {.name = "squares", .step_s = context_squared, .free = keep};
  const tdm_llm_step model = {&kind};
  tdm_llm_batch b = two(), none = {0}, prompt = {0};
  assert_true(tdm_llm_decode_run_s(&model, &b, 0) == 0);
  assert_true(tdm_llm_decode_run_s(&model, &b, 1) == 40 * 40);
  assert_true(tdm_llm_decode_run_s(&model, &b, 3) == 40 * 40 + 42 * 42 + 44 * 44);
  none.decode_context = prompt.decode_context = 7;
  assert_true(tdm_llm_step_s(&model, &none) == 0 && tdm_llm_decode_run_s(&model, &none, 5) == 0);
  prompt.prefill_tokens = 1;
  assert_true(tdm_llm_step_s(&model, &prompt) == 49);
}

/* ---- terms */

static void terms_of_a_row_are_those_of_its_steps(void **state) {
  (void)state;
  double sums[TDM_LLM_TERMS] = {0};
  tdm_llm_batch b = two();
  tdm_llm_terms_add(sums, &b, 3); /* keys 40, 42, 44; the longest 30, 31, 32 */
  const double row[TDM_LLM_TERMS] = {3, 0, 3, 0, 0, 0, 0, 0, 6, 126, 93, 6};
  for (int i = 0; i < TDM_LLM_TERMS; i++) assert_true(sums[i] == row[i]);
  tdm_llm_batch_add_prefill(&b, 4, 6, 1); /* 34 pairs */
  tdm_llm_terms_add(sums, &b, 1);
  const double both[TDM_LLM_TERMS] = {4, 1, 4, 1, 4, 6, 34, 16, 8, 166, 123, 9};
  for (int i = 0; i < TDM_LLM_TERMS; i++) assert_true(sums[i] == both[i]);
  tdm_llm_batch prompt = {0};
  tdm_llm_batch_add_prefill(&prompt, 2, 5, 0); /* 13 pairs */
  double twice[TDM_LLM_TERMS] = {0};
  tdm_llm_terms_add(twice, &prompt, 2);
  const double prompts[TDM_LLM_TERMS] = {2, 2, 0, 2, 4, 10, 26, 8, 0, 0, 0, 0};
  for (int i = 0; i < TDM_LLM_TERMS; i++) assert_true(twice[i] == prompts[i]);
}

/* ---- energy */

static tdm_llm_step *affine(double step, double context) {
  tdm_llm_step *model = NULL;
  const tdm_llm_affine_piece piece = {
      .decode_seqs_max = INFINITY, .step = step, .decode_context = context};
  assert_int_equal(tdm_llm_affine_new(&piece, 1, 0, &model, NULL), TDM_OK);
  return model;
}

static const tdm_llm_power shares = {.limit_w = 700,
                                     .idle = 0.1,
                                     .active = 0.2,
                                     .memory = 0.5,
                                     .arithmetic = 0.4,
                                     .cap = 1,
                                     .width = 2};

static tdm_llm_power *power_of(tdm_llm_power p) {
  p.memory_step = affine(2e-3, 1e-5);
  p.arithmetic_step = affine(1e-3, 0);
  tdm_llm_power *made;
  tdm_status status = tdm_llm_power_new(&p, &made, NULL);
  assert_true((status == TDM_OK) == (made != NULL));
  return made;
}

static void steps_draw_by_what_they_keep_busy_up_to_the_limit(void **state) {
  (void)state;
  tdm_llm_power *p = power_of(shares);
  tdm_llm_batch b = two();
  /* Memory is busy for 2.4 ms of ten, arithmetic for one; two GPUs. */
  double drawn = 0.2 * 10e-3 + 0.5 * 2.4e-3 + 0.4 * 1e-3;
  assert_true(near(tdm_llm_power_steps_j(p, &b, 1, 10e-3), 2 * 700 * (drawn - 0.1 * 10e-3)));
  drawn = 0.2 * 30e-3 + 0.5 * (2.4e-3 + 2.42e-3 + 2.44e-3) + 0.4 * 3e-3;
  assert_true(near(tdm_llm_power_steps_j(p, &b, 3, 30e-3), 2 * 700 * (drawn - 0.1 * 30e-3)));
  assert_true(near(tdm_llm_power_steps_j(p, &b, 1, 1e-3), 2 * 700 * (1e-3 - 0.1e-3)));
  tdm_llm_batch prompt = {0};
  tdm_llm_batch_add_prefill(&prompt, 8, 0, 1);
  drawn = 0.2 * 10e-3 + 0.5 * 2e-3 + 0.4 * 1e-3;
  assert_true(near(tdm_llm_power_steps_j(p, &prompt, 1, 10e-3), 1400 * (drawn - 0.1 * 10e-3)));
  tdm_llm_power_free(p);
  tdm_llm_power_free(NULL);
}

static bool powers(double limit_w, double idle, double active, double memory, double arithmetic,
                   double width) {
  tdm_llm_power *p =
      power_of((tdm_llm_power){limit_w, idle, active, memory, arithmetic, 1, width, NULL, NULL});
  tdm_llm_power_free(p);
  return p != NULL;
}

static void powers_are_taken_up_to_their_limits(void **state) {
  (void)state;
  assert_true(powers(1e-9, 0, 0, 0, 0, 1e-9));
  assert_true(powers(700, 1, 1, 2, 2, 8));
  assert_false(powers(0, 0.1, 0.2, 0.5, 0.4, 2));
  assert_false(powers(INFINITY, 0.1, 0.2, 0.5, 0.4, 2));
  assert_false(powers(700, -0.1, 0.2, 0.5, 0.4, 2));
  assert_false(powers(700, 0.1, 1.1, 0.5, 0.4, 2));
  assert_false(powers(700, 0.3, 0.2, 0.5, 0.4, 2));
  assert_false(powers(700, 0.1, 0.2, -0.5, 0.4, 2));
  assert_false(powers(700, 0.1, 0.2, 0.5, -0.4, 2));
  assert_false(powers(700, 0.1, 0.2, 0.5, 0.4, 0));
  tdm_llm_power capped = shares;
  for (int i = 0; i < 4; i++) {
    capped.cap = (double[]){0.1, 0.5, 0.09, 1.1}[i];
    tdm_llm_power *p = power_of(capped);
    assert_true((p != NULL) == (i < 2));
    tdm_llm_power_free(p);
  }
}

/* ---- caps */

static const tdm_llm_cap law = {.memory = 0.2, .arithmetic = 0.5, .full = 0.5, .draw = 1};

/* Steps of 4 ms and 0.1 ms a key; memory is busy for 2 ms and 0.01 ms a key, arithmetic for 1 ms.
 */
static tdm_llm_step *under(double cap, tdm_llm_cap numbers) {
  tdm_llm_power p = shares;
  p.cap = cap;
  tdm_llm_step *made = NULL;
  tdm_status status = tdm_llm_capped_new(affine(4e-3, 1e-4), power_of(p), &numbers, &made, NULL);
  assert_true((status == TDM_OK) == (made != NULL));
  return made;
}

/* By how much a step is longer whose sequences have so many keys together. */
static double longer(double cap, double draw, double keys) {
  double s = 4e-3 + 1e-4 * keys, memory_s = 2e-3 + 1e-5 * keys;
  double wants = draw * (0.2 + (0.5 * memory_s + 0.4 * 1e-3) / s);
  if (wants <= cap) return 1;
  double x = (fmin(wants, 1) - 0.1) / (cap - 0.1) - 1, busy = 1e-3 / (0.5 * s);
  return 1 + (0.2 + 0.3 * busy) * x * x;
}

static void capped_steps_take_longer_by_what_they_lack(void **state) {
  (void)state;
  tdm_llm_step *tight = under(0.3, law), *loose = under(0.9, law);
  tdm_llm_step *greedy = under(0.3, (tdm_llm_cap){0.2, 0.5, 0.5, 2});
  /* Two sequences of 10 and 30 keys: a row of 64 keys counts as its middle, 32. */
  tdm_llm_batch b = two(), prompt = {0};
  double s = 4e-3 + 1e-4 * 40;
  assert_true(longer(0.3, 1, 64) > 1.01 && longer(0.3, 2, 64) > longer(0.3, 1, 64));
  assert_true(near(tdm_llm_step_s(tight, &b), s * longer(0.3, 1, 64)));
  assert_true(near(tdm_llm_step_s(greedy, &b), s * longer(0.3, 2, 64)));
  assert_true(near(tdm_llm_step_s(loose, &b), s));
  tdm_llm_batch_add_prefill(&prompt, 8, 0, 1);
  assert_true(near(tdm_llm_step_s(tight, &prompt), 4e-3 * longer(0.3, 1, 0)));
  for (int i = 0; i < 3; i++) tdm_llm_step_free((tdm_llm_step *[]){tight, loose, greedy}[i]);
  assert_null(under(0.1, law)); /* what it draws idle */
  assert_null(under(0.3, (tdm_llm_cap){-0.1, 0.5, 0.5, 1}));
  assert_null(under(0.3, (tdm_llm_cap){0.2, INFINITY, 0.5, 1}));
  assert_null(under(0.3, (tdm_llm_cap){0.2, 0.5, 0, 1}));
  assert_null(under(0.3, (tdm_llm_cap){0.2, 0.5, 0.5, 0}));
}

static void a_run_under_a_cap_is_the_sum_of_its_steps(void **state) {
  (void)state;
  tdm_llm_step *m = under(0.3, law);
  for (int first = 0; first < 3; first++) {
    tdm_llm_batch begin = {0};
    tdm_llm_batch_add_decode(&begin, 60 + first);
    tdm_llm_batch_add_decode(&begin, 65);
    tdm_llm_batch now = begin;
    double sum = 0;
    for (int64_t k = 0; k < 200; k++) {
      double run_s = tdm_llm_decode_run_s(m, &begin, k);
      assert_true(fabs(run_s - sum) <= 1e-12 * sum);
      sum += tdm_llm_step_s(m, &now);
      tdm_llm_batch_grow(&now, 1);
    }
  }
  tdm_llm_step_free(m);
}

/* ---- asked functions */

typedef struct {
  int asked;
  uint32_t function;
} answerer;

static double keys_of(void *context, uint32_t function, const tdm_llm_batch *b) {
  answerer *a = context;
  a->asked++;
  a->function = function;
  return b->decode_context;
}

static void a_function_is_asked_once_a_step_however_rows_are_cut(void **state) {
  (void)state;
  tdm_llm_step *free_one = NULL, *model = NULL;
  answerer a = {0};
  const tdm_llm_asking asking = {&a, keys_of};
  tdm_llm_batch b = two(), other = two(), third = two();
  assert_int_equal(tdm_llm_callback_new(7, &free_one, NULL), TDM_OK);
  assert_true(tdm_llm_callback_is(free_one));
  assert_true(isnan(tdm_llm_step_s(free_one, &b)) && isnan(tdm_llm_decode_run_s(free_one, &b, 2)));
  assert_int_equal(tdm_llm_callback_bind(free_one, &asking, &model, NULL), TDM_OK);
  assert_true(tdm_llm_decode_run_s(model, &b, 0) == 0 && a.asked == 0);
  assert_true(tdm_llm_decode_run_s(model, &b, 2) == 40 + 42 && a.asked == 2);
  assert_int_equal(a.function, 7);
  assert_true(tdm_llm_decode_run_s(model, &b, 1) == 40 && a.asked == 2);
  assert_true(tdm_llm_decode_run_s(model, &b, 4) == 40 + 42 + 44 + 46 && a.asked == 4);
  /* Beside it another row; a third takes the place of the one asked before. */
  tdm_llm_batch_add_decode(&other, 60);
  assert_true(tdm_llm_decode_run_s(model, &other, 2) == 100 + 103 && a.asked == 6);
  assert_true(tdm_llm_decode_run_s(model, &b, 3) == 40 + 42 + 44 && a.asked == 6);
  assert_true(tdm_llm_decode_run_s(model, &other, 1) == 100 && a.asked == 6);
  tdm_llm_batch_add_decode(&third, 5);
  assert_true(tdm_llm_decode_run_s(model, &third, 1) == 45 && a.asked == 7);
  assert_true(tdm_llm_decode_run_s(model, &other, 2) == 100 + 103 && a.asked == 7);
  assert_true(tdm_llm_decode_run_s(model, &b, 1) == 40 && a.asked == 8);
  assert_true(tdm_llm_step_s(model, &third) == 45);
  tdm_llm_step_free(model);
  tdm_llm_step_free(free_one);
  tdm_llm_step *fitted = affine(1, 0);
  assert_false(tdm_llm_callback_is(fitted));
  assert_int_equal(tdm_llm_callback_bind(fitted, &asking, &model, NULL), TDM_OK);
  assert_null(model);
  tdm_llm_step_free(fitted);
}

/* ---- steps of a table */

/* Seconds of one layer by prompt tokens, their context, sequences and their mean context. Linear in
 * each alone, hence the grid's own everywhere behind its first points. */
static double layer_s(double tokens, double context, double seqs, double mean) {
  return 1e-6 * (2 + tokens + 0.01 * tokens * context + 0.1 * seqs * mean);
}
/* One that tokens do not matter to, their context does; longer sequences are quicker. */
static double odd_layer_s(double tokens, double context, double seqs, double mean) {
  (void)tokens;
  return 1e-6 * (200 + context - 0.01 * seqs * mean);
}

static tdm_llm_grid *curve(const char *what, const double *rows, size_t count) {
  tdm_llm_grid *made = NULL;
  assert_int_equal(tdm_llm_grid_new(what, 1, rows, count, &made, NULL), TDM_OK);
  return made;
}

static tdm_llm_table table_of(double (*layer)(double, double, double, double)) {
  static const double tokens[] = {0, 16, 64}, contexts[] = {0, 100}, seqs[] = {0, 1, 8};
  static const double means[] = {0, 50, 200}, by_tokens[] = {1, 1e-3, 101, 2e-3};
  static const double by_sampled[] = {1, 3e-4, 11, 5e-4};
  static const double by_experts[] = {1, 1, 2e-5, 1, 4, 5e-5, 101, 1, 1.2e-4, 101, 4, 1.5e-4};
  double rows[3 * 2 * 3 * 3 * 5];
  size_t n = 0;
  for (size_t t = 0; t < 3; t++)
    for (size_t c = 0; c < 2; c++)
      for (size_t s = 0; s < 3; s++)
        for (size_t m = 0; m < 3; m++, n += 5) {
          rows[n] = tokens[t], rows[n + 1] = contexts[c], rows[n + 2] = seqs[s];
          rows[n + 3] = means[m], rows[n + 4] = layer(tokens[t], contexts[c], seqs[s], means[m]);
        }
  tdm_llm_table t = {.attention_layers = 10,
                     .expert_layers = 6,
                     .experts_all = 16,
                     .experts_active = 2,
                     .expert_groups = 4,
                     .link = {.latency_s = 6e-6, .hop_s = 3e-6, .bandwidth = 360e9},
                     .reduces = 20,
                     .reduce_bytes = 128,
                     .gpus = 2,
                     .step_s = 1e-4,
                     .sequence_s = 5e-6};
  assert_int_equal(tdm_llm_grid_new("attention", 4, rows, n / 5, &t.attention, NULL), TDM_OK);
  assert_int_equal(tdm_llm_grid_new("experts", 2, by_experts, 4, &t.experts, NULL), TDM_OK);
  t.tokens = curve("tokens", by_tokens, 2);
  t.sampled = curve("sampled", by_sampled, 2);
  return t;
}

/* Everything outside attention. */
static double rest_s(double tokens, double seqs, double sampled) {
  double met = 16 * (1 - pow(14.0 / 16, tokens)) / 4, share = tokens / 4;
  double expert_s = (share < 1 ? 2e-5 : 2e-5 + (share - 1) * 1e-6) + (met < 1 ? 0 : met - 1) * 1e-5;
  return 1e-4 + 5e-6 * seqs + 1e-3 + (tokens - 1) * 1e-5 +
         (sampled > 0 ? 3e-4 + (sampled - 1) * 2e-5 : 0) + 6 * expert_s +
         20 * (9e-6 + tokens * 128 / 360e9);
}

static double step_of(tdm_llm_table t, const tdm_llm_batch *b) {
  tdm_llm_step *model = NULL;
  assert_int_equal(tdm_llm_table_new(&t, &model, NULL), TDM_OK);
  double s = tdm_llm_step_s(model, b);
  tdm_llm_step_free(model);
  return s;
}

/* Three that decode, of one length. */
static tdm_llm_batch three(void) {
  tdm_llm_batch b = {0};
  for (int i = 0; i < 3; i++) tdm_llm_batch_add_decode(&b, 60);
  return b;
}

static void a_step_is_the_sum_of_its_operators(void **state) {
  (void)state;
  tdm_llm_batch b = three();
  assert_true(near(step_of(table_of(layer_s), &b), rest_s(3, 3, 3) + 10 * layer_s(0, 0, 3, 60)));
  tdm_llm_batch_add_prefill(&b, 30, 40, 1);
  assert_true(near(step_of(table_of(layer_s), &b), rest_s(33, 4, 4) + 10 * layer_s(30, 40, 3, 60)));
  tdm_llm_batch prompt = {0}; /* one that goes on: nothing is sampled */
  tdm_llm_batch_add_prefill(&prompt, 30, 40, 0);
  assert_true(
      near(step_of(table_of(layer_s), &prompt), rest_s(30, 1, 0) + 10 * layer_s(30, 40, 0, 0)));
  tdm_llm_table bare = table_of(layer_s);
  tdm_llm_grid_free(bare.experts);
  tdm_llm_grid_free(bare.sampled);
  bare.experts = bare.sampled = NULL;
  bare.gpus = 1;
  assert_true(
      near(step_of(bare, &prompt), 1e-4 + 5e-6 + 1e-3 + 29e-5 + 10 * layer_s(30, 40, 0, 0)));
}

static void chunks_take_as_long_as_one_with_as_many_pairs(void **state) {
  (void)state;
  tdm_llm_batch b = three();
  tdm_llm_batch_add_prefill(&b, 4, 40, 1); /* as long as the shortest that was measured */
  assert_true(near(step_of(table_of(layer_s), &b), rest_s(7, 4, 4) + 10 * layer_s(16, 40, 3, 60)));
  b = three();
  tdm_llm_batch_add_prefill(&b, 30, 40, 1);
  tdm_llm_batch_add_prefill(&b, 10, 0, 1); /* 1720 pairs: 40 tokens on 22.5 */
  double together = rest_s(43, 5, 5) + 10 * layer_s(40, 22.5, 3, 60);
  assert_true(near(step_of(table_of(layer_s), &b), together));
  b = three(); /* 41 tokens on 95, but no quicker than 21 on 100 */
  tdm_llm_batch_add_prefill(&b, 20, 100, 1);
  tdm_llm_batch_add_prefill(&b, 21, 100, 1);
  assert_true(near(step_of(table_of(odd_layer_s), &b),
                   rest_s(44, 5, 5) + 10 * odd_layer_s(21, 100, 3, 60)));
}

static void drafts_take_their_share_of_a_chunk(void **state) {
  (void)state;
  tdm_llm_batch b = {0};
  for (int i = 0; i < 3; i++) tdm_llm_batch_add_decode(&b, 2);
  tdm_llm_batch_add_drafts(&b, 3, 8, 6); /* 156 pairs, of 300 that 24 tokens of one would have */
  double share = 156.0 / 300;
  double attention = layer_s(24, 0, 3, 2) - (1 - share) * layer_s(24, 0, 0, 0);
  assert_true(near(step_of(table_of(layer_s), &b), rest_s(27, 3, 27) + 10 * attention));
  b = three();
  tdm_llm_batch_add_drafts(&b, 3, 8, 180); /* 1548 pairs: 24 tokens on 52 */
  assert_true(
      near(step_of(table_of(layer_s), &b), rest_s(27, 3, 27) + 10 * layer_s(24, 52, 3, 60)));
}

/* ---- unequal lengths */

static const double seq_edges[] = {2, 4}, rate_edges[] = {0.2, 0.5}, longest_edges[] = {80, 120};
static const double context_edges[] = {0, 50}, prefills[] = {0, 16, 64};

/* α that says which of its buckets it is of. */
static const double *told(void) {
  static double alpha[3 * 81];
  for (size_t i = 0; i < 3 * 81; i++)
    alpha[i] = 0.3 * (double)(i / 81) + 0.1 * (double)(i / 27 % 3) + 0.01 * (double)(i / 9 % 3) +
               0.001 * (double)(i / 3 % 3) + 0.0001 * (double)(i % 3);
  return alpha;
}

/* α of a step with these lengths and maybe a chunk. */
static double alpha_of(size_t seqs, const int64_t *lengths, int64_t chunk, int64_t context,
                       bool squares) {
  tdm_llm_table t = table_of(layer_s);
  t.skew = (tdm_llm_skew){
      prefills, 3, {seq_edges, 2}, {rate_edges, 2}, {longest_edges, 2}, {context_edges, 2}, told()};
  tdm_llm_batch b = {0};
  for (size_t i = 0; i < seqs; i++) tdm_llm_batch_add_decode(&b, lengths[i]);
  if (!squares) b.decode_squares = 0;
  double n = (double)seqs, mean = b.decode_context / n, most = (double)b.decode_context_max;
  double sampled = n;
  if (chunk > 0) {
    tdm_llm_batch_add_prefill(&b, chunk, context, 1);
    sampled++;
  }
  double tokens = (double)chunk, before = (double)context;
  double attention = (step_of(t, &b) - rest_s(n + tokens, sampled, sampled)) / 10;
  /* Of more than 64, the longest that was measured, the sequences meet what is left. */
  for (; tokens > 64; tokens -= 64, before += 64) attention -= layer_s(64, before, 0, 0);
  double measured = chunk > 0 && tokens < 16 ? 16 : tokens;
  double equal = layer_s(measured, before, n, mean), all = layer_s(measured, before, n, most);
  return (attention - equal) / (all - equal);
}

#define ALPHA(expected, seqs, chunk, context, squares, ...)                                        \
  assert_true(fabs(alpha_of(seqs, (const int64_t[]){__VA_ARGS__}, chunk, context, squares) -       \
                   (expected)) < 1e-9)

static void the_share_of_the_way_is_that_of_the_buckets(void **state) {
  (void)state;
  /* Two lengths of which one in two is long: rate 0.5, the second bucket up to its edge. */
  ALPHA(0.01 + 0.0, 2, 0, 0, true, 40, 80);
  ALPHA(0.01 + 0.001, 2, 0, 0, true, 41, 81);
  ALPHA(0.01 + 0.002, 2, 0, 0, true, 80, 121);
  ALPHA(0.1 + 0.01, 4, 0, 0, true, 40, 80, 40, 80);
  ALPHA(0.1 + 0.02, 3, 0, 0, true, 40, 80, 80);  /* two of three */
  ALPHA(0.2, 5, 0, 0, true, 40, 80, 40, 40, 40); /* one in five: up to its edge */
  ALPHA(0.2 + 0.01, 6, 0, 0, true, 40, 80, 40, 40, 40, 80);
  /* Without squares the shortest is taken to be nothing: mean 60 of 80. */
  ALPHA(0.02, 2, 0, 0, false, 40, 80);
  ALPHA(0.02 + 0.001, 2, 0, 0, false, 81, 80);
  ALPHA(0.01, 2, 0, 0, false, 0, 80);
  /* Prompts beside them: 0.3 at 16, 0.6 at 64; its context has buckets too. */
  ALPHA(0.3 + 0.01, 2, 16, 0, true, 40, 80);
  ALPHA(0.3 + 0.01, 2, 3, 0, true, 40, 80);
  ALPHA(0.45 + 0.01 + 0.0001, 2, 40, 50, true, 40, 80);
  ALPHA(0.6 + 0.01 + 0.0002, 2, 64, 51, true, 40, 80);
  /* Beyond 64 that of what is left: 40 after 65, 64 after 128, 3 after 64. */
  ALPHA(0.45 + 0.01 + 0.0002, 2, 104, 1, true, 40, 80);
  ALPHA(0.6 + 0.01 + 0.0002, 2, 192, 0, true, 40, 80);
  ALPHA(0.3 + 0.01 + 0.0002, 2, 67, 0, true, 40, 80);
}

static void none_is_paid_where_the_longest_is_no_slower(void **state) {
  (void)state;
  tdm_llm_table t = table_of(odd_layer_s);
  t.skew = (tdm_llm_skew){
      prefills, 3, {seq_edges, 2}, {rate_edges, 2}, {longest_edges, 2}, {context_edges, 2}, told()};
  tdm_llm_batch b = two();
  assert_true(near(step_of(t, &b), rest_s(2, 2, 2) + 10 * odd_layer_s(0, 0, 2, 20)));
}

/* The longest reaches the side where the others do not yet climb, or climb alone: within one piece
 * the gap between them changes its sign. */
static void gaps_count_while_they_are_above_nothing(void **state) {
  (void)state;
  static const double alpha[] = {0.5}, any_tokens[] = {1, 20};
  for (int up = 0; up < 2; up++) {
    double hill[] = {0, 0, 0, 0, 1, 0, 0, 0, 100, 10, 0, 0, 0, 300, 1,
                     0, 0, 2, 0, 1, 0, 0, 2, 100, 10, 0, 0, 2, 300, 1};
    if (up) hill[9] = hill[24] = -8; /* a valley */
    tdm_llm_table t = {.attention_layers = 1, .gpus = 1, .tokens = curve("t", any_tokens, 1)};
    assert_int_equal(tdm_llm_grid_new("attention", 4, hill, 6, &t.attention, NULL), TDM_OK);
    t.skew = (tdm_llm_skew){.prefill_tokens = prefills, .prefill_count = 1, .alpha = alpha};
    tdm_llm_step *model = NULL;
    assert_int_equal(tdm_llm_table_new(&t, &model, NULL), TDM_OK);
    tdm_llm_batch b = {0}, now;
    tdm_llm_batch_add_decode(&b, 0);
    tdm_llm_batch_add_decode(&b, 110);
    now = b;
    double sum = 0;
    for (int64_t k = 0; k < 60; k++) {
      assert_true(fabs(tdm_llm_decode_run_s(model, &b, k) - sum) < 1e-9);
      sum += tdm_llm_step_s(model, &now);
      tdm_llm_batch_grow(&now, 1);
    }
    tdm_llm_step_free(model);
  }
}

/* ---- tables that lack something */

static bool takes(tdm_llm_table t) {
  tdm_llm_step *model;
  bool taken = tdm_llm_table_new(&t, &model, NULL) == TDM_OK;
  assert_true(taken == (model != NULL));
  tdm_llm_step_free(model);
  return taken;
}

#define TAKES(expected, change)                                                                    \
  do {                                                                                             \
    tdm_llm_table t = table_of(layer_s);                                                           \
    change;                                                                                        \
    assert_true(takes(t) == (expected));                                                           \
  } while (0)

static void without(tdm_llm_grid **grid) {
  tdm_llm_grid_free(*grid);
  *grid = NULL;
}

static void tables_are_taken_up_to_their_limits(void **state) {
  (void)state;
  TAKES(true, t.attention_layers = 1e-3);
  TAKES(false, t.attention_layers = 0);
  TAKES(false, without(&t.tokens));
  TAKES(false, without(&t.attention));
  TAKES(true, without(&t.sampled));
  TAKES(true, t.experts_active = 1);
  TAKES(false, t.experts_active = 0);
  TAKES(true, t.experts_active = 16);
  TAKES(false, t.experts_active = 17);
  TAKES(true, t.expert_groups = 1);
  TAKES(false, t.expert_groups = 0.5);
  TAKES(true, (without(&t.experts), t.experts_active = 0, t.expert_groups = 0));
  TAKES(false, t.link.bandwidth = 0);
  TAKES(true, (t.link.bandwidth = 0, t.gpus = 1));
  TAKES(true, (t.step_s = 0, t.sequence_s = 0));
  TAKES(false, t.step_s = -1e-9);
  TAKES(false, t.sequence_s = -1e-9);
  double alpha[] = {0, 1};
  const tdm_llm_skew skew = {.prefill_tokens = prefills, .prefill_count = 2, .alpha = alpha};
  TAKES(true, t.skew = skew);
  alpha[1] = 1.0001;
  TAKES(false, t.skew = skew);
  alpha[1] = 1, alpha[0] = -1e-9;
  TAKES(false, t.skew = skew);
  alpha[0] = NAN;
  TAKES(false, t.skew = skew);
  const double by_gpus[] = {2, 0, 1e-5};
  tdm_llm_table t = table_of(layer_s);
  t.link.bandwidth = 0;
  assert_int_equal(tdm_llm_grid_new("reduce", 2, by_gpus, 1, &t.link.all_reduce, NULL), TDM_OK);
  assert_true(takes(t));
}

/* ---- grids */

static double at(const tdm_llm_grid *g, double x, double y) {
  const double point[] = {x, y};
  return tdm_llm_grid_at(g, point);
}
static double after(const tdm_llm_grid *g, double x, double y) {
  const double point[] = {x, y};
  return tdm_llm_grid_next(g, point);
}

static void each_value_has_an_axis_of_its_own_below_it(void **state) {
  (void)state;
  const double rows[] = {2, 30, 9, 1, 20, 5, 2, 15, 7, 1, 10, 3};
  tdm_llm_grid *g = NULL;
  assert_int_equal(tdm_llm_grid_new("test", 2, rows, 4, &g, NULL), TDM_OK);
  const double *axis;
  assert_int_equal(tdm_llm_grid_first_axis(g, &axis), 2);
  assert_true(axis[0] == 1 && axis[1] == 2);
  assert_true(at(g, 1, 10) == 3 && at(g, 1, 20) == 5 && at(g, 2, 15) == 7 && at(g, 2, 30) == 9);
  assert_true(at(g, 1, 15) == 4 && at(g, 1.5, 15) == 5.5 && at(g, 0, 0) == 3);
  assert_true(after(g, 1, 9) == 10 && after(g, 1, 10) == 20 && isinf(after(g, 1, 20)));
  assert_true(after(g, 2, 20) == 30 && isinf(after(g, 2, 30)));
  assert_true(after(g, 1.5, 12) == 15 && after(g, 1.5, 16) == 20 && after(g, 1.5, 25) == 30);
  assert_true(after(g, 3, 12) == 15 && after(g, 0, 12) == 20);
  tdm_llm_grid_free(g);
}

static void the_slope_beyond_the_last_is_that_from_half_of_it(void **state) {
  (void)state;
  const double many[] = {1, 10, 2, 20, 3.9, 100, 4, 40}, few[] = {3, 30, 4, 50};
  const double edge[] = {1, 10, 2, 15, 3, 26};
  double x = 8;
  tdm_llm_grid *g = curve("many", many, 4);
  assert_true(tdm_llm_grid_at(g, &x) == 80); /* by 2 and 4 */
  tdm_llm_grid_free(g);
  g = curve("few", few, 2);
  assert_true(tdm_llm_grid_at(g, &x) == 130);
  tdm_llm_grid_free(g);
  g = curve("edge", edge, 3);
  assert_true(tdm_llm_grid_at(g, &x) == 66); /* 1.5: by 1 and 3 */
  tdm_llm_grid_free(g);
}

static void grids_are_taken_up_to_their_limits(void **state) {
  (void)state;
  const double rows[] = {1, 1, 1, 1, 5, 1, 1, 1, 2, 6, INFINITY, 2, 1, 1, 7};
  tdm_llm_grid *g = NULL;
  assert_int_equal(tdm_llm_grid_new("test", 4, rows, 2, &g, NULL), TDM_OK);
  const double point[] = {1, 1, 1, 1.5};
  assert_true(tdm_llm_grid_at(g, point) == 5.5);
  tdm_llm_grid_free(g);
  tdm_error error;
  assert_int_equal(tdm_llm_grid_new("test", 4, rows, 3, &g, &error), TDM_INVALID);
  assert_int_equal(tdm_llm_grid_new("test", 0, rows, 2, &g, &error), TDM_INVALID);
  assert_int_equal(tdm_llm_grid_new("test", 5, rows, 2, &g, &error), TDM_INVALID);
  size_t many = (size_t)UINT32_MAX / 2 + 1;
  assert_int_equal(tdm_llm_grid_new("test", 1, rows, many, &g, &error), TDM_LIMIT);
  assert_null(g);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_run_without_a_closed_form_is_summed),
      cmocka_unit_test(terms_of_a_row_are_those_of_its_steps),
      cmocka_unit_test(steps_draw_by_what_they_keep_busy_up_to_the_limit),
      cmocka_unit_test(powers_are_taken_up_to_their_limits),
      cmocka_unit_test(capped_steps_take_longer_by_what_they_lack),
      cmocka_unit_test(a_run_under_a_cap_is_the_sum_of_its_steps),
      cmocka_unit_test(a_function_is_asked_once_a_step_however_rows_are_cut),
      cmocka_unit_test(a_step_is_the_sum_of_its_operators),
      cmocka_unit_test(chunks_take_as_long_as_one_with_as_many_pairs),
      cmocka_unit_test(drafts_take_their_share_of_a_chunk),
      cmocka_unit_test(the_share_of_the_way_is_that_of_the_buckets),
      cmocka_unit_test(none_is_paid_where_the_longest_is_no_slower),
      cmocka_unit_test(gaps_count_while_they_are_above_nothing),
      cmocka_unit_test(tables_are_taken_up_to_their_limits),
      cmocka_unit_test(each_value_has_an_axis_of_its_own_below_it),
      cmocka_unit_test(the_slope_beyond_the_last_is_that_from_half_of_it),
      cmocka_unit_test(grids_are_taken_up_to_their_limits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
