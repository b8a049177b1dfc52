/* Sampling. Each family is one inline function of the bits of a draw, used by the single draw and
 * by the loop alike, so that both give the same bits. Owns no state; distributions are only read.
 */
#include "base/dist/dist.h"

#include <math.h>

#include "base/dist/inside.h"
#include "base/exponential.h"
#include "base/special.h"

/* Uniform in (0, 1), odd multiples of 2^-53, rising when tdm_exponential rises (which takes −log of
 * its uniform): hence the complement. */
static inline double rank(uint64_t bits) {
  return ((double)(~bits >> 12) + 0.5) * 0x1p-52;
}

/* 1 − rank, exactly. */
static inline double rank_above(uint64_t bits) {
  return ((double)(bits >> 12) + 0.5) * 0x1p-52;
}

static inline uint32_t table_pick(const dist_table *table, double u) {
  uint32_t i = table->guide[(uint32_t)(u * table->guides)];
  while (table->cumulative[i] < u) i++;
  return i;
}

static inline double draw_uniform(const tdm_dist *dist, uint64_t bits) {
  double x = dist->as.uniform.min + dist->as.uniform.width * rank(bits);
  return x < dist->as.uniform.max ? x : dist->as.uniform.max;
}

static inline double draw_exponential(const tdm_dist *dist, uint64_t bits) {
  return dist->as.exponential.mean * tdm_exponential(bits);
}

static inline double draw_normal(const tdm_dist *dist, uint64_t bits) {
  bool mirrored = dist->as.normal.mirrored;
  double u = mirrored ? rank_above(bits) : rank(bits);
  double p = dist->as.normal.low + dist->as.normal.width * u;
  const double below_one = 1 - 0x1p-53; /* rounding must not make an infinite quantile */
  double z = tdm_normal_quantile(p < below_one ? p : below_one);
  double x = dist->as.normal.mean + dist->as.normal.sd * (mirrored ? -z : z);
  x = x > dist->as.normal.min ? x : dist->as.normal.min;
  return x < dist->as.normal.max ? x : dist->as.normal.max;
}

static inline double draw_lognormal(const tdm_dist *dist, uint64_t bits) {
  return exp(dist->as.lognormal.mu + dist->as.lognormal.sigma * tdm_normal_quantile(rank(bits)));
}

/* Marsaglia & Tsang (2000): d·v³ with v = 1 + c·z accepted under a squeeze. Starts a sequential
 * generator at the draw's bits; one round in 1.05 or fewer. */
static inline double draw_gamma(const tdm_dist *dist, uint64_t bits) {
  const double d = dist->as.gamma.d, c = dist->as.gamma.c;
  tdm_rng rng = {bits};
  double v;
  for (;;) {
    double z = tdm_normal_quantile(rank(tdm_rng_bits(&rng)));
    v = 1 + c * z;
    if (v <= 0) continue;
    v = v * v * v;
    double u = tdm_rng_unit(&rng);
    if (u < 1 - 0.0331 * (z * z) * (z * z)) break;
    if (log(u) < 0.5 * z * z + d * (1 - v + log(v))) break;
  }
  double x = dist->as.gamma.scale * d * v;
  if (dist->as.gamma.boost > 0)
    x *= exp(-dist->as.gamma.boost * tdm_exponential(tdm_rng_bits(&rng)));
  return x;
}

static inline double draw_erlang(const tdm_dist *dist, uint64_t bits) {
  tdm_rng rng = {bits};
  double product = 1;
  for (uint32_t i = 0; i < dist->as.erlang.k; i++) product *= tdm_rng_unit(&rng);
  return -dist->as.erlang.scale * log(product);
}

static inline double draw_weibull(const tdm_dist *dist, uint64_t bits) {
  return dist->as.weibull.scale * pow(tdm_exponential(bits), dist->as.weibull.exponent);
}

static inline double draw_pareto(const tdm_dist *dist, uint64_t bits) {
  double above = rank_above(bits);
  double survival = dist->as.pareto.floor * (1 - above) + above;
  double x = dist->as.pareto.min * pow(survival, dist->as.pareto.exponent);
  return x < dist->as.pareto.max ? x : dist->as.pareto.max;
}

