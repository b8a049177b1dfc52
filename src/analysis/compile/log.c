/* Compilations of torch.compile as its log tells them: records joined to the compilation that they
 * belong to, their graphs and generated code counted; see inside.h. Two tables of the same rows: a
 * view gives sixteen arguments of each. */
#include "analysis/compile/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/groups.h"
#include "base/memory.h"
#include "trace/store/scan.h"

enum { KIND, ID, NTH, ATTEMPT, REASON, CACHE, FRAME, PAYLOAD, SAVED, FAIL_FILE, FAIL_LINE };
enum {
  FUNCTION,
  FILE_NAME,
  LINE,
  FAIL_TYPE,
  FAIL_REASON,
  OPERATORS,
  COMPILE,
  BACKEND,
  INDUCTOR,
  CODE_GEN,
  RESTART,
  GUARDS
};

static const char *const compile_categories[] = {"compile", NULL};
static const tdm_arg record_keys[] = {{"kind", TDM_ARG_TEXT},
                                      {"compile_id", TDM_ARG_TEXT},
                                      {"frame_compile_id", TDM_ARG_INT},
                                      {"attempt", TDM_ARG_INT},
                                      {"reason", TDM_ARG_TEXT},
                                      {"cache", TDM_ARG_TEXT},
                                      {"frame", TDM_ARG_TEXT},
                                      {"payload", TDM_ARG_TEXT},
                                      {"time_saved_ns", TDM_ARG_INT},
                                      {"fail_user_frame_filename", TDM_ARG_TEXT},
                                      {"fail_user_frame_lineno", TDM_ARG_INT},
                                      {NULL, TDM_ARG_INT}};
static const tdm_arg metric_keys[] = {{"co_name", TDM_ARG_TEXT},
                                      {"co_filename", TDM_ARG_TEXT},
                                      {"co_firstlineno", TDM_ARG_INT},
                                      {"fail_type", TDM_ARG_TEXT},
                                      {"fail_reason", TDM_ARG_TEXT},
                                      {"graph_op_count", TDM_ARG_INT},
                                      {"compile_ns", TDM_ARG_INT},
                                      {"backend_ns", TDM_ARG_INT},
                                      {"inductor_ns", TDM_ARG_INT},
                                      {"code_gen_ns", TDM_ARG_INT},
                                      {"before_restart_ns", TDM_ARG_INT},
                                      {"guard_count", TDM_ARG_INT},
                                      {NULL, TDM_ARG_INT}};
#define SHAPES (1u << TDM_SHAPE_INSTANT | 1u << TDM_SHAPE_ASYNC)
static const tdm_wanted records = {
    .categories = compile_categories, .keys = record_keys, .shapes = SHAPES};
static const tdm_wanted metrics = {
    .categories = compile_categories, .keys = metric_keys, .shapes = SHAPES};

typedef struct {
  tdm_run_view *view;
  tdm_compile_log *log;
  const tdm_table *records, *metrics;
  tdm_groups ids;    /* of source and compile id */
  uint32_t *current; /* by id: its last compilation + 1; 0: none */
  size_t current_room;
  tdm_artifacts *artifacts;
  tdm_error *error;
} reading;

void tdm_compile_log_close(tdm_compile_log *log) {
  free(log->compilation);
  free(log->event);
  *log = (tdm_compile_log){0};
}

/* ---- compilations ---- */

static tdm_status out_of_memory(reading *r) {
  return tdm_error_memory(r->error, "compilations", r->log->count * sizeof(tdm_compilation));
}

static tdm_compilation fresh(const reading *r, size_t i) {
  const tdm_track *track = tdm_run_view_track(r->view, tdm_table_track(r->records, i));
  uint32_t at = track != NULL ? track->source : 0;
  const tdm_source *source = tdm_run_tables_source(tdm_run_view_tables(r->view), at);
  tdm_compilation made = {.source = at,
                          .rank = source != NULL ? source->rank : TDM_NONE,
                          .id = tdm_table_arg(r->records, ID, i),
                          .nth = TDM_NONE,
                          .attempts = 1,
                          .function = TDM_NONE,
                          .file = TDM_NONE,
                          .line = TDM_NONE,
                          .frame = TDM_NONE,
                          .compile_ns = TDM_NONE,
                          .backend_ns = TDM_NONE,
                          .inductor_ns = TDM_NONE,
                          .code_gen_ns = TDM_NONE,
                          .before_restart_ns = TDM_NONE,
                          .guards = TDM_NONE,
                          .dynamo_operators = TDM_NONE,
                          .fail_type = TDM_NONE,
                          .fail_reason = TDM_NONE,
                          .fail_frame = TDM_NONE,
                          .fail_file = TDM_NONE,
                          .fail_line = TDM_NONE,
                          .graph_cache = TDM_NONE};
  return made;
}

