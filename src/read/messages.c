/* See messages.h. */
#include "read/messages.h"

#include <stdlib.h>

#include "base/memory.h"

enum { VARINT_BYTES = 10 };

/* A varint that lacks bytes may still get them; one of ten bytes that does not end is none. */
static tdm_message_head_is lacks(const unsigned char *at, const unsigned char *end) {
  return end - at < VARINT_BYTES ? TDM_HEAD_SHORT : TDM_HEAD_BAD;
}

tdm_message_head_is tdm_message_head(const unsigned char *bytes, size_t length, bool bare,
                                     tdm_proto_field *field, size_t *head_length) {
  const unsigned char *at = bytes, *end = bytes + length;
  uint64_t tag = TDM_PROTO_BYTES, size;
  if (!bare && !tdm_proto_varint(&at, end, &tag)) return lacks(at, end);
  if ((tag & 7) != TDM_PROTO_BYTES || tag >> 32 != 0 || (!bare && tag >> 3 == 0))
    return TDM_HEAD_BAD;
  if (!tdm_proto_varint(&at, end, &size)) return lacks(at, end);
  if (size > INT32_MAX) return TDM_HEAD_BAD; /* the most that protocol buffers may have */
  *field = (tdm_proto_field){
      .number = (uint32_t)(tag >> 3), .wire = TDM_PROTO_BYTES, .bytes = at, .length = (size_t)size};
  *head_length = (size_t)(at - bytes);
  return TDM_HEAD_WHOLE;
}

/* The next piece of the input when the last one is used up; `at` is `end` after the last of all. */
static tdm_status refill(tdm_messages *m, tdm_error *error) {
  size_t length;
  tdm_status status = m->end != NULL ? tdm_read_progress(m->input, m->options, error) : TDM_OK;
  m->at = m->end = NULL;
  if (status == TDM_OK) status = tdm_input_next(m->input, &m->at, &length, error);
  if (status == TDM_OK && length > 0) m->end = m->at + length;
  if (m->end == NULL) m->at = NULL;
  return status;
}

/* Moves bytes of the piece behind those that are kept, until there are `wanted`. */
static tdm_status keep(tdm_messages *m, size_t wanted, tdm_error *error) {
  size_t more = wanted - m->kept_used, left = (size_t)(m->end - m->at);
  if (more > left) more = left;
  if (more == 0) return TDM_OK;
  if (!tdm_array_grow(&m->kept, &m->kept_room, m->kept_used + more, 1))
    return tdm_error_memory(error, "a message", m->kept_used + more);
  memcpy(m->kept + m->kept_used, m->at, more);
  m->kept_used += more;
  m->at += more;
  return TDM_OK;
}

/* A message that does not lie within the piece, from its first byte on: gathers it. Never takes a
 * byte of what comes behind it. */
static tdm_status gather(tdm_messages *m, tdm_proto_field *field, bool *more, tdm_error *error) {
  size_t head, wanted = (size_t)(m->end - m->at);
  m->kept_used = 0;
  for (;;) {
    tdm_status status = keep(m, wanted, error);
    if (status != TDM_OK) return status;
    if (m->kept_used == wanted) {
      tdm_message_head_is is = tdm_message_head(m->kept, wanted, m->bare, field, &head);
      m->bad = is == TDM_HEAD_BAD;
      if (m->bad) return TDM_OK;
      *more = is == TDM_HEAD_WHOLE && wanted == head + field->length;
      if (*more) return TDM_OK;
      wanted = is == TDM_HEAD_WHOLE ? head + field->length : wanted + 1;
    }
    if (m->at < m->end) continue;
    status = refill(m, error);
    if (status != TDM_OK) return status;
    m->cut = m->at == m->end;
    if (m->cut) return TDM_OK;
  }
}

tdm_status tdm_messages_next(tdm_messages *m, tdm_proto_field *field, bool *more,
                             tdm_error *error) {
  size_t head;
  *more = false;
  if (m->bad || m->cut) return TDM_OK;
  if (m->at == m->end) {
    tdm_status status = refill(m, error);
    if (status != TDM_OK || m->at == m->end) return status;
  }
  size_t left = (size_t)(m->end - m->at);
  tdm_message_head_is is = tdm_message_head(m->at, left, m->bare, field, &head);
  if (is == TDM_HEAD_BAD) {
    m->bad = true;
    return TDM_OK;
  }
  if (is == TDM_HEAD_SHORT || field->length > left - head) return gather(m, field, more, error);
  m->at += head + field->length;
  *more = true;
  return TDM_OK;
}

void tdm_messages_close(tdm_messages *messages) {
  free(messages->kept);
  messages->kept = NULL;
}
