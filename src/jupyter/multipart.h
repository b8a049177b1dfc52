/* A message of several frames as ZeroMQ hands it over. Owns its frames until they are sent or
 * closed. Called by link.c and module.c. */
#ifndef TDM_JUPYTER_MULTIPART_H
#define TDM_JUPYTER_MULTIPART_H

#include <stddef.h>
#include <zmq.h>

#include "base/envelope.h"

/* What the protocol needs is a dozen; of a longer message only the first frame is kept, so that it
 * is no message at all. */
enum { TDM_MOST_FRAMES = 64 };

typedef struct {
  zmq_msg_t frames[TDM_MOST_FRAMES];
  size_t count;
} tdm_multipart;

/* Receives a whole message; flags as zmq_msg_recv's. 0, or -1 with errno and no frames. */
int tdm_multipart_receive(tdm_multipart *message, void *socket, int flags);

/* Sends it on; it has no frames any more. 0, or -1 with errno. */
int tdm_multipart_send(tdm_multipart *message, void *socket);

void tdm_multipart_close(tdm_multipart *message);

/* Its frames, to look at. */
void tdm_multipart_frames(tdm_multipart *message, tdm_frame frames[TDM_MOST_FRAMES]);

#endif
