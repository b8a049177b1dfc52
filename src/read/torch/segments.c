/* See segments.h. */
#include "read/torch/segments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

typedef struct {
  int64_t device, address, total, stream, pool[2];
  int64_t said_allocated, said_active; /* TDM_NONE: not said */
  bool large, expandable;
  tdm_torch_held sums; /* of its blocks; largest_free too */
  int64_t free;        /* bytes of blocks that are not active */
} segment;

void tdm_torch_segments_free(tdm_torch_segments *held) {
  free(held->devices);
  free(held->live);
  free(held->pending);
  tdm_intern_clear(&held->stacks);
  tdm_intern_clear(&held->owners);
  tdm_torch_stack_free(&held->stack);
  tdm_torch_text_free(&held->text);
  *held = (tdm_torch_segments){0};
}

/* Sums saturate: only files that lie reach 2^63 bytes. */
static void add(int64_t *sum, int64_t bytes) {
  if (__builtin_add_overflow(*sum, bytes, sum)) *sum = bytes < 0 ? INT64_MIN + 1 : INT64_MAX;
}

static int64_t take_integer(tdm_json *json, int64_t otherwise) {
  size_t length;
  int64_t number;
  tdm_json_token token = tdm_json_next(json);
  const char *text = tdm_json_value(json, &length);
  if (token == TDM_JSON_NUMBER && tdm_number_integer(text, length, &number)) return number;
  tdm_json_skip(json);
  return otherwise;
}

/* ---- blocks ---- */

typedef enum { INACTIVE, PENDING, ALLOCATED } block_state;

static block_state state_named(const char *name) {
  if (strcmp(name, "active_allocated") == 0) return ALLOCATED;
  return strncmp(name, "active", 6) == 0 ? PENDING : INACTIVE;
}

/* Snapshots before PyTorch 2.1 keep a block's frames and what was asked for in its history. */
static void read_history(tdm_torch_segments *held, tdm_json *json, int64_t *requested) {
  tdm_json_token token;
  bool first = true;
  while ((token = tdm_json_next(json)) != TDM_JSON_ARRAY_END && token != TDM_JSON_END) {
    if (token != TDM_JSON_OBJECT || !first) {
      tdm_json_skip(json);
      continue;
    }
    first = false;
    while ((token = tdm_json_next(json)) == TDM_JSON_KEY) {
      const char *key = tdm_json_value(json, NULL);
      if (strcmp(key, "real_size") == 0)
        *requested = take_integer(json, *requested);
      else if (strcmp(key, "frames") != 0)
        tdm_json_skip(json);
      else if ((token = tdm_json_next(json)) == TDM_JSON_ARRAY)
        tdm_torch_stack_read(&held->stack, json, NULL);
      else
        tdm_json_skip(json);
    }
  }
}

/* Keeps the bytes of a live block and its stack: whose they are may be said behind the blocks. */
static bool add_pending(tdm_torch_segments *held, int64_t bytes) {
  tdm_torch_text *text = &held->text;
  tdm_torch_text_clear(text);
  if (held->stack.count > 0)
    tdm_torch_stack_fold(&held->stack, true, text);
  else
    tdm_torch_text_put(text, "(no stack)");
  if (text->failed || tdm_torch_stack_failed(&held->stack)) return false;
  uint32_t id = tdm_intern_put(&held->stacks, text->bytes, text->length, NULL);
  if (id == TDM_INTERN_FAILED || !tdm_array_grow(&held->pending, &held->pending_room,
                                                 held->pending_count + 2, sizeof *held->pending))
    return false;
  held->pending[held->pending_count++] = id;
  held->pending[held->pending_count++] = bytes;
  return true;
}

static bool add_live(tdm_torch_segments *held, const segment *of) {
  for (size_t i = 0; i < held->pending_count; i += 2) {
    int64_t owner[] = {of->device, of->stream, held->pending[i]};
    int fresh;
    uint32_t id = tdm_intern_put(&held->owners, owner, sizeof owner, &fresh);
    if (id == TDM_INTERN_FAILED ||
        !tdm_array_grow(&held->live, &held->live_room, (size_t)id + 1, sizeof *held->live))
      return false;
    if (fresh) held->live[id] = 0;
    add(&held->live[id], held->pending[i + 1]);
  }
  held->pending_count = 0;
  return true;
}

