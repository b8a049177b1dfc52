/* The tracks of a recording as Perfetto's: their numbers and descriptors.
 *
 * A process is a group of tracks with a process descriptor where it has threads and its id is its
 * own in the whole trace; any other heading is a plain track with others below it. Threads have
 * thread descriptors on the same terms. What a descriptor has no field for (kind, lane, device,
 * stream, …) stands in its description, from which read/pftrace takes it back. Sub-lanes are tracks
 * of the same name beside the first, or below it where that is a thread: the viewer draws tracks of
 * one name as one. Called by write/perfetto. */
#ifndef TDM_WRITE_PERFETTO_TRACKS_H
#define TDM_WRITE_PERFETTO_TRACKS_H

#include "trace/lanes.h"
#include "write/perfetto_packet.h"

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
