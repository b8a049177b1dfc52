/* The tables that a log's compilations make, one function each; all are called by compile.c; see
 * inside.h. */
#include "analysis/compile/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/groups.h"
#include "base/memory.h"
#include "trace/store/scan.h"

enum { FRAME_ROOM = 1024 };

static void put_frame_of(tdm_run_view *view, const tdm_compilation *c, tdm_frame *frame,
                         size_t field) {
  char text[FRAME_ROOM];
  if (tdm_compile_frame(view, c, text, sizeof text)) tdm_frame_text(frame, field, text);
}

static void put_id(tdm_run_view *view, const tdm_compilation *c, tdm_frame *frame, size_t field) {
  tdm_frame_name(frame, field, c->id == TDM_NONE ? "(exported)" : tdm_run_view_name(view, c->id));
}

static void put_ratio(tdm_frame *frame, size_t field, int64_t before, int64_t after) {
  if (before != TDM_NONE && after > 0) tdm_frame_real(frame, field, (double)before / (double)after);
}

static void add(int64_t *sum, int64_t value) {
  if (value == TDM_NONE) return;
  if (*sum == TDM_NONE) *sum = 0;
  if (__builtin_add_overflow(*sum, value, sum)) *sum = INT64_MAX;
}

/* ---- summary ---- */

static const tdm_field summary_fields[] = {
    {"rank", TDM_FIELD_INT},         {"compilations", TDM_FIELD_INT},
    {"recompiles", TDM_FIELD_INT},   {"graph_breaks", TDM_FIELD_INT},
    {"restarts", TDM_FIELD_INT},     {"failures", TDM_FIELD_INT},
    {"compile_ns", TDM_FIELD_INT},   {"cache_hits", TDM_FIELD_INT},
    {"cache_misses", TDM_FIELD_INT}, {"cache_bypasses", TDM_FIELD_INT},
    {"operators", TDM_FIELD_INT},    {"calls", TDM_FIELD_INT},
    {"fusion_ratio", TDM_FIELD_REAL}};
enum {
  S_RANK,
  S_COMPILATIONS,
  S_RECOMPILES,
  S_BREAKS,
  S_RESTARTS,
  S_FAILURES,
  S_COMPILE,
  S_HITS,
  S_OPERATORS = S_HITS + TDM_COMPILE_OUTCOMES,
  S_CALLS,
  S_RATIO,
  S_FIELDS
};

static bool has_failed(const tdm_compilation *c) {
  return c->fail_type != TDM_NONE || c->fail_reason != TDM_NONE || c->fail_frame != TDM_NONE;
}

static void put_source(const tdm_compile_log *log, uint32_t source, tdm_frame *frame) {
  int64_t rank = TDM_NONE, sums[S_FIELDS] = {0};
  sums[S_COMPILE] = sums[S_OPERATORS] = sums[S_CALLS] = TDM_NONE;
  for (size_t i = 0; i < log->count; i++) {
    const tdm_compilation *c = &log->compilation[i];
    if (c->source != source) continue;
    rank = c->rank;
    sums[S_COMPILATIONS]++;
    sums[S_RECOMPILES] += c->nth != TDM_NONE && c->nth > 0;
    sums[S_BREAKS] += c->breaks;
    sums[S_RESTARTS] += c->attempts - 1;
    sums[S_FAILURES] += has_failed(c);
    add(&sums[S_COMPILE], c->compile_ns);
    if (tdm_compile_before(c) == TDM_NONE || tdm_compile_after(c) == TDM_NONE) continue;
    add(&sums[S_OPERATORS], tdm_compile_before(c));
    add(&sums[S_CALLS], tdm_compile_after(c));
  }
  for (size_t i = 0; i < log->events; i++) {
    const tdm_compile_event *e = &log->event[i];
    if (e->kind == TDM_COMPILE_CACHE && log->compilation[e->compilation].source == source)
      sums[S_HITS + e->outcome]++;
  }
  if (sums[S_COMPILATIONS] == 0) return;
  tdm_frame_row(frame);
  for (size_t f = S_COMPILATIONS; f < S_RATIO; f++) tdm_frame_int(frame, f, sums[f]);
  tdm_frame_int(frame, S_RANK, rank);
  put_ratio(frame, S_RATIO, sums[S_OPERATORS], sums[S_CALLS]);
}

