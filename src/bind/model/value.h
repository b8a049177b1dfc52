/* Reads plain Lua tables field by field, without ever raising on what they hold.
 *
 * A reader remembers where it is ("model.classes[1].route[3]") and the first problem it met; after
 * that every call is harmless and returns an empty value, so callers check `status` only where they
 * loop or hand things over. Access is raw: metatables are not asked. The only error Lua itself can
 * raise here is being out of memory, which tdm_bind_model catches.
 *
 * Owned by tdm_bind_model for the length of a call; used by the files of bind/ that build a model.
 * Below, "the value" is the top of the Lua stack. */
#ifndef TDM_BIND_MODEL_VALUE_H
#define TDM_BIND_MODEL_VALUE_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dist/dist.h"
#include "base/error.h"
#include "model/cost.h"
#include "model/model.h"

#define TDM_READ_DEPTH 4000u /* nothing a plan makes is nested deeper; the C stack bears it */

typedef struct {
  lua_State *L; /* with room for TDM_READ_DEPTH values and a few more */
  tdm_model
      *model; /* attribute and GPU parameter names; filled by bind/model before they are used */
  tdm_error *error;
  tdm_status status;    /* TDM_OK until the first problem */
  int function_list;    /* stack index of the array of functions met so far */
  int function_numbers; /* stack index of the table function → number */
  uint32_t function_count;
  unsigned depth;
  size_t path_length;
  char path[256];
} tdm_reader;

/* Records a problem at the present position, unless there was one before. */
void tdm_read_fail(tdm_reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same for a status that another part returned with its message in *error. */
void tdm_read_check(tdm_reader *r, tdm_status status, const tdm_error *error);
/* False, with TDM_MEMORY recorded, when pointer is NULL. */
bool tdm_read_allocated(tdm_reader *r, const void *pointer, const char *what);

/* Pushes a field or item of the value, which becomes the value; nil when there is none. The mark
 * goes to tdm_read_close, which pops it. Pairs, whatever happens between. */
size_t tdm_read_open(tdm_reader *r, const char *key);
size_t tdm_read_open_item(tdm_reader *r, size_t item); /* from 1 */
void tdm_read_close(tdm_reader *r, size_t mark);

bool tdm_read_present(const tdm_reader *r);        /* the value is not nil, and no problem so far */
bool tdm_read_table(tdm_reader *r);                /* the value is a table; a problem otherwise */
size_t tdm_read_length(tdm_reader *r);             /* of the list the value is; 0 for nil */
bool tdm_read_has(tdm_reader *r, const char *key); /* the table has this field */
/* A problem when the table has a key that is none of the names. */
void tdm_read_names(tdm_reader *r, char *const *names, size_t count, const char *what);

/* Fields of the value. Those without a fallback are required. */
double tdm_read_number(tdm_reader *r, const char *key);
double tdm_read_number_or(tdm_reader *r, const char *key, double fallback);
/* Whole and at least 0; infinity is TDM_UNLIMITED. */
uint32_t tdm_read_count_or(tdm_reader *r, const char *key, uint32_t fallback);
/* From 1…count in Lua to 0…count-1; TDM_NO_INDEX when absent. */
uint32_t tdm_read_index(tdm_reader *r, const char *key, size_t count);
bool tdm_read_flag(tdm_reader *r, const char *key);
int64_t tdm_read_ns_or(tdm_reader *r, const char *key, int64_t fallback); /* from seconds */
char *tdm_read_name(tdm_reader *r, const char *key);       /* required; the caller's */
const char *tdm_read_word(tdm_reader *r, const char *key); /* NULL when absent; Lua's */
/* The word under `key` as an index into `words`; 0, the first, when absent. */
uint32_t tdm_read_choice(tdm_reader *r, const char *key, const char *const *words, uint32_t count);
/* A list of numbers, the caller's to free. Required, and not empty. */
double *tdm_read_numbers(tdm_reader *r, const char *key, size_t *count);
/* A function's number, TDM_NO_INDEX when absent; the value that is the function. */
uint32_t tdm_read_function(tdm_reader *r, const char *key);
uint32_t tdm_read_function_here(tdm_reader *r);

int64_t tdm_seconds_to_ns(double seconds); /* INT64_MAX from 2^62 ns on */
/* Slot of a name, TDM_NO_INDEX when it is none of them. */
uint32_t tdm_name_find(char *const *names, size_t count, const char *name);

/* Distributions and cost expressions out of their table forms, as bind/model/value.h reads tables.
 * Called by the files of bind/ that build a model. */

/* A distribution table, or a number that stands for itself. NULL when the field is absent or
 * wrong; the caller's. */
tdm_dist *tdm_read_dist(tdm_reader *r, const char *key);
tdm_dist *tdm_read_dist_here(tdm_reader *r); /* the value is the distribution */

/* A number, an expression, a distribution (drawn once), a function or { fn = function }. Takes
 * jitter over in every case; *out is zeroed when there is a problem. */
void tdm_read_cost(tdm_reader *r, const char *key, tdm_dist *jitter, tdm_cost *out);

#endif
