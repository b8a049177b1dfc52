/* Host ranges by name as candidates for requests, which proposals of maps (lua/tandem/map/propose)
 * choose from: how many, how long, how much GPU work was launched in them. At most `limit` of each
 * class (tdm_range_class), those with the most GPU work first. Names that differ in numbers only
 * are one. */
#include <stdlib.h>

#include "analysis/analysis.h"
#include "analysis/candidates/launch_sums.h"
#include "analysis/candidates/range_names.h"
#include "analysis/groups.h"
#include "base/memory.h"

enum { GLOB = 1024 };

static const tdm_field fields[] = {
    {"name", TDM_FIELD_TEXT},       {"example", TDM_FIELD_TEXT},    {"category", TDM_FIELD_TEXT},
    {"class", TDM_FIELD_TEXT},      {"count", TDM_FIELD_INT},       {"names", TDM_FIELD_INT},
    {"total_ns", TDM_FIELD_INT},    {"gpu_ns", TDM_FIELD_INT},      {"gpu_share", TDM_FIELD_REAL},
    {"threads", TDM_FIELD_INT},     {"first_ns", TDM_FIELD_INT},    {"last_ns", TDM_FIELD_INT},
    {"time_share", TDM_FIELD_REAL}, {"local_share", TDM_FIELD_REAL}};
enum {
  FIELD_NAME,
  FIELD_EXAMPLE,
  FIELD_CATEGORY,
  FIELD_CLASS,
  FIELD_COUNT,
  FIELD_NAMES,
  FIELD_TOTAL,
  FIELD_GPU,
  FIELD_GPU_SHARE,
  FIELD_THREADS,
  FIELD_FIRST,
  FIELD_LAST,
  FIELD_TIME_SHARE,
  FIELD_LOCAL_SHARE,
  FIELDS
};

/* Of one name: its outermost ranges, each thread for itself. */
typedef struct {
  uint32_t name;
  int64_t count, total_ns, gpu_ns, threads, first_ns, last_ns;
  int64_t around_ns; /* GPU work from each process's first to its last */
} figures;

typedef struct {
  const tdm_range_names *names;
  tdm_launch_sums launches;
  tdm_launch_covers covers;
  figures *of;            /* by name */
  tdm_groups threads;     /* name and track */
  int64_t *open_until_ns; /* by group of them */
  size_t room;
} counting;

static bool count_row(counting *c, size_t i) {
  const tdm_table *rows = c->names->rows;
  int64_t start_ns = tdm_table_start_ns(rows, i), end_ns = tdm_table_end_ns(rows, i);
  const int64_t key[] = {c->names->of[i], tdm_table_track(rows, i)};
  size_t before = c->threads.count;
  uint32_t at = tdm_groups_add(&c->threads, key);
  if (at == UINT32_MAX ||
      !tdm_array_grow(&c->open_until_ns, &c->room, c->threads.count, sizeof *c->open_until_ns))
    return false;
  figures *f = &c->of[c->names->of[i]];
  if (c->threads.count > before) {
    c->open_until_ns[at] = INT64_MIN;
    f->threads++;
  }
  if (start_ns < c->open_until_ns[at] && end_ns <= c->open_until_ns[at])
    return true; /* inside another of its name */
  if (end_ns > c->open_until_ns[at]) c->open_until_ns[at] = end_ns;
  if (f->count++ == 0) f->first_ns = start_ns;
  f->total_ns = tdm_sum_ns(f->total_ns, tdm_length_ns(start_ns, end_ns));
  if (end_ns > f->last_ns || f->count == 1) f->last_ns = end_ns;
  int64_t gpu_ns = tdm_launch_covers_add(&c->covers, &c->launches, c->names->of[i],
                                         tdm_table_track(rows, i), start_ns, end_ns);
  f->gpu_ns += gpu_ns;
  return gpu_ns >= 0;
}

static void count_around(counting *c) {
  const tdm_groups *owners = &c->covers.owners;
  for (size_t g = 0; g < owners->count; g++)
    c->of[owners->key[2 * g]].around_ns +=
        tdm_launch_sums_within(&c->launches, (uint32_t)owners->key[2 * g + 1],
                               c->covers.cover[g].first_ns, c->covers.cover[g].until_ns);
}

