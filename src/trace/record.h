/* The trace model: what a span, an edge, a counter sample, a track and a source are.
 *
 * Measured and simulated traces are the same records. Readers make them through trace/recorder.h;
 * they end in a tdm_record_sink: the store (trace/store/store.h) or memory (trace/recording.h).
 * Writers and analyses read them back from there.
 *
 * Rows. Everything that has a time is a row of int64 columns: start, duration, track, name, and
 * then the arguments of its layout. A layout says what the rows are: their category ("kernel",
 * "nvtx"), their shape, and the key and type of each argument. Rows of one layout lie together,
 * column by column. Times are nanoseconds on the clock of their source, exact, and not shifted to
 * zero.
 *
 * Vocabulary, so that every analysis works on every format. Categories:
 *   stage, wait            simulated work and queueing; of a batch, the stage is its first member's
 *                          and every other member has a wait (of 0 ns too) that ends when it starts
 *   request                a simulated request, from arrival to end, overlapping others (ASYNC;
 *                          OPEN when it had not ended): name = its class, arguments = its number
 *                          and its attributes, INT when all of the class's are whole, else REAL
 *   kernel, memcpy, memset, graph (a whole CUDA graph launch), gpu_sync, um (unified memory)
 *   runtime, driver        CUDA API calls on the host
 *   sync, cuda_event       synchronization as CUPTI tells it; event records
 *   nvtx, user_annotation, gpu_user_annotation, cpu_op, python_function, osrt, overhead,
 *   nccl, mpi, sched, memory (allocations), marker, alloc
 *   anything else          as its source calls it
 *
 * Argument keys with a meaning of their own (SQL columns of the span table, read by analyses):
 *   correlation            joins an API call with what it launched; unique within a process
 *                          (track.pid)
 *   bytes                  moved or allocated
 *   request                the request it belongs to: class << 48 | ordinal
 *   kind                   of a copy or memset: HtoD DtoH DtoD HtoH PtoP HtoA AtoH AtoA AtoD DtoA,
 *                          "UVM HtoD", "UVM DtoH", "UVM DtoD"; of anything else: its own word
 *   src_kind, dst_kind     pageable pinned device array managed device_static managed_static
 *   grid_x grid_y grid_z block_x block_y block_z registers_per_thread
 *   static_shared_bytes dynamic_shared_bytes
 *   graph_node, graph_id, external_id, domain (of an NVTX range), color (0xAARRGGBB), payload
 *
 * Other keys: snake case where tandem knows the argument, as the source spells them where not. */
#ifndef TDM_TRACE_RECORD_H
#define TDM_TRACE_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/lane.h"
#include "engine/sink.h"

#define TDM_NONE INT64_MIN /* a value that is not there, in any column but a REAL one */

enum { TDM_START, TDM_DUR, TDM_TRACK, TDM_NAME, TDM_ARGS }; /* columns; arguments follow */

#define TDM_LAYOUT_ARGS 96

typedef enum {
  TDM_ARG_INT,
  TDM_ARG_REAL, /* the bits of a double; a NaN is "not there" */
  TDM_ARG_TEXT, /* a name id */
  TDM_ARG_JSON, /* a name id whose text is a JSON array or object */
  TDM_ARG_BOOL, /* 0 or 1 */
  TDM_ARG_TYPES
} tdm_arg_type;

typedef enum {
  TDM_SHAPE_SPAN,
  TDM_SHAPE_OPEN,    /* began; its end was not seen. Duration: until the last time of its source */
  TDM_SHAPE_INSTANT, /* duration 0 */
  TDM_SHAPE_ASYNC,   /* a span that may overlap others of its track without nesting */
  TDM_SHAPE_EDGE,    /* start: where it leaves `track`; start + duration: where it arrives on the
                        track in its first argument "to_track"; name: its kind ("ac2g", "fwdbwd") */
  TDM_SHAPE_SAMPLE,  /* name: the counter; first argument "value", then "unit" (TEXT) */
  TDM_SHAPES
} tdm_shape;

typedef struct {
  const char *key;
  tdm_arg_type type;
} tdm_arg;

typedef struct {
  const char *category;
  tdm_shape shape;
  uint32_t args;
  const tdm_arg *arg; /* [args] */
} tdm_layout;

/* Rows of one layout. Columns: TDM_ARGS + layout.args of them. */
typedef struct {
  uint32_t layout;
  uint32_t source;
  size_t count;
  int64_t *const *column;
} tdm_rows;

typedef enum {
  TDM_TRACK_QUEUE,
  TDM_TRACK_SERVER, /* simulated: a station's servers */
  TDM_TRACK_THREAD,
  TDM_TRACK_STREAM,
  TDM_TRACK_DEVICE,  /* the whole GPU: its counters, what has no stream */
  TDM_TRACK_PROCESS, /* what has no thread */
  TDM_TRACK_OTHER,
  TDM_TRACK_KINDS
} tdm_track_kind;

