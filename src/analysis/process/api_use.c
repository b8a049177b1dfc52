/* What each call of a run did: its action, the bytes it copied or allocated, whether the host
 * stopped in it; see inside.h. Names are looked at once each. */
#include "analysis/process/inside.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/intervals.h"
#include "analysis/run_view/gpu_work.h"
#include "base/memory.h"

static const char *const categories[] = {"runtime", "driver", NULL};
static const tdm_arg keys[] = {{"bytes", TDM_ARG_INT},
                               {"kind", TDM_ARG_TEXT},
                               {"return_code", TDM_ARG_INT},
                               {NULL, TDM_ARG_INT}};
static const tdm_wanted wanted_calls = {.categories = categories, .keys = keys};
enum { CALL_BYTES, CALL_KIND, CALL_CODE };

/* Actions by name id, + 1; 0: not asked yet. */
typedef struct {
  tdm_run_view *view;
  uint8_t *action, *is_async;
  size_t room;
} named;

static bool know_name(named *n, int64_t name) {
  if (name < 0) return false;
  if ((size_t)name >= n->room) {
    size_t before = n->room, room = before;
    if (!tdm_array_grow(&n->action, &room, (size_t)name + 1, 1)) return false;
    if (!tdm_array_grow(&n->is_async, &n->room, (size_t)name + 1, 1)) return false;
    memset(n->action + before, 0, n->room - before);
  }
  if (n->action[name] != 0) return true;
  const char *text = tdm_run_view_name(n->view, name);
  n->action[name] = (uint8_t)(tdm_api_action_of(text) + 1);
  n->is_async[name] = strstr(text, "Async") != NULL;
  return true;
}

/* What the work of copies on the GPU says of their calls. */
static tdm_status know_work(tdm_api_use *use, tdm_run_view *view, int64_t *kind, tdm_error *error) {
  const tdm_launched *launched = NULL;
  tdm_status status = tdm_gpu_launched_within(view, &launched, error);
  for (size_t w = 0; status == TDM_OK && w < launched->work->count; w++) {
    const tdm_table *work = launched->work;
    uint32_t c = launched->by_call.cause[w];
    if (tdm_table_category(work, w) != TDM_WORK_MEMCPY || c == TDM_NO_ROW) continue;
    if (kind[c] == TDM_NONE) kind[c] = tdm_table_arg(work, TDM_WORK_COPY_KIND, w);
    if (use->bytes[c] == TDM_NONE) use->bytes[c] = tdm_table_arg(work, TDM_WORK_BYTES, w);
    use->copy_ns[c] = tdm_sum_ns(
        use->copy_ns[c], tdm_length_ns(tdm_table_start_ns(work, w), tdm_table_end_ns(work, w)));
  }
  return status;
}

static void know_call(tdm_api_use *use, const named *n, size_t c, int64_t kind, int64_t *until_ns) {
  int64_t name = tdm_table_name(use->call, c), end_ns = tdm_table_end_ns(use->call, c);
  uint8_t action = (uint8_t)(n->action[name] - 1);
  use->inner[c] = tdm_table_category(use->call, c) == TDM_API_DRIVER && end_ns <= *until_ns;
  if (end_ns > *until_ns) *until_ns = end_ns;
  if (action == TDM_ACTION_COPY && kind != TDM_NONE)
    action = (uint8_t)tdm_api_copy_way(tdm_run_view_name(n->view, kind));
  else if (action == TDM_ACTION_COPY && !use->inner[c])
    use->unknown_copies = true;
  bool copies = action >= TDM_ACTION_TO_GPU && action <= TDM_ACTION_COPY;
  use->action[c] = action;
  use->stops[c] = action == TDM_ACTION_WAIT || (copies && !n->is_async[name]);
  if (!use->inner[c] && use->bytes[c] != TDM_NONE) use->known_bytes = true;
}

static tdm_status know_calls(tdm_api_use *use, tdm_run_view *view, const int64_t *kind,
                             tdm_error *error) {
  uint32_t tracks = tdm_run_tables_tracks(tdm_run_view_tables(view));
  named n = {.view = view};
  int64_t *until_ns = tdm_array_raw((size_t)tracks + 1, sizeof *until_ns);
  tdm_status status = until_ns == NULL ? tdm_error_memory(error, "calls", tracks) : TDM_OK;
  for (uint32_t t = 0; status == TDM_OK && t < tracks; t++) until_ns[t] = INT64_MIN;
  for (size_t c = 0; status == TDM_OK && c < use->call->count; c++) {
    if (know_name(&n, tdm_table_name(use->call, c)))
      know_call(use, &n, c, kind[c], &until_ns[tdm_table_track(use->call, c)]);
    else
      status = tdm_error_memory(error, "calls", n.room);
  }
  free(until_ns);
  free(n.action);
  free(n.is_async);
  return status;
}

tdm_status tdm_api_use_open(tdm_api_use *use, tdm_run_view *view, tdm_error *error) {
  *use = (tdm_api_use){0};
  tdm_status status = tdm_run_view_table(view, &wanted_calls, &use->call, error);
  if (status != TDM_OK) return status;
  size_t n = use->call->count;
  int64_t *kind = tdm_array_raw(n + 1, sizeof *kind);
  use->action = malloc(n + 1);
  use->inner = malloc(n + 1);
  use->stops = malloc(n + 1);
  use->bytes = tdm_array_raw(n + 1, sizeof *use->bytes);
  use->copy_ns = tdm_array_new(n + 1, sizeof *use->copy_ns);
  if (kind == NULL || use->action == NULL || use->inner == NULL || use->stops == NULL ||
      use->bytes == NULL || use->copy_ns == NULL) {
    free(kind);
    return tdm_error_memory(error, "calls", n * 27);
  }
  for (size_t c = 0; c < n; c++) {
    kind[c] = tdm_table_arg(use->call, CALL_KIND, c);
    int64_t code =
        tdm_table_arg(use->call, CALL_CODE, c); /* what failed has moved and allocated nothing */
    use->bytes[c] =
        code == TDM_NONE || code == 0 ? tdm_table_arg(use->call, CALL_BYTES, c) : TDM_NONE;
  }
  status = know_work(use, view, kind, error);
  if (status == TDM_OK) status = know_calls(use, view, kind, error);
  free(kind);
  return status;
}

void tdm_api_use_close(tdm_api_use *use) {
  free(use->action);
  free(use->bytes);
  free(use->copy_ns);
  free(use->inner);
  free(use->stops);
  *use = (tdm_api_use){0};
}
