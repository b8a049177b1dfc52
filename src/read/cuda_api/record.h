/* One record of a CUDA-API trace in JSON: what its keys mean, in any tracer's spelling.
 *
 * Owns the words and the keys that it has seen. Strings end up in the recorder; times stay as they
 * are written, since their unit is decided elsewhere (read/cuda_api/clock). Called by
 * read/cuda_api. */
#ifndef TDM_READ_CUDA_API_RECORD_H
#define TDM_READ_CUDA_API_RECORD_H

#include "read/cuda_api/args.h"
#include "read/cuda_api/words.h"
#include "read/json.h"
#include "read/reader.h"

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

#endif
