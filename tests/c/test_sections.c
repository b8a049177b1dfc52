/* base/sections: quantiles of the pool and of the pool without a part against sorting, excursions
 * against counting by hand, intervals against their formulas, evidence against what is known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/ranks.h"
#include "base/rng.h"
#include "base/sections.h"

static tdm_rng rng;

static double draw(void) {
  return 1 - tdm_rng_unit(&rng);
}

static int by_size(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* One replication's times in equal sections; values have `kinds` different sizes (0: any). */
typedef struct {
  tdm_sections sections;
  int64_t *ns;
  size_t count;
} sample;

static sample sample_of(size_t count, size_t each, int kinds, bool bucketed) {
  sample s = {.ns = calloc(count + 1, sizeof(int64_t)), .count = count};
  double sum = 0, squares = 0;
  assert_true(tdm_sections_new(&s.sections, each));
  for (size_t i = 0; i < count; i++) {
    double t = -1e6 * log(draw());
    s.ns[i] = kinds > 0 ? (int64_t)(draw() * kinds) * 1000 : (int64_t)t;
    sum += (double)s.ns[i];
  }
  for (size_t i = 0; i < count; i++) squares += pow((double)s.ns[i] - sum / (double)count, 2);
  s.sections.sd_s = count > 1 ? sqrt(squares / (double)(count - 1)) / 1e9 : 0;
  double mean = count > 0 ? sum / (double)count : 0;
  s.sections.mean_s = count > 0 ? mean / 1e9 : NAN;
  assert_true(tdm_sections_scan(&s.sections, s.ns, count, mean, 1));
  for (size_t j = 0; j < each; j++) {
    size_t from = count * j / each, to = count * (j + 1) / each;
    tdm_section *section = &s.sections.items[j];
    int64_t *sorted = calloc(to - from + 1, sizeof *sorted);
    memcpy(sorted, s.ns + from, (to - from) * sizeof *sorted);
    qsort(sorted, to - from, sizeof *sorted, by_size);
    for (size_t i = 0; i < to - from; i++) section->sum_s += (double)sorted[i] / 1e9;
    if (bucketed) {
      tdm_histogram h;
      assert_int_equal(tdm_histogram_new(&h, NULL), TDM_OK);
      for (size_t i = 0; i < to - from; i++) tdm_histogram_add(&h, sorted[i]);
      assert_true(tdm_section_count(section, &h));
      tdm_histogram_free(&h);
    } else {
      assert_true(tdm_section_keep(section, sorted, to - from));
    }
    free(sorted);
  }
  return s;
}

static void sample_free(sample *s) {
  tdm_sections_free(&s->sections);
  free(s->ns);
}

/* All times but those of one replication, sorted. */
static size_t sorted_without(const sample *samples, size_t runs, size_t left_out, int64_t *out) {
  size_t count = 0;
  for (size_t r = 0; r < runs; r++) {
    if (r == left_out) continue;
    memcpy(out + count, samples[r].ns, samples[r].count * sizeof *out);
    count += samples[r].count;
  }
  qsort(out, count, sizeof *out, by_size);
  return count;
}

static const double levels[] = {0, 0.001, 0.25, 0.5, 0.9, 0.99, 0.999, 1};
#define LEVELS (sizeof levels / sizeof levels[0])

static void kept_times_have_the_quantiles_of_all_sorted(void **state) {
  (void)state;
  for (int kinds = 0; kinds <= 7; kinds += 7) {
    sample samples[9];
    tdm_pool *pool = tdm_pool_new(9, false);
    for (size_t r = 0; r < 9; r++) {
      samples[r] = sample_of(r == 4 ? 0 : 50 + 83 * r, 1, kinds, false); /* one of them is empty */
      assert_true(tdm_pool_add(pool, &samples[r].sections));
    }
    int64_t all[9 * 800];
    size_t count = sorted_without(samples, 9, SIZE_MAX, all);
    for (size_t i = 0; i < LEVELS; i++)
      assert_true(tdm_pool_level(pool, levels[i]) ==
                  tdm_ranks_quantile_ns(all, count, levels[i]) / 1e9);
    tdm_pool_free(pool);
    for (size_t r = 0; r < 9; r++) sample_free(&samples[r]);
  }
}

