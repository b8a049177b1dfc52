/* GPU work that begins a period: from one to the next of its name the same work follows. Option
 * "start": what the periods that begin with work of this name are made of.
 *
 * Every piece of work cuts its stream where its name recurs. Equal pieces between cuts are found by
 * prefix hashes, so that all names of a stream are tried in one pass: the name whose most frequent
 * piece takes the most time is the best beginning. */
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/groups.h"
#include "analysis/run_view/gpu_work.h"
#include "base/memory.h"
#include "base/rng.h"

enum { LEAST_LENGTH = 2 };

static const tdm_field fields[] = {
    {"name", TDM_FIELD_TEXT},   {"periods", TDM_FIELD_INT}, {"count", TDM_FIELD_INT},
    {"work_ns", TDM_FIELD_INT}, {"share", TDM_FIELD_REAL},  {"length", TDM_FIELD_INT},
    {"streams", TDM_FIELD_INT}, {"devices", TDM_FIELD_INT}, {"first_ns", TDM_FIELD_INT}};
enum {
  FIELD_NAME,
  FIELD_PERIODS,
  FIELD_COUNT,
  FIELD_WORK,
  FIELD_SHARE,
  FIELD_LENGTH,
  FIELD_STREAMS,
  FIELD_DEVICES,
  FIELD_FIRST,
  FIELDS
};
static const tdm_field part_fields[] = {{"name", TDM_FIELD_TEXT},
                                        {"class", TDM_FIELD_TEXT},
                                        {"kind", TDM_FIELD_TEXT},
                                        {"count", TDM_FIELD_INT},
                                        {"work_ns", TDM_FIELD_INT}};
enum { PART_NAME, PART_CLASS, PART_KIND, PART_COUNT, PART_WORK, PART_FIELDS };

/* Work of one name in one stream, and its pieces of one kind. */
typedef struct {
  uint32_t last; /* its last position */
  int64_t count, first_ns;
  int64_t periods, work_ns, length; /* of its best piece */
} beginning;
typedef struct {
  uint32_t of; /* beginning */
  int64_t count, work_ns, length;
} piece;

typedef struct {
  tdm_run_view *view;
  const tdm_table *work;
  uint32_t *first, *row; /* by track; by position */
  uint64_t *hash, *power;
  int64_t *sum_ns; /* of the work before each position */
  tdm_groups beginnings, pieces;
  beginning *beginning;
  piece *piece;
  size_t beginning_room, piece_room;
} finding;

static tdm_status lay_out(finding *f, uint32_t tracks, tdm_error *error) {
  size_t n = f->work->count;
  f->first = tdm_array_new((size_t)tracks + 2, sizeof *f->first);
  f->row = tdm_array_new(n + 1, sizeof *f->row);
  f->hash = tdm_array_new(n + 1, sizeof *f->hash);
  f->power = tdm_array_new(n + 1, sizeof *f->power);
  f->sum_ns = tdm_array_new(n + 1, sizeof *f->sum_ns);
  if (f->first == NULL || f->row == NULL || f->hash == NULL || f->power == NULL ||
      f->sum_ns == NULL)
    return tdm_error_memory(error, "periods", n * 28);
  tdm_order_by_kept_track(f->work->track, n, tracks, f->first, f->row);
  f->power[0] = 1;
  for (size_t i = 0; i < n; i++) {
    uint32_t row = f->row[i];
    uint64_t name = tdm_mix((uint64_t)tdm_table_name(f->work, row) + 1);
    f->hash[i + 1] = f->hash[i] * UINT64_C(0x100000001B3) + name;
    f->power[i + 1] = f->power[i] * UINT64_C(0x100000001B3);
    f->sum_ns[i + 1] = tdm_sum_ns(f->sum_ns[i], tdm_length_ns(tdm_table_start_ns(f->work, row),
                                                              tdm_table_end_ns(f->work, row)));
  }
  return TDM_OK;
}

static bool cut(finding *f, uint32_t of, size_t from, size_t to) {
  size_t length = to - from;
  if (length < LEAST_LENGTH) return true;
  uint64_t hash = f->hash[to] - f->hash[from] * f->power[length];
  const int64_t key[] = {of, (int64_t)length, (int64_t)hash};
  size_t before = f->pieces.count;
  uint32_t at = tdm_groups_add(&f->pieces, key);
  if (at == UINT32_MAX ||
      !tdm_array_grow(&f->piece, &f->piece_room, f->pieces.count, sizeof *f->piece))
    return false;
  if (f->pieces.count > before) f->piece[at] = (piece){.of = of, .length = (int64_t)length};
  f->piece[at].count++;
  f->piece[at].work_ns += f->sum_ns[to] - f->sum_ns[from];
  return true;
}

