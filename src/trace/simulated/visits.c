/* Requests of a simulated run and their visits to stations, joined; see inside.h. Waits are joined
 * to the service they end with by request, stage and time; what is left over at the start of a
 * batch are its other members. */
#include "trace/simulated/inside.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "trace/lanes.h"

typedef struct {
  uint64_t request;
  int64_t start_ns, end_ns;
  uint32_t track, name;
  bool used;  /* its service is found */
  bool taken; /* as a member of a batch */
} wait_row;

typedef struct {
  wait_row *row;
  size_t count, room;
} wait_list;

#define ORDER(a, b)                                                                                \
  if ((a) != (b)) return TDM_ORDER(a, b)

static int by_id(const void *a, const void *b) {
  const tdm_captured_request *x = a, *y = b;
  ORDER(x->id, y->id);
  return 0;
}

static int by_service(const void *a, const void *b) {
  const wait_row *x = a, *y = b;
  ORDER(x->request, y->request);
  ORDER(x->name, y->name);
  ORDER(x->end_ns, y->end_ns);
  ORDER(x->start_ns, y->start_ns);
  return 0;
}

static int by_end(const void *a, const void *b) {
  const wait_row *x = a, *y = b;
  ORDER(x->used, y->used);
  ORDER(x->name, y->name);
  ORDER(x->end_ns, y->end_ns);
  ORDER(x->start_ns, y->start_ns);
  ORDER(x->request, y->request);
  return 0;
}

/* Longer waits first: of two batches that start together, the earlier has those that came first. */
static int by_start(const void *a, const void *b) {
  const tdm_captured_visit *x = a, *y = b;
  ORDER(x->start_ns, y->start_ns);
  ORDER(x->asked_ns, y->asked_ns);
  ORDER(x->request, y->request);
  ORDER(x->name, y->name);
  return 0;
}

static int by_asking(const void *a, const void *b) {
  const tdm_captured_visit *x = a, *y = b;
  ORDER(x->asked_ns, y->asked_ns);
  return by_start(a, b);
}

static void sort(void *items, size_t count, size_t size, int (*order)(const void *, const void *)) {
  if (count > 1) qsort(items, count, size, order);
}

/* ---- rows ---- */

static bool read_requests(const tdm_recording *recording, uint32_t l, const tdm_layout *layout,
                          tdm_captured_visits *out) {
  const tdm_kept_rows *rows = tdm_recording_rows(recording, l);
  uint32_t id = tdm_layout_column(layout, "request");
  if (id == 0 || !tdm_array_grow(&out->requests, &out->request_room,
                                 out->request_count + rows->count, sizeof *out->requests))
    return id == 0;
  for (size_t i = 0; i < rows->count; i++)
    out->requests[out->request_count++] =
        (tdm_captured_request){.id = (uint64_t)tdm_kept(rows, id, i),
                               .start_ns = tdm_kept(rows, TDM_START, i),
                               .end_ns = tdm_lanes_end(rows, (uint32_t)i),
                               .layout = l,
                               .row = (uint32_t)i,
                               .name = (uint32_t)tdm_kept(rows, TDM_NAME, i),
                               .open = layout->shape == TDM_SHAPE_OPEN};
  return true;
}

static bool read_stages(const tdm_recording *recording, uint32_t l, const tdm_layout *layout,
                        tdm_captured_visits *out) {
  const tdm_kept_rows *rows = tdm_recording_rows(recording, l);
  uint32_t id = tdm_layout_column(layout, "request"), batch = tdm_layout_column(layout, "batch");
  uint32_t bytes = tdm_layout_column(layout, "bytes");
  if (id == 0 || !tdm_array_grow(&out->visits, &out->visit_room, out->visit_count + rows->count,
                                 sizeof *out->visits))
    return id == 0;
  for (size_t i = 0; i < rows->count; i++) {
    int64_t members = batch != 0 ? tdm_kept(rows, batch, i) : 1;
    int64_t start_ns = tdm_kept(rows, TDM_START, i);
    out->visits[out->visit_count++] =
        (tdm_captured_visit){.request = (uint64_t)tdm_kept(rows, id, i),
                             .start_ns = start_ns,
                             .asked_ns = start_ns,
                             .end_ns = tdm_lanes_end(rows, (uint32_t)i),
                             .bytes = bytes != 0 ? tdm_kept(rows, bytes, i) : TDM_NONE,
                             .track = (uint32_t)tdm_kept(rows, TDM_TRACK, i),
                             .name = (uint32_t)tdm_kept(rows, TDM_NAME, i),
                             .batch = members > 1 && members < UINT32_MAX ? (uint32_t)members : 1};
  }
  return true;
}

