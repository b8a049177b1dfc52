/* Packets of a Perfetto trace: one event or descriptor each, with the names it is the first to use.
 *
 * All packets are of one sequence. Names, categories, keys and texts are interned: a number in
 * every event, the text once, in the packet where it is needed first. Failures stick: of memory
 * here, of the file there; tdm_perfetto_failed is asked at the end. Owns its buffers and tables,
 * not the file. Called by write/perfetto*. */
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
} tdm_perfetto_packets;

int tdm_perfetto_packets_open(tdm_perfetto_packets *to, const tdm_recording *recording,
                              tdm_outfile *file);
void tdm_perfetto_packets_close(tdm_perfetto_packets *to);
int tdm_perfetto_failed(const tdm_perfetto_packets *to);

/* `time_ns` of source `source` in the trace. */
uint64_t tdm_perfetto_time(const tdm_perfetto_packets *to, uint32_t source, int64_t time_ns);

/* A packet with `message`, which is empty afterwards; it takes along what was interned since the
 * last. */
void tdm_perfetto_put(tdm_perfetto_packets *to, uint32_t field, tdm_proto_buffer *message);
void tdm_perfetto_put_at(tdm_perfetto_packets *to, uint64_t time_ns, uint32_t field,
                         tdm_proto_buffer *message);

/* Fields of a TrackEvent, into to->event. */
void tdm_perfetto_event(tdm_perfetto_packets *to, int type, uint64_t track);
void tdm_perfetto_event_name(tdm_perfetto_packets *to, uint32_t name);
void tdm_perfetto_event_category(tdm_perfetto_packets *to, const char *category);
void tdm_perfetto_event_text(tdm_perfetto_packets *to, const char *key, const char *value);
/* The category of a layout, and arguments `from` … of a row of it, but for column `without`. */
void tdm_perfetto_event_layout(tdm_perfetto_packets *to, uint32_t layout);
void tdm_perfetto_event_args(tdm_perfetto_packets *to, uint32_t layout, size_t row, uint32_t from,
                             uint32_t without);

#endif
