/* One table of typed columns, as writers of columnar formats take it, whoever holds the cells.
 *
 * A cell is a number of 64 bits, TDM_NONE where it is not there; a text is its number in one list.
 * Made by recorded_sheet.c of traces and by the binding of tables; written by arrow.c and
 * parquet.c. */
#ifndef TDM_WRITE_SHEET_H
#define TDM_WRITE_SHEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef enum {
  TDM_COLUMN_INT,
  TDM_COLUMN_REAL, /* the bits of a double; a NaN is "not there" */
  TDM_COLUMN_TEXT, /* a number of the list of texts */
} tdm_column_type;

typedef struct {
  const char *name;
  tdm_column_type type;
  bool optional; /* it may have TDM_NONE */
} tdm_sheet_column;

typedef struct {
  const void *of; /* whose the cells are; borrowed, like all else here */
  size_t row_count;
  const tdm_sheet_column *columns;
  uint32_t column_count;
  uint32_t text_count;
  /* A text; it may have bytes that are not UTF-8. */
  const char *(*text)(const void *of, uint32_t number, size_t *length);
  /* Cells of some rows. */
  void (*fill)(const void *of, uint32_t column, size_t first, size_t count, int64_t *out);
} tdm_sheet;

/* Write a sheet as one file, which appears under its name only when it is complete. */
tdm_status tdm_sheet_write_arrow(const tdm_sheet *sheet, const char *path, tdm_error *error);
tdm_status tdm_sheet_write_parquet(const tdm_sheet *sheet, const char *path, tdm_error *error);

#endif
