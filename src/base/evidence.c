/* What may be said of a pool: means, quantiles and shares with intervals (a jackknife over groups
 * of sections), and the evidence without which there is none. Owns nothing. */
#include <math.h>

#include "base/pool.h"
#include "base/special.h"

#define LEAST_KNOWN 10 /* excursions below which their number is worked out from lower levels */
/* Excursions beyond a quantile that an interval asks for, and beyond p99 for the mean; and how many
 * times as long they make it, at least once: base + more / √excursions, since misses lie above.
 * Chosen by leaving systems out: tests/accuracy/bars.lua, which see before a change. */
#define EVIDENCE      80.0
#define EVIDENCE_MEAN 45.0
/* Excursions that each independent request beyond a level can bring: as many as of a queue with one
 * server near saturation, n (1 - load)² excursions of n (1 - load)² ÷ 4 independent requests. Of
 * many servers, requests that are long by themselves are excursions, too, and tell no more. */
#define APIECE        4.0
#define LEAST_TELLING 20.0 /* of those: fewer make intervals as long as what they are of */
#define TELLS         1.5  /* an interval of so many e-folds says nothing */
#define MANY_TIMES    100.0
#define LONGER_BASE   0.8
#define LONGER        8.0
/* Of quantiles of whole runs, by how these differ: so much longer, times a power of how many runs
 * there are for each that has times beyond, at most LONGER_FEW. Seven moving loads by window, each
 * left out once, were held in 92 to 96 % of their windows by what the others chose. */
#define LONGER_RUNS  1.1
#define LONGER_FEW   3.0
#define LONGER_POWER 1.25
#define LONGER_MEAN  3.0
#define SKEWED       0.5  /* a sum of known service times that is more so, wants more of them */
#define SIDE         30.0 /* excursions beyond a limit that tell on which side of it a quantile is */
#define WORTH        20.0 /* independent requests that a replication must be worth */
#define CYCLES       12.0 /* … and how often it must go up and come down again */
#define UNLIKE       3.0  /* a replication of n requests that is worth n ÷ this needs no cycles */
#define ROUNDING     1e-12

static double seconds(double ns) {
  return ns / 1e9;
}

static double normal(double confidence) {
  return tdm_normal_quantile(0.5 + 0.5 * confidence);
}

/* ---- evidence */

/* Excursions that reached ns, were all of the run as what was kept; *seen: in what was kept. */
static double excursions_seen(const tdm_pool *p, double ns, size_t *seen) {
  double sum = 0;
  *seen = 0;
  for (size_t r = 0; r < p->run_count; r++) {
    size_t reached = tdm_sections_reached(p->runs[r], ns);
    *seen += reached;
    sum += (double)reached * p->runs[r]->scale;
  }
  return sum;
}

/* The level that LEAST_KNOWN excursions reached. */
static double known_level(const tdm_pool *p) {
  double top[LEAST_KNOWN];
  size_t count = 0;
  for (size_t r = 0; r < p->run_count; r++)
    for (size_t i = 0; i < p->runs[r]->maxima && i < LEAST_KNOWN; i++) {
      double ns = (double)p->runs[r]->maxima_ns[i];
      if (count == LEAST_KNOWN && ns <= top[count - 1]) break;
      size_t at = count < LEAST_KNOWN ? count++ : count - 1;
      for (; at > 0 && top[at - 1] < ns; at--) top[at] = top[at - 1];
      top[at] = ns;
    }
  return count > 0 ? top[count - 1] : NAN;
}

double tdm_pool_excursions(const tdm_pool *p, double ns) {
  size_t seen;
  double direct = excursions_seen(p, ns, &seen);
  if (seen >= LEAST_KNOWN) return direct;
  /* Beyond: excursions are as long there as where they are known. */
  double level = known_level(p);
  if (isnan(level) || level >= ns) return direct;
  double share = tdm_pool_above(p, level);
  return share > 0 ? excursions_seen(p, level, &seen) * tdm_pool_above(p, ns) / share : direct;
}

