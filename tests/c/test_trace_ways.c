/* Every kind of record on each way that records go: through the relay, into memory, into the store
 * and out again, in whole and in part. What arrives is written down and compared with what was
 * sent. Also the texts and files that the ways are made of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/packed_file.h"
#include "trace/recording.h"
#include "trace/relay.h"
#include "trace/store/scan.h"
#include "trace/store/store.h"
#include "trace/utf8.h"

static tdm_error failure;

/* ---- a sink that writes down what it is told ---- */

typedef struct {
  char *text;
  size_t used;
  tdm_layout layouts[8];
} scribe;

static void note(scribe *s, const char *format, ...) {
  char line[2048];
  va_list values;
  va_start(values, format);
  size_t length = (size_t)vsnprintf(line, sizeof line, format, values);
  va_end(values);
  s->text = realloc(s->text, s->used + length + 1);
  memcpy(s->text + s->used, line, length + 1);
  s->used += length;
}

static const char *number(int64_t value) {
  static char text[16][24];
  static int turn;
  char *out = text[turn++ % 16];
  snprintf(out, 24, "%lld", (long long)value);
  return value == TDM_NONE ? "-" : out;
}

static const char *or_none(const char *text) {
  return text != NULL ? text : "-";
}

static tdm_status note_name(void *to, uint32_t id, const char *text, size_t length, tdm_error *e) {
  (void)e;
  note(to, "name %u %zu %s\n", id, length, text);
  return TDM_OK;
}

static tdm_status note_track(void *to, uint32_t id, const tdm_track *p, tdm_error *e) {
  (void)e;
  note(to, "track %u %s|%s %s %s %s %s %s %s %s %s %u\n", id, p->process, p->name,
       tdm_track_kind_name(p->kind), tdm_lane_name(p->lane), number(p->capacity), number(p->pid),
       number(p->tid), number(p->device), number(p->context), number(p->stream), p->source);
  return TDM_OK;
}

static tdm_status note_layout(void *to, uint32_t id, const tdm_layout *layout, tdm_error *e) {
  (void)e;
  scribe *s = to;
  s->layouts[id] = *layout;
  note(s, "layout %u %s %s", id, layout->category, tdm_shape_name(layout->shape));
  for (uint32_t i = 0; i < layout->args; i++)
    note(s, " %s:%s", layout->arg[i].key, tdm_arg_type_name(layout->arg[i].type));
  note(s, "\n");
  return TDM_OK;
}

static tdm_status note_rows(void *to, const tdm_rows *rows, tdm_error *e) {
  (void)e;
  scribe *s = to;
  for (size_t i = 0; i < rows->count; i++) {
    note(s, "row %u", rows->layout);
    for (uint32_t c = 0; c < TDM_ARGS + s->layouts[rows->layout].args; c++)
      note(s, " %s", number(rows->column[c][i]));
    note(s, "\n");
  }
  return TDM_OK;
}

/* The same of a recording's. */
static void note_kept(scribe *s, const tdm_kept_rows *kept) {
  for (size_t i = 0; i < kept->count; i++) {
    int64_t value[TDM_ARGS + TDM_LAYOUT_ARGS], *column[TDM_ARGS + TDM_LAYOUT_ARGS];
    for (uint32_t c = 0; c < kept->columns; c++) {
      value[c] = tdm_kept(kept, c, i);
      column[c] = &value[c];
    }
    note_rows(s, &(tdm_rows){.layout = kept->layout, .count = 1, .column = column}, NULL);
  }
}

static tdm_status note_source(void *to, uint32_t id, const tdm_source *source, tdm_error *e) {
  (void)e;
  note(to, "source %u %s|%s|%s %s %s %s %s %s %llu\n", id, source->path, source->format,
       source->detail, number(source->rank), number(source->utc_ns), number(source->offset_ns),
       number(source->first_ns), number(source->last_ns), (unsigned long long)source->rows);
  return TDM_OK;
}

static tdm_status note_fact(void *to, uint32_t source, const char *key, const char *value,
                            tdm_error *e) {
  (void)e;
  note(to, "fact %u %s=%s\n", source, key, value);
  return TDM_OK;
}

static tdm_status note_problem(void *to, uint32_t source, const char *kind, uint64_t count,
                               tdm_error *e) {
  (void)e;
  note(to, "problem %u %s %llu\n", source, kind, (unsigned long long)count);
  return TDM_OK;
}

static tdm_status note_metric(void *to, const tdm_metric *m, tdm_error *e) {
  (void)e;
  char value[32];
  snprintf(value, sizeof value, "%g", m->value);
  note(to, "metric %s|%s %s %s|%s %s %s\n", m->scope, or_none(m->subject), number(m->ordinal),
       m->name, or_none(m->unit), isnan(m->value) ? "-" : value, or_none(m->text));
  return TDM_OK;
}

static tdm_status note_artifact(void *to, const char *name, const char *type, const void *bytes,
                                size_t length, tdm_error *e) {
  (void)e;
  uint64_t sum = 0;
  for (size_t i = 0; i < length; i++) sum = sum * 31 + ((const unsigned char *)bytes)[i];
  note(to, "artifact %s %s %zu %llu\n", name, type, length, (unsigned long long)sum);
  return TDM_OK;
}

