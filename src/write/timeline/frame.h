/* What a timeline draws and where: drawing rows, and the spans of each in order.
 *
 * Tracks stand in groups (processes) in order of their first track, in a group by lane, then as
 * recorded. A track has a row for each depth of each of its sub-lanes (trace/lanes.h), so that the
 * spans of a row are disjoint. Spans are numbered row by row, in a row by start. Times are
 * nanoseconds from the origin, the first moment of anything that the run has.
 *
 * Owns its arrays, not the recording. Called by the files of this room. */
#ifndef TDM_WRITE_TIMELINE_FRAME_H
#define TDM_WRITE_TIMELINE_FRAME_H

#include "trace/lanes.h"

typedef struct {
  uint32_t track; /* id of the recording */
  uint32_t group;
  uint32_t first_row, rows;
} tdm_frame_track;

typedef struct {
  const tdm_recording *recording;
  int64_t origin_ns, end_ns; /* of the run's clock; equal when it has no time */
  tdm_lanes lanes;
  uint32_t tracks, groups;
  tdm_frame_track *track; /* [tracks] in drawing order: those with spans or samples */
  uint32_t *place_of;     /* [ids] → index into `track`, or UINT32_MAX */
  const char **group;     /* [groups] their names */
  uint32_t rows;
  size_t *first;    /* [rows + 1] numbers of spans */
  uint32_t *order;  /* [spans] by number: index into lanes.span */
  uint32_t *number; /* [spans] the inverse */
} tdm_frame;

tdm_status tdm_frame_open(tdm_frame *frame, const tdm_recording *recording, tdm_error *error);
void tdm_frame_close(tdm_frame *frame);

/* From the origin to the end, at most INT64_MAX. */
int64_t tdm_frame_length(const tdm_frame *frame);
/* A time of a track's source as nanoseconds from the origin. */
int64_t tdm_frame_time(const tdm_frame *frame, uint32_t track, int64_t time_ns);

typedef struct {
  int64_t start_ns, end_ns; /* from the origin */
  int64_t name;
  uint32_t track, layout, row;
} tdm_frame_span;

tdm_frame_span tdm_frame_span_at(const tdm_frame *frame, size_t number);

#endif
