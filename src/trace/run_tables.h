/* The small tables of one stored run, in memory: layouts, tracks, clocks of sources; names on
 * demand.
 *
 * Owns everything it gives out. Called by scans, the virtual tables and tdm_store_load; one thread
 * at a time, and the connection must stay open. */
#ifndef TDM_TRACE_RUN_TABLES_H
#define TDM_TRACE_RUN_TABLES_H

#include <sqlite3.h>

#include "trace/record.h"

typedef struct tdm_run_tables tdm_run_tables;

/* TDM_INVALID: no run of this number. */
tdm_status tdm_run_tables_open(sqlite3 *database, int64_t run, tdm_run_tables **tables,
                               tdm_error *error);
void tdm_run_tables_close(tdm_run_tables *tables);

int64_t tdm_run_tables_run(const tdm_run_tables *tables);
uint32_t tdm_run_tables_layouts(const tdm_run_tables *tables);
uint32_t tdm_run_tables_tracks(const tdm_run_tables *tables);
uint32_t tdm_run_tables_sources(const tdm_run_tables *tables);

/* An id that the run does not have gives NULL. */
const tdm_layout *tdm_run_tables_layout(const tdm_run_tables *tables, int64_t id);
const tdm_place *tdm_run_tables_track(const tdm_run_tables *tables, int64_t id);
const tdm_source *tdm_run_tables_source(const tdm_run_tables *tables, int64_t id);

/* The text of a name; NULL: there is none, or it cannot be read. Good until the tables close. */
const char *tdm_run_tables_name(tdm_run_tables *tables, int64_t id, size_t *length);

#endif
