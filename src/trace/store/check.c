/* Everything of a stored run read, and whether it fits together. See tdm_store_check_run in
 * store.h. Owns which ids were seen while it reads. Called by the binding's database. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "trace/store/store.h"

enum { IDS_MOST = 1 << 28 }; /* a damaged id must not make us allocate without end */

typedef struct {
  unsigned char *seen;
  size_t room;
} id_set;

typedef struct {
  id_set names, tracks;
  uint64_t rows;
} check;

static tdm_status add(id_set *set, uint32_t id, tdm_error *error) {
  size_t old = set->room, need = (size_t)id / 8 + 1;
  if (id > IDS_MOST) return tdm_error_set(error, TDM_IO, "an id is damaged: %u", id);
  if (need > old) {
    if (!tdm_array_grow(&set->seen, &set->room, need, 1))
      return tdm_error_memory(error, "ids of a run", need);
    memset(set->seen + old, 0, set->room - old);
  }
  set->seen[id / 8] |= (unsigned char)(1 << id % 8);
  return TDM_OK;
}

static bool has(const id_set *set, int64_t id) {
  return id >= 0 && (uint64_t)id / 8 < set->room && set->seen[id / 8] >> id % 8 & 1;
}

static tdm_status take_name(void *context, uint32_t id, const char *text, size_t length,
                            tdm_error *error) {
  (void)text, (void)length;
  return add(&((check *)context)->names, id, error);
}

static tdm_status take_track(void *context, uint32_t id, const tdm_track *about, tdm_error *error) {
  (void)about;
  return add(&((check *)context)->tracks, id, error);
}

static tdm_status take_rows(void *context, const tdm_rows *rows, tdm_error *error) {
  check *c = context;
  c->rows += rows->count;
  for (size_t i = 0; i < rows->count; i++) {
    int64_t name = rows->column[TDM_NAME][i], track = rows->column[TDM_TRACK][i];
    if (name != TDM_NONE && !has(&c->names, name))
      return tdm_error_set(error, TDM_IO, "a chunk names what the run has no name of: %lld",
                           (long long)name);
    if (track != TDM_NONE && !has(&c->tracks, track))
      return tdm_error_set(error, TDM_IO,
                           "a chunk lies on a track that the run does not have: %lld",
                           (long long)track);
  }
  return TDM_OK;
}

/* The rest is read, which is what can fail. */
static tdm_status take_layout(void *context, uint32_t id, const tdm_layout *layout,
                              tdm_error *error) {
  (void)context, (void)id, (void)layout, (void)error;
  return TDM_OK;
}
static tdm_status take_source(void *context, uint32_t id, const tdm_source *source,
                              tdm_error *error) {
  (void)context, (void)id, (void)source, (void)error;
  return TDM_OK;
}
static tdm_status take_fact(void *context, uint32_t source, const char *key, const char *value,
                            tdm_error *error) {
  (void)context, (void)source, (void)key, (void)value, (void)error;
  return TDM_OK;
}
static tdm_status take_problem(void *context, uint32_t source, const char *kind, uint64_t count,
                               tdm_error *error) {
  (void)context, (void)source, (void)kind, (void)count, (void)error;
  return TDM_OK;
}
static tdm_status take_metric(void *context, const tdm_metric *metric, tdm_error *error) {
  (void)context, (void)metric, (void)error;
  return TDM_OK;
}
static tdm_status take_artifact(void *context, const char *name, const char *type,
                                const void *bytes, size_t length, tdm_error *error) {
  (void)context, (void)name, (void)type, (void)bytes, (void)length, (void)error;
  return TDM_OK;
}
/* As many as the upper bits of a request's number say. */
static tdm_status check_class(uint32_t index, tdm_error *error) {
  if (index <= UINT16_MAX) return TDM_OK;
  return tdm_error_set(error, TDM_IO, "the number of a request class is damaged: %u", index);
}

static tdm_status take_requests(void *context, const tdm_request_record *records, size_t count,
                                tdm_error *error) {
  (void)context;
  tdm_status status = TDM_OK;
  for (size_t i = 0; i < count && status == TDM_OK; i++)
    status = check_class(records[i].class_index, error);
  return status;
}
static tdm_status take_class(void *context, uint32_t index, const char *name, tdm_error *error) {
  (void)context, (void)name;
  return check_class(index, error);
}

tdm_status tdm_store_check_run(struct sqlite3 *database, int64_t run, uint64_t *rows,
                               tdm_error *error) {
  check c = {0};
  tdm_record_sink sink = {.context = &c,
                          .name = take_name,
                          .track = take_track,
                          .layout = take_layout,
                          .rows = take_rows,
                          .source = take_source,
                          .fact = take_fact,
                          .problem = take_problem,
                          .metric = take_metric,
                          .artifact = take_artifact,
                          .requests = take_requests,
                          .request_class = take_class};
  tdm_status status = tdm_store_load(database, run, INT64_MIN, INT64_MAX, &sink, error);
  free(c.names.seen);
  free(c.tracks.seen);
  *rows = c.rows;
  return status;
}
