/* The bytes of a file to read: plain, gzip or zstd, from a path, standard input or memory.
 *
 * Compression is found by content and undone on the way, in a thread of its own where the machine
 * has more than one core. Memory is a few buffers, whatever the size. A reader that needs the file
 * itself (SQLite, HDF5) asks for its path, and standard input or a compressed file is then spooled
 * to a temporary file that goes with the input. Owns the descriptor, buffers, thread and temporary
 * file. */
#ifndef TDM_READ_INPUT_H
#define TDM_READ_INPUT_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct tdm_input tdm_input;

/* "-" is standard input. */
tdm_status tdm_input_open(const char *path, tdm_input **input, tdm_error *error);
tdm_status tdm_input_open_memory(const void *bytes, size_t length, tdm_input **input,
                                 tdm_error *error); /* borrows */
void tdm_input_close(tdm_input *input);

const char *tdm_input_path(const tdm_input *input); /* as given; "memory" */

/* The first bytes of the content, uncompressed: at least 4096 of them, or all there are. They are
 * not consumed. */
tdm_status tdm_input_head(tdm_input *input, const unsigned char **bytes, size_t *length,
                          tdm_error *error);

/* The next piece of the content; length 0 at the end. The bytes are good until the next call. A
 * failure comes once, after all that could be read: TDM_INVALID when compressed data is damaged or
 * ends too early, TDM_IO when reading failed. */
tdm_status tdm_input_next(tdm_input *input, const unsigned char **bytes, size_t *length,
                          tdm_error *error);

/* A regular, uncompressed file with the whole content: the path itself, or a temporary file. Before
 * the first tdm_input_next only. */
tdm_status tdm_input_file(tdm_input *input, const char **path, tdm_error *error);

/* The last bytes of the content: as many as wanted, or all there are. They are not consumed.
 * Compressed content and standard input are spooled for it. Before the first tdm_input_next only.
 */
tdm_status tdm_input_tail(tdm_input *input, unsigned char *bytes, size_t wanted, size_t *length,
                          tdm_error *error);

/* Asked now and then while such a file is made, with 0 of 0; nonzero: stop, TDM_INTERRUPTED. */
void tdm_input_watch(tdm_input *input, int (*stop)(void *context, uint64_t done, uint64_t total),
                     void *context);

/* Of the file as it lies on disk: how far the reading is, and of how much (0: unknown). */
void tdm_input_progress(const tdm_input *input, uint64_t *done, uint64_t *total);

#endif
