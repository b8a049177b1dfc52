/* What each training or inference step spent its time on, every nanosecond once. A row for each GPU
 * and step, a step being a range (NVTX, annotation) whose name begins with the option name
 * ("ProfilerStep"). By the priority of PyTorch's TensorBoard plugin: kernel, memcpy, memset,
 * communication, runtime, data loader, CPU operators, other. Options of tdm_gpu_rows_open. */
#include "analysis/analysis.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/breakdown/gpu_time.h"
#include "base/memory.h"

/* In the order of their priority; the first four are the GPU's, the others the host's. */
enum { KERNEL, MEMCPY, MEMSET, COMM, RUNTIME, LOADER, CPU, PARTS, GPU_PARTS = RUNTIME };

static const tdm_field fields[] = {TDM_GPU_FIELDS,
                                   {"step", TDM_FIELD_TEXT},
                                   {"from_ns", TDM_FIELD_INT},
                                   {"total_ns", TDM_FIELD_INT},
                                   {"kernel_ns", TDM_FIELD_INT},
                                   {"memcpy_ns", TDM_FIELD_INT},
                                   {"memset_ns", TDM_FIELD_INT},
                                   {"comm_ns", TDM_FIELD_INT},
                                   {"runtime_ns", TDM_FIELD_INT},
                                   {"data_loader_ns", TDM_FIELD_INT},
                                   {"cpu_ns", TDM_FIELD_INT},
                                   {"other_ns", TDM_FIELD_INT},
                                   {"kernel_share", TDM_FIELD_REAL},
                                   {"memcpy_share", TDM_FIELD_REAL},
                                   {"memset_share", TDM_FIELD_REAL},
                                   {"comm_share", TDM_FIELD_REAL},
                                   {"runtime_share", TDM_FIELD_REAL},
                                   {"data_loader_share", TDM_FIELD_REAL},
                                   {"cpu_share", TDM_FIELD_REAL},
                                   {"other_share", TDM_FIELD_REAL}};
enum { FIELD_STEP = TDM_GPU_FIELD_COUNT, FIELD_FROM, FIELD_TOTAL, FIELD_PART };

static const char *const range_categories[] = {"user_annotation", "nvtx", NULL};
static const tdm_wanted ranges = {.categories = range_categories};
static const char *const operator_categories[] = {"cpu_op", "python_function", "user_annotation",
                                                  NULL};
static const tdm_wanted operators = {.categories = operator_categories};
enum { ROW_ANNOTATION = 2 };

typedef struct {
  uint32_t source;
  int64_t name, from_ns, to_ns;
} step;

typedef struct {
  tdm_run_view *view;
  tdm_gpu_rows rows;
  const char *prefix;
  step *step;
  size_t count, room;
  bool failed; /* no memory for a step */
  uint32_t sources;
  tdm_intervals (*host)[PARTS - GPU_PARTS]; /* by source */
  const tdm_intervals *left;                /* by the filter; NULL: it narrows no times */
} steps;

/* ---- which steps ---- */

static void visit(void *context, const tdm_row_block *block) {
  steps *s = context;
  size_t length = strlen(s->prefix);
  for (size_t k = 0; k < block->count; k++) {
    uint32_t i = block->row[k];
    if (strncmp(tdm_run_view_name(s->view, block->name[i]), s->prefix, length) != 0) continue;
    const tdm_track *track = tdm_run_view_track(s->view, block->track[i]);
    if (track == NULL || track->source >= s->sources || block->dur_ns[i] <= 0 ||
        block->start_ns[i] > INT64_MAX - block->dur_ns[i])
      continue;
    if (!tdm_array_grow(&s->step, &s->room, s->count + 1, sizeof *s->step)) {
      s->failed = true;
      return;
    }
    s->step[s->count++] = (step){track->source, block->name[i], block->start_ns[i],
                                 block->start_ns[i] + block->dur_ns[i]};
  }
}

