/* Flow events (phases s, t, f) paired into edges; see inside.h. Two generations: when the younger
 * is full the older goes. */
#include "read/kineto/inside.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/hash_map.h"
#include "base/memory.h"

enum { GENERATION = 1 << 19, NONE = -1 };

/* An end that came before its beginning. */
typedef struct {
  int64_t time_ns;
  uint32_t track;
  int32_t next; /* of the same flow; NONE: the last */
} waiting;

typedef struct {
  tdm_kineto_flow flow;
  int64_t from_ns;
  uint32_t from_track;
  bool begun, used; /* has a beginning, which has an end */
  int32_t waits;    /* the first of them; NONE */
} entry;

typedef struct {
  entry *entries;
  size_t count, room;
  tdm_hash_map map; /* entries by flow */
  waiting *waits;
  size_t wait_count, wait_room;
} generation;

struct tdm_kineto_flows {
  tdm_recorder *recorder;
  tdm_kineto_tracks *tracks;
  generation young, old;
};

tdm_kineto_flows *tdm_kineto_flows_new(tdm_recorder *recorder, tdm_kineto_tracks *tracks) {
  tdm_kineto_flows *flows = tdm_array_new(1, sizeof *flows);
  if (flows == NULL) return NULL;
  flows->recorder = recorder;
  flows->tracks = tracks;
  return flows;
}

static void clear(generation *g) {
  free(g->entries);
  tdm_hash_map_free(&g->map);
  free(g->waits);
  *g = (generation){0};
}

void tdm_kineto_flows_free(tdm_kineto_flows *flows) {
  if (flows == NULL) return;
  clear(&flows->young);
  clear(&flows->old);
  free(flows);
}

/* Counts what never met its other end, and forgets all. */
static void retire(tdm_kineto_flows *flows, generation *g) {
  uint64_t without_end = 0, without_beginning = 0;
  for (size_t i = 0; i < g->count; i++) {
    without_end += g->entries[i].begun && !g->entries[i].used;
    for (int32_t w = g->entries[i].waits; w != NONE; w = g->waits[w].next) without_beginning++;
  }
  tdm_record_problem(flows->recorder, "flows without an end (dropped)", without_end);
  tdm_record_problem(flows->recorder, "flow ends without a beginning (dropped)", without_beginning);
  clear(g);
}

void tdm_kineto_flows_finish(tdm_kineto_flows *flows) {
  retire(flows, &flows->old);
  retire(flows, &flows->young);
}

/* ---- finding ---- */

/* Flows mostly count up. */
static uint32_t hash_of(const tdm_kineto_flow *flow) {
  return tdm_hash_id((uint64_t)flow->id, (uint64_t)flow->category << 32 | flow->name);
}

static entry *find(const generation *g, const tdm_kineto_flow *flow, uint32_t hash) {
  for (tdm_hash_slot *s = tdm_hash_first(&g->map, hash); s; s = tdm_hash_next(&g->map, s)) {
    entry *e = &g->entries[s->row];
    if (e->flow.id == flow->id && e->flow.category == flow->category && e->flow.name == flow->name)
      return e;
  }
  return NULL;
}

/* NULL: out of memory. */
static entry *add(tdm_kineto_flows *flows, const tdm_kineto_flow *flow, uint32_t hash) {
  generation *g = &flows->young;
  if (g->count == GENERATION) {
    retire(flows, &flows->old);
    flows->old = *g;
    *g = (generation){0};
  }
  if (!tdm_array_grow(&g->entries, &g->room, g->count + 1, sizeof *g->entries) ||
      !tdm_hash_add(&g->map, hash, (uint32_t)g->count))
    return NULL;
  g->entries[g->count] = (entry){.flow = *flow, .waits = NONE};
  return &g->entries[g->count++];
}

/* ---- pairing ---- */

static void join(tdm_kineto_flows *flows, const entry *e, int64_t to_ns, uint32_t to_track) {
  tdm_record_edge(flows->recorder, e->flow.kind, e->from_ns, e->from_track, to_ns, to_track,
                  e->flow.number);
  tdm_kineto_flows_to(flows->tracks, e->from_track, to_track);
}

static void begin(tdm_kineto_flows *flows, generation *g, entry *e, int64_t time_ns,
                  uint32_t track) {
  if (e->begun && !e->used)
    tdm_record_problem(flows->recorder, "flows without an end (dropped)", 1);
  e->begun = true;
  e->used = e->waits != NONE;
  e->from_ns = time_ns;
  e->from_track = track;
  for (int32_t w = e->waits; w != NONE; w = g->waits[w].next)
    join(flows, e, g->waits[w].time_ns, g->waits[w].track);
  e->waits = NONE;
}

/* An end whose beginning is still to come. */
static void await(tdm_kineto_flows *flows, generation *g, entry *e, int64_t time_ns,
                  uint32_t track) {
  if (g->wait_count >= GENERATION ||
      !tdm_array_grow(&g->waits, &g->wait_room, g->wait_count + 1, sizeof *g->waits)) {
    tdm_record_problem(flows->recorder, "flow ends without a beginning (dropped)", 1);
    return;
  }
  g->waits[g->wait_count] = (waiting){time_ns, track, e->waits};
  e->waits = (int32_t)g->wait_count++;
}

static void end(tdm_kineto_flows *flows, generation *g, entry *e, int64_t time_ns, uint32_t track) {
  if (!e->begun) {
    await(flows, g, e, time_ns, track);
    return;
  }
  e->used = true;
  join(flows, e, time_ns, track);
}

void tdm_kineto_flow_event(tdm_kineto_flows *flows, const tdm_kineto_flow *flow, char phase,
                           int64_t time_ns, uint32_t track) {
  generation *g = &flows->young;
  uint32_t hash = hash_of(flow);
  entry *e = find(g, flow, hash);
  if (e == NULL && (e = find(&flows->old, flow, hash)) != NULL) g = &flows->old;
  if (e == NULL && (e = add(flows, flow, hash)) == NULL) return;
  bool first_step = phase == 't' && !e->begun; /* its end must not meet its own beginning */
  if (phase != 's' && !first_step) end(flows, g, e, time_ns, track);
  if (phase != 'f') begin(flows, g, e, time_ns, track);
  if (first_step) await(flows, g, e, time_ns, track);
}
