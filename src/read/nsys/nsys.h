/* Inside the mapping of Nsight Systems tables to records: what its files share.
 *
 * One reading is one tdm_nsys: its source, the texts and enumerations of the file, its tracks. Most
 * tables are described as data (tdm_nsys_table) and read by one loop (table.c): gpu.c, api.c and
 * system.c hold the descriptions. nvtx.c, event.c, sample.c, metric.c and target.c read theirs by
 * hand.
 * Included by those files only. */
#ifndef TDM_READ_NSYS_NSYS_H
#define TDM_READ_NSYS_NSYS_H

#include "base/id_map.h"
#include "read/nsys/source.h"
#include "trace/intern.h"

/* ---- enumerations (enum.c) ---- */

typedef enum {
  TDM_NSYS_COPY_KIND,
  TDM_NSYS_MEMORY_KIND,
  TDM_NSYS_LAUNCH,
  TDM_NSYS_CACHE,
  TDM_NSYS_SHARED_LIMIT,
  TDM_NSYS_MIGRATION,
  TDM_NSYS_ACCESS,
  TDM_NSYS_MEMORY_EVENT,
  TDM_NSYS_POOL,
  TDM_NSYS_POOL_EVENT,
  TDM_NSYS_SYNC,
  TDM_NSYS_OVERHEAD,
  TDM_NSYS_GPU_SWITCH,
  TDM_NSYS_THREAD_STATE,
  TDM_NSYS_THREAD_BLOCK,
  TDM_NSYS_SEVERITY,
  TDM_NSYS_ENUMS
} tdm_nsys_enum;

/* ---- one reading ---- */

typedef struct {
  size_t offset, length; /* in the texts' bytes */
  uint32_t name, call;   /* name ids + 1; 0: not interned yet. call: without "_v7000" */
} tdm_nsys_string;

typedef struct {
  int64_t id;
  uint32_t name; /* the word as a name id */
} tdm_nsys_word;

typedef struct {
  tdm_nsys_word *words;
  size_t count, room;
  bool loaded;
} tdm_nsys_words;

typedef struct {
  char *bytes;
  size_t used, room;
  tdm_nsys_string *entry;
  size_t entries, room_entries;
  int64_t *id; /* [entries] while loading */
  size_t room_ids;
  uint32_t *dense; /* [dense_count] id → entry + 1; 0: none */
  size_t dense_count;
  tdm_id_map sparse; /* or so, where ids are large */
} tdm_nsys_strings;

enum { TDM_NSYS_TRACK_MEMO = 64 };

typedef struct {
  int64_t key[4];
  int kind;
  uint32_t track;
  bool used;
} tdm_nsys_track_memo;

typedef struct {
  uint32_t layout, track, name;
  int64_t start_ns;
  int64_t *args; /* [count] */
  uint32_t count;
} tdm_nsys_open_row;

typedef struct {
  const tdm_nsys_source *source;
  const tdm_read_options *options;
  tdm_recorder *recorder;
  tdm_nsys_strings strings;
  tdm_nsys_words words[TDM_NSYS_ENUMS];

  /* Values are name ids. Processes by (pid, 0), threads by (global tid, 0), GPUs by (id, 0); CUDA
   * devices by (pid, CUDA's number) are GPU ids. */
  tdm_id_map processes, threads, gpus, devices;
  tdm_id_map contexts; /* (context, pid): device + 1 of what ran in it; 0: of several */
  tdm_intern track_keys;
  uint32_t *tracks;
  size_t track_room;
  tdm_nsys_track_memo memo[TDM_NSYS_TRACK_MEMO];

  int64_t only_pid; /* global, of rows in tables without one; TDM_NONE: unknown */
  int64_t last_ns;  /* the latest end so far; TDM_NONE: none */
  tdm_nsys_open_row *open;
  size_t open_count, open_room;
  uint64_t rows_done, rows_total;
  int64_t none[TDM_NSYS_BLOCK], only_pids[TDM_NSYS_BLOCK]; /* columns of TDM_NONE and only_pid */
} tdm_nsys;

tdm_status tdm_nsys_memory(tdm_error *error);

/* ---- texts (string.c) ---- */

tdm_status tdm_nsys_strings_load(tdm_nsys *nsys, tdm_error *error);
void tdm_nsys_strings_free(tdm_nsys_strings *strings);

