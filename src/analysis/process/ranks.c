/* What each rank did, and how far apart ranks arrive at their collectives.
 *
 * A rank is a process with GPU work; its file says which number it has. Collectives are the k-th
 * kernels of one name on every rank that has that name equally often: of the whole run, since a
 * window cuts off another number of them on each rank. */
#include "analysis/analysis.h"

#include <stdlib.h>

#include "analysis/groups.h"
#include "analysis/intervals.h"
#include "analysis/moments.h"
#include "analysis/run_view/gpu_work.h"
#include "analysis/run_view/run_view.h"
#include "base/memory.h"

/* As tdm_gpu_work, and which ranks communicate where the source says. */
static const char *const work_categories[] = {"kernel", "memcpy", "memset", "graph", "stage", NULL};
static const tdm_arg work_keys[] = {{"Process Group Ranks", TDM_ARG_TEXT},
                                    {"Process Group Ranks", TDM_ARG_JSON},
                                    {"Process Group Name", TDM_ARG_TEXT},
                                    {NULL, TDM_ARG_INT}};
static const tdm_wanted wanted_work = {.categories = work_categories,
                                       .keys = work_keys,
                                       .stage_lanes = 1u << TDM_LANE_GPU | 1u << TDM_LANE_H2D |
                                                      1u << TDM_LANE_D2H};
enum { GROUP_RANKS, GROUP_RANKS_JSON, GROUP_NAME };

static const tdm_field rank_fields[] = {
    {"rank", TDM_FIELD_INT},       {"process", TDM_FIELD_INT},
    {"device", TDM_FIELD_TEXT},    {"first_ns", TDM_FIELD_INT},
    {"span_ns", TDM_FIELD_INT},    {"busy_ns", TDM_FIELD_INT},
    {"idle_ns", TDM_FIELD_INT},    {"compute_ns", TDM_FIELD_INT},
    {"comm_ns", TDM_FIELD_INT},    {"exposed_comm_ns", TDM_FIELD_INT},
    {"wait_ns", TDM_FIELD_INT},    {"last_count", TDM_FIELD_INT},
    {"held_up_ns", TDM_FIELD_INT}, {"file", TDM_FIELD_TEXT}};
enum {
  RANK_RANK,
  RANK_PROCESS,
  RANK_DEVICE,
  RANK_FIRST,
  RANK_SPAN,
  RANK_BUSY,
  RANK_IDLE,
  RANK_COMPUTE,
  RANK_COMM,
  RANK_EXPOSED,
  RANK_WAIT,
  RANK_LAST,
  RANK_HELD_UP,
  RANK_FILE,
  RANK_FIELDS
};

static const tdm_field collective_fields[] = {
    {"at_ns", TDM_FIELD_INT},   {"skew_ns", TDM_FIELD_INT},     {"end_skew_ns", TDM_FIELD_INT},
    {"wait_ns", TDM_FIELD_INT}, {"shortest_ns", TDM_FIELD_INT}, {"longest_ns", TDM_FIELD_INT},
    {"ranks", TDM_FIELD_INT},   {"ordinal", TDM_FIELD_INT},     {"last_rank", TDM_FIELD_INT},
    {"last", TDM_FIELD_TEXT},   {"name", TDM_FIELD_TEXT}};
enum {
  COLL_AT,
  COLL_SKEW,
  COLL_END_SKEW,
  COLL_WAIT,
  COLL_SHORTEST,
  COLL_LONGEST,
  COLL_RANKS,
  COLL_ORDINAL,
  COLL_LAST_RANK,
  COLL_LAST,
  COLL_NAME,
  COLL_FIELDS
};

typedef struct {
  uint32_t process;
  int64_t track; /* one of its GPU work */
  int64_t rank;
  int64_t first_ns, last_ns;
  tdm_intervals busy, compute, comm;
  int64_t wait_ns, held_up_ns, last_count;
} rank;

/* A communicating kernel: which rank's, the how manyth of its kind there. */
typedef struct {
  uint32_t work, rank, kind;
  int64_t ordinal;
} part;

