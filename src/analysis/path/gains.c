/* What claims on the time of a critical path would gain: the evidence of causes.
 *
 * Gains are replays of the graph, each with the changes of the claims before it made too, so they
 * add up to no more than the run; and each gains no more than the time it was left. Frames: run,
 * causes, nodes, claims. Options: claims (the text of claims.h), nodes (how many are told: 40). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/evidence/evidence.h"
#include "analysis/path/claims.h"
#include "base/memory.h"
#include "base/ranks.h"

enum { LOW = TDM_CLAIM_LOW, HIGH = TDM_CLAIM_HIGH, LEVELS = TDM_CLAIM_LEVELS };

/* A call that waits for nothing still takes its time: of what goes at least, this share stays. */
static const double CALL_LEFT = 0.1;

/* After a wait the host is behind the GPU, and launches and the host's work hold that up, too: of
 * claims that explain about the same time waits come first. */
static const double WAITS_LEAD = 2.5;

/* Claims on less than this of the run are told without a gain. */
static const double LEAST_HELD = 0.002;

typedef struct {
  tdm_run_view *view;
  const tdm_path *path;
  const tdm_causes *causes;
  tdm_claims claims;
  float *times;          /* by node: scratch */
  tdm_row_factor *usual; /* calls that took longer than usual, and how many times; NULL: none did */
  size_t usuals, usual_room;
  tdm_change change[LEVELS];
  uint8_t *unwaited[LEVELS];
  int64_t base_ns[LEVELS]; /* the run without a claim's change */
  int64_t now_ns[LEVELS];  /* with all changes so far */
  int64_t recorded_ns, residual_ns, most_ns;
  int64_t *at_ns; /* scratch of replays */
  tdm_error *error;
} asking;

/* ---- waits ---- */

enum { WAITS = 1, VALUE /* a copy of one that waits */ }; /* marks of host records */

static uint8_t asks_for_value(const char *name) {
  static const char *const words[] = {"_local_scalar_dense", "::item", "nonzero", "::copy_",
                                      "::_to_copy",          "::cpu",  NULL};
  for (const char *const *word = words; *word != NULL; word++)
    if (strstr(name, *word) != NULL) return 1;
  return 0;
}

/* A copy of one value waits itself, where its memory is pageable. */
static uint8_t brings_value(const char *name) {
  return strstr(name, "_local_scalar_dense") != NULL || strstr(name, "::nonzero") != NULL;
}

/* Whether a record lies in one whose name says so. */
static bool lies_in(const asking *a, tdm_name_marks *marks, uint32_t host,
                    uint8_t (*says)(const char *name)) {
  const tdm_path *path = a->path;
  for (uint32_t p = path->parent[host]; p != TDM_NO_ROW; p = path->parent[p])
    if (tdm_name_mark(marks, a->view, tdm_table_name(path->host, p), says) != 0) return true;
  return false;
}

static tdm_cause cause_of_host(const asking *a, size_t host) {
  return a->causes->node[tdm_causes_of_row(a->causes, a->path->work->count + host)].cause;
}

/* A value that is not waited for is not brought either: its copies take no time of the GPU. */
static tdm_status drop_values(asking *a, tdm_change *change, const uint8_t *brought) {
  const tdm_path *path = a->path;
  tdm_row_factor *rows = NULL;
  size_t count = 0, room = 0;
  tdm_status status = TDM_OK;
  for (uint32_t w = 0; status == TDM_OK && w < path->work->count; w++) {
    uint32_t call = path->launch[w];
    if (call == TDM_NO_ROW || path->work_class[w] != TDM_CLASS_COPY || brought[call] != VALUE)
      continue;
    if (tdm_array_grow(&rows, &room, count + 1, sizeof *rows))
      rows[count++] = (tdm_row_factor){w, (float)tdm_factor_within(INFINITY)};
    else
      status = tdm_error_memory(a->error, "waits", count * sizeof *rows);
  }
  if (status == TDM_OK && count > 0) status = tdm_change_faster_rows(change, rows, count, a->error);
  free(rows);
  return status;
}

