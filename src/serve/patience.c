/* See patience.h. */
#include "serve/patience.h"

#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TICK_MS = 250 };
#define SECOND_NS INT64_C(1000000000)
#define NEVER     INT64_MAX
#define GRACE_NS  SECOND_NS

struct tdm_peer {
  tdm_peer *next, **before;
  struct in6_addr address;
  int socket;
  bool cut;
  bool waiting;               /* for a head; the daemon's thread alone looks at it */
  int64_t begun_ns;           /* with the patience in it: when it is due if nothing moves */
  atomic_int_fast64_t due_ns; /* the daemon's thread writes, ours reads */
};

struct tdm_patience {
  tdm_patience_limits limits;
  int64_t patience_ns;
  tdm_stats *stats;
  pthread_t thread;
  pthread_mutex_t lock; /* guards what follows, and sockets from being closed */
  pthread_cond_t wake;
  tdm_peer *first;
  bool ending;
};

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * SECOND_NS + t.tv_nsec;
}

static int64_t time_of(uint64_t bytes) {
  return (int64_t)((double)bytes / TDM_PATIENCE_BYTES_S * 1e9);
}

/* The daemon sees the end of the connection, and closes it. With the lock. */
static void cut(tdm_patience *patience, tdm_peer *peer) {
  peer->cut = true;
  shutdown(peer->socket, SHUT_RDWR);
  atomic_fetch_add_explicit(&patience->stats->cut, 1, memory_order_relaxed);
}

static void cut_late(tdm_patience *patience, int64_t now) {
  for (tdm_peer *peer = patience->first; peer != NULL; peer = peer->next)
    if (!peer->cut && now >= atomic_load_explicit(&peer->due_ns, memory_order_relaxed))
      cut(patience, peer);
}

static void *look_after(void *argument) {
  tdm_patience *patience = argument;
  pthread_mutex_lock(&patience->lock);
  while (!patience->ending) {
    cut_late(patience, now_ns());
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += TICK_MS * 1000000;
    if (until.tv_nsec >= SECOND_NS) until.tv_sec++, until.tv_nsec -= SECOND_NS;
    pthread_cond_timedwait(&patience->wake, &patience->lock, &until);
  }
  pthread_mutex_unlock(&patience->lock);
  return NULL;
}

tdm_status tdm_patience_open(const tdm_patience_limits *limits, tdm_stats *stats,
                             tdm_patience **out, tdm_error *error) {
  tdm_patience *patience = calloc(1, sizeof *patience);
  if (patience == NULL) return tdm_error_memory(error, "the connections", sizeof *patience);
  patience->limits = *limits;
  patience->patience_ns = limits->patience_s * SECOND_NS;
  patience->stats = stats;
  pthread_mutex_init(&patience->lock, NULL);
  pthread_cond_init(&patience->wake, NULL);
  if (pthread_create(&patience->thread, NULL, look_after, patience) != 0) {
    pthread_cond_destroy(&patience->wake);
    pthread_mutex_destroy(&patience->lock);
    free(patience);
    return tdm_error_set(error, TDM_IO, "no thread for the connections");
  }
  *out = patience;
  return TDM_OK;
}

void tdm_patience_close(tdm_patience *patience) {
  if (patience == NULL) return;
  pthread_mutex_lock(&patience->lock);
  patience->ending = true;
  pthread_cond_signal(&patience->wake);
  pthread_mutex_unlock(&patience->lock);
  pthread_join(patience->thread, NULL);
  while (patience->first != NULL) tdm_patience_remove(patience, patience->first);
  pthread_cond_destroy(&patience->wake);
  pthread_mutex_destroy(&patience->lock);
  free(patience);
}

struct in6_addr tdm_sender_of(const struct sockaddr *address) {
  enum { NETWORK = 8 };
  struct in6_addr out = {0};
  if (address != NULL && address->sa_family == AF_INET6) {
    const struct in6_addr *given = &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
    memcpy(&out, given, IN6_IS_ADDR_V4MAPPED(given) ? sizeof out : NETWORK);
  } else if (address != NULL && address->sa_family == AF_INET) {
    out.s6_addr[10] = out.s6_addr[11] = 0xff;
    memcpy(&out.s6_addr[12], &((const struct sockaddr_in *)(const void *)address)->sin_addr, 4);
  }
  return out;
}

