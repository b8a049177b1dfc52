/* A recording as one table of typed columns, for writers of columnar formats: spans (everything
 * that has a time, by start) or requests.
 *
 * Texts are numbers of one list: names of the recording first, then those of tracks, categories and
 * their kind. Owns that list and the order of the rows; lends texts. Used by arrow.c and
 * parquet.c. */
#ifndef TDM_WRITE_SHEET_H
#define TDM_WRITE_SHEET_H

#include "write/writer.h"

typedef enum {
  TDM_COLUMN_INT,
  TDM_COLUMN_REAL, /* the bits of a double; a NaN is "not there" */
  TDM_COLUMN_TEXT, /* a number of tdm_sheet_text */
} tdm_column_type;

typedef struct {
  const char *name;
  tdm_column_type type;
  bool optional; /* it may have TDM_NONE, or a NaN */
} tdm_sheet_column;

typedef struct tdm_sheet tdm_sheet;

/* table: "spans" or "requests". TDM_INVALID: there is no such table, or it has no rows. */
tdm_status tdm_sheet_open(const tdm_recording *recording, const char *table, tdm_sheet **out,
                          tdm_error *error);
void tdm_sheet_close(tdm_sheet *sheet);

size_t tdm_sheet_rows(const tdm_sheet *sheet);
uint32_t tdm_sheet_columns(const tdm_sheet *sheet);
const tdm_sheet_column *tdm_sheet_column_at(const tdm_sheet *sheet, uint32_t column);
/* Values of some rows; what is not there is TDM_NONE in every type. */
void tdm_sheet_fill(const tdm_sheet *sheet, uint32_t column, size_t first, size_t count,
                    int64_t *out);

/* The list of texts. They may have bytes that are not UTF-8. */
uint32_t tdm_sheet_texts(const tdm_sheet *sheet);
const char *tdm_sheet_text(const tdm_sheet *sheet, uint32_t number, size_t *length);

/* Notes which arguments have no column. */
void tdm_sheet_tell_left_out(const tdm_sheet *sheet, const tdm_write_options *options);

#endif
