/* Packets of a Perfetto trace: one event or descriptor each, with the names it is the first to use.
 *
 * All packets are of one sequence. Names, categories, keys and texts are interned: a number in
 * every event, the text once, in the packet where it is needed first. Failures stick: of memory
 * here, of the file there; pf_failed is asked at the end. Owns its buffers and tables, not the
 * file. Called by write/perfetto*. */
#ifndef TDM_WRITE_PERFETTO_PACKET_H
#define TDM_WRITE_PERFETTO_PACKET_H

#include "trace/intern.h"
#include "trace/outfile.h"
#include "trace/perfetto.h"
#include "trace/protobuf.h"
#include "trace/recording.h"

typedef struct {
  tdm_outfile *file;
  const tdm_recording *recording;
  int64_t shift_ns; /* added to all times, so that none is negative */
  tdm_proto_buffer packet, event, part, interned, entry;
  unsigned char *said; /* [names] which tables know a name */
  uint64_t **iids;     /* [layouts] of the category and the keys; NULL: not asked for yet */
  tdm_intern categories, keys;
  int begun, failed;
} pf_packets;

int pf_packets_open(pf_packets *to, const tdm_recording *recording, tdm_outfile *file);
void pf_packets_close(pf_packets *to);
int pf_failed(const pf_packets *to);

/* `time_ns` of source `source` in the trace. */
uint64_t pf_time(const pf_packets *to, uint32_t source, int64_t time_ns);

/* A packet with `message`, which is empty afterwards; it takes along what was interned since the
 * last. */
void pf_put(pf_packets *to, uint32_t field, tdm_proto_buffer *message);
void pf_put_at(pf_packets *to, uint64_t time_ns, uint32_t field, tdm_proto_buffer *message);

/* Fields of a TrackEvent, into to->event. */
void pf_event(pf_packets *to, int type, uint64_t track);
void pf_event_name(pf_packets *to, uint32_t name);
void pf_event_category(pf_packets *to, const char *category);
void pf_event_text(pf_packets *to, const char *key, const char *value);
/* The category of a layout, and arguments `from` … of a row of it, but for column `without`. */
void pf_event_layout(pf_packets *to, uint32_t layout);
void pf_event_args(pf_packets *to, uint32_t layout, size_t row, uint32_t from, uint32_t without);

#endif