static tdm_status note_requests(void *to, const tdm_request_record *records, size_t count,
                                tdm_error *e) {
  (void)e;
  for (size_t i = 0; i < count; i++)
    note(to, "request %llu %u %lld %lld %d %s\n", (unsigned long long)records[i].request,
         records[i].class_index, (long long)records[i].arrival_ns, (long long)records[i].end_ns,
         records[i].gpu, tdm_outcome_name(records[i].outcome));
  return TDM_OK;
}

static tdm_status note_class(void *to, uint32_t index, const char *name, tdm_error *e) {
  (void)e;
  note(to, "class %u %s\n", index, name);
  return TDM_OK;
}

static tdm_record_sink scribe_sink(scribe *s) {
  return (tdm_record_sink){.context = s,
                           .name = note_name,
                           .track = note_track,
                           .layout = note_layout,
                           .rows = note_rows,
                           .source = note_source,
                           .fact = note_fact,
                           .problem = note_problem,
                           .metric = note_metric,
                           .artifact = note_artifact,
                           .requests = note_requests,
                           .request_class = note_class};
}

/* ---- some of every kind, in the order in which a store gives them back ---- */

#define SENT(call) assert_int_equal(call, TDM_OK)

static void send_rows(const tdm_record_sink *to, uint32_t layout, uint32_t source, size_t count,
                      size_t columns, const int64_t *values) {
  int64_t *column[8], *copy = malloc(count * columns * sizeof *copy);
  for (size_t c = 0; c < columns; c++) {
    column[c] = copy + c * count;
    for (size_t i = 0; i < count; i++) column[c][i] = values[i * columns + c];
  }
  tdm_rows rows = {.layout = layout, .source = source, .count = count, .column = column};
  SENT(to->rows(to->context, &rows, &failure));
  free(copy);
}

static void send_artifacts(const tdm_record_sink *to) {
  char *large = malloc(100000);
  for (size_t i = 0; i < 100000; i++) large[i] = (char)('a' + i % 7);
  SENT(to->artifact(to->context, "graph", "application/json", large, 100000, &failure));
  SENT(to->artifact(to->context, "empty", "text/plain", "", 0, &failure));
  SENT(to->artifact(to->context, "small", "text/plain", "z\0y", 3, &failure));
  free(large);
}

static void send_all(const tdm_record_sink *to) {
  void *at = to->context;
  static const char *const names[] = {"gemm", "", "HtoD", "{\"a\":1}"};
  for (uint32_t i = 0; i < 4; i++) SENT(to->name(at, i, names[i], strlen(names[i]), &failure));
  tdm_track full = {"GPU #1", "stream 7", TDM_TRACK_STREAM, TDM_LANE_H2D, 4, 10, 11, 1, 2, 7, 0};
  tdm_track plain = TDM_TRACK_PLAIN;
  plain.source = 1;
  SENT(to->track(at, 0, &full, &failure));
  SENT(to->track(at, 1, &plain, &failure));
  static const tdm_arg args[] = {
      {"bytes", TDM_ARG_INT}, {"kind", TDM_ARG_TEXT}, {"share", TDM_ARG_REAL}};
  static const tdm_arg more[] = {{"ok", TDM_ARG_BOOL}, {"shape", TDM_ARG_JSON}};
  SENT(to->layout(at, 0, &(tdm_layout){"memcpy", TDM_SHAPE_SPAN, 3, args}, &failure));
  SENT(to->layout(at, 1, &(tdm_layout){"kernel", TDM_SHAPE_OPEN, 0, NULL}, &failure));
  SENT(to->layout(at, 2, &(tdm_layout){"marker", TDM_SHAPE_INSTANT, 2, more}, &failure));
  tdm_source first = {"a.json", "kineto", "", 3, 1000000, 0, 10, 60, 4};
  tdm_source second = {"b.json", "nsys", "schema 3", TDM_NONE, TDM_NONE, 0, TDM_NONE, TDM_NONE, 0};
  SENT(to->source(at, 0, &first, &failure));
  SENT(to->source(at, 1, &second, &failure));
  SENT(to->fact(at, 0, "gpu.0.name", "H100", &failure));
  SENT(to->fact(at, 1, "gpu.0.name", "L40", &failure));
  SENT(to->problem(at, 1, "odd things", 3, &failure));
  SENT(to->request_class(at, 0, "chat", &failure));
  SENT(to->request_class(at, 2, "batch", &failure));
  const tdm_request_record requests[] = {{1, 10, 25, 2, 0, TDM_OUTCOME_OK},
                                         {2, 11, 11, -1, 0, TDM_OUTCOME_DROPPED},
                                         {3, 12, 40, 0, 2, TDM_OUTCOME_TIMED_OUT},
                                         {4, 13, 0, -1, 2, TDM_OUTCOME_OPEN}};
  SENT(to->requests(at, requests, 4, &failure));
  const tdm_metric metrics[] = {{"kernel", "gemm", 3, "time", "ns", 2.5, NULL},
                                {"run", NULL, TDM_NONE, "note", NULL, NAN, "fine"}};
  for (size_t i = 0; i < 2; i++) SENT(to->metric(at, &metrics[i], &failure));
  send_artifacts(to);
  const int64_t half = 0x3fe0000000000000,
                spans[] = {10, 5, 0, 0, 64, 2, half, 12, 0, 0, 1, 0, TDM_NONE, half};
  send_rows(to, 0, 0, 2, 7, spans);
  const int64_t open[] = {20, 40, 1, 0};
  send_rows(to, 1, 1, 1, 4, open);
  const int64_t instants[] = {30, 0, 0, 1, 1, 3};
  send_rows(to, 2, 0, 1, 6, instants);
}

