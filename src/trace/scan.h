/* The rows of a stored run, chunk by chunk, only those columns that are asked for.
 *
 * Chunks that cannot hold a wanted row are not read: by shape, category, time and track. Rows of
 * the chunks that are read are not filtered further. Times are made the run's (a source's offset is
 * added). Owns its buffers and statements; the tables are borrowed. Called by the virtual tables,
 * tdm_store_load and the analyses; one thread at a time. */
#ifndef TDM_TRACE_SCAN_H
#define TDM_TRACE_SCAN_H

#include "trace/run_tables.h"

typedef struct {
  uint32_t shapes;      /* bits 1 << tdm_shape */
  const char *category; /* NULL: any. Borrowed while the scan is open */
  int64_t from_ns;      /* rows that end at or after it; INT64_MIN: all */
  int64_t to_ns;        /* rows that start at or before it; INT64_MAX: all */
  int64_t track;        /* TDM_NONE: any */
} tdm_scan_filter;

#define TDM_SCAN_ALL                                                                               \
  ((tdm_scan_filter){.shapes = UINT32_MAX,                                                         \
                     .category = NULL,                                                             \
                     .from_ns = INT64_MIN,                                                         \
                     .to_ns = INT64_MAX,                                                           \
                     .track = TDM_NONE})

typedef struct tdm_scan tdm_scan;

tdm_status tdm_scan_open(sqlite3 *database, tdm_run_tables *tables, const tdm_scan_filter *filter,
                         tdm_scan **scan, tdm_error *error);
void tdm_scan_close(tdm_scan *scan);

/* How many rows all its chunks hold, at most; ask before the first chunk. */
tdm_status tdm_scan_rows(tdm_scan *scan, size_t *rows, tdm_error *error);

/* The next chunk: *rows is 0 after the last. */
tdm_status tdm_scan_next(tdm_scan *scan, size_t *rows, tdm_error *error);

/* Of the present chunk. */
uint32_t tdm_scan_layout(const tdm_scan *scan);
uint32_t tdm_scan_source(const tdm_scan *scan);
int64_t tdm_scan_first_row(const tdm_scan *scan); /* number of its first row within the run */

/* A column of the present chunk, unpacked at the first call; good until the next chunk. NULL: the
 * chunk is damaged, *error says so. */
const int64_t *tdm_scan_column(tdm_scan *scan, uint32_t column, tdm_error *error);

/* A time of a source as the run's, at most as far as 64 bits go. */
int64_t tdm_scan_shifted(int64_t time_ns, int64_t offset_ns);

/* From now on `tell` is told, after each chunk that this thread reads, of which run it was and how
 * many rows it has: what a progress line goes by. NULL: nobody is. */
void tdm_scan_watch(void (*tell)(void *context, int64_t run, size_t rows), void *context);

/* How many chunks the filter kept out, and how many were read: what push-down saves. */
void tdm_scan_chunks(const tdm_scan *scan, uint64_t *skipped, uint64_t *read);

#endif
