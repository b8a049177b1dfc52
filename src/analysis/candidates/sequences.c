/* Copies to the device, kernels, copies back, over and over.
 *
 * Work is read in order of start, stream by stream and device by device. A sequence ends when its
 * order starts over; work of other kinds in between belongs to it. */
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/run_view/gpu_work.h"
#include "analysis/run_view/run_view.h"
#include "base/memory.h"

enum { OTHER, TO_DEVICE, KERNEL, FROM_DEVICE, STEPS_MOST = 3 };

static const struct {
  const char *text;
  size_t steps;
  uint8_t step[STEPS_MOST];
} orders[] = {{"HtoD kernel DtoH", 3, {TO_DEVICE, KERNEL, FROM_DEVICE}},
              {"HtoD kernel", 2, {TO_DEVICE, KERNEL}},
              {"kernel DtoH", 2, {KERNEL, FROM_DEVICE}}};
enum { ORDERS = sizeof orders / sizeof *orders };

static const tdm_field fields[] = {{"sequence", TDM_FIELD_TEXT}, {"each", TDM_FIELD_TEXT},
                                   {"count", TDM_FIELD_INT},     {"begun", TDM_FIELD_INT},
                                   {"work_ns", TDM_FIELD_INT},   {"share", TDM_FIELD_REAL}};
enum { FIELD_SEQUENCE, FIELD_EACH, FIELD_COUNT, FIELD_BEGUN, FIELD_WORK, FIELD_SHARE, FIELDS };

/* One stream or device in one order: the sequence that is open. */
typedef struct {
  int64_t work_ns;
  uint8_t at, seen; /* step; bits of those that came */
} state;

typedef struct {
  int64_t count, begun, work_ns;
} figures;

static uint8_t direction(const char *kind) {
  return strcmp(kind, "HtoD") == 0 ? TO_DEVICE : strcmp(kind, "DtoH") == 0 ? FROM_DEVICE : OTHER;
}

static void shut(state *s, size_t order, figures *f) {
  if (s->seen == 0) return;
  f->begun++;
  if (s->seen == (1u << orders[order].steps) - 1) {
    f->count++;
    f->work_ns = tdm_sum_ns(f->work_ns, s->work_ns);
  }
  *s = (state){0};
}

static void take(state *s, size_t order, uint8_t what, int64_t work_ns, figures *f) {
  for (uint8_t k = 0; k < orders[order].steps; k++) {
    if (orders[order].step[k] != what) continue;
    if (k < s->at) shut(s, order, f);
    s->at = k;
    s->seen = (uint8_t)(s->seen | 1u << k);
  }
  if (s->seen != 0) s->work_ns = tdm_sum_ns(s->work_ns, work_ns);
}

typedef struct {
  tdm_run_view *view;
  const tdm_table *work;
  tdm_name_marks marks;
  figures of[ORDERS];
} counting;

static uint8_t what_of(counting *c, size_t row) {
  switch (tdm_table_category(c->work, row)) {
  case TDM_WORK_KERNEL:
  case TDM_WORK_GRAPH: return KERNEL;
  case TDM_WORK_MEMCPY:
    if (tdm_table_arg(c->work, TDM_WORK_COPY_KIND, row) == TDM_NONE) return OTHER;
    return tdm_name_mark(&c->marks, c->view, tdm_table_arg(c->work, TDM_WORK_COPY_KIND, row),
                         direction);
  default: return OTHER;
  }
}

static bool count_each(counting *c, bool by_device, uint32_t owners) {
  state *all = tdm_array_new((size_t)owners * ORDERS + 1, sizeof *all);
  if (all == NULL) return false;
  memset(c->of, 0, sizeof c->of);
  for (size_t i = 0; i < c->work->count; i++) {
    int64_t track = tdm_table_track(c->work, i);
    size_t owner = by_device ? tdm_run_view_device_of(c->view, track) : (size_t)track;
    if (owner >= owners) continue;
    uint8_t what = what_of(c, i);
    int64_t work_ns = tdm_length_ns(tdm_table_start_ns(c->work, i), tdm_table_end_ns(c->work, i));
    for (size_t o = 0; o < ORDERS; o++) take(&all[owner * ORDERS + o], o, what, work_ns, &c->of[o]);
  }
  for (size_t s = 0; s < (size_t)owners * ORDERS; s++)
    shut(&all[s], s % ORDERS, &c->of[s % ORDERS]);
  free(all);
  return true;
}

static void put(const counting *c, const char *each, int64_t all_ns, tdm_frame *frame) {
  for (size_t o = 0; o < ORDERS; o++) {
    if (c->of[o].count == 0) continue;
    tdm_frame_row(frame);
    tdm_frame_name(frame, FIELD_SEQUENCE, orders[o].text);
    tdm_frame_name(frame, FIELD_EACH, each);
    tdm_frame_int(frame, FIELD_COUNT, c->of[o].count);
    tdm_frame_int(frame, FIELD_BEGUN, c->of[o].begun);
    tdm_frame_int(frame, FIELD_WORK, c->of[o].work_ns);
    tdm_frame_real(frame, FIELD_SHARE, all_ns > 0 ? (double)c->of[o].work_ns / (double)all_ns : 0);
  }
}

tdm_status tdm_candidate_sequences(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                                   tdm_error *error) {
  (void)options;
  counting c = {.view = view};
  tdm_status status = tdm_run_view_table(view, &tdm_gpu_work, &c.work, error);
  if (status != TDM_OK) return status;
  int64_t all_ns = 0;
  for (size_t i = 0; i < c.work->count; i++)
    all_ns = tdm_sum_ns(all_ns,
                        tdm_length_ns(tdm_table_start_ns(c.work, i), tdm_table_end_ns(c.work, i)));
  tdm_frame *frame = tdm_answer_frame(out, "sequences", fields, FIELDS);
  bool done = count_each(&c, false, tdm_run_tables_tracks(tdm_run_view_tables(view)));
  if (done) put(&c, "stream", all_ns, frame);
  done = done && count_each(&c, true, tdm_run_view_devices(view));
  if (done) put(&c, "device", all_ns, frame);
  tdm_name_marks_close(&c.marks);
  return done ? TDM_OK : tdm_error_memory(error, "sequences", c.work->count);
}
