/* Simulated requests: when each came and went. Its spans are those between that say its row. See
 * inside.h. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "write/timeline/inside.h"

enum { ID, CLASS, ARRIVAL, END, OUTCOME, GPU, COLUMNS };

static int by_request(const void *left, const void *right) {
  const tdm_request_record *a = left, *b = right;
  return TDM_ORDER(a->request, b->request);
}

int64_t tdm_timeline_request_row(const tdm_timeline_run *run, int64_t request) {
  uint64_t wanted = (uint64_t)request;
  size_t low = 0, high = run->requests;
  if (request == TDM_NONE) return TDM_NONE;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (run->request[middle] < wanted)
      low = middle + 1;
    else
      high = middle;
  }
  return low < run->requests && run->request[low] == wanted ? (int64_t)low : TDM_NONE;
}

static void put_classes(tdm_timeline_run *run) {
  const tdm_recording *recording = run->frame->recording;
  tdm_meta_key(run->meta, "classes");
  tdm_meta_put(run->meta, "[");
  for (uint32_t i = 0; i < tdm_recording_request_classes(recording); i++) {
    tdm_meta_next(run->meta);
    tdm_meta_string(run->meta, tdm_recording_request_class(recording, i));
  }
  tdm_meta_put(run->meta, "]");
  tdm_meta_key(run->meta, "outcomes");
  tdm_meta_put(run->meta, "[");
  for (int i = 0; i < TDM_OUTCOMES; i++) {
    tdm_meta_next(run->meta);
    tdm_meta_string(run->meta, tdm_outcome_name((tdm_outcome)i));
  }
  tdm_meta_put(run->meta, "]");
}

/* The row of the request that a span says, or TDM_NONE. */
static int64_t row_said(const tdm_timeline_run *run, const tdm_laid_span *at) {
  const tdm_recording *recording = run->frame->recording;
  uint32_t column = tdm_layout_column(tdm_recording_layout(recording, at->layout), "request");
  if (column == 0) return TDM_NONE;
  const tdm_kept_rows *rows = tdm_recording_rows(recording, at->layout);
  return tdm_timeline_request_row(run, tdm_kept(rows, column, at->row));
}

/* Of a thinned run the requests that a written span says. False: out of memory. */
static bool thin(tdm_timeline_run *run, tdm_request_record *record) {
  const tdm_frame *f = run->frame;
  char *said = tdm_array_new(run->requests, 1);
  if (said == NULL) return false;
  for (size_t i = 0; i < tdm_thinning_spans(run); i++) {
    int64_t row = row_said(run, &f->lanes.span[f->order[tdm_thinning_number(run, i)]]);
    if (row != TDM_NONE) said[row] = 1;
  }
  size_t count = 0;
  for (size_t i = 0; i < run->requests; i++) {
    if (said[i] == 0) continue;
    run->request[count] = record[i].request;
    record[count++] = record[i];
  }
  run->requests = count;
  free(said);
  return true;
}

/* Spans of requests tell when these came and went: the table has what is left, almost always 0. Of
 * several spans of one request the first counts. */
static void less_spans(const tdm_timeline_run *run, int64_t *arrival, int64_t *end, char *seen) {
  const tdm_frame *f = run->frame;
  for (size_t i = 0; i < tdm_thinning_spans(run); i++) {
    size_t n = tdm_thinning_number(run, i);
    const tdm_laid_span *at = &f->lanes.span[f->order[n]];
    const tdm_layout *layout = tdm_recording_layout(f->recording, at->layout);
    if (strcmp(layout->category, "request") != 0) continue;
    int64_t row = row_said(run, at);
    if (row == TDM_NONE || seen[row] != 0) continue;
    tdm_frame_span span = tdm_frame_span_at(f, n);
    seen[row] = 1;
    arrival[row] = tdm_timeline_gap(arrival[row], span.start_ns);
    if (end[row] != TDM_NONE) end[row] = tdm_timeline_gap(end[row], span.end_ns);
  }
}

static bool put_table(tdm_timeline_run *run, const tdm_request_record *record) {
  char *seen = tdm_array_new(run->requests, 1);
  int64_t *cells = tdm_array_new(COLUMNS * (run->requests + 1), sizeof *cells);
  int64_t *column[COLUMNS];
  if (cells == NULL || seen == NULL) {
    free(cells);
    free(seen);
    return false;
  }
  for (size_t c = 0; c < COLUMNS; c++) column[c] = cells + c * run->requests;
  for (size_t i = 0; i < run->requests; i++) {
    const tdm_request_record *r = &record[i];
    bool open = r->outcome == TDM_OUTCOME_OPEN;
    column[ID][i] = (int64_t)r->request;
    column[CLASS][i] = r->class_index;
    column[ARRIVAL][i] = r->arrival_ns - run->frame->origin_ns;
    column[END][i] = open ? TDM_NONE : r->end_ns - run->frame->origin_ns;
    column[OUTCOME][i] = r->outcome;
    column[GPU][i] = r->gpu;
  }
  less_spans(run, column[ARRIVAL], column[END], seen);
  tdm_timeline_list(run, "requests", column, COLUMNS, run->requests);
  free(seen);
  free(cells);
  return true;
}

tdm_status tdm_timeline_requests(tdm_timeline_run *run, tdm_error *error) {
  size_t count;
  const tdm_request_record *records = tdm_recording_requests(run->frame->recording, &count);
  tdm_request_record *sorted = tdm_array_new(count, sizeof *sorted);
  run->request = tdm_array_new(count, sizeof *run->request);
  bool fits = sorted != NULL && run->request != NULL;
  if (fits && count > 0) {
    memcpy(sorted, records, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_request);
    run->requests = count;
    for (size_t i = 0; i < count; i++) run->request[i] = sorted[i].request;
    put_classes(run);
    fits = (run->thinning.number == NULL || thin(run, sorted)) && put_table(run, sorted);
  }
  free(sorted);
  return fits ? TDM_OK : tdm_error_memory(error, "the requests of a timeline", count);
}
