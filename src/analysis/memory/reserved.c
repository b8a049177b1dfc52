/* What the caching allocator reserved of a device against what was in use: fragmentation; see
 * inside.h. Segments are figures of the store (table metric, scope "memory"). */
#include "analysis/memory/inside.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "trace/store/pages.h"

static const tdm_field fields[] = {{"rank", TDM_FIELD_INT},
                                   {"device", TDM_FIELD_TEXT},
                                   {"moment", TDM_FIELD_TEXT},
                                   {"allocated_bytes", TDM_FIELD_INT},
                                   {"reserved_bytes", TDM_FIELD_INT},
                                   {"unused_bytes", TDM_FIELD_INT},
                                   {"unused_share", TDM_FIELD_REAL},
                                   {"active_bytes", TDM_FIELD_INT},
                                   {"requested_bytes", TDM_FIELD_INT},
                                   {"stranded_bytes", TDM_FIELD_INT},
                                   {"largest_free_block_bytes", TDM_FIELD_INT},
                                   {"segments", TDM_FIELD_INT},
                                   {"blocks", TDM_FIELD_INT}};
enum { RANK, DEVICE, MOMENT, ALLOCATED, RESERVED, UNUSED, SHARE, ACTIVE, FIRST_FIGURE = ACTIVE };
enum { FIELDS = sizeof fields / sizeof *fields };

static void put(tdm_frame *frame, int64_t rank, const char *device, const char *moment,
                int64_t allocated, int64_t reserved) {
  tdm_frame_row(frame);
  tdm_frame_int(frame, RANK, rank);
  tdm_frame_text(frame, DEVICE, device);
  tdm_frame_name(frame, MOMENT, moment);
  tdm_frame_int(frame, ALLOCATED, allocated);
  tdm_frame_int(frame, RESERVED, reserved);
  if (reserved <= 0 || allocated == TDM_NONE) return;
  tdm_frame_int(frame, UNUSED, tdm_memory_less(reserved, allocated));
  tdm_frame_real(frame, SHARE, ((double)reserved - (double)allocated) / (double)reserved);
}

static void put_spaces(const tdm_memory_blocks *blocks, tdm_frame *frame) {
  for (size_t p = 0; p < blocks->events->spaces; p++) {
    const tdm_memory_space *space = &blocks->events->space[p];
    const tdm_memory_sum *sum = &blocks->sum[p];
    if (sum->in_window && sum->reserved_at_peak > 0)
      put(frame, space->rank, space->name, "at the peak", sum->peak, sum->reserved_at_peak);
    if (sum->reserved_end > 0)
      put(frame, space->rank, space->name, "at the end", sum->end, sum->reserved_end);
  }
}

/* ---- snapshots ---- */

static bool is_wanted(const tdm_memory_blocks *blocks, const char *subject) {
  int64_t device = tdm_run_view_filter_of(blocks->view)->device;
  char wanted[32];
  snprintf(wanted, sizeof wanted, "GPU #%lld", (long long)device);
  return device == TDM_NONE || strcmp(subject, wanted) == 0;
}

/* Figures of one device come side by side, reserved first. */
static void put_figure(tdm_frame *frame, const char *name, int64_t value, int64_t *reserved) {
  if (strcmp(name, "reserved_bytes") == 0) *reserved = value;
  for (size_t f = FIRST_FIGURE; f < FIELDS; f++)
    if (strcmp(name, fields[f].name) == 0) tdm_frame_int(frame, f, value);
  if (strcmp(name, "allocated_bytes") != 0) return;
  tdm_frame_int(frame, ALLOCATED, value);
  if (*reserved == TDM_NONE) return;
  tdm_frame_int(frame, RESERVED, *reserved);
  tdm_frame_int(frame, UNUSED, tdm_memory_less(*reserved, value));
  if (*reserved > 0)
    tdm_frame_real(frame, SHARE, ((double)*reserved - (double)value) / (double)*reserved);
}

tdm_status tdm_memory_put_reserved(const tdm_memory_blocks *blocks, bool *segments, tdm_answer *out,
                                   tdm_error *error) {
  static const char sql[] =
      "SELECT subject, name, CAST(value AS INTEGER) FROM metric WHERE run = ?1 AND scope = 'memory'"
      " AND subject LIKE 'GPU #%' ORDER BY id";
  sqlite3 *database = tdm_run_view_database(blocks->view);
  tdm_frame *frame = tdm_answer_frame(out, "fragmentation", fields, FIELDS);
  put_spaces(blocks, frame);
  sqlite3_stmt *rows = NULL;
  int code = sqlite3_prepare_v2(database, sql, -1, &rows, NULL);
  if (code == SQLITE_OK)
    code = sqlite3_bind_int64(rows, 1, tdm_run_tables_run(tdm_run_view_tables(blocks->view)));
  char last[64] = "";
  int64_t reserved = TDM_NONE;
  while (code == SQLITE_OK && (code = sqlite3_step(rows)) == SQLITE_ROW) {
    code = SQLITE_OK;
    const char *subject = (const char *)sqlite3_column_text(rows, 0);
    const char *name = (const char *)sqlite3_column_text(rows, 1);
    if (subject == NULL || name == NULL || !is_wanted(blocks, subject)) continue;
    /* two files may both have a GPU #0 */
    if (strcmp(subject, last) != 0 || strcmp(name, "reserved_bytes") == 0) {
      put(frame, TDM_NONE, subject, "in the snapshot", TDM_NONE, TDM_NONE);
      snprintf(last, sizeof last, "%s", subject);
      reserved = TDM_NONE;
    }
    *segments = true;
    put_figure(frame, name, sqlite3_column_int64(rows, 2), &reserved);
  }
  sqlite3_finalize(rows);
  if (code != SQLITE_DONE)
    return tdm_error_set(error, TDM_IO, "cannot read the store: %s", tdm_pages_reason(database));
  if (*segments)
    tdm_answer_basis(out, "stranded: free bytes of segments that something else holds; they cannot "
                          "be given back. Active bytes include what streams still use");
  return TDM_OK;
}
