/* One line of tandem's JSON Lines as fields: what read/jsonl is made of.
 *
 * Keys it does not know are skipped. Strings are copied into a buffer that lives until the next
 * line. Owns that buffer and its JSON parsers. */
#ifndef TDM_READ_JSONL_LINE_H
#define TDM_READ_JSONL_LINE_H

#include "read/json/json.h"

typedef enum {
  TDM_LINE_RECORD,
  TDM_LINE_LAYOUT,
  TDM_LINE_START_NS,
  TDM_LINE_DUR_NS,
  TDM_LINE_TRACK,
  TDM_LINE_NAME,
  TDM_LINE_ARGS,
  TDM_LINE_FORMAT,
  TDM_LINE_VERSION,
  TDM_LINE_PATH,
  TDM_LINE_DETAIL,
  TDM_LINE_RANK,
  TDM_LINE_UTC_NS,
  TDM_LINE_OFFSET_NS,
  TDM_LINE_PROCESS,
  TDM_LINE_KIND,
  TDM_LINE_LANE,
  TDM_LINE_CAPACITY,
  TDM_LINE_PID,
  TDM_LINE_TID,
  TDM_LINE_DEVICE,
  TDM_LINE_CONTEXT,
  TDM_LINE_STREAM,
  TDM_LINE_KEY,
  TDM_LINE_VALUE,
  TDM_LINE_COUNT,
  TDM_LINE_CATEGORY,
  TDM_LINE_SHAPE,
  TDM_LINE_REQUEST,
  TDM_LINE_CLASS,
  TDM_LINE_ARRIVAL_NS,
  TDM_LINE_END_NS,
  TDM_LINE_GPU,
  TDM_LINE_OUTCOME,
  TDM_LINE_SCOPE,
  TDM_LINE_SUBJECT,
  TDM_LINE_ORDINAL,
  TDM_LINE_UNIT,
  TDM_LINE_TEXT,
  TDM_LINE_TYPE,
  TDM_LINE_BASE64,
  TDM_LINE_FIELDS
} tdm_line_field;

typedef struct {
  tdm_json_token token;
  int whole;           /* a NUMBER that is one in int64 */
  int64_t integer;     /* its value */
  size_t text, length; /* of STRING, NUMBER and what is made compact: where in the buffer */
} tdm_line_value;

typedef struct {
  tdm_json *json, *inner;
  uint64_t has; /* by field */
  tdm_line_value value[TDM_LINE_FIELDS];
  char *buffer;
  size_t used, room;
  tdm_line_field guess[TDM_LINE_FIELDS + 1]; /* by position: what stood there in the line before */
  int failed;                                /* out of memory */
} tdm_line;

int tdm_line_open(tdm_line *line); /* 0: out of memory */
void tdm_line_close(tdm_line *line);

/* False: the line is no object. */
int tdm_line_read(tdm_line *line, const char *text, size_t length);

/* The field as a text, or `otherwise` where it is none. */
const char *tdm_line_text(const tdm_line *line, tdm_line_field field, const char *otherwise);
size_t tdm_line_length(const tdm_line *line, tdm_line_field field);

/* The field as a whole number, or `otherwise`. */
int64_t tdm_line_number(const tdm_line *line, tdm_line_field field, int64_t otherwise);

/* A parser at the beginning of an object or array that the line has there, its first token taken;
 * NULL: there is none. Good until the next call. */
tdm_json *tdm_line_inside(tdm_line *line, tdm_line_field field);

#endif