void tdm_compile_put_summary(tdm_run_view *view, const tdm_compile_log *log, tdm_answer *out) {
  tdm_frame *frame = tdm_answer_frame(out, "summary", summary_fields, S_FIELDS);
  uint32_t sources = tdm_run_tables_sources(tdm_run_view_tables(view));
  for (uint32_t s = 0; s < sources; s++) put_source(log, s, frame);
}

/* ---- events, gathered ---- */

enum { E_SOURCE, E_NAME, E_REASON, E_FRAME, E_OUTCOME, E_KEYS };

typedef struct {
  const tdm_compile_event *first;
  int64_t count, saved_ns;
} gathered;

static int by_count(const void *a, const void *b) {
  const gathered *x = a, *y = b;
  if (x->count != y->count) return x->count > y->count ? -1 : 1;
  return (x->first > y->first) - (x->first < y->first);
}

/* Events of a kind that are alike, the most frequent first. Free *lines. */
static tdm_status gather(const tdm_compile_log *log, tdm_compile_event_kind kind, gathered **lines,
                         size_t *count, tdm_error *error) {
  tdm_groups groups;
  size_t room = 0;
  *lines = NULL;
  *count = 0;
  tdm_status status = tdm_groups_open(&groups, E_KEYS, log->events, error);
  for (size_t i = 0; status == TDM_OK && i < log->events; i++) {
    const tdm_compile_event *e = &log->event[i];
    if (e->kind != kind) continue;
    int64_t key[E_KEYS] = {log->compilation[e->compilation].source, e->name, e->reason, e->frame,
                           e->outcome};
    size_t known = groups.count;
    uint32_t g = tdm_groups_add(&groups, key);
    if (g == UINT32_MAX || !tdm_array_grow(lines, &room, (size_t)g + 1, sizeof **lines)) {
      status = tdm_error_memory(error, "records of compilations", known);
      break;
    }
    if (g == known) (*lines)[g] = (gathered){.first = e, .saved_ns = TDM_NONE};
    (*lines)[g].count++;
    add(&(*lines)[g].saved_ns, e->saved_ns);
  }
  *count = groups.count;
  tdm_groups_close(&groups);
  if (status == TDM_OK && *count > 0) qsort(*lines, *count, sizeof **lines, by_count);
  return status;
}

/* ---- breaks ---- */

static const tdm_field break_fields[] = {{"rank", TDM_FIELD_INT},        {"count", TDM_FIELD_INT},
                                         {"reason", TDM_FIELD_TEXT},     {"frame", TDM_FIELD_TEXT},
                                         {"compile_id", TDM_FIELD_TEXT}, {"hint", TDM_FIELD_TEXT}};
enum { B_RANK, B_COUNT, B_REASON, B_FRAME, B_ID, B_HINT, B_FIELDS };

static tdm_status put_hint(tdm_run_view *view, tdm_artifacts *artifacts, int64_t payload,
                           tdm_frame *frame, tdm_error *error) {
  const char *text, *hint;
  size_t length;
  if (payload == TDM_NONE) return TDM_OK;
  tdm_status status =
      tdm_artifacts_read(artifacts, tdm_run_view_name(view, payload), &text, &length, error);
  if (status != TDM_OK || text == NULL) return status;
  char line[FRAME_ROOM];
  size_t said = tdm_break_hint(text, length, &hint);
  if (said == 0) return TDM_OK;
  snprintf(line, sizeof line, "%.*s", (int)(said < sizeof line ? said : sizeof line - 1), hint);
  tdm_frame_text(frame, B_HINT, line);
  return TDM_OK;
}

tdm_status tdm_compile_put_breaks(tdm_run_view *view, const tdm_compile_log *log, tdm_answer *out,
                                  tdm_error *error) {
  gathered *lines;
  size_t count;
  tdm_artifacts *artifacts = NULL;
  tdm_frame *frame = tdm_answer_frame(out, "breaks", break_fields, B_FIELDS);
  tdm_status status = gather(log, TDM_COMPILE_BREAK, &lines, &count, error);
  if (status == TDM_OK)
    status = tdm_artifacts_open(tdm_run_view_database(view),
                                tdm_run_tables_run(tdm_run_view_tables(view)), &artifacts, error);
  for (size_t i = 0; status == TDM_OK && i < count; i++) {
    const tdm_compile_event *e = lines[i].first;
    const tdm_compilation *c = &log->compilation[e->compilation];
    tdm_frame_row(frame);
    tdm_frame_int(frame, B_RANK, c->rank);
    tdm_frame_int(frame, B_COUNT, lines[i].count);
    if (e->reason != TDM_NONE) tdm_frame_name(frame, B_REASON, tdm_run_view_name(view, e->reason));
    if (e->frame != TDM_NONE)
      tdm_frame_name(frame, B_FRAME, tdm_run_view_name(view, e->frame));
    else
      put_frame_of(view, c, frame, B_FRAME);
    put_id(view, c, frame, B_ID);
    status = put_hint(view, artifacts, e->payload, frame, error);
  }
  tdm_artifacts_close(artifacts);
  free(lines);
  return status;
}