static void counted_times_have_those_of_the_merged_histogram(void **state) {
  (void)state;
  sample samples[5];
  tdm_histogram h;
  tdm_pool *pool = tdm_pool_new(5, false);
  assert_int_equal(tdm_histogram_new(&h, NULL), TDM_OK);
  for (size_t r = 0; r < 5; r++) {
    samples[r] = sample_of(3000, 4, 0, r != 2); /* kept ones among them are counted as well */
    for (size_t i = 0; i < 3000; i++) tdm_histogram_add(&h, samples[r].ns[i]);
    assert_true(tdm_pool_add(pool, &samples[r].sections));
  }
  for (size_t i = 0; i < LEVELS; i++) {
    double wanted = tdm_histogram_quantile(&h, levels[i]) / 1e9;
    assert_true(fabs(tdm_pool_level(pool, levels[i]) - wanted) <= 1e-12 * wanted);
  }
  double above = 0;
  for (size_t r = 0; r < 5; r++)
    for (size_t i = 0; i < 3000; i++) above += samples[r].ns[i] >= 2000000;
  assert_true(fabs(tdm_pool_above(pool, 2e6) - above / 15000) < 1e-3);
  tdm_histogram_free(&h);
  tdm_pool_free(pool);
  for (size_t r = 0; r < 5; r++) sample_free(&samples[r]);
}

/* The jackknife by its definition, on sorted copies of all times but one replication's. */
static double jackknife(const sample *samples, size_t runs, double level, double *value_s) {
  int64_t all[20 * 2000];
  size_t total = sorted_without(samples, runs, SIZE_MAX, all);
  double whole = log(tdm_ranks_quantile_ns(all, total, level)), gaps[20], mean = 0, variance = 0;
  *value_s = exp(whole) / 1e9;
  for (size_t r = 0; r < runs; r++) {
    size_t rest = sorted_without(samples, runs, r, all);
    double weight = (double)rest / (double)(total - rest);
    gaps[r] = weight * (whole - log(tdm_ranks_quantile_ns(all, rest, level)));
    mean += gaps[r] / (double)runs;
  }
  for (size_t r = 0; r < runs; r++)
    variance += pow(gaps[r] - mean, 2) * (double)samples[r].count /
                (double)(total - samples[r].count) / (double)runs;
  return sqrt(variance);
}

static void a_quantile_has_the_interval_of_a_jackknife(void **state) {
  (void)state;
  sample samples[10];
  tdm_pool *pool = tdm_pool_new(10, false);
  for (size_t r = 0; r < 10; r++) {
    samples[r] = sample_of(1500 + 40 * r, 1, 0, false);
    assert_true(tdm_pool_add(pool, &samples[r].sections));
  }
  for (size_t i = 3; i <= 4; i++) {
    double value_s, error = jackknife(samples, 10, levels[i], &value_s);
    tdm_estimate e = tdm_pool_quantile(pool, levels[i], 0.95);
    double t = tdm_student_quantile(0.975, 9);
    double excursions = tdm_pool_excursions(pool, value_s * 1e9);
    assert_true(e.seen.telling == e.seen.excursions); /* all are independent */
    double half = value_s * expm1(fmax(1, 0.8 + 8 / sqrt(excursions)) * t * error);
    assert_true(fabs(e.value - value_s) <= 1e-12 * value_s);
    assert_true(fabs(e.half - half) <= 1e-6 * half);
  }
  tdm_pool_free(pool);
  for (size_t r = 0; r < 10; r++) sample_free(&samples[r]);
}

