/* Copies and memsets of one kind of trouble (option "pick"), a row a device, kind and memories, the
 * longest of them, and how long each device did nothing else. */
#include <stdlib.h>
#include <string.h>

#include "analysis/evidence/evidence.h"
#include "analysis/groups.h"
#include "analysis/run_view/gpu_work.h"
#include "base/memory.h"

/* What the driver copies within the call without waiting, as the CUDA documentation has it. */
#define SMALL_BYTES 65536

enum { MEMCPY, MEMSET };
static const char *const categories[] = {"memcpy", "memset", NULL};
static const tdm_arg keys[] = {{"correlation", TDM_ARG_INT}, {"bytes", TDM_ARG_INT},
                               {"kind", TDM_ARG_TEXT},       {"src_kind", TDM_ARG_TEXT},
                               {"dst_kind", TDM_ARG_TEXT},   {NULL, TDM_ARG_INT}};
enum { CORRELATION, BYTES, KIND, SOURCE, TARGET };
static const tdm_wanted wanted_copies = {.categories = categories, .keys = keys};

typedef enum { ASYNC_PAGEABLE, SYNC, SYNC_MEMSET, LARGE, PICKS } pick;
static const char *const picks[PICKS] = {"async-pageable", "sync", "sync-memset", "large"};

typedef struct {
  tdm_run_view *view;
  pick pick;
  double least_bytes;
  size_t limit;
  const tdm_table *copies;
  const tdm_launched *launched;
  uint32_t *row; /* of the picked ones */
  size_t picked;
} finder;

static const char *text_of(const finder *f, int64_t name) {
  return name == TDM_NONE ? "" : tdm_run_view_name(f->view, name);
}

/* The name of the call that asked for a copy; TDM_NONE: none was recorded. */
static int64_t call_of(const finder *f, size_t copy) {
  uint32_t call = tdm_correlation_find(&f->launched->by_call, tdm_table_track(f->copies, copy),
                                       tdm_table_arg(f->copies, CORRELATION, copy));
  return call == TDM_NO_ROW ? TDM_NONE : tdm_table_name(f->launched->calls, call);
}

static bool is_host_copy(const char *kind) {
  return strcmp(kind, "HtoD") == 0 || strcmp(kind, "DtoH") == 0;
}

/* The vendor's rules: a copy is asynchronous when its call says so. */
static bool is_picked(const finder *f, size_t i) {
  const tdm_table *t = f->copies;
  bool is_memset = tdm_table_category(t, i) == MEMSET;
  const char *kind = text_of(f, tdm_table_arg(t, KIND, i));
  int64_t bytes = tdm_table_arg(t, BYTES, i);
  if (f->pick == LARGE)
    return !is_memset && is_host_copy(kind) && (double)bytes >= f->least_bytes &&
           strcmp(text_of(f, tdm_table_arg(t, SOURCE, i)), "pageable") != 0 &&
           strcmp(text_of(f, tdm_table_arg(t, TARGET, i)), "pageable") != 0;
  int64_t call = call_of(f, i);
  if (call == TDM_NONE) return false;
  bool is_async = strstr(text_of(f, call), "Async") != NULL;
  switch (f->pick) {
  case ASYNC_PAGEABLE:
    return !is_memset && is_async &&
           (strcmp(text_of(f, tdm_table_arg(t, SOURCE, i)), "pageable") == 0 ||
            strcmp(text_of(f, tdm_table_arg(t, TARGET, i)), "pageable") == 0);
  case SYNC:
    return !is_memset && !is_async && strcmp(kind, "DtoD") != 0 &&
           !(strcmp(kind, "HtoD") == 0 && bytes <= SMALL_BYTES);
  default:
    return is_memset && !is_async && (strcmp(kind, "pinned") == 0 || strcmp(kind, "managed") == 0);
  }
}

/* ---- frames ---- */

static const tdm_field kind_fields[] = {TDM_EVIDENCE_DEVICE,          {"kind", TDM_FIELD_TEXT},
                                        {"src_kind", TDM_FIELD_TEXT}, {"dst_kind", TDM_FIELD_TEXT},
                                        {"count", TDM_FIELD_INT},     {"total_ns", TDM_FIELD_INT},
                                        {"bytes", TDM_FIELD_INT}};
static const tdm_field device_fields[] = {TDM_EVIDENCE_DEVICE,
                                          {"count", TDM_FIELD_INT},
                                          {"total_ns", TDM_FIELD_INT},
                                          {"alone_ns", TDM_FIELD_INT}};