static scribe sent(void) {
  scribe s = {0};
  tdm_record_sink sink = scribe_sink(&s);
  send_all(&sink);
  return s;
}

static void assert_same_text(scribe *got, scribe *want) {
  assert_string_equal(got->text, want->text);
  free(got->text);
  free(want->text);
}

/* ---- the ways ---- */

static void a_relay_hands_on_every_kind(void **state) {
  (void)state;
  scribe got = {0}, want = sent();
  tdm_record_sink inner = scribe_sink(&got), sink;
  tdm_relay *relay;
  SENT(tdm_relay_open(&inner, &relay, &failure));
  tdm_relay_sink(relay, &sink);
  send_all(&sink);
  SENT(tdm_relay_finish(relay, &failure));
  tdm_relay_close(relay);
  assert_same_text(&got, &want);
}

/* Says everything that a recording has, in the order in which it was sent. */
static void tell(const tdm_recording *r, scribe *to) {
  size_t count, length;
  for (uint32_t i = 0; i < tdm_recording_names(r); i++) {
    const char *name = tdm_recording_name(r, i, &length);
    note_name(to, i, name, length, NULL);
  }
  for (uint32_t i = 0; i < tdm_recording_tracks(r); i++)
    note_track(to, i, tdm_recording_track(r, i), NULL);
  for (uint32_t i = 0; i < tdm_recording_layouts(r); i++)
    note_layout(to, i, tdm_recording_layout(r, i), NULL);
  for (uint32_t i = 0; i < tdm_recording_sources(r); i++)
    note_source(to, i, tdm_recording_source(r, i), NULL);
  const tdm_fact *facts = tdm_recording_facts(r, &count);
  for (size_t i = 0; i < count; i++)
    note_fact(to, facts[i].source, facts[i].key, facts[i].value, NULL);
  const tdm_problem *problems = tdm_recording_problems(r, &count);
  for (size_t i = 0; i < count; i++)
    note_problem(to, problems[i].source, problems[i].kind, problems[i].count, NULL);
  for (uint32_t i = 0; i < tdm_recording_request_classes(r); i++)
    if (tdm_recording_request_class(r, i) != NULL)
      note_class(to, i, tdm_recording_request_class(r, i), NULL);
  const tdm_request_record *requests = tdm_recording_requests(r, &count);
  note_requests(to, requests, count, NULL);
  const tdm_metric *metrics = tdm_recording_metrics(r, &count);
  for (size_t i = 0; i < count; i++) note_metric(to, &metrics[i], NULL);
  const tdm_artifact *artifacts = tdm_recording_artifacts(r, &count);
  for (size_t i = 0; i < count; i++)
    note_artifact(to, artifacts[i].name, artifacts[i].type, artifacts[i].bytes, artifacts[i].length,
                  NULL);
  for (uint32_t i = 0; i < tdm_recording_layouts(r); i++) note_kept(to, tdm_recording_rows(r, i));
}

static void memory_keeps_every_kind(void **state) {
  (void)state;
  scribe got = {0}, want = sent();
  tdm_recording *recording = tdm_recording_new();
  tdm_record_sink sink;
  tdm_recording_sink(recording, &sink);
  send_all(&sink);
  tell(recording, &got);
  assert_same_text(&got, &want);
  assert_null(tdm_recording_name(recording, 4, NULL));
  assert_null(tdm_recording_track(recording, 2));
  assert_null(tdm_recording_layout(recording, 3));
  assert_null(tdm_recording_rows(recording, 3));
  assert_null(tdm_recording_source(recording, 2));
  assert_null(tdm_recording_request_class(recording, 1));
  assert_null(tdm_recording_request_class(recording, 3));
  tdm_recording_free(recording);
}

