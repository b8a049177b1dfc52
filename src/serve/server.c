/* See server.h. */
#include "serve/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "serve/guard.h"
#include "serve/jobs/jobs.h"
#include "serve/patience.h"
#include "serve/pool.h"

enum {
  HEAD_BYTES = 32 * 1024,    /* of memory a connection has: its request line and headers */
  SWALLOWED_BYTES = 1 << 20, /* of a refused body: read, so that the answer is */
  BACKLOG = 256,
  ADDRESSES = 4,     /* no address may have more than this part of the connections */
  CUT = 64,          /* connections that were cut and that the daemon has not closed yet */
  FAREWELL_MS = 3000 /* for the last answers to be sent */
};

struct tdm_server {
  const tdm_settings *settings;
  struct MHD_Daemon *daemon;
  tdm_pool *pool;
  tdm_jobs *jobs;
  tdm_patience *patience;
  tdm_stats stats;
  atomic_bool ending;
};

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static bool changes(const char *method) {
  return strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0;
}

/* What a request is refused with before its body is looked at; NULL: it may go on. */
static tdm_answer *refusal(const tdm_settings *settings, const tdm_request *request) {
  const char *host = tdm_request_header(request, "host");
  if (!tdm_guard_host(settings, host))
    return tdm_answer_problem(403, "wrong_host",
                              "This server does not go by that name; tandem serve --name adds one.",
                              "host");
  if (changes(request->method) && !tdm_guard_origin(host, tdm_request_header(request, "origin"),
                                                    tdm_request_header(request, "sec-fetch-site")))
    return tdm_answer_problem(403, "wrong_origin", "A page of another site may not ask for this.",
                              "origin");
  if (!tdm_guard_token(settings, request->path, tdm_request_header(request, "authorization"))) {
    tdm_answer *answer = tdm_answer_problem(
        401, "no_token", "A header is wanted: Authorization: Bearer TOKEN.", "authorization");
    if (answer != NULL) tdm_pairs_add(&answer->headers, "WWW-Authenticate", "Bearer");
    return answer;
  }
  return NULL;
}

static tdm_answer *farewell(void) {
  return tdm_answer_problem(503, "ending", "The server is ending.", NULL);
}

static tdm_peer *peer_of(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info != NULL ? info->socket_context : NULL;
}

static uint64_t announced_bytes(const tdm_request *request) {
  const char *length = tdm_request_header(request, "content-length");
  return length != NULL ? strtoull(length, NULL, 10) : 0;
}

/* ---- sending */

static void count_answer(tdm_server *server, const tdm_request *request) {
  int64_t took_ns = now_ns() - request->began_ns;
  int class = 0;
  while (class < TDM_LATENCIES - 1 && (double)took_ns / 1e9 > tdm_latency_ends_s[class]) class ++;
  atomic_fetch_add_explicit(&server->stats.latencies[class], 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&server->stats.latency_ns, (uint64_t)took_ns, memory_order_relaxed);
  atomic_fetch_add_explicit(&server->stats.answers[request->answer->status / 100], 1,
                            memory_order_relaxed);
  atomic_fetch_add_explicit(&server->stats.received_bytes, request->received_bytes,
                            memory_order_relaxed);
}

static enum MHD_Result send_answer(tdm_server *server, tdm_request *request) {
  if (request->answer == NULL) return MHD_NO; /* out of memory */
  count_answer(server, request);
  tdm_answer *answer = request->answer;
  if (atomic_load(&server->ending)) tdm_pairs_add(&answer->headers, "Connection", "close");
  tdm_peer_begin(server->patience, peer_of(request->connection),
                 answer->file >= 0 ? answer->bytes : answer->length);
  struct MHD_Response *response;
  if (answer->events[0] != '\0') {
    tdm_peer_rest(peer_of(request->connection));
    response = tdm_jobs_events(server->jobs, answer->events, request->connection);
    if (response != NULL) tdm_answer_add_headers(answer, response);
  } else {
    response = tdm_answer_response(answer);
  }
  if (response == NULL) return MHD_NO;
  enum MHD_Result queued = MHD_queue_response(request->connection, answer->status, response);
  MHD_destroy_response(response);
  return queued;
}