static const tdm_field worst_fields[] = {
    TDM_EVIDENCE_DEVICE,          {"dur_ns", TDM_FIELD_INT},    {"start_ns", TDM_FIELD_INT},
    {"src_kind", TDM_FIELD_TEXT}, {"dst_kind", TDM_FIELD_TEXT}, {"kind", TDM_FIELD_TEXT},
    {"bytes", TDM_FIELD_INT},     {"stream", TDM_FIELD_INT},    {"call", TDM_FIELD_TEXT}};
#define COUNT(fields) (sizeof(fields) / sizeof *(fields))

static void put_text(const finder *f, tdm_frame *frame, size_t field, int64_t name) {
  if (name != TDM_NONE) tdm_frame_name(frame, field, tdm_run_view_name(f->view, name));
}

static tdm_status put_kinds(const finder *f, tdm_answer *out, tdm_error *error) {
  tdm_groups groups = {0};
  tdm_frame *frame = tdm_answer_frame(out, "kinds", kind_fields, COUNT(kind_fields));
  tdm_status status = tdm_groups_open(&groups, 4, f->picked, error);
  for (size_t i = 0; status == TDM_OK && i < f->picked; i++) {
    uint32_t row = f->row[i];
    int64_t key[4] = {tdm_run_view_device_of(f->view, tdm_table_track(f->copies, row))};
    for (size_t k = 0; k < 3; k++) key[k + 1] = tdm_table_arg(f->copies, KIND + k, row);
    if (tdm_groups_add(&groups, key) == UINT32_MAX) status = tdm_error_memory(error, "copies", 0);
  }
  if (status == TDM_OK) status = tdm_groups_gather(&groups, error);
  for (size_t g = 0; status == TDM_OK && g < groups.count; g++) {
    int64_t total_ns = 0, bytes = 0;
    for (size_t i = groups.first[g]; i < groups.first[g + 1]; i++) {
      uint32_t row = f->row[groups.row[i]];
      total_ns += tdm_table_end_ns(f->copies, row) - tdm_table_start_ns(f->copies, row);
      if (tdm_table_arg(f->copies, BYTES, row) > 0) bytes += tdm_table_arg(f->copies, BYTES, row);
    }
    tdm_frame_row(frame);
    tdm_evidence_put_device(f->view, (uint32_t)groups.key[4 * g], frame, 0);
    for (size_t k = 0; k < 3; k++) put_text(f, frame, 2 + k, groups.key[4 * g + 1 + k]);
    tdm_frame_int(frame, 5, (int64_t)(groups.first[g + 1] - groups.first[g]));
    tdm_frame_int(frame, 6, total_ns);
    tdm_frame_int(frame, 7, bytes);
  }
  tdm_groups_close(&groups);
  return status;
}

/* The picked copies of a device, and the others. */
static tdm_status split(const finder *f, uint32_t device, tdm_intervals *of, tdm_intervals *rest,
                        int64_t *total_ns, int64_t *count, tdm_error *error) {
  size_t next = 0;
  for (size_t i = 0; i < f->copies->count; i++) {
    bool picked = next < f->picked && f->row[next] == i;
    next += picked;
    if (tdm_run_view_device_of(f->view, tdm_table_track(f->copies, i)) != device) continue;
    int64_t start_ns = tdm_table_start_ns(f->copies, i), end_ns = tdm_table_end_ns(f->copies, i);
    if (!tdm_intervals_add(picked ? of : rest, start_ns, end_ns))
      return tdm_error_memory(error, "copies", 0);
    if (!picked) continue;
    ++*count;
    *total_ns += end_ns - start_ns;
  }
  return TDM_OK;
}

static tdm_status put_device(const finder *f, uint32_t device, const tdm_intervals *kernels,
                             tdm_frame *frame, tdm_error *error) {
  tdm_intervals of = {0}, rest = {0}, others = {0}, alone = {0};
  int64_t total_ns = 0, count = 0;
  tdm_status status = split(f, device, &of, &rest, &total_ns, &count, error);
  if (status == TDM_OK) status = tdm_intervals_union(kernels, &rest, &others, error);
  if (status == TDM_OK) status = tdm_intervals_subtract(&of, &others, &alone, error);
  if (status == TDM_OK && count > 0) {
    tdm_frame_row(frame);
    tdm_evidence_put_device(f->view, device, frame, 0);
    tdm_frame_int(frame, 2, count);
    tdm_frame_int(frame, 3, total_ns);
    tdm_frame_int(frame, 4, tdm_intervals_total_ns(&alone));
  }
  tdm_intervals_close(&of);
  tdm_intervals_close(&rest);
  tdm_intervals_close(&others);
  tdm_intervals_close(&alone);
  return status;
}

