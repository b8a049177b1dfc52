/* See multipart.h. */
#include "jupyter/multipart.h"

#include <stdbool.h>

void tdm_multipart_close(tdm_multipart *message) {
  for (size_t i = 0; i < message->count; i++) zmq_msg_close(&message->frames[i]);
  message->count = 0;
}

static bool has_more(zmq_msg_t *frame) {
  return zmq_msg_more(frame) != 0;
}

/* Takes the rest of a message that is too long, so that the next one begins where it should. */
static void drop_rest(void *socket) {
  bool more = true;
  while (more) {
    zmq_msg_t frame;
    zmq_msg_init(&frame);
    more = zmq_msg_recv(&frame, socket, 0) >= 0 && has_more(&frame);
    zmq_msg_close(&frame);
  }
}

int tdm_multipart_receive(tdm_multipart *message, void *socket, int flags) {
  bool more = true;
  message->count = 0;
  while (more && message->count < TDM_MOST_FRAMES) {
    zmq_msg_t *frame = &message->frames[message->count];
    zmq_msg_init(frame);
    int got;
    do got = zmq_msg_recv(frame, socket, flags);
    while (got < 0 && message->count > 0 && zmq_errno() == EINTR); /* the rest is there already */
    if (got < 0) {
      zmq_msg_close(frame);
      tdm_multipart_close(message);
      return -1;
    }
    message->count++;
    more = has_more(frame);
  }
  if (more) {
    drop_rest(socket);
    while (message->count > 1) zmq_msg_close(&message->frames[--message->count]);
  }
  return 0;
}

int tdm_multipart_send(tdm_multipart *message, void *socket) {
  for (size_t i = 0; i < message->count; i++) {
    int flags = i + 1 < message->count ? ZMQ_SNDMORE : 0, sent;
    do sent = zmq_msg_send(&message->frames[i], socket, flags);
    while (sent < 0 && zmq_errno() == EINTR);
    if (sent < 0) {
      tdm_multipart_close(message);
      return -1;
    }
  }
  tdm_multipart_close(message); /* emptied by sending */
  return 0;
}

void tdm_multipart_frames(tdm_multipart *message, tdm_frame frames[TDM_MOST_FRAMES]) {
  for (size_t i = 0; i < message->count; i++)
    frames[i] = (tdm_frame){zmq_msg_data(&message->frames[i]), zmq_msg_size(&message->frames[i])};
}
