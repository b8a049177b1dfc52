/* One record of a CUDA-API trace in JSON: what its keys mean, in any tracer's spelling.
 *
 * Owns the words and the keys that it has seen. Strings end up in the recorder; times stay as they
 * are written, since their unit is decided elsewhere (read/cuda_api/clock). Called by
 * read/cuda_api. */
#ifndef TDM_READ_CUDA_API_RECORD_H
#define TDM_READ_CUDA_API_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include "read/json/json.h"
#include "read/reader.h"
#include "trace/intern.h"
#include "trace/recorder.h"

/* The arguments of one record of a CUDA-API trace, and the layouts that such sets make.
 *
 * A set is kept in order of its keys, so that equal sets of keys make one layout whatever their
 * order in the file was. Called by read/cuda_api/record (which fills sets) and read/cuda_api/calls
 * (which merges and writes them). */

/* The keys that tandem knows; those of a file's own follow. */
typedef enum {
  TDM_API_BYTES,
  TDM_API_KIND,
  TDM_API_BANDWIDTH, /* bytes/s, by the call's own time on the host */
  TDM_API_GRID_X,
  TDM_API_GRID_Y,
  TDM_API_GRID_Z,
  TDM_API_BLOCK_X,
  TDM_API_BLOCK_Y,
  TDM_API_BLOCK_Z,
  TDM_API_THREADS,
  TDM_API_SHARED_BYTES,
  TDM_API_STREAM,
  TDM_API_DEVICE,
  TDM_API_FUNCTION,
  TDM_API_PTR,
  TDM_API_CORRELATION,
  TDM_API_OP_ID,
  TDM_API_RETURN_CODE,
  TDM_API_FD,
  TDM_API_CMD,
  TDM_API_CPU,
  TDM_API_TARGET_PID,
  TDM_API_ARG0,
  TDM_API_ARG1,
  TDM_API_KNOWN_ARGS
} tdm_api_arg;

enum { TDM_API_ARGS = 32, TDM_API_OWN_ARGS = 64 };

extern const char *const tdm_api_arg_names[TDM_API_KNOWN_ARGS];

typedef struct {
  uint8_t key; /* tdm_api_arg, or TDM_API_KNOWN_ARGS + one of the file's own */
  uint8_t type;
} tdm_api_key;

typedef struct {
  uint32_t count;
  tdm_api_key key[TDM_API_ARGS];
  int64_t value[TDM_API_ARGS];
} tdm_api_args;

/* Sets an argument; a later value replaces an earlier one. False: there is no room for it. */
bool tdm_api_args_put(tdm_api_args *args, uint8_t key, tdm_arg_type type, int64_t value);
/* NULL: not there, or of another type. */
const int64_t *tdm_api_args_get(const tdm_api_args *args, uint8_t key, tdm_arg_type type);
/* What `more` has goes to `args`. False: something had no room. */
bool tdm_api_args_merge(tdm_api_args *args, const tdm_api_args *more);

typedef struct {
  tdm_intern sets; /* category, shape and keys → layout */
  uint32_t *layout;
  size_t room;
  const char *const *own; /* names of a file's own keys; somebody else's */
} tdm_api_layouts;

void tdm_api_layouts_clear(tdm_api_layouts *layouts);

/* Writes one row. Where a file has more kinds of records than is sensible, later kinds lose their
 * arguments, which is counted. False: out of memory. */
bool tdm_api_args_write(tdm_api_layouts *layouts, tdm_recorder *recorder, const char *category,
                        tdm_shape shape, int64_t start_ns, int64_t dur_ns, uint32_t track,
                        uint32_t name, const tdm_api_args *args);

/* The arguments that a file has beside those that tandem knows: which of its keys are which.
 *
 * Keys that are spelled apart may come to the same name, and are one argument then. Numbers stay:
 * known arguments come first, the file's own follow in order of appearance. Called by record.c. */

typedef struct {
  const char *name[TDM_API_OWN_ARGS]; /* the recorder's */
  uint32_t count;
  int16_t *of_key; /* its argument + 1; 0: none yet, -1: there was no room */
  size_t room;
} tdm_api_own;

/* The argument of key number `key`, spelled so; -1: there is no room for it. A reserved spelling is
 * not its name: "detail_…" is. False: there is no memory. */
bool tdm_api_own_arg(tdm_api_own *own, tdm_recorder *recorder, uint32_t key, const char *spelling,
                     bool reserved, int *arg);
void tdm_api_own_free(tdm_api_own *own);

/* What the words of CUDA-API tracers mean: names of functions and probes, types and sources of
 * records, directions of copies.
 *
 * A name is looked at once and remembered. Probes are stripped to the function that they are on.
 * Called by read/cuda_api/record. */

/* What a function does with its arguments. */
enum {
  TDM_API_LAUNCHES = 1 << 0,
  TDM_API_COPIES = 1 << 1,
  TDM_API_ALLOCATES = 1 << 2,
  TDM_API_FREES = 1 << 3,
  TDM_API_UNNAMED = 1 << 4 /* the record says no name */
};

/* What a record's "type" or "source" says. */
typedef enum {
  TDM_API_PLAIN, /* nothing: the name decides */
  TDM_API_KERNEL_SPACE,
  TDM_API_MEMORY,
  TDM_API_TRANSFER,
  TDM_API_SCHEDULER,
  TDM_API_CUDA,
  TDM_API_DRIVER,
  TDM_API_HOST, /* of the host's kernel: sched_switch, process_fork */
  TDM_API_NET,
  TDM_API_IO,
  TDM_API_PRINTF, /* bpftrace -f json: the record is a text in "data" */
  TDM_API_MAP,    /* its maps, statistics and notes */
  TDM_API_OTHER
} tdm_api_source;

