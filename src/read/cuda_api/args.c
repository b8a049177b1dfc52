/* The arguments of one record of a CUDA-API trace, and the layouts that such sets make; see
 * record.h. */
#include "read/cuda_api/record.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* A layout costs buffers; no honest file comes near this many. */
enum { LAYOUTS = 512 };

const char *const tdm_api_arg_names[TDM_API_KNOWN_ARGS] = {[TDM_API_BYTES] = "bytes",
                                                           [TDM_API_KIND] = "kind",
                                                           [TDM_API_BANDWIDTH] = "bandwidth",
                                                           [TDM_API_GRID_X] = "grid_x",
                                                           [TDM_API_GRID_Y] = "grid_y",
                                                           [TDM_API_GRID_Z] = "grid_z",
                                                           [TDM_API_BLOCK_X] = "block_x",
                                                           [TDM_API_BLOCK_Y] = "block_y",
                                                           [TDM_API_BLOCK_Z] = "block_z",
                                                           [TDM_API_THREADS] = "threads",
                                                           [TDM_API_SHARED_BYTES] =
                                                               "dynamic_shared_bytes",
                                                           [TDM_API_STREAM] = "stream",
                                                           [TDM_API_DEVICE] = "device",
                                                           [TDM_API_FUNCTION] = "function",
                                                           [TDM_API_PTR] = "ptr",
                                                           [TDM_API_CORRELATION] = "correlation",
                                                           [TDM_API_OP_ID] = "op_id",
                                                           [TDM_API_RETURN_CODE] = "return_code",
                                                           [TDM_API_FD] = "fd",
                                                           [TDM_API_CMD] = "cmd",
                                                           [TDM_API_CPU] = "cpu",
                                                           [TDM_API_TARGET_PID] = "target_pid",
                                                           [TDM_API_ARG0] = "arg0",
                                                           [TDM_API_ARG1] = "arg1"};

/* Where the key is, or would be. */
static uint32_t slot_of(const tdm_api_args *args, uint8_t key) {
  uint32_t at = args->count;
  while (at > 0 && args->key[at - 1].key >= key) at--;
  return at;
}

bool tdm_api_args_put(tdm_api_args *args, uint8_t key, tdm_arg_type type, int64_t value) {
  uint32_t at = slot_of(args, key);
  if (at == args->count || args->key[at].key != key) {
    if (args->count == TDM_API_ARGS) return false;
    for (uint32_t i = args->count++; i > at; i--) {
      args->key[i] = args->key[i - 1];
      args->value[i] = args->value[i - 1];
    }
  }
  args->key[at] = (tdm_api_key){.key = key, .type = (uint8_t)type};
  args->value[at] = value;
  return true;
}

const int64_t *tdm_api_args_get(const tdm_api_args *args, uint8_t key, tdm_arg_type type) {
  uint32_t at = slot_of(args, key);
  if (at == args->count || args->key[at].key != key || args->key[at].type != type) return NULL;
  return &args->value[at];
}

bool tdm_api_args_merge(tdm_api_args *args, const tdm_api_args *more) {
  bool whole = true;
  for (uint32_t i = 0; i < more->count; i++)
    whole &=
        tdm_api_args_put(args, more->key[i].key, (tdm_arg_type)more->key[i].type, more->value[i]);
  return whole;
}

/* ---- layouts ---- */

void tdm_api_layouts_clear(tdm_api_layouts *layouts) {
  tdm_intern_clear(&layouts->sets);
  free(layouts->layout);
  *layouts = (tdm_api_layouts){0};
}

static uint32_t make_layout(const tdm_api_layouts *layouts, tdm_recorder *recorder,
                            const char *category, tdm_shape shape, const tdm_api_args *args) {
  tdm_arg made[TDM_API_ARGS];
  for (uint32_t i = 0; i < args->count; i++) {
    uint8_t key = args->key[i].key;
    made[i].key =
        key < TDM_API_KNOWN_ARGS ? tdm_api_arg_names[key] : layouts->own[key - TDM_API_KNOWN_ARGS];
    made[i].type = (tdm_arg_type)args->key[i].type;
  }
  return tdm_record_layout(recorder, category, shape, made, args->count);
}

/* The id of this kind of row; *given are none where it would be one kind too many.
 * TDM_INTERN_FAILED: out of memory. */
static uint32_t find_layout(tdm_api_layouts *layouts, tdm_recorder *recorder, const char *category,
                            tdm_shape shape, const tdm_api_args **given) {
  static const tdm_api_args none = {0};
  const tdm_api_args *args = *given;
  struct {
    char category[32]; /* whole where it is one of tandem's; a file's own are cut there */
    tdm_api_key key[TDM_API_ARGS];
    uint8_t shape, count;
  } set = {.shape = (uint8_t)shape, .count = (uint8_t)args->count};
  size_t length = strlen(category);
  memcpy(set.category, category, length < sizeof set.category ? length : sizeof set.category);
  memcpy(set.key, args->key, args->count * sizeof args->key[0]);
  int fresh = 0, crowded = layouts->sets.count >= LAYOUTS && args->count > 0;
  uint32_t id = crowded ? tdm_intern_find(&layouts->sets, &set, sizeof set)
                        : tdm_intern_put(&layouts->sets, &set, sizeof set, &fresh);
  if (id == TDM_INTERN_FAILED && crowded) {
    tdm_record_problem(recorder, "arguments of records of too many kinds (left out)", 1);
    *given = &none;
    return find_layout(layouts, recorder, category, shape, given);
  }
  if (id == TDM_INTERN_FAILED) return id;
  if (fresh) {
    if (!tdm_array_grow(&layouts->layout, &layouts->room, (size_t)id + 1, sizeof *layouts->layout))
      return TDM_INTERN_FAILED;
    layouts->layout[id] = make_layout(layouts, recorder, category, shape, args);
  }
  return layouts->layout[id];
}

bool tdm_api_args_write(tdm_api_layouts *layouts, tdm_recorder *recorder, const char *category,
                        tdm_shape shape, int64_t start_ns, int64_t dur_ns, uint32_t track,
                        uint32_t name, const tdm_api_args *args) {
  uint32_t layout = find_layout(layouts, recorder, category, shape, &args);
  if (layout == TDM_INTERN_FAILED) return false;
  tdm_record_row(recorder, layout, start_ns, dur_ns, track, name, args->value, args->count);
  return true;
}
