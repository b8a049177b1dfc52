/* Inside hdf5.so: the entries of the table in module.c, what is in a file, rows of it. */
#ifndef TDM_HDF5_INSIDE_H
#define TDM_HDF5_INSIDE_H

#include <hdf5.h>
#include <stdbool.h>

#include "hdf5/hdf5.h"

/* Inside hdf5.so: serve.c's and write.c's entries of the table in module.c. */

void hdf5_serve(const char *path, int socket);

tdm_hdf5_writer *hdf5_write_create(void);
void hdf5_write_group(tdm_hdf5_writer *writer, const char *path);
void hdf5_write_numbers(tdm_hdf5_writer *writer, const char *path, tdm_hdf5_cell cell,
                        const void *values, size_t count);
void hdf5_write_texts(tdm_hdf5_writer *writer, const char *path, const char *const *texts,
                      size_t count);
void hdf5_write_note_number(tdm_hdf5_writer *writer, const char *path, const char *name,
                            tdm_hdf5_cell cell, const void *value);
void hdf5_write_note_text(tdm_hdf5_writer *writer, const char *path, const char *name,
                          const char *text);
tdm_status hdf5_write_finish(tdm_hdf5_writer *writer, void **bytes, size_t *length,
                             tdm_error *error);

/* Inside hdf5.so: what is in a file, and rows of it. Called by serve.c. */

/* Bytes that grow. A failed allocation sticks. */
typedef struct {
  unsigned char *bytes;
  size_t used, room;
  bool failed;
} hdf5_bytes;

void *hdf5_bytes_more(hdf5_bytes *out, size_t length); /* NULL: out of memory */
void hdf5_bytes_put(hdf5_bytes *out, const void *bytes, size_t length);
void hdf5_bytes_text(hdf5_bytes *out, const char *text);
void hdf5_bytes_number(hdf5_bytes *out, uint64_t number);

/* Of a text no more is handed on: names have less, and are cut where they are recorded. */
enum { HDF5_TEXT_BYTES = 4 << 20 };

/* While texts of any length are read: memory for no more than some tens of MB of them. */
void hdf5_limit_memory(bool on);

/* One column of a row, and how its value is laid out once it is read. */
typedef struct {
  tdm_hdf5_kind kind;
  size_t offset; /* in a row of the file's type */
  size_t size;   /* in memory */
  bool is_signed;
  bool varies;  /* text of any length: a pointer in memory */
  bool is_same; /* the file's type is the one in memory */
  hid_t type;   /* in memory; 0 where kind is OTHER */
} hdf5_column;

typedef struct {
  size_t row_bytes;
  bool compound, varies; /* some column of it is text of any length */
  uint32_t count;
  hdf5_column *column;
} hdf5_row_type;

/* Reads a dataset's type. False: it is of no type that is read. Free it in any case. `names` (may
 * be NULL) gets the kinds and names as the listing has them. */
bool hdf5_row_type_read(hid_t type, hdf5_row_type *out, hdf5_bytes *names);
void hdf5_row_type_free(hdf5_row_type *type);

typedef struct {
  hdf5_bytes listing;
  char **tables; /* paths, as numbered in the listing */
  size_t count, room;
  size_t objects;
} hdf5_index;

/* Lists a file. NULL: done; otherwise what is wrong. */
const char *hdf5_index_make(hid_t file, hdf5_index *index);

#endif