/* Waits whose call lies in an operator that brings a value to the host go only at most. */
static tdm_status mark_waits(asking *a, tdm_change change[LEVELS], uint8_t *marks[LEVELS]) {
  const tdm_path *path = a->path;
  tdm_name_marks values = {0}, items = {0};
  for (int l = 0; l < LEVELS; l++) {
    if (marks[l] == NULL) marks[l] = tdm_array_new(path->host->count + 1, 1);
    if (marks[l] == NULL) return tdm_error_memory(a->error, "waits", path->host->count);
    change[l].unwaited = marks[l];
  }
  for (uint32_t h = 0; h < path->host->count; h++) {
    tdm_cause cause = cause_of_host(a, h);
    if (cause == TDM_CAUSE_COPY && tdm_table_category(path->host, h) <= TDM_HOST_DRIVER)
      marks[HIGH][h] = lies_in(a, &items, h, brings_value) ? VALUE : 0;
    if (cause != TDM_CAUSE_SYNC) continue;
    bool value = lies_in(a, &values, h, asks_for_value);
    marks[LOW][h] = value ? 0 : WAITS;
    marks[HIGH][h] = WAITS;
  }
  tdm_name_marks_close(&values);
  tdm_name_marks_close(&items);
  return drop_values(a, &change[HIGH], marks[HIGH]);
}

/* ---- calls that wait for a full queue ---- */

/* A call that asks for work and takes many times as long as most do waits for the GPU to take its
 * commands; few traces say so. When the GPU becomes faster these calls become shorter, at most. */
static tdm_status find_usual(asking *a) {
  enum { TIMES = 20, LEAST_NS = 20000, LEAST_CALLS = 20 };
  const tdm_path *path = a->path;
  size_t works = path->work->count, calls = 0, room = 0;
  int64_t *ns = NULL;
  for (size_t h = 0; h < path->host->count; h++) {
    if (tdm_table_category(path->host, h) > TDM_HOST_DRIVER ||
        cause_of_host(a, h) != TDM_CAUSE_LAUNCH)
      continue;
    if (!tdm_array_grow(&ns, &room, calls + 1, sizeof *ns)) {
      free(ns);
      return tdm_error_memory(a->error, "calls", calls * sizeof *ns);
    }
    ns[calls++] = tdm_table_end_ns(path->host, h) - tdm_table_start_ns(path->host, h);
  }
  int64_t usual_ns = tdm_ranks_median_ns(ns, calls);
  free(ns);
  if (calls < LEAST_CALLS || usual_ns <= 0) return TDM_OK;
  for (size_t h = 0; h < path->host->count; h++) {
    tdm_cause cause = cause_of_host(a, h);
    int64_t took_ns = tdm_table_end_ns(path->host, h) - tdm_table_start_ns(path->host, h);
    if (tdm_table_category(path->host, h) > TDM_HOST_DRIVER || took_ns < LEAST_NS ||
        took_ns < TIMES * usual_ns || (cause != TDM_CAUSE_LAUNCH && cause != TDM_CAUSE_COPY))
      continue;
    if (!tdm_array_grow(&a->usual, &a->usual_room, a->usuals + 1, sizeof *a->usual))
      return tdm_error_memory(a->error, "calls", a->usuals * sizeof *a->usual);
    a->usual[a->usuals++] =
        (tdm_row_factor){(uint32_t)(works + h), (float)took_ns / (float)usual_ns};
  }
  return TDM_OK;
}

static tdm_status begin(asking *a, tdm_change change[LEVELS]) {
  for (int l = 0; l < LEVELS; l++) change[l] = (tdm_change){.path = a->path};
  return a->usual == NULL ? TDM_OK
                          : tdm_change_faster_rows(&change[HIGH], a->usual, a->usuals, a->error);
}

/* ---- replays ---- */

/* What the terms of a claim change, in one level or both. */
static tdm_status apply_term(asking *a, const tdm_claim *c, const tdm_term *t,
                             tdm_change change[LEVELS], bool changed[LEVELS]) {
  tdm_status status = TDM_OK;
  for (int l = 0; status == TDM_OK && l < LEVELS; l++) {
    if (t->cause == TDM_CAUSE_LAUNCH && t->factor[l] >= 1e6 && change[l].launches == NULL)
      status = tdm_change_free_launches(&change[l], a->error);
    if (status != TDM_OK || t->factor[l] <= 1) continue;
    changed[l] = true;
    for (size_t n = 0; n < a->causes->nodes; n++)
      a->times[n] = tdm_claim_term(&a->claims, c, &a->causes->node[n]) == t
                        ? (float)tdm_factor_within(t->factor[l])
                        : 1;
    status = tdm_change_faster_groups(&change[l], a->causes->node_of.column[0], a->times,
                                      a->causes->nodes, a->error);
  }
  return status;
}