static void excursions_are_counted_as_by_hand(void **state) {
  (void)state;
  /* Falls below 10 at 5, 9 and 3. Maxima by hand: 12, 30, 15, 40. */
  const int64_t ns[] = {12, 11, 5, 20, 30, 9, 8, 15, 3, 40, 35};
  tdm_sections s;
  assert_true(tdm_sections_new(&s, 1));
  assert_true(tdm_sections_scan(&s, ns, sizeof ns / sizeof *ns, 10, 1));
  assert_int_equal(tdm_sections_reached(&s, 10), 4);
  assert_int_equal(tdm_sections_reached(&s, 15), 3);
  assert_int_equal(tdm_sections_reached(&s, 30), 2);
  assert_int_equal(tdm_sections_reached(&s, 41), 0);
  tdm_sections_free(&s);
  /* Means of two neighbours fall below at (11, 5), (9, 8) and (15, 3); maxima 12, 30, 15, 40. */
  assert_true(tdm_sections_new(&s, 1));
  assert_true(tdm_sections_scan(&s, ns, sizeof ns / sizeof *ns, 10, 2));
  assert_int_equal(tdm_sections_reached(&s, 10), 4);
  assert_int_equal(tdm_sections_reached(&s, 16), 2);
  tdm_sections_free(&s);
}

static void only_the_largest_maxima_are_kept(void **state) {
  (void)state;
  enum { COUNT = 5000 };
  int64_t *ns = calloc(2 * COUNT, sizeof *ns), *sorted = calloc(COUNT, sizeof *sorted);
  for (size_t i = 0; i < COUNT; i++) {
    ns[2 * i] = sorted[i] = 100 + (int64_t)(draw() * 1e9);
    ns[2 * i + 1] = 0;
  }
  tdm_sections s;
  assert_true(tdm_sections_new(&s, 1));
  assert_true(tdm_sections_scan(&s, ns, 2 * COUNT, 50, 1));
  qsort(sorted, COUNT, sizeof *sorted, by_size);
  assert_int_equal(s.maxima, TDM_MAXIMA);
  for (size_t i = 0; i < TDM_MAXIMA; i++) assert_true(s.maxima_ns[i] == sorted[COUNT - 1 - i]);
  tdm_sections_free(&s);
  free(ns);
  free(sorted);
}

/* One replication's times, in sections as a measure has them. */
static sample sample_in_order(int64_t *ns, size_t count, size_t each) {
  sample s = {.ns = ns, .count = count};
  double sum = 0, squares = 0;
  assert_true(tdm_sections_new(&s.sections, each));
  for (size_t i = 0; i < count; i++) {
    sum += (double)ns[i] / 1e9;
    squares += pow((double)ns[i] / 1e9, 2);
  }
  s.sections.mean_s = sum / (double)count;
  s.sections.sd_s = sqrt((squares - sum * sum / (double)count) / (double)(count - 1));
  assert_true(tdm_sections_scan(&s.sections, s.ns, count, sum / (double)count * 1e9, 1));
  for (size_t j = 0; j < each; j++) {
    size_t from = count * j / each, to = count * (j + 1) / each;
    int64_t *sorted = calloc(to - from, sizeof *sorted);
    memcpy(sorted, s.ns + from, (to - from) * sizeof *sorted);
    qsort(sorted, to - from, sizeof *sorted, by_size);
    for (size_t i = 0; i < to - from; i++) s.sections.items[j].sum_s += (double)sorted[i] / 1e9;
    assert_true(tdm_section_keep(&s.sections.items[j], sorted, to - from));
    free(sorted);
  }
  return s;
}

/* Sojourns in M/M/1. */
static sample queue_of(double load, size_t count, size_t each, size_t skip) {
  int64_t *ns = calloc(count, sizeof *ns);
  double wait = 0;
  for (size_t i = 0; i < skip; i++) wait = fmax(0, wait - log(draw()) - -log(draw()) / load);
  for (size_t i = 0; i < count; i++) {
    double service = -log(draw());
    ns[i] = (int64_t)((wait + service) * 1e9);
    wait = fmax(0, wait + service + log(draw()) / load);
  }
  return sample_in_order(ns, count, each);
}