/* The name id of text `id`; of an id that the file does not have, "string 17". TDM_NONE: 0's. */
uint32_t tdm_nsys_string_name(tdm_nsys *nsys, int64_t id);
/* The same, of an API call: "cudaLaunchKernel" for "cudaLaunchKernel_v7000". */
uint32_t tdm_nsys_string_call(tdm_nsys *nsys, int64_t id);
/* The text itself, without making a name of it; bytes NULL: the file does not have it. */
tdm_nsys_text tdm_nsys_string_text(const tdm_nsys *nsys, int64_t id);

/* ---- words (enum.c) ---- */

/* The word of a value of an enumeration as a name id: by the file's own table where it has one,
 * tandem's words for those it knows; of a value that nobody knows, its number. */
uint32_t tdm_nsys_word_of(tdm_nsys *nsys, tdm_nsys_enum which, int64_t value);
void tdm_nsys_words_free(tdm_nsys *nsys);

/* ---- tracks (track.c) ---- */

static inline int64_t tdm_nsys_pid(int64_t global) {
  return global == TDM_NONE ? TDM_NONE : (int64_t)(((uint64_t)global >> 24) & 0xffffff);
}
static inline int64_t tdm_nsys_tid(int64_t global) {
  return global == TDM_NONE ? TDM_NONE : (int64_t)((uint64_t)global & 0xffffff);
}

/* Arguments may be TDM_NONE. */
uint32_t tdm_nsys_thread_track(tdm_nsys *nsys, int64_t global_tid);
uint32_t tdm_nsys_process_track(tdm_nsys *nsys, int64_t global_pid);
uint32_t tdm_nsys_stream_track(tdm_nsys *nsys, int64_t global_pid, int64_t device, int64_t context,
                               int64_t stream);
/* The same of a wait: the device is that of its context, where work ran in that. Files call it 0
 * for all. */
uint32_t tdm_nsys_wait_track(tdm_nsys *nsys, int64_t global_pid, int64_t device, int64_t context,
                             int64_t stream);
uint32_t tdm_nsys_device_track(tdm_nsys *nsys, int64_t global_pid, int64_t device);
uint32_t tdm_nsys_gpu_track(tdm_nsys *nsys, int64_t gpu); /* by TARGET_INFO_GPU's id */
uint32_t tdm_nsys_host_track(tdm_nsys *nsys, const char *name);
/* What a thread is called, also where it has a track already. */
void tdm_nsys_thread_name(tdm_nsys *nsys, int64_t global_tid, uint32_t name);
void tdm_nsys_tracks_free(tdm_nsys *nsys);

/* ---- tables described as data (table.c) ---- */

typedef enum {
  TDM_NSYS_NUMBER,
  TDM_NSYS_ID,    /* a number; 0 is "not there" in a source without NULLs */
  TDM_NSYS_NOT_0, /* a number; 0 is "not there" in every source */
  TDM_NSYS_FLAG,
  TDM_NSYS_STRING, /* an id of StringIds */
  TDM_NSYS_INLINE, /* a text; an empty array is "not there" */
  TDM_NSYS_WORD    /* of an enumeration */
} tdm_nsys_how;

typedef struct {
  const char *column, *key;
  tdm_nsys_how how;
  tdm_nsys_enum word;
  bool rare; /* empty in most files: blocks in which all rare ones are take a layout without them */
} tdm_nsys_arg;

typedef enum {
  TDM_NSYS_ON_THREAD, /* globalTid */
  TDM_NSYS_ON_STREAM, /* globalPid, deviceId, contextId, streamId */
  TDM_NSYS_ON_WAIT,   /* the same, the context tells the device */
  TDM_NSYS_ON_DEVICE, /* globalPid, deviceId */
  TDM_NSYS_ON_GPU,    /* gpuId */
  TDM_NSYS_ON_PROCESS /* globalPid */
} tdm_nsys_on;

typedef enum {
  TDM_NSYS_NAME_FIXED, /* `text` */
  TDM_NSYS_NAME_STRING,
  TDM_NSYS_NAME_CALL, /* a string, without an API version */
  TDM_NSYS_NAME_WORD  /* `text`, a space and the word; the word alone where text is "" */
} tdm_nsys_naming;

typedef struct tdm_nsys_table tdm_nsys_table;