static tdm_status apply(asking *a, const tdm_claim *c, tdm_change change[LEVELS],
                        uint8_t *marks[LEVELS], bool changed[LEVELS]) {
  bool waits = c->kind == TDM_TERM_WAITS;
  tdm_status status = waits ? mark_waits(a, change, marks) : TDM_OK;
  changed[LOW] = changed[HIGH] = waits;
  for (size_t i = c->first; status == TDM_OK && i < c->first + c->terms; i++)
    if (a->claims.term[i].kind == TDM_TERM_NODES)
      status = apply_term(a, c, &a->claims.term[i], change, changed);
  return status;
}

/* Of the levels that changed; the others took `ns` before. Workers of a loader slow the host down,
 * or at best do not. */
static tdm_status replay(asking *a, tdm_change change[LEVELS], const bool changed[LEVELS],
                         int64_t ns[LEVELS]) {
  static const double slower[LEVELS] = {[LOW] = TDM_BESIDE_SLOWER, [HIGH] = 1};
  for (int l = 0; l < LEVELS; l++) {
    if (!changed[l]) continue;
    tdm_change beside = {.path = a->path};
    tdm_status status = tdm_change_beside_workers(&change[l], slower[l], &beside, a->error);
    if (status == TDM_OK)
      ns[l] = tdm_change_replay_windows(tdm_factors_any(&beside.faster) ? &beside : &change[l],
                                        a->at_ns);
    tdm_change_close(&beside);
    if (status != TDM_OK) return status;
  }
  return TDM_OK;
}

static int64_t between(int64_t value, int64_t least, int64_t most) {
  return value < least ? least : value > most ? most : value;
}

/* The two replays as an interval, within the time that may be gained; at least it is no more than
 * what is sure. */
static void put_gain(int64_t gain_ns[LEVELS], const int64_t before_ns[LEVELS],
                     const int64_t after_ns[LEVELS], int64_t most_ns, int64_t sure_ns) {
  int64_t x = between(before_ns[LOW] - after_ns[LOW], 0, most_ns);
  int64_t y = between(before_ns[HIGH] - after_ns[HIGH], 0, most_ns);
  if (sure_ns > 0 && x > sure_ns) x = sure_ns;
  gain_ns[LOW] = x < y ? x : y;
  gain_ns[HIGH] = x < y ? y : x;
}

static int64_t cap_of(const tdm_claim *c, int64_t ns) {
  if (c->cap_ns > 0 && (c->cap_ns < ns || c->kind == TDM_TERM_WAITS)) return c->cap_ns;
  return ns;
}

/* What samples and scheduling tell of the path is no row of the graph: it may go at most. */
static int64_t rowless_ns(const asking *a, const tdm_claim *c) {
  int64_t ns = 0;
  for (size_t n = 0; n < a->causes->nodes; n++) {
    const tdm_cause_node *node = &a->causes->node[n];
    if (node->ns > 0 && node->device == TDM_NO_DEVICE && node->track == TDM_NO_ROW &&
        tdm_claim_term(&a->claims, c, node) != NULL)
      ns += node->ns;
  }
  return ns;
}

static tdm_status gain_alone(asking *a, tdm_claim *c) {
  tdm_change change[LEVELS] = {{0}};
  uint8_t *marks[LEVELS] = {NULL, NULL};
  int64_t after_ns[LEVELS] = {a->base_ns[LOW], a->base_ns[HIGH]};
  bool changed[LEVELS];
  tdm_status status = begin(a, change);
  if (status == TDM_OK) status = apply(a, c, change, marks, changed);
  if (status == TDM_OK) status = replay(a, change, changed, after_ns);
  if (status == TDM_OK) {
    put_gain(c->alone_ns, a->base_ns, after_ns, cap_of(c, c->held_ns), c->sure_ns);
    c->alone_ns[HIGH] = between(c->alone_ns[HIGH] + rowless_ns(a, c), 0, cap_of(c, c->held_ns));
  }
  for (int l = 0; l < LEVELS; l++) {
    tdm_change_close(&change[l]);
    free(marks[l]);
  }
  return status;
}

