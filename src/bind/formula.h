/* Distributions and cost expressions out of their table forms, as bind/value.h reads tables.
 * Called by the files of bind/ that build a model. */
#ifndef TDM_BIND_FORMULA_H
#define TDM_BIND_FORMULA_H

#include "base/dist.h"
#include "bind/value.h"
#include "model/cost.h"

/* A distribution table, or a number that stands for itself. NULL when the field is absent or
 * wrong; the caller's. */
tdm_dist *tdm_read_dist(tdm_reader *r, const char *key);
tdm_dist *tdm_read_dist_here(tdm_reader *r); /* the value is the distribution */

/* A number, an expression, a distribution (drawn once), a function or { fn = function }. Takes
 * jitter over in every case; *out is zeroed when there is a problem. */
void tdm_read_cost(tdm_reader *r, const char *key, tdm_dist *jitter, tdm_cost *out);

#endif
