/* See gpu_time.h. */
#include "analysis/breakdown/gpu_time.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/run_view/run_view.h"
#include "base/memory.h"

/* ---- classes ---- */

static bool begins(const char *text, const char *with) {
  return strncmp(text, with, strlen(with)) == 0;
}

/* TDM_CLASSES: it says nothing of the name. */
static uint8_t class_by_hta(const char *name) {
  if (begins(name, "hip")) return TDM_CLASS_COMM;
  if (begins(name, "dma") || begins(name, "Memcpy")) return TDM_CLASS_COPY;
  return begins(name, "Memset") ? TDM_CLASS_MEMSET : TDM_CLASSES;
}

static tdm_status apply_rules(tdm_run_view *view, const tdm_options *options, tdm_gpu_rows *rows,
                              tdm_error *error) {
  const char *rules = tdm_option_text(options, "rules", "tandem");
  if (strcmp(rules, "tandem") == 0) return TDM_OK;
  if (strcmp(rules, "hta") != 0)
    return tdm_error_set(error, TDM_INVALID, "'rules' cannot be '%s'; it can be tandem, hta",
                         rules);
  tdm_name_marks marks = {0};
  for (size_t i = 0; i < rows->work->count; i++) {
    if (tdm_table_category(rows->work, i) != TDM_WORK_KERNEL) continue;
    uint8_t class_of = tdm_name_mark(&marks, view, tdm_table_name(rows->work, i), class_by_hta);
    if (class_of != TDM_CLASSES) rows->class_of[i] = class_of;
  }
  tdm_name_marks_close(&marks);
  return TDM_OK;
}

/* ---- whole steps ---- */

/* Where the last ProfilerStep# of each source begins, if there are two at least. */
static tdm_status find_last_steps(tdm_run_view *view, int64_t *last_ns, uint32_t sources,
                                  tdm_error *error) {
  static const char *const categories[] = {"user_annotation", NULL};
  static const tdm_wanted annotations = {.categories = categories};
  const tdm_table *table;
  tdm_run_view *whole = NULL;
  tdm_status status = tdm_run_view_at_all_times(view, &whole, error);
  if (status == TDM_OK) status = tdm_run_view_table(whole, &annotations, &table, error);
  if (status != TDM_OK) return status;
  for (uint32_t s = 0; s < sources; s++) last_ns[s] = INT64_MAX;
  int64_t *first_ns = tdm_array_new(sources + 1, sizeof *first_ns);
  if (first_ns == NULL) return tdm_error_memory(error, "steps", sources);
  for (size_t i = table->count; i-- > 0;) {
    const tdm_track *track = tdm_run_view_track(view, tdm_table_track(table, i));
    if (track == NULL || track->source >= sources ||
        !begins(tdm_run_view_name(view, tdm_table_name(table, i)), "ProfilerStep"))
      continue;
    first_ns[track->source] = tdm_table_start_ns(table, i);
    if (last_ns[track->source] == INT64_MAX) last_ns[track->source] = tdm_table_start_ns(table, i);
  }
  for (uint32_t s = 0; s < sources; s++)
    if (first_ns[s] == last_ns[s]) last_ns[s] = INT64_MAX;
  free(first_ns);
  return TDM_OK;
}

typedef enum { WORK_ALL, WORK_LAUNCHED, WORK_WHOLE_STEPS } which;

static tdm_status work_option(const tdm_options *options, which *work, tdm_error *error) {
  static const char *const names[] = {"all", "launched", "whole_steps"};
  const char *text = tdm_option_text(options, "work", names[WORK_ALL]);
  for (*work = WORK_ALL; *work <= WORK_WHOLE_STEPS; (*work)++)
    if (strcmp(text, names[*work]) == 0) return TDM_OK;
  return tdm_error_set(error, TDM_INVALID,
                       "'work' cannot be '%s'; it can be all, launched, whole_steps", text);
}

/* Work without a launch goes, and with whole steps what was launched after the last one began;
 * sources without two steps keep all then. */
