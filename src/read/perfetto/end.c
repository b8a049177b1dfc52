/* The end of a Perfetto trace: slices that are still open, and flows, whose ends may come in any
 * order. See inside.h. */
#include <stdlib.h>

#include "base/memory.h"
#include "read/perfetto/inside.h"

void tdm_pftrace_flow(tdm_pftrace_state *s, uint64_t id, uint32_t kind, int64_t time_ns,
                      uint32_t track, int last) {
  if (!tdm_array_grow(&s->flows, &s->flow_room, s->flow_count + 1, sizeof *s->flows)) {
    s->failed = 1;
    return;
  }
  s->flows[s->flow_count++] = (tdm_pftrace_flow_end){
      .id = id, .time_ns = time_ns, .track = track, .kind = kind, .last = last};
}

static int by_flow(const void *a, const void *b) {
  const tdm_pftrace_flow_end *p = a, *q = b;
  if (p->kind != q->kind) return p->kind < q->kind ? -1 : 1;
  if (p->id != q->id) return p->id < q->id ? -1 : 1;
  if (p->time_ns != q->time_ns) return p->time_ns < q->time_ns ? -1 : 1;
  if (p->last != q->last) return p->last - q->last;
  return (p->track > q->track) - (p->track < q->track);
}

static void add_edge(tdm_pftrace_state *s, const tdm_pftrace_flow_end *from,
                     const tdm_pftrace_flow_end *to) {
  uint64_t kind = from->id >> 48;
  if (from->kind != TDM_PF_NO_NAME) {
    tdm_record_edge(s->recorder, from->kind, from->time_ns, from->track, to->time_ns, to->track,
                    (int64_t)from->id);
    return;
  }
  uint32_t name = kind < s->kind_count ? s->kinds[kind] : tdm_record_text(s->recorder, "flow");
  int64_t id = (int64_t)from->id;
  if (s->kind_count > 0) id &= ((int64_t)1 << 48) - 1;
  tdm_record_edge(s->recorder, name, from->time_ns, from->track, to->time_ns, to->track, id);
}

/* The ends of one flow, in order of time: each to the next, up to one that says it is the last. */
static void link_flow(tdm_pftrace_state *s, tdm_pftrace_flow_end *end, size_t count) {
  if (count == 1 && end->kind == TDM_PF_NO_NAME)
    tdm_record_problem(s->recorder, "flows with one end only (left out)", 1);
  /* The arrow may point back in time where only the clocks differ. */
  if (count == 2 && end[0].last && !end[1].last) {
    add_edge(s, &end[1], &end[0]);
    return;
  }
  for (size_t i = 1; i < count; i++)
    if (!end[i - 1].last) add_edge(s, &end[i - 1], &end[i]);
}

void tdm_pftrace_finish(tdm_pftrace_state *s) {
  if (s->utc_ns != TDM_NONE) /* the shift is told behind the clocks */
    tdm_recorder_utc(s->recorder, (int64_t)((uint64_t)s->utc_ns + (uint64_t)s->shift_ns));
  size_t count = s->track_count; /* placing slices makes no tracks that have any */
  for (size_t i = 0; i < count; i++) tdm_pftrace_slices_finish(s, s->tracks[i].uuid);
  if (s->flow_count > 1) qsort(s->flows, s->flow_count, sizeof *s->flows, by_flow);
  for (size_t i = 0, next; i < s->flow_count; i = next) {
    for (next = i + 1; next < s->flow_count && s->flows[next].id == s->flows[i].id &&
                       s->flows[next].kind == s->flows[i].kind;)
      next++;
    link_flow(s, s->flows + i, next - i);
  }
}