/* What is left of the picked copies when the device's other work is taken away. */
static tdm_status put_devices(const finder *f, tdm_answer *out, tdm_error *error) {
  const tdm_table *work = NULL;
  tdm_intervals *kernels = NULL;
  tdm_frame *frame = tdm_answer_frame(out, "devices", device_fields, COUNT(device_fields));
  tdm_status status = tdm_run_view_table(f->view, &tdm_gpu_work, &work, error);
  uint8_t *classes = status == TDM_OK ? tdm_gpu_classes(f->view, work) : NULL;
  if (status == TDM_OK && classes == NULL) status = tdm_error_memory(error, "copies", 0);
  if (status == TDM_OK)
    status = tdm_evidence_cover(f->view, work, classes,
                                TDM_CLASS_BIT(TDM_CLASS_COMPUTE) | TDM_CLASS_BIT(TDM_CLASS_COMM),
                                &kernels, error);
  for (uint32_t d = 0; status == TDM_OK && d < tdm_run_view_devices(f->view); d++)
    status = put_device(f, d, &kernels[d], frame, error);
  tdm_evidence_free(f->view, kernels);
  free(classes);
  return status;
}

/* Rearranges the picked rows, so it comes last. */
static void put_worst(finder *f, tdm_answer *out) {
  const tdm_table *t = f->copies;
  tdm_frame *frame = tdm_answer_frame(out, "worst", worst_fields, COUNT(worst_fields));
  size_t count = tdm_evidence_longest(t, f->row, f->picked, f->limit);
  for (size_t i = 0; i < count; i++) {
    uint32_t row = f->row[i];
    const tdm_track *track = tdm_run_view_track(f->view, tdm_table_track(t, row));
    tdm_frame_row(frame);
    tdm_evidence_put_device(f->view, tdm_run_view_device_of(f->view, tdm_table_track(t, row)),
                            frame, 0);
    tdm_frame_int(frame, 2, tdm_table_end_ns(t, row) - tdm_table_start_ns(t, row));
    tdm_frame_int(frame, 3, tdm_table_start_ns(t, row));
    put_text(f, frame, 4, tdm_table_arg(t, SOURCE, row));
    put_text(f, frame, 5, tdm_table_arg(t, TARGET, row));
    put_text(f, frame, 6, tdm_table_arg(t, KIND, row));
    tdm_frame_int(frame, 7, tdm_table_arg(t, BYTES, row));
    if (track != NULL) tdm_frame_int(frame, 8, track->stream);
    put_text(f, frame, 9, call_of(f, row));
  }
}

static tdm_status find(finder *f, tdm_error *error) {
  tdm_status status = tdm_run_view_table(f->view, &wanted_copies, &f->copies, error);
  if (status == TDM_OK) status = tdm_gpu_launched(f->view, &f->launched, error);
  if (status == TDM_OK && (f->row = tdm_array_new(f->copies->count + 1, sizeof *f->row)) == NULL)
    status = tdm_error_memory(error, "copies", f->copies->count);
  for (size_t i = 0; status == TDM_OK && i < f->copies->count; i++)
    if (is_picked(f, i)) f->row[f->picked++] = (uint32_t)i;
  return status;
}

tdm_status tdm_evidence_copies(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                               tdm_error *error) {
  finder f = {.view = view,
              .least_bytes = tdm_option_number(options, "least_bytes", 1 << 20),
              .limit = tdm_evidence_count(options, "limit", 10)};
  const char *word = tdm_option_text(options, "pick", "");
  while (f.pick < PICKS && strcmp(picks[f.pick], word) != 0) f.pick++;
  if (f.pick == PICKS) return tdm_error_set(error, TDM_INVALID, "'pick' cannot be '%s'", word);
  tdm_status status = find(&f, error);
  if (status == TDM_OK) status = put_kinds(&f, out, error);
  if (status == TDM_OK) status = put_devices(&f, out, error);
  if (status == TDM_OK) put_worst(&f, out);
  free(f.row);
  return status;
}
