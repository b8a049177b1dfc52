/* What the files of the Perfetto reader share: one reading, and words that mean something to
 * tandem. */
#ifndef TDM_READ_PERFETTO_INSIDE_H
#define TDM_READ_PERFETTO_INSIDE_H

#include "base/id_map.h"
#include "read/arg_list.h"
#include "read/reader.h"
#include "trace/perfetto.h"
#include "trace/protobuf.h"

/* What a Perfetto trace has said so far: sequences with their interned names, clocks, tracks with
 * their open slices. Called by read/pftrace*. */

#define TDM_PF_NO_NAME UINT32_MAX

enum {
  TDM_PF_CATEGORIES,
  TDM_PF_NAMES,
  TDM_PF_KEYS,
  TDM_PF_TEXTS,
  TDM_PF_SPECIFICATIONS,
  TDM_PF_KERNELS,
  TDM_PF_COMPUTE_KEYS,
  TDM_PF_CONTEXTS, /* not names: process ids */
  TDM_PF_TABLES
};
enum { TDM_PF_EXTRA_TRACKS = 16 };

typedef struct {
  uint32_t id;
  int valid; /* its state: nothing was lost since it was last told anew */
  tdm_id_map table[TDM_PF_TABLES];
  int has_track, has_thread;
  uint64_t track; /* default of its events */
  uint32_t clock; /* default */
  int64_t pid, tid, reference_us;
  uint32_t extra_tracks, extra_double_tracks; /* defaults of extra counters */
  uint64_t extra_track[TDM_PF_EXTRA_TRACKS], extra_double_track[TDM_PF_EXTRA_TRACKS];
} tdm_pftrace_sequence;

typedef struct {
  int64_t offset_ns; /* from its time to the trace's */
  int64_t unit_ns, last_ns;
  int tied, incremental;
} tdm_pftrace_clock;

typedef struct {
  int64_t start_ns, end_ns;
  size_t first_arg; /* in the track's */
  uint32_t args, name, category;
  uint32_t began, ended; /* which event of the track; ended: + 1, 0: open */
  int unfinished;
} tdm_pftrace_slice;

typedef struct {
  int64_t time_ns;
  size_t first_arg;
  uint32_t args, event;
} tdm_pftrace_slice_end;

/* The slices of a track that are not recorded yet (read/perfetto/slices.c). */
typedef struct {
  tdm_pftrace_slice *slice; /* as they began */
  size_t count, room, limit;
  uint32_t *stack; /* those that are open */
  size_t depth, stack_room;
  tdm_pftrace_slice_end *end; /* that match nothing so far; all of them where disordered */
  size_t ends, end_room;
  tdm_one_arg *arg;
  size_t arg_count, arg_room;
  int64_t last_ns;
  uint32_t events;
  int disordered; /* an event came that is earlier than the one before */
} tdm_pftrace_slices;

typedef struct {
  uint64_t uuid, parent;
  int told, is_thread, is_process, is_counter, is_tandem, is_async;
  uint64_t more_of;                          /* its slices are that track's; 0: its own */
  uint32_t name, inner_name, unit, category; /* inner: of the process or thread */
  int64_t pid, tid, multiplier;
  int incremental;
  int64_t value;   /* of an incremental counter */
  tdm_track about; /* of tandem's own: numbers and kinds */
  uint32_t track;  /* the recorder's, + 1; 0: not asked yet */
  tdm_pftrace_slices slices;
} tdm_pftrace_track;

typedef struct {
  uint64_t id;
  int64_t time_ns;
  uint32_t track;
  uint32_t kind; /* a name; TDM_PF_NO_NAME: as the id says */
  int last;      /* the flow ends here */
} tdm_pftrace_flow_end;

typedef struct {
  tdm_recorder *recorder;
  uint64_t dropped; /* tdm_read_options.dropped */
  tdm_arg_layouts layouts;
  tdm_arg_list args; /* of the event in hand */
  tdm_id_map by_id, by_uuid, by_clock, by_process, by_key;
  tdm_pftrace_sequence *sequences;
  size_t sequence_count, sequence_room;
  tdm_pftrace_track *tracks;
  size_t track_count, track_room;
  tdm_pftrace_clock *clocks;
  size_t clock_count, clock_room;
  tdm_pftrace_flow_end *flows;
  size_t flow_count, flow_room;
  uint32_t *kinds; /* names of tandem's kinds of flows */
  size_t kind_count, kind_room;
  tdm_proto_buffer text; /* scratch for nested arguments */
  int64_t last_ns, shift_ns;
  int64_t utc_ns; /* of the clock's zero as the file has it, before the shift; TDM_NONE */
  uint32_t unfinished, correlation_id, no_category, launch_kind; /* names */
  int failed;                                                    /* out of memory */
} tdm_pftrace_state;

