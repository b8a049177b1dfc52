/* The files of the reader of TORCH_TRACE, PyTorch's structured log (trace.c), from the beginning of
 * a line to its rows. */
#ifndef TDM_READ_TORCH_LOG_H
#define TDM_READ_TORCH_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "read/json/json.h"
#include "read/torch/inside.h"
#include "trace/intern.h"
#include "trace/recorder.h"

/* The beginning of a line of PyTorch's structured log, and what its time means.
 *
 *   V1206 15:24:45.403000 1667746 torch/_dynamo/utils.py:1288] {"chromium_event": …}
 *
 * Such a time has no year and no zone. Both are found by a record that says its time since 1970
 * too: the zone is what is between them, to the quarter of an hour. Without one the file's time of
 * change gives the year, or 1970, and the zone counts as UTC. Called by read/torch_trace. */

typedef struct {
  char level; /* V I W E C */
  int month, day;
  int64_t of_day_us;
  int64_t thread;   /* a process's number, or a thread's in older files */
  const char *from; /* "torch/_dynamo/utils.py:1288" */
  size_t from_length;
  const char *rest; /* what follows: JSON */
  size_t rest_length;
} tdm_torch_line;

/* False: the line does not begin like that. */
bool tdm_torch_line_parse(const char *line, size_t length, tdm_torch_line *out);

/* Zeroed memory is a clock that is not set. */
typedef struct {
  bool set;
  int year;         /* of the first line since the clock was set or made */
  int zone_minutes; /* ahead of UTC */
  int last_month;   /* of the lines so far: 12 before 1 is a new year */
  int years;        /* new years so far */
} tdm_torch_clock;

/* Counts new years; call it once for each line, in order, before the other functions. */
void tdm_torch_clock_pass(tdm_torch_clock *clock, const tdm_torch_line *line);

/* A line that says its time since 1970, of the clock's present. Only the first one counts. */
void tdm_torch_clock_anchor(tdm_torch_clock *clock, const tdm_torch_line *line, int64_t utc_ns);

/* By year, in UTC: of the clock's first line. */
void tdm_torch_clock_guess(tdm_torch_clock *clock, int year);

/* Since 1970, of a line `years` new years after the first one. The clock must be set. */
int64_t tdm_torch_clock_ns(const tdm_torch_clock *clock, const tdm_torch_line *line, int years);

/* Rows of PyTorch's structured log that wait until it is known what year and zone its lines are in.
 *
 * A record that says its time since 1970 settles that for all lines, also those before it. Where
 * none does, the file's time of change gives the year. Says in the source's detail which it was.
 * Called by read/torch_trace. */

enum { TDM_TORCH_ROW_ARGS = 64 };

/* A row whose time is a line's own; `line` and `years` are filled in when it is put. */
typedef struct {
  tdm_torch_line line;
  int years;
  uint32_t layout, track, name, arg_count;
  int64_t args[TDM_TORCH_ROW_ARGS];
} tdm_torch_row;

/* Zeroed memory with a recorder and a path is a beginning. */
typedef struct {
  tdm_recorder *recorder;
  const char *path;
  tdm_torch_clock clock;
  tdm_torch_row *rows;
  size_t count, room;
  int64_t last_ns; /* of the rows put; 0: none */
} tdm_torch_wait;

void tdm_torch_wait_free(tdm_torch_wait *wait);

/* A line that says its time since 1970; TDM_NONE does nothing. */
void tdm_torch_wait_anchor(tdm_torch_wait *wait, const tdm_torch_line *line, int64_t time_ns);

/* An instant at a line's time. False: out of memory. */
bool tdm_torch_wait_put(tdm_torch_wait *wait, const tdm_torch_line *line, const tdm_torch_row *row);

/* No more lines: what still waits is put by the file's year. */
void tdm_torch_wait_end(tdm_torch_wait *wait);

/* Values of JSON in PyTorch's structured log: copied, with what analyses ask for taken out.
 *
 * The copy is compact JSON in which file names stand for their numbers. Known members of the
 * outermost object become fields, whatever their spelling was in which version. Called by
 * read/torch_record and read/torch_chrome. */

typedef enum {
  TDM_TORCH_NAME, /* texts: name ids */
  TDM_TORCH_ENCODING,
  TDM_TORCH_COMPILE_ID,
  TDM_TORCH_REASON,
  TDM_TORCH_FAIL_TYPE,
  TDM_TORCH_FAIL_REASON,
  TDM_TORCH_FAIL_FILE,
  TDM_TORCH_CO_NAME,
  TDM_TORCH_CO_FILENAME,
  TDM_TORCH_RESTART_REASONS, /* JSON */
  TDM_TORCH_FAIL_LINE,       /* numbers */
  TDM_TORCH_CO_FIRSTLINENO,
  TDM_TORCH_CACHE_SIZE,
  TDM_TORCH_ACCUMULATED_CACHE_SIZE,
  TDM_TORCH_GUARD_COUNT,
  TDM_TORCH_GRAPH_OP_COUNT,
  TDM_TORCH_GRAPH_NODE_COUNT,
  TDM_TORCH_GRAPH_INPUT_COUNT,
  TDM_TORCH_START, /* times, in ns */
  TDM_TORCH_END,
  TDM_TORCH_DURATION,
  TDM_TORCH_COMPILE,    /* of the whole frame */
  TDM_TORCH_BACKEND,    /* of that, the backend: AOT autograd and below */
  TDM_TORCH_INDUCTOR,   /* of that, Inductor */
  TDM_TORCH_CODE_GEN,   /* of that, code generation */
  TDM_TORCH_RESTART,    /* spent before the last restart */
  TDM_TORCH_TIME_SAVED, /* by a cache */
  TDM_TORCH_FIELDS
} tdm_torch_field;

