/* What the reader of Firefox's profiles is made of: a profile's tables as columns of numbers, its
 * threads, and what of them becomes records.
 *
 * Tables come in any order, and a table of strings may be the last thing in the file: so the
 * numbers of all tables are kept until the end, and nothing else. Zeroed memory is an empty one of
 * each. Called by the files of this room. */
#ifndef TDM_READ_GECKO_INSIDE_H
#define TDM_READ_GECKO_INSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "read/json/json.h"
#include "read/reader.h"

/* Numbers are kept times a million: indices exact, and milliseconds as nanoseconds. */
#define TDM_GECKO_SCALE 1000000

enum { TDM_GECKO_POSITIONS = 12, TDM_GECKO_ROLES = 6 };

/* What the payload of a marker says beside its columns. */
enum {
  TDM_GECKO_DATA_START = TDM_GECKO_POSITIONS,
  TDM_GECKO_DATA_END,
  TDM_GECKO_DATA_PHASE,
  TDM_GECKO_COLUMNS
};

/* A table of either layout: rows with a schema (raw), or an array a column (processed). */
typedef struct {
  bool there;
  size_t rows;
  int64_t *cell[TDM_GECKO_COLUMNS]; /* TDM_NONE: nothing there */
  size_t count[TDM_GECKO_COLUMNS], room[TDM_GECKO_COLUMNS];
  int column[TDM_GECKO_ROLES]; /* of each role + 1; 0: it has none */
} tdm_gecko_table;

enum { TDM_GECKO_STACK, TDM_GECKO_TIME, TDM_GECKO_DELTA, TDM_GECKO_WEIGHT }; /* of samples */
enum { TDM_GECKO_PREFIX, TDM_GECKO_FRAME, TDM_GECKO_OFFSET };                /* of stacks */
enum { TDM_GECKO_LOCATION, TDM_GECKO_FUNC };                                 /* of frames */
enum { TDM_GECKO_NAME };                                                     /* of functions */
enum { TDM_GECKO_MARKER_NAME, TDM_GECKO_AT, TDM_GECKO_START, TDM_GECKO_END, TDM_GECKO_PHASE };

/* Tables that threads have, or share. */
typedef struct {
  tdm_gecko_table stacks, frames, funcs;
  bool has_strings;
  uint32_t *string; /* names */
  size_t strings, string_room;
  uint32_t *named; /* by stack: its name + 1 */
} tdm_gecko_tables;

typedef struct {
  char *name, *process;
  int64_t pid, tid; /* TDM_NONE */
  size_t of;        /* process */
  tdm_gecko_table samples, markers;
  tdm_gecko_tables own;
} tdm_gecko_thread;

typedef struct {
  int64_t start_ns; /* since 1970; TDM_NONE */
} tdm_gecko_process;

typedef struct {
  tdm_input *input;
  const tdm_read_options *options;
  tdm_recorder *recorder;
  tdm_json *json;
  tdm_gecko_thread *thread;
  size_t threads, thread_room;
  tdm_gecko_process *process; /* the first is the profile itself */
  size_t processes, process_room;
  tdm_gecko_tables shared;
  int64_t version, processed; /* TDM_NONE */
  char product[64];
  bool wrapped;     /* by the performance panel of the developer tools */
  bool nanoseconds; /* meta.sampleUnits.time */
  bool sizes;       /* it is "bytes": not a profile of time */
  uint64_t samples, markers, tokens;
  tdm_status status;
  bool failed; /* out of memory */
  tdm_error *error;
} tdm_gecko;

/* The next token, with a look at the clock now and then; END when the reading is to stop. */
tdm_json_token tdm_gecko_next(tdm_gecko *g);
/* Behind a value's first token: to its end. */
void tdm_gecko_skip(tdm_gecko *g, tdm_json_token token);

/* Behind OBJECT: a table; `roles` are the names of its columns that are wanted, NULL at the end. */
void tdm_gecko_read_table(tdm_gecko *g, const char *const *roles, tdm_gecko_table *table);
/* A cell as it was scaled; an index; TDM_NONE. */
int64_t tdm_gecko_cell(const tdm_gecko_table *table, int role, size_t row);
int64_t tdm_gecko_index(const tdm_gecko_table *table, int role, size_t row);
int64_t tdm_gecko_side(const tdm_gecko_table *table, int column, size_t row);
void tdm_gecko_table_free(tdm_gecko_table *table);

/* Behind KEY, its value's first token: true if it is one of these tables, which is then read. */
bool tdm_gecko_read_shared(tdm_gecko *g, const char *key, tdm_json_token token,
                           tdm_gecko_tables *tables);
void tdm_gecko_tables_free(tdm_gecko_tables *tables);

/* All threads as records. */
void tdm_gecko_record(tdm_gecko *g);

#endif
