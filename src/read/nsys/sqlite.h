/* The SQLite export of Nsight Systems: an export by path, and rows straight from the pages of a
 * file. */
#ifndef TDM_READ_NSYS_SQLITE_H
#define TDM_READ_NSYS_SQLITE_H

#include "read/nsys/source.h"

/* `where` is opened; messages speak of `path`. */
tdm_status tdm_nsys_sqlite_read(const char *where, const char *path,
                                const tdm_read_options *options, tdm_recorder *recorder,
                                tdm_error *error);

/* Rows of an SQLite table straight from the pages of its file, column by column.
 *
 * SQLite hands out one value a call; a capture has hundreds of millions. This walks a table's tree
 * of pages in the documented file format and decodes whole blocks of rows, several times as fast.
 * It reads only: files without a write-ahead log, UTF-8, tables with row ids; read/nsys/sqlite.c
 * decides which those are and asks SQLite itself for all others. Damage is found and reported,
 * never followed. Owns its buffers, not the descriptor. */

typedef struct tdm_sqlite_scan tdm_sqlite_scan;

/* What SQLite says of a table. */
typedef struct {
  int64_t root;   /* its first page */
  int rowid;      /* the column that is the row's id and not in its record; -1: none */
  size_t columns; /* of the record */
} tdm_sqlite_table;

/* `column_at`[i] is the record's column that fills columns[i], -1: none. NULL: out of memory. */
tdm_sqlite_scan *tdm_sqlite_scan_open(int fd, const tdm_sqlite_table *table,
                                      const tdm_nsys_column *columns, const int *column_at,
                                      size_t count);
/* TDM_INVALID without a message of its own: the file is damaged, or see below. */
tdm_status tdm_sqlite_scan_next(tdm_sqlite_scan *scan, tdm_nsys_block *block);
/* What of the system failed, as errno; 0: nothing. */
int tdm_sqlite_scan_failure(const tdm_sqlite_scan *scan);
void tdm_sqlite_scan_close(tdm_sqlite_scan *scan);

/* A text store for the texts of a block, which stay where they are until it is emptied. Zeroed
 * memory is an empty one. */
typedef struct {
  char **chunk;
  size_t *size;
  size_t chunks, room, at, used, bytes; /* the one being filled, its bytes, those of all */
} tdm_block_texts;

char *tdm_block_texts_put(tdm_block_texts *texts, const void *bytes,
                          size_t length); /* NULL: memory */
void tdm_block_texts_empty(tdm_block_texts *texts);
void tdm_block_texts_free(tdm_block_texts *texts);

#endif
