/* All sections of a run together, and quantiles of the pool, whole or in part. Owns the lists, not
 * the sections. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/pool.h"
#include "base/ranks.h"

tdm_pool *tdm_pool_new(size_t replications, bool bounded) {
  size_t each = tdm_sections_each(replications);
  tdm_pool *pool = tdm_array_new(1, sizeof *pool);
  if (pool == NULL) return NULL;
  *pool = (tdm_pool){.replications = replications,
                     .room = replications * each,
                     .each = each,
                     .exact = true,
                     .bounded = bounded};
  pool->sections = tdm_array_new(pool->room, sizeof *pool->sections);
  pool->runs = tdm_array_new(replications, sizeof *pool->runs);
  if (pool->sections != NULL && pool->runs != NULL) return pool;
  tdm_pool_free(pool);
  return NULL;
}

void tdm_pool_free(tdm_pool *pool) {
  if (pool == NULL) return;
  free(pool->sections);
  free(pool->runs);
  free(pool->merged_ns);
  free(pool->places);
  free(pool);
}

void tdm_pool_of_requests(tdm_pool *pool, double requests) {
  pool->requests = requests;
}

void tdm_pool_of_series(tdm_pool *pool, size_t smooth) {
  pool->series = true;
  pool->smoothed = smooth > 1;
}

size_t tdm_pool_group_start(const tdm_pool *p, size_t group) {
  return group * p->section_count / p->groups;
}

size_t tdm_pool_group_of(const tdm_pool *p, size_t section) {
  size_t group = section * p->groups / p->section_count;
  while (tdm_pool_group_start(p, group + 1) <= section) group++;
  return group;
}

/* ---- what the model knows */

static void add_tail(tdm_tail *sum, const tdm_tail *one) {
  sum->error_s += one->error_s * one->error_s;
  sum->rest_s += one->rest_s;
  sum->size_s += one->size_s;
  sum->big_s += one->big_s;
  sum->sums += one->sums * one->sums;
  sum->squares += one->squares * one->squares;
  sum->skew += one->skew * one->skew;
}

tdm_tail tdm_pool_tail(const tdm_pool *p) {
  double runs = (double)p->run_count;
  const tdm_tail *t = &p->tails;
  return (tdm_tail){.error_s = sqrt(t->error_s) / runs,
                    .rest_s = t->rest_s / runs,
                    .size_s = t->size_s / runs,
                    .big_s = t->big_s / runs,
                    .sums = sqrt(t->sums) / runs,
                    .squares = sqrt(t->squares) / runs,
                    .skew = sqrt(t->skew) / runs};
}

/* ---- all kept times in one row */

/* Fills merged_ns, and for each group the places of its times there. */
static bool merge(tdm_pool *p) {
  size_t n = (size_t)p->count, at = 0;
  int64_t *spare = tdm_array_new(n + 1, sizeof *spare);
  uint8_t *groups = tdm_array_new(2 * n + 1, sizeof *groups);
  p->merged_ns = tdm_array_new(n + 1, sizeof *p->merged_ns);
  p->places = tdm_array_new(n + 1, sizeof *p->places);
  bool room = spare != NULL && groups != NULL && p->merged_ns != NULL && p->places != NULL &&
              n <= UINT32_MAX;
  for (size_t i = 0; room && i < p->section_count; i++) {
    const tdm_section *s = p->sections[i];
    size_t count = (size_t)s->count, group = tdm_pool_group_of(p, i);
    if (count > 0) memcpy(p->merged_ns + at, s->sorted_ns, count * sizeof *spare);
    memset(groups + at, (int)group, count);
    p->starts[group + 1] = at += count;
  }
  if (room) {
    size_t next[TDM_POOL_GROUPS];
    memcpy(next, p->starts, sizeof next);
    if (p->section_count > 1) tdm_ranks_sort_tagged(p->merged_ns, spare, groups, groups + n, n);
    for (size_t i = 0; i < n; i++) p->places[next[groups[i]]++] = (uint32_t)i;
  }
  free(spare);
  free(groups);
  return room;
}

bool tdm_pool_add(tdm_pool *pool, const tdm_sections *sections) {
  if (pool->section_count + sections->count > pool->room) return false;
  uint64_t count = 0;
  for (size_t i = 0; i < sections->count; i++) {
    const tdm_section *one = &sections->items[i];
    pool->sections[pool->section_count++] = one;
    pool->exact &= one->count == 0 || one->sorted_ns != NULL;
    count += one->count;
  }
  pool->runs[pool->run_count++] = sections;
  add_tail(&pool->tails, &sections->tail);
  pool->count += count;
  if (count > 1) pool->squares += sections->sd_s * sections->sd_s * (double)(count - 1);
  pool->groups = pool->bounded && pool->run_count > 1 ? pool->run_count : pool->section_count;
  if (pool->groups > TDM_POOL_GROUPS) pool->groups = TDM_POOL_GROUPS;
  return pool->run_count < pool->replications || !pool->exact || merge(pool);
}

/* ---- one section */

