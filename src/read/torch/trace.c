/* TORCH_TRACE: the structured log of torch.compile, which tlparse reads.
 *
 * Records are instants of category "compile" with the compilation they belong to, their data and
 * stack; their payloads (graphs, generated code, guards) are artifacts. Chrome events become spans
 * (read/torch_chrome), compilation metrics spans where they say when they began. For analyses:
 * kind = "artifact" and name = "dynamo_graph_break_reason" or "recompile_reasons" with `reason` and
 * `frame`; `cache` = hit, miss or bypass (of artifacts only, so that each look-up counts once);
 * kind = "compilation_metrics" with fail_type, fail_reason and compile_ns. Lines that carry their
 * own time wait until a record says what year and zone it is. Called through the table of readers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "read/lines.h"
#include "read/torch/inside.h"
#include "read/torch/log.h"

enum { LAST_PID = 1 << 22 }; /* of Linux; greater numbers are threads' */

/* Arguments of all records; those of metrics have METRICS more. */
enum {
  KIND,
  COMPILE_ID,
  FRAME_ID,
  FRAME_COMPILE_ID,
  ATTEMPT,
  COMPILED_AUTOGRAD_ID,
  RANK,
  SUBGRAPH,
  REASON,
  CACHE,
  FRAME,
  STACK,
  PAYLOAD,
  PAYLOAD_BYTES,
  LOGGED_FROM,
  JSON,
  ARGS
};
enum { METRICS = TDM_TORCH_TIME_SAVED - TDM_TORCH_FAIL_TYPE + 1 };

static const tdm_arg record_args[ARGS + METRICS] = {
    {"kind", TDM_ARG_TEXT},
    {"compile_id", TDM_ARG_TEXT},
    {"frame_id", TDM_ARG_INT},
    {"frame_compile_id", TDM_ARG_INT},
    {"attempt", TDM_ARG_INT},
    {"compiled_autograd_id", TDM_ARG_INT},
    {"rank", TDM_ARG_INT},
    {"subgraph", TDM_ARG_TEXT},
    {"reason", TDM_ARG_TEXT},
    {"cache", TDM_ARG_TEXT},
    {"frame", TDM_ARG_TEXT},
    {"stack", TDM_ARG_TEXT},
    {"payload", TDM_ARG_TEXT}, /* the artifact's name */
    {"payload_bytes", TDM_ARG_INT},
    {"logged_from", TDM_ARG_TEXT},
    {"json", TDM_ARG_JSON},
    /* in the order of tdm_torch_field, from fail_type on */
    {"fail_type", TDM_ARG_TEXT},
    {"fail_reason", TDM_ARG_TEXT},
    {"fail_user_frame_filename", TDM_ARG_TEXT},
    {"co_name", TDM_ARG_TEXT},
    {"co_filename", TDM_ARG_TEXT},
    {"restart_reasons", TDM_ARG_JSON},
    {"fail_user_frame_lineno", TDM_ARG_INT},
    {"co_firstlineno", TDM_ARG_INT},
    {"cache_size", TDM_ARG_INT},
    {"accumulated_cache_size", TDM_ARG_INT},
    {"guard_count", TDM_ARG_INT},
    {"graph_op_count", TDM_ARG_INT},
    {"graph_node_count", TDM_ARG_INT},
    {"graph_input_count", TDM_ARG_INT},
    {"start_ns", TDM_ARG_INT},
    {"end_ns", TDM_ARG_INT},
    {"duration_ns", TDM_ARG_INT},
    {"compile_ns", TDM_ARG_INT},
    {"backend_ns", TDM_ARG_INT},
    {"inductor_ns", TDM_ARG_INT},
    {"code_gen_ns", TDM_ARG_INT},
    {"before_restart_ns", TDM_ARG_INT},
    {"time_saved_ns", TDM_ARG_INT}};

enum { INSTANT, METRIC, METRIC_SPAN, LAYOUTS };

_Static_assert(ARGS + METRICS <= TDM_TORCH_ROW_ARGS, "a waiting row keeps all arguments");

typedef struct {
  tdm_input *input;
  const tdm_read_options *options;
  tdm_recorder *recorder;
  tdm_error *error;
  tdm_status status;
  tdm_json *json, *inner;
  tdm_torch_text partial; /* a line that goes on in the next piece */
  bool is_cut;            /* of which not all is held */
  tdm_torch_text header;  /* the line of the record being read; empty: there is none */
  tdm_torch_text payload;
  bool has_payload; /* lines of it were seen */
  tdm_torch_record record;
  tdm_torch_strings strings;
  tdm_torch_artifacts artifacts;
  tdm_torch_chrome chrome;
  tdm_torch_wait wait;
  tdm_torch_text scratch, frame;
  uint32_t layouts[LAYOUTS]; /* + 1; 0: not made yet */
  int64_t rank, last_ns, thread;
  uint32_t thread_track;
  uint64_t records;
} trace;

