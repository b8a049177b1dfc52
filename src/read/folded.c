/* The reader of folded stacks: lines "a;b;c 123", as stackcollapse-*.pl and many profilers write.
 *
 * There are no times in this format. Spans of category "sample" lie end to end in the order of the
 * lines, as long as their weights: nanoseconds, or in the unit that the caller names; frames that
 * neighbouring lines share are one span. The source's detail says so. In read/reader.c's table. */
#include "read/reader.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "read/lines.h"
#include "read/number.h"
#include "read/stack_spans.h"

enum { FRAMES = 65536 };     /* of one stack; deeper ones are cut */
enum { WHOLE_BYTES = 4096 }; /* a shorter head is the whole file */

typedef struct {
  tdm_input *input;
  const tdm_read_options *options;
  tdm_recorder *recorder;
  uint32_t layout, track;
  tdm_stack_spans spans;
  uint32_t *frame;
  size_t frame_room;
  char *rest; /* the beginning of a line whose end has not come yet */
  size_t rest_used, rest_room;
  uint64_t lines;
  bool is_cut; /* the line in `rest` */
  int power;   /* of ten: from weights to nanoseconds */
  int failed;
} job;

static void put_span(void *context, const tdm_stack_frame *frame, int64_t end_ns) {
  job *j = context;
  tdm_record_row(j->recorder, j->layout, frame->start_ns, end_ns - frame->start_ns, j->track,
                 frame->frame, &frame->samples, 1);
}

/* Where the weight begins: behind the last space. NULL: the line is no stack. */
static const char *weight_of(const char *line, size_t length) {
  int64_t ignored;
  const char *end = line + length, *at = end;
  while (at > line && at[-1] != ' ' && at[-1] != '\t') at--;
  if (at == line || at == end || *at < '0' || *at > '9') return NULL;
  return tdm_number_scaled(at, (size_t)(end - at), 0, &ignored) ? at : NULL;
}

static void trim(const char **line, size_t *length) {
  while (*length > 0 && strchr(" \t\r", (*line)[*length - 1]) != NULL) --*length;
  while (*length > 0 && ((*line)[0] == ' ' || (*line)[0] == '\t')) {
    ++*line;
    --*length;
  }
}

static void take_stack(job *j, const char *line, size_t length, int64_t weight_ns) {
  size_t depth = 0;
  for (const char *at = line, *end = line + length; at <= end;) {
    const char *stop = memchr(at, ';', (size_t)(end - at));
    if (stop == NULL) stop = end;
    if (depth == FRAMES) {
      tdm_record_problem(j->recorder, "stacks that are too deep (cut)", 1);
      break;
    }
    if (!tdm_array_grow(&j->frame, &j->frame_room, depth + 1, sizeof *j->frame)) {
      j->failed = 1;
      return;
    }
    j->frame[depth++] = tdm_record_name(j->recorder, at, (size_t)(stop - at));
    at = stop + 1;
  }
  if (!tdm_stack_sample(&j->spans, j->frame, depth, weight_ns)) j->failed = 1;
}

static void take_line(job *j, const char *line, size_t length) {
  trim(&line, &length);
  if (length == 0 || line[0] == '#') return;
  const char *weight = weight_of(line, length);
  int64_t weight_ns = 0;
  if (weight == NULL) {
    tdm_record_problem(j->recorder, "lines that are not a stack with a weight (left out)", 1);
    return;
  }
  if (!tdm_number_scaled(weight, (size_t)(line + length - weight), j->power, &weight_ns))
    tdm_record_problem(j->recorder, "weights that are too large (cut)", 1);
  length = (size_t)(weight - line);
  trim(&line, &length);
  j->lines++;
  take_stack(j, line, length, weight_ns);
}

/* Some more of a line that came in pieces. Of one that is too long to be held the middle is left
 * out: its weight is at its end. */
static void add_rest(job *j, const char *bytes, size_t length) {
  enum { END_BYTES = 64 };
  size_t most = TDM_LINE + END_BYTES;
  if (length > most - j->rest_used && !j->is_cut) {
    tdm_record_problem(j->recorder, "lines of more than 64 MiB (cut)", 1);
    j->is_cut = true;
  }
  if (!tdm_array_grow(&j->rest, &j->rest_room, length < most ? j->rest_used + length : most, 1)) {
    j->failed = 1;
    return;
  }
  while (length > 0) {
    if (j->rest_used == most) { /* makes room at its end */
      size_t over = length < END_BYTES ? length : END_BYTES;
      memmove(j->rest + TDM_LINE, j->rest + TDM_LINE + over, END_BYTES - over);
      j->rest_used -= over;
      bytes += length > END_BYTES ? length - END_BYTES : 0;
      length = over;
    }
    size_t part = length < most - j->rest_used ? length : most - j->rest_used;
    memcpy(j->rest + j->rest_used, bytes, part);
    j->rest_used += part;
    bytes += part;
    length -= part;
  }
}

