/* What a Kineto trace says outside its events: devices, ranks, versions, as facts.
 *
 * Flattens objects and arrays to keys like "distributedInfo.rank"; devices become "gpu.0.name" and
 * so on. Bounded in number, depth and length. Called by the reader "kineto". */
#ifndef TDM_READ_KINETO_FACTS_H
#define TDM_READ_KINETO_FACTS_H

#include "read/json.h"
#include "read/kineto/tracks.h"

typedef struct {
  tdm_recorder *recorder;
  tdm_kineto_tracks *tracks; /* learns the devices' names */
  uint32_t count;
  int64_t base_ns; /* baseTimeNanoseconds; TDM_NONE: not said */
  int64_t rank;    /* TDM_NONE: not said */
  int64_t schema;
} tdm_kineto_facts;

/* The value of key `name`, whose first token is `token`. */
void tdm_kineto_fact(tdm_kineto_facts *facts, tdm_json *json, const char *name,
                     tdm_json_token token);

#endif
