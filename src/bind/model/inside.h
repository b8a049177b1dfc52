/* The parts of the model table, each read by its file; called by model.c, once for each part. */
#ifndef TDM_BIND_MODEL_INSIDE_H
#define TDM_BIND_MODEL_INSIDE_H

#include "bind/model/value.h"
#include "model/arrivals.h"

/* An arrival process out of its table form (kind = "renewal", …). Called by bind/model. */

/* Reads the field `key`. NULL after a problem; the caller's. Numbers are checked by
 * tdm_arrivals_check, which tdm_model_finish calls. */
tdm_arrivals *tdm_bind_arrivals(tdm_reader *r, const char *key);

/* Field `requests` of the open table: a whole number from 1, or 0 when absent. */
uint64_t tdm_read_requests(tdm_reader *r);

/* The steps of a class's route compiled to ops. Called by bind/model, once for each class, when
 * everything but classes is in the model. */

/* Reads the field `key`, appends its stages and ops to the model and sets the class's entry. */
void tdm_bind_route(tdm_reader *r, const char *key, uint32_t class_index);

/* A lane by its name; TDM_LANE_OTHER when absent. */
tdm_lane tdm_bind_lane(tdm_reader *r, const char *key);

/* LLM servers of the model table. Adds the server that the value describes; stations and links are
 * there already. */
void tdm_bind_server(tdm_reader *r);

/* How an LLM server's replicas are chosen, and how many there are, from the model table. */

/* From `router` (a name or a function) and `routing` of the value. */
void tdm_bind_dispatch(tdm_reader *r, tdm_dispatch_rule *rule);
/* From `scaling` of the value, absent: always all of its `count` replicas. */
void tdm_bind_scaling(tdm_reader *r, size_t count, tdm_scaling_rule *rule);

#endif