static void out_of_memory(trace *t) {
  if (t->status == TDM_OK) t->status = tdm_error_memory(t->error, "a TORCH_TRACE log", 0);
}

/* ---- rows ---- */

static uint32_t layout_of(trace *t, int which) {
  if (t->layouts[which] == 0)
    t->layouts[which] =
        tdm_record_layout(t->recorder, "compile",
                          which == METRIC_SPAN ? TDM_SHAPE_ASYNC : TDM_SHAPE_INSTANT, record_args,
                          which == INSTANT ? ARGS : ARGS + METRICS) +
        1;
  return t->layouts[which] - 1;
}

static uint32_t track_of(trace *t, int64_t thread) {
  if (t->thread == thread) return t->thread_track;
  char process[48], name[48];
  bool is_pid = thread <= LAST_PID;
  if (is_pid)
    snprintf(process, sizeof process, "torch.compile (%lld)", (long long)thread);
  else
    snprintf(process, sizeof process, "torch.compile");
  snprintf(name, sizeof name, "thread %lld", (long long)thread);
  tdm_track track = TDM_TRACK_PLAIN;
  track.process = process;
  track.name = name;
  track.kind = TDM_TRACK_THREAD;
  track.lane = TDM_LANE_CPU;
  track.tid = thread;
  if (is_pid) track.pid = thread;
  t->thread = thread;
  t->thread_track = tdm_record_track(t->recorder, &track);
  return t->thread_track;
}

static int64_t name_of(trace *t, const tdm_torch_text *text) {
  if (text->failed) out_of_memory(t);
  return text->length == 0 || text->failed
             ? TDM_NONE
             : (int64_t)tdm_record_name(t->recorder, text->bytes, text->length);
}

/* The innermost frame of the user's code: Dynamo's own may lie within. */
static const char *user_frame(const tdm_torch_stack *stack) {
  for (size_t i = stack->count; i-- > 0;) {
    const char *frame = tdm_torch_stack_frame(stack, i);
    if (strstr(frame, "torch/_dynamo/") == NULL) return frame;
  }
  return tdm_torch_stack_frame(stack, stack->count - 1);
}

static void fill_stack(trace *t, int64_t *args) {
  const tdm_torch_stack *stack = &t->record.stack;
  if (stack->count == 0) return;
  tdm_torch_text_clear(&t->scratch);
  tdm_torch_stack_fold(stack, false, &t->scratch);
  args[STACK] = name_of(t, &t->scratch);
  if (t->record.own_stack) args[FRAME] = tdm_record_text(t->recorder, user_frame(stack));
}

/* The reason a payload gives, and the frame it names: better than the record's stack. */
static void fill_reason(trace *t, const char *artifact, int64_t *args) {
  tdm_torch_text_clear(&t->scratch);
  tdm_torch_text_clear(&t->frame);
  const char *cache = tdm_torch_cache_word(artifact);
  if (cache != NULL) args[CACHE] = tdm_record_text(t->recorder, cache);
  tdm_torch_reason(artifact, tdm_torch_text_string(&t->payload), t->payload.length, t->inner,
                   &t->scratch, &t->frame);
  if (t->scratch.length > 0) args[REASON] = name_of(t, &t->scratch);
  if (t->frame.length > 0) args[FRAME] = name_of(t, &t->frame);
  if (cache == NULL || strcmp(cache, "bypass") != 0) return;
  tdm_torch_value *value = &t->chrome.args; /* free between events */
  tdm_torch_value_clear(value);
  tdm_json_text(t->inner, tdm_torch_text_string(&t->payload), t->payload.length);
  tdm_json_token token = tdm_json_next(t->inner);
  if (token == TDM_JSON_OBJECT && !tdm_torch_value_read(value, t->inner, token, NULL, t->recorder))
    out_of_memory(t);
  args[REASON] = value->field[TDM_TORCH_REASON];
}