/* How long one has kept us waiting: for a head from its first moment, for a body or with an answer
 * once it is behind the least rate by GRACE_NS; 0: it has not. Heads count more than all else. */
static int64_t kept_waiting_ns(const tdm_patience *patience, const tdm_peer *peer, int64_t now) {
  int64_t due_ns = atomic_load_explicit(&peer->due_ns, memory_order_relaxed);
  if (peer->waiting) return NEVER - peer->begun_ns;
  int64_t behind_ns = due_ns == NEVER ? 0 : now - (due_ns - patience->patience_ns) - GRACE_NS;
  return behind_ns > 0 ? behind_ns : 0;
}

/* The one that has kept us waiting longest, of all or of one address, when there are so many that
 * one must go; *full says whether. With the lock. */
static tdm_peer *longest_waiting(const tdm_patience *patience, const struct in6_addr *address,
                                 unsigned most, bool *full) {
  tdm_peer *longest = NULL;
  unsigned count = 0;
  int64_t now = now_ns(), longest_ns = 0;
  for (tdm_peer *peer = patience->first; peer != NULL; peer = peer->next) {
    if (peer->cut) continue;
    if (address != NULL && memcmp(&peer->address, address, sizeof *address) != 0) continue;
    count++;
    int64_t kept_ns = kept_waiting_ns(patience, peer, now);
    if (kept_ns > 0 && kept_ns >= longest_ns) longest = peer, longest_ns = kept_ns;
  }
  *full = count >= most;
  return *full ? longest : NULL;
}

/* Whether there is room for one more of an address now. With the lock. */
static bool make_room(tdm_patience *patience, const struct in6_addr *address) {
  const struct in6_addr *const whose[] = {address, NULL};
  const unsigned most[] = {patience->limits.of_address, patience->limits.connections};
  for (int i = 0; i < 2; i++) {
    bool full;
    tdm_peer *longest = longest_waiting(patience, whose[i], most[i], &full);
    if (full && longest == NULL) return false;
    if (longest != NULL) cut(patience, longest);
  }
  return true;
}

tdm_peer *tdm_patience_add(tdm_patience *patience, int socket, const struct sockaddr *address) {
  tdm_peer *peer = calloc(1, sizeof *peer);
  if (peer == NULL) return NULL;
  peer->socket = socket;
  peer->address = tdm_sender_of(address);
  tdm_peer_wait(patience, peer);
  pthread_mutex_lock(&patience->lock);
  if (!make_room(patience, &peer->address)) cut(patience, peer);
  peer->next = patience->first;
  peer->before = &patience->first;
  if (peer->next != NULL) peer->next->before = &peer->next;
  patience->first = peer;
  pthread_mutex_unlock(&patience->lock);
  return peer;
}

void tdm_patience_remove(tdm_patience *patience, tdm_peer *peer) {
  if (peer == NULL) return;
  pthread_mutex_lock(&patience->lock);
  *peer->before = peer->next;
  if (peer->next != NULL) peer->next->before = peer->before;
  pthread_mutex_unlock(&patience->lock);
  free(peer);
}

void tdm_peer_wait(const tdm_patience *patience, tdm_peer *peer) {
  tdm_peer_begin(patience, peer, 0);
  if (peer != NULL) peer->waiting = true;
}

void tdm_peer_begin(const tdm_patience *patience, tdm_peer *peer, uint64_t bytes) {
  if (peer == NULL) return;
  peer->waiting = false;
  peer->begun_ns = now_ns() + patience->patience_ns;
  tdm_peer_moved(peer, bytes);
}

void tdm_peer_moved(tdm_peer *peer, uint64_t bytes) {
  if (peer == NULL) return;
  atomic_store_explicit(&peer->due_ns, peer->begun_ns + time_of(bytes), memory_order_relaxed);
}

void tdm_peer_rest(tdm_peer *peer) {
  if (peer != NULL) atomic_store_explicit(&peer->due_ns, NEVER, memory_order_relaxed);
}