/* … in M/M/8: who comes takes the server that is free first. */
static sample eight_servers(double load, size_t count, size_t skip) {
  int64_t *ns = calloc(count, sizeof *ns);
  double free_at[8] = {0}, at = 0;
  for (size_t i = 0; i < skip + count; i++) {
    size_t first = 0;
    for (size_t k = 1; k < 8; k++)
      if (free_at[k] < free_at[first]) first = k;
    at -= log(draw()) / (8 * load);
    free_at[first] = fmax(at, free_at[first]) - log(draw());
    if (i >= skip) ns[i - skip] = (int64_t)((free_at[first] - at) * 1e9);
  }
  return sample_in_order(ns, count, 1);
}

/* N q (1 - load)² of them go beyond a level that the share q is beyond. */
static void a_queue_has_as_many_excursions_as_theory_says(void **state) {
  (void)state;
  enum { RUNS = 8, COUNT = 100000 };
  sample samples[RUNS];
  tdm_pool *pool = tdm_pool_new(RUNS, false);
  for (size_t r = 0; r < RUNS; r++) {
    samples[r] = queue_of(0.8, COUNT, 1, 2000);
    assert_true(tdm_pool_add(pool, &samples[r].sections));
  }
  double wanted = RUNS * COUNT * 0.01 * 0.2 * 0.2;
  double got = tdm_pool_excursions(pool, tdm_pool_level(pool, 0.99) * 1e9);
  assert_true(fabs(got - wanted) < 4 * sqrt(wanted));
  /* Beyond what was seen, they are as long as where they were. */
  double far = tdm_pool_excursions(pool, tdm_pool_level(pool, 0.99999) * 1e9);
  assert_true(far > 0 && far < 3 * wanted / 1000);
  tdm_pool_free(pool);
  for (size_t r = 0; r < RUNS; r++) sample_free(&samples[r]);
}

/* Among eight servers a request that is long by itself goes beyond p95 as well as those that waited
 * long together. By the definition of what independent requests are: their mean is as sure. */
static void those_that_are_long_alone_tell_no_more(void **state) {
  (void)state;
  enum { RUNS = 8, COUNT = 5000 };
  sample samples[RUNS];
  tdm_pool *pool = tdm_pool_new(RUNS, false);
  double mean = 0, within = 0, among = 0;
  for (size_t r = 0; r < RUNS; r++) {
    samples[r] = eight_servers(0.85, COUNT, 2000);
    assert_true(tdm_pool_add(pool, &samples[r].sections));
    mean += samples[r].sections.mean_s / RUNS;
    within += pow(samples[r].sections.sd_s, 2) * (COUNT - 1) / COUNT / RUNS;
  }
  for (size_t r = 0; r < RUNS; r++)
    among += pow(samples[r].sections.mean_s - mean, 2) / (RUNS * (RUNS - 1));
  double independent = within / among, value_s, error = jackknife(samples, RUNS, 0.95, &value_s);
  double excursions = tdm_pool_excursions(pool, value_s * 1e9), telling = 4 * 0.05 * independent;
  assert_true(telling < 0.8 * excursions);
  double factor = 0.8 + 8 / sqrt(telling), t = tdm_student_quantile(0.975, RUNS - 1);
  tdm_estimate e = tdm_pool_quantile(pool, 0.95, 0.95);
  assert_true(fabs(e.half - value_s * expm1(factor * t * error)) <= 1e-6 * e.half);
  assert_true(fabs(e.seen.telling - telling) <= 1e-6 * telling);
  tdm_pool_free(pool);
  for (size_t r = 0; r < RUNS; r++) sample_free(&samples[r]);
}