typedef struct {
  uint32_t name;        /* in the recorder: the function alone */
  const char *category; /* by the name alone; NULL: it does not say */
  uint8_t does;         /* TDM_API_LAUNCHES | … */
  char phase;           /* by the probe: 'B', 'E' or 0 */
  const char *kind;     /* of a copy, by the name: "HtoD", or NULL */
} tdm_api_word;

typedef struct {
  tdm_intern names;
  tdm_api_word *words;
  size_t room;
} tdm_api_words;

void tdm_api_words_clear(tdm_api_words *words);

/* NULL: out of memory. Good until the next call. */
const tdm_api_word *tdm_api_words_find(tdm_api_words *words, tdm_recorder *recorder,
                                       const char *text, size_t length);

tdm_api_source tdm_api_source_of(const char *text, size_t length);

/* "H2D", "host_to_device", "cudaMemcpyHostToDevice" → "HtoD". NULL: no direction. */
const char *tdm_api_direction(const char *text);
/* By cudaMemcpyKind, which the tracers' own numbers agree with; 0 and 4 say nothing sure: NULL. */
const char *tdm_api_direction_number(int64_t number);

/* 'B', 'E', 'X' or 'I'; 0: none of the words for a phase. */
char tdm_api_phase(const char *text);

/* The keys of CUDA-API tracers: each spelling, and what is done with its value. Read by
 * read/cuda_api/record, which takes the values. */

typedef enum {
  TDM_API_KEY_SKIP,
  TDM_API_KEY_TIME,
  TDM_API_KEY_END,
  TDM_API_KEY_DURATION,
  TDM_API_KEY_PHASE,
  TDM_API_KEY_PID,
  TDM_API_KEY_TID,
  TDM_API_KEY_DEPTH,
  TDM_API_KEY_OP_ID,
  TDM_API_KEY_EVENT_ID,
  TDM_API_KEY_NAME,
  TDM_API_KEY_OP,
  TDM_API_KEY_TYPE,
  TDM_API_KEY_SOURCE,
  TDM_API_KEY_CATEGORY,
  TDM_API_KEY_PROCESS,
  TDM_API_KEY_DETAILS,
  TDM_API_KEY_DATA,
  TDM_API_KEY_TOTAL,
  TDM_API_KEY_DIRECTION,
  TDM_API_KEY_GRID, /* [x, y, z], or x alone */
  TDM_API_KEY_BLOCK,
  TDM_API_KEY_WHOLE, /* an argument that is a whole number */
  TDM_API_KEY_PLAIN, /* an argument of any type */
  TDM_API_KEY_OWN    /* of the file's own */
} tdm_api_action;

typedef struct {
  const char *text;
  tdm_api_action action;
  int more; /* a tdm_time_unit or a tdm_api_arg */
} tdm_api_key_spelling;

extern const tdm_api_key_spelling tdm_api_keys[];
extern const size_t tdm_api_key_count;

enum { TDM_API_TIME_SIZE = 48 };

typedef struct {
  char text[TDM_API_TIME_SIZE]; /* "" when it is not there */
  uint32_t length;
  bool quoted;        /* a string in the file */
  tdm_time_unit unit; /* by the key; TDM_UNIT_AUTO: it does not say */
} tdm_api_time;

typedef struct {
  tdm_api_time time, end, duration;
  char phase;                     /* 'B', 'E', 'X', 'I' or 0 */
  bool timed_at_end;              /* the time of a record without a phase is where it ends */
  bool numbered;                  /* it has an event_id: the bpftrace and BCC family */
  int64_t pid, tid, depth, op_id; /* TDM_NONE: not said */
  int64_t type;                   /* a number, as BCC has them; TDM_NONE */
  int64_t total_allocated;        /* bytes, after this record; TDM_NONE */
  tdm_api_source source;
  tdm_api_word word;    /* the function; name 0 and does TDM_API_UNNAMED when it is not said */
  const char *category; /* as the file calls it; may be NULL */
  const char *process;  /* its name; may be NULL */
  tdm_api_args args;
} tdm_api_record;

typedef struct tdm_api_parser tdm_api_parser;

tdm_api_parser *tdm_api_parser_new(tdm_recorder *recorder); /* NULL: out of memory */
void tdm_api_parser_free(tdm_api_parser *parser);

/* Begins with another text; it must live until its records are taken. */
void tdm_api_parser_text(tdm_api_parser *parser, const char *text, size_t length);

/* The next record of the text. False: there is none, or a failure. */
bool tdm_api_parser_next(tdm_api_parser *parser, tdm_api_record *record);

bool tdm_api_parser_failed(const tdm_api_parser *parser); /* out of memory */

/* The names of a file's own keys, for the layouts. */
const char *const *tdm_api_parser_own(const tdm_api_parser *parser);

/* Counts the repairs that JSON needed, as problems. */
void tdm_api_parser_report(const tdm_api_parser *parser);

/* Arguments that are a bare list of numbers: what they mean by the record's source and function.
 * Called by read/cuda_api/record. `count` is at most 2. False: the record had no room for one of
 * them. */
bool tdm_api_list_name(tdm_api_record *record, tdm_recorder *recorder, const int64_t *list,
                       uint32_t count);

#endif