/* Only kernels and graphs begin a period: copies are told by kind, of which many look alike. */
static bool may_begin(const finding *f, uint32_t row) {
  return tdm_table_category(f->work, row) == TDM_WORK_KERNEL ||
         tdm_table_category(f->work, row) == TDM_WORK_GRAPH;
}

static bool visit(finding *f, size_t i) {
  uint32_t row = f->row[i];
  if (!may_begin(f, row)) return true;
  const int64_t key[] = {tdm_table_track(f->work, row), tdm_table_name(f->work, row)};
  size_t before = f->beginnings.count;
  uint32_t at = tdm_groups_add(&f->beginnings, key);
  if (at == UINT32_MAX ||
      !tdm_array_grow(&f->beginning, &f->beginning_room, f->beginnings.count, sizeof *f->beginning))
    return false;
  beginning *b = &f->beginning[at];
  if (f->beginnings.count > before)
    *b = (beginning){.first_ns = tdm_table_start_ns(f->work, row)};
  else if (!cut(f, at, b->last, i))
    return false;
  b->last = (uint32_t)i;
  b->count++;
  return true;
}

static tdm_status find(finding *f, uint32_t tracks, tdm_error *error) {
  size_t n = f->work->count;
  tdm_status status = tdm_groups_open(&f->beginnings, 2, n, error);
  if (status != TDM_OK) return status;
  status = tdm_groups_open(&f->pieces, 3, n, error);
  if (status != TDM_OK) return status;
  bool done = true;
  for (size_t i = 0; done && i < f->first[tracks]; i++) done = visit(f, i);
  if (!done) return tdm_error_memory(error, "periods", n);
  for (size_t p = 0; p < f->pieces.count; p++) {
    beginning *b = &f->beginning[f->piece[p].of];
    if (f->piece[p].count < 2 || f->piece[p].work_ns <= b->work_ns) continue;
    b->periods = f->piece[p].count;
    b->work_ns = f->piece[p].work_ns;
    b->length = f->piece[p].length;
  }
  return TDM_OK;
}

/* ---- by name, over all streams ---- */

typedef struct {
  int64_t name, periods, count, work_ns, length, streams, devices, first_ns;
} total;

static int most_work_first(const void *a, const void *b) {
  const total *x = a, *y = b;
  if (x->work_ns != y->work_ns) return x->work_ns > y->work_ns ? -1 : 1;
  if (x->first_ns != y->first_ns) return x->first_ns < y->first_ns ? -1 : 1;
  return x->name < y->name ? -1 : x->name > y->name;
}

static bool gather(const finding *f, size_t g, tdm_groups *devices, total *t) {
  const beginning *b = &f->beginning[g];
  const int64_t key[] = {f->beginnings.key[2 * g + 1],
                         tdm_run_view_device_of(f->view, f->beginnings.key[2 * g])};
  size_t before = devices->count;
  if (tdm_groups_add(devices, key) == UINT32_MAX) return false;
  t->name = f->beginnings.key[2 * g + 1];
  if (t->streams == 0 || b->first_ns < t->first_ns) t->first_ns = b->first_ns;
  if (b->length > t->length) t->length = b->length;
  t->devices += devices->count > before;
  t->streams++;
  t->periods += b->periods;
  t->count += b->count;
  t->work_ns += b->work_ns;
  return true;
}

static void put(const finding *f, const total *t, tdm_frame *frame) {
  int64_t all_ns = f->sum_ns[f->work->count];
  tdm_frame_row(frame);
  tdm_frame_name(frame, FIELD_NAME, tdm_run_view_name(f->view, t->name));
  tdm_frame_int(frame, FIELD_PERIODS, t->periods);
  tdm_frame_int(frame, FIELD_COUNT, t->count);
  tdm_frame_int(frame, FIELD_WORK, t->work_ns);
  tdm_frame_real(frame, FIELD_SHARE, all_ns > 0 ? (double)t->work_ns / (double)all_ns : 0);
  tdm_frame_int(frame, FIELD_LENGTH, t->length);
  tdm_frame_int(frame, FIELD_STREAMS, t->streams);
  tdm_frame_int(frame, FIELD_DEVICES, t->devices);
  tdm_frame_int(frame, FIELD_FIRST, t->first_ns);
}