/* Replications that each went up once, about as long: what longer ones do is not told. */
static void runs_that_went_up_once_take_no_side(void **state) {
  (void)state;
  enum { RUNS = 8, COUNT = 3000 };
  for (size_t ups = 1; ups <= 20; ups += 19) {
    sample samples[RUNS];
    tdm_pool *pool = tdm_pool_new(RUNS, false);
    for (size_t r = 0; r < RUNS; r++) {
      int64_t *ns = calloc(COUNT, sizeof *ns);
      for (size_t i = 0; i < COUNT; i++) {
        bool up = i * ups * 3 / COUNT % 3 == 1;
        ns[i] = (int64_t)((up ? 2 + 0.05 * (double)r : 0.1 * draw()) * 1e9);
      }
      samples[r] = sample_in_order(ns, COUNT, 1);
      assert_true(tdm_pool_add(pool, &samples[r].sections));
    }
    assert_int_equal(tdm_pool_side(pool, 0.5, 9, 0.95), ups > 1);
    assert_true(tdm_pool_beyond(pool, 9, 0.95).high < 1 || ups == 1);
    tdm_pool_free(pool);
    for (size_t r = 0; r < RUNS; r++) sample_free(&samples[r]);
  }
}

static void what_is_not_seen_often_has_no_interval(void **state) {
  (void)state;
  sample samples[8];
  tdm_pool *pool = tdm_pool_new(8, false);
  for (size_t r = 0; r < 8; r++) {
    samples[r] = queue_of(0.8, 4000, 1, 2000);
    assert_true(tdm_pool_add(pool, &samples[r].sections));
  }
  assert_true(tdm_pool_quantile(pool, 0.5, 0.95).half > 0);
  tdm_estimate rare = tdm_pool_quantile(pool, 0.999, 0.95);
  double seen = tdm_pool_excursions(pool, rare.value * 1e9);
  assert_true(isnan(rare.half) && seen < 10);
  assert_true(rare.needs > 10 * 8 * 4000 && rare.needs < 1e9);
  /* Of runs of this length it has one. */
  tdm_pool *bounded = tdm_pool_new(8, true);
  for (size_t r = 0; r < 8; r++) assert_true(tdm_pool_add(bounded, &samples[r].sections));
  assert_true(tdm_pool_quantile(bounded, 0.999, 0.95).half > 0);
  /* Limits far from it are told apart all the same: sojourns are exponential, mean 5. */
  assert_int_equal(tdm_pool_side(pool, 0.999, 5, 0.95), -1);
  assert_int_equal(tdm_pool_side(pool, 0.9, 60, 0.95), 1);
  assert_int_equal(tdm_pool_side(pool, 0.999, rare.value, 0.95), 0);
  tdm_pool_free(pool);
  tdm_pool_free(bounded);
  for (size_t r = 0; r < 8; r++) sample_free(&samples[r]);
}

static void too_short_a_run_needs_length(void **state) {
  (void)state;
  sample samples[32];
  tdm_pool *pool = tdm_pool_new(32, false);
  for (size_t r = 0; r < 32; r++) {
    samples[r] = queue_of(0.95, 500, 1, 0);
    assert_true(tdm_pool_add(pool, &samples[r].sections));
  }
  tdm_estimate e = tdm_pool_mean(pool, 0.95);
  assert_true(isnan(e.half) && e.needs_length && e.needs > 32 * 500);
  tdm_pool_free(pool);
  for (size_t r = 0; r < 32; r++) sample_free(&samples[r]);
}

/* Of 400 runs of one replication each; binomial limits of 5 in 10,000. */
static void intervals_of_one_replication_cover(void **state) {
  (void)state;
  int mean = 0, median = 0, told = 0;
  for (int i = 0; i < 400; i++) {
    sample s = queue_of(0.5, 8000, 16, 200);
    tdm_pool *pool = tdm_pool_new(1, false);
    assert_true(tdm_pool_add(pool, &s.sections));
    tdm_estimate m = tdm_pool_mean(pool, 0.95), q = tdm_pool_quantile(pool, 0.9, 0.95);
    if (!isnan(q.half)) told++, median += fabs(q.value - 2 * log(10)) <= q.half;
    mean += !isnan(m.half) && fabs(m.value - 2) > m.half;
    tdm_pool_free(pool);
    sample_free(&s);
  }
  assert_true(told > 360 && told - median <= 36);
  assert_true(mean <= 36);
}