/* ---- recompiles ---- */

static const tdm_field again_fields[] = {
    {"rank", TDM_FIELD_INT},       {"compile_id", TDM_FIELD_TEXT}, {"frame", TDM_FIELD_TEXT},
    {"compile_ns", TDM_FIELD_INT}, {"guard_of", TDM_FIELD_TEXT},   {"guard", TDM_FIELD_TEXT}};
enum { A_RANK, A_ID, A_FRAME, A_COMPILE, A_OF, A_GUARD, A_FIELDS };

static void begin_again(tdm_run_view *view, const tdm_compilation *c, tdm_frame *frame) {
  tdm_frame_row(frame);
  tdm_frame_int(frame, A_RANK, c->rank);
  put_id(view, c, frame, A_ID);
  put_frame_of(view, c, frame, A_FRAME);
  tdm_frame_int(frame, A_COMPILE, c->compile_ns);
}

/* "0/1: ___check_type_id(…)": the earlier compilation and the guard of it that failed. */
static void put_guard(const char *line, size_t length, tdm_frame *frame) {
  char text[FRAME_ROOM * 4];
  snprintf(text, sizeof text, "%.*s", (int)(length < sizeof text ? length : sizeof text - 1), line);
  size_t id = strspn(text, "0123456789!/");
  if (id > 0 && text[id] == ':' && text[id + 1] == ' ') {
    text[id] = 0;
    tdm_frame_text(frame, A_OF, text);
    tdm_frame_text(frame, A_GUARD, text + id + 2);
  } else {
    tdm_frame_text(frame, A_GUARD, text);
  }
}

static void put_reasons(tdm_run_view *view, const tdm_compilation *c, const char *reasons,
                        tdm_frame *frame) {
  while (*reasons != 0) {
    size_t length = strcspn(reasons, "\n");
    if (length > 0) {
      begin_again(view, c, frame);
      put_guard(reasons, length, frame);
    }
    reasons += length + (reasons[length] != 0);
  }
}

void tdm_compile_put_recompiles(tdm_run_view *view, const tdm_compile_log *log, tdm_answer *out) {
  tdm_frame *frame = tdm_answer_frame(out, "recompiles", again_fields, A_FIELDS);
  for (size_t i = 0; i < log->events; i++) {
    const tdm_compile_event *e = &log->event[i];
    if (e->kind == TDM_COMPILE_AGAIN && e->reason != TDM_NONE)
      put_reasons(view, &log->compilation[e->compilation], tdm_run_view_name(view, e->reason),
                  frame);
  }
  for (size_t i = 0; i < log->count; i++) {
    const tdm_compilation *c = &log->compilation[i];
    if (c->nth != TDM_NONE && c->nth > 0 && c->reasons == 0) begin_again(view, c, frame);
  }
}

/* ---- failures ---- */

static const tdm_field failure_fields[] = {
    {"rank", TDM_FIELD_INT},    {"compile_id", TDM_FIELD_TEXT}, {"type", TDM_FIELD_TEXT},
    {"reason", TDM_FIELD_TEXT}, {"frame", TDM_FIELD_TEXT},      {"at", TDM_FIELD_TEXT}};
enum { F_RANK, F_ID, F_TYPE, F_REASON, F_FRAME, F_AT, F_FIELDS };