/* Gaps of the groups' sums from what the pool's mean makes of their counts, as means: their mean
 * square ÷ groups is the variance of the pool's mean. */
typedef struct {
  double gaps[TDM_POOL_GROUPS];
  size_t count;
  double squares, neighbours; /* neighbours: products inside a replication */
} residuals;

static double shares_of(const tdm_pool *p, size_t i, double ns) {
  return isnan(ns) ? p->sections[i]->sum_s : tdm_section_at_least(p->sections[i], ns);
}

static void sum_up(const tdm_pool *p, residuals *r) {
  r->count = p->groups;
  for (size_t g = 0; g < r->count; g++) {
    bool begins = p->section_count == p->groups && g % p->each == 0;
    r->squares += r->gaps[g] * r->gaps[g];
    if (g > 0 && !begins) r->neighbours += r->gaps[g] * r->gaps[g - 1];
  }
}

/* Of the mean, or (ns) of the share of times that are at least ns. */
static residuals residuals_of(const tdm_pool *p, double ns) {
  residuals r = {.count = p->groups};
  double mean = 0, each = (double)p->count / (double)p->groups;
  for (size_t i = 0; i < p->section_count; i++) mean += shares_of(p, i, ns);
  mean /= (double)p->count;
  for (size_t i = 0; i < p->section_count; i++)
    r.gaps[tdm_pool_group_of(p, i)] +=
        (shares_of(p, i, ns) - mean * (double)p->sections[i]->count) / each;
  sum_up(p, &r);
  return r;
}

/* How much longer neighbours that are alike make an interval (Tafazzoli & Wilson 2011). */
static double alike(const tdm_pool *p, const residuals *r) {
  bool parts = p->each > 1 && p->groups > p->run_count; /* of replications */
  if (!parts || !(r->squares > 0)) return 1;
  double among = r->squares * (double)(p->each - 1) / (double)p->each;
  double correlation = fmin(r->neighbours / among, 0.8);
  return correlation > 0 ? sqrt((1 + correlation) / (1 - correlation)) : 1;
}

static double error_of(const tdm_pool *p, const residuals *r) {
  double k = (double)r->count;
  return sqrt(r->squares / (k - 1) / k) * alike(p, r);
}

/* How many whole runs the times beyond ns are from, those that have more of them counting for less
 * than one each: of one run among many it is 1, of all alike their number. */
static double contributors(const tdm_pool *p, double ns) {
  double sum = 0, squares = 0;
  for (size_t g = 0; g < p->groups; g++) {
    double beyond = 0;
    for (size_t i = tdm_pool_group_start(p, g); i < tdm_pool_group_start(p, g + 1); i++)
      beyond += tdm_section_at_least(p->sections[i], ns);
    sum += beyond;
    squares += beyond * beyond;
  }
  return squares > 0 ? sum * sum / squares : 1;
}

/* Of quantiles of whole runs: the fewer of them have brought what is beyond, the longer. */
static double longer_runs(const tdm_pool *p, double ns) {
  double apiece = fmin((double)p->groups / contributors(p, ns), LONGER_FEW);
  return LONGER_RUNS * pow(apiece, LONGER_POWER);
}

static double longer(const tdm_pool *p, double excursions, double more) {
  if (p->bounded || p->series) return 1; /* a run is one excursion, or a few */
  return fmax(1, LONGER_BASE + more / sqrt(fmax(excursions, 1)));
}

/* How many independent requests a replication is worth, of a mean whose error is known to be
 * known_s at least; INFINITY where nothing varies. */
static double worth_of(const tdm_pool *p, double known_s) {
  residuals r = residuals_of(p, NAN);
  double error = fmax(error_of(p, &r), known_s);
  if (!(error > 0)) return INFINITY;
  return p->squares / (double)p->count / (error * error) / (double)p->run_count;
}

/* Relative error of the share of times beyond a level, by what the model knows: as that of sizes
 * about as large. Of the mean, half is there because of requests of size big_s. */