/* The compilation of a row, begun by dynamo_start or by whatever is the first of its id. NULL: out
 * of memory. */
static tdm_compilation *compilation_of(reading *r, size_t i, bool starts) {
  const tdm_track *track = tdm_run_view_track(r->view, tdm_table_track(r->records, i));
  int64_t key[] = {track != NULL ? track->source : 0, tdm_table_arg(r->records, ID, i)};
  size_t known = r->ids.count;
  uint32_t id = tdm_groups_add(&r->ids, key);
  if (id == UINT32_MAX ||
      !tdm_array_grow(&r->current, &r->current_room, (size_t)id + 1, sizeof *r->current))
    return NULL;
  if (id == known) r->current[id] = 0;
  tdm_compile_log *log = r->log;
  tdm_compilation *current = r->current[id] != 0 ? &log->compilation[r->current[id] - 1] : NULL;
  if (current != NULL && !(starts && (current->started || current->finished))) return current;
  if (!tdm_array_grow(&log->compilation, &log->room, log->count + 1, sizeof *log->compilation))
    return NULL;
  log->compilation[log->count++] = fresh(r, i);
  r->current[id] = (uint32_t)log->count;
  return &log->compilation[log->count - 1];
}

/* Backward graphs that are compiled when they first run have metrics of their own kind, under the
 * same id: their times are not within the frame's. */
static void take_metrics(reading *r, size_t i, bool of_frame, tdm_compilation *c) {
  int64_t *const to[] = {
      &c->function,          &c->file,       &c->line,       &c->fail_type,   &c->fail_reason,
      &c->dynamo_operators,  &c->compile_ns, &c->backend_ns, &c->inductor_ns, &c->code_gen_ns,
      &c->before_restart_ns, &c->guards};
  for (size_t a = 0; a < sizeof to / sizeof *to; a++)
    if (tdm_table_arg(r->metrics, a, i) != TDM_NONE &&
        (of_frame || a == FAIL_TYPE || a == FAIL_REASON))
      *to[a] = tdm_table_arg(r->metrics, a, i);
  if (tdm_table_arg(r->records, FAIL_FILE, i) != TDM_NONE)
    c->fail_file = tdm_table_arg(r->records, FAIL_FILE, i);
  if (tdm_table_arg(r->records, FAIL_LINE, i) != TDM_NONE)
    c->fail_line = tdm_table_arg(r->records, FAIL_LINE, i);
  c->finished = true;
}

/* ---- records ---- */

static int put_event(reading *r, size_t i, const tdm_compilation *c, tdm_compile_event_kind kind,
                     tdm_compile_outcome outcome) {
  tdm_compile_log *log = r->log;
  if (!tdm_array_grow(&log->event, &log->event_room, log->events + 1, sizeof *log->event)) return 0;
  log->event[log->events++] = (tdm_compile_event){.kind = kind,
                                                  .compilation = (uint32_t)(c - log->compilation),
                                                  .name = tdm_table_name(r->records, i),
                                                  .reason = tdm_table_arg(r->records, REASON, i),
                                                  .frame = tdm_table_arg(r->records, FRAME, i),
                                                  .payload = tdm_table_arg(r->records, PAYLOAD, i),
                                                  .outcome = outcome,
                                                  .saved_ns = tdm_table_arg(r->records, SAVED, i)};
  return 1;
}

static int take_cache(reading *r, size_t i, const char *name, tdm_compilation *c) {
  static const char *const words[TDM_COMPILE_OUTCOMES] = {"hit", "miss", "bypass"};
  const char *word = tdm_run_view_name(r->view, tdm_table_arg(r->records, CACHE, i));
  for (int outcome = 0; outcome < TDM_COMPILE_OUTCOMES; outcome++) {
    if (strcmp(word, words[outcome]) != 0) continue;
    if (strncmp(name, "fx_graph", 8) == 0) c->graph_cache = outcome;
    return put_event(r, i, c, TDM_COMPILE_CACHE, (tdm_compile_outcome)outcome);
  }
  return 1; /* a hash is the key that was looked for */
}