static void fill_payload(trace *t, const char *what, int64_t *args) {
  if (!t->has_payload) {
    if (t->record.has_payload)
      tdm_record_problem(t->recorder, "payloads that are announced and missing", 1);
    return;
  }
  int64_t encoding = t->record.value.field[TDM_TORCH_ENCODING];
  const char *word =
      encoding != TDM_NONE ? tdm_recorder_name(t->recorder, (uint32_t)encoding, NULL) : NULL;
  bool json = strcmp(t->record.kind.bytes, "dynamo_guards") == 0 ||
              strcmp(t->record.kind.bytes, "chromium_event") == 0 ||
              (word != NULL && strcmp(word, "json") == 0);
  args[PAYLOAD_BYTES] = (int64_t)t->payload.length;
  args[PAYLOAD] =
      tdm_torch_artifact_put(&t->artifacts, t->recorder, &t->record, what, json ? "json" : "text",
                             tdm_torch_text_string(&t->payload), t->payload.length);
  if (args[PAYLOAD] == TDM_NONE) out_of_memory(t);
}

static void fill_json(trace *t, const char *what, int64_t *args) {
  const tdm_torch_text *json = &t->record.value.json;
  if (json->length <= 2) return; /* {} */
  if (json->bytes[0] != '{' && json->bytes[0] != '[') {
    tdm_torch_text_clear(&t->scratch); /* a lone value, as a list */
    tdm_torch_text_put(&t->scratch, "[");
    tdm_torch_text_add(&t->scratch, json->bytes, json->length);
    tdm_torch_text_put(&t->scratch, "]");
    json = &t->scratch;
  }
  if (json->length <= TDM_TORCH_JSON_ROOM)
    args[JSON] = name_of(t, json);
  else if (tdm_torch_artifact_put(&t->artifacts, t->recorder, &t->record, what, "json", json->bytes,
                                  json->length) == TDM_NONE)
    out_of_memory(t);
}

/* Metrics with a beginning are spans; one that is only known to have ended by now is not. */
static bool put_metric_span(trace *t, const tdm_torch_line *line, const tdm_torch_row *row) {
  const int64_t *field = t->record.value.field;
  int64_t start = field[TDM_TORCH_START], end = field[TDM_TORCH_END], dur = TDM_NONE;
  if (field[TDM_TORCH_DURATION] != TDM_NONE)
    dur = field[TDM_TORCH_DURATION];
  else if (end != TDM_NONE && start != TDM_NONE && __builtin_sub_overflow(end, start, &dur))
    dur = TDM_NONE;
  else if (end == TDM_NONE)
    dur = field[TDM_TORCH_COMPILE];
  if (start == TDM_NONE || dur == TDM_NONE) return false;
  if (dur < 0) {
    tdm_record_problem(t->recorder, "spans that end before they begin (made empty)", 1);
    dur = 0;
  }
  if (__builtin_add_overflow(start, dur, &end)) return false;
  tdm_torch_wait_anchor(&t->wait, line, end);
  if (end > t->last_ns) t->last_ns = end;
  tdm_record_row(t->recorder, layout_of(t, METRIC_SPAN), start, dur, row->track, row->name,
                 row->args, row->arg_count);
  return true;
}

static bool is_metric(const char *kind) {
  size_t length = strlen(kind);
  static const char ending[] = "compilation_metrics";
  return length >= sizeof ending - 1 && strcmp(kind + length - (sizeof ending - 1), ending) == 0;
}

static void put_record(trace *t, const tdm_torch_line *line) {
  const tdm_torch_record *record = &t->record;
  const int64_t *field = record->value.field;
  const char *kind = record->kind.bytes, *own = NULL;
  bool metric = is_metric(kind);
  tdm_torch_row row = {.layout = layout_of(t, metric ? METRIC : INSTANT),
                       .track = track_of(t, line->thread),
                       .arg_count = metric ? ARGS + METRICS : ARGS};
  for (size_t i = 0; i < ARGS; i++) row.args[i] = TDM_NONE;
  for (size_t i = 0; i < METRICS; i++) row.args[ARGS + i] = field[TDM_TORCH_FAIL_TYPE + i];
  if (field[TDM_TORCH_NAME] != TDM_NONE &&
      (strcmp(kind, "artifact") == 0 || strcmp(kind, "graph_dump") == 0 ||
       strcmp(kind, "link") == 0 || strcmp(kind, "dump_file") == 0))
    own = tdm_recorder_name(t->recorder, (uint32_t)field[TDM_TORCH_NAME], NULL);
  const char *what = own != NULL ? own : kind;
  row.name = tdm_record_text(t->recorder, what);
  row.args[KIND] = tdm_record_text(t->recorder, kind);
  row.args[FRAME_ID] = record->frame_id;
  row.args[FRAME_COMPILE_ID] = record->frame_compile_id;
  row.args[ATTEMPT] = record->attempt;
  row.args[COMPILED_AUTOGRAD_ID] = record->compiled_autograd_id;
  row.args[RANK] = record->rank;
  row.args[SUBGRAPH] = record->subgraph;
  row.args[REASON] = field[TDM_TORCH_REASON];
  row.args[LOGGED_FROM] = tdm_record_name(t->recorder, line->from, line->from_length);
  tdm_torch_text_clear(&t->scratch);
  tdm_torch_record_compile_id(record, &t->scratch);
  row.args[COMPILE_ID] = name_of(t, &t->scratch);
  fill_stack(t, row.args);
  if (own != NULL && strcmp(kind, "artifact") == 0) fill_reason(t, own, row.args);
  fill_payload(t, what, row.args);
  fill_json(t, what, row.args);
  if (metric && put_metric_span(t, line, &row)) return;
  if (!tdm_torch_wait_put(&t->wait, line, &row)) out_of_memory(t);
}

