/* Samples of CPUs and their stacks. See nsys.h.
 *
 * A sample is an instant of its thread, named by its whole stack, root first, as samples of other
 * formats are. Frames come in a table of their own and are held while samples are read. */
#include "read/nsys/nsys.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define SAMPLES "COMPOSITE_EVENTS"
#define FRAMES  "SAMPLING_CALLCHAINS"

enum { STACK_BYTES = 4096, MOST_FRAMES = 1 << 25 };

typedef struct {
  int64_t sample, symbol;
  int64_t depth; /* 0: where the thread was */
} stack_frame;

typedef struct {
  stack_frame *frame; /* by sample, the deepest call first */
  size_t count, room;
  bool sorted;
  uint32_t layout;
} sample_reading;

static int frame_order(const void *a, const void *b) {
  const stack_frame *x = a, *y = b;
  if (x->sample != y->sample) return x->sample < y->sample ? -1 : 1;
  return x->depth < y->depth ? -1 : x->depth > y->depth;
}

static const tdm_nsys_column frame_columns[] = {
    {"id", TDM_NSYS_INT}, {"stackDepth", TDM_NSYS_INT}, {"symbol", TDM_NSYS_INT}};

static tdm_status read_frames(tdm_nsys *nsys, const tdm_nsys_block *block, void *context,
                              tdm_error *error) {
  sample_reading *reading = context;
  const tdm_nsys_values *column = block->column;
  size_t taken = block->count;
  if (taken > MOST_FRAMES - reading->count) taken = MOST_FRAMES - reading->count;
  if (taken < block->count)
    tdm_record_problem(nsys->recorder, "frames of samples beyond 33 million (dropped)",
                       block->count - taken);
  if (!tdm_array_grow(&reading->frame, &reading->room, reading->count + taken,
                      sizeof *reading->frame))
    return tdm_nsys_memory(error);
  for (size_t i = 0; i < taken; i++) {
    stack_frame *frame = &reading->frame[reading->count];
    *frame = (stack_frame){.sample = column[0].integer[i],
                           .depth = column[1].integer[i],
                           .symbol = column[2].integer[i]};
    if (reading->count > 0 && frame_order(frame - 1, frame) > 0) reading->sorted = false;
    reading->count++;
  }
  return TDM_OK;
}

/* The first frame of a sample. */
static size_t first_frame(const sample_reading *reading, int64_t sample) {
  size_t low = 0, high = reading->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (reading->frame[middle].sample < sample)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* A stack too long for its name loses its root: where the thread was is what matters. */
static uint32_t stack_of(tdm_nsys *nsys, const sample_reading *reading, int64_t sample) {
  char text[STACK_BYTES];
  size_t from = sizeof text;
  for (size_t i = first_frame(reading, sample);
       i < reading->count && reading->frame[i].sample == sample; i++) {
    tdm_nsys_text symbol = tdm_nsys_string_text(nsys, reading->frame[i].symbol);
    if (symbol.bytes == NULL || symbol.length == 0) continue;
    if (symbol.length + 1 > from) break;
    if (from < sizeof text) text[--from] = ';';
    from -= symbol.length;
    memcpy(text + from, symbol.bytes, symbol.length);
  }
  if (from == sizeof text) return tdm_record_text(nsys->recorder, "(no stack)");
  return tdm_record_name(nsys->recorder, text + from, sizeof text - from);
}

static const tdm_nsys_column sample_columns[] = {{"id", TDM_NSYS_INT},
                                                 {"start", TDM_NSYS_INT},
                                                 {"globalTid", TDM_NSYS_INT},
                                                 {"cpu", TDM_NSYS_INT}};

static tdm_status read_samples(tdm_nsys *nsys, const tdm_nsys_block *block, void *context,
                               tdm_error *error) {
  static const tdm_arg args[] = {{"cpu", TDM_ARG_INT}};
  sample_reading *reading = context;
  const tdm_nsys_values *column = block->column;
  (void)error;
  reading->layout = tdm_record_layout(nsys->recorder, "sample", TDM_SHAPE_INSTANT, args, 1);
  for (size_t i = 0; i < block->count; i++) {
    int64_t start_ns = column[1].integer[i], cpu = column[3].integer[i];
    if (start_ns == TDM_NONE) continue;
    uint32_t track = tdm_nsys_thread_track(nsys, column[2].integer[i]);
    tdm_record_row(nsys->recorder, reading->layout, start_ns, 0, track,
                   stack_of(nsys, reading, column[0].integer[i]), &cpu, 1);
    if (nsys->last_ns == TDM_NONE || start_ns > nsys->last_ns) nsys->last_ns = start_ns;
  }
  return TDM_OK;
}

tdm_status tdm_nsys_samples_read(tdm_nsys *nsys, tdm_error *error) {
  sample_reading reading = {.sorted = true};
  tdm_status status = TDM_OK;
  if ((nsys->options->dropped & TDM_READ_NO_CPU) != 0 || !tdm_nsys_has(nsys, SAMPLES))
    return TDM_OK;
  if (tdm_nsys_has(nsys, FRAMES))
    status = tdm_nsys_scan(nsys, FRAMES, frame_columns, 3, read_frames, &reading, error);
  if (status == TDM_OK && !reading.sorted)
    qsort(reading.frame, reading.count, sizeof *reading.frame, frame_order);
  if (status == TDM_OK)
    status = tdm_nsys_scan(nsys, SAMPLES, sample_columns, 4, read_samples, &reading, error);
  free(reading.frame);
  return status;
}