/* What rows lie on. Numbers are TDM_NONE where the track has none. Begin with TDM_TRACK_PLAIN. */
typedef struct {
  const char *process; /* heading: "python (4312)", "H100 #0", "L40#1", "host" */
  const char *name;    /* "stream 7", "thread 4313 pt_autograd_0", "GPU", "cpu queue" */
  tdm_track_kind kind;
  tdm_lane lane;    /* of the rows whose category does not say better (tdm_record_lane) */
  int64_t capacity; /* servers; TDM_NONE: unlimited or unknown */
  int64_t pid, tid, device, context, stream;
  uint32_t source; /* filled in by the recorder */
} tdm_track;

#define TDM_TRACK_PLAIN                                                                            \
  ((tdm_track){.process = "",                                                                      \
               .name = "",                                                                         \
               .kind = TDM_TRACK_OTHER,                                                            \
               .lane = TDM_LANE_OTHER,                                                             \
               .capacity = TDM_NONE,                                                               \
               .pid = TDM_NONE,                                                                    \
               .tid = TDM_NONE,                                                                    \
               .device = TDM_NONE,                                                                 \
               .context = TDM_NONE,                                                                \
               .stream = TDM_NONE})

/* A file that was read: one rank, one clock. */
typedef struct {
  const char *path;          /* as given; "-" for standard input */
  const char *format;        /* a reader's name: "nsys-sqlite", "kineto" */
  const char *detail;        /* "schema 3.25.0, nsys 2026.2.1"; may be "" */
  int64_t rank;              /* TDM_NONE: not said */
  int64_t utc_ns;            /* UTC of this clock's zero, since 1970; TDM_NONE: unknown */
  int64_t offset_ns;         /* added to its times to get the run's; set by alignment */
  int64_t first_ns, last_ns; /* over its rows, on its own clock; TDM_NONE: it has none */
  uint64_t rows;
} tdm_source;

/* A figure without a time. Strings may be NULL. */
typedef struct {
  const char *scope;   /* "run", "kernel", "class", … */
  const char *subject; /* which one: a kernel's name; NULL for the run itself */
  int64_t ordinal;     /* which launch of it, from 0; TDM_NONE: all of them */
  const char *name;    /* "gpu__time_duration.sum" */
  const char *unit;    /* "ns" */
  double value;        /* NaN when it is text */
  const char *text;
} tdm_metric;

/* The way out: where records go. A member that is NULL ignores its kind. Ids are announced before
 * they are used; strings live during the call only. A status other than TDM_OK ends the reading. */
typedef struct {
  void *context;
  tdm_status (*name)(void *context, uint32_t id, const char *text, size_t length, tdm_error *error);
  /* A track that is announced again has been renamed: the last description holds. */
  tdm_status (*track)(void *context, uint32_t id, const tdm_track *about, tdm_error *error);
  tdm_status (*layout)(void *context, uint32_t id, const tdm_layout *layout, tdm_error *error);
  tdm_status (*rows)(void *context, const tdm_rows *rows, tdm_error *error);
  /* Once a source, when it ends and all about it is known. */
  tdm_status (*source)(void *context, uint32_t id, const tdm_source *source, tdm_error *error);
  /* What a source says of its machine, process and capture: "gpu.0.name" = "NVIDIA H100". */
  tdm_status (*fact)(void *context, uint32_t source, const char *key, const char *value,
                     tdm_error *error);
  /* `count` records of a source that were dropped or repaired, by kind. Once a kind and source. */
  tdm_status (*problem)(void *context, uint32_t source, const char *kind, uint64_t count,
                        tdm_error *error);
  tdm_status (*metric)(void *context, const tdm_metric *metric, tdm_error *error);
  tdm_status (*artifact)(void *context, const char *name, const char *type, const void *bytes,
                         size_t length, tdm_error *error);
  tdm_status (*requests)(void *context, const tdm_request_record *records, size_t count,
                         tdm_error *error);
  tdm_status (*request_class)(void *context, uint32_t index, const char *name, tdm_error *error);
} tdm_record_sink;

const char *tdm_shape_name(tdm_shape shape);          /* "span", "open", … */
const char *tdm_arg_type_name(tdm_arg_type type);     /* "int", "real", … */
const char *tdm_track_kind_name(tdm_track_kind kind); /* "thread", … */

/* Argument `key` of a layout: its column, or 0 when the layout has none. */
uint32_t tdm_layout_column(const tdm_layout *layout, const char *key);

/* The lane of a row: copies lie on H2D and D2H by their kind, collectives on COMM, kernels on GPU,
 * API calls on CPU, and everything else on the lane of its track. `kind` may be NULL. */
tdm_lane tdm_record_lane(const char *category, const char *kind, const char *name,
                         tdm_lane track_lane);

#endif
