/* SQL functions of a store, on each connection that opens one and in the extension.
 *
 *   run('last'), run('3fa2')     the number of the run that this names
 *   category_ns(run, category)   how long its spans of a category take together, a real number: as
 *                                total(dur_ns) of the table span, without a row of it being made;
 *                                of NULL: all spans
 *
 * Called by span_table.c. Owns no state. */
#include "trace/store/inside.h"
#include "trace/store/pages.h"
#include "trace/store/scan.h"
#include "trace/store/store.h"

static void run_number(sqlite3_context *context, int argc, sqlite3_value **argv) {
  (void)argc;
  sqlite3 *database = sqlite3_context_db_handle(context);
  const char *text = (const char *)sqlite3_value_text(argv[0]);
  tdm_error error;
  int64_t number;
  tdm_status status = tdm_store_number(database, text != NULL ? text : "", &number, NULL, &error);
  if (status == TDM_OK) {
    sqlite3_result_int64(context, number);
  } else if (status == TDM_IO) { /* who calls says of which file */
    sqlite3_result_error(context, tdm_pages_reason(database), -1);
    sqlite3_result_error_code(context, SQLITE_IOERR_DATA);
  } else {
    sqlite3_result_error(context, error.message, -1);
  }
}

static tdm_status sum_durations(tdm_scan *scan, double *ns, tdm_error *error) {
  size_t rows;
  tdm_status status;
  *ns = 0;
  while ((status = tdm_scan_next(scan, &rows, error)) == TDM_OK && rows > 0) {
    const int64_t *dur = tdm_scan_column(scan, TDM_DUR, error);
    if (dur == NULL) return TDM_IO;
    for (size_t i = 0; i < rows; i++) *ns += (double)dur[i];
  }
  return status;
}

static void category_ns(sqlite3_context *context, int argc, sqlite3_value **argv) {
  (void)argc;
  tdm_error error;
  tdm_run_tables *tables = NULL;
  tdm_scan *scan = NULL;
  double ns = 0;
  tdm_scan_filter filter = TDM_SCAN_ALL;
  filter.shapes = TDM_STORE_SPAN_SHAPES;
  filter.category = (const char *)sqlite3_value_text(argv[1]);
  sqlite3 *database = sqlite3_context_db_handle(context);
  tdm_status status = tdm_run_tables_open(database, sqlite3_value_int64(argv[0]), &tables, &error);
  if (status == TDM_INVALID) return;
  if (status == TDM_OK) status = tdm_scan_open(database, tables, &filter, &scan, &error);
  if (status == TDM_OK) status = sum_durations(scan, &ns, &error);
  tdm_scan_close(scan);
  tdm_run_tables_close(tables);
  if (status == TDM_OK) {
    sqlite3_result_double(context, ns);
    return;
  }
  sqlite3_result_error(context, error.message, -1);
  if (status == TDM_IO) sqlite3_result_error_code(context, SQLITE_IOERR_DATA);
}

int tdm_store_functions_open(sqlite3 *database) {
  int code = sqlite3_create_function(database, "run", 1, SQLITE_UTF8, NULL, run_number, NULL, NULL);
  if (code != SQLITE_OK) return code;
  return sqlite3_create_function(database, "category_ns", 2, SQLITE_UTF8, NULL, category_ns, NULL,
                                 NULL);
}