static double known_error(const tdm_pool *p, double ns) {
  tdm_tail t = tdm_pool_tail(p);
  if (!(t.squares > 0)) return 0;
  double size = (seconds(ns) - t.rest_s) / t.size_s, big = t.big_s / t.size_s;
  double part = size > 1 && big > 1 ? fmin(1, log(size) / log(big)) : size > 1;
  return pow(t.sums, 1 - part) * pow(t.squares, part);
}

/* So many independent requests have that error. */
static double known_beyond(const tdm_pool *p, double ns) {
  return 1 / pow(known_error(p, ns), 2);
}

/* Of excursions beyond the level that a share of the times reaches, those that tell something. */
static double telling(const tdm_pool *p, double excursions, double share, double ns) {
  double worth = APIECE * share * worth_of(p, 0) * (double)p->run_count;
  return fmin(fmin(excursions, worth), known_beyond(p, ns));
}

double tdm_pool_longer(double excursions) {
  return fmax(1, LONGER_BASE + LONGER_MEAN / sqrt(fmax(excursions, 1)));
}

/* A level that times reach only when the whole is busier than usual. */
static double busy_ns(const tdm_pool *p) {
  double sum = 0;
  for (size_t i = 0; i < p->section_count; i++) sum += p->sections[i]->sum_s;
  return (sum + sqrt(p->squares * (double)p->count)) / (double)p->count * 1e9;
}

/* Ups and downs of a replication. */
static double cycles_of(const tdm_pool *p) {
  return tdm_pool_excursions(p, busy_ns(p)) / (double)p->run_count;
}

/* A run in which no time varies, or none of what the replications drew mattered: what is left is
 * rounding. */
static bool nothing_varies(const tdm_pool *p, double error) {
  double sd = sqrt(p->squares / (double)p->count);
  return !(sd > 0) || error <= ROUNDING * sd;
}

/* Were all replications too short to have gone up and come down again often? */
static bool too_few_cycles(const tdm_pool *p, double worth, double cycles) {
  bool unlike = worth >= (double)p->count / (double)p->run_count / UNLIKE && !p->smoothed;
  return cycles < CYCLES && !unlike;
}

/* What an interval lacks: fills needs, false where nothing is lacking. Replications that are too
 * short all begin empty and end before they have seen the worst: more of them do not help. */
static bool lacks(const tdm_pool *p, double excursions, double wanted, double told, double known_s,
                  tdm_estimate *e) {
  double worth = worth_of(p, known_s), cycles = cycles_of(p);
  double times = 1;
  e->seen = (tdm_evidence){e->seen.half, excursions, told, worth, cycles};
  if (p->bounded) return false;
  if (worth < WORTH) times = WORTH / worth;
  if (too_few_cycles(p, worth, cycles)) times = fmax(times, CYCLES / fmax(cycles, 0.5));
  double more = excursions < wanted ? wanted / fmax(excursions, 0.5) : 1;
  double skew = tdm_pool_tail(p).skew / SKEWED;
  if (skew > 1) more = fmax(more, skew * skew);
  if (told < LEAST_TELLING) more = fmax(more, LEAST_TELLING / fmax(told, 0.5));
  if (times <= 1 && more <= 1) return false;
  e->needs = (p->requests > 0 ? p->requests : (double)p->count) * fmax(times, more);
  e->needs_length = times > 1;
  return true;
}

/* ---- estimates */

/* Parts of one run are no sample of runs of its length. */
static bool has_groups(const tdm_pool *p) {
  return p->groups > 1 && !(p->bounded && p->run_count == 1);
}