typedef struct {
  tdm_run_view *view;
  const tdm_table
      *work; /* at all times: ranks meet in what began before, and may do nothing then */
  uint8_t *class;
  const tdm_intervals *left; /* by the filter; NULL: it narrows no times */
  const uint32_t *process;   /* by track */
  uint32_t *rank_of;         /* by process: its rank + 1; 0: it has no work */
  rank *rank;                /* by number */
  size_t ranks;
  part *part;
  size_t parts;
  tdm_groups kinds;   /* of collectives: name, and who takes part */
  int64_t *often;     /* by kind: how often on every rank that has it; -1: not equally often */
  int64_t *spread_ns; /* by collective: how far apart its ends are */
  size_t matched, unmatched;
} comparing;

/* ---- ranks ---- */

static rank *rank_at(comparing *c, size_t w) {
  uint32_t process = c->process[c->work->track[w]];
  if (c->rank_of[process] != 0) return &c->rank[c->rank_of[process] - 1];
  const tdm_track *track = tdm_run_view_track(c->view, c->work->track[w]);
  const tdm_source *source =
      track == NULL ? NULL : tdm_run_tables_source(tdm_run_view_tables(c->view), track->source);
  rank *made = &c->rank[c->ranks++];
  *made = (rank){.process = process,
                 .track = c->work->track[w],
                 .rank = source != NULL ? source->rank : TDM_NONE,
                 .first_ns = c->work->start_ns[w],
                 .last_ns = c->work->end_ns[w]};
  c->rank_of[process] = (uint32_t)c->ranks;
  return made;
}

static int add_work(comparing *c, size_t w) {
  rank *r = rank_at(c, w);
  int64_t start_ns = c->work->start_ns[w], end_ns = c->work->end_ns[w];
  if (end_ns > r->last_ns) r->last_ns = end_ns;
  int fine = tdm_intervals_add(&r->busy, start_ns, end_ns);
  if (c->class[w] == TDM_CLASS_COMPUTE || c->class[w] == TDM_CLASS_MEMSET) /* as in breakdown */
    fine = fine && tdm_intervals_add(&r->compute, start_ns, end_ns);
  if (c->class[w] == TDM_CLASS_COMM) fine = fine && tdm_intervals_add(&r->comm, start_ns, end_ns);
  return fine;
}

static int by_number(const void *a, const void *b) {
  const rank *x = a, *y = b;
  if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
  return x->process < y->process ? -1 : x->process > y->process;
}

/* Leaves of what a rank did what lies in some times. */
static tdm_status cut(rank *r, const tdm_intervals *left, tdm_error *error) {
  tdm_intervals *const sets[] = {&r->busy, &r->compute, &r->comm};
  tdm_status status = TDM_OK;
  for (size_t k = 0; status == TDM_OK && k < sizeof sets / sizeof *sets; k++) {
    tdm_intervals whole = *sets[k];
    *sets[k] = (tdm_intervals){0};
    status = tdm_intervals_intersect(&whole, left, sets[k], error);
    tdm_intervals_close(&whole);
  }
  return status;
}

static tdm_status find_ranks(comparing *c, tdm_error *error) {
  const tdm_processes *processes = NULL;
  tdm_status status = tdm_processes_of(c->view, &processes, error);
  if (status != TDM_OK) return status;
  c->process = processes->of;
  c->rank_of = tdm_array_new((size_t)processes->count + 1, sizeof *c->rank_of);
  c->rank = tdm_array_new((size_t)processes->count + 1, sizeof *c->rank);
  if (c->rank_of == NULL || c->rank == NULL)
    return tdm_error_memory(error, "ranks", c->work->count);
  for (size_t w = 0; w < c->work->count; w++)
    if (!add_work(c, w)) return tdm_error_memory(error, "ranks", 0);
  qsort(c->rank, c->ranks, sizeof *c->rank, by_number);
  for (uint32_t r = 0; r < c->ranks; r++) c->rank_of[c->rank[r].process] = r + 1;
  for (size_t r = 0; status == TDM_OK && c->left != NULL && r < c->ranks; r++)
    status = cut(&c->rank[r], c->left, error);
  return status;
}