void tdm_pftrace_state_open(tdm_pftrace_state *s, tdm_recorder *recorder, uint64_t dropped);
void tdm_pftrace_state_close(tdm_pftrace_state *s);

/* NULL: out of memory. Pointers are good until the next call. */
tdm_pftrace_sequence *tdm_pftrace_sequence_of(tdm_pftrace_state *s, uint32_t id);
tdm_pftrace_track *tdm_pftrace_track_of(tdm_pftrace_state *s, uint64_t uuid);

/* Packets of those kinds, and the parts of packets that change a sequence. */
void tdm_pftrace_intern(tdm_pftrace_state *s, tdm_pftrace_sequence *q, const tdm_proto_field *data);
void tdm_pftrace_defaults(tdm_pftrace_sequence *q, const tdm_proto_field *data);
void tdm_pftrace_clear(tdm_pftrace_sequence *q);
void tdm_pftrace_describe_track(tdm_pftrace_state *s, const tdm_proto_field *data);
void tdm_pftrace_describe_thread(tdm_pftrace_sequence *q, const tdm_proto_field *data);
void tdm_pftrace_snapshot(tdm_pftrace_state *s, const tdm_pftrace_sequence *q,
                          const tdm_proto_field *data);

/* A time on a clock of a sequence as one of the trace. */
int64_t tdm_pftrace_time_of(tdm_pftrace_state *s, const tdm_pftrace_sequence *q, uint32_t clock,
                            uint64_t time);

/* The time of a packet without events: an incremental clock goes on by it. */
void tdm_pftrace_pass_time(tdm_pftrace_state *s, const tdm_pftrace_sequence *q, uint32_t clock,
                           uint64_t time);

/* The recorder's track for one of the trace. */
uint32_t tdm_pftrace_track_id(tdm_pftrace_state *s, uint64_t uuid);

/* The text of a field as a name. */
uint32_t tdm_pftrace_name(tdm_pftrace_state *s, const tdm_proto_field *field);

/* A debug annotation of an event, into s->args (read/perfetto/args.c). */
void tdm_pftrace_annotation(tdm_pftrace_state *s, const tdm_pftrace_sequence *q,
                            const tdm_proto_field *data);

/* One end of a flow. */
void tdm_pftrace_flow(tdm_pftrace_state *s, uint64_t id, uint32_t kind, int64_t time_ns,
                      uint32_t track, int last);

/* A GpuRenderStageEvent (read/perfetto/gpu.c). */
void tdm_pftrace_stage(tdm_pftrace_state *s, const tdm_pftrace_sequence *q, int64_t time_ns,
                       const tdm_proto_field *data);

/* A TrackEvent (read/perfetto/event.c). */
void tdm_pftrace_track_event(tdm_pftrace_state *s, tdm_pftrace_sequence *q, int has_time,
                             int64_t time_ns, const tdm_proto_field *data);
/* A slice begins or ends on a track, with s->args as its arguments (read/perfetto/slices.c). */
void tdm_pftrace_begin(tdm_pftrace_state *s, uint64_t uuid, int64_t time_ns, uint32_t name,
                       uint32_t category);
void tdm_pftrace_end(tdm_pftrace_state *s, uint64_t uuid, int64_t time_ns);
/* The end of the trace, for one track. */
void tdm_pftrace_slices_finish(tdm_pftrace_state *s, uint64_t uuid);
void tdm_pftrace_slices_free(tdm_pftrace_slices *slices);

/* Slices still open, flows (read/perfetto/end.c). */
void tdm_pftrace_finish(tdm_pftrace_state *s);

/* Words of a Perfetto trace that mean something to tandem: categories, and what tandem itself
 * wrote. Called by read/pftrace*. */

/* A category by tandem's word for it, where it has one ("gpu_memcpy" is "memcpy"). */
uint32_t tdm_pftrace_category(tdm_recorder *recorder, uint32_t category);

/* An argument key by tandem's word for it ("registers per thread"). */
uint32_t tdm_pftrace_key(tdm_pftrace_state *s, uint32_t key);

/* Whether rows of a category are to be recorded. */
int tdm_pftrace_is_wanted(const tdm_pftrace_state *s, uint32_t category);

int tdm_pftrace_is_tandem(const tdm_recorder *recorder, uint32_t category);

/* An event of tandem's about the whole trace, whose arguments are in s->args. */
void tdm_pftrace_tandem_event(tdm_pftrace_state *s, uint32_t name);

#endif
