/* GPU work under the stacks that launched it: kernels, copies, memsets and graphs as leaves below
 * the host frames that were open when they were asked for, GPU by GPU; see inside.h. A host frame
 * is copied below a GPU once, when the first work needs it. */
#include "analysis/flame/inside.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

typedef struct {
  const tdm_flame_stacks *stacks;
  tdm_flame_tree *tree;
  uint32_t devices;
  uint32_t *root;  /* [devices + 1] frame + 1; the last is of work without a device */
  uint32_t **copy; /* [devices + 1][host frames] frame + 1, made when needed */
  uint32_t *path;  /* [path_room] */
  size_t path_room;
} job;

static uint32_t device_root(job *j, uint32_t device, int64_t track) {
  if (j->root[device] != 0) return j->root[device] - 1;
  tdm_run_view *view = j->stacks->view;
  const tdm_track *about = tdm_run_view_track(view, track);
  uint32_t at =
      about == NULL ? 0 : tdm_flame_source_frame(view, j->tree, j->stacks->texts, about->source);
  const tdm_device *known = tdm_run_view_device(view, device);
  if (at != TDM_FLAME_FAILED && known != NULL)
    at = tdm_flame_text_child(j->tree, j->stacks->texts, at, TDM_FLAME_DEVICE, known->name,
                              strlen(known->name));
  if (at != TDM_FLAME_FAILED) j->root[device] = at + 1;
  return at;
}

/* The copy of a host frame below a device: from the nearest ancestor that has one, down. */
static uint32_t copy_of(job *j, uint32_t device, uint32_t root, uint32_t host) {
  const tdm_flame_tree *from = j->stacks->tree;
  if (j->copy[device] == NULL) {
    j->copy[device] = tdm_array_new(from->count, sizeof **j->copy);
    if (j->copy[device] == NULL) return TDM_FLAME_FAILED;
  }
  uint32_t *copy = j->copy[device];
  size_t depth = 0;
  uint32_t at = host;
  for (; at != 0 && copy[at] == 0; at = from->node[at].parent) {
    if (!tdm_array_grow(&j->path, &j->path_room, depth + 1, sizeof *j->path))
      return TDM_FLAME_FAILED;
    j->path[depth++] = at;
  }
  uint32_t to = at == 0 ? root : copy[at] - 1;
  while (depth > 0) {
    const tdm_flame_node *node = &from->node[j->path[--depth]];
    if (node->kind != TDM_FLAME_RANK) to = tdm_flame_child(j->tree, to, node->kind, node->label);
    if (to == TDM_FLAME_FAILED) return to;
    copy[j->path[depth]] = to + 1;
  }
  return to;
}

static uint32_t stream_frame(job *j, uint32_t root, int64_t track) {
  const tdm_track *about = tdm_run_view_track(j->stacks->view, track);
  if (about == NULL || about->name[0] == 0) return root;
  return tdm_flame_text_child(j->tree, j->stacks->texts, root, TDM_FLAME_STREAM, about->name,
                              strlen(about->name));
}

static bool take(job *j, const tdm_table *work, size_t row, tdm_flame_launched *seen) {
  int64_t track = tdm_table_track(work, row),
          dur_ns = tdm_table_end_ns(work, row) - tdm_table_start_ns(work, row);
  uint32_t device = tdm_run_view_device_of(j->stacks->view, track);
  if (device == TDM_NO_DEVICE) device = j->devices;
  uint32_t at = device_root(j, device, track);
  if (at == TDM_FLAME_FAILED) return false;
  uint32_t call = tdm_flame_stacks_launch(j->stacks, row);
  if (call != TDM_FLAME_FAILED) {
    at = copy_of(j, device, at, call);
  } else {
    at = stream_frame(j, at, track);
    seen->without_call++;
    seen->without_call_ns += dur_ns;
  }
  if (at == TDM_FLAME_FAILED) return false;
  at = tdm_flame_child(j->tree, at, TDM_FLAME_KERNEL + (uint32_t)tdm_table_category(work, row),
                       (uint32_t)tdm_table_name(work, row));
  if (at == TDM_FLAME_FAILED) return false;
  j->tree->node[at].self += dur_ns;
  j->tree->node[at].count++;
  seen->total_ns += dur_ns;
  return true;
}

tdm_status tdm_flame_launched_read(const tdm_flame_stacks *stacks, tdm_flame_tree *tree,
                                   tdm_flame_launched *seen, tdm_error *error) {
  const tdm_table *work;
  tdm_status status = tdm_run_view_table(stacks->view, &tdm_gpu_work, &work, error);
  if (status != TDM_OK) return status;
  job j = {.stacks = stacks, .tree = tree, .devices = tdm_run_view_devices(stacks->view)};
  j.root = tdm_array_new((size_t)j.devices + 1, sizeof *j.root);
  j.copy = tdm_array_new((size_t)j.devices + 1, sizeof *j.copy);
  bool fits = j.root != NULL && j.copy != NULL;
  seen->rows = work->count;
  for (size_t i = 0; fits && i < work->count; i++) fits = take(&j, work, i, seen);
  for (uint32_t d = 0; j.copy != NULL && d <= j.devices; d++) free(j.copy[d]);
  free(j.copy);
  free(j.root);
  free(j.path);
  return fits ? TDM_OK : tdm_error_memory(error, "stacks of GPU work", 0);
}
