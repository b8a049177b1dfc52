/* hdf5.so: what it offers, as a table of functions. The only way to libhdf5.
 *
 * libhdf5 brings a dozen libraries along, so that it lives in a shared object of its own, loaded
 * when a command meets an HDF5 file (base/module.h). This header knows nothing of libhdf5; read/
 * and write/ include it, and nothing else of this folder.
 *
 * Reading. libhdf5 is known to crash on damaged files. `serve` therefore runs in a child process
 * (read/hdf5/file.c starts it) and answers over a socket; the messages are below. It first sends a
 * listing of the file, then answers requests for rows until the socket closes. Links out of the
 * file, datasets stored outside it and filter plugins are refused.
 *
 * Writing. A file is made in memory, one dataset after the other. The first failure sticks, later
 * calls do nothing, and `finish` reports it. */
#ifndef TDM_HDF5_HDF5_H
#define TDM_HDF5_HDF5_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define TDM_HDF5_MODULE  "tdm_hdf5_module" /* the symbol of the table */
#define TDM_HDF5_COLUMNS 256               /* of a table, at most; further ones are not listed */
#define TDM_HDF5_ROWS    65536             /* in an answer, at most */

typedef enum {
  TDM_HDF5_INT,  /* int64; unsigned 64 bit as the same bits */
  TDM_HDF5_REAL, /* double */
  TDM_HDF5_TEXT,
  TDM_HDF5_OTHER /* arrays, references and the like: cannot be read */
} tdm_hdf5_kind;

/* ---- messages between the child and its parent: the same machine, its own byte order ---- */

/* To the child: some columns of some rows. */
typedef struct {
  uint32_t table; /* as listed, from 0 */
  uint32_t columns;
  uint64_t first, count;
  uint32_t column[TDM_HDF5_COLUMNS]; /* as many as `columns` says are sent */
} tdm_hdf5_request;

/* From the child, before each message. */
typedef struct {
  uint64_t failed; /* 1: the message is a line of text that says what is wrong */
  uint64_t length; /* of the message, in bytes */
} tdm_hdf5_answer;

/* The listing is a sequence of entries. A text is a uint32 length and its bytes; numbers are 8
 * bytes long, except the tags and kinds, which are one byte.
 *   'D' path rows row_bytes columns (kind name)…   a dataset of one dimension; one that is not
 *                                                  compound has one column with the name ""
 *   'A' owner name kind value                      an attribute with one value
 *   'G' path                                       a group
 *   'X' path                                       something that is not read
 * The rows that were asked for are the columns, one after the other: INT and REAL as 8 bytes a row,
 * TEXT as a uint32 length a row and then the bytes of all; each column is filled up to a multiple
 * of 8 bytes. */

/* ---- writing ---- */

typedef enum {
  TDM_HDF5_U8,
  TDM_HDF5_U16,
  TDM_HDF5_U32,
  TDM_HDF5_U64,
  TDM_HDF5_I64,
  TDM_HDF5_F64
} tdm_hdf5_cell;

typedef struct tdm_hdf5_writer tdm_hdf5_writer;

typedef struct {
  uint32_t bytes; /* sizeof this table: a module of another build is not used */

  /* Never returns a status: what goes wrong is told in an answer. */
  void (*serve)(const char *path, int socket);

  tdm_hdf5_writer *(*create)(void); /* NULL: out of memory */
  void (*group)(tdm_hdf5_writer *writer, const char *path);
  void (*numbers)(tdm_hdf5_writer *writer, const char *path, tdm_hdf5_cell cell, const void *values,
                  size_t count);
  void (*texts)(tdm_hdf5_writer *writer, const char *path, const char *const *texts, size_t count);
  /* Attributes of the group or dataset at `path`. */
  void (*note_number)(tdm_hdf5_writer *writer, const char *path, const char *name,
                      tdm_hdf5_cell cell, const void *value);
  void (*note_text)(tdm_hdf5_writer *writer, const char *path, const char *name, const char *text);
  /* The bytes of the file; free() them. Frees the writer in any case. */
  tdm_status (*finish)(tdm_hdf5_writer *writer, void **bytes, size_t *length, tdm_error *error);
} tdm_hdf5_module_table;

/* What to say where the module is missing. */
#define TDM_HDF5_MISSING                                                                           \
  "this tandem has no HDF5: install the package tandem-hdf5, or libhdf5-dev and build again"

#define TDM_HDF5_OTHER_BUILD "hdf5.so is of another build of tandem: run make again"

#endif
