/* CUDA-API traces of eBPF, bpftrace, BCC and LD_PRELOAD tracers: JSON Lines, with whatever the
 * tracer printed around them.
 *
 * One pass: the first records are held back until the unit of time is sure. Lines that are no
 * records are counted by what they are. Records are record.h's, times clock.h's, calls
 * calls.h's. Called through tdm_readers. */
#include "read/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "read/cuda_api/calls.h"
#include "read/cuda_api/clock.h"
#include "read/lines.h"

/* How many records are held back for the unit of time, and how often progress is told. */
enum { HELD = 2048, LINES_A_TURN = 2048 };

typedef struct {
  tdm_recorder *recorder;
  tdm_lines lines;
  tdm_api_parser *parser;
  tdm_api_clock *clock;
  tdm_api_calls *calls;
  tdm_api_record *held;
  size_t held_count, held_room;
  bool decided; /* the unit: nothing is held any more */
  char *mended;
  size_t mended_room;
  uint64_t records;
  bool broken;  /* the first records had phases to be mended */
  bool summary; /* a summary's heading was seen */
  bool failed;  /* out of memory */
} trace;

/* ---- lines ---- */

static bool has(const char *text, size_t length, const char *what) {
  return memmem(text, length, what, strlen(what)) != NULL;
}

static bool begins(const char *text, size_t length, const char *with) {
  size_t count = strlen(with);
  return length >= count && memcmp(text, with, count) == 0;
}

static void trim(const char **text, size_t *length) {
  while (*length > 0 && (unsigned char)**text <= ' ') ++*text, --*length;
  while (*length > 0 && (unsigned char)(*text)[*length - 1] <= ' ') --*length;
}

/* Where the JSON of a line begins; `length` when there is none. */
static size_t json_begin(const char *text, size_t length) {
  if (length > 0 && text[0] == '{') return 0;
  const char *found = memmem(text, length, "{\"", 2);
  return found != NULL ? (size_t)(found - text) : length;
}

/* A tracer that is interrupted leaves half a line, whose last number may be half a number. */
static bool is_cut(const char *text, size_t length) {
  while (length > 0 && (text[length - 1] == ',' || text[length - 1] == ']' ||
                        (unsigned char)text[length - 1] <= ' '))
    length--;
  return length == 0 || text[length - 1] != '}';
}

/* One LD_PRELOAD tracer writes "phase""B"","name": its format string lacks a colon and has a quote
 * too many. The same number of bytes says what it means. */
static const char *mend_phase(trace *t, const char *text, size_t length) {
  static const char broken[] = "\"phase\"\"";
  const char *found = memmem(text, length < 160 ? length : 160, broken, sizeof broken - 1);
  if (found == NULL) return text;
  size_t at = (size_t)(found - text) + 7;
  if (at + 5 > length || memcmp(text + at + 2, "\"\",", 3) != 0) return text;
  if (!tdm_array_grow(&t->mended, &t->mended_room, length, 1)) {
    t->failed = true;
    return text;
  }
  t->broken = true;
  memcpy(t->mended, text, length);
  char *p = t->mended + at;
  char phase = p[1];
  p[0] = ':';
  p[1] = '"';
  p[2] = phase;
  p[3] = '"';
  p[4] = ',';
  return t->mended;
}

static void count_lost(trace *t, const char *text, size_t length) {
  uint64_t lost = 0;
  for (size_t i = 5; i < length && text[i] >= '0' && text[i] <= '9' && lost < UINT64_MAX / 16; i++)
    lost = 10 * lost + (uint64_t)(text[i] - '0');
  tdm_record_problem(t->recorder, "events lost by the tracer", lost > 0 ? lost : 1);
}

/* Counts a line that is no record. */
static void count_text(trace *t, const char *text, size_t length) {
  const char *kind = "lines of text (skipped)";
  bool interval = length > 1 && (text[0] == '[' || text[0] == '(') && text[length - 1] == '|';
  if (begins(text, length, "===") && has(text, length, "SUMMARY")) t->summary = true;
  if (length == 0) {
    kind = "blank lines (skipped)";
  } else if (begins(text, length, "Lost ") && has(text, length, "events")) {
    count_lost(t, text, length);
    return;
  } else if (text[0] == '#') {
    kind = "heartbeats and comments (skipped)";
  } else if (text[0] == '@' || interval) {
    kind = "map dumps (skipped)";
  } else if (t->summary) {
    kind = "summary lines (skipped)";
  } else if ((t->records == 0 && t->held_count == 0) || begins(text, length, "===")) {
    kind = "banner lines (skipped)";
  }
  tdm_record_problem(t->recorder, kind, 1);
}

