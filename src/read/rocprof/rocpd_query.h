/* Queries of rocpd databases, made of the columns that a database has.
 *
 * Tables are called rocpd_WHAT and the suffix of their recording; in queries the records are X,
 * their track T, their event E. Owns nothing. Called by rocpd.c. */
#ifndef TDM_READ_ROCPROF_ROCPD_QUERY_H
#define TDM_READ_ROCPROF_ROCPD_QUERY_H

#include <sqlite3.h>
#include <stdbool.h>

#include "trace/recorder.h"

/* Bytes of a text: more than a name has, so that it is cut and counted there. */
enum { TDM_ROCPD_TEXT = (int)TDM_NAME_BYTES + 4 };

/* One recording of a database. */
typedef struct {
  sqlite3 *database;
  const char *suffix;
} tdm_rocpd;

/* Of a table of records: where its things stand. */
typedef struct {
  const char *what; /* "kernel_dispatch" */
  bool track;       /* process, thread, agent, queue, stream may be those of its track */
  bool stamps;      /* times are numbers of rows of rocpd_timestamp */
} tdm_rocpd_layout;

/* What every record has, in this order; its own columns follow. */
enum {
  TDM_ROCPD_START,
  TDM_ROCPD_END,
  TDM_ROCPD_PROCESS,
  TDM_ROCPD_THREAD,
  TDM_ROCPD_CORRELATION,
  TDM_ROCPD_CATEGORY,
  TDM_ROCPD_OWN
};

bool tdm_rocpd_has(const tdm_rocpd *schema, const char *what, const char *column);
tdm_rocpd_layout tdm_rocpd_layout_of(const tdm_rocpd *schema, const char *what);

/* "SELECT" and what every record has; `begins`, `ends`: "start" and "end", or both "timestamp". */
void tdm_rocpd_select_common(const tdm_rocpd *schema, sqlite3_str *sql, const tdm_rocpd_layout *of,
                             const char *begins, const char *ends);
/* A column of the record or of its track, or NULL, with a comma before it. */
void tdm_rocpd_select_place(const tdm_rocpd *schema, sqlite3_str *sql, const tdm_rocpd_layout *of,
                            const char *column);
/* A column of another table, or NULL, with a comma before it. */
void tdm_rocpd_select_column(const tdm_rocpd *schema, sqlite3_str *sql, const char *alias,
                             const char *what, const char *column);
/* A text of another table, its first `most` bytes, or NULL, with a comma before it. */
void tdm_rocpd_select_text(const tdm_rocpd *schema, sqlite3_str *sql, const char *alias,
                           const char *what, const char *column, int most);
/* "FROM" with the joins that the common columns want. */
void tdm_rocpd_from_common(const tdm_rocpd *schema, sqlite3_str *sql, const tdm_rocpd_layout *of,
                           const char *begins, const char *ends);
/* Joins a table by its id and the same guid; false: there is none. */
bool tdm_rocpd_join(const tdm_rocpd *schema, sqlite3_str *sql, const char *what, const char *alias,
                    const char *key);

#endif