static bool read_waits(const tdm_recording *recording, uint32_t l, const tdm_layout *layout,
                       wait_list *waits) {
  const tdm_kept_rows *rows = tdm_recording_rows(recording, l);
  uint32_t id = tdm_layout_column(layout, "request");
  if (id == 0 ||
      !tdm_array_grow(&waits->row, &waits->room, waits->count + rows->count, sizeof *waits->row))
    return id == 0;
  for (size_t i = 0; i < rows->count; i++)
    waits->row[waits->count++] = (wait_row){.request = (uint64_t)tdm_kept(rows, id, i),
                                            .start_ns = tdm_kept(rows, TDM_START, i),
                                            .end_ns = tdm_lanes_end(rows, (uint32_t)i),
                                            .track = (uint32_t)tdm_kept(rows, TDM_TRACK, i),
                                            .name = (uint32_t)tdm_kept(rows, TDM_NAME, i)};
  return true;
}

static bool read_rows(const tdm_recording *recording, tdm_captured_visits *out, wait_list *waits) {
  bool fits = true;
  for (uint32_t l = 0; l < tdm_recording_layouts(recording) && fits; l++) {
    const tdm_layout *layout = tdm_recording_layout(recording, l);
    if (layout == NULL) continue;
    if (strcmp(layout->category, "request") == 0)
      fits = read_requests(recording, l, layout, out);
    else if (strcmp(layout->category, "stage") == 0)
      fits = read_stages(recording, l, layout, out);
    else if (strcmp(layout->category, "wait") == 0)
      fits = read_waits(recording, l, layout, waits);
  }
  return fits;
}

/* ---- joined ---- */

static tdm_captured_request *find_request(const tdm_captured_visits *v, uint64_t id) {
  tdm_captured_request key = {.id = id};
  if (v->request_count == 0) return NULL;
  return bsearch(&key, v->requests, v->request_count, sizeof key, by_id);
}