static tdm_status put_all(const finding *f, size_t limit, tdm_frame *frame, tdm_error *error) {
  tdm_groups names, devices; /* of names */
  tdm_status status = tdm_groups_open(&names, 1, f->beginnings.count, error);
  if (status != TDM_OK) return status;
  status = tdm_groups_open(&devices, 2, f->beginnings.count, error);
  if (status != TDM_OK) {
    tdm_groups_close(&names);
    return status;
  }
  total *all = tdm_array_new(f->beginnings.count + 1, sizeof *all);
  bool done = all != NULL;
  for (size_t g = 0; done && g < f->beginnings.count; g++) {
    if (f->beginning[g].periods == 0) continue;
    uint32_t at = tdm_groups_add(&names, &f->beginnings.key[2 * g + 1]);
    done = at != UINT32_MAX && gather(f, g, &devices, &all[at]);
  }
  if (done && names.count > 1) qsort(all, names.count, sizeof *all, most_work_first);
  for (size_t i = 0; done && i < names.count && i < limit; i++) put(f, &all[i], frame);
  free(all);
  tdm_groups_close(&names);
  tdm_groups_close(&devices);
  return done ? TDM_OK : tdm_error_memory(error, "periods", 0);
}

/* ---- what periods are made of ---- */

static bool add_part(const finding *f, tdm_groups *parts, size_t i, int64_t **figures,
                     size_t *room) {
  uint32_t row = f->row[i];
  const int64_t key[] = {tdm_table_name(f->work, row), tdm_table_category(f->work, row),
                         tdm_table_arg(f->work, TDM_WORK_COPY_KIND, row)};
  size_t before = parts->count;
  uint32_t at = tdm_groups_add(parts, key);
  if (at == UINT32_MAX || !tdm_array_grow(figures, room, 2 * parts->count, sizeof **figures))
    return false;
  int64_t *figure = &(*figures)[2 * at];
  if (parts->count > before) figure[0] = figure[1] = 0;
  figure[0]++;
  figure[1] = tdm_sum_ns(
      figure[1], tdm_length_ns(tdm_table_start_ns(f->work, row), tdm_table_end_ns(f->work, row)));
  return true;
}

static void put_part(const finding *f, const int64_t *key, const int64_t *figure,
                     tdm_frame *frame) {
  static const char *const words[] = {"kernel", "copy", "memset", "graph", "stage"};
  tdm_frame_row(frame);
  tdm_frame_name(frame, PART_NAME, tdm_run_view_name(f->view, key[0]));
  tdm_frame_name(frame, PART_CLASS, words[key[1]]);
  if (key[2] != TDM_NONE) tdm_frame_name(frame, PART_KIND, tdm_run_view_name(f->view, key[2]));
  tdm_frame_int(frame, PART_COUNT, figure[0]);
  tdm_frame_int(frame, PART_WORK, figure[1]);
}

/* In the order of their first positions; from the first beginning of a stream to its last. */
static tdm_status put_parts(const finding *f, const char *start, tdm_frame *frame,
                            tdm_error *error) {
  tdm_groups parts;
  tdm_status status = tdm_groups_open(&parts, 3, f->work->count, error);
  if (status != TDM_OK) return status;
  int64_t *figures = NULL;
  size_t room = 0;
  bool done = true;
  for (size_t g = 0; done && g < f->beginnings.count; g++) {
    const beginning *b = &f->beginning[g];
    int64_t track = f->beginnings.key[2 * g], name = f->beginnings.key[2 * g + 1];
    if (b->periods == 0 || strcmp(tdm_run_view_name(f->view, name), start) != 0) continue;
    size_t i = f->first[track];
    while (tdm_table_name(f->work, f->row[i]) != name) i++;
    for (; done && i < b->last; i++) done = add_part(f, &parts, i, &figures, &room);
  }
  for (size_t p = 0; done && p < parts.count; p++)
    put_part(f, &parts.key[3 * p], &figures[2 * p], frame);
  free(figures);
  tdm_groups_close(&parts);
  return done ? TDM_OK : tdm_error_memory(error, "periods", f->work->count);
}

tdm_status tdm_candidate_periods(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                                 tdm_error *error) {
  finding f = {.view = view};
  const char *start = tdm_option_text(options, "start", NULL);
  uint32_t tracks = tdm_run_tables_tracks(tdm_run_view_tables(view));
  tdm_status status = tdm_run_view_table(view, &tdm_gpu_work, &f.work, error);
  if (status == TDM_OK) status = lay_out(&f, tracks, error);
  if (status == TDM_OK) status = find(&f, tracks, error);
  tdm_frame *frame = start == NULL ? tdm_answer_frame(out, "periods", fields, FIELDS)
                                   : tdm_answer_frame(out, "parts", part_fields, PART_FIELDS);
  if (status == TDM_OK && start == NULL)
    status = put_all(&f, (size_t)tdm_option_number(options, "limit", 50), frame, error);
  else if (status == TDM_OK)
    status = put_parts(&f, start, frame, error);
  tdm_groups_close(&f.beginnings);
  tdm_groups_close(&f.pieces);
  free(f.first);
  free(f.row);
  free(f.hash);
  free(f.power);
  free(f.sum_ns);
  free(f.beginning);
  free(f.piece);
  return status;
}
