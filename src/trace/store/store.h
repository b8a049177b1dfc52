/* The trace store: many runs in one SQLite file, for plain SQL.
 *
 * schema.c has the tables; spans, edges and counters lie in packed chunks (chunk.h) and are
 * SQL tables through span_table.c. A run is one transaction: it is there as a whole or not at all.
 * A run that was stopped keeps what it had and is marked 'interrupted'. The file bears tandem's
 * application_id and the store's version in user_version; version 3,
 * which has no checksums (pages.h), is read and written as it is, files of other programs and other
 * versions are refused by name and left as they are. Processes
 * may share a file: a writer waits for the other, as long as it takes, unless it is interrupted.
 *
 * Owns the database handle. One thread at a time. Called by the binding. */
#ifndef TDM_TRACE_STORE_STORE_H
#define TDM_TRACE_STORE_STORE_H

#include "base/error.h"
#include "trace/record.h"

#define TDM_STORE_APPLICATION 0x54444d53 /* "TDMS" */
#define TDM_STORE_VERSION     4
#define TDM_STORE_UNCHECKED                                                                        \
  3 /* the same tables, without checksums (pages.h); read and written as it is */
#define TDM_STORE_ID_LENGTH 8 /* hexadecimal digits */

struct sqlite3;
typedef struct tdm_store tdm_store;
typedef struct tdm_store_run tdm_store_run;

/* Strings may be NULL: stored as NULL, except the name (""). */
typedef struct {
  int measured; /* read from files; otherwise simulated */
  const char *name;
  const char *scenario;      /* its text */
  const char *scenario_hash; /* of its canonical form */
  const char *version;       /* of the program */
  uint64_t seed;             /* SQL sees the same 64 bits as a signed integer; NULL when measured */
  int64_t created_utc_ns;    /* TDM_NONE: not known */
} tdm_run_info;

/* Creates the file when it does not exist. `stopped` is asked now and then while another process
 * writes: nonzero gives up. It may be NULL: then waiting ends after a minute. */
tdm_status tdm_store_open(const char *path, int (*stopped)(void *context), void *context,
                          tdm_store **store, tdm_error *error);
void tdm_store_close(tdm_store *store); /* NULL is fine; an open run is rolled back */

/* For queries. The store keeps owning it. */
struct sqlite3 *tdm_store_database(tdm_store *store);

/* The number and the id of the run that `text` names: a unique prefix of an id, "last", or the
 * name that one run alone has. `id` may be NULL. */
tdm_status tdm_store_number(struct sqlite3 *database, const char *text, int64_t *number, char *id,
                            tdm_error *error);

/* One run at a time. Commit and abort end the run and free it in every case; when they, or any
 * write before them, fail, nothing of the run stays in the file. What is written through the
 * store's database while a run is open belongs to its transaction. */
tdm_status tdm_store_begin_run(tdm_store *store, const tdm_run_info *info, tdm_store_run **run,
                               tdm_error *error);
const char *tdm_store_run_id(const tdm_store_run *run);
int64_t tdm_store_run_number(const tdm_store_run *run); /* what SQL's column `run` means */
void tdm_store_run_sink(tdm_store_run *run, tdm_record_sink *out); /* valid while the run is open */
/* Rows that a limit kept out, and from when on, so that nobody takes a prefix for the whole. */
tdm_status tdm_store_run_extent(tdm_store_run *run, uint64_t dropped, int64_t complete_until_ns,
                                tdm_error *error);
tdm_status tdm_store_commit_run(tdm_store_run *run, const char *summary_json, tdm_error *error);
tdm_status tdm_store_abort_run(tdm_store_run *run, const char *summary_json, tdm_error *error);
void tdm_store_discard_run(tdm_store_run *run); /* as if it had never begun */

/* Pushes a stored run into a sink, tables first; times are the run's, those of the sources too,
 * whose offsets are 0 therefore. Of the rows only those that touch [from_ns, to_ns]: INT64_MIN,
 * INT64_MAX for all. */
tdm_status tdm_store_load(struct sqlite3 *database, int64_t run, int64_t from_ns, int64_t to_ns,
                          const tdm_record_sink *sink, tdm_error *error);

/* Reads all that belongs to a run, every row of its chunks too, and sees whether names and tracks
 * are those that it has: what a stranger's store must pass. *rows: how many its chunks hold. */
tdm_status tdm_store_check_run(struct sqlite3 *database, int64_t run, uint64_t *rows,
                               tdm_error *error);

/* What a store file must look like. Called by store.c and the binding's database. Checks that the
 * file is ours; lays an empty one out, brings an older one to this version, all or nothing. Changes
 * nothing in a file that it refuses. Then registers the virtual tables of span_table.c on this
 * connection. */
tdm_status tdm_store_schema(struct sqlite3 *database, const char *path, tdm_error *error);

/* The rows of a store as SQL tables: span, edge and counter.
 *
 *   span(run, id, start_ns, dur_ns, end_ns, category, name, track, lane, shape, device,
 *        stream, pid, tid, correlation, bytes, kind, request, batch, source, args)
 *   edge(run, id, kind, from_ns, from_track, to_ns, to_track, flow)
 *   counter(run, id, time_ns, track, name, value, unit)
 *
 * `run` is run.number, `id` counts the run's rows, `args` is JSON of all arguments. Chunks that a
 * constraint on run, category, track, start_ns, end_ns, from_ns or time_ns rules out are not read.
 * And functions: functions.c has them.
 *
 * Read only; a run that is being written is not seen by others before it is complete. Registered on
 * each connection that opens a store, and by the loadable extension. */
tdm_status tdm_span_table_open(struct sqlite3 *database, tdm_error *error);

#endif