/* Rows of one layout that come in pieces lie in one, in the order they came. */
static void pieces_are_joined(void **state) {
  (void)state;
  enum { EACH = 700, PIECES = 5 };
  tdm_recording *recording = tdm_recording_new();
  tdm_record_sink sink;
  tdm_recording_sink(recording, &sink);
  SENT(sink.layout(sink.context, 1, &(tdm_layout){"kernel", TDM_SHAPE_SPAN, 0, NULL}, &failure));
  int64_t values[EACH * 4];
  for (int64_t piece = 0; piece < PIECES; piece++) {
    for (int64_t i = 0; i < EACH * 4; i++) values[i] = piece * EACH * 4 + i;
    send_rows(&sink, 1, 0, EACH, 4, values);
  }
  const tdm_kept_rows *rows = tdm_recording_rows(recording, 1);
  assert_int_equal(rows->count, EACH * PIECES);
  for (uint32_t i = 0; i < EACH * PIECES; i++)
    for (uint32_t c = 0; c < 4; c++) assert_int_equal(tdm_kept(rows, c, i), 4 * i + c);
  assert_null(tdm_recording_layout(recording, 0)); /* which was never announced */
  tdm_recording_free(recording);
}

/* ---- the store ---- */

static char target[64];

static int remove_store(void **state) {
  (void)state;
  static const char *const endings[] = {"", "-wal", "-shm", "-journal", ".zst", ".out"};
  for (size_t i = 0; i < 6; i++) {
    char name[96];
    snprintf(name, sizeof name, "%s%s", target, endings[i]);
    unlink(name);
  }
  return 0;
}

static int choose_target(void **state) {
  snprintf(target, sizeof target, "/tmp/tandem-ways-%ld.db", (long)getpid());
  return remove_store(state);
}

static tdm_store *stored(void (*send)(const tdm_record_sink *)) {
  static const tdm_run_info info = {.name = "ways", .created_utc_ns = TDM_NONE};
  tdm_store *store;
  tdm_store_run *run;
  tdm_record_sink sink;
  SENT(tdm_store_open(target, NULL, NULL, &store, &failure));
  SENT(tdm_store_begin_run(store, &info, &run, &failure));
  tdm_store_run_sink(run, &sink);
  send(&sink);
  SENT(tdm_store_commit_run(run, NULL, &failure));
  return store;
}

static scribe loaded(tdm_store *store, int64_t from_ns, int64_t to_ns) {
  scribe s = {0};
  tdm_record_sink sink = scribe_sink(&s);
  SENT(tdm_store_load(tdm_store_database(store), 1, from_ns, to_ns, &sink, &failure));
  return s;
}

static void a_store_gives_back_every_kind(void **state) {
  (void)state;
  scribe want = sent();
  tdm_store *store = stored(send_all);
  scribe got = loaded(store, INT64_MIN, INT64_MAX);
  assert_same_text(&got, &want);
  /* Nothing is asked of a sink that wants nothing. */
  tdm_record_sink none = {0};
  SENT(tdm_store_load(tdm_store_database(store), 1, INT64_MIN, INT64_MAX, &none, &failure));
  assert_int_equal(
      tdm_store_load(tdm_store_database(store), 2, INT64_MIN, INT64_MAX, &none, &failure),
      TDM_INVALID);
  tdm_store_close(store);
}

static void rows_of_no_layout_are_refused(void **state) {
  (void)state;
  static const tdm_run_info info = {.name = "ways", .created_utc_ns = TDM_NONE};
  tdm_store *store;
  tdm_store_run *run;
  tdm_recording *recording = tdm_recording_new();
  tdm_record_sink sinks[2];
  SENT(tdm_store_open(target, NULL, NULL, &store, &failure));
  SENT(tdm_store_begin_run(store, &info, &run, &failure));
  tdm_store_run_sink(run, &sinks[0]);
  tdm_recording_sink(recording, &sinks[1]);
  int64_t *column[TDM_ARGS] = {&(int64_t){1}, &(int64_t){1}, &(int64_t){0}, &(int64_t){0}};
  for (size_t i = 0; i < 2; i++) {
    const tdm_record_sink *to = &sinks[i];
    tdm_layout layout = {"kernel", TDM_SHAPE_SPAN, 0, NULL};
    SENT(to->layout(to->context, 1, &layout, &failure));
    tdm_rows rows = {.layout = 1, .count = 1, .column = column};
    SENT(to->rows(to->context, &rows, &failure));
    rows.layout = 0; /* a hole */
    assert_int_equal(to->rows(to->context, &rows, &failure), TDM_BUG);
    rows.layout = 2;
    assert_int_equal(to->rows(to->context, &rows, &failure), TDM_BUG);
  }
  tdm_store_discard_run(run);
  tdm_store_close(store);
  tdm_recording_free(recording);
}

/* Nothing packs better than one byte again and again. */
static void send_repeated(const tdm_record_sink *to) {
  enum { LENGTH = 5 << 20 };
  char *same = malloc(LENGTH);
  memset(same, 'z', LENGTH);
  tdm_source source = {"a.json", "test", "", TDM_NONE, TDM_NONE, 0, TDM_NONE, TDM_NONE, 0};
  SENT(to->source(to->context, 0, &source, &failure));
  SENT(to->artifact(to->context, "same", "text/plain", same, LENGTH, &failure));
  SENT(to->artifact(to->context, "short", "text/plain", same, 1 << 17, &failure));
  free(same);
}