tdm_estimate tdm_pool_mean(const tdm_pool *p, double confidence) {
  double mean = 0;
  size_t runs = 0;
  tdm_estimate e = {.value = NAN, .half = NAN};
  for (size_t r = 0; r < p->run_count; r++) { /* every replication counts alike */
    double own = p->runs[r]->mean_s;
    if (!isnan(own)) mean += (own - mean) / (double)++runs;
  }
  if (runs == 0) return e;
  e.value = mean;
  if (!has_groups(p)) return e;
  residuals r = residuals_of(p, NAN);
  if (nothing_varies(p, error_of(p, &r))) {
    e.half = 0;
    return e;
  }
  tdm_pool_view all = tdm_pool_without(p, TDM_POOL_WHOLE);
  double excursions = tdm_pool_excursions(p, tdm_pool_view_quantile_ns(&all, 0.99));
  e.seen.half = tdm_skewed_half(r.gaps, r.count, confidence) * alike(p, &r);
  double told = p->series ? SIDE : excursions;
  double known_s = tdm_pool_tail(p).error_s;
  if (!lacks(p, excursions, p->series ? 0 : EVIDENCE_MEAN, told, known_s, &e))
    e.half = fmax(e.seen.half * longer(p, excursions, LONGER_MEAN), normal(confidence) * known_s);
  return e;
}

/* The logarithm of a quantile without a group, or (by) of its ratio to that of another pool. */
static double log_level(const tdm_pool *p, const tdm_pool *by, size_t group, double level) {
  tdm_pool_view view = tdm_pool_without(p, group);
  double own = log(fmax(tdm_pool_view_quantile_ns(&view, level), 1));
  return by == NULL ? own : own - log_level(by, NULL, group, level);
}

/* How far it may be off; NaN: it cannot be told. */
static double jackknife(const tdm_pool *p, const tdm_pool *by, double level, double confidence) {
  double gaps[TDM_POOL_GROUPS], weights[TDM_POOL_GROUPS], sum = 0, variance = 0;
  double all = log_level(p, by, TDM_POOL_WHOLE, level);
  size_t used = 0;
  for (size_t g = 0; g < p->groups; g++) {
    tdm_pool_view rest = tdm_pool_without(p, g);
    if (rest.count == p->count || rest.count == 0) continue;
    weights[used] = (double)rest.count / (double)(p->count - rest.count); /* k - 1 where alike */
    gaps[used] = weights[used] * (all - log_level(p, by, g, level));
    sum += gaps[used++];
  }
  if (used < 2) return NAN;
  for (size_t g = 0; g < used; g++) {
    double gap = gaps[g] - sum / (double)used;
    variance += gap * gap / weights[g] / (double)used;
  }
  return tdm_student_quantile(0.5 + 0.5 * confidence, (double)used - 1) * sqrt(variance);
}

/* How far a quantile is from those that the share beyond it may be of: of those beyond, half are
 * there for their own size, which a sample shows. */
static double known_half(const tdm_pool *p, double level, double confidence) {
  tdm_pool_view all = tdm_pool_without(p, TDM_POOL_WHOLE);
  double ns = tdm_pool_view_quantile_ns(&all, level);
  double off = normal(confidence) * known_error(p, ns) * (1 - level) / 2;
  if (!(off > 0)) return 0;
  double up = tdm_pool_view_quantile_ns(&all, level + off);
  return seconds(fmax(up - ns, ns - tdm_pool_view_quantile_ns(&all, level - off)));
}

tdm_estimate tdm_pool_quantile(const tdm_pool *p, double level, double confidence) {
  tdm_pool_view all = tdm_pool_without(p, TDM_POOL_WHOLE);
  double ns = tdm_pool_view_quantile_ns(&all, level);
  tdm_estimate e = {.value = seconds(ns), .half = NAN};
  if (isnan(ns) || !has_groups(p)) return e;
  residuals mean = residuals_of(p, NAN);
  if (nothing_varies(p, error_of(p, &mean))) {
    e.half = 0;
    return e;
  }
  double excursions = tdm_pool_excursions(p, fmax(ns, busy_ns(p)));
  double error = jackknife(p, NULL, level, confidence);
  e.seen.half = seconds(ns) * expm1(error);
  double told = p->series ? SIDE : telling(p, excursions, 1 - level, ns);
  if (lacks(p, excursions, p->series ? SIDE : EVIDENCE, told, 0, &e)) return e;
  double times = p->bounded ? longer_runs(p, ns) : longer(p, told, LONGER);
  double far = p->bounded ? error * times / LONGER_RUNS / TELLS : error / TELLS;
  if (far > 1) { /* one replication makes it another number: few of many go to a far tail */
    e.needs = (p->requests > 0 ? p->requests : (double)p->count) * fmin(far * far, MANY_TIMES);
    return e;
  }
  e.half = fmax(seconds(ns) * expm1(times * error), known_half(p, level, confidence));
  return e;
}