static int most_work_first(const void *a, const void *b) {
  const figures *x = a, *y = b;
  if (x->gpu_ns != y->gpu_ns) return x->gpu_ns > y->gpu_ns ? -1 : 1;
  if (x->total_ns != y->total_ns) return x->total_ns > y->total_ns ? -1 : 1;
  return x->name < y->name ? -1 : x->name > y->name;
}

static void put(const counting *c, const figures *f, int64_t extent_ns, tdm_frame *frame) {
  const tdm_range_name *name = &c->names->name[f->name];
  char glob[GLOB];
  tdm_range_name_glob(name, glob, sizeof glob);
  tdm_frame_row(frame);
  tdm_frame_text(frame, FIELD_NAME, glob);
  tdm_frame_name(frame, FIELD_EXAMPLE, name->example);
  tdm_frame_name(frame, FIELD_CATEGORY, tdm_request_ranges.categories[name->category]);
  tdm_frame_name(frame, FIELD_CLASS, tdm_range_class_word(name->is));
  tdm_frame_int(frame, FIELD_COUNT, f->count);
  tdm_frame_int(frame, FIELD_NAMES, name->names);
  tdm_frame_int(frame, FIELD_TOTAL, f->total_ns);
  if (c->launches.total_ns > 0) {
    tdm_frame_int(frame, FIELD_GPU, f->gpu_ns);
    tdm_frame_real(frame, FIELD_GPU_SHARE, (double)f->gpu_ns / (double)c->launches.total_ns);
  }
  if (f->around_ns > 0)
    tdm_frame_real(frame, FIELD_LOCAL_SHARE, (double)f->gpu_ns / (double)f->around_ns);
  tdm_frame_int(frame, FIELD_THREADS, f->threads);
  tdm_frame_int(frame, FIELD_FIRST, f->first_ns);
  tdm_frame_int(frame, FIELD_LAST, f->last_ns);
  if (extent_ns > 0)
    tdm_frame_real(frame, FIELD_TIME_SHARE,
                   (double)f->total_ns / ((double)extent_ns * (double)f->threads));
}

static void put_all(const counting *c, tdm_run_view *view, size_t limit, tdm_answer *out) {
  tdm_frame *frame = tdm_answer_frame(out, "ranges", fields, FIELDS);
  int64_t from_ns = 0, to_ns = 0;
  size_t shown[TDM_RANGE_CLASSES] = {0};
  tdm_run_view_extent(view, &from_ns, &to_ns);
  if (c->names->count > 1) qsort(c->of, c->names->count, sizeof *c->of, most_work_first);
  for (size_t i = 0; i < c->names->count; i++) {
    tdm_range_class is = c->names->name[c->of[i].name].is;
    if (is != TDM_RANGE_PYTHON && shown[is]++ < limit)
      put(c, &c->of[i], tdm_length_ns(from_ns, to_ns), frame);
  }
  if (c->names->rows->count == 0)
    tdm_answer_cannot(out, "%s no ranges (no rows of category nvtx, user_annotation, cpu_op)",
                      tdm_run_view_lacking(view, &tdm_request_ranges));
}

tdm_status tdm_candidate_ranges(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                                tdm_error *error) {
  counting c = {0};
  tdm_status status = tdm_range_names_of(view, &c.names, error);
  if (status == TDM_OK) status = tdm_launch_sums_open(view, &c.launches, error);
  if (status != TDM_OK) return status;
  c.of = tdm_array_new(c.names->count + 1, sizeof *c.of);
  status = tdm_groups_open(&c.threads, 2, c.names->rows->count, error);
  if (status == TDM_OK) status = tdm_launch_covers_open(&c.covers, c.names->rows->count, error);
  if (status == TDM_OK) {
    bool done = c.of != NULL;
    for (size_t i = 0; done && i < c.names->count; i++) c.of[i].name = (uint32_t)i;
    for (size_t i = 0; done && i < c.names->rows->count; i++) done = count_row(&c, i);
    if (done) count_around(&c);
    if (!done) status = tdm_error_memory(error, "ranges", c.names->rows->count);
  }
  if (status == TDM_OK) put_all(&c, view, (size_t)tdm_option_number(options, "limit", 100), out);
  tdm_groups_close(&c.threads);
  tdm_launch_covers_close(&c.covers);
  tdm_launch_sums_close(&c.launches);
  free(c.open_until_ns);
  free(c.of);
  return status;
}