/* ---- collectives ---- */

static uint32_t kind_of(comparing *c, size_t w) {
  int64_t who = c->work->arg[GROUP_RANKS][w];
  if (who == TDM_NONE) who = c->work->arg[GROUP_RANKS_JSON][w];
  if (who == TDM_NONE) who = c->work->arg[GROUP_NAME][w];
  const int64_t key[] = {c->work->name[w], who};
  return tdm_groups_add(&c->kinds, key);
}

static tdm_status find_parts(comparing *c, tdm_error *error) {
  c->part = malloc((c->work->count + 1) * sizeof *c->part);
  tdm_groups seen;
  tdm_status status = tdm_groups_open(&c->kinds, 2, c->work->count, error);
  if (status == TDM_OK) status = tdm_groups_open(&seen, 2, c->work->count, error);
  if (status != TDM_OK) return status;
  int64_t *count = calloc(c->work->count + 1, sizeof *count);
  c->often = calloc(c->work->count + 1, sizeof *c->often);
  if (c->part == NULL || count == NULL || c->often == NULL)
    status = tdm_error_memory(error, "collectives", 0);
  for (uint32_t w = 0; status == TDM_OK && w < c->work->count; w++) {
    uint32_t r = c->rank_of[c->process[c->work->track[w]]];
    if (c->class[w] != TDM_CLASS_COMM || r-- == 0) continue;
    uint32_t kind = kind_of(c, w);
    const int64_t key[] = {r, kind};
    uint32_t g = kind == UINT32_MAX ? kind : tdm_groups_add(&seen, key);
    if (g == UINT32_MAX)
      status = tdm_error_memory(error, "collectives", 0);
    else
      c->part[c->parts++] = (part){w, r, kind, count[g]++};
  }
  for (size_t g = 0; status == TDM_OK && g < seen.count; g++) {
    int64_t *often = &c->often[seen.key[2 * g + 1]];
    *often = *often == 0 || *often == count[g] ? count[g] : -1;
  }
  free(count);
  tdm_groups_close(&seen);
  return status;
}

/* Its parts are positions in c->part. */
static void put_collective(comparing *c, const uint32_t *parts, size_t count, tdm_frame *frame) {
  const tdm_table *work = c->work;
  const part *one = &c->part[parts[0]], *last = one;
  int64_t first_ns = INT64_MAX, late_ns = INT64_MIN, early_end_ns = INT64_MAX, end_ns = INT64_MIN,
          shortest_ns = INT64_MAX, longest_ns = 0, wait_ns = 0;
  for (size_t i = 0; i < count; i++) {
    const part *p = &c->part[parts[i]];
    int64_t start = work->start_ns[p->work], end = work->end_ns[p->work];
    if (start < first_ns) first_ns = start;
    if (start > late_ns) late_ns = start, last = p;
    if (end < early_end_ns) early_end_ns = end;
    if (end > end_ns) end_ns = end;
    if (end - start < shortest_ns) shortest_ns = end - start;
    if (end - start > longest_ns) longest_ns = end - start;
  }
  for (size_t i = 0; i < count; i++) {
    const part *p = &c->part[parts[i]];
    int64_t until = late_ns < work->end_ns[p->work] ? late_ns : work->end_ns[p->work];
    c->rank[p->rank].wait_ns += until - work->start_ns[p->work];
    wait_ns += until - work->start_ns[p->work];
  }
  c->rank[last->rank].last_count++;
  c->rank[last->rank].held_up_ns += wait_ns;
  c->spread_ns[c->matched++] = end_ns - early_end_ns;
  const tdm_track *where = tdm_run_view_track(c->view, work->track[last->work]);
  tdm_frame_row(frame);
  tdm_frame_int(frame, COLL_AT, first_ns - tdm_run_view_origin(c->view));
  tdm_frame_int(frame, COLL_SKEW, late_ns - first_ns);
  tdm_frame_int(frame, COLL_END_SKEW, end_ns - early_end_ns);
  tdm_frame_int(frame, COLL_WAIT, wait_ns);
  tdm_frame_int(frame, COLL_SHORTEST, shortest_ns);
  tdm_frame_int(frame, COLL_LONGEST, longest_ns);
  tdm_frame_int(frame, COLL_RANKS, (int64_t)count);
  tdm_frame_int(frame, COLL_ORDINAL, one->ordinal);
  tdm_frame_int(frame, COLL_LAST_RANK, c->rank[last->rank].rank);
  if (where != NULL) tdm_frame_name(frame, COLL_LAST, where->process);
  tdm_frame_name(frame, COLL_NAME, tdm_run_view_name(c->view, work->name[one->work]));
}

