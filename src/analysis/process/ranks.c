/* What each rank did, and how far apart ranks arrive at their collectives.
 *
 * A rank is a process with GPU work; its file says which number it has. Files are gone through one
 * after the other, each summed up before the next, so that memory is that of one. Collectives are
 * matched over the whole run, since a window cuts off another number of them on each rank. */
#include "analysis/analysis.h"

#include <stdlib.h>

#include "analysis/intervals.h"
#include "analysis/moments.h"
#include "analysis/process/process.h"
#include "analysis/run_view/gpu_work.h"
#include "analysis/run_view/run_view.h"
#include "base/memory.h"

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
  int64_t busy_first_ns; /* of what the filter leaves; TDM_NONE: nothing */
  int64_t busy_ns, compute_ns, comm_ns, exposed_ns;
  int64_t wait_ns, held_up_ns, last_count;
} rank;

/* What a rank of the present file did. */
typedef struct {
  tdm_intervals busy, compute, comm;
} times;

typedef struct {
  tdm_run_view *view;
  tdm_run_view *whole; /* at all times: ranks meet in what began before, and may do nothing then */
  const tdm_intervals *left; /* by the filter; NULL: it narrows no times */
  const uint32_t *process;   /* by track */
  uint32_t *rank_of;         /* by process: its rank + 1; 0: it has no work */
  rank *rank;                /* by number */
  times *did;                /* by rank, until its file is summed up */
  size_t ranks, summed;
  tdm_collectives collectives;
  int64_t *spread_ns; /* by collective: how far apart its ends are */
  size_t matched, unmatched;
} comparing;

/* ---- ranks ---- */

static uint32_t rank_at(comparing *c, const tdm_table *work, size_t w) {
  uint32_t process = c->process[tdm_table_track(work, w)];
  if (c->rank_of[process] != 0) return c->rank_of[process] - 1;
  const tdm_track *track = tdm_run_view_track(c->view, tdm_table_track(work, w));
  const tdm_source *source =
      track == NULL ? NULL : tdm_run_tables_source(tdm_run_view_tables(c->view), track->source);
  c->rank[c->ranks++] = (rank){.process = process,
                               .track = tdm_table_track(work, w),
                               .rank = source != NULL ? source->rank : TDM_NONE,
                               .first_ns = tdm_table_start_ns(work, w),
                               .last_ns = tdm_table_end_ns(work, w)};
  c->rank_of[process] = (uint32_t)c->ranks;
  return (uint32_t)c->ranks - 1;
}

static int add_work(comparing *c, const tdm_table *work, uint8_t class, size_t w) {
  uint32_t r = rank_at(c, work, w);
  int64_t start_ns = tdm_table_start_ns(work, w), end_ns = tdm_table_end_ns(work, w);
  if (end_ns > c->rank[r].last_ns) c->rank[r].last_ns = end_ns;
  int fine = tdm_intervals_add(&c->did[r].busy, start_ns, end_ns);
  if (class == TDM_CLASS_COMPUTE || class == TDM_CLASS_MEMSET) /* as in breakdown */
    fine = fine && tdm_intervals_add(&c->did[r].compute, start_ns, end_ns);
  if (class == TDM_CLASS_COMM) fine = fine && tdm_intervals_add(&c->did[r].comm, start_ns, end_ns);
  return fine;
}

static int by_number(const void *a, const void *b) {
  const rank *x = a, *y = b;
  if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
  return x->process < y->process ? -1 : x->process > y->process;
}

/* Leaves of what a rank did what lies in some times. */
static tdm_status cut(times *did, const tdm_intervals *left, tdm_error *error) {
  tdm_intervals *const sets[] = {&did->busy, &did->compute, &did->comm};
  tdm_status status = TDM_OK;
  for (size_t k = 0; status == TDM_OK && k < sizeof sets / sizeof *sets; k++) {
    tdm_intervals whole = *sets[k];
    *sets[k] = (tdm_intervals){0};
    status = tdm_intervals_intersect(&whole, left, sets[k], error);
    tdm_intervals_close(&whole);
  }
  return status;
}

static void forget(times *did) {
  tdm_intervals_close(&did->busy);
  tdm_intervals_close(&did->compute);
  tdm_intervals_close(&did->comm);
}

static tdm_status sum_up(comparing *c, rank *r, times *did, tdm_error *error) {
  tdm_intervals exposed = {0};
  tdm_status status = c->left != NULL ? cut(did, c->left, error) : TDM_OK;
  if (status == TDM_OK) status = tdm_intervals_subtract(&did->comm, &did->compute, &exposed, error);
  r->busy_first_ns = did->busy.count > 0 ? did->busy.start_ns[0] : TDM_NONE;
  r->busy_ns = tdm_intervals_total_ns(&did->busy);
  r->compute_ns = tdm_intervals_total_ns(&did->compute);
  r->comm_ns = tdm_intervals_total_ns(&did->comm);
  r->exposed_ns = tdm_intervals_total_ns(&exposed);
  tdm_intervals_close(&exposed);
  forget(did);
  return status;
}