static void artifacts_that_pack_best_are_read_too(void **state) {
  (void)state;
  tdm_store *store = stored(send_repeated);
  tdm_artifacts *artifacts;
  const char *text;
  size_t length;
  SENT(tdm_artifacts_open(tdm_store_database(store), 1, &artifacts, &failure));
  if (tdm_artifacts_read(artifacts, "same", &text, &length, &failure) != TDM_OK)
    fail_msg("%s", failure.message);
  assert_int_equal(length, 5 << 20);
  for (size_t i = 0; i < length; i++) assert_int_equal(text[i], 'z');
  SENT(tdm_artifacts_read(artifacts, "short", &text, &length, &failure));
  assert_int_equal(length, 1 << 17);
  tdm_artifacts_close(artifacts);
  tdm_store_close(store);
}

static void artifacts_are_found_by_name(void **state) {
  (void)state;
  tdm_store *store = stored(send_all);
  tdm_artifacts *artifacts;
  const char *text;
  size_t length;
  SENT(tdm_artifacts_open(tdm_store_database(store), 1, &artifacts, &failure));
  SENT(tdm_artifacts_read(artifacts, "small", &text, &length, &failure));
  assert_int_equal(length, 3);
  assert_memory_equal(text, "z\0y", 3);
  SENT(tdm_artifacts_read(artifacts, "graph", &text, &length, &failure));
  assert_int_equal(length, 100000);
  assert_int_equal(text[99999], 'a' + 99999 % 7);
  SENT(tdm_artifacts_read(artifacts, "empty", &text, &length, &failure));
  assert_true(text != NULL && length == 0);
  SENT(tdm_artifacts_read(artifacts, "other", &text, &length, &failure));
  assert_null(text);
  tdm_artifacts_close(artifacts);
  tdm_artifacts_close(NULL);
  tdm_store_close(store);
  void *whole;
  assert_int_equal(tdm_artifact_unpack("x", "no zstd", 7, 100, &whole, &failure), TDM_IO);
  assert_int_equal(tdm_artifact_unpack("x", "no zstd", 7, INT64_MAX, &whole, &failure), TDM_IO);
  SENT(tdm_artifact_unpack("x", "as it is", 8, 8, &whole, &failure));
  assert_null(whole);
}

/* Spans of 10…15, 20…20, 30…90; an edge that leaves at 40 and arrives at 95; all of a source whose
 * clock is 1000 behind the run's. */
static void send_late(const tdm_record_sink *to) {
  static const tdm_arg arrives[] = {{"to_track", TDM_ARG_INT}};
  void *at = to->context;
  SENT(to->name(at, 0, "n", 1, &failure));
  SENT(to->track(at, 0, &TDM_TRACK_PLAIN, &failure));
  SENT(to->layout(at, 0, &(tdm_layout){"kernel", TDM_SHAPE_SPAN, 0, NULL}, &failure));
  SENT(to->layout(at, 1, &(tdm_layout){"flow", TDM_SHAPE_EDGE, 1, arrives}, &failure));
  tdm_source source = {"late", "x", "", TDM_NONE, 5000, 1000, 10, 95, 4};
  SENT(to->source(at, 0, &source, &failure));
  const int64_t spans[] = {10, 5, 0, 0, 20, 0, 0, 0, 30, 60, 0, 0}, edge[] = {40, 55, 0, 0, 0};
  send_rows(to, 0, 0, 3, 4, spans);
  send_rows(to, 1, 0, 1, 5, edge);
}

static void expect_rows(tdm_store *store, int64_t from_ns, int64_t to_ns, const char *expected) {
  scribe got = loaded(store, from_ns, to_ns);
  const char *rows = strstr(got.text, "row ");
  if (strcmp(rows != NULL ? rows : "", expected) != 0)
    fail_msg("%lld to %lld:\n%s", (long long)from_ns, (long long)to_ns, rows);
  free(got.text);
}

static void a_window_has_what_touches_it(void **state) {
  (void)state;
  tdm_store *store = stored(send_late);
  scribe got = loaded(store, INT64_MIN, INT64_MAX);
  assert_non_null(strstr(got.text, "source 0 late|x| - 4000 0 1010 1095 4\n"));
  free(got.text);
#define FIRST  "row 0 1010 5 0 0\n"
#define SECOND "row 0 1020 0 0 0\n"
#define THIRD  "row 0 1030 60 0 0\n"
#define EDGE   "row 1 1040 55 0 0 0\n"
  expect_rows(store, INT64_MIN, INT64_MAX, FIRST SECOND THIRD EDGE);
  expect_rows(store, 1015, 1019, FIRST);
  expect_rows(store, 1016, 1020, SECOND);
  expect_rows(store, 1016, 1019, "");
  expect_rows(store, INT64_MIN, 1010, FIRST);
  expect_rows(store, INT64_MIN, 1009, "");
  expect_rows(store, 1020, 1030, SECOND THIRD);
  expect_rows(store, 1021, 1029, "");
  expect_rows(store, 1040, 1040, THIRD EDGE);
  expect_rows(store, 1041, INT64_MAX, THIRD);
  expect_rows(store, 1090, 1095, THIRD);
  expect_rows(store, 1091, INT64_MAX, "");
  tdm_store_close(store);
}