/* ---- records ---- */

static void take_record(trace *t, tdm_api_record *record) {
  int64_t time_ns, end_ns, dur_ns;
  if (record->source == TDM_API_MAP) {
    tdm_record_problem(t->recorder, "map dumps (skipped)", 1);
  } else if (record->source == TDM_API_PRINTF) {
    tdm_record_problem(t->recorder, "lines of text (skipped)", 1);
  } else if (!tdm_api_clock_time(t->clock, &record->time, &time_ns)) {
    tdm_record_problem(t->recorder, "records without a time (left out)", 1);
  } else {
    if (!tdm_api_clock_time(t->clock, &record->end, &end_ns)) end_ns = TDM_NONE;
    if (!tdm_api_clock_duration(t->clock, &record->duration, &dur_ns)) dur_ns = TDM_NONE;
    bool unread_end = end_ns == TDM_NONE && record->end.length > 0;
    bool unread_duration = dur_ns == TDM_NONE && record->duration.length > 0;
    tdm_record_problem(t->recorder, "ends and durations that cannot be read (left out)",
                       (uint64_t)unread_end + unread_duration);
    if (!tdm_api_calls_take(t->calls, record, time_ns, end_ns, dur_ns)) t->failed = true;
    t->records++;
  }
}

/* The unit is decided: what was held back goes on its way. */
static void decide_unit(trace *t) {
  tdm_api_clock_decide(t->clock);
  for (size_t i = 0; i < t->held_count && !t->failed; i++) take_record(t, &t->held[i]);
  free(t->held);
  t->held = NULL;
  t->held_count = t->held_room = 0;
  t->decided = true;
}

static void hold_record(trace *t, const tdm_api_record *record) {
  if (!tdm_array_grow(&t->held, &t->held_room, t->held_count + 1, sizeof *t->held)) {
    t->failed = true;
    return;
  }
  t->held[t->held_count++] = *record;
  if (tdm_api_clock_look(t->clock, record) || t->held_count == HELD) decide_unit(t);
}

static void take_line(trace *t, const char *text, size_t length) {
  trim(&text, &length);
  size_t begin = json_begin(text, length);
  if (begin == length) {
    count_text(t, text, length);
    return;
  }
  if (begin > 0) tdm_record_problem(t->recorder, "texts before a record (skipped)", 1);
  text += begin;
  length -= begin;
  if (length >= TDM_LINE) {
    tdm_record_problem(t->recorder, "lines of more than 64 MiB (left out)", 1);
    return;
  }
  if (is_cut(text, length)) {
    tdm_record_problem(t->recorder, "records that are cut short (left out)", 1);
    return;
  }
  const char *whole = t->broken || !t->decided ? mend_phase(t, text, length) : text;
  if (whole != text) tdm_record_problem(t->recorder, "phases without their colon (mended)", 1);
  tdm_api_parser_text(t->parser, whole, length);
  tdm_api_record record;
  bool any = false;
  for (; !t->failed && tdm_api_parser_next(t->parser, &record); any = true) {
    if (t->decided)
      take_record(t, &record);
    else
      hold_record(t, &record);
  }
  if (!any) tdm_record_problem(t->recorder, "lines of JSON without a record (skipped)", 1);
  if (tdm_api_parser_failed(t->parser)) t->failed = true;
}

/* ---- the reader ---- */

static tdm_status read_lines(trace *t, const tdm_read_options *options, tdm_error *error) {
  const char *text;
  size_t length;
  tdm_status status = TDM_OK;
  for (uint64_t count = 1; status == TDM_OK && !t->failed; count++) {
    if (!tdm_lines_next(&t->lines, &text, &length)) break;
    take_line(t, text, length);
    if (count % LINES_A_TURN != 0) continue;
    if (tdm_recorder_failed(t->recorder)) break;
    status = tdm_read_progress(t->lines.input, options, error);
  }
  if (!t->decided && !t->failed) decide_unit(t);
  return status;
}