void tdm_compile_put_failures(tdm_run_view *view, const tdm_compile_log *log, tdm_answer *out) {
  tdm_frame *frame = tdm_answer_frame(out, "failures", failure_fields, F_FIELDS);
  char at[FRAME_ROOM];
  for (size_t i = 0; i < log->count; i++) {
    const tdm_compilation *c = &log->compilation[i];
    if (!has_failed(c)) continue;
    tdm_frame_row(frame);
    tdm_frame_int(frame, F_RANK, c->rank);
    put_id(view, c, frame, F_ID);
    if (c->fail_type != TDM_NONE)
      tdm_frame_name(frame, F_TYPE, tdm_run_view_name(view, c->fail_type));
    if (c->fail_reason != TDM_NONE)
      tdm_frame_name(frame, F_REASON, tdm_run_view_name(view, c->fail_reason));
    put_frame_of(view, c, frame, F_FRAME);
    if (tdm_compile_fail_frame(view, c, at, sizeof at)) tdm_frame_text(frame, F_AT, at);
  }
}

/* ---- compilations ---- */

static const tdm_field compilation_fields[] = {
    {"rank", TDM_FIELD_INT},         {"compile_id", TDM_FIELD_TEXT},
    {"share", TDM_FIELD_REAL},       {"compile_ns", TDM_FIELD_INT},
    {"backend_ns", TDM_FIELD_INT},   {"inductor_ns", TDM_FIELD_INT},
    {"code_gen_ns", TDM_FIELD_INT},  {"before_restart_ns", TDM_FIELD_INT},
    {"attempts", TDM_FIELD_INT},     {"graph_breaks", TDM_FIELD_INT},
    {"guards", TDM_FIELD_INT},       {"operators", TDM_FIELD_INT},
    {"graph_cache", TDM_FIELD_TEXT}, {"frame", TDM_FIELD_TEXT}};
enum {
  C_RANK,
  C_ID,
  C_SHARE,
  C_COMPILE,
  C_BACKEND,
  C_INDUCTOR,
  C_CODE_GEN,
  C_RESTART,
  C_ATTEMPTS,
  C_BREAKS,
  C_GUARDS,
  C_OPERATORS,
  C_CACHE,
  C_FRAME,
  C_FIELDS
};

static const char *const outcomes[TDM_COMPILE_OUTCOMES] = {"hit", "miss", "bypass"};

static int by_time(const void *a, const void *b) {
  const tdm_compilation *x = *(const tdm_compilation *const *)a;
  const tdm_compilation *y = *(const tdm_compilation *const *)b;
  if (x->compile_ns != y->compile_ns) return x->compile_ns > y->compile_ns ? -1 : 1;
  return (x > y) - (x < y);
}

static void put_compilation(tdm_run_view *view, const tdm_compilation *c, int64_t whole,
                            tdm_frame *frame) {
  tdm_frame_row(frame);
  tdm_frame_int(frame, C_RANK, c->rank);
  put_id(view, c, frame, C_ID);
  if (whole > 0 && c->compile_ns != TDM_NONE)
    tdm_frame_real(frame, C_SHARE, (double)c->compile_ns / (double)whole);
  tdm_frame_int(frame, C_COMPILE, c->compile_ns);
  tdm_frame_int(frame, C_BACKEND, c->backend_ns);
  tdm_frame_int(frame, C_INDUCTOR, c->inductor_ns);
  tdm_frame_int(frame, C_CODE_GEN, c->code_gen_ns);
  tdm_frame_int(frame, C_RESTART, c->before_restart_ns);
  tdm_frame_int(frame, C_ATTEMPTS, c->attempts);
  tdm_frame_int(frame, C_BREAKS, c->breaks);
  tdm_frame_int(frame, C_GUARDS, c->guards);
  tdm_frame_int(frame, C_OPERATORS, c->dynamo_operators);
  if (c->graph_cache != TDM_NONE) tdm_frame_name(frame, C_CACHE, outcomes[c->graph_cache]);
  put_frame_of(view, c, frame, C_FRAME);
}

tdm_status tdm_compile_put_compilations(tdm_run_view *view, const tdm_compile_log *log,
                                        tdm_answer *out, tdm_error *error) {
  tdm_frame *frame = tdm_answer_frame(out, "compilations", compilation_fields, C_FIELDS);
  const tdm_compilation **order = tdm_array_new(log->count + 1, sizeof *order);
  if (order == NULL) return tdm_error_memory(error, "compilations", log->count);
  int64_t whole = 0;
  for (size_t i = 0; i < log->count; i++) {
    order[i] = &log->compilation[i];
    add(&whole, order[i]->compile_ns);
  }
  qsort(order, log->count, sizeof *order, by_time);
  for (size_t i = 0; i < log->count; i++) put_compilation(view, order[i], whole, frame);
  free(order);
  return TDM_OK;
}

/* ---- fusion ---- */