tdm_estimate tdm_pool_quantile_ratio(const tdm_pool *p, const tdm_pool *by, double level,
                                     double confidence) {
  tdm_pool_view all = tdm_pool_without(p, TDM_POOL_WHOLE);
  tdm_pool_view others = tdm_pool_without(by, TDM_POOL_WHOLE);
  double ns = tdm_pool_view_quantile_ns(&all, level);
  double other_ns = tdm_pool_view_quantile_ns(&others, level);
  tdm_estimate e = {.value = ns / other_ns, .half = NAN}, unused = e;
  if (!(ns > 0 && other_ns > 0) || p->groups != by->groups || !has_groups(p)) return e;
  double excursions = tdm_pool_excursions(p, fmax(ns, busy_ns(p)));
  double of_other = tdm_pool_excursions(by, fmax(other_ns, busy_ns(by)));
  bool lacking = lacks(by, of_other, SIDE, SIDE, 0, &unused);
  lacking |= lacks(p, excursions, SIDE, SIDE, 0, &e);
  e.needs = fmax(e.needs, unused.needs);
  double error = jackknife(p, by, level, confidence);
  if (!lacking && error <= TELLS) e.half = e.value * expm1(error);
  return e;
}

/* ---- shares and rates */

static double part_of(const tdm_section *s, tdm_part part) {
  switch (part) {
  case TDM_PART_SECONDS: return s->length_s;
  case TDM_PART_ARRIVED: return (double)s->arrived;
  case TDM_PART_COMPLETED: return (double)s->count;
  default: return (double)s->within;
  }
}

tdm_estimate tdm_pool_ratio(const tdm_pool *p, tdm_part of, tdm_part by, double confidence) {
  tdm_estimate e = {.value = NAN, .half = NAN};
  residuals r = {.count = p->groups};
  double above = 0, below = 0;
  for (size_t i = 0; i < p->section_count; i++) {
    above += part_of(p->sections[i], of);
    below += part_of(p->sections[i], by);
  }
  if (!(below > 0)) return e;
  e.value = above / below;
  if (!has_groups(p)) return e;
  for (size_t i = 0; i < p->section_count; i++) {
    const tdm_section *s = p->sections[i];
    r.gaps[tdm_pool_group_of(p, i)] +=
        (part_of(s, of) - e.value * part_of(s, by)) / (below / (double)p->groups);
  }
  sum_up(p, &r);
  e.half = tdm_skewed_half(r.gaps, r.count, confidence) * alike(p, &r);
  return e;
}

/* How many times one excursion brings beyond where excursions are known. */
static double cluster_of(const tdm_pool *p) {
  double level = known_level(p);
  size_t seen;
  if (isnan(level)) return 1;
  double excursions = excursions_seen(p, level, &seen);
  return fmax(1, tdm_pool_above(p, level) * (double)p->count / excursions);
}

double tdm_pool_few(const tdm_pool *p, double confidence) {
  double arrived = 0, within = 0, clusters = 0;
  for (size_t i = 0; i < p->section_count; i++) {
    arrived += (double)p->sections[i]->arrived;
    within += (double)p->sections[i]->within;
  }
  bool misses = arrived - within < within;
  double few = misses ? arrived - within : within;
  if (!(arrived > 0) || few >= TDM_FEW) return NAN;
  for (size_t i = 0; i < p->section_count; i++) {
    const tdm_section *s = p->sections[i];
    clusters += (misses ? s->arrived - s->within : s->within) > 0;
  }
  double each = clusters > 0 ? few / clusters : cluster_of(p);
  return fmin(1, tdm_poisson_most(clusters, confidence) * each / arrived) - few / arrived;
}

