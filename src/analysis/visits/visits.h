/* A run as requests and visits: which request was at which stage when, and where its time went.
 *
 * This is the one definition of a visit, whatever made its pieces: rows of a capture (mapped.h), of
 * a simulation (simulated.h), or a caller's tables. A visit is one request at one stage, from its
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

#include "base/error.h"
#include "base/lane.h"

enum { TDM_VISIT_STAGES = 64 }; /* of one map */

/* A row of a stage, or of a wait for one. */
typedef struct {
  uint32_t request, stage; /* from 0 */
  uint32_t place;          /* which of its stage's resources: a device, a process, a station */
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

/* Lanes whose stages share a resource at one place have the same: host time is a process's,
 * whatever its lane. */
tdm_lane tdm_visit_resource_lane(tdm_lane lane);

/* Concurrency of all stages, and the waits that were not told (waits.c); called by the above. */
tdm_status tdm_visits_find_waits(tdm_visits *visits, bool tells_waits, tdm_error *error);

#endif
