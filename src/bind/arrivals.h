/* An arrival process out of its table form (kind = "renewal", …). Called by bind/model. */
#ifndef TDM_BIND_ARRIVALS_H
#define TDM_BIND_ARRIVALS_H

#include "bind/value.h"
#include "model/arrivals.h"

/* Reads the field `key`. NULL after a problem; the caller's. Numbers are checked by
 * tdm_arrivals_check, which tdm_model_finish calls. */
tdm_arrivals *tdm_bind_arrivals(tdm_reader *r, const char *key);

/* Field `requests` of the open table: a whole number from 1, or 0 when absent. */
uint64_t tdm_read_requests(tdm_reader *r);

#endif