static int by_source_and_time(const void *a, const void *b) {
  const step *x = a, *y = b;
  if (x->source != y->source) return x->source < y->source ? -1 : 1;
  if (x->from_ns != y->from_ns) return x->from_ns < y->from_ns ? -1 : 1;
  return x->to_ns > y->to_ns ? -1 : x->to_ns < y->to_ns;
}

/* ---- what the host did ---- */

static int add(steps *s, int64_t track, int part, int64_t start_ns, int64_t end_ns) {
  const tdm_track *about = tdm_run_view_track(s->view, track);
  if (about == NULL || about->source >= s->sources) return 1;
  return tdm_intervals_add(&s->host[about->source][part - GPU_PARTS], start_ns, end_ns);
}

static tdm_status find_host(steps *s, tdm_error *error) {
  const tdm_table *calls, *operated = NULL;
  s->host = tdm_array_new(s->sources + 1, sizeof *s->host);
  if (s->host == NULL) return tdm_error_memory(error, "steps", s->sources);
  tdm_status status = tdm_run_view_table(s->view, &tdm_api_calls, &calls, error);
  if (status == TDM_OK) status = tdm_run_view_table(s->view, &operators, &operated, error);
  int fits = 1;
  for (size_t i = 0; status == TDM_OK && fits && i < calls->count; i++)
    fits = add(s, tdm_table_track(calls, i), RUNTIME, tdm_table_start_ns(calls, i),
               tdm_table_end_ns(calls, i));
  static const char loader[] = "enumerate(DataLoader)"; /* as PyTorch names it */
  for (size_t i = 0; status == TDM_OK && fits && i < operated->count; i++) {
    const char *name = tdm_run_view_name(s->view, tdm_table_name(operated, i));
    bool loads = strncmp(name, loader, sizeof loader - 1) == 0;
    if (tdm_table_category(operated, i) == ROW_ANNOTATION && !loads) continue;
    fits = add(s, tdm_table_track(operated, i), loads ? LOADER : CPU,
               tdm_table_start_ns(operated, i), tdm_table_end_ns(operated, i));
  }
  return fits ? status : tdm_error_memory(error, "intervals", 0);
}

/* ---- every nanosecond once ---- */

/* only[k]: part k without those before it, where the filter leaves it. */
static tdm_status separate(const steps *s, const tdm_intervals *const *part, tdm_intervals *only,
                           tdm_error *error) {
  tdm_intervals taken = {0};
  tdm_status status = TDM_OK;
  for (int k = 0; status == TDM_OK && k < PARTS; k++) {
    tdm_intervals before = taken;
    taken = (tdm_intervals){0};
    status = tdm_intervals_subtract(part[k], &before, &only[k], error);
    if (status == TDM_OK) status = tdm_intervals_union(&before, part[k], &taken, error);
    tdm_intervals_close(&before);
    if (status != TDM_OK || s->left == NULL) continue;
    tdm_intervals whole = only[k];
    only[k] = (tdm_intervals){0};
    status = tdm_intervals_intersect(&whole, s->left, &only[k], error);
    tdm_intervals_close(&whole);
  }
  tdm_intervals_close(&taken);
  return status;
}

static void put(const steps *s, const tdm_gpu *gpu, const step *one, const tdm_intervals *only,
                tdm_frame *frame) {
  int64_t total_ns = s->left != NULL ? tdm_intervals_within_ns(s->left, one->from_ns, one->to_ns)
                                     : one->to_ns - one->from_ns;
  int64_t other_ns = total_ns;
  if (total_ns == 0) return;
  tdm_frame_row(frame);
  tdm_gpu_put(gpu, frame);
  tdm_frame_name(frame, FIELD_STEP, tdm_run_view_name(s->view, one->name));
  tdm_frame_int(frame, FIELD_FROM, one->from_ns);
  tdm_frame_int(frame, FIELD_TOTAL, total_ns);
  for (size_t k = 0; k <= PARTS; k++) {
    int64_t time_ns =
        k < PARTS ? tdm_intervals_within_ns(&only[k], one->from_ns, one->to_ns) : other_ns;
    other_ns -= time_ns;
    tdm_frame_int(frame, FIELD_PART + k, time_ns);
    tdm_frame_real(frame, FIELD_PART + PARTS + 1 + k, tdm_share(time_ns, total_ns));
  }
}

