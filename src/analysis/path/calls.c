/* Which calls the rows of a run name by their correlation, as records of the host. See path.h.
 *
 * The join is as large as the graph and is needed for this alone, so it is made before the graph
 * and forgotten. Owns nothing that stays but arrays of the path. */
#include <stdlib.h>
#include <string.h>

#include "analysis/path/path.h"
#include "base/memory.h"

typedef struct {
  tdm_run_view *apart;            /* whose tables they are, in a large run; NULL */
  tdm_correlation own;            /* theirs */
  const tdm_correlation *by_call; /* own, or one that the view keeps */
  uint32_t *host_of;              /* by call: the host record that it is */
} join;

/* A large run's is not left to the view to keep, nor has it what was launched. */
static tdm_status join_apart(tdm_path *path, join *j, tdm_error *error) {
  static const tdm_table nothing = {0};
  const tdm_table *calls = NULL;
  tdm_status status = tdm_run_view_apart(path->view, &j->apart, error);
  if (status == TDM_OK) status = tdm_run_view_table(j->apart, &tdm_api_calls, &calls, error);
  if (status == TDM_OK)
    status =
        tdm_correlation_open(j->apart, calls, TDM_API_CORRELATION, &nothing, 0, &j->own, error);
  j->by_call = &j->own;
  return status;
}

static tdm_status join_all(tdm_path *path, join *j, tdm_error *error) {
  tdm_run_view *view = tdm_run_view_all_sources(path->view);
  const tdm_launched *launched = NULL;
  tdm_status status = tdm_gpu_launched_within(view, &launched, error);
  if (status == TDM_OK) j->by_call = &launched->by_call;
  return status;
}

static tdm_status open_join(tdm_path *path, join *j, tdm_error *error) {
  enum { LARGE = 1 << 20 };
  bool apart = path->source != TDM_NONE || path->host->count + path->work->count > LARGE;
  tdm_status status = apart ? join_apart(path, j, error) : join_all(path, j, error);
  if (status != TDM_OK) return status;
  j->host_of = tdm_array_raw(j->by_call->causes->count + 1, sizeof *j->host_of);
  if (j->host_of == NULL) return tdm_error_memory(error, "the critical path", 0);
  size_t calls = 0; /* both tables are in one order, and hold the same calls */
  for (uint32_t h = 0; h < path->host->count; h++)
    if (tdm_table_category(path->host, h) <= TDM_HOST_DRIVER) j->host_of[calls++] = h;
  return TDM_OK;
}

static void close_join(join *j) {
  if (j->by_call == &j->own) tdm_correlation_close(&j->own);
  free(j->host_of);
  if (j->apart == NULL) return;
  tdm_run_view_close(j->apart);
  tdm_memory_return();
}

/* By row of a table, the call that an argument of it names; NULL: out of memory. */
static uint32_t *calls_of(const join *j, const tdm_table *table, size_t key) {
  uint32_t *call = tdm_array_raw(table->count + 1, sizeof *call);
  for (size_t i = 0; call != NULL && i < table->count; i++) {
    uint32_t found =
        tdm_correlation_find(j->by_call, tdm_table_track(table, i), tdm_table_arg(table, key, i));
    call[i] = found == TDM_NO_ROW ? found : j->host_of[found];
  }
  return call;
}

tdm_status tdm_path_find_calls(tdm_path *path, tdm_error *error) {
  join j = {0};
  tdm_status status = open_join(path, &j, error);
  if (status == TDM_OK) {
    path->launch = calls_of(&j, path->work, TDM_PATH_WORK_CORRELATION);
    path->sync_call = calls_of(&j, path->sync, TDM_PATH_SYNC_CORRELATION);
    path->record_call = calls_of(&j, path->sync, TDM_PATH_SYNC_RECORD_CALL);
    path->event_call = calls_of(&j, path->event, TDM_PATH_EVENT_CORRELATION);
    path->overhead_call = calls_of(&j, path->overhead, TDM_PATH_OVERHEAD_CORRELATION);
    if (path->launch == NULL || path->sync_call == NULL || path->record_call == NULL ||
        path->event_call == NULL || path->overhead_call == NULL)
      status = tdm_error_memory(error, "the critical path", path->work->count * 4);
  }
  close_join(&j);
  for (size_t w = 0; status == TDM_OK && w < path->work->count; w++)
    path->unlaunched += path->launch[w] == TDM_NO_ROW;
  return status;
}
