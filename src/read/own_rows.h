/* Rows of tandem's own tables, which write/csv.c and write/recorded_sheet.c make, as records again:
 * whoever reads them from a file.
 *
 * Columns are known by name. Of CSV, arguments are a JSON object in one column; of typed tables
 * each has a column of its own, which goes to the rows that have a cell in it. Rows of several
 * sources lie in a table by time; as the recorder takes sources one after the other, the table is
 * read once for each. Times are on the run's clock, so all sources have one. Owns the tracks and
 * layouts that it met. Called by tandem_csv.c and arrow/own.c. */
#ifndef TDM_READ_OWN_ROWS_H
#define TDM_READ_OWN_ROWS_H

#include "read/csv.h"
#include "read/reader.h"

/* What a column's cells are; of CSV TDM_CELL_NONE, as it does not say. */
typedef enum { TDM_CELL_NONE, TDM_CELL_INT, TDM_CELL_REAL, TDM_CELL_TEXT } tdm_cell_type;

typedef struct tdm_own_rows tdm_own_rows;

tdm_own_rows *tdm_own_rows_new(tdm_recorder *recorder, const tdm_read_options *options);
void tdm_own_rows_free(tdm_own_rows *rows); /* tells the recorder what had to be mended */

/* Tells the columns of a file, then its rows. */
typedef tdm_status (*tdm_own_rows_reader)(void *job, tdm_input *input, bool first,
                                          tdm_error *error);

/* Reads the whole of an input so, once for each source that has rows in it. */
tdm_status tdm_own_rows_read(tdm_own_rows *rows, tdm_input *input, const char *reader,
                             tdm_own_rows_reader read, void *job, tdm_error *error);

bool tdm_own_rows_column(tdm_own_rows *rows, size_t column, const char *name, tdm_cell_type type);
bool tdm_own_rows_known(const tdm_own_rows *rows); /* are there the columns that rows need? */

/* A row; a field's text may be NULL where it is not there. False: out of memory. */
bool tdm_own_rows_take(tdm_own_rows *rows, const tdm_csv_field *fields, size_t count);

#endif
