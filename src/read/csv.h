/* Comma-separated values by RFC 4180, record by record, and the plain lines between them.
 *
 * Streams: memory is one record. What tools print around a table is not CSV, so the caller may look
 * at the line that comes next and step over it. Lenient: blanks before a quote, text behind a
 * closing quote, and quotes within an unquoted field are taken as they are; lines end in LF or
 * CRLF. A record beyond TDM_CSV_RECORD bytes, which is what a quote that never closes makes, is cut
 * and counted. Owns its buffers, not the input. Called by the readers of CSV files. */
#ifndef TDM_READ_CSV_H
#define TDM_READ_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "read/input.h"

#define TDM_CSV_RECORD (1 << 20)

typedef struct {
  const char *text; /* NUL-terminated */
  size_t length;
} tdm_csv_field;

typedef struct tdm_csv tdm_csv;

tdm_csv *tdm_csv_new(tdm_input *input); /* NULL: out of memory */
void tdm_csv_free(tdm_csv *csv);

/* The line that the next record begins with, without its end and not consumed. False at the end of
 * the input or after a failure. Good until the next call. */
bool tdm_csv_peek(tdm_csv *csv, const char **line, size_t *length);
void tdm_csv_skip_line(tdm_csv *csv);

/* The fields of the next record. False at the end or after a failure. Good until the next call. */
bool tdm_csv_next(tdm_csv *csv, const tdm_csv_field **fields, size_t *count);

/* From now on fields lose the ' that keeps them from being formulas (tdm_text_is_formula). */
void tdm_csv_unguard(tdm_csv *csv);

tdm_status tdm_csv_status(const tdm_csv *csv, tdm_error *error);
uint64_t tdm_csv_cut(const tdm_csv *csv); /* records that were too long */

#endif
