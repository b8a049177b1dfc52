/* The lowered engine: models that are a chain of FIFO stations with costs that depend on nothing
 * but the request's ordinal need no event set. Each station is a recursion over its arrivals
 * (Lindley for one server, Kiefer–Wolfowitz for c), done in chunks; the n-th smallest entry that
 * leaves the servers' vector is the next departure, so the next station's arrivals come out in
 * order.
 *
 * Gives the tally that the event engine gives, bit for bit, several times faster; with AVX-512,
 * eight replications at once. lowered.c decides and drives, chain.c is the scalar kernel,
 * wide_avx512.c the vector one. Called by parallel/replicate, benchmarks and tests. */
#ifndef TDM_ENGINE_LOWERED_LOWERED_H
#define TDM_ENGINE_LOWERED_LOWERED_H

#include <stdatomic.h>

#include "engine/sink.h"
#include "engine/tally.h"
#include "model/model.h"

#define TDM_LANES_WIDE 8

/* NULL when the model can be lowered, else why not, in words for `explain`. */
const char *tdm_lowered_refuses(const tdm_model *model);

/* True when eight replications can share vectors on this machine. */
bool tdm_lowered_is_wide(const tdm_model *model);

/* lean_ns: as tdm_tally_new's warmup_ns. */
tdm_status tdm_lowered_run(const tdm_model *model, uint64_t seed, uint32_t replication,
                           int64_t lean_ns, const tdm_sink *sink, const atomic_int *stop,
                           tdm_tally **out, tdm_error *error);

/* Replications first … first + 7. On failure nothing is handed out. */
tdm_status tdm_lowered_run_wide(const tdm_model *model, uint64_t seed, uint32_t first,
                                const atomic_int *stop, tdm_tally *out[TDM_LANES_WIDE],
                                tdm_error *error);

#endif
