/* Compression undone: gzip (any number of members) and zstd (any number of frames), as a stream.
 *
 * Owns the libraries' state, not the bytes. Called by read/input. */
#ifndef TDM_READ_DECODER_H
#define TDM_READ_DECODER_H

#include <stddef.h>

#include "base/error.h"

typedef struct tdm_decoder tdm_decoder;

/* Gives the next compressed bytes; length 0 at their end. */
typedef tdm_status (*tdm_decoder_source)(void *context, const unsigned char **bytes, size_t *length,
                                         tdm_error *error);

/* Whether the first bytes of a file, four of them or all, are compressed in a way that is known. */
int tdm_decoder_knows(const unsigned char *bytes, size_t length);

/* `path` is for messages and must live as long. NULL: out of memory. */
tdm_decoder *tdm_decoder_new(const unsigned char *bytes, size_t length, const char *path,
                             tdm_decoder_source source, void *context);
void tdm_decoder_free(tdm_decoder *decoder);

/* Fills `out`; less than `room` at the end of the content, or where a status other than TDM_OK
 * comes with it: TDM_INVALID where the compressed data is damaged or ends too early. */
tdm_status tdm_decoder_read(tdm_decoder *decoder, unsigned char *out, size_t room, size_t *length,
                            tdm_error *error);

#endif
