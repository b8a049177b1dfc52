/* Protocol buffers written as text, for tests of what reads them: fields with a blank between them.
 * 8:100 is a number, 8^100 one of 64 fixed bits, 8%100 one of 32, 8=1.5 a double, 23'name' bytes,
 * 11{9:1 23'x'} a message. */
#ifndef TDM_TESTS_PROTO_TEXT_H
#define TDM_TESTS_PROTO_TEXT_H

#include <stdlib.h>
#include <string.h>

#include "trace/protobuf.h"

/* What stands behind the fields. */
static inline const char *proto_fields(tdm_proto_buffer *to, const char *text) {
  while (*text != 0 && *text != '}') {
    char *at;
    uint32_t field = (uint32_t)strtoul(text, &at, 10);
    char kind = *at++;
    if (kind == ':') {
      tdm_proto_uint(to, field, strtoull(at, &at, 10)); /* which takes a minus too */
    } else if (kind == '^') {
      tdm_proto_fixed64(to, field, strtoull(at, &at, 10));
    } else if (kind == '%') {
      uint32_t bits = (uint32_t)strtoull(at, &at, 10);
      if (!tdm_proto_reserve(to, 20)) return text;
      to->used += tdm_proto_encode(to->bytes + to->used, field << 3 | TDM_PROTO_FIXED32);
      for (int i = 0; i < 4; i++) to->bytes[to->used++] = (unsigned char)(bits >> 8 * i);
    } else if (kind == '=') {
      double value = strtod(at, &at);
      uint64_t bits;
      memcpy(&bits, &value, sizeof bits);
      tdm_proto_fixed64(to, field, bits);
    } else if (kind == '\'') {
      size_t length = strcspn(at, "'");
      tdm_proto_bytes(to, field, at, length);
      at += length + 1;
    } else if (kind == '{') {
      tdm_proto_buffer inside = {0};
      at += proto_fields(&inside, at) - at + 1;
      tdm_proto_message(to, field, &inside);
      tdm_proto_free(&inside);
    } else {
      abort();
    }
    text = at + strspn(at, " ");
  }
  return text;
}

#endif
