/* What the files of this room share: requests as rows, requests and visits joined. */
#ifndef TDM_TRACE_SIMULATED_INSIDE_H
#define TDM_TRACE_SIMULATED_INSIDE_H

#include <stdbool.h>

#include "trace/collect.h"
#include "trace/recorder.h"
#include "trace/recording.h"

/* The requests of a simulated trace as rows of category "request": one from arrival to end, with
 * the attributes that its class has. Those that come when the trace's limit has cut its spans off
 * have no row: nothing of them would be inside. Owns nothing. Called by simulated.c. Pushes them
 * into the open source; what fails sticks to the recorder. */
void tdm_simulated_requests(const tdm_trace *trace, tdm_recorder *recorder);

/* What a simulated recording says of its requests and of their visits to stations, in arrays: read
 * and joined by visits.c, laid out as a capture by captured.c. */

typedef struct {
  uint64_t id; /* class << 48 | ordinal */
  int64_t start_ns, end_ns;
  uint32_t layout, row; /* where its attributes are */
  uint32_t name;        /* its class */
  uint32_t thread;      /* from 0 */
  bool open;
} tdm_captured_request;

/* A row of "stage": a request's visit to a station, or a batch's. */
typedef struct {
  uint64_t request;
  int64_t start_ns, end_ns;
  int64_t asked_ns; /* when the last of its requests came for it */
  int64_t bytes;    /* TDM_NONE: not said */
  uint32_t track, name;
  uint32_t thread; /* of its first request */
  uint32_t batch;
  uint32_t stream; /* among those of its device and lane, from 0 */
} tdm_captured_visit;

/* A request of a batch but for the first, from when it came until the batch was done. */
typedef struct {
  int64_t start_ns, end_ns;
  uint32_t name, thread;
} tdm_captured_member;

typedef struct {
  tdm_captured_request *requests; /* by id */
  size_t request_count, request_room;
  tdm_captured_visit *visits; /* by when they were asked for */
  size_t visit_count, visit_room;
  tdm_captured_member *members;
  size_t member_count, member_room;
  uint32_t threads;
  uint64_t lost_members; /* of batches, that the trace does not tell */
} tdm_captured_visits;

tdm_status tdm_captured_visits_read(const tdm_recording *recording, tdm_captured_visits *out,
                                    tdm_error *error);
void tdm_captured_visits_free(tdm_captured_visits *visits);

/* Gives each of `count` spans of time, by start, the lowest slot that is free; slots used. 0: out
 * of memory, or nothing asked. A slot is free again at the end of what it had. */
uint32_t tdm_captured_slots(const int64_t *start_ns, const int64_t *end_ns, size_t count,
                            uint32_t *slot);

#endif
