/* The reader of tandem's own CSV, which write/csv.c writes: rows and their tracks come back.
 *
 * What that table does not have (facts, figures, the table of requests, names of files) does not
 * come back, and a whole number that was a real one comes back as a whole one. What rows mean is
 * own_rows.c's. Called through tdm_readers. */
#include <string.h>

#include "read/csv.h"
#include "read/own_rows.h"

enum { PROGRESS_RECORDS = 2048 };

typedef struct {
  tdm_input *input;
  const tdm_read_options *options;
  tdm_recorder *recorder;
  tdm_own_rows *rows;
} job;

static tdm_status read_header(job *j, tdm_csv *csv, tdm_error *error) {
  const tdm_csv_field *fields;
  size_t count;
  if (tdm_csv_next(csv, &fields, &count))
    for (size_t i = 0; i < count; i++)
      (void)tdm_own_rows_column(j->rows, i, fields[i].text, TDM_CELL_NONE);
  tdm_status status = tdm_csv_status(csv, error);
  if (status != TDM_OK || tdm_own_rows_known(j->rows)) return status;
  return tdm_error_set(error, TDM_INVALID, "%s: its header is not that of tandem's CSV",
                       tdm_input_path(j->input));
}

static tdm_status read_rows(void *context, tdm_input *input, bool first, tdm_error *error) {
  job *j = context;
  const tdm_csv_field *fields;
  size_t count;
  tdm_csv *csv = tdm_csv_new(input);
  if (csv == NULL) return tdm_error_memory(error, "a CSV reader", 0);
  tdm_csv_unguard(csv);
  tdm_status status = read_header(j, csv, error);
  for (uint64_t n = 1; status == TDM_OK && tdm_csv_next(csv, &fields, &count); n++) {
    if (count == 1 && fields[0].length == 0) continue;
    if (!tdm_own_rows_take(j->rows, fields, count))
      status = tdm_error_memory(error, "the tracks of a trace", count);
    if (status != TDM_OK || n % PROGRESS_RECORDS != 0) continue;
    if (tdm_recorder_failed(j->recorder)) break;
    status = tdm_read_progress(input, j->options, error);
  }
  if (status == TDM_OK) status = tdm_csv_status(csv, error);
  if (tdm_csv_cut(csv) > 0 && first)
    tdm_record_problem(j->recorder, "records that are too long (cut)", tdm_csv_cut(csv));
  tdm_csv_free(csv);
  return status;
}

static tdm_status read_csv(tdm_input *input, const tdm_read_options *options,
                           tdm_recorder *recorder, tdm_error *error) {
  job j = {.input = input,
           .options = options,
           .recorder = recorder,
           .rows = tdm_own_rows_new(recorder, options)};
  if (j.rows == NULL) return tdm_error_memory(error, "a JSON parser", 0);
  tdm_status status = tdm_own_rows_read(j.rows, input, "tandem-csv", read_rows, &j, error);
  tdm_own_rows_free(j.rows);
  return status;
}

static int detect_csv(const unsigned char *head, size_t length, const char *path) {
  static const char begins[] = "source,shape,start_ns,dur_ns,process,track,";
  (void)path;
  return length >= sizeof begins - 1 && memcmp(head, begins, sizeof begins - 1) == 0 ? 95 : 0;
}

const tdm_reader tdm_reader_tandem_csv = {.name = "tandem-csv",
                                          .title = "tandem's CSV, as it exports it",
                                          .accepts = "*.csv",
                                          .detect = detect_csv,
                                          .read = read_csv};
