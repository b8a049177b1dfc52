/* The arguments of an event, and the layouts that they make.
 *
 * Knows every key that occurred and how it is written today, and the layout of every tuple of
 * category, shape, keys and types. Owns those tables and one list of arguments, that of the event
 * being read. Called by the reader "kineto". */
#ifndef TDM_READ_KINETO_ARGS_H
#define TDM_READ_KINETO_ARGS_H

#include <stdbool.h>

#include "read/json.h"
#include "read/kineto/keys.h"
#include "trace/recorder.h"

typedef struct tdm_kineto_args tdm_kineto_args;

typedef struct {
  uint32_t key; /* of this table */
  tdm_arg_type type;
  int64_t value;
} tdm_kineto_arg;

tdm_kineto_args *tdm_kineto_args_new(tdm_recorder *recorder); /* NULL: out of memory */
void tdm_kineto_args_free(tdm_kineto_args *args);

/* ---- the list ---- */

void tdm_kineto_args_clear(tdm_kineto_args *args);
/* Reads what follows a KEY token: the value of the argument that it names. */
void tdm_kineto_args_read(tdm_kineto_args *args, tdm_json *json);
/* The same when its value's token has been read already. */
void tdm_kineto_args_take(tdm_kineto_args *args, const char *key, size_t length, tdm_json *json,
                          tdm_json_token token);
/* Adds one unless there is one of that key; `replace`: it then has its value. */
void tdm_kineto_args_put(tdm_kineto_args *args, uint32_t key, tdm_arg_type type, int64_t value,
                         bool replace);
void tdm_kineto_args_put_text(tdm_kineto_args *args, const char *key, const char *text);
void tdm_kineto_args_put_number(tdm_kineto_args *args, const char *key, const char *text,
                                size_t length);
bool tdm_kineto_args_has(tdm_kineto_args *args, const char *key);
const tdm_kineto_arg *tdm_kineto_args_all(const tdm_kineto_args *args, uint32_t *count);
const char *tdm_kineto_args_key(const tdm_kineto_args *args, uint32_t key);
/* TDM_KINETO_DEVICE, _CONTEXT, _STREAM: its value; TDM_NONE: it is not there. */
int64_t tdm_kineto_args_place(const tdm_kineto_args *args, tdm_kineto_use use);

/* ---- rows ---- */

/* A row with the list as its arguments; without those of the place when `gpu`. */
void tdm_kineto_args_row(tdm_kineto_args *args, uint32_t category, const char *category_name,
                         bool gpu, tdm_shape shape, int64_t start_ns, int64_t dur_ns,
                         uint32_t track, uint32_t name);

#endif