static tdm_status look_at(comparing *c, tdm_run_view *of_source, uint32_t source,
                          tdm_error *error) {
  const tdm_table *work;
  tdm_status status = tdm_run_view_table(of_source, &tdm_collective_work, &work, error);
  if (status != TDM_OK) return status;
  uint8_t *class = tdm_gpu_classes(of_source, work);
  if (class == NULL) return tdm_error_memory(error, "ranks", work->count);
  for (size_t w = 0; status == TDM_OK && w < work->count; w++)
    if (!add_work(c, work, class[w], w)) status = tdm_error_memory(error, "ranks", 0);
  if (status == TDM_OK)
    status = tdm_collectives_add(&c->collectives, work, class, c->process, source, error);
  for (; status == TDM_OK && c->summed < c->ranks; c->summed++)
    status = sum_up(c, &c->rank[c->summed], &c->did[c->summed], error);
  free(class);
  return status;
}

static tdm_status find_ranks(comparing *c, tdm_error *error) {
  const tdm_processes *processes = NULL;
  tdm_status status = tdm_processes_of(c->whole, &processes, error);
  if (status != TDM_OK) return status;
  c->process = processes->of;
  c->rank_of = tdm_array_new((size_t)processes->count + 1, sizeof *c->rank_of);
  c->rank = tdm_array_new((size_t)processes->count + 1, sizeof *c->rank);
  c->did = tdm_array_new((size_t)processes->count + 1, sizeof *c->did);
  if (c->rank_of == NULL || c->rank == NULL || c->did == NULL)
    return tdm_error_memory(error, "ranks", processes->count * sizeof *c->rank);
  uint32_t sources = tdm_run_tables_sources(tdm_run_view_tables(c->whole));
  for (uint32_t s = 0; status == TDM_OK && s < sources; s++) {
    tdm_run_view *of_source = NULL;
    status = tdm_run_view_of_source(c->whole, s, &of_source, error);
    if (status == TDM_OK) status = look_at(c, of_source, s, error);
    tdm_run_view_close(of_source);
  }
  qsort(c->rank, c->ranks, sizeof *c->rank, by_number);
  for (uint32_t r = 0; r < c->ranks; r++) c->rank_of[c->rank[r].process] = r + 1;
  return status;
}

/* ---- collectives ---- */

static rank *rank_of_part(const comparing *c, const tdm_collective_part *part) {
  return &c->rank[c->rank_of[part->process] - 1];
}

static void put_collective(comparing *c, size_t collective, tdm_frame *frame) {
  const tdm_collectives *all = &c->collectives;
  const uint32_t *parts = all->of + all->first[collective];
  size_t count = all->first[collective + 1] - all->first[collective];
  const tdm_collective_part *one = &all->part[parts[0]], *last = one;
  int64_t first_ns = INT64_MAX, late_ns = INT64_MIN, early_end_ns = INT64_MAX, end_ns = INT64_MIN,
          shortest_ns = INT64_MAX, longest_ns = 0, wait_ns = 0;
  for (size_t i = 0; i < count; i++) {
    const tdm_collective_part *p = &all->part[parts[i]];
    int64_t start = p->start_ns, end = p->end_ns;
    if (start < first_ns) first_ns = start;
    if (start > late_ns) late_ns = start, last = p;
    if (end < early_end_ns) early_end_ns = end;
    if (end > end_ns) end_ns = end;
    if (end - start < shortest_ns) shortest_ns = end - start;
    if (end - start > longest_ns) longest_ns = end - start;
  }
  for (size_t i = 0; i < count; i++) {
    const tdm_collective_part *p = &all->part[parts[i]];
    int64_t until = late_ns < p->end_ns ? late_ns : p->end_ns;
    rank_of_part(c, p)->wait_ns += until - p->start_ns;
    wait_ns += until - p->start_ns;
  }
  rank *latest = rank_of_part(c, last);
  latest->last_count++;
  latest->held_up_ns += wait_ns;
  c->spread_ns[c->matched++] = end_ns - early_end_ns;
  const tdm_track *where = tdm_run_view_track(c->view, last->track);
  tdm_frame_row(frame);
  tdm_frame_int(frame, COLL_AT, first_ns - tdm_run_view_origin(c->view));
  tdm_frame_int(frame, COLL_SKEW, late_ns - first_ns);
  tdm_frame_int(frame, COLL_END_SKEW, end_ns - early_end_ns);
  tdm_frame_int(frame, COLL_WAIT, wait_ns);
  tdm_frame_int(frame, COLL_SHORTEST, shortest_ns);
  tdm_frame_int(frame, COLL_LONGEST, longest_ns);
  tdm_frame_int(frame, COLL_RANKS, (int64_t)count);
  tdm_frame_int(frame, COLL_ORDINAL, tdm_collectives_ordinal(all, collective));
  tdm_frame_int(frame, COLL_LAST_RANK, latest->rank);
  if (where != NULL) tdm_frame_name(frame, COLL_LAST, where->process);
  tdm_frame_name(frame, COLL_NAME, tdm_run_view_name(c->view, one->name));
}

