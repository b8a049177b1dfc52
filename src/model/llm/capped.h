/* Steps of GPUs that may draw less than they are rated for: those of another step model, longer by
 * what the cap takes from the clock.
 *
 * A step that would draw the share s of the rating where the cap is L has r = (L − idle) / (s −
 * idle) of the watts that it wants beyond idling, and takes 1 + a (1/r − 1)² times as long; a step
 * that stays below the cap takes no longer. The first watts come from voltage and from clock that
 * memory hides, hence the square. `a` is between that of a step which waits for memory and that of
 * one at the arithmetic that kernels reach. Numbers are the caller's, who knows where they come
 * from. A row of decode steps has one factor for each 64 tokens of the mean context, so that a run
 * is the sum of its steps and has a closed form where the other model has one. */
#ifndef TDM_MODEL_LLM_CAPPED_H
#define TDM_MODEL_LLM_CAPPED_H

#include "model/llm/power.h"

typedef struct {
  double memory, arithmetic; /* a */
  double full;               /* share of the peak FLOP/s that is all that kernels reach */
  double draw;               /* what steps want, over what the power model says; 1: as it says */
} tdm_llm_cap;

/* Takes the step and the power model over in every case; the latter's `cap` is the cap. */
tdm_status tdm_llm_capped_new(tdm_llm_step *step, tdm_llm_power *power, const tdm_llm_cap *cap,
                              tdm_llm_step **out, tdm_error *error);

#endif
