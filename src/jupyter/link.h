/* The five sockets of a Jupyter kernel and the two threads beside Lua's: the heartbeat, and
 * control, which can stop a cell that runs. Owns sockets, threads and, while open, what SIGINT does
 * between cells (nothing). Knows frames, and of messages only which ones must stop a cell. Called
 * by module.c. */
#ifndef TDM_JUPYTER_LINK_H
#define TDM_JUPYTER_LINK_H

#include <stdint.h>

#include "base/envelope.h"
#include "base/error.h"

typedef enum {
  TDM_SHELL,
  TDM_CONTROL,
  TDM_STDIN,
  TDM_IOPUB,
  TDM_HEARTBEAT,
  TDM_CHANNELS
} tdm_channel;

extern const char *const tdm_channel_names[TDM_CHANNELS];

typedef struct {
  const char *transport; /* "tcp" or "ipc" */
  const char *address;   /* of an interface; for ipc the start of a path */
  uint16_t ports[TDM_CHANNELS];
  tdm_frame key;
} tdm_link_settings;

typedef struct tdm_link tdm_link;

/* Binds all sockets; what the settings point to is copied. TDM_IO: an address cannot be had. */
tdm_status tdm_link_open(const tdm_link_settings *settings, tdm_link **out, tdm_error *error);

/* Gives what was sent a second to leave. NULL is fine. */
void tdm_link_close(tdm_link *link);

/* The socket of a channel for the thread that opened the link; control's is the near end of a pair.
 * NULL for the heartbeat, which belongs to its thread. */
void *tdm_link_socket(tdm_link *link, tdm_channel channel);

/* Waits for a message on shell or control, control first. The channel; -1: none came in
 * `timeout_ms`; -2: a signal did. */
int tdm_link_wait(tdm_link *link, int timeout_ms);

#endif