/* Whether ranks meet in what is looked at: when the last of them arrives. */
static bool is_seen(const comparing *c, const uint32_t *parts, size_t count) {
  int64_t late_ns = INT64_MIN;
  for (size_t i = 0; i < count; i++) {
    int64_t start_ns = c->work->start_ns[c->part[parts[i]].work];
    if (start_ns > late_ns) late_ns = start_ns;
  }
  return tdm_run_view_looks_at(c->view, late_ns);
}

static tdm_status put_collectives(comparing *c, tdm_answer *out, tdm_error *error) {
  tdm_frame *frame = tdm_answer_frame(out, "collectives", collective_fields, COLL_FIELDS);
  tdm_groups same;
  tdm_status status = tdm_groups_open(&same, 2, c->parts, error);
  c->spread_ns = malloc((c->parts + 1) * sizeof *c->spread_ns);
  if (status == TDM_OK && c->spread_ns == NULL) status = tdm_error_memory(error, "collectives", 0);
  for (size_t i = 0; status == TDM_OK && i < c->parts; i++) {
    const int64_t key[] = {c->part[i].kind, c->part[i].ordinal};
    if (tdm_groups_add(&same, key) == UINT32_MAX)
      status = tdm_error_memory(error, "collectives", 0);
  }
  if (status == TDM_OK) status = tdm_groups_gather(&same, error);
  for (size_t g = 0; status == TDM_OK && g < same.count; g++) {
    size_t count = same.first[g + 1] - same.first[g];
    if (!is_seen(c, same.row + same.first[g], count)) continue;
    if (count > 1 && c->often[same.key[2 * g]] > 0)
      put_collective(c, same.row + same.first[g], count, frame);
    else
      c->unmatched += count;
  }
  tdm_groups_close(&same);
  return status;
}

/* ---- ranks as rows ---- */

static tdm_status put_rank(comparing *c, const rank *r, tdm_frame *frame, tdm_error *error) {
  const tdm_track *track = tdm_run_view_track(c->view, r->track);
  const tdm_source *source =
      track == NULL ? NULL : tdm_run_tables_source(tdm_run_view_tables(c->view), track->source);
  const tdm_device *device =
      tdm_run_view_device(c->view, tdm_run_view_device_of(c->view, r->track));
  int64_t busy_ns = tdm_intervals_total_ns(&r->busy), first_ns = r->first_ns;
  int64_t span_ns = r->last_ns - r->first_ns;
  if (c->left != NULL) {
    first_ns = r->busy.count > 0 ? r->busy.start_ns[0] : TDM_NONE;
    span_ns = tdm_intervals_total_ns(c->left);
  }
  tdm_intervals exposed = {0};
  tdm_status status = tdm_intervals_subtract(&r->comm, &r->compute, &exposed, error);
  tdm_frame_row(frame);
  tdm_frame_int(frame, RANK_RANK, r->rank);
  if (track != NULL && track->pid != TDM_NONE) tdm_frame_int(frame, RANK_PROCESS, track->pid);
  if (device != NULL) tdm_frame_name(frame, RANK_DEVICE, device->name);
  if (first_ns != TDM_NONE)
    tdm_frame_int(frame, RANK_FIRST, first_ns - tdm_run_view_origin(c->view));
  tdm_frame_int(frame, RANK_SPAN, span_ns);
  tdm_frame_int(frame, RANK_BUSY, busy_ns);
  tdm_frame_int(frame, RANK_IDLE, span_ns - busy_ns);
  tdm_frame_int(frame, RANK_COMPUTE, tdm_intervals_total_ns(&r->compute));
  tdm_frame_int(frame, RANK_COMM, tdm_intervals_total_ns(&r->comm));
  tdm_frame_int(frame, RANK_EXPOSED, tdm_intervals_total_ns(&exposed));
  if (c->matched > 0) {
    tdm_frame_int(frame, RANK_WAIT, r->wait_ns);
    tdm_frame_int(frame, RANK_LAST, r->last_count);
    tdm_frame_int(frame, RANK_HELD_UP, r->held_up_ns);
  }
  if (source != NULL) tdm_frame_name(frame, RANK_FILE, source->path);
  tdm_intervals_close(&exposed);
  return status;
}

