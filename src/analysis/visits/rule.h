/* A map as C takes it: which rows are requests, which are their stages, which numbers they have.
 *
 * Owns its texts and patterns. Made by the binding from a table that was checked in Lua; used by
 * everything that reads a capture through a map. */
#ifndef TDM_ANALYSIS_VISITS_RULE_H
#define TDM_ANALYSIS_VISITS_RULE_H

#include "analysis/visits/pattern.h"
#include "analysis/visits/visits.h"

typedef enum {
  TDM_SELECT_RANGE, /* host time in ranges; on_gpu: GPU work launched in them */
  TDM_SELECT_KERNEL,
  TDM_SELECT_COMM, /* collectives, which `kernel` leaves to it */
  TDM_SELECT_COPY, /* by its kind */
  TDM_SELECT_MEMSET,
  TDM_SELECT_GRAPH, /* graphs recorded as a whole, and what graphs launched */
  TDM_SELECT_CALL,
  TDM_SELECT_SYNC, /* calls in which the host waits for the GPU */
  TDM_SELECT_PHASE,
  TDM_SELECTORS
} tdm_selector;

enum { TDM_RULE_CATEGORIES = 8 };

typedef struct {
  tdm_selector selector;
  tdm_pattern name, domain;
  bool has_domain;
  char *category[TDM_RULE_CATEGORIES]; /* of ranges; all NULL: any of the usual ones */
  bool on_gpu;
} tdm_visit_rule;

typedef enum {
  TDM_REQUEST_RANGE,    /* each match is a request */
  TDM_REQUEST_SEQUENCE, /* GPU work in an order */
  TDM_REQUEST_STARTS,   /* from one match to the next */
  TDM_REQUEST_PHASES    /* input, execution, retrieval */
} tdm_request_kind;

typedef enum { TDM_EACH_STREAM, TDM_EACH_DEVICE, TDM_EACH_PROCESS } tdm_each;
typedef enum { TDM_ATTRIBUTE_AUTO, TDM_ATTRIBUTE_LAUNCH, TDM_ATTRIBUTE_TIME } tdm_attribute;

typedef enum {
  TDM_SIZE_NAME,  /* the first capture in the name of the request's range */
  TDM_SIZE_ARG,   /* an argument of it */
  TDM_SIZE_COUNT, /* rows of a rule */
  TDM_SIZE_BYTES  /* their bytes */
} tdm_size_kind;

typedef struct {
  tdm_size_kind kind;
  tdm_visit_rule rule; /* NAME: its pattern is `name` */
  char *arg;
} tdm_size_rule;

enum { TDM_SEQUENCE_STEPS = 16, TDM_SIZE_ARGS = 4 };

typedef struct {
  tdm_request_kind kind;
  tdm_visit_rule rule[TDM_SEQUENCE_STEPS]; /* one; of a sequence `steps` */
  uint32_t steps;
  tdm_each each;
  tdm_attribute attribute;
  tdm_visit_stage *stage; /* name, lane */
  tdm_visit_rule *stage_rule;
  uint32_t stages;
  tdm_size_rule *size;
  uint32_t sizes;
} tdm_visit_map;

void tdm_visit_map_close(tdm_visit_map *map); /* zeroed is fine */

/* The lane of a stage that names none. */
tdm_lane tdm_visit_rule_lane(tdm_visit_rule *rule);

/* Whether GPU work is what a rule is about. */
bool tdm_visit_rule_on_gpu(const tdm_visit_rule *rule);

#endif