/* ---- SQL's view of it ---- */

static void expect(tdm_store *store, const char *sql, const char *expected) {
  sqlite3_stmt *row;
  sqlite3 *database = tdm_store_database(store);
  if (sqlite3_prepare_v2(database, sql, -1, &row, NULL) != SQLITE_OK)
    fail_msg("%s: %s", sql, sqlite3_errmsg(database));
  assert_int_equal(sqlite3_step(row), SQLITE_ROW);
  const char *text = (const char *)sqlite3_column_text(row, 0);
  if (strcmp(text != NULL ? text : "NULL", expected) != 0)
    fail_msg("%s gives\n%s", sql, or_none(text));
  sqlite3_finalize(row);
}

#define ALL(column) "SELECT group_concat(coalesce(" column ", '-'), ' ') FROM span"

static void every_column_of_a_span_is_what_it_says(void **state) {
  (void)state;
  tdm_store *store = stored(send_all);
  expect(store, ALL("id"), "0 1 2 3");
  expect(store, ALL("start_ns"), "10 12 20 30");
  expect(store, ALL("dur_ns"), "5 0 40 0");
  expect(store, ALL("end_ns"), "15 12 60 30");
  expect(store, ALL("category"), "memcpy memcpy kernel marker");
  expect(store, ALL("name"), "gemm  gemm ");
  expect(store, ALL("track"), "0 0 1 0");
  expect(store, ALL("lane"), "H2D GPU GPU H2D");
  expect(store, ALL("shape"), "span span open instant");
  expect(store, ALL("device"), "1 1 - 1");
  expect(store, ALL("stream"), "7 7 - 7");
  expect(store, ALL("pid"), "10 10 - 10");
  expect(store, ALL("tid"), "11 11 - 11");
  expect(store, ALL("correlation"), "- - - -");
  expect(store, ALL("bytes"), "64 0 - -");
  expect(store, ALL("kind"), "HtoD - - -");
  expect(store, ALL("source"), "0 0 1 0");
  expect(store, ALL("args"),
         "{\"bytes\":64,\"kind\":\"HtoD\",\"share\":0.5} {\"bytes\":0,\"share\":0.5} {} "
         "{\"ok\":true,\"shape\":{\"a\":1}}");
  tdm_store_close(store);
}

static void send_odd(const tdm_record_sink *to) {
  static const tdm_arg args[] = {
      {"a", TDM_ARG_REAL}, {"b", TDM_ARG_BOOL}, {"c", TDM_ARG_INT}, {"d", TDM_ARG_JSON}};
  static const tdm_arg sample[] = {{"value", TDM_ARG_REAL}, {"unit", TDM_ARG_TEXT}};
  static const tdm_arg arrives[] = {{"to_track", TDM_ARG_INT}, {"id", TDM_ARG_INT}};
  void *at = to->context;
  SENT(to->name(at, 0, "n\"", 2, &failure));
  SENT(to->name(at, 1, "ms", 2, &failure));
  SENT(to->track(at, 0, &TDM_TRACK_PLAIN, &failure));
  SENT(to->layout(at, 0, &(tdm_layout){"odd", TDM_SHAPE_SPAN, 4, args}, &failure));
  SENT(to->layout(at, 1, &(tdm_layout){"counter", TDM_SHAPE_SAMPLE, 2, sample}, &failure));
  SENT(to->layout(at, 2, &(tdm_layout){"flow", TDM_SHAPE_EDGE, 2, arrives}, &failure));
  tdm_source source = {"odd", "x", "", TDM_NONE, TDM_NONE, 0, 0, 9, 4};
  SENT(to->source(at, 0, &source, &failure));
  const int64_t infinity = 0x7ff0000000000000, nan_bits = 0x7ff8000000000000;
  const int64_t rows[] = {0, 1,         0, 0, infinity, 0,        -5,       77,
                          1, INT64_MAX, 0, 0, nan_bits, TDM_NONE, TDM_NONE, TDM_NONE};
  send_rows(to, 0, 0, 2, 8, rows);
  const int64_t samples[] = {5, 0, 0, 0, 0x3ff8000000000000, 1, 6, 0, 0, 1, nan_bits, TDM_NONE};
  send_rows(to, 1, 0, 2, 6, samples);
  const int64_t edges[] = {7, 3, 0, 1, 0, 42, 8, 0, 0, 1, 0, TDM_NONE};
  send_rows(to, 2, 0, 2, 6, edges);
}

static void odd_values_edges_and_samples_are_rows_too(void **state) {
  (void)state;
  tdm_store *store = stored(send_odd);
  expect(store, "SELECT args FROM span WHERE id = 0",
         "{\"a\":null,\"b\":false,\"c\":-5,\"d\":null}");
  expect(store, "SELECT args FROM span WHERE id = 1", "{}");
  expect(store, "SELECT end_ns FROM span WHERE id = 1", "NULL"); /* beyond 64 bits */
  expect(store,
         "SELECT group_concat(time_ns || name || coalesce(value, '-') || coalesce(unit,"
         " '-') || track, ' ') FROM counter",
         "5n\"1.5ms0 6ms--0");
  expect(store,
         "SELECT group_concat(kind || from_ns || from_track || to_ns || to_track ||"
         " coalesce(flow, '-'), ' ') FROM edge",
         "ms7010042 ms8080-");
  expect(store, "SELECT count(*) FROM span", "2");
  expect(store, "SELECT count(DISTINCT rowid) || ' ' || (min(rowid) >> 40) FROM edge", "2 1");
  tdm_store_close(store);
}

