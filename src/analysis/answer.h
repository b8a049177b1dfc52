/* What an analysis found: frames of rows, on what basis, and what it could not answer.
 *
 * An analysis fills it, the binding turns it into Lua tables. A failed allocation is remembered and
 * told once, by tdm_answer_status; after it nothing is added. Owns its rows and copies of texts
 * unless a comment says otherwise. */
#ifndef TDM_ANALYSIS_ANSWER_H
#define TDM_ANALYSIS_ANSWER_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef enum { TDM_FIELD_INT, TDM_FIELD_REAL, TDM_FIELD_TEXT, TDM_FIELD_BOOL } tdm_field_type;

typedef struct {
  const char *name; /* "total_ns": snake case, unit last */
  tdm_field_type type;
} tdm_field;

typedef struct tdm_answer tdm_answer;
typedef struct tdm_frame tdm_frame;

tdm_answer *tdm_answer_new(void); /* NULL: out of memory */
void tdm_answer_free(tdm_answer *answer);
tdm_status tdm_answer_status(const tdm_answer *answer, tdm_error *error);

/* A new frame; `name` and `fields` are borrowed, so make them static. Never NULL. */
tdm_frame *tdm_answer_frame(tdm_answer *answer, const char *name, const tdm_field *fields,
                            size_t count);
void tdm_frame_row(tdm_frame *frame); /* a new last row, nothing in it yet */
/* Values of the last row. One that is not put is absent (nil, NULL, an empty cell). */
void tdm_frame_int(tdm_frame *frame, size_t field, int64_t value); /* TDM_NONE: absent */
void tdm_frame_real(tdm_frame *frame, size_t field, double value); /* NaN: absent */
void tdm_frame_bool(tdm_frame *frame, size_t field, int value);
void tdm_frame_text(tdm_frame *frame, size_t field, const char *text); /* copied; NULL: absent */
void tdm_frame_name(tdm_frame *frame, size_t field, const char *text); /* borrowed */

/* One sentence on what the figures are shares of, or how they were counted. */
void tdm_answer_basis(tdm_answer *answer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* One sentence on what cannot be answered and which records or arguments are missing for it. An
 * answer with such a sentence and no rows abstains. */
void tdm_answer_cannot(tdm_answer *answer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A time within a sentence as people read it, of three digits: "21.3 ms". Rows have nanoseconds. */
typedef struct {
  char text[16];
} tdm_time_text;
tdm_time_text tdm_answer_time(double ns);

/* For the binding. */
size_t tdm_answer_frames(const tdm_answer *answer);
const tdm_frame *tdm_answer_frame_at(const tdm_answer *answer, size_t index);
const char *tdm_frame_title(const tdm_frame *frame);
size_t tdm_frame_rows(const tdm_frame *frame);
const tdm_field *tdm_frame_fields(const tdm_frame *frame, size_t *count);
/* 0: absent. Exactly one of the three is set, by the field's type (BOOL: *number). */
int tdm_frame_value(const tdm_frame *frame, size_t row, size_t field, int64_t *number, double *real,
                    const char **text);
size_t tdm_answer_basis_count(const tdm_answer *answer);
const char *tdm_answer_basis_at(const tdm_answer *answer, size_t index);
size_t tdm_answer_cannot_count(const tdm_answer *answer);
const char *tdm_answer_cannot_at(const tdm_answer *answer, size_t index);

#endif