/* Rows of a block, converted. Columns that the table lacks are NULL. */
typedef struct {
  const tdm_nsys_table *table;
  size_t count;
  int64_t *start, *dur, *track, *name;
  int64_t *const *arg;   /* [args of the table] */
  const int64_t *extra;  /* of the `extra` column; may be NULL */
  unsigned char *choice; /* [count], 0: which of the categories; TDM_NSYS_DROP */
} tdm_nsys_batch;

#define TDM_NSYS_DROP 255

struct tdm_nsys_table {
  const char *name;        /* of the table */
  const char *category[2]; /* [0], unless `adjust` chooses [1] */
  tdm_shape shape;         /* SPAN or ASYNC: rows without an end are open; INSTANT: no end */
  const char *start, *end;
  tdm_nsys_on on;
  tdm_nsys_naming naming;
  const char *name_column[2]; /* [1] where [0] is not there */
  const char *text;           /* a fixed name; the name of rows that have none */
  tdm_nsys_enum word;
  const tdm_nsys_arg *args;
  uint32_t arg_count;
  uint64_t dropped;  /* TDM_READ_NO_…: any of them leaves the table out */
  const char *extra; /* one more column for `adjust` */
  /* May change names, tracks and choices of a block. May be NULL. */
  void (*adjust)(tdm_nsys *nsys, tdm_nsys_batch *batch);
};

#define TDM_NSYS_ARGS(list) .args = (list), .arg_count = sizeof(list) / sizeof(list)[0]

/* Tables by subject, ended by a name of NULL. */
extern const tdm_nsys_table tdm_nsys_gpu_tables[];    /* gpu.c */
extern const tdm_nsys_table tdm_nsys_api_tables[];    /* api.c */
extern const tdm_nsys_table tdm_nsys_system_tables[]; /* system.c */

/* Reads the table if it is there and wanted. */
tdm_status tdm_nsys_table_read(tdm_nsys *nsys, const tdm_nsys_table *table, tdm_error *error);

/* A table that no one describes. Read where it is like an API's (start, end, globalTid, nameId or
 * textId), its category made of its name; counted as a problem where it has times at all. */
tdm_status tdm_nsys_unknown_read(tdm_nsys *nsys, const char *name, tdm_error *error);

/* Appends rows picked[0 … count) (NULL: all from 0) of columns to a layout. */
void tdm_nsys_append(tdm_nsys *nsys, uint32_t layout, int64_t *const *columns, uint32_t count,
                     const uint32_t *picked, size_t rows);

/* A row without an end: recorded when all others are, until the last time of them all. */
void tdm_nsys_open(tdm_nsys *nsys, uint32_t layout, int64_t start_ns, uint32_t track, uint32_t name,
                   const int64_t *args, uint32_t count);
void tdm_nsys_open_end(tdm_nsys *nsys);
void tdm_nsys_open_free(tdm_nsys *nsys);

static inline bool tdm_nsys_has(const tdm_nsys *nsys, const char *table) {
  return nsys->source->has_table(nsys->source->context, table);
}

/* ---- tables read by hand ---- */

/* Version, machine, processes, GPUs, capture options → facts, names of tracks (target.c). */
tdm_status tdm_nsys_target_read(tdm_nsys *nsys, tdm_error *error);
tdm_status tdm_nsys_nvtx_read(tdm_nsys *nsys, tdm_error *error);    /* nvtx.c */
tdm_status tdm_nsys_events_read(tdm_nsys *nsys, tdm_error *error);  /* event.c */
tdm_status tdm_nsys_samples_read(tdm_nsys *nsys, tdm_error *error); /* sample.c */
tdm_status tdm_nsys_metrics_read(tdm_nsys *nsys, tdm_error *error); /* metric.c */
bool tdm_nsys_metrics_are(const char *table);                       /* whether that reads it */

/* Opens a cursor and calls `each` with every block; nothing where the table is not there. */
typedef tdm_status (*tdm_nsys_each)(tdm_nsys *nsys, const tdm_nsys_block *block, void *context,
                                    tdm_error *error);
tdm_status tdm_nsys_scan(tdm_nsys *nsys, const char *table, const tdm_nsys_column *columns,
                         size_t count, tdm_nsys_each each, void *context, tdm_error *error);

#endif