static void say(comparing *c, tdm_answer *out) {
  const tdm_run_view_filter *filter = tdm_run_view_filter_of(c->view);
  if (c->ranks == 0)
    tdm_answer_cannot(out, "%s no GPU work (no rows of category kernel)",
                      tdm_run_view_lacking(c->view, &wanted_work));
  else if (c->ranks == 1 && (filter->rank != TDM_NONE || filter->pid != TDM_NONE))
    tdm_answer_cannot(out, "skew and stragglers: the filter leaves one process with GPU work");
  else if (c->ranks == 1)
    tdm_answer_cannot(out, "skew and stragglers: the run has one process with GPU work; import the "
                           "files of several ranks as one run");
  else if (c->parts == 0)
    tdm_answer_cannot(out, "skew at collectives: no kernels of NCCL or a similar library");
  else if (c->matched == 0)
    tdm_answer_cannot(out, "skew at collectives: no collective occurs equally often on several "
                           "ranks");
  tdm_answer_basis(out, "a rank is a process with GPU work; idle: without any; exposed: without "
                        "computation beside it");
  if (c->left != NULL && c->ranks > 0)
    tdm_answer_basis(out, "span: the time that the filter leaves");
  if (c->matched == 0) return;
  tdm_moments spread = tdm_moments_of(c->spread_ns, c->matched);
  tdm_answer_basis(
      out,
      "collectives: the k-th of a name (and group of ranks, where known) on every rank "
      "that has it equally often: %zu matched, %zu kernels not; waiting: from a "
      "rank's start to the last one's",
      c->matched, c->unmatched);
  tdm_answer_basis(out,
                   "skew is as good as the clocks: a collective's ends are %s apart (median), "
                   "which would be next to nothing on one clock",
                   tdm_answer_time(spread.median).text);
}

tdm_status tdm_answer_ranks(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                            tdm_error *error) {
  (void)options;
  comparing c = {.view = view};
  tdm_frame *frame = tdm_answer_frame(out, "ranks", rank_fields, RANK_FIELDS);
  tdm_run_view *whole = view;
  tdm_status status = TDM_OK;
  if (tdm_run_view_times(view)->count > 0) status = tdm_run_view_at_all_times(view, &whole, error);
  if (status == TDM_OK) status = tdm_run_view_table(whole, &wanted_work, &c.work, error);
  if (status == TDM_OK && (c.class = tdm_gpu_classes(whole, c.work)) == NULL)
    status = tdm_error_memory(error, "ranks", c.work->count);
  if (tdm_run_view_narrowed(view)) c.left = tdm_run_view_times(view);
  if (status == TDM_OK) status = find_ranks(&c, error);
  if (status == TDM_OK) status = find_parts(&c, error);
  if (status == TDM_OK) status = put_collectives(&c, out, error);
  for (size_t r = 0; status == TDM_OK && r < c.ranks; r++)
    status = put_rank(&c, &c.rank[r], frame, error);
  if (status == TDM_OK) say(&c, out);
  for (size_t r = 0; r < c.ranks; r++) {
    tdm_intervals_close(&c.rank[r].busy);
    tdm_intervals_close(&c.rank[r].compute);
    tdm_intervals_close(&c.rank[r].comm);
  }
  free(c.class);
  free(c.rank_of);
  free(c.rank);
  free(c.part);
  free(c.often);
  free(c.spread_ns);
  tdm_groups_close(&c.kinds);
  return status;
}
