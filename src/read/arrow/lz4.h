/* LZ4's frame format, undone: buffers of Arrow files are packed in it. Checksums are not looked at:
 * the lengths that Arrow tells are. */
#ifndef TDM_READ_ARROW_LZ4_H
#define TDM_READ_ARROW_LZ4_H

#include <stdbool.h>
#include <stddef.h>

/* One frame into exactly so many bytes; false: it is none, or has another length. */
bool tdm_lz4_unpack(const unsigned char *bytes, size_t length, unsigned char *out, size_t room);

/* The same, handed on in pieces; false also where `take` says so. */
bool tdm_lz4_pass(const unsigned char *bytes, size_t length, size_t room,
                  bool (*take)(void *context, const unsigned char *bytes, size_t length),
                  void *context);

#endif