static tdm_status put_gpu(const steps *s, uint32_t g, const tdm_gpu_sets *sets, tdm_frame *frame,
                          tdm_error *error) {
  const tdm_gpu *gpu = &s->rows.gpu[g];
  const tdm_intervals *host = s->host[gpu->source];
  const tdm_intervals *part[PARTS] = {[KERNEL] = &sets->busy[TDM_CLASS_COMPUTE],
                                      [MEMCPY] = &sets->busy[TDM_CLASS_COPY],
                                      [MEMSET] = &sets->busy[TDM_CLASS_MEMSET],
                                      [COMM] = &sets->busy[TDM_CLASS_COMM],
                                      [RUNTIME] = &host[RUNTIME - GPU_PARTS],
                                      [LOADER] = &host[LOADER - GPU_PARTS],
                                      [CPU] = &host[CPU - GPU_PARTS]};
  tdm_intervals only[PARTS] = {{0}};
  tdm_status status = separate(s, part, only, error);
  for (size_t i = 0; status == TDM_OK && i < s->count; i++)
    if (s->step[i].source == gpu->source) put(s, gpu, &s->step[i], only, frame);
  for (size_t k = 0; k < PARTS; k++) tdm_intervals_close(&only[k]);
  return status;
}

static tdm_status fill(steps *s, tdm_frame *frame, tdm_error *error) {
  tdm_status status = find_host(s, error);
  if (status != TDM_OK) return status;
  if (tdm_run_view_narrowed(s->view)) s->left = tdm_run_view_times(s->view);
  tdm_gpu_sets *sets = tdm_gpu_sets_open(s->view, &s->rows, error);
  if (sets == NULL) return TDM_MEMORY;
  for (uint32_t g = 0; status == TDM_OK && g < s->rows.gpus; g++)
    status = put_gpu(s, g, &sets[g], frame, error);
  tdm_gpu_sets_close(sets, s->rows.gpus);
  return status;
}

static void release(steps *s) {
  for (uint32_t k = 0; s->host != NULL && k < s->sources; k++)
    for (size_t p = 0; p < PARTS - GPU_PARTS; p++) tdm_intervals_close(&s->host[k][p]);
  free(s->host);
  free(s->step);
  tdm_gpu_rows_close(&s->rows);
}

tdm_status tdm_answer_steps(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                            tdm_error *error) {
  steps s = {.view = view,
             .prefix = tdm_option_text(options, "name", "ProfilerStep"),
             .sources = tdm_run_tables_sources(tdm_run_view_tables(view))};
  tdm_status status = tdm_gpu_rows_open(view, options, &s.rows, error);
  tdm_frame *frame = tdm_answer_frame(out, "steps", fields, sizeof fields / sizeof *fields);
  if (status == TDM_OK && s.rows.gpus > 0) {
    status = tdm_run_view_pass(view, &ranges, visit, &s, error);
    if (status == TDM_OK && s.failed) status = tdm_error_memory(error, "steps", s.count);
    if (s.count > 0) qsort(s.step, s.count, sizeof *s.step, by_source_and_time);
    if (status == TDM_OK && s.count > 0) status = fill(&s, frame, error);
    if (status == TDM_OK && s.count == 0)
      tdm_answer_cannot(out,
                        "steps: %s no range (category nvtx or user_annotation) whose "
                        "name begins with '%s'",
                        tdm_run_view_lacking(view, &ranges), s.prefix);
  }
  if (status == TDM_OK) {
    tdm_gpu_rows_tell(view, options, &s.rows, out);
    tdm_answer_basis(out, "every nanosecond of a step counts once, for the first of kernel, copy, "
                          "memset, communication, API call, data loader, operator that ran in it, "
                          "on this GPU or on any thread of its file; other: none did");
  }
  release(&s);
  return status;
}
