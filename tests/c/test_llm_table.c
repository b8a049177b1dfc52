/* Measured grids and table step models: exact at their points, linear between, runs as sums. */
#include "model/llm/table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"

static tdm_llm_grid *grid(size_t axes, const double *rows, size_t count) {
  tdm_llm_grid *made = NULL;
  tdm_error error;
  if (tdm_llm_grid_new("test", axes, rows, count, &made, &error) != TDM_OK)
    fail_msg("%s", error.message);
  return made;
}

static void a_curve_is_linear_between_its_points_and_beyond(void **state) {
  (void)state;
  const double rows[] = {4, 8, 1, 2, 2, 6}; /* in no order */
  tdm_llm_grid *g = grid(1, rows, 3);
  const double x[] = {0, 1, 1.5, 2, 3, 4, 6}, y[] = {2, 2, 4, 6, 7, 8, 10};
  for (size_t i = 0; i < 7; i++) assert_true(fabs(tdm_llm_grid_at(g, &x[i]) - y[i]) < 1e-12);
  assert_true(tdm_llm_grid_next(g, &x[0]) == 1);
  assert_true(tdm_llm_grid_next(g, &x[1]) == 2);
  assert_true(isinf(tdm_llm_grid_next(g, &x[5])));
  tdm_llm_grid_free(g);
}

static void nothing_falls_beyond_the_last_point(void **state) {
  (void)state;
  const double rows[] = {1, 5, 2, 3};
  tdm_llm_grid *g = grid(1, rows, 2);
  double x = 100;
  assert_true(tdm_llm_grid_at(g, &x) == 3);
  tdm_llm_grid_free(g);
}

/* f is linear in each axis alone, so that multilinear interpolation gives it exactly everywhere. */
static double f(const double *p) {
  return 1 + 0.5 * p[0] + 0.25 * p[1] * p[2] + 2 * p[3] + 0.125 * p[0] * p[3] * p[1];
}

static const double axes[4][4] = {
    {0, 16, 32, 64}, {0, 10, 20, 80}, {1, 2, 4, 8}, {16, 32, 64, 100}};

static size_t product(double *rows, uint64_t hole_every) {
  size_t count = 0;
  for (size_t i = 0; i < 256; i++) {
    double p[4] = {axes[0][i / 64], axes[1][i / 16 % 4], axes[2][i / 4 % 4], axes[3][i % 4]};
    /* Holes in the middle of the last axis leave a linear function what it is. */
    if (hole_every > 0 && (i % 4 == 1 || i % 4 == 2) && tdm_mix(i) % hole_every == 0) continue;
    for (size_t a = 0; a < 4; a++) rows[5 * count + a] = p[a];
    rows[5 * count++ + 4] = f(p);
  }
  return count;
}

static void four_axes_are_exact_at_points_and_multilinear_between(void **state) {
  (void)state;
  static double rows[5 * 256];
  tdm_rng rng = {7};
  for (uint64_t holes = 0; holes < 4; holes++) {
    size_t count = product(rows, holes);
    tdm_llm_grid *g = grid(4, rows, count);
    for (size_t i = 0; i < count; i++)
      assert_true(tdm_llm_grid_at(g, &rows[5 * i]) == rows[5 * i + 4]);
    for (int trial = 0; trial < 2000; trial++) {
      double p[4];
      for (size_t a = 0; a < 4; a++)
        p[a] = axes[a][0] + tdm_rng_unit(&rng) * (axes[a][3] * 1.5 - axes[a][0]);
      assert_true(fabs(tdm_llm_grid_at(g, p) - f(p)) <= 1e-9 * fabs(f(p)));
    }
    tdm_llm_grid_free(g);
  }
}

