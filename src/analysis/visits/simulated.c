/* A simulated run as requests and visits: its rows say which request they are of, so it needs no
 * map, and its waits are told; see visits.h. */
#include "analysis/visits/visits.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/visits/inside.h"
#include "base/memory.h"
#include "trace/store/pages.h"

static const char *const categories[] = {"stage", "wait", NULL};
enum { ROW_STAGE, ROW_WAIT };
static const tdm_arg keys[] = {
    {"request", TDM_ARG_INT}, {"bytes", TDM_ARG_INT}, {"batch", TDM_ARG_INT}, {NULL, TDM_ARG_INT}};
enum { KEY_REQUEST, KEY_BYTES, KEY_BATCH };
static const tdm_wanted wanted = {.categories = categories, .keys = keys};

typedef struct {
  int64_t id, arrival_ns, end_ns;
  tdm_outcome outcome;
} request;

typedef struct {
  tdm_run_view *view;
  tdm_simulated_visits *out;
  request *request; /* by id */
  size_t requests, request_room;
  tdm_visit_stage stage[TDM_VISIT_STAGES];
  int64_t stage_name[TDM_VISIT_STAGES];
  uint32_t stages;
  tdm_pieces pieces;
  tdm_visit_batches batches;
} reading;

/* ---- requests ---- */

static tdm_outcome outcome_of(const unsigned char *text) {
  for (tdm_outcome i = 0; i < TDM_OUTCOMES; i++)
    if (text != NULL && strcmp((const char *)text, tdm_outcome_name(i)) == 0) return i;
  return TDM_OUTCOME_OPEN;
}

static tdm_status take_request(reading *r, sqlite3_stmt *row, tdm_error *error) {
  request one = {.id = sqlite3_column_int64(row, 0),
                 .arrival_ns = sqlite3_column_int64(row, 1),
                 .end_ns = sqlite3_column_int64(row, 2),
                 .outcome = outcome_of(sqlite3_column_text(row, 3))};
  if (sqlite3_column_type(row, 2) == SQLITE_NULL || one.outcome == TDM_OUTCOME_OPEN) {
    r->out->open++;
    return TDM_OK;
  }
  bool untraced =
      sqlite3_column_type(row, 4) != SQLITE_NULL && one.end_ns > sqlite3_column_int64(row, 4);
  if (untraced) {
    r->out->untraced++;
    return TDM_OK;
  }
  if (!tdm_array_grow(&r->request, &r->request_room, r->requests + 1, sizeof one))
    return tdm_error_memory(error, "requests", r->requests * sizeof one);
  r->request[r->requests++] = one;
  return TDM_OK;
}

static tdm_status read_requests(reading *r, tdm_error *error) {
  sqlite3 *database = tdm_run_view_database(r->view);
  sqlite3_stmt *row = NULL;
  tdm_status status = TDM_OK;
  int code = sqlite3_prepare_v2(
      database,
      "SELECT q.id, q.arrival_ns, q.end_ns, q.outcome, r.complete_until_ns"
      " FROM request AS q JOIN run AS r ON r.number = q.run WHERE q.run = ?1 ORDER BY q.id",
      -1, &row, NULL);
  if (code == SQLITE_OK)
    code = sqlite3_bind_int64(row, 1, tdm_run_tables_run(tdm_run_view_tables(r->view)));
  while (code == SQLITE_OK || code == SQLITE_ROW) {
    code = sqlite3_step(row);
    if (code != SQLITE_ROW) break;
    status = take_request(r, row, error);
    if (status != TDM_OK) break;
  }
  if (status == TDM_OK && code != SQLITE_DONE)
    status = tdm_error_set(error, TDM_IO, "requests of a run: %s", tdm_pages_reason(database));
  sqlite3_finalize(row);
  return status;
}

/* UINT32_MAX: not one that counts. */
static uint32_t request_of(const reading *r, int64_t id) {
  size_t low = 0, high = r->requests;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (r->request[middle].id < id)
      low = middle + 1;
    else
      high = middle;
  }
  return low < r->requests && r->request[low].id == id ? (uint32_t)low : UINT32_MAX;
}

/* ---- rows ---- */

/* UINT32_MAX: none of this name. */
static uint32_t find_stage(const reading *r, int64_t name) {
  for (uint32_t s = 0; s < r->stages; s++)
    if (r->stage_name[s] == name) return s;
  return UINT32_MAX;
}

static tdm_status learn_stages(reading *r, const tdm_table *rows, tdm_error *error) {
  for (size_t i = 0; i < rows->count; i++) {
    if (tdm_table_category(rows, i) != ROW_STAGE) continue;
    const tdm_track *track = tdm_run_view_track(r->view, tdm_table_track(rows, i));
    uint32_t known = find_stage(r, tdm_table_name(rows, i));
    if (known != UINT32_MAX) {
      int64_t *capacity = &r->stage[known].capacity;
      if (track != NULL && track->capacity > *capacity) *capacity = track->capacity;
      continue;
    }
    if (r->stages == TDM_VISIT_STAGES)
      return tdm_error_set(error, TDM_LIMIT, "more than %d stages", TDM_VISIT_STAGES);
    r->stage_name[r->stages] = tdm_table_name(rows, i);
    r->stage[r->stages++] = (tdm_visit_stage){
        .name = (char *)(uintptr_t)tdm_run_view_name(r->view, tdm_table_name(rows, i)),
        .lane = track != NULL ? track->lane : TDM_LANE_OTHER,
        .capacity = track != NULL ? track->capacity : TDM_NONE};
  }
  return TDM_OK;
}

