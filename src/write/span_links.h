/* The arrows of a trace as pairs of spans: its edges, and each API call to what it launched.
 *
 * An end of an edge belongs to the innermost span that is open at that time on its track: the one
 * that started last, or one below it. An end where nothing is open is loose. Calls and the work of
 * the GPU are joined by process and correlation where their source has no edges of its own from the
 * CPU to the GPU.
 *
 * Owns its arrays, not the recording or the lanes. Called by writers whose format knows arrows
 * between spans only. */
#ifndef TDM_WRITE_SPAN_LINKS_H
#define TDM_WRITE_SPAN_LINKS_H

#include "trace/lanes.h"

enum { TDM_LINK_KINDS = 255 };

typedef struct {
  uint64_t id;   /* of the arrow: its two ends have the same; kind << 48 | number */
  uint32_t span; /* in tdm_lanes.span */
  bool incoming;
} tdm_link_end;

typedef struct {
  uint64_t id;
  int64_t time_ns;
  uint32_t track;
  bool incoming;
} tdm_loose_end;

typedef struct {
  size_t count, room;
  tdm_link_end *end; /* by span, then id, unless they are gathered only */
  size_t loose_count, loose_room;
  tdm_loose_end *loose;
  uint32_t kinds; /* kinds beyond the last share it */
  const char *kind[TDM_LINK_KINDS];
  uint64_t numbers;
} tdm_span_links;

/* Ends in no order but that the two of an arrow lie side by side, the one it leaves first; of an
 * arrow with a loose end the other stands alone. */
tdm_status tdm_span_links_gather(tdm_span_links *links, const tdm_recording *recording,
                                 const tdm_lanes *lanes, tdm_error *error);
/* By span, so that they can be found. */
tdm_status tdm_span_links_open(tdm_span_links *links, const tdm_recording *recording,
                               const tdm_lanes *lanes, tdm_error *error);
void tdm_span_links_close(tdm_span_links *links);

static inline uint32_t tdm_link_kind(uint64_t id) {
  return (uint32_t)(id >> 48);
}

/* The first end of a span, or of one behind it. */
size_t tdm_span_links_find(const tdm_span_links *links, size_t span);

#endif