static tdm_status leave_out(tdm_run_view *view, which work, tdm_gpu_rows *rows, tdm_error *error) {
  uint32_t sources = tdm_run_tables_sources(tdm_run_view_tables(view));
  int64_t *last_ns = tdm_array_new(sources + 1, sizeof *last_ns);
  const tdm_launched *launches = NULL;
  tdm_status status = last_ns != NULL ? TDM_OK : tdm_error_memory(error, "steps", sources);
  if (status == TDM_OK && work == WORK_WHOLE_STEPS)
    status = find_last_steps(view, last_ns, sources, error);
  if (status == TDM_OK) status = tdm_gpu_launched(view, &launches, error);
  for (size_t i = 0; status == TDM_OK && i < rows->work->count; i++) {
    const tdm_track *track = tdm_run_view_track(view, tdm_table_track(rows->work, i));
    int64_t last = track != NULL && track->source < sources ? last_ns[track->source] : INT64_MAX;
    uint32_t call = launches->by_call.cause[i];
    bool kept = work == WORK_WHOLE_STEPS && last == INT64_MAX;
    if (call != TDM_NO_ROW && !kept)
      kept = work == WORK_LAUNCHED || tdm_table_start_ns(launches->calls, call) <= last;
    if (!kept) rows->class_of[i] = TDM_LEFT_OUT;
  }
  free(last_ns);
  return status;
}

/* ---- GPUs ---- */

static tdm_gpu gpu_of_track(tdm_run_view *view, int64_t track) {
  const tdm_device *device = tdm_run_view_device(view, tdm_run_view_device_of(view, track));
  if (device != NULL)
    return (tdm_gpu){.name = device->name, .rank = device->rank, .source = device->source};
  const tdm_track *about = tdm_run_view_track(view, track);
  const tdm_source *source =
      about != NULL ? tdm_run_tables_source(tdm_run_view_tables(view), about->source) : NULL;
  return (tdm_gpu){.name = about != NULL ? about->process : "",
                   .rank = source != NULL ? source->rank : TDM_NONE,
                   .source = about != NULL ? about->source : 0};
}

/* Where a track's GPU is numbered: by device, then by source. */
static uint32_t slot_of(tdm_run_view *view, int64_t track) {
  uint32_t devices = tdm_run_view_devices(view), slot = tdm_run_view_device_of(view, track);
  uint32_t sources = tdm_run_tables_sources(tdm_run_view_tables(view));
  if (slot != TDM_NO_DEVICE) return slot;
  const tdm_track *about = tdm_run_view_track(view, track);
  return devices + (about != NULL && about->source < sources ? about->source : sources);
}

typedef struct {
  tdm_run_view *view;
  tdm_gpu *first; /* by slot: what began first */
  int64_t *track; /* by slot: its track; TDM_NONE: nothing did */
} beginnings;

static void see_block(void *context, const tdm_row_block *block) {
  beginnings *b = context;
  for (size_t k = 0; k < block->count; k++) {
    uint32_t i = block->row[k], slot = slot_of(b->view, block->track[i]);
    if (b->track[slot] != TDM_NONE && b->first[slot].first_ns <= block->start_ns[i]) continue;
    b->track[slot] = block->track[i];
    b->first[slot].first_ns = block->start_ns[i];
  }
}

/* The GPUs that did something at any time: those that did nothing where the filter looks are idle
 * there. */
static tdm_status find_all_gpus(tdm_run_view *view, tdm_gpu_rows *rows, uint32_t *number,
                                uint32_t slots, tdm_error *error) {
  tdm_run_view *whole = NULL;
  beginnings b = {view, tdm_array_new(slots, sizeof *b.first),
                  tdm_array_new(slots, sizeof *b.track)};
  tdm_status status =
      b.first != NULL && b.track != NULL ? TDM_OK : tdm_error_memory(error, "GPUs", slots);
  for (uint32_t k = 0; status == TDM_OK && k < slots; k++) b.track[k] = TDM_NONE;
  if (status == TDM_OK) status = tdm_run_view_at_all_times(view, &whole, error);
  if (status == TDM_OK) status = tdm_run_view_pass(whole, &tdm_gpu_work, see_block, &b, error);
  for (uint32_t next = 0; status == TDM_OK && next < slots;) {
    next = slots;
    for (uint32_t k = 0; k < slots; k++)
      if (b.track[k] != TDM_NONE && (next == slots || b.first[k].first_ns < b.first[next].first_ns))
        next = k;
    if (next == slots) break;
    number[next] = rows->gpus;
    rows->gpu[rows->gpus++] = gpu_of_track(view, b.track[next]);
    b.track[next] = TDM_NONE;
  }
  free(b.first);
  free(b.track);
  return status;
}

static void number_rows(tdm_run_view *view, tdm_gpu_rows *rows, uint32_t *number) {
  const tdm_table *work = rows->work;
  for (size_t i = 0; i < work->count; i++) {
    if (rows->class_of[i] == TDM_LEFT_OUT) continue;
    uint32_t slot = slot_of(view, tdm_table_track(work, i));
    if (number[slot] == UINT32_MAX) {
      number[slot] = rows->gpus;
      rows->gpu[rows->gpus++] = gpu_of_track(view, tdm_table_track(work, i));
    }
    tdm_gpu *gpu = &rows->gpu[rows->gpu_of[i] = number[slot]];
    if (gpu->rows == 0) gpu->first_ns = tdm_table_start_ns(work, i);
    if (gpu->rows++ == 0 || tdm_table_end_ns(work, i) > gpu->last_ns)
      gpu->last_ns = tdm_table_end_ns(work, i);
    rows->rows++;
  }
}

