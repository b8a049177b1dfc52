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
      cmocka_unit_test(grids_without_sense_are_refused),
      cmocka_unit_test(a_run_is_the_sum_of_its_steps_and_never_shrinks),
      cmocka_unit_test(unequal_contexts_cost_their_share_of_the_way_to_the_longest),
      cmocka_unit_test(one_outlier_is_no_half_of_long_ones),
      cmocka_unit_test(tables_that_lack_something_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
