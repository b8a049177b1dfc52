/* See link.h. */
#include "jupyter/link.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>

#include "jupyter/multipart.h"

enum {
  LINGER_MS = 1000,       /* for the last replies at the end */
  MOST_BYTES = 256 << 20, /* of a frame: more closes the connection */
  NO_MESSAGE = -1,
  SIGNALLED = -2
};

const char *const tdm_channel_names[TDM_CHANNELS] = {"shell", "control", "stdin", "iopub", "hb"};
static const char pair_address[] = "inproc://control";

struct tdm_link {
  void *context;
  void *sockets[TDM_CHANNELS]; /* control and heartbeat: their threads' */
  void *near, *far;            /* the pair between Lua's thread and control's */
  pthread_t home, threads[2];
  int thread_count;
  char *key;
  size_t key_bytes;
  struct sigaction before;
  bool handles; /* SIGINT is ours */
};

static void ignore_signal(int signal_number) {
  (void)signal_number;
}

/* Echoes whatever comes, until the context ends. */
static void *beat(void *socket) {
  tdm_multipart message;
  while (tdm_multipart_receive(&message, socket, 0) == 0 || zmq_errno() == EINTR)
    tdm_multipart_send(&message, socket);
  return NULL;
}

/* A cell that runs must end before these can be answered. Only who knows the key may end it. */
static bool stops_cells(const tdm_link *link, tdm_multipart *message) {
  tdm_frame frames[TDM_MOST_FRAMES];
  tdm_envelope envelope;
  tdm_multipart_frames(message, frames);
  tdm_frame key = {link->key, link->key_bytes};
  return tdm_envelope_open(frames, message->count, key, &envelope, NULL) == TDM_OK &&
         (tdm_envelope_is(&envelope, "interrupt_request") ||
          tdm_envelope_is(&envelope, "shutdown_request"));
}

/* Carries messages between the control socket and Lua's thread, until the context ends. */
static void *carry(void *argument) {
  tdm_link *link = argument;
  void *control = link->sockets[TDM_CONTROL];
  zmq_pollitem_t items[] = {{control, 0, ZMQ_POLLIN, 0}, {link->far, 0, ZMQ_POLLIN, 0}};
  tdm_multipart message;
  for (;;) {
    if (zmq_poll(items, 2, -1) < 0) {
      if (zmq_errno() == EINTR) continue;
      return NULL;
    }
    if (items[0].revents != 0 && tdm_multipart_receive(&message, control, ZMQ_DONTWAIT) == 0) {
      if (stops_cells(link, &message)) pthread_kill(link->home, SIGINT);
      tdm_multipart_send(&message, link->far);
    }
    if (items[1].revents != 0 && tdm_multipart_receive(&message, link->far, ZMQ_DONTWAIT) == 0)
      tdm_multipart_send(&message, control);
  }
}

static void set_option(void *socket, int option, int value) {
  zmq_setsockopt(socket, option, &value, sizeof value);
}

static tdm_status bind_channel(tdm_link *link, const tdm_link_settings *settings,
                               tdm_channel channel, tdm_error *error) {
  static const int types[TDM_CHANNELS] = {ZMQ_ROUTER, ZMQ_ROUTER, ZMQ_ROUTER, ZMQ_PUB, ZMQ_REP};
  const char *separator = strcmp(settings->transport, "ipc") == 0 ? "-" : ":";
  char address[512];
  int length = snprintf(address, sizeof address, "%s://%s%s%u", settings->transport,
                        settings->address, separator, settings->ports[channel]);
  if (length < 0 || (size_t)length >= sizeof address)
    return tdm_error_set(error, TDM_INVALID, "the address of %s is too long",
                         tdm_channel_names[channel]);
  void *socket = zmq_socket(link->context, types[channel]);
  if (socket == NULL)
    return tdm_error_set(error, TDM_IO, "no socket for %s: %s", tdm_channel_names[channel],
                         zmq_strerror(zmq_errno()));
  link->sockets[channel] = socket;
  int64_t most = MOST_BYTES;
  set_option(socket, ZMQ_LINGER, LINGER_MS);
  set_option(socket, ZMQ_SNDHWM, 0); /* what a cell prints must not be lost */
  zmq_setsockopt(socket, ZMQ_MAXMSGSIZE, &most, sizeof most);
  if (types[channel] == ZMQ_ROUTER) set_option(socket, ZMQ_ROUTER_HANDOVER, 1);
  if (zmq_bind(socket, address) == 0) return TDM_OK;
  return tdm_error_set(error, TDM_IO, "cannot listen on %s for %s: %s", address,
                       tdm_channel_names[channel], zmq_strerror(zmq_errno()));
}