static void nothing_that_varies_is_exact(void **state) {
  (void)state;
  const int64_t ns[] = {5000, 5000, 5000};
  tdm_pool *pool = tdm_pool_new(8, false);
  tdm_sections s[8];
  for (size_t r = 0; r < 8; r++) {
    assert_true(tdm_sections_new(&s[r], 1));
    assert_true(tdm_section_keep(&s[r].items[0], ns, 3));
    s[r].items[0].sum_s = 15e-6;
    s[r].mean_s = 5e-6;
    assert_true(tdm_sections_scan(&s[r], ns, 3, 5000, 1));
    assert_true(tdm_pool_add(pool, &s[r]));
  }
  assert_true(tdm_pool_mean(pool, 0.95).half == 0);
  assert_true(tdm_pool_quantile(pool, 0.99, 0.95).half == 0);
  assert_true(tdm_pool_quantile(pool, 0.99, 0.95).value == 5e-6);
  tdm_pool_free(pool);
  for (size_t r = 0; r < 8; r++) tdm_sections_free(&s[r]);
}

/* Of eight overloaded runs one has all that is late: without it the quantile is a thousandth. */
static void a_quantile_that_one_run_makes_has_no_interval(void **state) {
  (void)state;
  tdm_pool *pool = tdm_pool_new(8, true);
  tdm_sections s[8];
  for (size_t r = 0; r < 8; r++) {
    int64_t ns[100];
    double sum_s = 0, squares = 0;
    for (size_t i = 0; i < 100; i++) {
      ns[i] = r == 0 && i >= 85 ? 100000000 : 100000 + (int64_t)i;
      sum_s += (double)ns[i] / 1e9;
      squares += pow((double)ns[i] / 1e9, 2);
    }
    assert_true(tdm_sections_new(&s[r], 1));
    assert_true(tdm_section_keep(&s[r].items[0], ns, 100));
    s[r].items[0].sum_s = sum_s;
    s[r].mean_s = sum_s / 100;
    s[r].sd_s = sqrt(squares / 100 - pow(sum_s / 100, 2));
    assert_true(tdm_sections_scan(&s[r], ns, 100, sum_s / 100 * 1e9, 1));
    assert_true(tdm_pool_add(pool, &s[r]));
  }
  tdm_estimate late = tdm_pool_quantile(pool, 0.99, 0.95);
  assert_true(late.value > 0.09 && isnan(late.half) && late.needs > 800);
  assert_true(tdm_pool_quantile(pool, 0.5, 0.95).half >= 0);
  tdm_pool_free(pool);
  for (size_t r = 0; r < 8; r++) tdm_sections_free(&s[r]);
}

static void shares_of_few_have_a_bound(void **state) {
  (void)state;
  tdm_pool *pool = tdm_pool_new(8, false);
  tdm_sections s[8];
  const int64_t ns[] = {1, 3};
  for (size_t r = 0; r < 8; r++) {
    assert_true(tdm_sections_new(&s[r], 1));
    assert_true(tdm_section_keep(&s[r].items[0], ns, 2));
    assert_true(tdm_sections_scan(&s[r], ns, 2, 2, 1));
    s[r].items[0].arrived = 1000;
    s[r].items[0].within = 1000;
    s[r].items[0].length_s = 10;
    assert_true(tdm_pool_add(pool, &s[r]));
  }
  /* None of 8,000: the rule of three, by what an excursion brings along (here: itself). */
  assert_true(fabs(tdm_pool_few(pool, 0.95) - 3 / 8000.0) < 1e-6);
  s[0].items[0].within = 996; /* four at once */
  assert_true(fabs(tdm_pool_few(pool, 0.95) - (4.744 * 4 - 4) / 8000) < 1e-5);
  s[1].items[0].within = 900;
  assert_true(isnan(tdm_pool_few(pool, 0.95)));
  tdm_estimate rate = tdm_pool_ratio(pool, TDM_PART_ARRIVED, TDM_PART_SECONDS, 0.95);
  assert_true(rate.value == 100 && rate.half == 0);
  tdm_pool_free(pool);
  for (size_t r = 0; r < 8; r++) tdm_sections_free(&s[r]);
}

