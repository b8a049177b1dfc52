/* What the parts of the writer of Nsight Systems' layout share: nsys.c (the whole), tables.c
 * (its tables as data), tracks.c (processes, threads, streams), target.c (machine and
 * capture), notes.c (what is left out). */
#ifndef TDM_WRITE_NSYS_INSIDE_H
#define TDM_WRITE_NSYS_INSIDE_H

#include <sqlite3.h>
#include <stdbool.h>

#include "trace/recording.h"
#include "write/writer.h"

/* ---- tables as data ---- */

typedef enum {
  NSYS_NOTHING, /* a column that a recording has nothing for */
  NSYS_START,
  NSYS_END, /* NULL when it was not seen */
  NSYS_DEVICE,
  NSYS_CONTEXT,
  NSYS_STREAM,
  NSYS_PROCESS,
  NSYS_THREAD,
  NSYS_NAME,       /* the row's, in StringIds */
  NSYS_NAME_TEXT,  /* the row's, in its place */
  NSYS_CLASS,      /* 0: runtime, 1: driver, … by category */
  NSYS_RANGE_TYPE, /* push/pop, start/end, mark */
  NSYS_DOMAIN,
  NSYS_NUMBER,      /* an argument */
  NSYS_REAL,        /* an argument, where it is a number with a fraction */
  NSYS_WORD,        /* an argument, by an enumeration */
  NSYS_STRING,      /* an argument, in StringIds; the row's name where `or_name` */
  NSYS_TEXT,        /* an argument, in its place */
  NSYS_JSON,        /* the same, where it is JSON */
  NSYS_OTHER_THREAD /* an argument that is a thread's number in the process of the row */
} tdm_to_nsys_source;

typedef struct {
  const char *name;
  tdm_to_nsys_source source;
  const char *key; /* of the argument */
  int words;       /* which enumeration */
  bool or_name;
} tdm_to_nsys_column;

typedef struct {
  const char *name;
  const char *categories[6]; /* whose rows go there; the index is NSYS_CLASS */
  const tdm_to_nsys_column *columns;
  uint32_t count;
} tdm_to_nsys_table;

#define NSYS_COLUMNS 48

extern const tdm_to_nsys_table tdm_to_nsys_tables[]; /* name NULL at the end */

/* The table of a category, and which of its categories it is; NULL: none. */
const tdm_to_nsys_table *tdm_to_nsys_table_of(const char *category, int *which);

typedef struct {
  int64_t id;
  const char *name, *label, *word; /* word: tandem's */
} tdm_to_nsys_word;

typedef struct {
  const char *table;
  const tdm_to_nsys_word *words;
  size_t count;
} tdm_to_nsys_enum;

enum {
  NSYS_COPY_KIND,
  NSYS_MEMORY_KIND,
  NSYS_LAUNCH,
  NSYS_CACHE,
  NSYS_SHARED_LIMIT,
  NSYS_MIGRATION,
  NSYS_SYNC,
  NSYS_OVERHEAD,
  NSYS_EVENT_TYPE,
  NSYS_EVENT_CLASS,
  NSYS_STREAM_TYPE,
  NSYS_ENUMS
};
extern const tdm_to_nsys_enum tdm_to_nsys_enums[NSYS_ENUMS];

/* ---- tracks ---- */

/* A track in the terms of the format. */
typedef struct {
  int64_t global_pid, global_tid;
  int64_t device, context, stream; /* TDM_NONE: it has none */
  int64_t offset_ns;               /* to the clock of the run */
} tdm_to_nsys_track;

typedef struct {
  const tdm_recording *recording;
  tdm_to_nsys_track *track; /* by track */
  uint32_t count;
} tdm_to_nsys_tracks;

tdm_status tdm_to_nsys_tracks_open(tdm_to_nsys_tracks *tracks, const tdm_recording *recording,
                                   tdm_error *error);
void tdm_to_nsys_tracks_close(tdm_to_nsys_tracks *tracks);

/* ---- the file ---- */

typedef struct {
  const tdm_recording *recording;
  const tdm_write_options *options;
  sqlite3 *database;
  tdm_to_nsys_tracks tracks;
  int64_t *string_of; /* StringIds by name; 0: not there yet */
  int64_t strings;
  sqlite3_stmt *put_string;
  int64_t first_ns, last_ns; /* of what was written; TDM_NONE: nothing yet */
  uint64_t unknown_words;    /* that no enumeration has */
  tdm_error *error;
} tdm_to_nsys_out;

/* These fill `out->error`. */
tdm_status tdm_to_nsys_run(tdm_to_nsys_out *out, const char *sql);
tdm_status tdm_to_nsys_prepare(tdm_to_nsys_out *out, const char *sql, sqlite3_stmt **statement);
tdm_status tdm_to_nsys_step(tdm_to_nsys_out *out,
                            sqlite3_stmt *statement); /* and makes it ready again */

/* META_DATA_…, TARGET_INFO_…, PROCESSES, ThreadNames, ENUM_…, once all rows are written. */
tdm_status tdm_to_nsys_target_put(tdm_to_nsys_out *out);

/* Tells the caller what has no place in the format. */
void tdm_to_nsys_note_left_out(const tdm_to_nsys_out *out);

static inline void tdm_to_nsys_bind(sqlite3_stmt *statement, int at, int64_t value) {
  if (value == TDM_NONE)
    sqlite3_bind_null(statement, at);
  else
    sqlite3_bind_int64(statement, at, value);
}

#endif
