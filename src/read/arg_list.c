/* See arg_list.h. */
#include "read/arg_list.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/decimal.h"
#include "base/memory.h"
#include "trace/utf8.h"

enum { LAYOUTS = 2048 };

void tdm_arg_layouts_free(tdm_arg_layouts *layouts) {
  tdm_intern_clear(&layouts->known);
  free(layouts->layout);
  free(layouts->json);
}

int tdm_arg_find(const tdm_arg_list *list, uint32_t key) {
  for (uint32_t i = 0; i < list->count; i++)
    if (list->arg[i].key == key) return (int)i;
  return -1;
}

void tdm_arg_remove(tdm_arg_list *list, int index) {
  size_t behind = list->count - (uint32_t)index - 1;
  memmove(&list->arg[index], &list->arg[index + 1], behind * sizeof *list->arg);
  list->count--;
}

void tdm_arg_add(tdm_recorder *recorder, tdm_arg_list *list, uint32_t key, tdm_arg_type type,
                 int64_t value) {
  int at = tdm_arg_find(list, key);
  if (at < 0 && list->count == TDM_LAYOUT_ARGS) {
    tdm_record_problem(recorder, "arguments of events that have too many (left out)", 1);
    return;
  }
  if (at < 0) at = (int)list->count++;
  list->arg[at] = (tdm_one_arg){key, (uint32_t)type, value};
}

/* ---- one JSON object, when there are too many layouts ---- */

static size_t json_put(tdm_arg_layouts *l, size_t used, const char *text, size_t length) {
  if (!tdm_array_grow(&l->json, &l->json_room, used + length + 1, 1)) {
    l->failed = 1;
    return used;
  }
  memcpy(l->json + used, text, length);
  return used + length;
}

static size_t json_quoted(tdm_arg_layouts *l, size_t used, uint32_t name) {
  size_t length = 0;
  const char *text = tdm_recorder_name(l->recorder, name, NULL);
  char *quoted = text != NULL ? tdm_json_quote(text, &length) : NULL;
  if (quoted == NULL)
    l->failed = 1;
  else
    used = json_put(l, used, quoted, length);
  free(quoted);
  return used;
}

static size_t json_value(tdm_arg_layouts *l, size_t used, const tdm_one_arg *arg) {
  char number[TDM_DECIMAL_SIZE];
  size_t length = 0;
  const char *text = number;
  switch (arg->type) {
  case TDM_ARG_TEXT: return json_quoted(l, used, (uint32_t)arg->value);
  case TDM_ARG_JSON: text = tdm_recorder_name(l->recorder, (uint32_t)arg->value, &length); break;
  case TDM_ARG_BOOL: text = arg->value != 0 ? "true" : "false"; break;
  case TDM_ARG_REAL:
    if (isfinite(tdm_record_double(arg->value)))
      length = tdm_decimal_print(number, tdm_record_double(arg->value));
    else
      text = "null";
    break;
  default: length = (size_t)snprintf(number, sizeof number, "%lld", (long long)arg->value); break;
  }
  if (text == NULL) text = "null";
  return json_put(l, used, text, length > 0 ? length : strlen(text));
}

static uint32_t as_json(tdm_arg_layouts *l, const tdm_one_arg *arg, uint32_t count) {
  size_t used = json_put(l, 0, "{", 1);
  for (uint32_t i = 0; i < count; i++) {
    if (i > 0) used = json_put(l, used, ",", 1);
    used = json_quoted(l, used, arg[i].key);
    used = json_put(l, used, ":", 1);
    used = json_value(l, used, &arg[i]);
  }
  used = json_put(l, used, "}", 1);
  return l->failed ? 0 : tdm_record_name(l->recorder, l->json, used);
}

/* ---- rows ---- */

/* The layout of events with these keys; TDM_INTERN_FAILED: one too many, or out of memory. */
static uint32_t layout_of(tdm_arg_layouts *l, uint32_t category, tdm_shape shape,
                          const tdm_one_arg *arg, uint32_t count) {
  uint32_t key[2 + 2 * TDM_LAYOUT_ARGS];
  key[0] = category;
  key[1] = (uint32_t)shape;
  for (uint32_t i = 0; i < count; i++) {
    key[2 + 2 * i] = arg[i].key;
    key[3 + 2 * i] = arg[i].type;
  }
  size_t length = (2 + 2 * count) * sizeof *key;
  int fresh = 0, crowded = l->known.count >= LAYOUTS && count > 1;
  uint32_t id = crowded ? tdm_intern_find(&l->known, key, length)
                        : tdm_intern_put(&l->known, key, length, &fresh);
  if (id == TDM_INTERN_FAILED) {
    l->failed |= !crowded;
    return id;
  }
  if (!fresh) return l->layout[id];
  tdm_arg args[TDM_LAYOUT_ARGS];
  for (uint32_t i = 0; i < count; i++)
    args[i] =
        (tdm_arg){tdm_recorder_name(l->recorder, arg[i].key, NULL), (tdm_arg_type)arg[i].type};
  if (!tdm_array_grow(&l->layout, &l->room, (size_t)id + 1, sizeof *l->layout)) {
    l->failed = 1;
    return TDM_INTERN_FAILED;
  }
  const char *text = tdm_recorder_name(l->recorder, category, NULL);
  l->layout[id] = tdm_record_layout(l->recorder, text != NULL ? text : "", shape, args, count);
  return l->layout[id];
}

void tdm_arg_row(tdm_arg_layouts *l, uint32_t category, tdm_shape shape, int64_t start_ns,
                 int64_t dur_ns, uint32_t track, uint32_t name, const tdm_one_arg *arg,
                 uint32_t count) {
  int64_t value[TDM_LAYOUT_ARGS];
  if (l->failed || tdm_recorder_failed(l->recorder)) return;
  tdm_one_arg all = {.type = TDM_ARG_JSON};
  uint32_t layout = layout_of(l, category, shape, arg, count);
  if (layout == TDM_INTERN_FAILED && !l->failed) {
    all.key = tdm_record_text(l->recorder, "args");
    all.value = as_json(l, arg, count);
    tdm_record_problem(l->recorder, "events whose arguments are kept as JSON (too many kinds)", 1);
    arg = &all;
    count = 1;
    layout = layout_of(l, category, shape, arg, count);
  }
  if (l->failed || tdm_recorder_failed(l->recorder)) return;
  for (uint32_t i = 0; i < count; i++) value[i] = arg[i].value;
  tdm_record_row(l->recorder, layout, start_ns, dur_ns, track, name, value, count);
}