/* Whether ranks meet in what is looked at: when the last of them arrives. */
static bool is_seen(const comparing *c, size_t collective) {
  const tdm_collectives *all = &c->collectives;
  int64_t late_ns = INT64_MIN;
  for (size_t i = all->first[collective]; i < all->first[collective + 1]; i++) {
    int64_t start_ns = all->part[all->of[i]].start_ns;
    if (start_ns > late_ns) late_ns = start_ns;
  }
  return tdm_run_view_looks_at(c->view, late_ns);
}

static tdm_status put_collectives(comparing *c, tdm_answer *out, tdm_error *error) {
  tdm_frame *frame = tdm_answer_frame(out, "collectives", collective_fields, COLL_FIELDS);
  const tdm_collectives *all = &c->collectives;
  tdm_status status = tdm_collectives_match(&c->collectives, error);
  c->spread_ns = tdm_array_raw(all->count + 1, sizeof *c->spread_ns);
  if (status == TDM_OK && c->spread_ns == NULL) status = tdm_error_memory(error, "collectives", 0);
  for (size_t g = 0; status == TDM_OK && g < all->count; g++) {
    if (!is_seen(c, g)) continue;
    if (tdm_collectives_meet(all, g))
      put_collective(c, g, frame);
    else
      c->unmatched += all->first[g + 1] - all->first[g];
  }
  return status;
}

/* ---- ranks as rows ---- */

static void put_rank(comparing *c, const rank *r, tdm_frame *frame) {
  const tdm_track *track = tdm_run_view_track(c->view, r->track);
  const tdm_source *source =
      track == NULL ? NULL : tdm_run_tables_source(tdm_run_view_tables(c->view), track->source);
  const tdm_device *device =
      tdm_run_view_device(c->view, tdm_run_view_device_of(c->view, r->track));
  int64_t first_ns = r->first_ns, span_ns = r->last_ns - r->first_ns;
  if (c->left != NULL) {
    first_ns = r->busy_first_ns;
    span_ns = tdm_intervals_total_ns(c->left);
  }
  tdm_frame_row(frame);
  tdm_frame_int(frame, RANK_RANK, r->rank);
  if (track != NULL && track->pid != TDM_NONE) tdm_frame_int(frame, RANK_PROCESS, track->pid);
  if (device != NULL) tdm_frame_name(frame, RANK_DEVICE, device->name);
  if (first_ns != TDM_NONE)
    tdm_frame_int(frame, RANK_FIRST, first_ns - tdm_run_view_origin(c->view));
  tdm_frame_int(frame, RANK_SPAN, span_ns);
  tdm_frame_int(frame, RANK_BUSY, r->busy_ns);
  tdm_frame_int(frame, RANK_IDLE, span_ns - r->busy_ns);
  tdm_frame_int(frame, RANK_COMPUTE, r->compute_ns);
  tdm_frame_int(frame, RANK_COMM, r->comm_ns);
  tdm_frame_int(frame, RANK_EXPOSED, r->exposed_ns);
  if (c->matched > 0) {
    tdm_frame_int(frame, RANK_WAIT, r->wait_ns);
    tdm_frame_int(frame, RANK_LAST, r->last_count);
    tdm_frame_int(frame, RANK_HELD_UP, r->held_up_ns);
  }
  if (source != NULL) tdm_frame_name(frame, RANK_FILE, source->path);
}

static void say(comparing *c, tdm_answer *out) {
  const tdm_run_view_filter *filter = tdm_run_view_filter_of(c->view);
  if (c->ranks == 0)
    tdm_answer_cannot(out, "%s no GPU work (no rows of category kernel)",
                      tdm_run_view_lacking(c->view, &tdm_collective_work));
  else if (c->ranks == 1 && (filter->rank != TDM_NONE || filter->pid != TDM_NONE))
    tdm_answer_cannot(out, "skew and stragglers: the filter leaves one process with GPU work");
  else if (c->ranks == 1)
    tdm_answer_cannot(out, "skew and stragglers: the run has one process with GPU work; import the "
                           "files of several ranks as one run");
  else if (c->collectives.parts == 0)
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
  c.whole = view;
  tdm_status status = TDM_OK;
  if (tdm_run_view_times(view)->count > 0)
    status = tdm_run_view_at_all_times(view, &c.whole, error);
  if (tdm_run_view_narrowed(view)) c.left = tdm_run_view_times(view);
  if (status == TDM_OK) status = find_ranks(&c, error);
  if (status == TDM_OK) status = put_collectives(&c, out, error);
  for (size_t r = 0; status == TDM_OK && r < c.ranks; r++) put_rank(&c, &c.rank[r], frame);
  if (status == TDM_OK) say(&c, out);
  for (size_t r = c.summed; r < c.ranks && c.did != NULL; r++) forget(&c.did[r]);
  free(c.did);
  free(c.rank_of);
  free(c.rank);
  tdm_collectives_close(&c.collectives);
  free(c.spread_ns);
  return status;
}
