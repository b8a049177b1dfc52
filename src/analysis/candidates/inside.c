/* Ranges inside those of one name (option "name", a glob that candidate-ranges gave, and
 * "category"), level by level: candidates for stages.
 *
 * Levels are counted among ranges of the same class: marks of people among marks, operators among
 * operators, so that an operator between two marks does not push the inner one down. */
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/candidates/launch_sums.h"
#include "analysis/candidates/range_names.h"
#include "analysis/groups.h"
#include "base/memory.h"

enum { GLOB = 1024, DEEPEST = 8 };

static const tdm_field fields[] = {
    {"class", TDM_FIELD_TEXT},    {"level", TDM_FIELD_INT},    {"name", TDM_FIELD_TEXT},
    {"category", TDM_FIELD_TEXT}, {"requests", TDM_FIELD_INT}, {"count", TDM_FIELD_INT},
    {"total_ns", TDM_FIELD_INT},  {"gpu_ns", TDM_FIELD_INT},   {"offset_ns", TDM_FIELD_INT}};
enum {
  FIELD_CLASS,
  FIELD_LEVEL,
  FIELD_NAME,
  FIELD_CATEGORY,
  FIELD_REQUESTS,
  FIELD_COUNT,
  FIELD_TOTAL,
  FIELD_GPU,
  FIELD_OFFSET,
  FIELDS
};
static const tdm_field request_fields[] = {{"requests", TDM_FIELD_INT},
                                           {"total_ns", TDM_FIELD_INT}};

typedef struct {
  int64_t requests, count, total_ns, gpu_ns, offset_ns, last_request;
} figures;

typedef struct {
  int64_t end_ns;
  tdm_range_class is;
} open_range;

/* A thread on its way: the request that is open, and the ranges in it. */
typedef struct {
  int64_t request, start_ns, end_ns;
  open_range *open;
  size_t depth, room;
} thread;

typedef struct {
  const tdm_range_names *names;
  const uint8_t *wanted; /* by name: is it the request's */
  tdm_launch_sums launches;
  tdm_launch_covers covers; /* by group */
  thread *thread;           /* by track */
  tdm_groups groups;        /* level and name */
  figures *of;              /* by group */
  size_t room;
  int64_t requests, total_ns;
} counting;

static bool add(counting *c, size_t i, int64_t level, const thread *t) {
  const tdm_table *rows = c->names->rows;
  const int64_t key[] = {level, c->names->of[i]};
  size_t before = c->groups.count;
  uint32_t at = tdm_groups_add(&c->groups, key);
  if (at == UINT32_MAX || !tdm_array_grow(&c->of, &c->room, c->groups.count, sizeof *c->of))
    return false;
  figures *f = &c->of[at];
  if (c->groups.count > before) *f = (figures){.last_request = -1};
  if (f->last_request != t->request) {
    f->last_request = t->request;
    f->requests++;
  }
  f->count++;
  f->total_ns = tdm_sum_ns(f->total_ns,
                           tdm_length_ns(tdm_table_start_ns(rows, i), tdm_table_end_ns(rows, i)));
  f->offset_ns = tdm_sum_ns(f->offset_ns, tdm_length_ns(t->start_ns, tdm_table_start_ns(rows, i)));
  int64_t gpu_ns = tdm_launch_covers_add(&c->covers, &c->launches, at, tdm_table_track(rows, i),
                                         tdm_table_start_ns(rows, i), tdm_table_end_ns(rows, i));
  f->gpu_ns += gpu_ns;
  return gpu_ns >= 0;
}

static bool count_row(counting *c, size_t i) {
  const tdm_table *rows = c->names->rows;
  thread *t = &c->thread[tdm_table_track(rows, i)];
  int64_t start_ns = tdm_table_start_ns(rows, i), end_ns = tdm_table_end_ns(rows, i);
  bool inside = t->request >= 0 && start_ns < t->end_ns;
  if (c->wanted[c->names->of[i]]) {
    if (inside && end_ns <= t->end_ns) return true;
    t->request = c->requests++;
    t->start_ns = start_ns;
    t->end_ns = end_ns;
    t->depth = 0;
    c->total_ns = tdm_sum_ns(c->total_ns, tdm_length_ns(start_ns, end_ns));
    return true;
  }
  if (!inside || end_ns > t->end_ns) return true;
  while (t->depth > 0 && t->open[t->depth - 1].end_ns <= start_ns) t->depth--;
  tdm_range_class is = c->names->name[c->names->of[i]].is;
  if (is == TDM_RANGE_PYTHON) return true;
  int64_t level = 1;
  for (size_t k = 0; k < t->depth; k++) level += t->open[k].is == is;
  if (!tdm_array_grow(&t->open, &t->room, t->depth + 1, sizeof *t->open)) return false;
  t->open[t->depth++] = (open_range){end_ns, is};
  return level > DEEPEST || add(c, i, level, t);
}