static int setup(void **state) {
  (void)state;
  rng = (tdm_rng){tdm_stream_bits(tdm_stream_named(7, 0, "sections"), 0)};
  return 0;
}

/* ---- series */

#define SERIES 3200

static tdm_pool *pool_of(const double *series, tdm_sections *sections, size_t smooth,
                         double *unit_s) {
  assert_true(tdm_sections_of_series(sections, series, SERIES, smooth, unit_s));
  tdm_pool *pool = tdm_pool_new(1, false);
  assert_non_null(pool);
  assert_true(tdm_pool_add(pool, sections));
  tdm_pool_of_series(pool, smooth);
  return pool;
}

static tdm_estimate mean_of_series(const double *series, size_t smooth) {
  tdm_sections sections;
  double unit_s;
  tdm_pool *pool = pool_of(series, &sections, smooth, &unit_s);
  tdm_estimate e = tdm_pool_mean(pool, 0.95);
  tdm_pool_free(pool);
  tdm_sections_free(&sections);
  e.value /= unit_s;
  e.half /= unit_s;
  return e;
}

static void a_series_has_the_interval_of_its_sections(void **state) {
  (void)state;
  static double series[SERIES], far[SERIES], centred[SERIES];
  double mean = 0, gaps[16] = {0}, squares = 0, neighbours = 0;
  for (size_t i = 0; i < SERIES; i++) mean += series[i] = -log(draw());
  mean /= SERIES;
  for (size_t i = 0; i < SERIES; i++) {
    gaps[i / 200] += (series[i] - mean) / 200;
    far[i] = series[i] * 1e-12;
    centred[i] = series[i] - mean;
  }
  for (int g = 0; g < 16; g++) {
    squares += gaps[g] * gaps[g];
    if (g > 0) neighbours += gaps[g] * gaps[g - 1];
  }
  double alike = fmax(0, neighbours / (squares * 15 / 16));
  double half = tdm_skewed_half(gaps, 16, 0.95) * sqrt((1 + alike) / (1 - alike));
  tdm_estimate e = mean_of_series(series, 1), small = mean_of_series(far, 1);
  assert_true(fabs(e.value - mean) < 1e-9 && fabs(e.half - half) < 1e-6 * half);
  assert_true(fabs(small.half * 1e12 - half) < 1e-6 * half);
  e = mean_of_series(centred, 1); /* differences lie on both sides of 0 */
  assert_true(fabs(e.value) < 1e-9 && fabs(e.half - half) < 1e-6 * half);
}

static double level_without(const double *series, size_t section, double level) {
  static double kept[SERIES];
  size_t count = 0;
  for (size_t i = 0; i < SERIES; i++)
    if (i / 200 != section) kept[count++] = series[i];
  for (size_t i = 1; i < count; i++) /* by insertion */
    for (size_t j = i; j > 0 && kept[j - 1] > kept[j]; j--) {
      double item = kept[j];
      kept[j] = kept[j - 1];
      kept[j - 1] = item;
    }
  double at = level * (double)(count - 1);
  size_t rank = (size_t)at;
  return kept[rank] + (at - (double)rank) * (kept[rank + 1] - kept[rank]);
}

