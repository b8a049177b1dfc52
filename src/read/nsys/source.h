/* Where the tables of an Nsight Systems export come from, and the mapping from them to records.
 *
 * The SQLite export (read/nsys/sqlite.c) and the HDF5 export (read/nsys/hdf5.c) hold the same
 * tables with the same columns. Each is a source: functions that say which tables and columns there
 * are and that hand over rows in blocks, column by column. tdm_nsys_read (read/nsys/nsys.c) makes
 * records of them and knows nothing of either format. A source owns its cursors and what its blocks
 * point to; it is used by one thread at a time, with several cursors open at once. */
#ifndef TDM_READ_NSYS_SOURCE_H
#define TDM_READ_NSYS_SOURCE_H

#include <math.h>
#include <stdbool.h>

#include "read/reader.h"

#define TDM_NSYS_COLUMNS 64   /* more are never asked for in one cursor */
#define TDM_NSYS_BLOCK   1024 /* rows in a block at most */

typedef enum { TDM_NSYS_INT, TDM_NSYS_REAL, TDM_NSYS_TEXT } tdm_nsys_type;

/* A column that is asked for, and as what. A source converts a number of another type (an integer
 * asked for as REAL, unsigned 64 bit as the same bits); text asked for as a number, a number asked
 * for as text and a column that the table lacks are "not there" in every row. */
typedef struct {
  const char *name;
  tdm_nsys_type type;
} tdm_nsys_column;

/* A source need not keep more of a text; the recorder cuts it as a name and counts it. */
#define TDM_NSYS_TEXT_BYTES (TDM_NAME_BYTES + 4)

typedef struct {
  const char *bytes; /* NULL: not there; need not end with NUL */
  size_t length;
} tdm_nsys_text;

/* The member that belongs to the column's type, [count of the block]. Not there: TDM_NONE, a NaN,
 * bytes NULL. The caller may write over them. No column is asked for twice in one cursor. */
typedef union {
  int64_t *integer;
  double *real;
  tdm_nsys_text *text;
} tdm_nsys_values;

typedef struct {
  size_t count;                  /* 0: the table has ended */
  const tdm_nsys_values *column; /* as many and in the order that were asked for */
} tdm_nsys_block;

/* A real as an integer: towards zero; the nearest where it is beyond, which TDM_NONE is not. */
static inline int64_t tdm_nsys_whole(double value) {
  if (isnan(value)) return TDM_NONE;
  if (value >= 0x1p63) return INT64_MAX;
  return value <= -0x1p63 ? INT64_MIN + 1 : (int64_t)value;
}

typedef struct tdm_nsys_cursor tdm_nsys_cursor; /* each source's own */

typedef struct {
  void *context;
  const char *path; /* for messages */

  /* Whether "not there" is told from 0, 0.0 and "" (SQLite's NULL). HDF5 cannot: the mapping then
   * takes 0 and "" for "not there" in columns that may be empty. */
  bool nulls;

  /* Names of tables, [0 … tables). Names are compared without regard to case, as SQLite does. */
  size_t (*tables)(void *context);
  const char *(*table)(void *context, size_t index);
  bool (*has_table)(void *context, const char *table);
  bool (*has_column)(void *context, const char *table, const char *column);

  /* About how many rows a table has: for progress and for a count of what is not read; 0 where it
   * has none. */
  uint64_t (*rows)(void *context, const char *table);

  /* A cursor before the first row. The table must be there; `columns` (their names too) outlive the
   * call only as long as it runs. TDM_INVALID: the file is damaged, in one line, path first. */
  tdm_status (*open)(void *context, const char *table, const tdm_nsys_column *columns, size_t count,
                     tdm_nsys_cursor **cursor, tdm_error *error);
  /* The next rows, in the order in which they lie. The block is good until the next call for the
   * same cursor. */
  tdm_status (*next)(tdm_nsys_cursor *cursor, tdm_nsys_block *block, tdm_error *error);
  void (*close)(tdm_nsys_cursor *cursor); /* NULL: nothing */
} tdm_nsys_source;

/* Whether these are the tables of an Nsight Systems export at all (any version, trimmed ones
 * too). */
bool tdm_nsys_is_export(const tdm_nsys_source *source);

/* Makes records of all tables; the recorder's source has begun. Fills in its detail
 * ("schema 3.25.0, nsys 2026.2.1") and UTC. */
tdm_status tdm_nsys_read(const tdm_nsys_source *source, const tdm_read_options *options,
                         tdm_recorder *recorder, tdm_error *error);

#endif
