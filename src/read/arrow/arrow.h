/* Tables in Arrow's IPC formats, the file (Feather v2) and the stream, row by row as texts.
 *
 * Streams: memory is one batch and the dictionaries. Numbers, booleans, texts (also as views and by
 * dictionary), dates and times are read, buffers as they are or packed by LZ4 or zstd; lists,
 * structures and decimals are not. A date or a timestamp is written as ISO 8601, other times are
 * their numbers. Owns its buffers, not the input. Called by the reader of tandem's own tables
 * (own.c) and by the binding, for tables of others. */
#ifndef TDM_READ_ARROW_ARROW_H
#define TDM_READ_ARROW_ARROW_H

#include "read/csv.h"
#include "read/own_rows.h"

typedef struct tdm_arrow tdm_arrow;

/* Do the first bytes of a file begin such a table? */
bool tdm_arrow_detect(const unsigned char *head, size_t length);

/* Reads the schema, in the footer of files that begin with none. Before anything of the input is
 * consumed. `most`: bytes of a text that are wanted; of longer ones no more need be given.
 * TDM_INVALID: it is none, or has a column that cannot be read. */
tdm_status tdm_arrow_open(tdm_input *input, size_t most, tdm_arrow **arrow, tdm_error *error);
void tdm_arrow_close(tdm_arrow *arrow);

size_t tdm_arrow_columns(const tdm_arrow *arrow);
const char *tdm_arrow_name(const tdm_arrow *arrow, size_t column);
tdm_cell_type tdm_arrow_type(const tdm_arrow *arrow, size_t column);

/* The next row's cells, as many as columns; a text of NULL is not there. *fields is NULL at the
 * end. Good until the next call. */
tdm_status tdm_arrow_next(tdm_arrow *arrow, const tdm_csv_field **fields, tdm_error *error);

/* A table as the lines of a CSV file. Borrows the input. */
typedef struct tdm_arrow_csv tdm_arrow_csv;

tdm_status tdm_arrow_csv_open(tdm_input *input, tdm_arrow_csv **csv, tdm_error *error);
void tdm_arrow_csv_close(tdm_arrow_csv *csv);

/* Some lines, whole ones, the names first; length 0 at the end. Good until the next call. */
tdm_status tdm_arrow_csv_next(tdm_arrow_csv *csv, const char **bytes, size_t *length,
                              tdm_error *error);

#endif
