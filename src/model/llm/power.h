/* What steps of an LLM server draw: watts of a GPU by how busy its memory and its arithmetic are.
 *
 * While a step runs, a GPU draws `active` of its limit, and more by the shares of the peak memory
 * bandwidth and of the peak FLOP/s that the step reaches, up to `cap`; otherwise it draws
 * `idle`. How much longer steps take under a cap below 1 is capped.h's. Bytes and FLOPs are those
 * of two rooflines without losses or overheads: one knows memory alone, one arithmetic alone. Owned
 * by a model's pools, shared by threads; used by generate.c. */
#ifndef TDM_MODEL_LLM_POWER_H
#define TDM_MODEL_LLM_POWER_H

#include "base/error.h"
#include "model/llm/step.h"

typedef struct {
  double limit_w;                              /* of one GPU */
  double idle, active;                         /* shares of it */
  double memory, arithmetic;                   /* … added at the peak rates */
  double cap;                                  /* what it may draw at most; 1: all of the limit */
  double width;                                /* GPUs that a step keeps busy at a time */
  tdm_llm_step *memory_step, *arithmetic_step; /* seconds at the peak rates */
} tdm_llm_power;

/* Takes the steps over in every case. */
tdm_status tdm_llm_power_new(const tdm_llm_power *power, tdm_llm_power **out, tdm_error *error);
void tdm_llm_power_free(tdm_llm_power *power); /* NULL is fine */

/* What `steps` equal steps in a row, the first of which is `batch`, take beyond idling, in joules
 * of all GPUs they keep busy; they last `seconds` together. */
double tdm_llm_power_steps_j(const tdm_llm_power *power, const tdm_llm_batch *batch, int64_t steps,
                             double seconds);

#endif