static void put(const counting *c, tdm_answer *out) {
  tdm_frame *frame = tdm_answer_frame(out, "inside", fields, FIELDS);
  for (size_t g = 0; g < c->groups.count; g++) {
    const tdm_range_name *name = &c->names->name[c->groups.key[2 * g + 1]];
    const figures *f = &c->of[g];
    char glob[GLOB];
    tdm_range_name_glob(name, glob, sizeof glob);
    tdm_frame_row(frame);
    tdm_frame_name(frame, FIELD_CLASS, tdm_range_class_word(name->is));
    tdm_frame_int(frame, FIELD_LEVEL, c->groups.key[2 * g]);
    tdm_frame_text(frame, FIELD_NAME, glob);
    tdm_frame_name(frame, FIELD_CATEGORY, tdm_request_ranges.categories[name->category]);
    tdm_frame_int(frame, FIELD_REQUESTS, f->requests);
    tdm_frame_int(frame, FIELD_COUNT, f->count);
    tdm_frame_int(frame, FIELD_TOTAL, f->total_ns);
    tdm_frame_int(frame, FIELD_GPU, f->gpu_ns);
    tdm_frame_int(frame, FIELD_OFFSET, f->offset_ns / f->count);
  }
  frame = tdm_answer_frame(out, "requests", request_fields, 2);
  tdm_frame_row(frame);
  tdm_frame_int(frame, 0, c->requests);
  tdm_frame_int(frame, 1, c->total_ns);
}

static uint8_t *find_wanted(const tdm_range_names *names, const char *glob, const char *category) {
  uint8_t *wanted = tdm_array_new(names->count + 1, sizeof *wanted);
  for (size_t i = 0; wanted != NULL && i < names->count; i++) {
    char own[GLOB];
    if (strcmp(tdm_request_ranges.categories[names->name[i].category], category) != 0) continue;
    tdm_range_name_glob(&names->name[i], own, sizeof own);
    wanted[i] = strcmp(own, glob) == 0;
  }
  return wanted;
}

static tdm_status count_all(counting *c, uint32_t tracks, tdm_error *error) {
  size_t rows = c->names->rows->count;
  tdm_status status = tdm_groups_open(&c->groups, 2, rows, error);
  if (status == TDM_OK) status = tdm_launch_covers_open(&c->covers, rows, error);
  if (status != TDM_OK) return status;
  bool done = c->thread != NULL && c->wanted != NULL;
  for (uint32_t t = 0; done && t < tracks; t++) c->thread[t].request = -1;
  for (size_t i = 0; done && i < rows; i++) done = count_row(c, i);
  return done ? TDM_OK : tdm_error_memory(error, "ranges", rows);
}

tdm_status tdm_candidate_inside(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                                tdm_error *error) {
  counting c = {0};
  uint32_t tracks = tdm_run_tables_tracks(tdm_run_view_tables(view));
  tdm_status status = tdm_range_names_of(view, &c.names, error);
  if (status == TDM_OK) status = tdm_launch_sums_open(view, &c.launches, error);
  if (status != TDM_OK) return status;
  uint8_t *wanted = find_wanted(c.names, tdm_option_text(options, "name", ""),
                                tdm_option_text(options, "category", ""));
  c.wanted = wanted;
  c.thread = tdm_array_new((size_t)tracks + 1, sizeof *c.thread);
  status = count_all(&c, tracks, error);
  if (status == TDM_OK) put(&c, out);
  tdm_groups_close(&c.groups);
  for (uint32_t t = 0; c.thread != NULL && t < tracks; t++) free(c.thread[t].open);
  free(c.thread);
  free(wanted);
  free(c.of);
  tdm_launch_covers_close(&c.covers);
  tdm_launch_sums_close(&c.launches);
  return status;
}