static void note_rank(trace *t, int64_t rank) {
  if (rank == TDM_NONE) return;
  if (t->rank == TDM_NONE) {
    t->rank = rank;
    tdm_recorder_rank(t->recorder, rank);
  } else if (rank != t->rank) {
    tdm_record_problem(t->recorder, "records of another rank (kept)", 1);
  }
}

/* ---- records ---- */

/* The record whose lines have all been seen. */
static void finish_record(trace *t) {
  if (t->header.length == 0 || t->status != TDM_OK) return;
  tdm_torch_line line;
  bool parsed = tdm_torch_line_parse(t->header.bytes, t->header.length, &line);
  tdm_status status = TDM_INVALID;
  if (parsed)
    status = tdm_torch_record_read(&t->record, line.rest, line.rest_length, t->json, t->inner,
                                   &t->strings, t->recorder);
  if (status == TDM_MEMORY || t->payload.failed) {
    out_of_memory(t);
  } else if (status == TDM_OK) {
    const tdm_torch_record *record = &t->record;
    tdm_torch_clock_pass(&t->wait.clock, &line);
    note_rank(t, record->rank);
    t->records++;
    int64_t time_ns;
    if (record->kind.length > 0 && strcmp(record->kind.bytes, "chromium_event") == 0 &&
        t->has_payload) {
      if (!tdm_torch_chrome_event(&t->chrome, record, tdm_torch_text_string(&t->payload),
                                  t->payload.length, track_of(t, line.thread), t->inner, &time_ns))
        out_of_memory(t);
      tdm_torch_wait_anchor(&t->wait, &line, time_ns);
    } else if (record->kind.length > 0) {
      put_record(t, &line);
    } else if (!record->is_string) {
      tdm_record_problem(t->recorder, "records without a kind (skipped)", 1);
    }
    if (t->has_payload && !record->has_payload)
      tdm_record_problem(t->recorder, "payloads that are not announced (kept)", 1);
  } else {
    tdm_record_problem(t->recorder, "records that are not JSON objects (skipped)", 1);
  }
  tdm_torch_text_clear(&t->header);
  tdm_torch_text_clear(&t->payload);
  t->has_payload = false;
}

static void take_line(trace *t, const char *line, size_t length) {
  if (length > 0 && line[length - 1] == '\r') length--;
  if (length == 0) return; /* collectors put blank lines between; in payloads they have a tab */
  if (line[0] == '\t') {
    if (t->header.length == 0) {
      tdm_record_problem(t->recorder, "payload lines without a record (skipped)", 1);
      return;
    }
    if (t->has_payload) tdm_torch_text_add(&t->payload, "\n", 1);
    tdm_torch_text_add(&t->payload, line + 1, length - 1);
    t->has_payload = true;
    return;
  }
  finish_record(t);
  tdm_torch_line parsed;
  if (tdm_torch_line_parse(line, length, &parsed)) {
    tdm_torch_text_add(&t->header, line, length);
    if (t->header.failed) out_of_memory(t);
  } else {
    tdm_record_problem(t->recorder, "lines that are not records (skipped)", 1);
  }
}

/* ---- the file ---- */

/* Some more of a line that came in pieces, as far as lines are held. */
static void add_part(trace *t, const char *bytes, size_t length) {
  size_t room = TDM_LINE - t->partial.length;
  if (length > room && !t->is_cut)
    tdm_record_problem(t->recorder, "lines of more than 64 MiB (cut)", 1);
  t->is_cut = t->is_cut || length > room;
  tdm_torch_text_add(&t->partial, bytes, length < room ? length : room);
}