/* Gaps between pieces of work are no rows: nothing of them can be replayed faster. */
static bool is_of_gaps(const asking *a, const tdm_claim *c) {
  for (size_t i = c->first; i < c->first + c->terms; i++)
    if (a->claims.term[i].cause != TDM_CAUSE_GAP) return false;
  return true;
}

/* A symptom gains what is left of its time at most, and nothing for sure. */
static void gain_within(asking *a, tdm_claim *c) {
  c->alone_ns[HIGH] = cap_of(c, c->held_ns);
  if (c->part_of != TDM_NONE) return;
  c->gain_ns[HIGH] = between(cap_of(c, c->left_ns), 0, a->most_ns);
  a->most_ns -= c->gain_ns[HIGH];
}

/* Of what goes without waits at least: neither all of the calls, nor the collectives that are on
 * the path: other ranks may take as long, and nothing says that they hide. */
static int64_t sure_of_waits(const asking *a, int64_t gain_ns) {
  int64_t comm_ns = 0;
  for (size_t n = 0; n < a->causes->nodes; n++)
    if (a->causes->node[n].cause == TDM_CAUSE_COMM) comm_ns += a->causes->node[n].ns;
  return gain_ns > comm_ns ? (int64_t)((1 - CALL_LEFT) * (double)(gain_ns - comm_ns)) : 0;
}

/* Of a wait only what is left when what it waits for was changed is its own. */
static tdm_status gain(asking *a, size_t position) {
  tdm_claim *c = &a->claims.claim[position];
  bool waits = c->kind == TDM_TERM_WAITS;
  int64_t after_ns[LEVELS] = {a->now_ns[LOW], a->now_ns[HIGH]};
  bool changed[LEVELS];
  tdm_status status = tdm_claims_take(&a->claims, position, a->error);
  if (status != TDM_OK) return status;
  if (c->kind == TDM_TERM_WITHIN || is_of_gaps(a, c)) {
    gain_within(a, c);
    return TDM_OK;
  }
  if (!waits && (double)c->held_ns < LEAST_HELD * (double)a->recorded_ns) return TDM_OK;
  if (c->part_of != TDM_NONE && !waits) status = gain_alone(a, c);
  if (status != TDM_OK || c->part_of != TDM_NONE) return status;
  status = apply(a, c, a->change, a->unwaited, changed);
  if (status == TDM_OK) status = replay(a, a->change, changed, after_ns);
  if (status != TDM_OK) return status;
  int64_t most_ns = between(cap_of(c, c->left_ns), 0, a->most_ns);
  put_gain(c->gain_ns, a->now_ns, after_ns, most_ns, c->sure_ns);
  if (waits) c->gain_ns[LOW] = sure_of_waits(a, c->gain_ns[LOW]);
  c->gain_ns[HIGH] = between(c->gain_ns[HIGH] + rowless_ns(a, c), 0, most_ns);
  memcpy(a->now_ns, after_ns, sizeof after_ns);
  if (waits && position > 0 &&
      (double)c->gain_ns[HIGH] < TDM_CLAIM_LEAST_LEFT * (double)c->alone_ns[HIGH]) {
    c->part_of = a->claims.claim[0].id;
    c->gain_ns[LOW] = c->gain_ns[HIGH] = 0;
  }
  a->most_ns -= c->gain_ns[HIGH];
  return TDM_OK;
}

