/* Canonical order and sub-lanes. See order.h. */
#include "trace/order.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* What a comparison needs most of the time, side by side; the rest is fetched by index. */
typedef struct {
  int64_t start_ns;
  uint64_t request;
  int64_t dur_ns;
  uint32_t index;
} sort_key;

/* A lane that is occupied until end_ns. Heap order: end, then lane. */
typedef struct {
  int64_t end_ns;
  uint32_t lane;
} busy_lane;

typedef struct {
  sort_key *keys, *spare;
  busy_lane *busy;
  uint32_t *idle; /* heap, lowest lane on top */
} scratch;

static int key_after(const tdm_trace *trace, const sort_key *a, const sort_key *b) {
  if (a->start_ns != b->start_ns) return a->start_ns > b->start_ns;
  if ((a->dur_ns == 0) != (b->dur_ns == 0)) return b->dur_ns == 0;
  if (a->request != b->request) return a->request > b->request;
  if (a->dur_ns != b->dur_ns) return a->dur_ns > b->dur_ns;
  tdm_span x = tdm_trace_span(trace, a->index), y = tdm_trace_span(trace, b->index);
  if (x.name != y.name) return x.name > y.name;
  return x.arg > y.arg;
}

/* Bottom-up merge sort that leaves runs already in order alone: tracks come nearly sorted. */
static void sort_keys(const tdm_trace *trace, sort_key *keys, sort_key *spare, size_t count) {
  for (size_t width = 1; width < count; width *= 2) {
    for (size_t low = 0; low + width < count; low += 2 * width) {
      size_t middle = low + width;
      size_t high = middle + width < count ? middle + width : count;
      if (!key_after(trace, &keys[middle - 1], &keys[middle])) continue;
      memcpy(spare, keys + low, width * sizeof *spare);
      size_t left = 0, right = middle, to = low;
      while (left < width && right < high)
        keys[to++] = key_after(trace, &spare[left], &keys[right]) ? keys[right++] : spare[left++];
      memcpy(keys + to, spare + left, (width - left) * sizeof *spare);
    }
  }
}

static void idle_push(uint32_t *heap, size_t count, uint32_t lane) {
  size_t at = count;
  while (at > 0 && heap[(at - 1) / 2] > lane) {
    heap[at] = heap[(at - 1) / 2];
    at = (at - 1) / 2;
  }
  heap[at] = lane;
}

/* Takes the lowest lane out of a heap of `count`. */
static uint32_t idle_pop(uint32_t *heap, size_t count) {
  uint32_t lowest = heap[0], moved = heap[count - 1];
  size_t at = 0;
  for (size_t child; (child = 2 * at + 1) < count - 1; at = child) {
    if (child + 1 < count - 1 && heap[child + 1] < heap[child]) child++;
    if (heap[child] >= moved) break;
    heap[at] = heap[child];
  }
  heap[at] = moved;
  return lowest;
}

static void busy_push(busy_lane *heap, size_t count, busy_lane lane) {
  size_t at = count;
  while (at > 0 && heap[(at - 1) / 2].end_ns > lane.end_ns) {
    heap[at] = heap[(at - 1) / 2];
    at = (at - 1) / 2;
  }
  heap[at] = lane;
}

static uint32_t busy_pop(busy_lane *heap, size_t count) {
  uint32_t first = heap[0].lane;
  busy_lane moved = heap[count - 1];
  size_t at = 0;
  for (size_t child; (child = 2 * at + 1) < count - 1; at = child) {
    if (child + 1 < count - 1 && heap[child + 1].end_ns < heap[child].end_ns) child++;
    if (heap[child].end_ns >= moved.end_ns) break;
    heap[at] = heap[child];
  }
  heap[at] = moved;
  return first;
}