static bool is_one_of(const char *name, const char *const *list) {
  for (; *list != NULL; list++)
    if (strcmp(name, *list) == 0) return true;
  return false;
}

static const char *const aot_graphs[] = {"aot_forward_graph", "aot_backward_graph",
                                         "aot_inference_graph", NULL};

/* AOTInductor compiles what was exported: no frame of Dynamo, so no id, and one compilation a log.
 */
static bool is_of_export(const char *name) {
  return is_one_of(name, aot_graphs) || strcmp(name, "inductor_post_grad_graph") == 0 ||
         strcmp(name, "inductor_output_code") == 0;
}

/* Graphs and code, counted. The joint graph has what forward and backward have again. */
static tdm_status take_text(reading *r, size_t i, const char *name, tdm_compilation *c) {
  bool is_aot = is_one_of(name, aot_graphs), post = strcmp(name, "inductor_post_grad_graph") == 0;
  bool code = strcmp(name, "inductor_output_code") == 0;
  if ((!is_aot && !post && !code) || tdm_table_arg(r->records, PAYLOAD, i) == TDM_NONE)
    return TDM_OK;
  const char *text;
  size_t length;
  tdm_status status = tdm_artifacts_read(
      r->artifacts, tdm_run_view_name(r->view, tdm_table_arg(r->records, PAYLOAD, i)), &text,
      &length, r->error);
  if (status != TDM_OK || text == NULL) return status;
  c->has_aot |= is_aot;
  c->has_post_grad |= post;
  c->has_code |= code;
  if (is_aot) c->aot_operators += tdm_graph_operators(text, length);
  if (post) c->post_grad_operators += tdm_graph_operators(text, length);
  if (!code) return TDM_OK;
  tdm_code_calls calls = tdm_code_count(text, length);
  c->calls.triton += calls.triton;
  c->calls.cpp += calls.cpp;
  c->calls.extern_kernels += calls.extern_kernels;
  c->calls.fallback += calls.fallback;
  return TDM_OK;
}

static bool ends_with(const char *text, const char *ending) {
  size_t length = strlen(text), tail = strlen(ending);
  return length >= tail && strcmp(text + length - tail, ending) == 0;
}

static tdm_status take_record(reading *r, size_t i) {
  const tdm_table *t = r->records;
  if (tdm_table_arg(t, KIND, i) == TDM_NONE) return TDM_OK;
  const char *kind = tdm_run_view_name(r->view, tdm_table_arg(t, KIND, i));
  const char *name = tdm_run_view_name(r->view, tdm_table_name(t, i));
  if (strcmp(kind, "chromium_event") == 0 || strncmp(kind, "describe_", 9) == 0) return TDM_OK;
  if (tdm_table_arg(t, ID, i) == TDM_NONE && !is_of_export(name)) return TDM_OK;
  bool starts = strcmp(name, "dynamo_start") == 0;
  tdm_compilation *c = compilation_of(r, i, starts);
  if (c == NULL) return out_of_memory(r);
  c->started |= starts;
  if (tdm_table_arg(t, NTH, i) != TDM_NONE) c->nth = tdm_table_arg(t, NTH, i);
  if (tdm_table_arg(t, ATTEMPT, i) != TDM_NONE && tdm_table_arg(t, ATTEMPT, i) + 1 > c->attempts)
    c->attempts = tdm_table_arg(t, ATTEMPT, i) + 1;
  if (starts && tdm_table_arg(t, FRAME, i) != TDM_NONE) c->frame = tdm_table_arg(t, FRAME, i);
  if (ends_with(kind, "compilation_metrics"))
    take_metrics(r, i, strcmp(kind, "compilation_metrics") == 0, c);
  int ok = 1;
  if (strcmp(name, "dynamo_graph_break_reason") == 0) {
    c->breaks++;
    ok = put_event(r, i, c, TDM_COMPILE_BREAK, TDM_COMPILE_OUTCOMES);
  } else if (strcmp(name, "recompile_reasons") == 0) {
    c->reasons++;
    ok = put_event(r, i, c, TDM_COMPILE_AGAIN, TDM_COMPILE_OUTCOMES);
  } else if (strcmp(name, "dynamo_error") == 0) {
    if (c->fail_reason == TDM_NONE) c->fail_reason = tdm_table_arg(t, REASON, i);
    c->fail_frame = tdm_table_arg(t, FRAME, i);
  } else if (tdm_table_arg(t, CACHE, i) != TDM_NONE && strcmp(kind, "artifact") == 0) {
    ok = take_cache(r, i, name, c);
  }
  return ok ? take_text(r, i, name, c) : out_of_memory(r);
}

