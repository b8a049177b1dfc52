/* The trace store: many runs in one SQLite file, for plain SQL.
 *
 * Tables: run, class, track, name, counter, span, sample, request, edge (store_schema.c has them).
 * A run is one transaction: it is there as a whole or not at all. A run that was stopped keeps what
 * it had and is marked 'interrupted'. The file bears tandem's application_id and the store's
 * version in user_version; files of other programs and other versions are refused by name and left
 * as they are. Two processes may share a file: a writer waits for the other, up to the busy
 * timeout.
 *
 * Owns the database handle and its statements. One thread at a time. Called by the command line
 * and the binding. */
#ifndef TDM_TRACE_STORE_H
#define TDM_TRACE_STORE_H

#include "trace/collect.h"

#define TDM_STORE_APPLICATION 0x54444d53 /* "TDMS" */
#define TDM_STORE_VERSION     1
#define TDM_STORE_ID_LENGTH   8 /* hexadecimal digits */
#define TDM_STORE_BUSY_MS     10000

struct sqlite3;
typedef struct tdm_store tdm_store;
typedef struct tdm_store_run tdm_store_run;

/* Strings may be NULL: stored as NULL, except the name (""). */
typedef struct {
  const char *name;
  const char *scenario;      /* its text */
  const char *scenario_hash; /* of its canonical form */
  const char *version;       /* of the program */
  uint64_t seed;             /* SQL sees the same 64 bits as a signed integer */
} tdm_run_info;

/* Creates the file when it does not exist. */
tdm_status tdm_store_open(const char *path, tdm_store **store, tdm_error *error);
void tdm_store_close(tdm_store *store); /* NULL is fine; an open run is rolled back */

/* For queries. The store keeps owning it. */
struct sqlite3 *tdm_store_database(tdm_store *store);

/* The id of the run that `text` names: a unique prefix of an id, or "last". */
tdm_status tdm_store_find(tdm_store *store, const char *text, char id[TDM_STORE_ID_LENGTH + 1],
                          tdm_error *error);

/* One run at a time. Commit and abort end the run and free it in every case; when they, or any
 * write before them, fail, nothing of the run stays in the file. */
tdm_status tdm_store_begin_run(tdm_store *store, const tdm_run_info *info, tdm_store_run **run,
                               tdm_error *error);
const char *tdm_store_run_id(const tdm_store_run *run);
void tdm_store_run_sink(tdm_store_run *run, tdm_sink *out); /* valid while the run is open */
tdm_status tdm_store_run_class(tdm_store_run *run, uint32_t index, const char *name,
                               tdm_error *error);
tdm_status tdm_store_run_trace(tdm_store_run *run, const tdm_trace *trace, tdm_error *error);
tdm_status tdm_store_commit_run(tdm_store_run *run, const char *summary_json, tdm_error *error);
tdm_status tdm_store_abort_run(tdm_store_run *run, const char *summary_json, tdm_error *error);
void tdm_store_discard_run(tdm_store_run *run); /* as if it had never begun */

#endif