/* The first row at or above `key`. */
static size_t lower(const wait_list *waits, const wait_row *key,
                    int (*order)(const void *, const void *)) {
  size_t low = 0, high = waits->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (order(&waits->row[middle], key) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void join_waits(tdm_captured_visits *v, wait_list *waits) {
  sort(waits->row, waits->count, sizeof *waits->row, by_service);
  for (size_t i = 0; i < v->visit_count; i++) {
    tdm_captured_visit *visit = &v->visits[i];
    wait_row key = {.request = visit->request,
                    .name = visit->name,
                    .end_ns = visit->start_ns,
                    .start_ns = INT64_MIN};
    size_t at = lower(waits, &key, by_service);
    for (; at < waits->count && waits->row[at].request == visit->request &&
           waits->row[at].name == visit->name && waits->row[at].end_ns == visit->start_ns;
         at++) {
      if (waits->row[at].used) continue;
      waits->row[at].used = true;
      visit->asked_ns = waits->row[at].start_ns;
      break;
    }
  }
}

/* A queue and its servers are tracks of one name. */
static bool same_station(const tdm_recording *recording, uint32_t a, uint32_t b) {
  const tdm_track *x = tdm_recording_track(recording, a), *y = tdm_recording_track(recording, b);
  return x != NULL && y != NULL && strcmp(x->process, y->process) == 0 &&
         strcmp(x->name, y->name) == 0;
}

static bool add_member(tdm_captured_visits *v, tdm_captured_visit *visit, wait_row *wait) {
  const tdm_captured_request *request = find_request(v, wait->request);
  wait->taken = true;
  if (wait->start_ns > visit->asked_ns) visit->asked_ns = wait->start_ns;
  if (request == NULL) return true;
  if (!tdm_array_grow(&v->members, &v->member_room, v->member_count + 1, sizeof *v->members))
    return false;
  v->members[v->member_count++] =
      (tdm_captured_member){wait->start_ns, visit->end_ns, visit->name, request->thread};
  return true;
}

static bool join_batches(const tdm_recording *recording, tdm_captured_visits *v, wait_list *waits) {
  sort(waits->row, waits->count, sizeof *waits->row, by_end);
  sort(v->visits, v->visit_count, sizeof *v->visits, by_start);
  for (size_t i = 0; i < v->visit_count; i++) {
    tdm_captured_visit *visit = &v->visits[i];
    uint32_t wanted = visit->batch - 1;
    wait_row key = {.name = visit->name, .end_ns = visit->start_ns, .start_ns = INT64_MIN};
    size_t at = wanted > 0 ? lower(waits, &key, by_end) : waits->count;
    for (; wanted > 0 && at < waits->count; at++) {
      wait_row *wait = &waits->row[at];
      if (wait->name != visit->name || wait->end_ns != visit->start_ns) break;
      if (wait->used || wait->taken || !same_station(recording, wait->track, visit->track))
        continue;
      if (!add_member(v, visit, wait)) return false;
      wanted--;
    }
    v->lost_members += wanted;
  }
  return true;
}

/* ---- slots ---- */

typedef struct {
  int64_t key;
  uint32_t value;
} heap_item;

typedef struct {
  heap_item *item;
  size_t count;
} heap;

static bool less(const heap_item *a, const heap_item *b) {
  return a->key != b->key ? a->key < b->key : a->value < b->value;
}

static void heap_push(heap *h, heap_item item) {
  size_t i = h->count++;
  for (; i > 0 && less(&item, &h->item[(i - 1) / 2]); i = (i - 1) / 2)
    h->item[i] = h->item[(i - 1) / 2];
  h->item[i] = item;
}

static heap_item heap_pop(heap *h) {
  heap_item first = h->item[0], last = h->item[--h->count];
  size_t i = 0;
  for (size_t child = 1; child < h->count; child = 2 * i + 1) {
    if (child + 1 < h->count && less(&h->item[child + 1], &h->item[child])) child++;
    if (!less(&h->item[child], &last)) break;
    h->item[i] = h->item[child];
    i = child;
  }
  h->item[i] = last;
  return first;
}

uint32_t tdm_captured_slots(const int64_t *start_ns, const int64_t *end_ns, size_t count,
                            uint32_t *slot) {
  heap busy = {tdm_array_new(count + 1, sizeof(heap_item)), 0};
  heap idle = {tdm_array_new(count + 1, sizeof(heap_item)), 0};
  uint32_t used = 0;
  for (size_t i = 0; i < count && busy.item != NULL && idle.item != NULL; i++) {
    while (busy.count > 0 && busy.item[0].key <= start_ns[i]) {
      uint32_t freed = heap_pop(&busy).value;
      heap_push(&idle, (heap_item){freed, freed});
    }
    slot[i] = idle.count > 0 ? heap_pop(&idle).value : used++;
    heap_push(&busy, (heap_item){end_ns[i], slot[i]});
  }
  free(busy.item);
  free(idle.item);
  return used;
}

static int by_arrival(const void *a, const void *b) {
  const tdm_captured_request *x = a, *y = b;
  ORDER(x->start_ns, y->start_ns);
  ORDER(x->id, y->id);
  return 0;
}

/* A request that had not ended keeps its thread. */
static bool give_threads(tdm_captured_visits *v) {
  size_t count = v->request_count;
  int64_t *start_ns = tdm_array_new(count, sizeof *start_ns);
  int64_t *end_ns = tdm_array_new(count, sizeof *end_ns);
  uint32_t *slot = tdm_array_new(count, sizeof *slot);
  if (start_ns != NULL && end_ns != NULL && slot != NULL) {
    sort(v->requests, count, sizeof *v->requests, by_arrival);
    for (size_t i = 0; i < count; i++) {
      start_ns[i] = v->requests[i].start_ns;
      end_ns[i] = v->requests[i].open ? INT64_MAX : v->requests[i].end_ns;
    }
    v->threads = tdm_captured_slots(start_ns, end_ns, count, slot);
    for (size_t i = 0; i < count && v->threads > 0; i++) v->requests[i].thread = slot[i];
    sort(v->requests, count, sizeof *v->requests, by_id);
  }
  free(start_ns);
  free(end_ns);
  free(slot);
  return v->threads > 0;
}

/* ---- the whole ---- */

static bool join(const tdm_recording *recording, tdm_captured_visits *v, wait_list *waits) {
  if (!give_threads(v)) return false;
  join_waits(v, waits);
  if (!join_batches(recording, v, waits)) return false;
  size_t kept = 0; /* without those whose request the trace's limit or a filter left out */
  for (size_t i = 0; i < v->visit_count; i++) {
    const tdm_captured_request *request = find_request(v, v->visits[i].request);
    if (request == NULL) continue;
    v->visits[kept] = v->visits[i];
    v->visits[kept++].thread = request->thread;
  }
  v->visit_count = kept;
  sort(v->visits, v->visit_count, sizeof *v->visits, by_asking);
  return true;
}

tdm_status tdm_captured_visits_read(const tdm_recording *recording, tdm_captured_visits *out,
                                    tdm_error *error) {
  wait_list waits = {0};
  tdm_status status = TDM_OK;
  *out = (tdm_captured_visits){0};
  if (!read_rows(recording, out, &waits))
    status = tdm_error_memory(error, "the visits of a run", out->visit_count * sizeof *out->visits);
  else if (out->visit_count == 0)
    status = tdm_error_set(error, TDM_INVALID,
                           "the run was not simulated (it has no rows of category stage): export "
                           "it without --as-captured");
  else if (out->request_count == 0)
    status = tdm_error_set(error, TDM_INVALID,
                           "the run's trace tells no requests (an older tandem kept it): simulate "
                           "it again");
  else if (!join(recording, out, &waits))
    status = tdm_error_memory(error, "the visits of a run", out->visit_count * sizeof *out->visits);
  free(waits.row);
  return status;
}

void tdm_captured_visits_free(tdm_captured_visits *visits) {
  free(visits->requests);
  free(visits->visits);
  free(visits->members);
}