/* Many chunks: 100 rows each, as they were sent. */
enum { PIECES = 60, EACH = 100 };

static void send_many(const tdm_record_sink *to) {
  void *at = to->context;
  SENT(to->name(at, 0, "n", 1, &failure));
  for (uint32_t i = 0; i < 3; i++) SENT(to->track(at, i, &TDM_TRACK_PLAIN, &failure));
  static const char *const categories[] = {"kernel", "memcpy"};
  for (uint32_t i = 0; i < 2; i++)
    SENT(to->layout(at, i, &(tdm_layout){categories[i], TDM_SHAPE_SPAN, 0, NULL}, &failure));
  tdm_source source = {"many", "x", "", TDM_NONE, TDM_NONE, 0, 0, 0, PIECES * EACH};
  SENT(to->source(at, 0, &source, &failure));
  int64_t values[EACH * 4];
  for (int64_t piece = 0; piece < PIECES; piece++) {
    for (int64_t i = 0; i < EACH; i++) {
      int64_t *row = &values[4 * i];
      row[0] = 1000 * piece + i, row[1] = 10, row[2] = piece / 20, row[3] = 0;
    }
    send_rows(to, piece % 2 == 0, 0, EACH, 4, values);
  }
}

static void count_rows(void *context, int64_t run, size_t rows) {
  assert_int_equal(run, 1);
  *(size_t *)context += rows;
}

/* The rows that a query says it has, and how many chunks it must look into for them. */
static void reads(tdm_store *store, const char *where, const char *rows, size_t chunks) {
  char sql[256];
  size_t read = 0;
  snprintf(sql, sizeof sql, "SELECT count(*) FROM span WHERE %s", where);
  tdm_scan_watch(count_rows, &read);
  expect(store, sql, rows);
  tdm_scan_watch(NULL, NULL);
  if (read != chunks * EACH) fail_msg("%s: %zu rows read", where, read);
}

static void what_a_query_rules_out_is_not_read(void **state) {
  (void)state;
  tdm_store *store = stored(send_many);
  reads(store, "true", "6000", 60);
  reads(store, "run = 1", "6000", 60);
  reads(store, "run = 1.0", "6000", 60);
  reads(store, "run = 0", "0", 0);
  reads(store, "run = -1", "0", 0);
  reads(store, "run = 9007199254740992.0", "0", 0);
  reads(store, "run = 2", "0", 0);
  reads(store, "category = 'kernel'", "3000", 30);
  reads(store, "category = 'kernel' COLLATE NOCASE", "3000", 60);
  reads(store, "category <> 'kernel'", "3000", 60);
  reads(store, "category = NULL", "0", 0);
  reads(store, "track = 1", "2000", 20);
  reads(store, "track = 3", "0", 0);
  reads(store, "start_ns < 2000", "200", 3); /* the bound itself may be a row's */
  reads(store, "start_ns <= 2000", "201", 3);
  reads(store, "start_ns < 1999", "200", 2);
  reads(store, "start_ns > 58000", "199", 2);
  reads(store, "start_ns >= 58110", "100", 1);
  reads(store, "end_ns > 58108", "101", 2);
  reads(store, "end_ns > 58109", "100", 2);
  reads(store, "end_ns >= 58110", "100", 1);
  reads(store, "end_ns < 1010", "100", 2);
  reads(store, "start_ns = 5050", "1", 60);
  reads(store, "dur_ns < 10", "0", 60);
  reads(store, "start_ns >= 30000 AND start_ns < 31000 AND track = 1", "100", 2);
  reads(store, "start_ns > 58000.5", "199", 60);
  reads(store, "track = 1 AND category = 'memcpy' AND run = 1", "1000", 10);
  tdm_store_close(store);
}

/* ---- texts ---- */

static void expect_mended(const char *text, size_t length, size_t valid, const char *mended) {
  char out[64];
  assert_int_equal(tdm_utf8_valid(text, length), valid);
  size_t used = tdm_utf8_mend(text, length, out);
  out[used] = 0;
  assert_string_equal(out, mended);
}
#define TEXT(text, valid, mended) expect_mended(text, sizeof text - 1, valid, mended)
#define BAD                       "\xef\xbf\xbd"

