/* A run as requests and visits: which request was at which stage when, and where its time went.
 *
 * This is the one definition of a visit, whatever made its pieces: rows of a capture (visits.h), of
 * a simulation (visits.h), or a caller's tables. A visit is one request at one stage, from its
 * first piece to its last. Every instant of a request counts once: as `own` of the visit that has a
 * piece then (GPU before COMM before H2D before D2H before CPU before the others, then the stage
 * that stands earlier), else as `wait` or `rest` of the visit whose piece comes next, else as
 * `tail`. So end − arrival = Σ(own + wait + rest) + tail, exactly.
 *
 * Owns its arrays. Called by the binding. */
#ifndef TDM_ANALYSIS_VISITS_VISITS_H
#define TDM_ANALYSIS_VISITS_VISITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/run_view/run_view.h"
#include "base/error.h"
#include "base/lane.h"
#include "engine/sink.h"

enum { TDM_VISIT_STAGES = 64 }; /* of one map */

/* A row of a stage, or of a wait for one. */
typedef struct {
  uint32_t request, stage; /* from 0 */
  uint32_t resource;       /* which of its stage's resources: a device, a process, a station */
  bool is_wait;
  int64_t start_ns, end_ns, bytes; /* bytes: TDM_NONE: not told */
} tdm_piece;

typedef struct {
  tdm_piece *piece;
  size_t count, room;
} tdm_pieces; /* zeroed: none */

/* 0: out of memory. */
int tdm_pieces_add(tdm_pieces *pieces, tdm_piece piece);

typedef struct {
  uint32_t request, pieces; /* from 0, in order of arrival */
  uint32_t resource;
  int64_t start_ns, end_ns, busy_ns; /* first piece, last piece, the union of all */
  int64_t own_ns, wait_ns, rest_ns, bytes;
  int64_t gap_ns; /* before its start, of which `wait` is a part; -1: never another's time */
} tdm_visit;

typedef struct {
  char *name;
  tdm_lane lane;
  int64_t capacity;    /* servers; TDM_NONE: not known */
  int64_t concurrency; /* most requests at once at one of its resources */
  double mean_ns;      /* of its start after the arrival; orders the stages; NaN: no visit */
  bool has_bytes;
  tdm_visit *visit; /* in order of their requests */
  size_t count, room;
} tdm_visit_stage;

typedef struct {
  size_t requests;
  int64_t *arrival_ns, *end_ns, *tail_ns;
  uint32_t *given;        /* by request: its number before they were put in order of arrival */
  tdm_visit_stage *stage; /* as given: what comes first wins */
  uint32_t stages;
  uint32_t *order; /* [stages] by mean start */
} tdm_visits;

/* What visits are made of. Waits are told (of a simulation: a gap is a wait as far as the request
 * waited, for whatever) or else found: the time in which the resource was full of other requests.
 */
typedef struct {
  size_t requests;
  const int64_t *arrival_ns, *end_ns;
  const tdm_visit_stage *stage; /* name, lane, capacity */
  uint32_t stages;
  tdm_pieces *pieces; /* sorted in place */
  bool tells_waits;
} tdm_visit_input;

/* A request begins no later than its first piece and ends no earlier than its last one. */
tdm_status tdm_visits_make(const tdm_visit_input *input, tdm_visits *out, tdm_error *error);
void tdm_visits_close(tdm_visits *visits);

/* Lanes whose stages share a resource have the same: host time is a process's, whatever its
 * lane. */
tdm_lane tdm_visit_resource_lane(tdm_lane lane);

/* Concurrency of all stages, and the waits that were not told (waits.c); called by the above. */
tdm_status tdm_visits_find_waits(tdm_visits *visits, bool tells_waits, tdm_error *error);

/* What a map calls things by: a glob (`*`, `?`), or a regular expression written /…/ (PCRE2), whose
 * first capture is a value.
 *
 * A text is looked at once a name id: answers are remembered. Owns what it compiles. Used by the
 * rules of maps (visits.h). */

typedef struct {
  char *text; /* as written; NULL: takes everything */
  void *code; /* a compiled expression; NULL: a glob */
  void *match, *limits;
  uint8_t *known; /* by name id: 0 not looked at yet, 1 no, 2 yes */
  size_t room;
} tdm_pattern;

/* NULL: takes everything. TDM_INVALID: not an expression. */
tdm_status tdm_pattern_open(const char *text, tdm_pattern *out, tdm_error *error);
void tdm_pattern_close(tdm_pattern *pattern);

bool tdm_pattern_takes(tdm_pattern *pattern, const char *text);
bool tdm_pattern_takes_name(tdm_pattern *pattern, tdm_run_view *view, int64_t name);

/* The number that a text begins with in the first capture; NaN: not taken, no capture, no number.
 */
double tdm_pattern_number(tdm_pattern *pattern, const char *text);

/* A map as C takes it: which rows are requests, which are their stages, which numbers they have.
 *
 * Owns its texts and patterns. Made by the binding from a table that was checked in Lua; used by
 * everything that reads a capture through a map. */

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

/* A simulated run as requests and visits: its rows say which request they are of, so it needs no
 * map, and its waits are told.
 *
 * Owns its arrays. Called by the binding. */

typedef struct {
  tdm_visits visits;
  int64_t *id;           /* by request: as the simulation numbers it */
  tdm_outcome *outcome;  /* by request */
  uint64_t open;         /* requests that had not ended when the run did */
  uint64_t untraced;     /* requests that ended after the trace was full */
  uint64_t lost_members; /* of batches, that the trace does not tell: their time is rest or tail */
  uint64_t outside_rows; /* rows of stages and waits of those */
} tdm_simulated_visits;

/* TDM_INVALID: the run has no requests, or no rows of them. */
tdm_status tdm_simulated_visits_open(tdm_run_view *view, tdm_simulated_visits *out,
                                     tdm_error *error);
void tdm_simulated_visits_close(tdm_simulated_visits *simulated);

/* A capture through a map: its requests, their visits and sizes, and what the map leaves.
 *
 * Owns its arrays; names are ids of the view's run. Called by the binding. */

/* Time of one name that no stage has, or that belongs to no request. */
typedef struct {
  int64_t name;
  bool on_gpu;
  uint64_t rows;
  int64_t total_ns;
} tdm_unmapped;

/* Rows of a stage that belong to no request. */
typedef struct {
  uint64_t rows;
  int64_t total_ns;
} tdm_outside;

/* What the rule took that is no request, by why. */
typedef struct {
  uint64_t inside;  /* matches inside a match: part of it */
  uint64_t before;  /* rows before the first request of their group */
  uint64_t open;    /* requests that had not ended when the capture did, or lack a step */
  uint64_t partial; /* matches cut off by the end of the capture */
} tdm_not_requests;

typedef struct {
  tdm_visits visits;
  int64_t *name;          /* by request: of its range; TDM_NONE */
  double *size;           /* [sizes * requests]: the map's, one after the other; NaN: not there */
  tdm_outside *outside;   /* by stage */
  tdm_unmapped *unmapped; /* GPU work that no stage takes; host time in requests, the outermost that
                             no stage takes; the longest first */
  size_t unmappeds, unmapped_room;
  uint64_t by_launch, by_time, unclear; /* GPU work: how it found its request; more than one open */
  tdm_not_requests missed;
} tdm_mapped;

/* TDM_INVALID: nothing is a request. */
tdm_status tdm_mapped_open(tdm_run_view *view, tdm_visit_map *map, tdm_mapped *out,
                           tdm_error *error);
void tdm_mapped_close(tdm_mapped *mapped);

#endif