/* Gives each of the sorted spans its lane; returns the number of lanes. */
static uint32_t assign_lanes(const scratch *work, size_t count, uint32_t *lane) {
  size_t busy = 0, idle = 0;
  uint32_t lanes = 0;
  for (size_t i = 0; i < count; i++) {
    const sort_key *key = &work->keys[i];
    while (busy > 0 && work->busy[0].end_ns <= key->start_ns) {
      uint32_t freed = busy_pop(work->busy, busy--);
      idle_push(work->idle, idle++, freed);
    }
    lane[i] = idle > 0 ? idle_pop(work->idle, idle--) : lanes++;
    busy_push(work->busy, busy++, (busy_lane){key->start_ns + key->dur_ns, lane[i]});
  }
  return lanes;
}

/* Groups span indexes by track (counting sort). */
static void group_by_track(tdm_order *order, const tdm_trace *trace) {
  for (size_t c = 0; c < tdm_trace_chunks(trace); c++) {
    const tdm_trace_chunk *chunk = tdm_trace_chunk_at(trace, c);
    for (size_t i = 0; i < chunk->count; i++) order->first[chunk->track[i] + 1]++;
  }
  for (size_t t = 0; t < order->tracks; t++) order->first[t + 1] += order->first[t];
  for (size_t c = 0; c < tdm_trace_chunks(trace); c++) {
    const tdm_trace_chunk *chunk = tdm_trace_chunk_at(trace, c);
    for (size_t i = 0; i < chunk->count; i++)
      order->index[order->first[chunk->track[i]]++] = (uint32_t)(c * TDM_TRACE_CHUNK + i);
  }
  for (size_t t = order->tracks; t > 0; t--) order->first[t] = order->first[t - 1];
  order->first[0] = 0;
}

static void order_track(tdm_order *order, const tdm_trace *trace, size_t track, scratch *work) {
  uint32_t *index = order->index + order->first[track];
  size_t count = order->first[track + 1] - order->first[track];
  for (size_t i = 0; i < count; i++) {
    tdm_span span = tdm_trace_span(trace, index[i]);
    work->keys[i] = (sort_key){span.start_ns, span.request, span.dur_ns, index[i]};
  }
  sort_keys(trace, work->keys, work->spare, count);
  for (size_t i = 0; i < count; i++) index[i] = work->keys[i].index;
  order->lanes[track] = assign_lanes(work, count, order->lane + order->first[track]);
}

tdm_status tdm_order_open(tdm_order *order, const tdm_trace *trace, tdm_error *error) {
  size_t count = tdm_trace_span_extent(trace).kept, tracks = tdm_trace_tracks(trace);
  *order = (tdm_order){.count = count, .tracks = tracks};
  order->index = tdm_array_new(count, sizeof *order->index);
  order->lane = tdm_array_new(count, sizeof *order->lane);
  order->first = tdm_array_new(tracks + 1, sizeof *order->first);
  order->lanes = tdm_array_new(tracks, sizeof *order->lanes);
  if (!order->index || !order->lane || !order->first || !order->lanes) {
    tdm_order_close(order);
    return tdm_error_memory(error, "the order of a trace", 2 * count * sizeof *order->index);
  }
  group_by_track(order, trace);
  size_t widest = 0;
  for (size_t t = 0; t < tracks; t++)
    if (order->first[t + 1] - order->first[t] > widest)
      widest = order->first[t + 1] - order->first[t];
  scratch work = {
      .keys = tdm_array_new(widest, sizeof *work.keys),
      .spare = tdm_array_new(widest, sizeof *work.spare),
      .busy = tdm_array_new(widest, sizeof *work.busy),
      .idle = tdm_array_new(widest, sizeof *work.idle),
  };
  tdm_status status = TDM_OK;
  if (work.keys && work.spare && work.busy && work.idle) {
    for (size_t t = 0; t < tracks; t++) order_track(order, trace, t, &work);
  } else {
    status = tdm_error_memory(error, "sorting a trace", widest * 2 * sizeof *work.keys);
    tdm_order_close(order);
  }
  free(work.keys);
  free(work.spare);
  free(work.busy);
  free(work.idle);
  return status;
}

void tdm_order_close(tdm_order *order) {
  free(order->index);
  free(order->lane);
  free(order->first);
  free(order->lanes);
  *order = (tdm_order){0};
}