/* ---- receiving */

static enum MHD_Result begin(tdm_server *server, struct MHD_Connection *connection,
                             const char *target, const char *method, const char *version,
                             void **context) {
  tdm_request *request = tdm_request_new(server->settings, connection, method, target, version);
  if (request == NULL) return MHD_NO;
  *context = request;
  atomic_fetch_add(&server->stats.in_flight, 1);
  tdm_peer_begin(server->patience, peer_of(connection), 0);
  if (!tdm_request_read_head(request)) return MHD_NO;
  uint64_t announced = announced_bytes(request);
  if (request->answer == NULL && atomic_load(&server->ending)) request->answer = farewell();
  if (request->answer == NULL) request->answer = refusal(server->settings, request);
  if (request->answer == NULL && announced > request->limit_bytes)
    request->answer = tdm_answer_too_large(request->limit_bytes);
  if (request->answer == NULL) return MHD_YES;
  atomic_fetch_add_explicit(&server->stats.refused, 1, memory_order_relaxed);
  return announced > SWALLOWED_BYTES || request->ambiguous ? send_answer(server, request) : MHD_YES;
}

/* To the pool, suspended. */
static void hand_over(tdm_server *server, tdm_request *request) {
  tdm_peer_rest(peer_of(request->connection));
  MHD_suspend_connection(request->connection);
  if (tdm_pool_put(server->pool, request)) return;
  request->answer = farewell();
  MHD_resume_connection(request->connection);
}

static enum MHD_Result receive(void *context, struct MHD_Connection *connection, const char *path,
                               const char *method, const char *version, const char *bytes,
                               size_t *count, void **mine) {
  tdm_server *server = context;
  if (*mine == NULL) return begin(server, connection, path, method, version, mine);
  tdm_request *request = *mine;
  if (*count > 0) {
    tdm_request_add_body(request, bytes, *count);
    tdm_peer_moved(peer_of(connection), request->received_bytes);
    *count = 0;
    bool endless =
        request->answer != NULL && request->received_bytes > request->limit_bytes + SWALLOWED_BYTES;
    return endless ? MHD_NO : MHD_YES;
  }
  if (request->answer == NULL && !request->handed) {
    request->handed = true;
    tdm_request_end_body(request);
    if (request->answer == NULL) {
      hand_over(server, request);
      return MHD_YES;
    }
  }
  return send_answer(server, request);
}

static void completed(void *context, struct MHD_Connection *connection, void **mine,
                      enum MHD_RequestTerminationCode code) {
  tdm_server *server = context;
  (void)code;
  tdm_peer_wait(server->patience, peer_of(connection));
  if (*mine == NULL) return;
  tdm_request_free(*mine);
  *mine = NULL;
  atomic_fetch_sub(&server->stats.in_flight, 1);
}

static void connected(void *context, struct MHD_Connection *connection, void **peer,
                      enum MHD_ConnectionNotificationCode code) {
  tdm_server *server = context;
  if (code == MHD_CONNECTION_NOTIFY_STARTED) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    const union MHD_ConnectionInfo *from =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    *peer = info != NULL ? tdm_patience_add(server->patience, info->connect_fd,
                                            from != NULL ? from->client_addr : NULL)
                         : NULL;
  } else {
    tdm_patience_remove(server->patience, *peer);
    *peer = NULL;
  }
}

/* ---- opening and closing */

static void put_again(void *context, tdm_request *request) {
  tdm_server *server = context;
  if (tdm_pool_put(server->pool, request)) return;
  request->answer = farewell();
  MHD_resume_connection(request->connection);
}

typedef union {
  struct sockaddr any;
  struct sockaddr_in v4;
  struct sockaddr_in6 v6;
} socket_address;

static tdm_status address_of(const tdm_settings *settings, socket_address *address,
                             tdm_error *error) {
  memset(address, 0, sizeof *address);
  if (inet_pton(AF_INET, settings->address, &address->v4.sin_addr) == 1) {
    address->v4.sin_family = AF_INET;
    address->v4.sin_port = htons(settings->port);
  } else if (inet_pton(AF_INET6, settings->address, &address->v6.sin6_addr) == 1) {
    address->v6.sin6_family = AF_INET6;
    address->v6.sin6_port = htons(settings->port);
  } else {
    return tdm_error_set(error, TDM_INVALID, "'%s' is not an address", settings->address);
  }
  return TDM_OK;
}