static bool read_block(tdm_torch_segments *held, tdm_json *json, segment *of) {
  int64_t size = 0, requested = TDM_NONE;
  block_state state = INACTIVE;
  tdm_torch_stack_clear(&held->stack);
  tdm_json_token token;
  while ((token = tdm_json_next(json)) == TDM_JSON_KEY) {
    const char *key = tdm_json_value(json, NULL);
    if (strcmp(key, "size") == 0) {
      size = take_integer(json, 0);
    } else if (strcmp(key, "requested_size") == 0) {
      requested = take_integer(json, TDM_NONE);
    } else if (strcmp(key, "state") == 0) {
      if (tdm_json_next(json) == TDM_JSON_STRING)
        state = state_named(tdm_json_value(json, NULL));
      else
        tdm_json_skip(json);
    } else if (strcmp(key, "frames") == 0 || strcmp(key, "history") == 0) {
      bool history = key[0] == 'h';
      if ((token = tdm_json_next(json)) != TDM_JSON_ARRAY)
        tdm_json_skip(json);
      else if (history)
        read_history(held, json, &requested);
      else
        tdm_torch_stack_read(&held->stack, json, NULL);
    } else {
      tdm_json_skip(json);
    }
  }
  if (requested == TDM_NONE) requested = size;
  tdm_torch_held *sums = &of->sums;
  sums->blocks++;
  if (state == ALLOCATED) {
    add(&sums->allocated, size);
    add(&sums->requested_allocated, requested);
  }
  if (state != INACTIVE) {
    add(&sums->active, size);
    add(&sums->requested_active, requested);
    return add_pending(held, size);
  }
  add(&of->free, size);
  if (size > sums->largest_free) sums->largest_free = size;
  return true;
}

static bool read_blocks(tdm_torch_segments *held, tdm_json *json, segment *of) {
  while (tdm_json_next_object(json))
    if (!read_block(held, json, of)) return false;
  return true;
}

/* ---- segments ---- */

static void put_metric(tdm_recorder *recorder, const char *scope, const char *subject,
                       const char *name, const char *unit, int64_t value) {
  tdm_metric metric = {.scope = scope,
                       .subject = subject,
                       .ordinal = TDM_NONE,
                       .name = name,
                       .unit = unit,
                       .value = (double)value};
  tdm_record_metric(recorder, &metric);
}

static void put_segment(const segment *of, tdm_recorder *recorder) {
  char subject[160];
  int used = snprintf(subject, sizeof subject, "GPU #%lld 0x%llx %s stream %lld",
                      (long long)of->device, (unsigned long long)of->address,
                      of->large ? "large" : "small", (long long)of->stream);
  if (of->pool[0] != 0 || of->pool[1] != 0)
    used += snprintf(subject + used, sizeof subject - (size_t)used, " pool %lld,%lld",
                     (long long)of->pool[0], (long long)of->pool[1]);
  if (of->expandable) snprintf(subject + used, sizeof subject - (size_t)used, " expandable");
  const tdm_torch_held *sums = &of->sums;
  static const char scope[] = "memory_segment";
  put_metric(recorder, scope, subject, "total_bytes", "bytes", of->total);
  put_metric(recorder, scope, subject, "allocated_bytes", "bytes", sums->allocated);
  put_metric(recorder, scope, subject, "active_bytes", "bytes", sums->active);
  put_metric(recorder, scope, subject, "requested_bytes", "bytes", sums->requested_active);
  put_metric(recorder, scope, subject, "largest_free_block_bytes", "bytes", sums->largest_free);
  put_metric(recorder, scope, subject, "blocks", "", sums->blocks);
}

/* Older snapshots have segments without a list of blocks: then what the segment says counts. */
static void settle(segment *of) {
  tdm_torch_held *sums = &of->sums;
  if (sums->blocks == 0) {
    if (of->said_allocated != TDM_NONE) sums->allocated = of->said_allocated;
    if (of->said_active != TDM_NONE) sums->active = of->said_active;
    sums->requested_allocated = sums->allocated;
    sums->requested_active = sums->active;
    of->free = of->total;
    add(&of->free, sums->active < 0 ? 0 : -sums->active);
  }
  sums->reserved = of->total;
  sums->stranded = sums->active > 0 ? of->free : 0;
  sums->segments = 1;
}

static tdm_torch_held *device_of(tdm_torch_segments *held, int64_t device) {
  size_t need = (size_t)device + 1;
  if (!tdm_array_grow(&held->devices, &held->device_room, need, sizeof *held->devices)) return NULL;
  while (held->device_count < need) held->devices[held->device_count++] = (tdm_torch_held){0};
  return &held->devices[device];
}

static void sum_up(tdm_torch_held *device, const tdm_torch_held *segment_sums) {
  add(&device->reserved, segment_sums->reserved);
  add(&device->allocated, segment_sums->allocated);
  add(&device->active, segment_sums->active);
  add(&device->requested_allocated, segment_sums->requested_allocated);
  add(&device->requested_active, segment_sums->requested_active);
  add(&device->stranded, segment_sums->stranded);
  device->segments += segment_sums->segments;
  device->blocks += segment_sums->blocks;
  if (segment_sums->largest_free > device->largest_free)
    device->largest_free = segment_sums->largest_free;
}

static void read_pool(tdm_json *json, int64_t pool[2]) {
  tdm_json_token token = tdm_json_next(json);
  if (token != TDM_JSON_ARRAY) {
    tdm_json_skip(json);
    return;
  }
  for (size_t i = 0; (token = tdm_json_next(json)) != TDM_JSON_ARRAY_END && token != TDM_JSON_END;
       i++) {
    size_t length;
    const char *text = tdm_json_value(json, &length);
    if (token == TDM_JSON_NUMBER && i < 2) (void)tdm_number_integer(text, length, &pool[i]);
    tdm_json_skip(json);
  }
}