static void take_piece(trace *t, const char *bytes, size_t length) {
  while (length > 0 && t->status == TDM_OK) {
    const char *newline = memchr(bytes, '\n', length);
    size_t count = newline != NULL ? (size_t)(newline - bytes) : length;
    if (newline == NULL || t->partial.length > 0) add_part(t, bytes, count);
    if (t->partial.failed) out_of_memory(t);
    if (newline == NULL || t->status != TDM_OK) return;
    if (t->partial.length > 0)
      take_line(t, t->partial.bytes, t->partial.length);
    else
      take_line(t, bytes, count);
    tdm_torch_text_clear(&t->partial);
    t->is_cut = false;
    bytes = newline + 1;
    length -= count + 1;
  }
}

static void read_all(trace *t) {
  for (;;) {
    const unsigned char *bytes;
    size_t length;
    t->status = tdm_input_next(t->input, &bytes, &length, t->error);
    if (t->status != TDM_OK || length == 0) break;
    take_piece(t, (const char *)bytes, length);
    if (t->status == TDM_OK) t->status = tdm_read_progress(t->input, t->options, t->error);
    if (t->status != TDM_OK || tdm_recorder_failed(t->recorder)) return;
  }
  if (t->status != TDM_OK) return;
  if (t->partial.length > 0) take_line(t, t->partial.bytes, t->partial.length);
  finish_record(t);
}

static void release(trace *t) {
  tdm_json_free(t->json);
  tdm_json_free(t->inner);
  tdm_torch_text_free(&t->partial);
  tdm_torch_text_free(&t->header);
  tdm_torch_text_free(&t->payload);
  tdm_torch_text_free(&t->scratch);
  tdm_torch_text_free(&t->frame);
  tdm_torch_record_free(&t->record);
  tdm_torch_strings_free(&t->strings);
  tdm_torch_artifacts_free(&t->artifacts);
  tdm_torch_chrome_free(&t->chrome);
  tdm_torch_wait_free(&t->wait);
}

static tdm_status read_trace(tdm_input *input, const tdm_read_options *options,
                             tdm_recorder *recorder, tdm_error *error) {
  trace t = {.input = input,
             .options = options,
             .recorder = recorder,
             .error = error,
             .json = tdm_json_new_text(),
             .inner = tdm_json_new_text(),
             .wait = {.recorder = recorder, .path = tdm_input_path(input)},
             .rank = TDM_NONE,
             .last_ns = TDM_NONE,
             .thread = -1};
  tdm_torch_chrome_begin(&t.chrome, recorder, &t.artifacts);
  if (t.json == NULL || t.inner == NULL) out_of_memory(&t);
  if (t.status == TDM_OK) read_all(&t);
  tdm_torch_wait_end(&t.wait); /* what was read before an interruption counts too */
  tdm_torch_chrome_end(&t.chrome, t.wait.last_ns > t.last_ns ? t.wait.last_ns : t.last_ns);
  if (t.rank == TDM_NONE) tdm_recorder_rank(recorder, tdm_read_rank_of_path(tdm_input_path(input)));
  for (tdm_json_repair i = 0; i < TDM_JSON_REPAIRS && t.json != NULL && t.inner != NULL; i++)
    tdm_record_problem(recorder, tdm_json_repair_name(i),
                       tdm_json_repaired(t.json, i) + tdm_json_repaired(t.inner, i));
  if (t.status == TDM_OK && t.records == 0)
    t.status = tdm_error_set(error, TDM_INVALID, "%s holds no record of a TORCH_TRACE log",
                             tdm_input_path(input));
  release(&t);
  return t.status;
}

/* One of the first lines is a record. */
static int detect(const unsigned char *head, size_t length, const char *path) {
  (void)path;
  const char *p = (const char *)head, *end = p + length;
  for (int lines = 0; p < end && lines < 64; lines++) {
    const char *newline = memchr(p, '\n', (size_t)(end - p));
    const char *stop = newline != NULL ? newline : end;
    tdm_torch_line line;
    if (tdm_torch_line_parse(p, (size_t)(stop - p), &line) && line.rest_length > 1 &&
        line.rest[0] == '{')
      return lines == 0 ? 95 : 80;
    p = stop + 1;
  }
  return 0;
}

const tdm_reader tdm_reader_torch_trace = {
    .name = "torch-trace",
    .title = "TORCH_TRACE structured log of torch.compile",
    .accepts = "*.log (TORCH_TRACE)",
    .detect = detect,
    .read = read_trace,
};
