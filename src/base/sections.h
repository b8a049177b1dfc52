/* Times of a run in sections, and what may be said of all of them together: a mean, a quantile, a
 * share, each with an interval that covers, or with what the run lacks for one.
 *
 * A section is a whole replication, or a part of one where there are few. What is estimated of all
 * is estimated again without each group of sections; how far the two are apart says how sure it is
 * (a jackknife, Shao & Wu 1989). No interval mends a run that saw the tail too seldom, which is why
 * every run also says how often its times went up and beyond a level and came down again:
 * excursions.
 *
 * Owns its arrays. Filled by engine/measure, asked by the binding. */
#ifndef TDM_BASE_SECTIONS_H
#define TDM_BASE_SECTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/histogram.h"
#include "base/stats.h"

#define TDM_MAXIMA 256u /* of excursions, kept of a replication */

typedef struct {
  uint64_t count;
  int64_t min_ns, max_ns;
  double sum_s;
  int64_t *sorted_ns; /* all of them; NULL: counted by bucket, */
  uint64_t *below;    /* …[i]: how many lie in buckets first…first+i of a tdm_histogram */
  uint32_t first, buckets;
  uint64_t arrived, within; /* requests that came, and those of them served in time */
  double length_s;
} tdm_section;

/* What the model knows of service times, and what no sample shows before a huge one has come: a
 * mean wait is made of their squares, whose sum over n requests has a relative error of √(E[S⁴] ÷
 * E[S²]² − 1) ÷ √n. All zero: nothing is known. */
typedef struct {
  double error_s;       /* standard error of the mean, from that alone */
  double rest_s;        /* of the mean, what is neither that wait nor that service */
  double size_s;        /* mean service where the error is largest … */
  double big_s;         /* … and of the request that brings a mean second: E[S²] ÷ E[S] */
  double sums, squares; /* relative errors of the sum of those times, and of their squares */
  double skew;          /* skewness of that sum */
} tdm_tail;

/* Of one replication. */
typedef struct {
  tdm_section *items;
  size_t count;
  double mean_s, sd_s; /* of one time; NaN: there is none */
  int64_t *maxima_ns;  /* the largest ones of its excursions, falling; at most TDM_MAXIMA */
  size_t maxima;
  double scale; /* how many excursions one of them stands for: 1 where all times were kept */
  tdm_tail tail;
} tdm_sections;

/* count sections, all empty. False: out of memory. */
bool tdm_sections_new(tdm_sections *sections, size_t count);
void tdm_sections_free(tdm_sections *sections);

/* A section's times, kept as they are: `ns` is sorted, and copied. False: out of memory. */
bool tdm_section_keep(tdm_section *section, const int64_t *ns, size_t count);
/* … or counted by bucket. Says nothing of their sum. */
bool tdm_section_count(tdm_section *section, const tdm_histogram *histogram);

/* Finds the excursions of times in their order: an excursion ends where the mean of `smooth`
 * neighbours falls below `level_ns`, and the next one begins. False: out of memory. */
bool tdm_sections_scan(tdm_sections *sections, const int64_t *ns, size_t count, double level_ns,
                       size_t smooth);
/* How many of them reached a time; at most TDM_MAXIMA. */
size_t tdm_sections_reached(const tdm_sections *sections, double ns);

/* A series of numbers in the order of time as the sections of one replication, which
 * tdm_pool_new(1, false) takes; times may be any numbers: of those below zero the size counts,
 * where it is asked how often they were far out. One of the series is *unit_s of the seconds that
 * the pool tells. `smooth`: as above. False: out of memory. */
bool tdm_sections_of_series(tdm_sections *sections, const double *series, size_t count,
                            size_t smooth, double *unit_s);

/* In how many sections of a replication to cut, for about 16 in all; one from 8 replications on. */
size_t tdm_sections_each(size_t replications);

/* All replications' together. Holds pointers to their sections, which must stay. */
typedef struct tdm_pool tdm_pool;

/* NULL: out of memory. bounded: what is asked for is what runs of this length do, not what endless
 * ones would: no more evidence is wanted than that they differ. */
tdm_pool *tdm_pool_new(size_t replications, bool bounded);
/* The pool may be asked once all replications are there. False: out of memory. */
bool tdm_pool_add(tdm_pool *pool, const tdm_sections *sections);
void tdm_pool_free(tdm_pool *pool);
/* How many requests the run has of which these times are told: what an interval needs is said in
 * those, where the times are of a part of them or of tokens. Without it: one each. */
void tdm_pool_of_requests(tdm_pool *pool, double requests);

/* The pool is of a series that is held against another one, whose luck is as large: less evidence
 * is wanted, and intervals are as long as the sections say. Coverage: tests/theory/score_spec.lua.
 * Where it was smoothed, values that look independent are not taken for it. */
void tdm_pool_of_series(tdm_pool *pool, size_t smooth);

/* Seconds. `half` is the longer side; NaN with `needs` above zero where the run does not suffice,
 * and with none where there is nothing to go by. */
tdm_estimate tdm_pool_mean(const tdm_pool *pool, double confidence);
/* How many times as long the evidence makes the interval of a mean. */
double tdm_pool_longer(double excursions);
tdm_estimate tdm_pool_quantile(const tdm_pool *pool, double level, double confidence);
/* Of the ratio of two pools' quantiles, whose sections are of the same requests. */
tdm_estimate tdm_pool_quantile_ratio(const tdm_pool *pool, const tdm_pool *by, double level,
                                     double confidence);
/* The value of it alone. */
double tdm_pool_level(const tdm_pool *pool, double level);

/* What the model knows of the service behind these times, of all replications together. */
tdm_tail tdm_pool_tail(const tdm_pool *pool);

typedef struct {
  double value, low, high;
} tdm_share;

/* The share of the times that are beyond a limit, and between which bounds that of all is; 0 to 1
 * where the run does not say. */
tdm_share tdm_pool_beyond(const tdm_pool *pool, double limit_s, double confidence);

/* Does the share of times beyond a limit say, where the quantile has no interval, on which side of
 * it the quantile lies? 1: below, surely; -1: above, surely; 0: it does not say. */
int tdm_pool_side(const tdm_pool *pool, double level, double limit_s, double confidence);

typedef enum { TDM_PART_SECONDS, TDM_PART_ARRIVED, TDM_PART_COMPLETED, TDM_PART_WITHIN } tdm_part;

/* One sum by another, with an interval from sections. */
tdm_estimate tdm_pool_ratio(const tdm_pool *pool, tdm_part of, tdm_part by, double confidence);
/* How far the share of arrivals that were served in time may be off, where it rests on fewer than
 * TDM_FEW requests in time, or not: a one-sided bound. NaN: it rests on more. */
#define TDM_FEW 30u
double tdm_pool_few(const tdm_pool *pool, double confidence);
/* Withholds the interval of the share of arrivals served within limit_s (NaN: it is not one limit
 * of these times), where the run does not suffice for one. */
void tdm_pool_support(const tdm_pool *pool, double limit_s, double confidence, tdm_estimate *share);

/* How many excursions reached a time, over all of the run; about, where not all of it was kept. */
double tdm_pool_excursions(const tdm_pool *pool, double ns);
/* The share of the times that are larger. */
double tdm_pool_above(const tdm_pool *pool, double ns);

#endif
