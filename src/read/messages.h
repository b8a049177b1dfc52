/* The messages of a file that is protocol buffers, one by one, whatever the size of the file.
 *
 * A file is either one message whose fields are messages (Perfetto, XSpace), or messages with only
 * their length before each (Chakra). A message that lies within a piece of the input is not copied.
 * Owns a copy of the one in hand where it does not. Called by the readers of such formats; what is
 * inside a message is trace/protobuf.h's. */
#ifndef TDM_READ_MESSAGES_H
#define TDM_READ_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>

#include "read/reader.h"
#include "trace/protobuf.h"

typedef struct {
  tdm_input *input;
  const tdm_read_options *options;
  bool bare; /* only lengths, no field numbers */
  /* How it ended: */
  bool bad; /* what follows is no message */
  bool cut; /* the file ends within one */
  /* its own */
  const unsigned char *at, *end; /* of the input's piece */
  unsigned char *kept;           /* the beginning of a message whose end has not come yet */
  size_t kept_used, kept_room;
} tdm_messages;

/* The next one, good until the next call; its wire is BYTES, its number 0 in a bare file. *more:
 * whether there was one. Tells progress after each piece of the input. */
tdm_status tdm_messages_next(tdm_messages *messages, tdm_proto_field *field, bool *more,
                             tdm_error *error);
void tdm_messages_close(tdm_messages *messages);

/* Whether the bytes begin with the head of a message, and how long it and its message are. */
typedef enum { TDM_HEAD_WHOLE, TDM_HEAD_SHORT, TDM_HEAD_BAD } tdm_message_head_is;
tdm_message_head_is tdm_message_head(const unsigned char *bytes, size_t length, bool bare,
                                     tdm_proto_field *field, size_t *head_length);

#endif
