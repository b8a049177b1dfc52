/* The names of a recording as JSON strings, and values of any type as JSON.
 *
 * Most names need nothing but quotes around them; the others are escaped when they are first
 * written, and kept. Owns those. Used by the writers. */
#ifndef TDM_WRITE_TEXTS_H
#define TDM_WRITE_TEXTS_H

#include "trace/outfile.h"
#include "trace/recording.h"

enum { TDM_TEXT_FRESH, TDM_TEXT_PLAIN, TDM_TEXT_ESCAPED };

typedef struct {
  const char *text; /* as it is; once escaped, with quotes around it */
  uint32_t length;
  unsigned char state;     /* TDM_TEXT_… */
  unsigned char structure; /* whether it is JSON, once that was asked */
} tdm_text;

typedef struct {
  const tdm_recording *recording;
  tdm_text *names; /* by id */
  uint32_t count;
} tdm_texts;

tdm_status tdm_texts_open(tdm_texts *texts, const tdm_recording *recording, tdm_error *error);
void tdm_texts_close(tdm_texts *texts);

void tdm_texts_put_fresh(tdm_texts *texts, tdm_outfile *file, int64_t id);

/* With quotes; an id that was never announced is the empty string. */
static inline void tdm_texts_put(tdm_texts *texts, tdm_outfile *file, int64_t id) {
  const tdm_text *name = id >= 0 && id < texts->count ? &texts->names[id] : NULL;
  if (name == NULL || name->state == TDM_TEXT_FRESH) {
    tdm_texts_put_fresh(texts, file, id);
  } else if (name->state == TDM_TEXT_ESCAPED) {
    tdm_outfile_put(file, name->text, name->length);
  } else {
    TDM_OUTFILE_LITERAL(file, "\"");
    tdm_outfile_put(file, name->text, name->length);
    TDM_OUTFILE_LITERAL(file, "\"");
  }
}

/* Whether a value is there; those that are not are left out. */
static inline int tdm_texts_has(tdm_arg_type type, int64_t value) {
  if (type != TDM_ARG_REAL) return value != TDM_NONE;
  return ((uint64_t)value & INT64_MAX) <= UINT64_C(0x7ff0000000000000); /* not a NaN */
}

/* A value that is there. Infinities, for which JSON has no word, are the strings "Infinity" and
 * "-Infinity"; a JSON text that is none after all is a string. */
void tdm_texts_value(tdm_texts *texts, tdm_outfile *file, tdm_arg_type type, int64_t value);

/* Whether the text is one JSON array or object and nothing else, on one line. */
int tdm_json_is_structure(const char *text, size_t length);

#endif