static const tdm_field fusion_fields[] = {{"rank", TDM_FIELD_INT},
                                          {"compile_id", TDM_FIELD_TEXT},
                                          {"dynamo_operators", TDM_FIELD_INT},
                                          {"aot_operators", TDM_FIELD_INT},
                                          {"inductor_operators", TDM_FIELD_INT},
                                          {"calls", TDM_FIELD_INT},
                                          {"triton", TDM_FIELD_INT},
                                          {"cpp", TDM_FIELD_INT},
                                          {"extern", TDM_FIELD_INT},
                                          {"fallback", TDM_FIELD_INT},
                                          {"fusion_ratio", TDM_FIELD_REAL},
                                          {"frame", TDM_FIELD_TEXT}};
enum {
  U_RANK,
  U_ID,
  U_DYNAMO,
  U_AOT,
  U_INDUCTOR,
  U_CALLS,
  U_TRITON,
  U_CPP,
  U_EXTERN,
  U_FALLBACK,
  U_RATIO,
  U_FRAME,
  U_FIELDS
};

void tdm_compile_put_fusion(tdm_run_view *view, const tdm_compile_log *log, tdm_answer *out) {
  tdm_frame *frame = tdm_answer_frame(out, "fusion", fusion_fields, U_FIELDS);
  for (size_t i = 0; i < log->count; i++) {
    const tdm_compilation *c = &log->compilation[i];
    if (!c->has_aot && !c->has_post_grad && !c->has_code) continue;
    tdm_frame_row(frame);
    tdm_frame_int(frame, U_RANK, c->rank);
    put_id(view, c, frame, U_ID);
    tdm_frame_int(frame, U_DYNAMO, c->dynamo_operators);
    if (c->has_aot) tdm_frame_int(frame, U_AOT, c->aot_operators);
    if (c->has_post_grad) tdm_frame_int(frame, U_INDUCTOR, c->post_grad_operators);
    put_frame_of(view, c, frame, U_FRAME);
    if (!c->has_code) continue;
    tdm_frame_int(frame, U_CALLS, tdm_compile_after(c));
    tdm_frame_int(frame, U_TRITON, c->calls.triton);
    tdm_frame_int(frame, U_CPP, c->calls.cpp);
    tdm_frame_int(frame, U_EXTERN, c->calls.extern_kernels);
    tdm_frame_int(frame, U_FALLBACK, c->calls.fallback);
    put_ratio(frame, U_RATIO, tdm_compile_before(c), tdm_compile_after(c));
  }
}

/* ---- caches ---- */

static const tdm_field cache_fields[] = {{"rank", TDM_FIELD_INT},     {"cache", TDM_FIELD_TEXT},
                                         {"outcome", TDM_FIELD_TEXT}, {"count", TDM_FIELD_INT},
                                         {"saved_ns", TDM_FIELD_INT}, {"reason", TDM_FIELD_TEXT}};
enum { H_RANK, H_CACHE, H_OUTCOME, H_COUNT, H_SAVED, H_REASON, H_FIELDS };

tdm_status tdm_compile_put_caches(tdm_run_view *view, const tdm_compile_log *log, tdm_answer *out,
                                  tdm_error *error) {
  gathered *lines;
  size_t count;
  tdm_frame *frame = tdm_answer_frame(out, "caches", cache_fields, H_FIELDS);
  tdm_status status = gather(log, TDM_COMPILE_CACHE, &lines, &count, error);
  for (size_t i = 0; status == TDM_OK && i < count; i++) {
    const tdm_compile_event *e = lines[i].first;
    char cache[FRAME_ROOM]; /* "fx_graph_cache_hit" less its outcome */
    snprintf(cache, sizeof cache, "%s", tdm_run_view_name(view, e->name));
    char *tail = strstr(cache, "_cache_");
    if (tail != NULL) *tail = 0;
    tdm_frame_row(frame);
    tdm_frame_int(frame, H_RANK, log->compilation[e->compilation].rank);
    tdm_frame_text(frame, H_CACHE, cache);
    tdm_frame_name(frame, H_OUTCOME, outcomes[e->outcome]);
    tdm_frame_int(frame, H_COUNT, lines[i].count);
    tdm_frame_int(frame, H_SAVED, lines[i].saved_ns);
    if (e->reason != TDM_NONE) tdm_frame_name(frame, H_REASON, tdm_run_view_name(view, e->reason));
  }
  free(lines);
  return status;
}