/* How many of sorted times are below ns. */
static size_t lower_bound(const int64_t *ns, size_t low, size_t high, int64_t limit_ns) {
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (ns[middle] < limit_ns)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static uint64_t below_bucket(const tdm_section *s, uint32_t bucket) {
  if (s->count == 0) return 0;
  if (s->sorted_ns != NULL)
    return lower_bound(s->sorted_ns, 0, s->count, (int64_t)ceil(tdm_histogram_lower(bucket)));
  if (bucket <= s->first) return 0;
  return bucket - s->first >= s->buckets ? s->count : s->below[bucket - s->first - 1];
}

static double first_ns(uint32_t bucket) {
  return ceil(tdm_histogram_lower(bucket));
}

static double last_ns(uint32_t bucket) {
  return ceil(tdm_histogram_upper(bucket)) - 1;
}

double tdm_section_at_least(const tdm_section *s, double ns) {
  if (s->count == 0 || ns > (double)s->max_ns) return 0;
  if (ns <= (double)s->min_ns) return (double)s->count;
  int64_t whole = (int64_t)ceil(ns);
  if (s->sorted_ns != NULL)
    return (double)(s->count - lower_bound(s->sorted_ns, 0, s->count, whole));
  uint32_t bucket = tdm_histogram_bucket(whole);
  double under = (double)below_bucket(s, bucket), end = (double)below_bucket(s, bucket + 1);
  double low = fmax(first_ns(bucket), (double)s->min_ns);
  double high = fmin(last_ns(bucket), (double)s->max_ns);
  double inside = high > low ? (ns - low) / (high - low) : 0;
  return (double)s->count - under - inside * (end - under);
}

/* ---- the pool without one of its groups, or with all */

tdm_pool_view tdm_pool_without(const tdm_pool *p, size_t group) {
  tdm_pool_view v = {p, group, 0, 0, p->count};
  if (group == TDM_POOL_WHOLE) return v;
  v.from = tdm_pool_group_start(p, group);
  v.to = tdm_pool_group_start(p, group + 1);
  for (size_t i = v.from; i < v.to; i++) v.count -= p->sections[i]->count;
  return v;
}

static bool left_out(const tdm_pool_view *v, size_t section) {
  return section >= v->from && section < v->to;
}

/* The k-th of all times (from 0) that are not left out: as many places further on as left-out ones
 * lie before it. */
static int64_t kept_at(const tdm_pool_view *v, uint64_t k) {
  const tdm_pool *p = v->pool;
  if (v->group == TDM_POOL_WHOLE) return p->merged_ns[k];
  const uint32_t *places = p->places + p->starts[v->group];
  size_t low = 0, high = p->starts[v->group + 1] - p->starts[v->group];
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (places[middle] - middle > k)
      high = middle;
    else
      low = middle + 1;
  }
  return p->merged_ns[k + low];
}

/* As tdm_ranks_quantile_ns. */
static double exact_quantile_ns(const tdm_pool_view *v, double level) {
  double at = level * (double)(v->count - 1);
  uint64_t rank = (uint64_t)at;
  int64_t here = kept_at(v, rank), next = rank + 1 < v->count ? kept_at(v, rank + 1) : here;
  return (double)here + (at - (double)rank) * (double)(next - here);
}

static uint64_t below_in(const tdm_pool_view *v, uint32_t bucket) {
  uint64_t below = 0;
  for (size_t i = 0; i < v->pool->section_count; i++)
    if (!left_out(v, i)) below += below_bucket(v->pool->sections[i], bucket);
  return below;
}

/* As tdm_histogram_quantile. */
static double bucket_quantile_ns(const tdm_pool_view *v, double level) {
  double rank = level * (double)v->count, min = INFINITY, max = 0;
  for (size_t i = 0; i < v->pool->section_count; i++) {
    const tdm_section *s = v->pool->sections[i];
    if (left_out(v, i) || s->count == 0) continue;
    min = fmin(min, (double)s->min_ns);
    max = fmax(max, (double)s->max_ns);
  }
  uint32_t low = 0, high = TDM_HISTOGRAM_BUCKETS - 1; /* of the buckets that may be meant */
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if ((double)below_in(v, middle + 1) >= rank)
      high = middle;
    else
      low = middle + 1;
  }
  double under = (double)below_in(v, low), here = (double)below_in(v, low + 1) - under;
  double inside = here > 0 ? (rank - under) / here : 0;
  double ns = first_ns(low) + inside * (last_ns(low) - first_ns(low));
  return ns < min ? min : ns > max ? max : ns;
}

double tdm_pool_view_quantile_ns(const tdm_pool_view *v, double level) {
  if (v->count == 0) return NAN;
  if (!(level > 0)) level = 0;
  if (level > 1) level = 1;
  return v->pool->exact ? exact_quantile_ns(v, level) : bucket_quantile_ns(v, level);
}

static double seconds(double ns) {
  return ns / 1e9;
}

double tdm_pool_level(const tdm_pool *pool, double level) {
  tdm_pool_view all = tdm_pool_without(pool, TDM_POOL_WHOLE);
  return seconds(tdm_pool_view_quantile_ns(&all, level));
}

double tdm_pool_above(const tdm_pool *p, double ns) {
  double above = 0;
  for (size_t i = 0; i < p->section_count; i++) above += tdm_section_at_least(p->sections[i], ns);
  return p->count > 0 ? above / (double)p->count : NAN;
}
