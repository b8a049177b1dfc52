/* The arguments of one event, whatever keys it has, and the layout for such events.
 *
 * A list is filled, then recorded as a row. Equal keys: the last one counts. Beyond
 * TDM_LAYOUT_ARGS arguments the rest are left out and counted; in a trace with very many different
 * sets of keys, later sets go into one JSON argument, "args". Owns its arrays and the table of
 * layouts. Called by readers whose events bring their keys along. */
#ifndef TDM_READ_ARG_LIST_H
#define TDM_READ_ARG_LIST_H

#include "trace/intern.h"
#include "trace/recorder.h"

typedef struct {
  uint32_t key; /* a name id */
  uint32_t type;
  int64_t value;
} tdm_one_arg;

typedef struct {
  uint32_t count;
  tdm_one_arg arg[TDM_LAYOUT_ARGS];
} tdm_arg_list;

typedef struct {
  tdm_recorder *recorder;
  tdm_intern known; /* category, shape, keys and types */
  uint32_t *layout; /* of each of them */
  size_t room;
  char *json;
  size_t json_room;
  int failed;
} tdm_arg_layouts;

/* Zeroed with a recorder is empty. */
void tdm_arg_layouts_free(tdm_arg_layouts *layouts);

void tdm_arg_add(tdm_recorder *recorder, tdm_arg_list *list, uint32_t key, tdm_arg_type type,
                 int64_t value);

/* Index of an argument by key, or -1. */
int tdm_arg_find(const tdm_arg_list *list, uint32_t key);
void tdm_arg_remove(tdm_arg_list *list, int index);

/* Records a row with these arguments; `category` is a name id. */
void tdm_arg_row(tdm_arg_layouts *layouts, uint32_t category, tdm_shape shape, int64_t start_ns,
                 int64_t dur_ns, uint32_t track, uint32_t name, const tdm_one_arg *arg,
                 uint32_t count);

#endif
