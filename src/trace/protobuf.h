/* Protocol buffers on the wire: fields put into a buffer, and fields taken out of one.
 *
 * Knows no schema. A buffer that ran out of memory stays empty and says so; its user asks once per
 * message. Owns the buffer's bytes. Called by the Perfetto writer and by readers of such files. */
#ifndef TDM_TRACE_PROTOBUF_H
#define TDM_TRACE_PROTOBUF_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ---- out ---- */

/* Zeroed is empty. */
typedef struct {
  unsigned char *bytes;
  size_t used, room;
  int failed;
} tdm_proto_buffer;

void tdm_proto_free(tdm_proto_buffer *buffer);
int tdm_proto_reserve(tdm_proto_buffer *buffer, size_t more); /* 0: out of memory */

enum { TDM_PROTO_VARINT, TDM_PROTO_FIXED64, TDM_PROTO_BYTES, TDM_PROTO_FIXED32 = 5 };

static inline size_t tdm_proto_encode(unsigned char *out, uint64_t value) {
  size_t n = 0;
  for (; value >= 128; value >>= 7) out[n++] = (unsigned char)(value | 128);
  out[n++] = (unsigned char)value;
  return n;
}

static inline void tdm_proto_uint(tdm_proto_buffer *to, uint32_t field, uint64_t value) {
  if (!tdm_proto_reserve(to, 20)) return;
  to->used += tdm_proto_encode(to->bytes + to->used, field << 3 | TDM_PROTO_VARINT);
  to->used += tdm_proto_encode(to->bytes + to->used, value);
}
/* int32, int64, enums: negative ones take ten bytes, as everywhere. */
static inline void tdm_proto_int(tdm_proto_buffer *to, uint32_t field, int64_t value) {
  tdm_proto_uint(to, field, (uint64_t)value);
}
static inline void tdm_proto_fixed64(tdm_proto_buffer *to, uint32_t field, uint64_t value) {
  if (!tdm_proto_reserve(to, 20)) return;
  to->used += tdm_proto_encode(to->bytes + to->used, field << 3 | TDM_PROTO_FIXED64);
  for (int i = 0; i < 8; i++) to->bytes[to->used++] = (unsigned char)(value >> 8 * i);
}
void tdm_proto_bytes(tdm_proto_buffer *to, uint32_t field, const void *bytes, size_t length);
static inline void tdm_proto_text(tdm_proto_buffer *to, uint32_t field, const char *text) {
  tdm_proto_bytes(to, field, text, strlen(text));
}
/* A message as a field of another; `from` is empty again afterwards. */
void tdm_proto_message(tdm_proto_buffer *to, uint32_t field, tdm_proto_buffer *from);

/* ---- in ---- */

typedef struct {
  const unsigned char *at, *end;
  int bad; /* the bytes are no fields */
} tdm_proto_scan;

typedef struct {
  uint32_t number;
  uint32_t wire;
  uint64_t value; /* of VARINT, FIXED64, FIXED32 */
  const unsigned char *bytes;
  size_t length; /* of BYTES */
} tdm_proto_field;

static inline tdm_proto_scan tdm_proto_over(const void *bytes, size_t length) {
  const unsigned char *at = bytes;
  return (tdm_proto_scan){at, at != NULL ? at + length : at, 0};
}
static inline tdm_proto_scan tdm_proto_inside(const tdm_proto_field *field) {
  return tdm_proto_over(field->bytes, field->length);
}

/* A varint. 0: cut off or too long; *at stays. */
int tdm_proto_varint(const unsigned char **at, const unsigned char *end, uint64_t *value);

/* The next field. 0: at the end, or bad. Groups are passed over. */
int tdm_proto_next(tdm_proto_scan *scan, tdm_proto_field *field);

/* Values of a repeated number: packed (BYTES) or one. Call until 0 with *at NULL at first. */
int tdm_proto_each(const tdm_proto_field *field, uint32_t wire, const unsigned char **at,
                   uint64_t *value);

#endif
