/* The steps of a class's route compiled to ops. Called by bind/model, once for each class, when
 * everything but classes is in the model. */
#ifndef TDM_BIND_ROUTE_H
#define TDM_BIND_ROUTE_H

#include "bind/value.h"

/* Reads the field `key`, appends its stages and ops to the model and sets the class's entry. */
void tdm_bind_route(tdm_reader *r, const char *key, uint32_t class_index);

/* A lane by its name; TDM_LANE_OTHER when absent. */
tdm_lane tdm_bind_lane(tdm_reader *r, const char *key);

#endif
