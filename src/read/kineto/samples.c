/* Stack samples whose frames come after them: the "samples" and "stackFrames" of a Chrome trace;
 * see inside.h. */
#include "read/kineto/inside.h"

#include <stdlib.h>

#include "base/memory.h"
#include "trace/intern.h"

enum { SAMPLES = 1 << 22, FRAMES = 256 /* of a stack */, NO_FRAME = -1, STACK_BYTES = 4096 };

typedef struct {
  int64_t time_ns;
  double weight;
  uint32_t track, name, frame;
} sample;

typedef struct {
  uint32_t name;  /* id */
  int64_t parent; /* frame; NO_FRAME */
  int64_t stack;  /* name id of the whole; TDM_NONE: not made yet */
} frame;

struct tdm_kineto_samples {
  tdm_recorder *recorder;
  tdm_intern ids; /* of frames, as written */
  frame *frames;
  size_t frame_room;
  sample *samples;
  size_t count, room;
};

tdm_kineto_samples *tdm_kineto_samples_new(tdm_recorder *recorder) {
  tdm_kineto_samples *samples = tdm_array_new(1, sizeof *samples);
  if (samples != NULL) samples->recorder = recorder;
  return samples;
}

void tdm_kineto_samples_free(tdm_kineto_samples *samples) {
  if (samples == NULL) return;
  tdm_intern_clear(&samples->ids);
  free(samples->frames);
  free(samples->samples);
  free(samples);
}

/* NO_FRAME: out of memory. */
static int64_t frame_of(tdm_kineto_samples *samples, const char *id, size_t length) {
  int fresh;
  uint32_t index = tdm_intern_put(&samples->ids, id, length, &fresh);
  if (index == TDM_INTERN_FAILED || !tdm_array_grow(&samples->frames, &samples->frame_room,
                                                    (size_t)index + 1, sizeof *samples->frames))
    return NO_FRAME;
  if (fresh)
    samples->frames[index] = (frame){.name = tdm_record_name(samples->recorder, id, length),
                                     .parent = NO_FRAME,
                                     .stack = TDM_NONE};
  return index;
}

static void read_frame(tdm_kineto_samples *samples, tdm_json *json, int64_t index) {
  for (;;) {
    if (tdm_json_next(json) != TDM_JSON_KEY) return;
    const char *key = tdm_json_value(json, NULL);
    bool is_name = strcmp(key, "name") == 0, is_parent = strcmp(key, "parent") == 0;
    tdm_json_token token = tdm_json_next(json);
    size_t length;
    const char *text = tdm_json_value(json, &length);
    if (token == TDM_JSON_OBJECT || token == TDM_JSON_ARRAY) {
      tdm_json_skip(json);
    } else if (is_name && token == TDM_JSON_STRING) {
      samples->frames[index].name = tdm_record_name(samples->recorder, text, length);
    } else if (is_parent && (token == TDM_JSON_STRING || token == TDM_JSON_NUMBER)) {
      int64_t parent = frame_of(samples, text, length);
      samples->frames[index].parent = parent;
    }
  }
}

void tdm_kineto_frames_read(tdm_kineto_samples *samples, tdm_json *json) {
  for (;;) {
    if (tdm_json_next(json) != TDM_JSON_KEY) return;
    size_t length;
    const char *id = tdm_json_value(json, &length);
    int64_t index = frame_of(samples, id, length);
    tdm_json_token token = tdm_json_next(json);
    if (token == TDM_JSON_OBJECT && index != NO_FRAME)
      read_frame(samples, json, index);
    else if (token == TDM_JSON_OBJECT || token == TDM_JSON_ARRAY)
      tdm_json_skip(json);
  }
}

void tdm_kineto_sample(tdm_kineto_samples *samples, int64_t time_ns, uint32_t track, uint32_t name,
                       const char *frame_id, size_t length, double weight) {
  int64_t index = frame_of(samples, frame_id, length);
  if (index == NO_FRAME || samples->count >= SAMPLES ||
      !tdm_array_grow(&samples->samples, &samples->room, samples->count + 1,
                      sizeof *samples->samples)) {
    tdm_record_problem(samples->recorder, "stack samples beyond four million (dropped)", 1);
    return;
  }
  samples->samples[samples->count++] = (sample){time_ns, weight, track, name, (uint32_t)index};
}

/* The name of the whole stack that ends in a frame, root first. */
static uint32_t stack_of(tdm_kineto_samples *samples, uint32_t leaf) {
  if (samples->frames[leaf].stack != TDM_NONE) return (uint32_t)samples->frames[leaf].stack;
  char text[STACK_BYTES];
  size_t from = sizeof text;
  int64_t at = leaf;
  for (int i = 0; i < FRAMES && at != NO_FRAME; i++, at = samples->frames[at].parent) {
    size_t length;
    const char *name = tdm_recorder_name(samples->recorder, samples->frames[at].name, &length);
    if (name == NULL || length + 1 > from) break;
    if (from < sizeof text) text[--from] = ';';
    from -= length;
    memcpy(text + from, name, length);
  }
  uint32_t id = tdm_record_name(samples->recorder, text + from, sizeof text - from);
  samples->frames[leaf].stack = id;
  return id;
}

void tdm_kineto_samples_finish(tdm_kineto_samples *samples) {
  if (samples->count == 0) return;
  static const tdm_arg args[] = {{"event", TDM_ARG_TEXT}, {"weight", TDM_ARG_REAL}};
  uint32_t layout = tdm_record_layout(samples->recorder, "sample", TDM_SHAPE_INSTANT, args, 2);
  for (size_t i = 0; i < samples->count; i++) {
    const sample *each = &samples->samples[i];
    int64_t values[] = {each->name, tdm_record_real(each->weight)};
    tdm_record_row(samples->recorder, layout, each->time_ns, 0, each->track,
                   stack_of(samples, each->frame), values, 2);
  }
}
