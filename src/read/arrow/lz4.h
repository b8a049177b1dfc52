/* LZ4's frame format, undone: buffers of Arrow files are packed in it. Checksums are not looked at:
 * the lengths that Arrow tells are. */
#ifndef TDM_READ_ARROW_LZ4_H
#define TDM_READ_ARROW_LZ4_H

#include <stdbool.h>
#include <stddef.h>

/* One frame into exactly so many bytes; false: it is none, or has another length. */
bool tdm_lz4_unpack(const unsigned char *bytes, size_t length, unsigned char *out, size_t room);

#endif