static void take_piece(job *j, const char *bytes, size_t length) {
  const char *at = bytes, *end = bytes + length, *stop;
  while (!j->failed && (stop = memchr(at, '\n', (size_t)(end - at))) != NULL) {
    size_t part = (size_t)(stop - at);
    if (j->rest_used > 0) {
      add_rest(j, at, part);
      if (!j->failed) take_line(j, j->rest, j->rest_used);
      j->rest_used = 0;
      j->is_cut = false;
    } else {
      take_line(j, at, part);
    }
    at = stop + 1;
  }
  if (!j->failed && at < end) add_rest(j, at, (size_t)(end - at));
}

static tdm_status read_all(job *j, tdm_error *error) {
  const unsigned char *bytes;
  size_t length;
  for (;;) {
    tdm_status status = tdm_input_next(j->input, &bytes, &length, error);
    if (status != TDM_OK) return status;
    if (length == 0) break;
    take_piece(j, (const char *)bytes, length);
    if (j->failed) return tdm_error_memory(error, "folded stacks", j->rest_room);
    if (tdm_recorder_failed(j->recorder)) return TDM_OK;
    status = tdm_read_progress(j->input, j->options, error);
    if (status != TDM_OK) return status;
  }
  if (j->rest_used > 0) take_line(j, j->rest, j->rest_used);
  if (j->failed) return tdm_error_memory(error, "folded stacks", j->rest_room);
  if (j->lines == 0)
    return tdm_error_set(error, TDM_INVALID, "%s: no folded stacks: no line is \"a;b;c 123\"",
                         tdm_input_path(j->input));
  return TDM_OK;
}

static const struct {
  int power;
  const char *detail;
} units[] = {{0, "times are the weights of samples, as nanoseconds"},
             {0, "times are the weights of samples, as nanoseconds"},
             {3, "times are the weights of samples, as microseconds"},
             {6, "times are the weights of samples, as milliseconds"},
             {9, "times are the weights of samples, as seconds"}};

static tdm_status read_folded(tdm_input *input, const tdm_read_options *options,
                              tdm_recorder *recorder, tdm_error *error) {
  static const tdm_arg args[] = {{"samples", TDM_ARG_INT}};
  tdm_track track = TDM_TRACK_PLAIN;
  job j = {.input = input, .options = options, .recorder = recorder};
  size_t unit =
      (size_t)options->time_unit < sizeof units / sizeof *units ? (size_t)options->time_unit : 0;
  track.name = "folded stacks";
  track.kind = TDM_TRACK_THREAD;
  track.lane = TDM_LANE_CPU;
  j.power = units[unit].power;
  j.track = tdm_record_track(recorder, &track);
  j.layout = tdm_record_layout(recorder, "sample", TDM_SHAPE_SPAN, args, 1);
  j.spans.span = put_span;
  j.spans.context = &j;
  tdm_recorder_detail(recorder, units[unit].detail);
  tdm_status status = read_all(&j, error);
  tdm_stack_restart(&j.spans, 0);
  tdm_stack_free(&j.spans);
  free(j.frame);
  free(j.rest);
  return status;
}

/* All whole lines are stacks with weights, and one at least has several frames. */
static int detect_folded(const unsigned char *head, size_t length, const char *path) {
  const char *at = (const char *)head, *end = at + length;
  int lines = 0, deep = 0;
  (void)path;
  while (at < end && lines < 16) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    if (stop == NULL && length >= WHOLE_BYTES) break;
    if (stop == NULL) stop = end;
    const char *line = at;
    size_t size = (size_t)(stop - at);
    at = stop + 1;
    trim(&line, &size);
    if (size == 0 || line[0] == '#') continue;
    const char *weight = weight_of(line, size);
    if (weight == NULL || strchr("{[\"<", line[0]) != NULL || memchr(line, 0, size) != NULL)
      return 0;
    deep |= memchr(line, ';', (size_t)(weight - line)) != NULL;
    lines++;
  }
  return deep ? 40 : 0;
}

const tdm_reader tdm_reader_folded = {.name = "folded",
                                      .title = "folded stacks",
                                      .accepts = "*.folded, *.collapsed, *.txt",
                                      .detect = detect_folded,
                                      .read = read_folded};
