/* An Arrow table as comma-separated values (RFC 4180), some lines at a time, for whoever takes
 * recorded requests or measurements as CSV. What is not there is an empty cell. See arrow.h. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "read/arrow/arrow.h"

enum { LINES_BYTES = 1 << 18 }; /* given on when there are so many */

struct tdm_arrow_csv {
  tdm_arrow *arrow;
  char *bytes;
  size_t used, room;
  bool named; /* the names were given */
  bool ended;
  bool failed; /* out of memory */
};

static void put(tdm_arrow_csv *to, const char *bytes, size_t length) {
  if (to->failed) return;
  to->failed = !tdm_array_grow(&to->bytes, &to->room, to->used + length + 1, 1);
  if (to->failed) return;
  memcpy(to->bytes + to->used, bytes, length);
  to->used += length;
}

static void put_cell(tdm_arrow_csv *to, const char *bytes, size_t length) {
  bool plain = true;
  for (size_t i = 0; i < length && plain; i++) plain = memchr(",\"\r\n", bytes[i], 4) == NULL;
  if (plain) {
    put(to, bytes, length);
    return;
  }
  put(to, "\"", 1);
  for (size_t i = 0; i < length; i++)
    put(to, bytes[i] == '"' ? "\"\"" : bytes + i, bytes[i] == '"' ? 2 : 1);
  put(to, "\"", 1);
}

static void put_names(tdm_arrow_csv *to) {
  for (size_t c = 0; c < tdm_arrow_columns(to->arrow); c++) {
    const char *name = tdm_arrow_name(to->arrow, c);
    if (c > 0) put(to, ",", 1);
    put_cell(to, name, strlen(name));
  }
  put(to, "\n", 1);
}

static void put_row(tdm_arrow_csv *to, const tdm_csv_field *fields) {
  for (size_t c = 0; c < tdm_arrow_columns(to->arrow); c++) {
    if (c > 0) put(to, ",", 1);
    if (fields[c].text != NULL) put_cell(to, fields[c].text, fields[c].length);
  }
  put(to, "\n", 1);
}

tdm_status tdm_arrow_csv_next(tdm_arrow_csv *csv, const char **bytes, size_t *length,
                              tdm_error *error) {
  const tdm_csv_field *fields = NULL;
  csv->used = 0;
  *length = 0;
  if (!csv->named) put_names(csv);
  csv->named = true;
  while (!csv->ended && !csv->failed && csv->used < LINES_BYTES) {
    tdm_status status = tdm_arrow_next(csv->arrow, &fields, error);
    if (status != TDM_OK) return status;
    if (fields != NULL)
      put_row(csv, fields);
    else
      csv->ended = true;
  }
  if (csv->failed) return tdm_error_memory(error, "a table as text", csv->used);
  *bytes = csv->bytes;
  *length = csv->used;
  return TDM_OK;
}

tdm_status tdm_arrow_csv_open(tdm_input *input, tdm_arrow_csv **csv, tdm_error *error) {
  *csv = calloc(1, sizeof **csv);
  if (*csv == NULL) return tdm_error_memory(error, "a table", sizeof **csv);
  tdm_status status = tdm_arrow_open(input, SIZE_MAX, &(*csv)->arrow, error);
  if (status == TDM_OK) return TDM_OK;
  tdm_arrow_csv_close(*csv);
  *csv = NULL;
  return status;
}

void tdm_arrow_csv_close(tdm_arrow_csv *csv) {
  if (csv == NULL) return;
  tdm_arrow_close(csv->arrow);
  free(csv->bytes);
  free(csv);
}