static void a_ratio_of_quantiles_has_the_jackknife_of_both(void **state) {
  (void)state;
  static double series[SERIES], by[SERIES];
  tdm_sections of_series, of_by;
  double unit_s, by_unit_s, gaps[16], sum = 0, variance = 0;
  for (size_t i = 0; i < SERIES; i++) {
    by[i] = -log(draw());
    series[i] = by[i] - 0.1 * log(draw());
  }
  tdm_pool *pool = pool_of(series, &of_series, 1, &unit_s);
  tdm_pool *other = pool_of(by, &of_by, 1, &by_unit_s);
  tdm_estimate e = tdm_pool_quantile_ratio(pool, other, 0.9, 0.95);
  double ratio = level_without(series, 16, 0.9) / level_without(by, 16, 0.9);
  for (size_t g = 0; g < 16; g++) {
    double without = level_without(series, g, 0.9) / level_without(by, g, 0.9);
    sum += gaps[g] = 15 * log(ratio / without);
  }
  for (int g = 0; g < 16; g++) variance += pow(gaps[g] - sum / 16, 2) / 15 / 16;
  double half = ratio * expm1(tdm_student_quantile(0.975, 15) * sqrt(variance));
  assert_true(fabs(e.value * by_unit_s / unit_s - ratio) < 1e-6);
  assert_true(fabs(e.half * by_unit_s / unit_s - half) < 1e-5 * half);
  tdm_estimate own = tdm_pool_quantile(pool, 0.9, 0.95);
  assert_true(e.half / e.value < 0.5 * own.half / own.value); /* what both share is no doubt */
  e = tdm_pool_quantile_ratio(pool, pool, 0.9, 0.95);
  assert_true(e.value == 1 && e.half == 0);
  e = tdm_pool_quantile_ratio(pool, other, 0.999, 0.95); /* three are beyond */
  assert_true(isnan(e.half) && e.needs > SERIES);
  tdm_pool_free(pool);
  tdm_pool_free(other);
  tdm_sections_free(&of_series);
  tdm_sections_free(&of_by);
}

static void a_series_of_few_ups_has_no_interval(void **state) {
  (void)state;
  static double series[SERIES];
  for (size_t i = 0; i < SERIES; i++) series[i] = i / 400 % 2 == 0 ? 1 : 3; /* four ups */
  tdm_estimate e = mean_of_series(series, 1);
  assert_true(isnan(e.half) && e.needs >= 3 * SERIES && e.needs_length);
  /* Where many serve side by side, what looks independent is not taken for it. */
  for (size_t i = 0; i < SERIES; i++) series[i] = draw() + (i == 150 || i % 640 == 320 ? 9 : 0);
  assert_true(mean_of_series(series, 1).half > 0);
  assert_true(isnan(mean_of_series(series, 8).half));
}

static void no_series_is_nothing(void **state) {
  (void)state;
  tdm_sections sections;
  double unit_s;
  assert_true(tdm_sections_of_series(&sections, NULL, 0, 1, &unit_s));
  tdm_pool *pool = tdm_pool_new(1, false);
  assert_true(tdm_pool_add(pool, &sections));
  tdm_estimate e = tdm_pool_mean(pool, 0.95);
  assert_true(isnan(e.value) && isnan(e.half));
  tdm_pool_free(pool);
  tdm_sections_free(&sections);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kept_times_have_the_quantiles_of_all_sorted),
      cmocka_unit_test(counted_times_have_those_of_the_merged_histogram),
      cmocka_unit_test(a_quantile_has_the_interval_of_a_jackknife),
      cmocka_unit_test(excursions_are_counted_as_by_hand),
      cmocka_unit_test(only_the_largest_maxima_are_kept),
      cmocka_unit_test(a_queue_has_as_many_excursions_as_theory_says),
      cmocka_unit_test(what_is_not_seen_often_has_no_interval),
      cmocka_unit_test(too_short_a_run_needs_length),
      cmocka_unit_test(intervals_of_one_replication_cover),
      cmocka_unit_test(nothing_that_varies_is_exact),
      cmocka_unit_test(a_quantile_that_one_run_makes_has_no_interval),
      cmocka_unit_test(a_series_has_the_interval_of_its_sections),
      cmocka_unit_test(a_ratio_of_quantiles_has_the_jackknife_of_both),
      cmocka_unit_test(a_series_of_few_ups_has_no_interval),
      cmocka_unit_test(no_series_is_nothing),
      cmocka_unit_test(shares_of_few_have_a_bound),
      cmocka_unit_test(those_that_are_long_alone_tell_no_more),
      cmocka_unit_test(runs_that_went_up_once_take_no_side),
  };
  return cmocka_run_group_tests(tests, setup, NULL);
}