/* ---- order ---- */

typedef struct {
  int64_t time_ns;
  size_t row;
} logged;

/* Metrics that are spans were written at their end. */
static int by_time(const void *a, const void *b) {
  const logged *x = a, *y = b;
  if (x->time_ns != y->time_ns) return x->time_ns < y->time_ns ? -1 : 1;
  return (x->row > y->row) - (x->row < y->row);
}

static tdm_status take_all(reading *r) {
  size_t count = r->records->count;
  logged *order = tdm_array_new(count + 1, sizeof *order);
  tdm_status status = order == NULL ? out_of_memory(r) : TDM_OK;
  for (size_t i = 0; status == TDM_OK && i < count; i++)
    order[i] = (logged){.time_ns = tdm_table_end_ns(r->records, i), .row = i};
  if (status == TDM_OK) qsort(order, count, sizeof *order, by_time);
  for (size_t i = 0; status == TDM_OK && i < count; i++) status = take_record(r, order[i].row);
  free(order);
  return status;
}

tdm_status tdm_compile_log_read(tdm_run_view *view, tdm_compile_log *log, tdm_error *error) {
  *log = (tdm_compile_log){0};
  reading r = {.view = view, .log = log, .error = error};
  tdm_status status = tdm_run_view_table(view, &records, &r.records, error);
  if (status == TDM_OK) status = tdm_run_view_table(view, &metrics, &r.metrics, error);
  if (status != TDM_OK) return status;
  status = tdm_groups_open(&r.ids, 2, r.records->count, error);
  if (status == TDM_OK)
    status = tdm_artifacts_open(tdm_run_view_database(view),
                                tdm_run_tables_run(tdm_run_view_tables(view)), &r.artifacts, error);
  if (status == TDM_OK) status = take_all(&r);
  tdm_artifacts_close(r.artifacts);
  tdm_groups_close(&r.ids);
  free(r.current);
  return status;
}

/* ---- what is said of one ---- */

static bool write_frame(tdm_run_view *view, int64_t file, int64_t line, int64_t function, char *out,
                        size_t room) {
  if (file == TDM_NONE && function == TDM_NONE) return false;
  int used = 0;
  if (file != TDM_NONE) used = snprintf(out, room, "%s", tdm_run_view_name(view, file));
  if (file != TDM_NONE && line != TDM_NONE && (size_t)used < room)
    used += snprintf(out + used, room - (size_t)used, ":%lld", (long long)line);
  if (function != TDM_NONE && (size_t)used < room)
    snprintf(out + used, room - (size_t)used, "%s%s", file != TDM_NONE ? " " : "",
             tdm_run_view_name(view, function));
  return true;
}

bool tdm_compile_frame(tdm_run_view *view, const tdm_compilation *of, char *out, size_t room) {
  if (write_frame(view, of->file, of->line, of->function, out, room)) return true;
  if (of->frame == TDM_NONE) return false;
  snprintf(out, room, "%s", tdm_run_view_name(view, of->frame));
  return true;
}

bool tdm_compile_fail_frame(tdm_run_view *view, const tdm_compilation *of, char *out, size_t room) {
  if (of->fail_frame == TDM_NONE)
    return write_frame(view, of->fail_file, of->fail_line, TDM_NONE, out, room);
  snprintf(out, room, "%s", tdm_run_view_name(view, of->fail_frame));
  return true;
}

int64_t tdm_compile_before(const tdm_compilation *of) {
  return of->has_post_grad ? of->post_grad_operators : of->has_aot ? of->aot_operators : TDM_NONE;
}

int64_t tdm_compile_after(const tdm_compilation *of) {
  const tdm_code_calls *calls = &of->calls;
  return of->has_code ? calls->triton + calls->cpp + calls->extern_kernels + calls->fallback
                      : TDM_NONE;
}
