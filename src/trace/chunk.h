/* Columns of rows as bytes: what a chunk of the store is.
 *
 * Each column is packed by itself, so that a reader unpacks only those it wants: values less their
 * minimum (or differences of neighbours less theirs, where that is narrower) in the fewest whole
 * bytes, byte planes apart, then zstd where it pays. A column of equal values takes a few bytes.
 *
 *   chunk   = version:1  columns:2  rows:4  { offset:4 }[columns + 1]  { column }[columns]
 *   column  = form:1  base:8  [first:8]  payload
 *
 * Numbers are little-endian. `form`: bits 0–2 the width (0, 1, 2, 4, 8 bytes as 0…4), bit 3 the
 * differences are packed (`first` is the first value), bit 4 zero stands for TDM_NONE, bit 5 the
 * payload is one zstd frame. Reading checks everything: a damaged chunk is an error, never a crash.
 *
 * Owns its buffers and the zstd contexts. Called by the store and by scans; one thread at a time.
 */
#ifndef TDM_TRACE_CHUNK_H
#define TDM_TRACE_CHUNK_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define TDM_CHUNK_ROWS    8192
#define TDM_CHUNK_COLUMNS 256

/* ---- packing ---- */

typedef struct tdm_packer tdm_packer;

tdm_packer *tdm_packer_new(void);       /* NULL: out of memory */
tdm_packer *tdm_packer_plain_new(void); /* never zstd: for readers that do not know it */
void tdm_packer_free(tdm_packer *packer);

/* Packs rows first … first + rows - 1 of the columns; rows ≤ TDM_CHUNK_ROWS. The bytes are good
 * until the next call. */
tdm_status tdm_pack(tdm_packer *packer, int64_t *const *column, uint32_t columns, size_t first,
                    size_t rows, const unsigned char **bytes, size_t *length, tdm_error *error);

/* Where the byte planes of a column of packed bytes begin, how long each is; returns where the
 * column ends. Of a plain packer's bytes only. */
size_t tdm_packed_planes(const unsigned char *bytes, uint32_t column, size_t *begin, size_t *rows);

/* ---- unpacking ---- */

typedef struct tdm_unpacker tdm_unpacker;

tdm_unpacker *tdm_unpacker_new(void); /* NULL: out of memory */
void tdm_unpacker_free(tdm_unpacker *unpacker);

/* Looks at a chunk; the bytes must stay until the last tdm_unpack of it. */
tdm_status tdm_unpack_open(tdm_unpacker *unpacker, const void *bytes, size_t length,
                           uint32_t *columns, size_t *rows, tdm_error *error);

/* Unpacks one column into out[rows]. */
tdm_status tdm_unpack(tdm_unpacker *unpacker, uint32_t column, int64_t *out, tdm_error *error);

#endif
