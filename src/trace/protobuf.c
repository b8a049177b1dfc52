/* See protobuf.h. */
#include "trace/protobuf.h"

#include <stdlib.h>

#include "base/memory.h"

void tdm_proto_free(tdm_proto_buffer *buffer) {
  free(buffer->bytes);
  *buffer = (tdm_proto_buffer){0};
}

int tdm_proto_reserve(tdm_proto_buffer *buffer, size_t more) {
  if (more <= buffer->room - buffer->used) return 1;
  if (!buffer->failed &&
      tdm_array_grow(&buffer->bytes, &buffer->room, buffer->used + more + 256, 1))
    return 1;
  buffer->failed = 1;
  return 0;
}

void tdm_proto_bytes(tdm_proto_buffer *to, uint32_t field, const void *bytes, size_t length) {
  if (!tdm_proto_reserve(to, length + 20)) return;
  to->used += tdm_proto_encode(to->bytes + to->used, field << 3 | TDM_PROTO_BYTES);
  to->used += tdm_proto_encode(to->bytes + to->used, length);
  if (length > 0) memcpy(to->bytes + to->used, bytes, length);
  to->used += length;
}

void tdm_proto_message(tdm_proto_buffer *to, uint32_t field, tdm_proto_buffer *from) {
  to->failed |= from->failed;
  tdm_proto_bytes(to, field, from->bytes, from->used);
  from->used = 0;
}

int tdm_proto_varint(const unsigned char **at, const unsigned char *end, uint64_t *value) {
  uint64_t sum = 0;
  const unsigned char *p = *at;
  for (unsigned shift = 0; shift < 64 && p < end; shift += 7) {
    unsigned char byte = *p++;
    sum |= (uint64_t)(byte & 127) << shift;
    if (byte < 128) {
      *at = p;
      *value = sum;
      return 1;
    }
  }
  return 0;
}

static int take_fixed(tdm_proto_scan *scan, size_t bytes, uint64_t *value) {
  if ((size_t)(scan->end - scan->at) < bytes) return 0;
  *value = 0;
  for (size_t i = 0; i < bytes; i++) *value |= (uint64_t)scan->at[i] << 8 * i;
  scan->at += bytes;
  return 1;
}

static int take_bytes(tdm_proto_scan *scan, tdm_proto_field *field) {
  uint64_t length;
  if (!tdm_proto_varint(&scan->at, scan->end, &length)) return 0;
  if (length > (size_t)(scan->end - scan->at)) return 0;
  field->bytes = scan->at;
  field->length = (size_t)length;
  scan->at += length;
  return 1;
}

/* A field's value, a group's beginning and end being fields without one. */
static int take(tdm_proto_scan *scan, tdm_proto_field *field) {
  uint64_t tag;
  if (!tdm_proto_varint(&scan->at, scan->end, &tag) || tag >> 3 == 0 || tag >> 32 != 0) return 0;
  *field = (tdm_proto_field){.number = (uint32_t)tag >> 3, .wire = (uint32_t)tag & 7};
  switch (field->wire) {
  case TDM_PROTO_VARINT: return tdm_proto_varint(&scan->at, scan->end, &field->value);
  case TDM_PROTO_FIXED64: return take_fixed(scan, 8, &field->value);
  case TDM_PROTO_BYTES: return take_bytes(scan, field);
  case 3:
  case 4: return 1;
  case TDM_PROTO_FIXED32: return take_fixed(scan, 4, &field->value);
  default: return 0;
  }
}

int tdm_proto_next(tdm_proto_scan *scan, tdm_proto_field *field) {
  size_t groups = 0;
  while (scan->at < scan->end) {
    if (!take(scan, field)) {
      scan->bad = 1;
      scan->at = scan->end;
      return 0;
    }
    if (field->wire == 3)
      groups++;
    else if (field->wire == 4)
      groups -= groups > 0;
    else if (groups == 0)
      return 1;
  }
  return 0;
}

int tdm_proto_each(const tdm_proto_field *field, uint32_t wire, const unsigned char **at,
                   uint64_t *value) {
  if (field->wire != TDM_PROTO_BYTES) {
    if (*at != NULL || field->wire != wire) return 0;
    static const unsigned char once;
    *at = &once;
    *value = field->value;
    return 1;
  }
  if (*at == NULL) *at = field->bytes;
  const unsigned char *end = field->bytes + field->length;
  if (wire == TDM_PROTO_VARINT) return tdm_proto_varint(at, end, value);
  tdm_proto_scan scan = {*at, end, 0};
  if (!take_fixed(&scan, wire == TDM_PROTO_FIXED64 ? 8 : 4, value)) return 0;
  *at = scan.at;
  return 1;
}