static tdm_status gain_all(asking *a) {
  a->recorded_ns = a->most_ns = a->path->total_ns;
  a->residual_ns = a->path->replayed_ns - a->recorded_ns;
  if (a->claims.claims == 0) return TDM_OK;
  a->times = tdm_array_raw(a->causes->nodes + 1, sizeof *a->times);
  a->at_ns = tdm_array_raw(tdm_change_scratch(a->path), sizeof *a->at_ns);
  if (a->times == NULL || a->at_ns == NULL)
    return tdm_error_memory(a->error, "claims", tdm_change_scratch(a->path) * 8);
  tdm_status status = find_usual(a);
  if (status == TDM_OK) status = begin(a, a->change);
  static const bool high[LEVELS] = {[HIGH] = true};
  a->base_ns[LOW] = a->base_ns[HIGH] = a->path->replayed_ns;
  if (status == TDM_OK && a->usual != NULL) status = replay(a, a->change, high, a->base_ns);
  memcpy(a->now_ns, a->base_ns, sizeof a->base_ns);
  for (size_t i = 0; status == TDM_OK && i < a->claims.claims; i++) {
    tdm_claim *c = &a->claims.claim[i]; /* waits hold no time of the path: a replay says more */
    if (c->kind != TDM_TERM_WAITS) continue;
    status = gain_alone(a, c);
    c->likely_ns = WAITS_LEAD * ((double)c->alone_ns[LOW] + (double)c->alone_ns[HIGH]) / 2;
  }
  tdm_claims_order(&a->claims);
  for (size_t i = 0; status == TDM_OK && i < a->claims.claims; i++) status = gain(a, i);
  return status;
}

/* ---- frames ---- */

static const tdm_field run_fields[] = {{"total_ns", TDM_FIELD_INT}, {"residual_ns", TDM_FIELD_INT}};
static const tdm_field cause_fields[] = {
    {"cause", TDM_FIELD_TEXT}, {"total_ns", TDM_FIELD_INT}, {"share", TDM_FIELD_REAL}};
static const tdm_field node_fields[] = {TDM_EVIDENCE_DEVICE,         {"thread", TDM_FIELD_TEXT},
                                        {"cause", TDM_FIELD_TEXT},   {"name", TDM_FIELD_TEXT},
                                        {"total_ns", TDM_FIELD_INT}, {"share", TDM_FIELD_REAL},
                                        {"count", TDM_FIELD_INT},    {"start_ns", TDM_FIELD_INT},
                                        {"dur_ns", TDM_FIELD_INT},   {"claim", TDM_FIELD_INT}};
enum {
  NODE_THREAD = 2,
  NODE_CAUSE,
  NODE_NAME,
  NODE_TOTAL,
  NODE_SHARE,
  NODE_COUNT,
  NODE_START,
  NODE_DUR,
  NODE_CLAIM,
  NODE_FIELDS
};
static const tdm_field claim_fields[] = {{"id", TDM_FIELD_INT},
                                         {"held_ns", TDM_FIELD_INT},
                                         {"left_ns", TDM_FIELD_INT},
                                         {"gain_ns", TDM_FIELD_INT},
                                         {"most_ns", TDM_FIELD_INT},
                                         {"alone_ns", TDM_FIELD_INT},
                                         {"alone_most_ns", TDM_FIELD_INT},
                                         {"count", TDM_FIELD_INT},
                                         {"start_ns", TDM_FIELD_INT},
                                         {"dur_ns", TDM_FIELD_INT},
                                         {"part_of", TDM_FIELD_INT}};

static int64_t step_ns(const asking *a, uint32_t step) {
  return a->path->steps.step[step].to_ns - a->path->steps.step[step].from_ns;
}

static double share_of(const asking *a, int64_t ns) {
  return a->recorded_ns > 0 ? (double)ns / (double)a->recorded_ns : 0;
}

static void put_causes(const asking *a, tdm_answer *out) {
  int64_t ns[TDM_CAUSES] = {0};
  for (size_t n = 0; n < a->causes->nodes; n++)
    ns[a->causes->node[n].cause] += a->causes->node[n].ns;
  tdm_frame *run = tdm_answer_frame(out, "run", run_fields, 2);
  tdm_frame_row(run);
  tdm_frame_int(run, 0, a->recorded_ns);
  tdm_frame_int(run, 1, a->residual_ns);
  tdm_frame *frame = tdm_answer_frame(out, "causes", cause_fields, 3);
  for (int c = 0; c < TDM_CAUSES; c++) {
    if (ns[c] == 0) continue;
    tdm_frame_row(frame);
    tdm_frame_name(frame, 0, tdm_cause_name((tdm_cause)c));
    tdm_frame_int(frame, 1, ns[c]);
    tdm_frame_real(frame, 2, share_of(a, ns[c]));
  }
}

typedef struct {
  uint32_t node;
  int64_t ns;
} ranked;

