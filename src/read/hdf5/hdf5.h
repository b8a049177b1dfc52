/* HDF5 files as tables of columns, and the two layouts of them that are read. */
#ifndef TDM_READ_HDF5_HDF5_H
#define TDM_READ_HDF5_HDF5_H

#include <stdbool.h>

#include "hdf5/hdf5.h"
#include "read/reader.h"

/* An HDF5 file as tables of columns, read by a process of its own.
 *
 * libhdf5 may crash on a damaged file: what it does, it does in a child that this starts and talks
 * to over a socket; src/hdf5/hdf5.h has the messages. Everything that comes from the child is
 * checked. Owns the child and the listing. Called by the readers of HDF5 files; one thread at a
 * time. */

typedef struct tdm_hdf5_file tdm_hdf5_file;

typedef struct {
  const char *name; /* "" in a table that has one column without a name */
  tdm_hdf5_kind kind;
} tdm_hdf5_column;

typedef struct {
  const char *path; /* "StringIds", "meta/tracks/name" */
  uint64_t rows;
  uint32_t number; /* among the tables, from 0 */
  uint32_t columns;
  const tdm_hdf5_column *column;
} tdm_hdf5_table;

typedef struct {
  const char *owner, *name; /* owner: the path of a group or table */
  tdm_hdf5_kind kind;
  int64_t integer;
  double real;
  const char *text; /* NULL unless TEXT */
} tdm_hdf5_attribute;

/* Starts the child and takes its listing. `options` may be NULL; they are kept, for progress. */
tdm_status tdm_hdf5_open(tdm_input *input, const tdm_read_options *options, tdm_hdf5_file **file,
                         tdm_error *error);
/* Over a socket to a child that somebody else made; takes the socket. `path` is for messages. */
tdm_status tdm_hdf5_open_socket(int socket, const char *path, tdm_hdf5_file **file,
                                tdm_error *error);
void tdm_hdf5_close(tdm_hdf5_file *file);

/* Tables in the order of their paths. */
size_t tdm_hdf5_tables(const tdm_hdf5_file *file);
const tdm_hdf5_table *tdm_hdf5_table_at(const tdm_hdf5_file *file, size_t index);
const tdm_hdf5_table *tdm_hdf5_find(const tdm_hdf5_file *file, const char *path);
const tdm_hdf5_attribute *tdm_hdf5_note(const tdm_hdf5_file *file, const char *owner,
                                        const char *name); /* NULL: not there */
/* Links, datasets of other shapes and what lies outside of the file: how many were left out. */
uint64_t tdm_hdf5_left_out(const tdm_hdf5_file *file);

typedef struct {
  const char *bytes;
  size_t length;
} tdm_hdf5_text;

/* Zeroed memory is an empty block. Its values are good until it is filled again. */
typedef struct {
  size_t count;
  union {
    int64_t *integer;
    double *real;
    tdm_hdf5_text *text;
  } column[TDM_HDF5_COLUMNS]; /* as they were asked for */
  unsigned char *bytes;
  size_t room;
  tdm_hdf5_text *texts;
  size_t text_room;
} tdm_hdf5_block;

void tdm_hdf5_block_free(tdm_hdf5_block *block);

/* Rows [first, first + count) of some columns; fewer where the table ends. At most TDM_HDF5_ROWS
 * and TDM_HDF5_COLUMNS. */
tdm_status tdm_hdf5_rows(tdm_hdf5_file *file, const tdm_hdf5_table *table, const uint32_t *columns,
                         uint32_t column_count, uint64_t first, size_t count, tdm_hdf5_block *block,
                         tdm_error *error);

/* How sure the first bytes of a file make it HDF5 (any layout): 0 or 50. */
int tdm_hdf5_detect(const unsigned char *head, size_t length);

/* The two layouts of HDF5 files that are read: each makes records of an open file. */

/* Nsight Systems' HDF5 export (read/nsys/hdf5.c). */
bool tdm_nsys_hdf5_is(tdm_hdf5_file *file, const char *path);
tdm_status tdm_nsys_hdf5_read(tdm_hdf5_file *file, const char *path,
                              const tdm_read_options *options, tdm_recorder *recorder,
                              tdm_error *error);

/* Columns by category, as tandem writes them (read/hdf5/tandem.c). */
bool tdm_tandem_hdf5_is(const tdm_hdf5_file *file);
tdm_status tdm_tandem_hdf5_read(tdm_hdf5_file *file, const char *path,
                                const tdm_read_options *options, tdm_recorder *recorder,
                                tdm_error *error);

#endif
