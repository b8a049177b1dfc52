/* What the files of the writer of Perfetto traces share: packets, then tracks. */
#ifndef TDM_WRITE_PERFETTO_INSIDE_H
#define TDM_WRITE_PERFETTO_INSIDE_H

#include "trace/intern.h"
#include "trace/lanes.h"
#include "trace/outfile.h"
#include "trace/perfetto.h"
#include "trace/protobuf.h"
#include "trace/recording.h"

/* Packets of a Perfetto trace: one event or descriptor each, with the names it is the first to use.
 *
 * All packets are of one sequence. Names, categories, keys and texts are interned: a number in
 * every event, the text once, in the packet where it is needed first. Failures stick: of memory
 * here, of the file there; tdm_perfetto_failed is asked at the end. Owns its buffers and tables,
 * not the file. */

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

/* The tracks of a recording as Perfetto's: their numbers and descriptors.
 *
 * A process is a group of tracks with a process descriptor where it has threads and its id is its
 * own in the whole trace; any other heading is a plain track with others below it. Threads have
 * thread descriptors on the same terms. What a descriptor has no field for (kind, lane, device,
 * stream, …) stands in its description, from which read/pftrace takes it back. Sub-lanes are tracks
 * of the same name beside the first, or below it where that is a thread: the viewer draws tracks of
 * one name as one. */

typedef struct {
  uint64_t uuid;  /* of the track itself */
  uint64_t extra; /* of its first further lane */
  uint64_t parent;
  uint32_t own; /* lanes that are on the track itself: 1, or 0 where it has ASYNC spans only */
} tdm_perfetto_track;

typedef struct {
  tdm_perfetto_track *track; /* [tracks] */
  uint64_t next;             /* the first uuid that is free */
} tdm_perfetto_tracks;

/* Writes the descriptors. False: out of memory. */
int tdm_perfetto_tracks_open(tdm_perfetto_tracks *tracks, tdm_perfetto_packets *to,
                             const tdm_lanes *lanes);
void tdm_perfetto_tracks_close(tdm_perfetto_tracks *tracks);

static inline uint64_t tdm_perfetto_lane_uuid(const tdm_perfetto_track *track, uint32_t lane) {
  return lane < track->own ? track->uuid : track->extra + lane - track->own;
}

#endif