/* Values of the second axis are those of one value of the first, in a run of their own. */
static void what_comes_next_stays_in_its_run(void **state) {
  (void)state;
  const double rows[] = {1, 1, 0, 1, 2, 0, 2, 1, 0, 2, 5, 0};
  tdm_llm_grid *g = grid(2, rows, 4);
  const struct {
    double point[2], next;
  } cases[] = {{{1, 1}, 2},   {{1, 1.5}, 2}, {{1, 2}, INFINITY}, {{1, 3}, INFINITY},
               {{1.5, 0}, 1}, {{1.5, 1}, 2}, {{1.5, 3}, 5},      {{2, 1.5}, 5}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_true(tdm_llm_grid_next(g, cases[i].point) == cases[i].next);
  tdm_llm_grid_free(g);
}

static void grids_without_sense_are_refused(void **state) {
  (void)state;
  tdm_llm_grid *g;
  const double twice[] = {1, 2, 1, 3}, nan_row[] = {1, NAN};
  assert_int_equal(tdm_llm_grid_new("test", 1, twice, 2, &g, NULL), TDM_INVALID);
  assert_null(g);
  assert_int_equal(tdm_llm_grid_new("test", 1, nan_row, 1, &g, NULL), TDM_INVALID);
  assert_int_equal(tdm_llm_grid_new("test", 1, twice, 0, &g, NULL), TDM_INVALID);
  assert_int_equal(tdm_llm_grid_new("test", 5, twice, 1, &g, NULL), TDM_INVALID);
}

/* ---- steps */

static const double rate_edges[] = {0.05, 0.15, 0.4, 0.7}, seq_edges[] = {8, 64};
static const double longest_edges[] = {1024, 4096}, context_edges[] = {0, 512};
static const double prefills[] = {0, 16};
#define ALPHAS (2 * 3 * 5 * 3 * 3)

/* Random times that rise along each axis only on the whole, as measured ones do. */
static tdm_llm_table random_table(uint64_t key, double *alpha) {
  static double rows[5 * 1000];
  static const double tokens[] = {1, 8, 64, 512}, seqs[] = {0, 1, 2, 4, 16, 64};
  static const double contexts[] = {16, 64, 256, 700, 1024, 4096};
  tdm_rng rng = {key};
  tdm_llm_table t = {.attention_layers = 32, .step_s = 1e-4, .sequence_s = 1e-6, .gpus = 1};
  for (size_t i = 0; i < 4; i++) {
    rows[2 * i] = tokens[i];
    rows[2 * i + 1] = 1e-3 + 1e-6 * tokens[i];
  }
  t.tokens = grid(1, rows, 4);
  size_t count = 0;
  for (size_t p = 0; p < 2; p++)
    for (size_t s = p == 0; s < 6; s++)
      for (size_t c = 0; c < (s == 0 ? 1 : 6); c++) {
        double *row = &rows[5 * count++], context = s == 0 ? 0 : contexts[c];
        row[0] = prefills[p];
        row[1] = 0;
        row[2] = seqs[s];
        row[3] = context;
        row[4] =
            1e-5 + 1e-6 * prefills[p] + 1e-9 * seqs[s] * context * (1 + 0.5 * tdm_rng_unit(&rng));
      }
  t.attention = grid(4, rows, count);
  for (size_t i = 0; i < ALPHAS; i++) alpha[i] = tdm_rng_unit(&rng);
  t.skew = (tdm_llm_skew){
      prefills, 2, {seq_edges, 2}, {rate_edges, 4}, {longest_edges, 2}, {context_edges, 2}, alpha};
  return t;
}

static double one_by_one(const tdm_llm_step *model, tdm_llm_batch b, int64_t k) {
  double sum = 0;
  for (int64_t i = 0; i < k; i++) {
    sum += tdm_llm_step_s(model, &b);
    tdm_llm_batch_grow(&b, 1);
  }
  return sum;
}

static tdm_llm_batch random_batch(tdm_rng *rng, int with_squares) {
  tdm_llm_batch b = {0};
  int64_t seqs = 1 + (int64_t)tdm_index_below(tdm_rng_bits(rng), 80);
  for (int64_t i = 0; i < seqs; i++)
    tdm_llm_batch_add_decode(&b, 1 + (int64_t)tdm_index_below(tdm_rng_bits(rng), 1200));
  if (!with_squares) b.decode_squares = 0;
  return b;
}

static void a_run_is_the_sum_of_its_steps_and_never_shrinks(void **state) {
  (void)state;
  static double alpha[ALPHAS];
  tdm_rng rng = {3};
  for (uint64_t trial = 0; trial < 60; trial++) {
    tdm_llm_table t = random_table(trial, alpha);
    tdm_llm_step *model = NULL;
    assert_int_equal(tdm_llm_table_new(&t, &model, NULL), TDM_OK);
    tdm_llm_batch b = random_batch(&rng, trial % 2 == 0);
    double before = 0;
    for (int64_t k = 0; k < 4000; k = k < 40 ? k + 1 : k * 3 / 2) {
      double run = tdm_llm_decode_run_s(model, &b, k), sum = one_by_one(model, b, k);
      assert_true(run >= before);
      assert_true(fabs(run - sum) <= 1e-11 * sum);
      before = run;
    }
    tdm_llm_step_free(model);
  }
}

static void unequal_contexts_cost_their_share_of_the_way_to_the_longest(void **state) {
  (void)state;
  static double alpha[ALPHAS];
  tdm_llm_table t = random_table(1, alpha);
  for (size_t i = 0; i < ALPHAS; i++) alpha[i] = 0.25;
  tdm_llm_step *model = NULL;
  assert_int_equal(tdm_llm_table_new(&t, &model, NULL), TDM_OK);
  tdm_llm_batch equal = {0}, longest = {0}, mixed = {0};
  tdm_llm_batch_add_decode(&mixed, 56);
  tdm_llm_batch_add_decode(&mixed, 256);
  for (int i = 0; i < 2; i++) {
    tdm_llm_batch_add_decode(&equal, 156);
    tdm_llm_batch_add_decode(&longest, 256);
  }
  double mean_s = tdm_llm_step_s(model, &equal), most_s = tdm_llm_step_s(model, &longest);
  assert_true(fabs(tdm_llm_step_s(model, &mixed) - (mean_s + 0.25 * (most_s - mean_s))) < 1e-15);
  tdm_llm_step_free(model);
}

/* One long, one short, the others alike: of two lengths with the same mean and variance 1 in 17 is
 * long, which is the second bucket; mean and shortest alone would say a half, the fourth. */
static void one_outlier_is_no_half_of_long_ones(void **state) {
  (void)state;
  static double alpha[ALPHAS];
  tdm_llm_table t = random_table(1, alpha);
  for (size_t i = 0; i < ALPHAS; i++) alpha[i] = 0.1 * (double)(i / 9 % 5 + 1);
  tdm_llm_step *model = NULL;
  assert_int_equal(tdm_llm_table_new(&t, &model, NULL), TDM_OK);
  tdm_llm_batch mixed = {0}, equal = {0}, longest = {0};
  tdm_llm_batch_add_decode(&mixed, 100);
  tdm_llm_batch_add_decode(&mixed, 900);
  for (int i = 0; i < 31; i++) tdm_llm_batch_add_decode(&mixed, 500);
  for (int i = 0; i < 33; i++) {
    tdm_llm_batch_add_decode(&equal, 500);
    tdm_llm_batch_add_decode(&longest, 900);
  }
  double mean_s = tdm_llm_step_s(model, &equal), most_s = tdm_llm_step_s(model, &longest);
  double share = (tdm_llm_step_s(model, &mixed) - mean_s) / (most_s - mean_s);
  assert_true(fabs(share - 0.2) < 1e-9);
  tdm_llm_step_free(model);
}

/* Steps whose only cost is attention, of which `f` says what it costs. */
static tdm_llm_step *attention_of_f(tdm_llm_skew skew) {
  static double rows[5 * 256];
  const double free_tokens[] = {1, 0, 2, 0};
  tdm_llm_table t = {.tokens = grid(1, free_tokens, 2),
                     .attention = grid(4, rows, product(rows, 0)),
                     .attention_layers = 1,
                     .skew = skew,
                     .gpus = 1};
  tdm_llm_step *model = NULL;
  assert_int_equal(tdm_llm_table_new(&t, &model, NULL), TDM_OK);
  return model;
}

/* One chunk beside two sequences that decode with a mean context of 40. */
static double one_chunk(double tokens, double context) {
  return f((double[]){tokens, context, 2, 40});
}

static void expect_attention(const tdm_llm_step *model, const int64_t (*prompts)[2], size_t count,
                             int64_t drafted, double seconds) {
  tdm_llm_batch b = {0};
  tdm_llm_batch_add_decode(&b, 30);
  tdm_llm_batch_add_decode(&b, 50);
  for (size_t i = 0; i < count; i++) tdm_llm_batch_add_prefill(&b, prompts[i][0], prompts[i][1], 1);
  if (drafted > 0) tdm_llm_batch_add_drafts(&b, 2, drafted, 80);
  if (fabs(tdm_llm_step_s(model, &b) - seconds) > 1e-9 * seconds)
    fail_msg("%g s instead of %g s", tdm_llm_step_s(model, &b), seconds);
}

/* Query–key pairs of n tokens on c: n · (c + (n + 1) / 2). Several prompts are one chunk of all
 * tokens on as much context as gives their pairs, and no less than one of mean size. */
static void several_prompts_are_one_chunk_of_as_many_pairs(void **state) {
  (void)state;
  tdm_llm_step *model = attention_of_f((tdm_llm_skew){0});
  expect_attention(model, (const int64_t[][2]){{20, 8}}, 1, 0, one_chunk(20, 8));
  /* Fewer tokens than were measured cost what those do. */
  expect_attention(model, (const int64_t[][2]){{5, 8}}, 1, 0, one_chunk(16, 8));
  /* 20 · 18.5 + 30 · 115.5 = 3835 = 50 · (51.2 + 25.5). */
  expect_attention(model, (const int64_t[][2]){{20, 8}, {30, 100}}, 2, 0, one_chunk(50, 51.2));
  /* 1001 + 40 · 20.5 = 41 · (23.4 + 21) is less than 21 tokens on 500. */
  expect_attention(model, (const int64_t[][2]){{1, 1000}, {40, 0}}, 2, 0, one_chunk(21, 500));
  expect_attention(model, (const int64_t[][2]){{30, 0}, {30, 0}}, 2, 0, one_chunk(30, 0));
  /* 60 · 30.5 + 2 · 1.5 = 1833 pairs of the 1953 that 62 tokens have: what one chunk alone costs
   * is taken off for the rest. Nobody decodes beside it: 1 and 16 are the least measured. */
  double alone = f((double[]){62, 0, 1, 16});
  expect_attention(model, (const int64_t[][2]){{60, 0}, {2, 0}}, 2, 0,
                   one_chunk(62, 0) - (1 - 1833.0 / 1953) * alone);
  /* Drafts are tokens on what their sequence has: 8 · 80 + 2 · 36 = 16 · (36 + 8.5). */
  expect_attention(model, NULL, 0, 8, one_chunk(16, 36));
  /* 370 + 712 = 36 · (1082 / 36 - 18.5 + 18.5). */
  expect_attention(model, (const int64_t[][2]){{20, 8}}, 1, 8, one_chunk(36, 1082 / 36.0 - 18.5));
  tdm_llm_step_free(model);
}

/* The batch of so many sequences, half of them with either context, and a prompt beside them. */
static double halves_s(const tdm_llm_step *model, int64_t seqs, int64_t one, int64_t other,
                       int64_t tokens, int64_t context) {
  tdm_llm_batch b = {0};
  for (int64_t i = 0; i < seqs; i++) tdm_llm_batch_add_decode(&b, i % 2 == 0 ? one : other);
  if (tokens > 0) tdm_llm_batch_add_prefill(&b, tokens, context, 1);
  return tdm_llm_step_s(model, &b);
}

/* Shares that are all different; half of the sequences are long, which is the fourth bucket. */
static void the_share_is_that_of_its_bucket_and_on_the_way_between_prefills(void **state) {
  (void)state;
  static const double points[] = {0, 16, 64};
  enum { PLANE = 3 * 5 * 3 * 3 };
  static double share[3 * PLANE];
  for (size_t i = 0; i < 3 * PLANE; i++) share[i] = 0.3 + 0.2 * sin((double)i);
  tdm_llm_step *model = attention_of_f((tdm_llm_skew){
      points, 3, {seq_edges, 2}, {rate_edges, 4}, {longest_edges, 2}, {context_edges, 2}, share});
  static const struct {
    int64_t seqs, shorter, longest;
    size_t by_seqs, by_longest;
  } batches[] = {{2, 56, 256, 0, 0},    {8, 56, 256, 0, 0},    {10, 56, 256, 1, 0},
                 {64, 56, 256, 1, 0},   {66, 56, 256, 2, 0},   {2, 824, 1024, 0, 0},
                 {2, 826, 1026, 0, 1},  {2, 3896, 4096, 0, 1}, {2, 3898, 4098, 0, 2},
                 {10, 826, 1026, 1, 1}, {66, 3898, 4098, 2, 2}};
  static const struct {
    int64_t tokens, context;
    size_t by_context, low;
    double way;
  } chunks[] = {{0, 0, 0, 0, 0},      {8, 0, 0, 0, 0.5},     {16, 0, 0, 1, 0},
                {40, 0, 0, 1, 0.5},   {64, 0, 0, 2, 0},      {100, 0, 1, 1, 20 / 48.0},
                {40, 100, 1, 1, 0.5}, {28, 512, 1, 1, 0.25}, {28, 513, 2, 1, 0.25}};
  for (size_t i = 0; i < sizeof batches / sizeof *batches; i++)
    for (size_t k = 0; k < sizeof chunks / sizeof *chunks; k++) {
      int64_t seqs = batches[i].seqs, least = batches[i].shorter, most = batches[i].longest;
      int64_t tokens = chunks[k].tokens, context = chunks[k].context, mean = (least + most) / 2;
      /* Fewer than 16 tokens cost what those do, so is their share; of 100 the last 36 decide. */
      double way = tokens == 8 ? 0 : chunks[k].way;
      size_t low = tokens == 8 ? 1 : chunks[k].low;
      size_t at =
          ((batches[i].by_seqs * 5 + 3) * 3 + batches[i].by_longest) * 3 + chunks[k].by_context;
      double a = share[low * PLANE + at];
      if (way > 0) a += way * (share[(low + 1) * PLANE + at] - a);
      double mean_s = halves_s(model, seqs, mean, mean, tokens, context);
      double most_s = halves_s(model, seqs, most, most, tokens, context);
      double found_s = halves_s(model, seqs, least, most, tokens, context);
      assert_true(most_s > mean_s);
      if (fabs((found_s - mean_s) / (most_s - mean_s) - a) > 1e-6)
        fail_msg("batch %zu, chunk %zu: a share of %g instead of %g", i, k,
                 (found_s - mean_s) / (most_s - mean_s), a);
    }
  tdm_llm_step_free(model);
}

static void tables_that_lack_something_are_refused(void **state) {
  (void)state;
  static double alpha[ALPHAS];
  tdm_llm_step *model;
  tdm_llm_table t = random_table(1, alpha);
  t.attention_layers = 0;
  assert_int_equal(tdm_llm_table_new(&t, &model, NULL), TDM_INVALID);
  t = random_table(1, alpha);
  t.gpus = 2;
  assert_int_equal(tdm_llm_table_new(&t, &model, NULL), TDM_INVALID);
  t = random_table(1, alpha);
  alpha[5] = -0.1;
  assert_int_equal(tdm_llm_table_new(&t, &model, NULL), TDM_INVALID);
  assert_null(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_curve_is_linear_between_its_points_and_beyond),
      cmocka_unit_test(nothing_falls_beyond_the_last_point),
      cmocka_unit_test(four_axes_are_exact_at_points_and_multilinear_between),
      cmocka_unit_test(what_comes_next_stays_in_its_run),
      cmocka_unit_test(grids_without_sense_are_refused),
      cmocka_unit_test(a_run_is_the_sum_of_its_steps_and_never_shrinks),
      cmocka_unit_test(unequal_contexts_cost_their_share_of_the_way_to_the_longest),
      cmocka_unit_test(one_outlier_is_no_half_of_long_ones),
      cmocka_unit_test(several_prompts_are_one_chunk_of_as_many_pairs),
      cmocka_unit_test(the_share_is_that_of_its_bucket_and_on_the_way_between_prefills),
      cmocka_unit_test(tables_that_lack_something_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