/* Zeroed memory is empty. */
typedef struct {
  tdm_torch_text json;
  int64_t field[TDM_TORCH_FIELDS]; /* TDM_NONE: not said */
  size_t stack_at, stack_length;   /* within json: the member "user_stack", else "stack" */
  bool user_stack;
  tdm_torch_text key; /* of the member being read */
} tdm_torch_value;

void tdm_torch_value_free(tdm_torch_value *value);
void tdm_torch_value_clear(tdm_torch_value *value);

/* Copies the value that begins with `token`, which was just taken. False: out of memory. */
bool tdm_torch_value_read(tdm_torch_value *value, tdm_json *json, tdm_json_token token,
                          const tdm_torch_strings *strings, tdm_recorder *recorder);

/* One record of PyTorch's structured log: the JSON behind the beginning of its line.
 *
 *   {"dynamo_start": {"stack": […]}, "frame_id": 0, "frame_compile_id": 0, "attempt": 0}
 *
 * What is not of the envelope is the record's kind and its data. Called by read/torch_trace. */

/* Zeroed memory is a record that was never read. */
typedef struct {
  tdm_torch_text kind; /* "" where there is none: {"str": …} */
  tdm_torch_value value;
  tdm_torch_stack stack; /* of the data, else of the envelope; outermost first */
  int64_t rank, frame_id, frame_compile_id, attempt, compiled_autograd_id;
  int64_t subgraph; /* a name id: of the graph within a graph that it is about */
  bool own_stack; /* the data's: of the user's code; the envelope's leads to where it was logged */
  bool has_payload, is_string;
} tdm_torch_record;

void tdm_torch_record_free(tdm_torch_record *record);

/* Reads a record from a text. `json` and `inner` are readers of texts, lent for the call. A "str"
 * record goes into *strings. TDM_INVALID: it is no object. */
tdm_status tdm_torch_record_read(tdm_torch_record *record, const char *text, size_t length,
                                 tdm_json *json, tdm_json *inner, tdm_torch_strings *strings,
                                 tdm_recorder *recorder);

/* The name of the compilation as PyTorch writes it, "0/0" or "!2/0/0", at the end of `out`; nothing
 * when the record belongs to none. */
void tdm_torch_record_compile_id(const tdm_torch_record *record, tdm_torch_text *out);

/* Names for what compilations leave behind: "compile 0/0/1 inductor_output_code", and " #2" where
 * there are several. The numbers are frame, compilation of it, attempt. Called by read/torch_trace
 * and read/torch_chrome. */

enum { TDM_TORCH_JSON_ROOM = 1 << 16 }; /* longer JSON is an artifact, not an argument */

/* Zeroed memory is empty. */
typedef struct {
  tdm_intern names;
  uint32_t *counts;
  size_t room;
  tdm_torch_text text;
} tdm_torch_artifacts;

void tdm_torch_artifacts_free(tdm_torch_artifacts *artifacts);

/* Records an artifact of a record's compilation. Returns the id of its name, TDM_NONE when out of
 * memory. */
int64_t tdm_torch_artifact_put(tdm_torch_artifacts *artifacts, tdm_recorder *recorder,
                               const tdm_torch_record *record, const char *what, const char *type,
                               const char *bytes, size_t length);

/* The Chrome events inside PyTorch's structured log: what compiling spent its time on.
 *
 * Begins and ends are joined to spans of category "compile", by track and name; an end carries all
 * arguments of its begin and more. Times are since 1970. Called by read/torch_trace. */

typedef struct {
  int64_t start_ns;
  uint32_t track, name;
  int64_t args[8];
} tdm_torch_open_span;

/* Begin with tdm_torch_chrome_begin. */
typedef struct {
  tdm_recorder *recorder;
  tdm_torch_artifacts *artifacts;
  tdm_torch_value args;
  tdm_torch_text text;
  tdm_torch_open_span *open;
  size_t count, room;
  int64_t last_ns;     /* of any time seen here; TDM_NONE: none */
  uint32_t layouts[4]; /* + 1; 0: not made yet */
} tdm_torch_chrome;

/* Borrows both. */
void tdm_torch_chrome_begin(tdm_torch_chrome *chrome, tdm_recorder *recorder,
                            tdm_torch_artifacts *artifacts);
void tdm_torch_chrome_free(tdm_torch_chrome *chrome);

/* The event in the payload of a record. *time_ns: its time, TDM_NONE where it has none. False: out
 * of memory. What is no event is a problem. `json` is a reader of texts, lent for the call. */
bool tdm_torch_chrome_event(tdm_torch_chrome *chrome, const tdm_torch_record *record,
                            const char *payload, size_t length, uint32_t track, tdm_json *json,
                            int64_t *time_ns);

/* Spans that never ended, up to `last_ns`. */
void tdm_torch_chrome_end(tdm_torch_chrome *chrome, int64_t last_ns);

/* Why a graph broke, a function was compiled again or a cache was passed by: the texts that
 * PyTorch's structured log carries as payloads, reduced to what one would group by. Owns no state.
 * Called by read/torch_trace. */

/* "hit", "miss", "bypass" or "hash" for an artifact like "fx_graph_cache_hit"; NULL: of no cache.
 */
const char *tdm_torch_cache_word(const char *artifact);

/* The reason in the payload of a "dynamo_graph_break_reason", "recompile_reasons" or
 * "dynamo_error", at the end of `reason`, and the user's frame it happened in, "file:line
 * function", at the end of `frame`, where the payload says it. Other artifacts add nothing. `json`
 * is a reader of texts, lent for the call. */
void tdm_torch_reason(const char *artifact, const char *payload, size_t length, tdm_json *json,
                      tdm_torch_text *reason, tdm_torch_text *frame);

#endif