static int take_batch(reading *r, const tdm_table *rows, size_t row, uint32_t stage) {
  int64_t members = tdm_table_arg(rows, KEY_BATCH, row);
  tdm_visit_batches *to = &r->batches;
  if (members == TDM_NONE || members <= 1) return 1;
  if (!tdm_array_grow(&to->batch, &to->room, to->count + 1, sizeof *to->batch)) return 0;
  to->batch[to->count++] =
      (tdm_visit_batch){tdm_table_start_ns(rows, row), tdm_table_end_ns(rows, row), stage,
                        (uint32_t)tdm_table_track(rows, row), (uint32_t)members - 1};
  return 1;
}

static tdm_status take_rows(reading *r, const tdm_table *rows, tdm_error *error) {
  for (size_t i = 0; i < rows->count; i++) {
    uint32_t of = request_of(r, tdm_table_arg(rows, KEY_REQUEST, i));
    uint32_t stage = find_stage(r, tdm_table_name(rows, i));
    bool is_wait = tdm_table_category(rows, i) == ROW_WAIT;
    if (!is_wait && !take_batch(r, rows, i, stage))
      return tdm_error_memory(error, "batches", r->batches.count);
    if (of == UINT32_MAX) {
      r->out->outside_rows++;
      continue;
    }
    if (stage == UINT32_MAX) stage = 0; /* a wait for what nobody got is one all the same */
    tdm_piece piece = {.request = of,
                       .stage = stage,
                       .resource = (uint32_t)tdm_table_track(rows, i),
                       .is_wait = is_wait,
                       .start_ns = tdm_table_start_ns(rows, i),
                       .end_ns = tdm_table_end_ns(rows, i),
                       .bytes = is_wait ? TDM_NONE : tdm_table_arg(rows, KEY_BYTES, i)};
    if (!tdm_pieces_add(&r->pieces, piece))
      return tdm_error_memory(error, "pieces of visits", rows->count * sizeof piece);
  }
  return TDM_OK;
}

static tdm_status make(reading *r, tdm_error *error) {
  tdm_simulated_visits *out = r->out;
  int64_t *arrival_ns = tdm_array_new(r->requests + 1, sizeof *arrival_ns);
  int64_t *end_ns = tdm_array_new(r->requests + 1, sizeof *end_ns);
  out->id = tdm_array_new(r->requests + 1, sizeof *out->id);
  out->outcome = tdm_array_new(r->requests + 1, sizeof *out->outcome);
  tdm_status status = TDM_OK;
  if (arrival_ns == NULL || end_ns == NULL || out->id == NULL || out->outcome == NULL)
    status = tdm_error_memory(error, "requests", r->requests * sizeof *end_ns);
  for (size_t i = 0; status == TDM_OK && i < r->requests; i++) {
    arrival_ns[i] = r->request[i].arrival_ns;
    end_ns[i] = r->request[i].end_ns;
  }
  if (status == TDM_OK)
    status = tdm_visit_batch_members(r->view, &r->batches, r->requests, arrival_ns, end_ns,
                                     &r->pieces, &out->lost_members, error);
  tdm_visit_input input = {.requests = r->requests,
                           .arrival_ns = arrival_ns,
                           .end_ns = end_ns,
                           .stage = r->stage,
                           .stages = r->stages,
                           .pieces = &r->pieces,
                           .tells_waits = true};
  if (status == TDM_OK) status = tdm_visits_make(&input, &out->visits, error);
  for (size_t i = 0; status == TDM_OK && i < r->requests; i++) {
    out->id[i] = r->request[out->visits.given[i]].id;
    out->outcome[i] = r->request[out->visits.given[i]].outcome;
  }
  free(arrival_ns);
  free(end_ns);
  return status;
}

tdm_status tdm_simulated_visits_open(tdm_run_view *view, tdm_simulated_visits *out,
                                     tdm_error *error) {
  *out = (tdm_simulated_visits){0};
  reading r = {.view = view, .out = out};
  const tdm_table *rows = NULL;
  tdm_status status = read_requests(&r, error);
  if (status == TDM_OK) status = tdm_run_view_table(view, &wanted, &rows, error);
  if (status == TDM_OK) status = learn_stages(&r, rows, error);
  if (status == TDM_OK && (r.requests == 0 || r.stages == 0))
    status = tdm_error_set(error, TDM_INVALID,
                           r.requests == 0 ? "no request ended"
                                           : "the run has no rows of stages: simulate it "
                                             "with its spans kept");
  if (status == TDM_OK) status = take_rows(&r, rows, error);
  if (status == TDM_OK) status = make(&r, error);
  free(r.request);
  free(r.pieces.piece);
  free(r.batches.batch);
  if (status != TDM_OK) tdm_simulated_visits_close(out);
  return status;
}

void tdm_simulated_visits_close(tdm_simulated_visits *simulated) {
  tdm_visits_close(&simulated->visits);
  free(simulated->id);
  free(simulated->outcome);
  *simulated = (tdm_simulated_visits){0};
}