static tdm_status start_daemon(tdm_server *server, tdm_error *error) {
  const tdm_settings *settings = server->settings;
  socket_address address;
  tdm_status status = address_of(settings, &address, error);
  if (status != TDM_OK) return status;
  unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME |
                   (address.any.sa_family == AF_INET6 ? MHD_USE_IPv6 : 0);
  errno = 0;
  server->daemon = MHD_start_daemon(
      flags, settings->port, NULL, NULL, receive, server, MHD_OPTION_SOCK_ADDR, &address.any,
      MHD_OPTION_NOTIFY_COMPLETED, completed, server, MHD_OPTION_NOTIFY_CONNECTION, connected,
      server, MHD_OPTION_CONNECTION_LIMIT, settings->connections + CUT,
      MHD_OPTION_CONNECTION_TIMEOUT, settings->patience_s, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
      (size_t)HEAD_BYTES, MHD_OPTION_LISTENING_ADDRESS_REUSE, 1U, MHD_OPTION_LISTEN_BACKLOG_SIZE,
      (unsigned)BACKLOG, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_UNESCAPE_CALLBACK,
      tdm_request_unescape, NULL, MHD_OPTION_END);
  if (server->daemon != NULL) return TDM_OK;
  return tdm_error_set(error, TDM_IO, "cannot listen on %s port %u: %s", settings->address,
                       (unsigned)settings->port,
                       errno != 0 ? strerror(errno) : "the daemon refused");
}

tdm_status tdm_server_open(const tdm_settings *settings, tdm_state_maker make_state,
                           const char *module, const char *setup, tdm_server **out,
                           tdm_error *error) {
  tdm_server *server = calloc(1, sizeof *server);
  if (server == NULL) return tdm_error_memory(error, "a server", sizeof *server);
  server->settings = settings;
  tdm_pool_options pool = {.settings = settings,
                           .make_state = make_state,
                           .module = module,
                           .setup = setup,
                           .jobs = &server->jobs,
                           .stats = &server->stats};
  tdm_status status = tdm_jobs_open(settings, put_again, server, &server->jobs, error);
  if (status == TDM_OK)
    status = tdm_patience_open(&(tdm_patience_limits){settings->patience_s, settings->connections,
                                                      settings->connections / ADDRESSES},
                               &server->stats, &server->patience, error);
  if (status == TDM_OK) status = tdm_pool_open(&pool, &server->pool, error);
  if (status == TDM_OK) status = start_daemon(server, error);
  if (status != TDM_OK)
    tdm_server_close(server);
  else
    *out = server;
  return status;
}

unsigned tdm_server_port(const tdm_server *server) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT);
  return info != NULL ? info->port : server->settings->port;
}

/* Until the answers that there are have been sent; whoever takes longer is cut off. */
static void await_answers(const tdm_server *server) {
  const struct timespec pause = {.tv_nsec = 10000000};
  for (int waited_ms = 0; waited_ms < FAREWELL_MS; waited_ms += 10) {
    if (atomic_load(&server->stats.in_flight) == 0) return;
    nanosleep(&pause, NULL);
  }
}

void tdm_server_close(tdm_server *server) {
  atomic_store(&server->ending, true);
  if (server->daemon != NULL) {
    MHD_socket listening = MHD_quiesce_daemon(server->daemon);
    if (listening != MHD_INVALID_SOCKET) close(listening);
  }
  /* Whoever waits is answered before the daemon stops: it must not stop with suspended ones. */
  if (server->jobs != NULL) tdm_jobs_finish(server->jobs);
  tdm_pool_finish(server->pool);
  if (server->daemon != NULL) {
    await_answers(server);
    MHD_stop_daemon(server->daemon);
  }
  tdm_pool_close(server->pool);
  tdm_jobs_close(server->jobs);
  tdm_patience_close(server->patience);
  free(server);
}
