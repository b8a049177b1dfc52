/* The sockets: an HTTP daemon in a thread of its own that reads requests, refuses those that may
 * not ask, hands the others to the pool with their connection suspended, and sends the answers.
 * Owns the daemon, the pool and the jobs. Called by module.c. */
#ifndef TDM_SERVE_SERVER_H
#define TDM_SERVE_SERVER_H

#include "base/error.h"
#include "bind/bind.h"
#include "serve/settings.h"

typedef struct tdm_server tdm_server;

/* Listens when it returns. `settings` outlives the server. */
tdm_status tdm_server_open(const tdm_settings *settings, tdm_state_maker make_state,
                           const char *module, const char *setup, tdm_server **out,
                           tdm_error *error);
/* The port it listens on. */
unsigned tdm_server_port(const tdm_server *server);
/* Takes no more connections, cancels the jobs, answers what was asked, ends. */
void tdm_server_close(tdm_server *server);

#endif