static bool read_field(tdm_torch_segments *held, tdm_json *json, segment *of) {
  const char *key = tdm_json_value(json, NULL);
  if (strcmp(key, "device") == 0) {
    of->device = take_integer(json, 0);
  } else if (strcmp(key, "address") == 0) {
    of->address = take_integer(json, 0);
  } else if (strcmp(key, "total_size") == 0) {
    of->total = take_integer(json, 0);
  } else if (strcmp(key, "allocated_size") == 0) {
    of->said_allocated = take_integer(json, TDM_NONE);
  } else if (strcmp(key, "active_size") == 0) {
    of->said_active = take_integer(json, TDM_NONE);
  } else if (strcmp(key, "stream") == 0) {
    of->stream = take_integer(json, 0);
  } else if (strcmp(key, "segment_pool_id") == 0) {
    read_pool(json, of->pool);
  } else if (strcmp(key, "segment_type") == 0) {
    if (tdm_json_next(json) == TDM_JSON_STRING)
      of->large = strcmp(tdm_json_value(json, NULL), "large") == 0;
    else
      tdm_json_skip(json);
  } else if (strcmp(key, "is_expandable") == 0) {
    tdm_json_token token = tdm_json_next(json);
    of->expandable = token == TDM_JSON_TRUE;
    tdm_json_skip(json);
  } else if (strcmp(key, "blocks") == 0) {
    if (tdm_json_next(json) == TDM_JSON_ARRAY) return read_blocks(held, json, of);
    tdm_json_skip(json);
  } else {
    tdm_json_skip(json);
  }
  return true;
}

bool tdm_torch_segment_read(tdm_torch_segments *held, tdm_json *json, tdm_recorder *recorder) {
  segment of = {.said_allocated = TDM_NONE, .said_active = TDM_NONE};
  held->pending_count = 0;
  while (tdm_json_next(json) == TDM_JSON_KEY)
    if (!read_field(held, json, &of)) return false;
  if (of.device < 0 || of.device >= TDM_TORCH_DEVICES) {
    tdm_record_problem(recorder, "segments of devices beyond 1023 (skipped)", 1);
    return true;
  }
  settle(&of);
  if ((of.said_allocated != TDM_NONE && of.said_allocated != of.sums.allocated) ||
      (of.said_active != TDM_NONE && of.said_active != of.sums.active))
    tdm_record_problem(recorder, "segments whose blocks do not add up (blocks believed)", 1);
  put_segment(&of, recorder);
  held->segments++;
  tdm_torch_held *device = device_of(held, of.device);
  if (device == NULL || !add_live(held, &of)) return false;
  sum_up(device, &of.sums);
  return true;
}

/* ---- the end ---- */

static void put_device(const tdm_torch_held *sums, size_t device, tdm_recorder *recorder) {
  char subject[32];
  snprintf(subject, sizeof subject, "GPU #%zu", device);
  static const char scope[] = "memory";
  put_metric(recorder, scope, subject, "reserved_bytes", "bytes", sums->reserved);
  put_metric(recorder, scope, subject, "allocated_bytes", "bytes", sums->allocated);
  put_metric(recorder, scope, subject, "active_bytes", "bytes", sums->active);
  put_metric(recorder, scope, subject, "requested_bytes", "bytes", sums->requested_active);
  put_metric(recorder, scope, subject, "largest_free_block_bytes", "bytes", sums->largest_free);
  put_metric(recorder, scope, subject, "stranded_bytes", "bytes", sums->stranded);
  put_metric(recorder, scope, subject, "segments", "", sums->segments);
  put_metric(recorder, scope, subject, "blocks", "", sums->blocks);
}

static bool put_live(tdm_torch_segments *held, int64_t device, tdm_recorder *recorder) {
  tdm_torch_text *text = &held->text;
  tdm_torch_text_clear(text);
  for (size_t i = 0; i < held->owners.count; i++) {
    int64_t owner[3]; /* device, stream, stack */
    memcpy(owner, held->owners.entries[i].bytes, sizeof owner);
    if (owner[0] != device) continue;
    const tdm_intern_entry *stack = &held->stacks.entries[owner[2]];
    tdm_torch_text_put(text, "stream ");
    tdm_torch_text_number(text, owner[1]);
    tdm_torch_text_put(text, ";");
    tdm_torch_text_add(text, stack->bytes, stack->length);
    tdm_torch_text_put(text, " ");
    tdm_torch_text_number(text, held->live[i]);
    tdm_torch_text_put(text, "\n");
  }
  if (text->failed) return false;
  char name[64];
  snprintf(name, sizeof name, "live memory by stack, GPU #%lld", (long long)device);
  if (text->length > 0) tdm_record_artifact(recorder, name, "folded", text->bytes, text->length);
  return true;
}

bool tdm_torch_segments_end(tdm_torch_segments *held, tdm_recorder *recorder) {
  for (size_t i = 0; i < held->device_count; i++) {
    if (held->devices[i].segments == 0) continue;
    put_device(&held->devices[i], i, recorder);
    if (!put_live(held, (int64_t)i, recorder)) return false;
  }
  return true;
}