/* Where sequences of each length begin and end, and what lies just outside (Unicode, table 3-7). */
static void texts_are_utf8_or_mended(void **state) {
  (void)state;
  TEXT("", 0, "");
  TEXT("plain", 5, "plain");
  TEXT("exactly8", 8, "exactly8");
  TEXT("exactly8\xff", 8, "exactly8" BAD);
  TEXT("some eight bytes and \xc3\xa4 more", 28, "some eight bytes and \xc3\xa4 more");
  TEXT("a\0b", 1, "a");
  TEXT("12345678\0b", 8, "12345678");
  TEXT("\x7f\xc2\x80\xdf\xbf", 5, "\x7f\xc2\x80\xdf\xbf");
  TEXT("\xc1\xbf", 0, BAD BAD);
  TEXT("\x80z", 0, BAD "z");
  TEXT("\xc2z", 0, BAD "z");
  TEXT("\xc2", 0, BAD);
  TEXT("\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf", 12,
       "\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf");
  TEXT("\xe0\x9f\xbf", 0, BAD BAD BAD);
  TEXT("\xed\xa0\x80", 0, BAD BAD BAD);
  TEXT("\xe1\x80", 0, BAD BAD);
  TEXT("\xe1\x80z", 0, BAD BAD "z");
  TEXT("\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", 8, "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf");
  TEXT("\xf0\x8f\xbf\xbf", 0, BAD BAD BAD BAD);
  TEXT("\xf4\x90\x80\x80", 0, BAD BAD BAD BAD);
  TEXT("\xf5\x80\x80\x80", 0, BAD BAD BAD BAD);
  TEXT("\xf1\x80\x80", 0, BAD BAD BAD);
  TEXT("ok\xffok\xfe", 2, "ok" BAD "ok" BAD);
}

/* ---- packed files ---- */

static void write_file(const char *path, const char *bytes, size_t length) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, length, file), length);
  assert_int_equal(fclose(file), 0);
}

static char *read_file(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  char *bytes = malloc(1 << 22);
  *length = fread(bytes, 1, 1 << 22, file);
  fclose(file);
  return bytes;
}

static void a_packed_file_is_the_same_again_up_to_its_limit(void **state) {
  (void)state;
  enum { LENGTH = 700001 }; /* several of the pieces that are read at a time */
  char *bytes = malloc(LENGTH), packed[96], out[96];
  uint64_t random = 1;
  for (size_t i = 0; i < LENGTH; i++) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    bytes[i] = (char)(random >> 62); /* packs, to several pieces still */
  }
  snprintf(packed, sizeof packed, "%s.zst", target);
  snprintf(out, sizeof out, "%s.out", target);
  write_file(target, bytes, LENGTH);
  int64_t size = 0;
  size_t length;
  SENT(tdm_file_pack(target, packed, 3, &size, &failure));
  char *small = read_file(packed, &length);
  assert_int_equal(size, length);
  assert_in_range(length, LENGTH / 8, LENGTH / 2);
  SENT(tdm_file_expand(packed, out, LENGTH, &size, &failure));
  assert_int_equal(size, LENGTH);
  char *again = read_file(out, &length);
  assert_int_equal(length, LENGTH);
  assert_memory_equal(again, bytes, LENGTH);
  free(again);
  unlink(out);
  assert_int_equal(tdm_file_expand(packed, out, LENGTH - 1, &size, &failure), TDM_LIMIT);
  assert_int_equal(access(out, F_OK), -1);
  write_file(packed, small, (size_t)(LENGTH / 8));
  assert_int_equal(tdm_file_expand(packed, out, LENGTH, &size, &failure), TDM_INVALID);
  write_file(packed, bytes, 100);
  assert_int_equal(tdm_file_expand(packed, out, LENGTH, &size, &failure), TDM_INVALID);
  unlink(packed);
  assert_int_equal(tdm_file_expand(packed, out, LENGTH, &size, &failure), TDM_IO);
  assert_int_equal(access(out, F_OK), -1);
  write_file(target, "", 0);
  SENT(tdm_file_pack(target, packed, 3, &size, &failure));
  SENT(tdm_file_expand(packed, out, 0, &size, &failure));
  assert_int_equal(size, 0);
  free(small);
  free(bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_relay_hands_on_every_kind),
      cmocka_unit_test(memory_keeps_every_kind),
      cmocka_unit_test(pieces_are_joined),
      cmocka_unit_test_teardown(a_store_gives_back_every_kind, remove_store),
      cmocka_unit_test_teardown(rows_of_no_layout_are_refused, remove_store),
      cmocka_unit_test_teardown(artifacts_are_found_by_name, remove_store),
      cmocka_unit_test_teardown(artifacts_that_pack_best_are_read_too, remove_store),
      cmocka_unit_test_teardown(a_window_has_what_touches_it, remove_store),
      cmocka_unit_test_teardown(every_column_of_a_span_is_what_it_says, remove_store),
      cmocka_unit_test_teardown(odd_values_edges_and_samples_are_rows_too, remove_store),
      cmocka_unit_test_teardown(what_a_query_rules_out_is_not_read, remove_store),
      cmocka_unit_test(texts_are_utf8_or_mended),
      cmocka_unit_test_teardown(a_packed_file_is_the_same_again_up_to_its_limit, remove_store),
  };
  return cmocka_run_group_tests_name("trace_ways", tests, choose_target, remove_store);
}