static tdm_status connect_pair(tdm_link *link, tdm_error *error) {
  link->near = zmq_socket(link->context, ZMQ_PAIR);
  link->far = zmq_socket(link->context, ZMQ_PAIR);
  if (link->near == NULL || link->far == NULL || zmq_bind(link->near, pair_address) != 0 ||
      zmq_connect(link->far, pair_address) != 0)
    return tdm_error_set(error, TDM_IO, "no pair of sockets: %s", zmq_strerror(zmq_errno()));
  set_option(link->near, ZMQ_LINGER, 0);
  set_option(link->far, ZMQ_LINGER, 0);
  return TDM_OK;
}

/* Both threads have every signal blocked: SIGINT is for Lua's. */
static tdm_status start_threads(tdm_link *link, tdm_error *error) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  int failed = pthread_create(&link->threads[0], NULL, beat, link->sockets[TDM_HEARTBEAT]);
  if (failed == 0) {
    link->thread_count = 1;
    failed = pthread_create(&link->threads[1], NULL, carry, link);
    if (failed == 0) link->thread_count = 2;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (failed == 0) return TDM_OK;
  return tdm_error_set(error, TDM_IO, "cannot start a thread: %s", strerror(failed));
}

tdm_status tdm_link_open(const tdm_link_settings *settings, tdm_link **out, tdm_error *error) {
  *out = NULL;
  tdm_link *link = calloc(1, sizeof *link);
  if (link == NULL) return tdm_error_memory(error, "a kernel's sockets", sizeof *link);
  link->home = pthread_self();
  link->context = zmq_ctx_new();
  link->key_bytes = settings->key.bytes;
  link->key = malloc(link->key_bytes + 1);
  tdm_status status = TDM_OK;
  if (link->context == NULL || link->key == NULL)
    status = tdm_error_memory(error, "a kernel's sockets", link->key_bytes);
  else if (link->key_bytes > 0)
    memcpy(link->key, settings->key.text, link->key_bytes);
  for (int i = 0; i < TDM_CHANNELS && status == TDM_OK; i++)
    status = bind_channel(link, settings, (tdm_channel)i, error);
  if (status == TDM_OK) status = connect_pair(link, error);
  if (status == TDM_OK) status = start_threads(link, error);
  if (status != TDM_OK) {
    tdm_link_close(link);
    return status;
  }
  struct sigaction ours = {.sa_handler = ignore_signal};
  sigemptyset(&ours.sa_mask);
  link->handles = sigaction(SIGINT, &ours, &link->before) == 0; /* no SA_RESTART: waits return */
  *out = link;
  return TDM_OK;
}

void tdm_link_close(tdm_link *link) {
  if (link == NULL) return;
  if (link->thread_count == 2) { /* let control's thread send what it was given */
    struct timespec pause = {.tv_nsec = 50000000};
    nanosleep(&pause, NULL);
  }
  if (link->context != NULL) zmq_ctx_shutdown(link->context);
  for (int i = 0; i < link->thread_count; i++) pthread_join(link->threads[i], NULL);
  for (int i = 0; i < TDM_CHANNELS; i++)
    if (link->sockets[i] != NULL) zmq_close(link->sockets[i]);
  if (link->near != NULL) zmq_close(link->near);
  if (link->far != NULL) zmq_close(link->far);
  if (link->context != NULL) zmq_ctx_term(link->context);
  if (link->handles) sigaction(SIGINT, &link->before, NULL);
  free(link->key);
  free(link);
}

void *tdm_link_socket(tdm_link *link, tdm_channel channel) {
  if (channel == TDM_CONTROL) return link->near;
  return channel == TDM_HEARTBEAT ? NULL : link->sockets[channel];
}

int tdm_link_wait(tdm_link *link, int timeout_ms) {
  zmq_pollitem_t items[] = {{link->near, 0, ZMQ_POLLIN, 0},
                            {link->sockets[TDM_SHELL], 0, ZMQ_POLLIN, 0}};
  int ready = zmq_poll(items, 2, timeout_ms);
  if (ready < 0) return zmq_errno() == EINTR ? SIGNALLED : NO_MESSAGE;
  if (items[0].revents != 0) return TDM_CONTROL;
  return items[1].revents != 0 ? TDM_SHELL : NO_MESSAGE;
}
