/* What a Kineto reader holds while it reads: shared by kineto.c, which walks the file, and
 * phases.c, which makes records of events. Before it, what it is made of. */
#ifndef TDM_READ_KINETO_INSIDE_H
#define TDM_READ_KINETO_INSIDE_H

#include "read/json/json.h"
#include "read/kineto/event.h"
#include "read/reader.h"
#include "trace/intern.h"
#include "trace/recorder.h"

/* Flow events (phases s, t, f) paired into edges.
 *
 * The ends of one flow share category, name and id, and come in any order; one beginning may have
 * many ends, as a launched CUDA graph has. Ends are looked for among the last half million to
 * million flows, so that memory is bounded. Owns what waits. Called by the reader "kineto". */

typedef struct tdm_kineto_flows tdm_kineto_flows;

typedef struct {
  uint32_t kind;           /* a name id: the edge's name */
  uint32_t category, name; /* what must be equal, as numbers */
  int64_t id;
  int64_t number; /* the id that the edge is given; TDM_NONE: it is no number */
} tdm_kineto_flow;

/* NULL: out of memory. The tracks, which learn what flows lead to, live longer. */
tdm_kineto_flows *tdm_kineto_flows_new(tdm_recorder *recorder, tdm_kineto_tracks *tracks);
void tdm_kineto_flows_free(tdm_kineto_flows *flows);

/* Phase 's' begins, 't' ends one edge and begins the next, 'f' ends. */
void tdm_kineto_flow_event(tdm_kineto_flows *flows, const tdm_kineto_flow *flow, char phase,
                           int64_t time_ns, uint32_t track);

/* Counts what has no other end. */
void tdm_kineto_flows_finish(tdm_kineto_flows *flows);

/* Spans that have begun (phases B and b) and wait for their ends (E and e).
 *
 * Owns the waiting ones with their arguments. Called by the reader "kineto". */

typedef struct tdm_kineto_open tdm_kineto_open;

/* Whose ends: those of one thread's stack (a track), or of one asynchronous id. */
typedef struct {
  uint32_t async;  /* 0: a stack; else the category's number + 1 */
  int64_t id;      /* the track, or the id */
  int64_t process; /* ids are its own; TDM_NONE: the whole trace's */
} tdm_kineto_owner;

typedef struct {
  int64_t start_ns;
  uint32_t track, category;
  uint32_t name; /* a name id; TDM_KINETO_NAMELESS */
  const tdm_kineto_arg *args;
  uint32_t arg_count;
} tdm_kineto_begun;

#define TDM_KINETO_NAMELESS UINT32_MAX

tdm_kineto_open *tdm_kineto_open_new(void); /* NULL: out of memory */
void tdm_kineto_open_free(tdm_kineto_open *open);

/* Copies the arguments. False: out of memory. */
bool tdm_kineto_open_begin(tdm_kineto_open *open, const tdm_kineto_owner *owner,
                           const tdm_kineto_begun *begun);

/* The last one that began and has this name (any: NAMELESS on either side); good until the next
 * call. *inner: others that began after it are still open. NULL: there is none. */
const tdm_kineto_begun *tdm_kineto_open_end(tdm_kineto_open *open, const tdm_kineto_owner *owner,
                                            uint32_t name, bool *inner);

/* Takes out whatever is still open, in no order that says anything; NULL: nothing. At the end: none
 * may begin afterwards. */
const tdm_kineto_begun *tdm_kineto_open_take(tdm_kineto_open *open);

/* Stack samples whose frames come after them: the "samples" and "stackFrames" of a Chrome trace.
 *
 * A sample becomes an instant named by its whole stack, "main;loop;step". Owns the waiting samples
 * and the frames. Called by the reader "kineto". */

typedef struct tdm_kineto_samples tdm_kineto_samples;

tdm_kineto_samples *tdm_kineto_samples_new(tdm_recorder *recorder); /* NULL: out of memory */
void tdm_kineto_samples_free(tdm_kineto_samples *samples);

/* After the OBJECT token of "stackFrames": {"1": {"name": …, "parent": 2}, …}. */
void tdm_kineto_frames_read(tdm_kineto_samples *samples, tdm_json *json);

/* `frame` as it is written, number or text. `name` (an id) is the sample's own. */
void tdm_kineto_sample(tdm_kineto_samples *samples, int64_t time_ns, uint32_t track, uint32_t name,
                       const char *frame, size_t length, double weight);

/* Records the samples. */
void tdm_kineto_samples_finish(tdm_kineto_samples *samples);

/* What a Kineto trace says outside its events: devices, ranks, versions, as facts.
 *
 * Flattens objects and arrays to keys like "distributedInfo.rank"; devices become "gpu.0.name" and
 * so on. Bounded in number, depth and length. Called by the reader "kineto". */

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

/* A call of unitrace's that waits for the flows behind it, which tell what it launched. */
typedef struct {
  bool waits;
  int64_t start_ns, dur_ns, pid, tid, correlation;
  uint32_t track, name;
} tdm_unitrace_waiting;

/* What a Kineto reader holds while it reads: shared by kineto.c, which walks the file, and
 * phases.c, which makes records of events. Nothing else includes this. */

typedef struct {
  const char *name; /* the category's, tandem's word */
  tdm_kineto_side side;
  bool copies, sets, calls, operators;
  unsigned without;
} tdm_kineto_info;

typedef struct {
  tdm_input *input;
  const tdm_read_options *options;
  tdm_recorder *recorder;
  tdm_json *json;
  tdm_kineto_args *args;
  tdm_kineto_tracks *tracks;
  tdm_kineto_flows *flows;
  tdm_kineto_open *open;
  tdm_kineto_samples *samples;
  tdm_kineto_facts facts;
  tdm_kineto_event event;
  tdm_kineto_event_reader reader;
  tdm_intern categories; /* by spelling */
  tdm_kineto_info *infos;
  size_t info_room;
  uint32_t category; /* of the event being read; 0: none */
  uint32_t last_category;
  uint32_t memory; /* the category of allocations */
  uint64_t events;
  int64_t first_ns, last_ns;
  bool has_events; /* an array of them was there */
  bool unitrace;   /* Intel's: some event was in its words */
  tdm_unitrace_waiting call;
  tdm_status status;
  tdm_error *error;
} tdm_kineto;

/* Makes the two categories that no event spells. False: out of memory. */
bool tdm_kineto_make_categories(tdm_kineto *k);

/* Whether the caller wants events of its category, which k->category then is. For
 * tdm_kineto_event_reader: the context is a tdm_kineto. */
bool tdm_kineto_wanted(void *context, const tdm_kineto_event *event);

/* The event that was read becomes records, or waits for its other half. */
void tdm_kineto_take_event(tdm_kineto *k);

/* Intel's unitrace (unitrace.c). The category of a flow by its spelling, and that of a complete
 * event, whose name and arguments it may better; NULL: it is not of unitrace's words. */
const char *tdm_unitrace_flow(const char *category, size_t length);
const char *tdm_unitrace_tell(tdm_kineto *k);
/* A call waits; any event is looked at; what waits is recorded. */
void tdm_unitrace_call(tdm_kineto *k, uint32_t track, uint32_t name, int64_t dur_ns);
void tdm_unitrace_look(tdm_kineto *k);
void tdm_unitrace_flush(tdm_kineto *k);

/* What still waits is recorded as open, or counted. */
void tdm_kineto_finish_events(tdm_kineto *k);

#endif
