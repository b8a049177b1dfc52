/* What moving data between GPUs takes: α–β models, or a measured table of all-reduces.
 *
 * Pure functions over plain data. Used by the step models and by whoever moves a KV cache. */
#ifndef TDM_MODEL_LLM_COLLECTIVES_H
#define TDM_MODEL_LLM_COLLECTIVES_H

#include <stdint.h>

#include "model/llm/grid.h"

/* Between the GPUs of a group: a start, a hop for each further GPU, bytes at a rate. */
typedef struct {
  double latency_s; /* of any collective */
  double hop_s;     /* more for each doubling of the group */
  double bandwidth; /* bytes/s each GPU sends, sustained */
  /* Measured, 2 axes: GPUs, bytes → seconds; NULL: by the above. A step model that is given a link
   * takes it over. */
  tdm_llm_grid *all_reduce;
} tdm_llm_link;

/* Everyone has `bytes` and ends with the sum of all: 2·(n − 1)/n of them cross each GPU's link. */
double tdm_llm_all_reduce_s(const tdm_llm_link *link, int64_t gpus, double bytes);
/* Everyone ends with `bytes`, of which each had one part: (n − 1)/n cross. So does scattering
 * sums, and all-to-all of `bytes` a GPU. Where all-reduces were measured, no less than half of one.
 */
double tdm_llm_all_gather_s(const tdm_llm_link *link, int64_t gpus, double bytes);
double tdm_llm_send_s(const tdm_llm_link *link, double bytes);

/* GPUs that follow each other, so many to a machine: links inside one, between machines a network
 * to which each GPU has a port. */
typedef struct {
  tdm_llm_link inside, network;
  int64_t machine; /* GPUs; 0: all are in one */
} tdm_llm_fabric;

/* Over several machines: sums are scattered inside each, all-reduced part by part over the
 * network, gathered inside. The first and the last together take what an all-reduce inside takes.
 * Groups begin with a machine, and fill theirs. */
double tdm_llm_fabric_all_reduce_s(const tdm_llm_fabric *fabric, int64_t gpus, double bytes);
/* Parts come over the network first, each to one GPU of every machine. */
double tdm_llm_fabric_all_gather_s(const tdm_llm_fabric *fabric, int64_t gpus, double bytes);
/* `bytes` go through `stages` groups of `gpus`, from each to the next. */
double tdm_llm_fabric_pipeline_s(const tdm_llm_fabric *fabric, int64_t stages, int64_t gpus,
                                 double bytes);

#endif