static tdm_status find_gpus(tdm_run_view *view, tdm_gpu_rows *rows, tdm_error *error) {
  uint32_t slots =
      tdm_run_view_devices(view) + tdm_run_tables_sources(tdm_run_view_tables(view)) + 1;
  uint32_t *number = tdm_array_raw(slots, sizeof *number);
  rows->gpu = tdm_array_new(slots, sizeof *rows->gpu);
  rows->gpu_of = tdm_array_raw(rows->work->count + 1, sizeof *rows->gpu_of);
  tdm_status status = TDM_OK;
  if (number == NULL || rows->gpu == NULL || rows->gpu_of == NULL)
    status = tdm_error_memory(error, "GPUs", rows->work->count * sizeof *rows->gpu_of);
  for (uint32_t k = 0; status == TDM_OK && k < slots; k++) number[k] = UINT32_MAX;
  if (status == TDM_OK && tdm_run_view_narrowed(view) && tdm_run_view_times(view)->count > 0)
    status = find_all_gpus(view, rows, number, slots, error);
  if (status == TDM_OK) number_rows(view, rows, number);
  free(number);
  return status;
}

tdm_status tdm_gpu_rows_open(tdm_run_view *view, const tdm_options *options, tdm_gpu_rows *rows,
                             tdm_error *error) {
  *rows = (tdm_gpu_rows){.view = view};
  tdm_status status = tdm_run_view_table(view, &tdm_gpu_work, &rows->work, error);
  if (status != TDM_OK) return status;
  rows->class_of = tdm_gpu_classes(view, rows->work);
  if (rows->class_of == NULL) return tdm_error_memory(error, "classes", rows->work->count);
  status = apply_rules(view, options, rows, error);
  which work = WORK_ALL;
  if (status == TDM_OK) status = work_option(options, &work, error);
  if (status == TDM_OK && work != WORK_ALL) status = leave_out(view, work, rows, error);
  return status == TDM_OK ? find_gpus(view, rows, error) : status;
}

tdm_status tdm_gpu_rows_open_whole(tdm_run_view *view, const tdm_options *options,
                                   tdm_gpu_rows *rows, tdm_error *error) {
  tdm_run_view *whole = view;
  *rows = (tdm_gpu_rows){.view = view};
  tdm_status status = TDM_OK;
  if (tdm_run_view_times(view)->count > 0) status = tdm_run_view_at_all_times(view, &whole, error);
  return status == TDM_OK ? tdm_gpu_rows_open(whole, options, rows, error) : status;
}

void tdm_gpu_rows_close(tdm_gpu_rows *rows) {
  free(rows->class_of);
  free(rows->gpu_of);
  free(rows->gpu);
  *rows = (tdm_gpu_rows){0};
}

static size_t count_left_out(const tdm_run_view *view, const tdm_gpu_rows *rows) {
  const tdm_table *work = rows->work;
  size_t count = 0;
  for (size_t i = 0; rows->rows < work->count && i < work->count; i++)
    count += rows->class_of[i] == TDM_LEFT_OUT &&
             tdm_run_view_touches(view, tdm_table_start_ns(work, i), tdm_table_end_ns(work, i));
  return count;
}

void tdm_gpu_rows_tell(tdm_run_view *view, const tdm_options *options, const tdm_gpu_rows *rows,
                       tdm_answer *out) {
  size_t left_out = count_left_out(view, rows);
  bool steps = strcmp(tdm_option_text(options, "work", ""), "whole_steps") == 0;
  if (rows->gpus == 0 && rows->work->count == 0)
    tdm_answer_cannot(out,
                      "%s no GPU work (rows of category kernel, memcpy, memset, graph, or "
                      "simulated stages on a GPU)",
                      tdm_run_view_lacking(view, &tdm_gpu_work));
  else if (rows->gpus == 0)
    tdm_answer_cannot(out, "no GPU work shares its argument correlation with an API call%s",
                      steps ? " before the last ProfilerStep#" : "");
  int64_t tid = tdm_run_view_filter_of(view)->tid;
  if (tid != TDM_NONE)
    tdm_answer_basis(out, "GPU work is what thread %lld launched", (long long)tid);
  if (left_out > 0)
    tdm_answer_basis(out, "left out: %zu pieces of GPU work without a recorded launch%s", left_out,
                     steps ? " before the last ProfilerStep#" : "");
  else if (steps)
    tdm_answer_basis(out, "left out: nothing, there are no two ProfilerStep# annotations");
}

