/* How long a peer may take. Each connection has a moment by which it must have brought its next
 * request's head, the rest of a body, or taken the rest of an answer; one that has not is cut, so
 * that whoever sends a byte now and then holds nothing. While we are the ones who work, it has
 * none. And when there are too many, of one address or in all, those that have waited longest for a
 * head, then those that are furthest behind the least rate, make room for the new one, so that
 * whoever opens connections and says nothing, or little, keeps nobody out, not even those of its
 * own address. Owns the list of connections and a thread that looks at
 * it; sockets are borrowed. The daemon's thread calls; see server.c. */
#ifndef TDM_SERVE_PATIENCE_H
#define TDM_SERVE_PATIENCE_H

#include <netinet/in.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/error.h"
#include "serve/settings.h"

/* What a body or an answer must move at, at least, once the patience is used up. */
#define TDM_PATIENCE_BYTES_S 16384

typedef struct tdm_patience tdm_patience;
typedef struct tdm_peer tdm_peer;

/* Whom an address belongs to, as far as limits go: of IPv4 the address (mapped into IPv6), of IPv6
 * its first 64 bits, since one machine has all of the others. */
struct in6_addr tdm_sender_of(const struct sockaddr *address);

typedef struct {
  unsigned patience_s;
  unsigned connections; /* most at once that were not cut */
  unsigned of_address;  /* most of one address */
} tdm_patience_limits;

tdm_status tdm_patience_open(const tdm_patience_limits *limits, tdm_stats *stats,
                             tdm_patience **out, tdm_error *error);
void tdm_patience_close(tdm_patience *patience); /* NULL is fine; peers may be left */

/* A connection that was just accepted: its first head is due. Where others must make room and none
 * of them keeps us waiting, it is itself cut. NULL: out of memory. */
tdm_peer *tdm_patience_add(tdm_patience *patience, int socket, const struct sockaddr *address);
/* Before its socket is closed. */
void tdm_patience_remove(tdm_patience *patience, tdm_peer *peer);

/* Its next head is due. NULL is fine. */
void tdm_peer_wait(const tdm_patience *patience, tdm_peer *peer);
/* From now on it has the patience, and what `bytes` take at the least rate. NULL is fine. */
void tdm_peer_begin(const tdm_patience *patience, tdm_peer *peer, uint64_t bytes);
/* So many bytes came since it began: it has the time that they take, too. */
void tdm_peer_moved(tdm_peer *peer, uint64_t bytes);
/* It is our turn. */
void tdm_peer_rest(tdm_peer *peer);

#endif
