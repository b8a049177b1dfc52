/* Random numbers as pure functions of their names.
 *
 * A stream is keyed by (seed, replication, name); its n-th draw is SplitMix64's output function
 * applied to key + (n+1)·γ (Steele, Lea & Flood, OOPSLA 2014). No state, no order: the same request
 * meets the same draw in every engine, at any thread count, vector width or event order, which is
 * what makes what-ifs comparable (common random numbers). n is the request's ordinal.
 * Philox would serve as well and costs three times as much here.
 *
 * Owns no state. Called by samplers (base/dist), the engine and its vector kernels. */
#ifndef TDM_BASE_RNG_H
#define TDM_BASE_RNG_H

#include <stdint.h>

#define TDM_GAMMA 0x9e3779b97f4a7c15u

/* Stream: draw n is tdm_stream_bits(stream, n). */
typedef struct {
  uint64_t key;
} tdm_stream;

/* Sequential generator, for samplers that need an unknown number of uniforms. */
typedef struct {
  uint64_t state;
} tdm_rng;

static inline uint64_t tdm_mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

tdm_stream tdm_stream_named(uint64_t seed, uint32_t replication, const char *name);

/* A stream derived from another: `index` tells siblings apart. */
static inline tdm_stream tdm_stream_child(tdm_stream parent, uint64_t index) {
  return (tdm_stream){tdm_mix(parent.key ^ tdm_mix(index + TDM_GAMMA))};
}

static inline uint64_t tdm_stream_bits(tdm_stream stream, uint64_t n) {
  return tdm_mix(stream.key + (n + 1) * TDM_GAMMA);
}

/* Uniform in (0, 1], multiples of 2^-53: safe under log(), never 0. */
static inline double tdm_unit(uint64_t bits) {
  return (double)((bits >> 11) + 1) * 0x1p-53;
}

static inline double tdm_stream_unit(tdm_stream stream, uint64_t n) {
  return tdm_unit(tdm_stream_bits(stream, n));
}

static inline uint64_t tdm_rng_bits(tdm_rng *rng) {
  return tdm_mix(rng->state += TDM_GAMMA);
}

static inline double tdm_rng_unit(tdm_rng *rng) {
  return tdm_unit(tdm_rng_bits(rng));
}

/* Unbiased enough index in [0, n): multiply-shift, bias below n/2^64. */
static inline uint64_t tdm_index_below(uint64_t bits, uint64_t n) {
  return (uint64_t)(((unsigned __int128)bits * n) >> 64);
}

#endif