/* ---- sets of times ---- */

/* `left` by the filter; NULL: it narrows no times. */
static tdm_status count_time(const tdm_gpu *gpu, const tdm_intervals *left, tdm_gpu_sets *sets,
                             tdm_error *error) {
  if (left == NULL)
    return tdm_intervals_add(&sets->counted, gpu->first_ns, gpu->last_ns)
               ? TDM_OK
               : tdm_error_memory(error, "intervals", 0);
  tdm_status status = tdm_intervals_union(left, &(tdm_intervals){0}, &sets->counted, error);
  for (int c = 0; status == TDM_OK && c < TDM_CLASSES; c++) {
    tdm_intervals whole = sets->busy[c];
    sets->busy[c] = (tdm_intervals){0};
    status = tdm_intervals_intersect(&whole, &sets->counted, &sets->busy[c], error);
    tdm_intervals_close(&whole);
  }
  return status;
}

tdm_gpu_sets *tdm_gpu_sets_open(const tdm_run_view *view, const tdm_gpu_rows *rows,
                                tdm_error *error) {
  const tdm_table *work = rows->work;
  const tdm_intervals *left = tdm_run_view_narrowed(view) ? tdm_run_view_times(view) : NULL;
  tdm_gpu_sets *sets = tdm_array_new(rows->gpus + 1, sizeof *sets);
  tdm_status status = sets != NULL ? TDM_OK : tdm_error_memory(error, "GPUs", rows->gpus);
  for (size_t i = 0; status == TDM_OK && i < work->count; i++) {
    if (rows->class_of[i] == TDM_LEFT_OUT) continue;
    tdm_intervals *set = &sets[rows->gpu_of[i]].busy[rows->class_of[i]];
    if (!tdm_intervals_add(set, tdm_table_start_ns(work, i), tdm_table_end_ns(work, i)))
      status = tdm_error_memory(error, "intervals", 0);
  }
  for (uint32_t g = 0; status == TDM_OK && g < rows->gpus; g++)
    status = count_time(&rows->gpu[g], left, &sets[g], error);
  if (status == TDM_OK) return sets;
  if (sets != NULL) tdm_gpu_sets_close(sets, rows->gpus);
  return NULL;
}

void tdm_gpu_sets_close(tdm_gpu_sets *sets, uint32_t gpus) {
  for (uint32_t g = 0; sets != NULL && g < gpus; g++) {
    tdm_intervals_close(&sets[g].counted);
    for (int c = 0; c < TDM_CLASSES; c++) tdm_intervals_close(&sets[g].busy[c]);
  }
  free(sets);
}

tdm_status tdm_gpu_sets_join(const tdm_gpu_sets *sets, unsigned classes, tdm_intervals *out,
                             tdm_error *error) {
  for (int c = 0; c < TDM_CLASSES; c++) {
    if (!(classes >> c & 1) || sets->busy[c].count == 0) continue;
    tdm_intervals before = *out;
    *out = (tdm_intervals){0};
    tdm_status status = tdm_intervals_union(&before, &sets->busy[c], out, error);
    tdm_intervals_close(&before);
    if (status != TDM_OK) return status;
  }
  return TDM_OK;
}

tdm_bins tdm_gpu_bins(const tdm_run_view *view, const tdm_gpu_rows *rows, size_t bins) {
  tdm_bins made = {.from_ns = INT64_MAX, .to_ns = INT64_MIN, .count = bins};
  for (uint32_t g = 0; g < rows->gpus; g++) {
    if (rows->gpu[g].first_ns < made.from_ns) made.from_ns = rows->gpu[g].first_ns;
    if (rows->gpu[g].last_ns > made.to_ns) made.to_ns = rows->gpu[g].last_ns;
  }
  const tdm_intervals *left = tdm_run_view_times(view);
  if (tdm_run_view_narrowed(view) && left->count > 0) {
    made.from_ns = left->start_ns[0];
    made.to_ns = left->end_ns[left->count - 1];
  }
  if (made.to_ns <= made.from_ns) made.to_ns = made.from_ns + 1;
  return made;
}

void tdm_gpu_put(const tdm_gpu *gpu, tdm_frame *frame) {
  tdm_frame_int(frame, 0, gpu->rank);
  tdm_frame_name(frame, 1, gpu->name);
}

double tdm_share(int64_t part, int64_t whole) {
  return whole != 0 ? (double)part / (double)whole : NAN;
}