void tdm_pool_support(const tdm_pool *p, double limit_s, double confidence, tdm_estimate *e) {
  double ns = limit_s * 1e9, arrived = 0, within = 0, wanted = EVIDENCE;
  for (size_t i = 0; i < p->section_count; i++) {
    arrived += (double)p->sections[i]->arrived;
    within += (double)p->sections[i]->within;
  }
  e->seen.half = e->half;
  if (p->count == 0 || !has_groups(p)) return;
  if (fmin(within, arrived - within) < TDM_FEW) wanted = 0; /* a bound, not an interval */
  /* Who is lost has no time to be beyond the limit; they are lost where the system is fullest. */
  double lost = arrived - (double)p->count;
  if (isnan(ns) || lost > tdm_pool_above(p, ns) * (double)p->count) {
    tdm_pool_view all = tdm_pool_without(p, TDM_POOL_WHOLE);
    ns = tdm_pool_view_quantile_ns(&all, 0.99);
    wanted = fmin(wanted, EVIDENCE_MEAN);
  }
  if (lacks(p, tdm_pool_excursions(p, fmax(ns, busy_ns(p))), wanted, known_beyond(p, ns), 0, e)) {
    e->half = NAN;
    return;
  }
  double met = within / arrived, late = known_error(p, ns) * (1 - met) / met / 2;
  e->half = fmax(e->half, normal(confidence) * late * e->value);
}

/* Where all times are so many times as short as a limit, it is kept; of few replications. */
#define NEAR      4.0
#define NEAR_FEW  20.0
#define RUNS_NEAR 5u

/* Of the times of a group, the share that is at least ns, where it is smallest. */
static double least_share(const tdm_pool *p, double ns) {
  double least = 1;
  for (size_t g = 0; g < p->groups; g++) {
    double beyond = 0, count = 0;
    for (size_t i = tdm_pool_group_start(p, g); i < tdm_pool_group_start(p, g + 1); i++) {
      beyond += tdm_section_at_least(p->sections[i], ns);
      count += (double)p->sections[i]->count;
    }
    if (count > 0) least = fmin(least, beyond / count);
  }
  return least;
}

tdm_share tdm_pool_beyond(const tdm_pool *p, double limit_s, double confidence) {
  double ns = limit_s * 1e9, beyond = tdm_pool_above(p, ns);
  tdm_share out = {.value = beyond, .low = 0, .high = 1};
  if (p->groups < 2 || isnan(beyond)) return out;
  double near = p->run_count < RUNS_NEAR ? NEAR_FEW : NEAR;
  if (!(tdm_pool_above(p, ns / near) > 0)) return (tdm_share){0};
  double excursions = tdm_pool_excursions(p, ns);
  double told = telling(p, excursions, beyond, ns);
  residuals share = residuals_of(p, ns);
  double t = tdm_student_quantile(0.5 + 0.5 * confidence, (double)p->groups - 1);
  double times = p->bounded ? longer_runs(p, ns) : longer(p, fmax(told, SIDE), LONGER);
  double wide = times * t * error_of(p, &share);
  /* Above what was seen often, or in every group. */
  out.low = excursions >= SIDE ? beyond - wide : fmin(beyond - wide, least_share(p, ns));
  out.low = fmax(0, out.low);
  double worth = worth_of(p, 0);
  if (worth < WORTH || too_few_cycles(p, worth, cycles_of(p))) return out;
  double each = excursions >= 1 ? fmax(1, beyond * (double)p->count / excursions) : cluster_of(p);
  double most = tdm_poisson_most(excursions, 0.5 + 0.5 * confidence) * each / (double)p->count;
  out.high = fmin(1, fmax(beyond + wide, most));
  return out;
}

int tdm_pool_side(const tdm_pool *p, double level, double limit_s, double confidence) {
  tdm_share beyond = tdm_pool_beyond(p, limit_s, confidence);
  double allowed = 1 - level;
  if (isnan(beyond.value)) return 0;
  if (beyond.value > allowed) return beyond.low > allowed ? -1 : 0;
  return beyond.high < allowed ? 1 : 0;
}
