/* Members of simulated batches: a batch is one row of its first request; the others wait for the
 * same service and have no row of it; see inside.h. */
#include "analysis/visits/inside.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

typedef struct {
  const tdm_run_view *view;
  tdm_visit_batches *batches;
  tdm_pieces *pieces;
  const uint32_t *row; /* the pieces of one request, by start */
  size_t rows;
  uint32_t request;
} joining;

static int by_start(const void *a, const void *b) {
  const tdm_visit_batch *x = a, *y = b;
  if (x->start_ns != y->start_ns) return x->start_ns < y->start_ns ? -1 : 1;
  if (x->end_ns != y->end_ns) return x->end_ns > y->end_ns ? -1 : 1;
  if (x->track != y->track) return x->track < y->track ? -1 : 1;
  return (x->stage > y->stage) - (x->stage < y->stage);
}

/* The first batch that starts at a time or after it. */
static size_t lower(const tdm_visit_batches *batches, int64_t start_ns) {
  size_t low = 0, high = batches->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (batches->batch[middle].start_ns < start_ns)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* A queue and its servers are tracks of one name. */
static bool same_station(const tdm_run_view *view, uint32_t a, uint32_t b) {
  const tdm_track *x = tdm_run_view_track(view, a), *y = tdm_run_view_track(view, b);
  return x != NULL && y != NULL && strcmp(x->process, y->process) == 0 &&
         strcmp(x->name, y->name) == 0;
}

static int join(joining *j, tdm_visit_batch *batch) {
  batch->wanted--;
  return tdm_pieces_add(j->pieces, (tdm_piece){.request = j->request,
                                               .stage = batch->stage,
                                               .resource = batch->track,
                                               .start_ns = batch->start_ns,
                                               .end_ns = batch->end_ns,
                                               .bytes = TDM_NONE});
}

/* Whether the request itself was served when a wait of its ended: it leads, or was alone. */
static bool is_served(const joining *j, const tdm_piece *wait) {
  for (size_t i = 0; i < j->rows; i++) {
    const tdm_piece *piece = &j->pieces->piece[j->row[i]];
    if (piece->start_ns > wait->end_ns) break;
    if (!piece->is_wait && piece->stage == wait->stage && piece->start_ns == wait->end_ns)
      return true;
  }
  return false;
}

static int join_by_wait(joining *j, const tdm_piece wait) {
  if (is_served(j, &wait)) return 1;
  for (size_t b = lower(j->batches, wait.end_ns);
       b < j->batches->count && j->batches->batch[b].start_ns == wait.end_ns; b++) {
    tdm_visit_batch *batch = &j->batches->batch[b];
    if (batch->wanted > 0 && batch->stage == wait.stage &&
        same_station(j->view, batch->track, wait.resource))
      return join(j, batch);
  }
  return 1;
}

/* Batches that fill a time of which nothing is told, one after another. */
static int join_by_gap(joining *j, int64_t from_ns, int64_t to_ns) {
  while (from_ns < to_ns) {
    tdm_visit_batch *found = NULL;
    for (size_t b = lower(j->batches, from_ns);
         b < j->batches->count && j->batches->batch[b].start_ns == from_ns; b++) {
      tdm_visit_batch *batch = &j->batches->batch[b];
      if (batch->wanted > 0 && batch->end_ns <= to_ns && batch->end_ns > from_ns) {
        found = batch;
        break;
      }
    }
    if (found == NULL) return 1;
    from_ns = found->end_ns;
    if (!join(j, found)) return 0;
  }
  return 1;
}

/* Both ways for one request; `waits`: those who waited go first, for their batch is certain. */
static int join_request(joining *j, bool waits, int64_t arrival_ns, int64_t end_ns) {
  int64_t until_ns = arrival_ns;
  for (size_t i = 0; i < j->rows; i++) {
    const tdm_piece piece = j->pieces->piece[j->row[i]];
    if (waits && piece.is_wait && !join_by_wait(j, piece)) return 0;
    if (!waits && piece.start_ns > until_ns && !join_by_gap(j, until_ns, piece.start_ns)) return 0;
    if (piece.end_ns > until_ns) until_ns = piece.end_ns;
  }
  return waits || join_by_gap(j, until_ns, end_ns);
}

/* Pieces of each request side by side: first [requests + 1]. */
static void gather(const tdm_pieces *pieces, size_t count, size_t requests, size_t *first,
                   uint32_t *row) {
  memset(first, 0, (requests + 2) * sizeof *first);
  for (size_t i = 0; i < count; i++) first[pieces->piece[i].request + 2]++;
  for (size_t r = 0; r < requests; r++) first[r + 2] += first[r + 1];
  for (size_t i = 0; i < count; i++) row[first[pieces->piece[i].request + 1]++] = (uint32_t)i;
}

static int by_piece(const void *a, const void *b) {
  const tdm_piece *x = a, *y = b;
  return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

static int join_all(joining *j, bool waits, size_t requests, const int64_t *arrival_ns,
                    const int64_t *end_ns) {
  size_t count = j->pieces->count;
  size_t *first = tdm_array_new(requests + 2, sizeof *first);
  uint32_t *row = tdm_array_new(count + 1, sizeof *row);
  int done = first != NULL && row != NULL;
  if (done) gather(j->pieces, count, requests, first, row);
  for (uint32_t r = 0; done && r < requests; r++) {
    j->request = r;
    j->row = row + first[r];
    j->rows = first[r + 1] - first[r];
    done = join_request(j, waits, arrival_ns[r], end_ns[r]);
  }
  free(first);
  free(row);
  return done;
}

tdm_status tdm_visit_batch_members(const tdm_run_view *view, tdm_visit_batches *batches,
                                   size_t requests, const int64_t *arrival_ns,
                                   const int64_t *end_ns, tdm_pieces *pieces, uint64_t *lost,
                                   tdm_error *error) {
  *lost = 0;
  if (batches->count == 0) return TDM_OK;
  qsort(batches->batch, batches->count, sizeof *batches->batch, by_start);
  joining j = {.view = view, .batches = batches, .pieces = pieces};
  int done = join_all(&j, true, requests, arrival_ns, end_ns);
  if (done && pieces->count > 1)
    qsort(pieces->piece, pieces->count, sizeof *pieces->piece, by_piece);
  done = done && join_all(&j, false, requests, arrival_ns, end_ns);
  if (!done) return tdm_error_memory(error, "members of batches", pieces->count);
  for (size_t b = 0; b < batches->count; b++) *lost += batches->batch[b].wanted;
  return TDM_OK;
}