static tdm_status finish(trace *t, tdm_error *error) {
  if (t->lines.status != TDM_OK) {
    if (error != NULL) *error = t->lines.error;
    return t->lines.status;
  }
  if (t->records == 0)
    return tdm_error_set(error, TDM_INVALID,
                         "%s: no line of it is a record of a CUDA-API trace; one has a time "
                         "(\"ts\", \"timestamp\") and a \"name\", \"op\" or \"type\"",
                         tdm_input_path(t->lines.input));
  tdm_api_parser_report(t->parser);
  tdm_recorder_detail(t->recorder, tdm_api_clock_detail(t->clock));
  if (tdm_api_clock_is_utc(t->clock)) tdm_recorder_utc(t->recorder, 0);
  return TDM_OK;
}

static tdm_status read_cuda_api(tdm_input *input, const tdm_read_options *options,
                                tdm_recorder *recorder, tdm_error *error) {
  trace t = {.recorder = recorder,
             .parser = tdm_api_parser_new(recorder),
             .clock = tdm_api_clock_new(options->time_unit)};
  tdm_lines_init(&t.lines, input);
  if (t.parser != NULL)
    t.calls = tdm_api_calls_new(recorder, tdm_api_parser_own(t.parser), options->dropped);
  t.failed = t.parser == NULL || t.clock == NULL || t.calls == NULL;
  tdm_status status = TDM_OK;
  if (!t.failed) {
    status = read_lines(&t, options, error);
    if (!t.failed && !tdm_api_calls_finish(t.calls)) t.failed = true;
    if (!t.failed && status == TDM_OK) status = finish(&t, error);
  }
  if (t.failed)
    status = tdm_error_memory(error, "calls of a CUDA-API trace", sizeof(tdm_api_record));
  tdm_api_calls_free(t.calls);
  tdm_api_clock_free(t.clock);
  tdm_api_parser_free(t.parser);
  tdm_lines_clear(&t.lines);
  free(t.held);
  free(t.mended);
  return status;
}

/* How sure one line of JSON makes it. */
static int judge(const char *text, size_t length) {
  static const char *const times[] = {"\"ts\"",           "\"timestamp\"", "\"ts_ns\"",
                                      "\"timestamp_ns\"", "\"ts_us\"",     "\"time_ns\""};
  static const char *const names[] = {"\"name\"", "\"op\"", "\"type\"", "\"op_id\"", "\"func\""};
  static const char *const traits[] = {
      "\"phase\"", "\"op_id\"", "\"duration_ns\"", "\"duration_us\"", "\"event_id\"", "\"cuda",
      ":cu",       "\"cu"};
  bool timed = false, named = false, sure = false;
  if (has(text, length, "\"traceEvents\"") || is_cut(text, length)) return 0;
  if (begins(text, length, "{\"type\": \"printf\"") ||
      begins(text, length, "{\"type\": \"attached_probes\""))
    return 70;
  for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) timed |= has(text, length, times[i]);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) named |= has(text, length, names[i]);
  for (size_t i = 0; i < sizeof traits / sizeof traits[0]; i++)
    sure |= has(text, length, traits[i]);
  if (!timed || !named) return 0;
  /* Chrome's events, one a line, have "ph" and none of these. */
  if (has(text, length, "\"ph\"") && !has(text, length, "\"op_id\"") &&
      !has(text, length, "\"duration_"))
    return 0;
  return sure ? 90 : 50;
}

static int detect(const unsigned char *head, size_t length, const char *path) {
  (void)path;
  const char *line = (const char *)head, *end = line + length;
  int looked_at = 0, surest = 0;
  if (length > 0 && (head[0] == '[' || head[0] == 0)) {
    /* A JSON array; tracers' texts in square brackets begin with a letter. */
    const char *p = line + 1;
    while (p < end && (unsigned char)*p <= ' ') p++;
    if (p == end || *p == '{' || *p == ']' || *p == '[' || head[0] == 0) return 0;
  }
  while (line < end && looked_at < 8) {
    const char *stop = memchr(line, '\n', (size_t)(end - line));
    bool whole = stop != NULL || length < 4096;
    if (stop == NULL) stop = end;
    const char *text = line;
    size_t count = (size_t)(stop - line);
    trim(&text, &count);
    line = stop + 1;
    if (count == 0 || text[0] != '{') continue;
    looked_at++;
    int sure = whole ? judge(text, count) : 0;
    if (sure == 0 && looked_at == 1) return 0;
    if (sure > surest) surest = sure;
  }
  return surest;
}

const tdm_reader tdm_reader_cuda_api = {.name = "cuda-api",
                                        .title = "CUDA-API trace of an eBPF or LD_PRELOAD tracer",
                                        .accepts = "*.jsonl",
                                        .detect = detect,
                                        .read = read_cuda_api};