static int longest_first(const void *x, const void *y) {
  const ranked *a = x, *b = y;
  if (a->ns != b->ns) return a->ns > b->ns ? -1 : 1;
  return a->node < b->node ? -1 : a->node > b->node;
}

static void put_node(const asking *a, uint32_t n, tdm_frame *frame) {
  const tdm_cause_node *node = &a->causes->node[n];
  tdm_frame_row(frame);
  if (node->device != TDM_NO_DEVICE) tdm_evidence_put_device(a->view, node->device, frame, 0);
  const tdm_track *track =
      node->track == TDM_NO_ROW ? NULL : tdm_run_view_track(a->view, node->track);
  if (track != NULL) tdm_frame_text(frame, NODE_THREAD, track->name);
  tdm_frame_name(frame, NODE_CAUSE, tdm_cause_name(node->cause));
  tdm_frame_text(frame, NODE_NAME, node->name);
  tdm_frame_int(frame, NODE_TOTAL, node->ns);
  tdm_frame_real(frame, NODE_SHARE, share_of(a, node->ns));
  tdm_frame_int(frame, NODE_COUNT, (int64_t)node->steps);
  tdm_frame_int(frame, NODE_START, a->path->steps.step[node->longest].from_ns);
  tdm_frame_int(frame, NODE_DUR, step_ns(a, node->longest));
  size_t owner = a->claims.owner[n];
  if (owner != SIZE_MAX) tdm_frame_int(frame, NODE_CLAIM, a->claims.claim[owner].id);
}

static tdm_status put_nodes(const asking *a, size_t most, tdm_answer *out) {
  ranked *all = tdm_array_raw(a->causes->nodes + 1, sizeof *all);
  if (all == NULL) return tdm_error_memory(a->error, "causes", a->causes->nodes * sizeof *all);
  size_t count = 0;
  for (uint32_t n = 0; n < a->causes->nodes; n++)
    if (a->causes->node[n].ns > 0) all[count++] = (ranked){n, a->causes->node[n].ns};
  qsort(all, count, sizeof *all, longest_first);
  tdm_frame *frame = tdm_answer_frame(out, "nodes", node_fields, NODE_FIELDS);
  for (size_t i = 0; i < count && i < most; i++) put_node(a, all[i].node, frame);
  free(all);
  return TDM_OK;
}

static void put_claims(const asking *a, tdm_answer *out) {
  tdm_frame *frame = tdm_answer_frame(out, "claims", claim_fields, 11);
  for (size_t i = 0; i < a->claims.claims; i++) {
    const tdm_claim *c = &a->claims.claim[i];
    const int64_t value[] = {c->id,
                             c->held_ns,
                             c->left_ns,
                             c->gain_ns[LOW],
                             c->gain_ns[HIGH],
                             c->alone_ns[LOW],
                             c->alone_ns[HIGH],
                             (int64_t)c->steps};
    tdm_frame_row(frame);
    for (size_t k = 0; k < sizeof value / sizeof *value; k++) tdm_frame_int(frame, k, value[k]);
    if (c->longest != TDM_NO_ROW) {
      tdm_frame_int(frame, 8, a->path->steps.step[c->longest].from_ns);
      tdm_frame_int(frame, 9, step_ns(a, c->longest));
    }
    tdm_frame_int(frame, 10, c->part_of);
  }
}

tdm_status tdm_evidence_causes(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                               tdm_error *error) {
  asking a = {.view = view, .error = error};
  tdm_status status = tdm_causes_of(view, &a.causes, error);
  if (status == TDM_OK) a.path = a.causes->path;
  if (status == TDM_OK)
    status = tdm_claims_open(a.causes, tdm_option_text(options, "claims", ""), &a.claims, error);
  if (status == TDM_OK && !a.path->too_long) status = gain_all(&a);
  if (status == TDM_OK) {
    put_causes(&a, out);
    status = put_nodes(&a, tdm_evidence_count(options, "nodes", 40), out);
    put_claims(&a, out);
  }
  for (int l = 0; l < LEVELS; l++) {
    tdm_change_close(&a.change[l]);
    free(a.unwaited[l]);
  }
  tdm_claims_close(&a.claims);
  free(a.usual);
  free(a.times);
  free(a.at_ns);
  return status;
}
