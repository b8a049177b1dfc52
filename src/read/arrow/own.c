/* The reader of Arrow tables that tandem wrote: spans as write/recorded_sheet.c makes them, and
 * requests.
 *
 * What rows of spans mean is own_rows.c's. Facts, metrics and artifacts are not in such a table,
 * nor arguments without a column. A table of others is no trace; the binding hands its cells to
 * whoever takes CSV. Called through tdm_readers. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#include "read/arrow/arrow.h"
#include "read/number.h"
#include "read/own_rows.h"
#include "read/reader.h"

enum {
  PROGRESS_ROWS = 8192,
  CLASSES = 1024,
  OF_REQUESTS = 6,
  TEXT_BYTES = 4 << 20 /* names have less; this is for arguments, of which a cell has several */
};

static const char *const titles[OF_REQUESTS] = {"id",     "class", "arrival_ns",
                                                "end_ns", "gpu",   "outcome"};

typedef struct {
  tdm_input *input;
  const tdm_read_options *options;
  tdm_recorder *recorder;
  tdm_own_rows *rows;
  char *classes[CLASSES];
  uint32_t class_count;
} job;

static bool is_requests(const tdm_arrow *arrow) {
  if (tdm_arrow_columns(arrow) != OF_REQUESTS) return false;
  for (size_t i = 0; i < OF_REQUESTS; i++)
    if (strcmp(tdm_arrow_name(arrow, i), titles[i]) != 0) return false;
  return true;
}

/* ---- requests ---- */

static uint32_t class_of(job *j, const char *name) {
  uint32_t i = 0;
  while (i < j->class_count && strcmp(j->classes[i], name) != 0) i++;
  if (i < j->class_count) return i;
  if (i == CLASSES || (j->classes[i] = tdm_string_copy(name)) == NULL) return 0;
  j->class_count++;
  tdm_record_request_class(j->recorder, i, name);
  return i;
}

static int64_t number(const tdm_csv_field *field, int64_t usual) {
  int64_t value;
  return field->text != NULL && tdm_number_integer(field->text, field->length, &value) ? value
                                                                                       : usual;
}

static void take_request(job *j, const tdm_csv_field *fields) {
  tdm_request_record one = {.request = (uint64_t)number(&fields[0], 0),
                            .arrival_ns = number(&fields[2], 0),
                            .end_ns = number(&fields[3], 0),
                            .class_index =
                                class_of(j, fields[1].text != NULL ? fields[1].text : ""),
                            .outcome = TDM_OUTCOME_OPEN};
  int64_t gpu = number(&fields[4], -1);
  one.gpu = gpu >= -1 && gpu <= INT32_MAX ? (int32_t)gpu : -1;
  for (int i = 0; i < TDM_OUTCOMES && fields[5].text != NULL; i++)
    if (strcmp(tdm_outcome_name((tdm_outcome)i), fields[5].text) == 0) one.outcome = (tdm_outcome)i;
  tdm_record_requests(j->recorder, &one, 1);
}

/* ---- the file ---- */

static tdm_status take_columns(job *j, const tdm_arrow *arrow, tdm_error *error) {
  for (size_t i = 0; i < tdm_arrow_columns(arrow); i++)
    if (!tdm_own_rows_column(j->rows, i, tdm_arrow_name(arrow, i), tdm_arrow_type(arrow, i)))
      return tdm_error_memory(error, "the columns of a table", i);
  if (tdm_own_rows_known(j->rows)) return TDM_OK;
  return tdm_error_set(
      error, TDM_INVALID,
      "%s: is a table of other columns than tandem's; as recorded requests td.replay "
      "takes it, as a measurement tandem fit",
      tdm_input_path(j->input));
}

static tdm_status read_rows(void *context, tdm_input *input, bool first, tdm_error *error) {
  job *j = context;
  (void)first;
  const tdm_csv_field *fields = NULL;
  tdm_arrow *arrow = NULL;
  tdm_status status = tdm_arrow_open(input, TEXT_BYTES, &arrow, error);
  if (status != TDM_OK) return status;
  bool of_requests = is_requests(arrow);
  if (!of_requests) status = take_columns(j, arrow, error);
  for (uint64_t n = 1; status == TDM_OK; n++) {
    status = tdm_arrow_next(arrow, &fields, error);
    if (status != TDM_OK || fields == NULL) break;
    if (of_requests)
      take_request(j, fields);
    else if (!tdm_own_rows_take(j->rows, fields, tdm_arrow_columns(arrow)))
      status = tdm_error_memory(error, "the tracks of a trace", 0);
    if (status != TDM_OK || n % PROGRESS_ROWS != 0) continue;
    if (tdm_recorder_failed(j->recorder)) break;
    status = tdm_read_progress(input, j->options, error);
  }
  tdm_arrow_close(arrow);
  return status;
}

static tdm_status read_own(tdm_input *input, const tdm_read_options *options,
                           tdm_recorder *recorder, tdm_error *error) {
  job j = {.input = input,
           .options = options,
           .recorder = recorder,
           .rows = tdm_own_rows_new(recorder, options)};
  if (j.rows == NULL) return tdm_error_memory(error, "a table", 0);
  tdm_status status = tdm_own_rows_read(j.rows, input, "tandem-arrow", read_rows, &j, error);
  tdm_own_rows_free(j.rows);
  for (uint32_t i = 0; i < j.class_count; i++) free(j.classes[i]);
  return status;
}

/* A file that a table of tandem's begins: its schema lies in the first bytes and names its columns.
 * Other tables are for others. */
static int detect_own(const unsigned char *head, size_t length, const char *path) {
  (void)path;
  if (!tdm_arrow_detect(head, length)) return 0;
  bool spans =
      memmem(head, length, "start_ns", 8) != NULL && memmem(head, length, "shape", 5) != NULL;
  bool requests =
      memmem(head, length, "arrival_ns", 10) != NULL && memmem(head, length, "outcome", 7) != NULL;
  return spans || requests ? 95 : 0;
}

const tdm_reader tdm_reader_tandem_arrow = {.name = "tandem-arrow",
                                            .title = "tandem's Arrow tables, as it exports them",
                                            .accepts = "*.arrow, *.arrows, *.feather",
                                            .detect = detect_own,
                                            .read = read_own};