/* Beyond the table the sum of k^−s is replaced by its integral from k − ½ to k + ½, which differs
 * by s(s+1)/24k² of itself: below 1e-6 where there is any mass left to draw. */
static inline double draw_zipf(const tdm_dist *dist, uint64_t bits) {
  double u = rank(bits);
  double head = dist->as.zipf.head;
  if (u <= head) return table_pick(&dist->table, u) + 1.0;
  double t = (u - head) / (1 - head);
  double power = dist->as.zipf.power;
  double up = power == 0 ? t * dist->as.zipf.log_span : log1p(t * dist->as.zipf.span) / power;
  double k = floor(dist->as.zipf.from * exp(up) + 0.5);
  double first = dist->table.count + 1.0;
  k = k > first ? k : first;
  return k < dist->as.zipf.n ? k : dist->as.zipf.n;
}

static inline double draw_empirical_equal(const tdm_dist *dist, uint64_t bits) {
  return dist->values[tdm_index_below(~bits, dist->count)];
}

static inline double draw_empirical(const tdm_dist *dist, uint64_t bits) {
  return dist->values[table_pick(&dist->table, rank(bits))];
}

static inline double draw_histogram(const tdm_dist *dist, uint64_t bits) {
  double u = rank(bits);
  uint32_t bin = table_pick(&dist->table, u);
  double below = bin > 0 ? dist->table.cumulative[bin - 1] : 0;
  double inside = (u - below) / (dist->table.cumulative[bin] - below);
  double low = dist->values[bin], high = dist->values[bin + 1];
  double x = low + inside * (high - low);
  return x < high ? x : high;
}

static inline double draw_hyperexponential(const tdm_dist *dist, uint64_t bits, uint64_t more) {
  return dist->values[table_pick(&dist->table, rank(bits))] * tdm_exponential(more);
}

static inline double draw_lua(const tdm_dist *dist, uint64_t bits, const tdm_script *script) {
  if (script == NULL) return NAN;
  double u = rank(bits);
  return script->call(script->context, dist->as.lua.function, &u, 1);
}

#define DRAW(NAME, name)                                                                           \
  case KIND_##NAME: return draw_##name(dist, bits);

double tdm_dist_draw(const tdm_dist *dist, tdm_stream stream, uint64_t n,
                     const tdm_script *script) {
  uint64_t bits = tdm_stream_bits(stream, n);
  for (;;) { /* around again only into a part of a mixture */
    switch (dist->kind) {
    case KIND_CONSTANT: return dist->as.constant.value; DIST_DRAWN(DRAW)
    case KIND_HYPEREXPONENTIAL:
      return draw_hyperexponential(dist, bits, tdm_stream_bits(tdm_stream_child(stream, 0), n));
    case KIND_LUA: return draw_lua(dist, bits, script);
    case KIND_MIXTURE:
      dist = dist->parts[table_pick(&dist->table, rank(bits))];
      stream = tdm_stream_child(stream, 0); /* one for all parts: the draw keeps its rank */
      bits = tdm_stream_bits(stream, n);
    }
  }
}

#define FILL(value)                                                                                \
  for (size_t i = 0; i < count; i++) {                                                             \
    uint64_t bits = tdm_stream_bits(stream, n[i]);                                                 \
    out[i] = (value);                                                                              \
  }                                                                                                \
  break

#define FILL_KIND(NAME, name)                                                                      \
  case KIND_##NAME: FILL(draw_##name(dist, bits));

void tdm_dist_fill(const tdm_dist *dist, tdm_stream stream, const uint64_t *n, size_t count,
                   const tdm_script *script, double *out) {
  switch (dist->kind) {
  case KIND_CONSTANT:
    for (size_t i = 0; i < count; i++) out[i] = dist->as.constant.value;
    break;
    DIST_DRAWN(FILL_KIND)
  case KIND_HYPEREXPONENTIAL: {
    tdm_stream child = tdm_stream_child(stream, 0);
    FILL(draw_hyperexponential(dist, bits, tdm_stream_bits(child, n[i])));
  }
  case KIND_LUA: FILL(draw_lua(dist, bits, script));
  case KIND_MIXTURE: {
    tdm_stream child = tdm_stream_child(stream, 0);
    FILL(tdm_dist_draw(dist->parts[table_pick(&dist->table, rank(bits))], child, n[i], script));
  }
  }
}
