/* The reader of bind/model/value.h: positions, problems and scalars. Expressions and distributions
 * are formula.c's and dist.c's. Owns nothing that outlives a call. */
#include "bind/model/value.h"

#include <lauxlib.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exponential.h"
#include "base/memory.h"

/* ---- problems */

void tdm_read_fail(tdm_reader *r, const char *format, ...) {
  if (r->status != TDM_OK) return;
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  r->status = tdm_error_set(r->error, TDM_INVALID, "%s: %s", r->path, text);
}

void tdm_read_check(tdm_reader *r, tdm_status status, const tdm_error *error) {
  if (status == TDM_OK || r->status != TDM_OK) return;
  r->status = tdm_error_set(r->error, status, "%s: %.240s", r->path, error->message);
}

bool tdm_read_allocated(tdm_reader *r, const void *pointer, const char *what) {
  if (pointer != NULL) return true;
  if (r->status == TDM_OK) r->status = tdm_error_memory(r->error, what, 0);
  return false;
}

static void *new_array(tdm_reader *r, size_t count, size_t size, const char *what) {
  void *items = tdm_array_new(count, size);
  tdm_read_allocated(r, items, what);
  return items;
}

/* ---- positions */

static size_t enter(tdm_reader *r, const char *key, size_t item) {
  size_t mark = r->path_length, room = sizeof r->path - mark;
  int length = key != NULL ? snprintf(r->path + mark, room, ".%s", key)
                           : snprintf(r->path + mark, room, "[%zu]", item);
  /* A position too deep to be named goes by its ancestor's name. */
  if (length < 0 || (size_t)length >= room)
    r->path[mark] = '\0';
  else
    r->path_length = mark + (size_t)length;
  return mark;
}

/* True when the value may be asked for fields; a problem when it is something else. */
static bool is_open(tdm_reader *r) {
  if (r->status == TDM_OK && r->depth >= TDM_READ_DEPTH)
    tdm_read_fail(r, "nested more than %u deep", TDM_READ_DEPTH);
  return tdm_read_table(r);
}

size_t tdm_read_open(tdm_reader *r, const char *key) {
  if (is_open(r)) {
    lua_pushstring(r->L, key);
    lua_rawget(r->L, -2);
  } else {
    lua_pushnil(r->L);
  }
  r->depth++;
  return enter(r, key, 0);
}

size_t tdm_read_open_item(tdm_reader *r, size_t item) {
  if (is_open(r))
    lua_rawgeti(r->L, -1, (lua_Integer)item);
  else
    lua_pushnil(r->L);
  r->depth++;
  return enter(r, NULL, item);
}

void tdm_read_close(tdm_reader *r, size_t mark) {
  lua_pop(r->L, 1);
  r->depth--;
  r->path_length = mark;
  r->path[mark] = '\0';
}

bool tdm_read_present(const tdm_reader *r) {
  return r->status == TDM_OK && !lua_isnil(r->L, -1);
}

/* A problem unless the value has the type. */
static bool is_a(tdm_reader *r, int type, const char *what) {
  if (r->status != TDM_OK) return false;
  if (lua_type(r->L, -1) == type) return true;
  if (lua_isnil(r->L, -1))
    tdm_read_fail(r, "%s is missing", what);
  else
    tdm_read_fail(r, "%s was expected, not a %s", what, luaL_typename(r->L, -1));
  return false;
}

bool tdm_read_table(tdm_reader *r) {
  return is_a(r, LUA_TTABLE, "a table");
}

size_t tdm_read_length(tdm_reader *r) {
  if (!tdm_read_present(r)) return 0;
  return tdm_read_table(r) ? (size_t)lua_rawlen(r->L, -1) : 0;
}

bool tdm_read_has(tdm_reader *r, const char *key) {
  size_t mark = tdm_read_open(r, key);
  bool present = tdm_read_present(r);
  tdm_read_close(r, mark);
  return present;
}

void tdm_read_names(tdm_reader *r, char *const *names, size_t count, const char *what) {
  if (!tdm_read_table(r)) return;
  for (lua_pushnil(r->L); lua_next(r->L, -2) != 0; lua_pop(r->L, 1)) {
    const char *name = lua_type(r->L, -2) == LUA_TSTRING ? lua_tostring(r->L, -2) : "";
    if (tdm_name_find(names, count, name) == TDM_NO_INDEX)
      tdm_read_fail(r, "this model has no %s \"%s\"", what, name);
  }
}

/* ---- scalars */

static double number(tdm_reader *r) {
  if (!is_a(r, LUA_TNUMBER, "a number")) return 0;
  double value = lua_tonumber(r->L, -1);
  if (isnan(value)) tdm_read_fail(r, "is not a number (nan)");
  return value;
}

double tdm_read_number(tdm_reader *r, const char *key) {
  size_t mark = tdm_read_open(r, key);
  double value = number(r);
  tdm_read_close(r, mark);
  return value;
}

double tdm_read_number_or(tdm_reader *r, const char *key, double fallback) {
  size_t mark = tdm_read_open(r, key);
  double value = tdm_read_present(r) ? number(r) : fallback;
  tdm_read_close(r, mark);
  return value;
}

static uint32_t count_of(tdm_reader *r) {
  double value = number(r);
  if (isinf(value) && value > 0) return TDM_UNLIMITED;
  if (value >= 0 && value < (double)TDM_UNLIMITED && value == floor(value)) return (uint32_t)value;
  tdm_read_fail(r, "must be a whole number from 0 to %u, not %.14g", TDM_UNLIMITED - 1, value);
  return 0;
}

uint32_t tdm_read_count_or(tdm_reader *r, const char *key, uint32_t fallback) {
  size_t mark = tdm_read_open(r, key);
  uint32_t value = tdm_read_present(r) ? count_of(r) : fallback;
  tdm_read_close(r, mark);
  return value;
}

uint32_t tdm_read_index(tdm_reader *r, const char *key, size_t count) {
  size_t mark = tdm_read_open(r, key);
  uint32_t index = TDM_NO_INDEX;
  if (tdm_read_present(r)) {
    uint32_t number = count_of(r);
    if (number >= 1 && number <= count)
      index = number - 1;
    else
      tdm_read_fail(r, "number %u does not exist, there are %zu", number, count);
  }
  tdm_read_close(r, mark);
  return index;
}

bool tdm_read_flag(tdm_reader *r, const char *key) {
  size_t mark = tdm_read_open(r, key);
  bool value =
      tdm_read_present(r) && is_a(r, LUA_TBOOLEAN, "true or false") && lua_toboolean(r->L, -1);
  tdm_read_close(r, mark);
  return value;
}

int64_t tdm_seconds_to_ns(double seconds) {
  double ns = seconds * 1e9;
  if (ns <= TDM_MAX_DURATION_NS) return tdm_round_ns(ns);
  return ns < 0x1p62 ? (int64_t)ns : INT64_MAX; /* whole already: doubles this large have no half */
}

int64_t tdm_read_ns_or(tdm_reader *r, const char *key, int64_t fallback) {
  size_t mark = tdm_read_open(r, key);
  int64_t ns = fallback;
  if (tdm_read_present(r)) {
    double seconds = number(r);
    if (!(seconds >= 0)) tdm_read_fail(r, "must be at least 0 seconds, not %.14g", seconds);
    ns = tdm_seconds_to_ns(seconds);
  }
  tdm_read_close(r, mark);
  return ns;
}

char *tdm_read_name(tdm_reader *r, const char *key) {
  size_t mark = tdm_read_open(r, key);
  char *copy = NULL;
  if (is_a(r, LUA_TSTRING, "a name")) {
    copy = tdm_string_copy(lua_tostring(r->L, -1));
    tdm_read_allocated(r, copy, "a name");
  }
  tdm_read_close(r, mark);
  return copy;
}

const char *tdm_read_word(tdm_reader *r, const char *key) {
  size_t mark = tdm_read_open(r, key);
  const char *word = NULL; /* stays alive in its table after the pop */
  if (tdm_read_present(r) && is_a(r, LUA_TSTRING, "a word")) word = lua_tostring(r->L, -1);
  tdm_read_close(r, mark);
  return word;
}

double *tdm_read_numbers(tdm_reader *r, const char *key, size_t *count) {
  size_t mark = tdm_read_open(r, key), length = 0;
  double *numbers = NULL;
  if (tdm_read_table(r)) {
    length = tdm_read_length(r);
    if (length == 0)
      tdm_read_fail(r, "is empty");
    else
      numbers = new_array(r, length, sizeof *numbers, "a list of numbers");
  }
  for (size_t i = 0; numbers != NULL && i < length; i++) {
    lua_rawgeti(r->L, -1, (lua_Integer)i + 1);
    int is_number = lua_type(r->L, -1) == LUA_TNUMBER;
    numbers[i] = is_number ? lua_tonumber(r->L, -1) : NAN;
    lua_pop(r->L, 1);
    if (isnan(numbers[i])) {
      tdm_read_fail(r, "item %zu is not a number", i + 1);
      break;
    }
  }
  tdm_read_close(r, mark);
  *count = length;
  if (r->status == TDM_OK) return numbers;
  free(numbers);
  *count = 0;
  return NULL;
}

/* ---- functions */

uint32_t tdm_read_function_here(tdm_reader *r) {
  if (!is_a(r, LUA_TFUNCTION, "a function")) return TDM_NO_INDEX;
  lua_State *L = r->L;
  lua_pushvalue(L, -1);
  lua_rawget(L, r->function_numbers);
  bool known = !lua_isnil(L, -1);
  uint32_t number_of = known ? (uint32_t)lua_tointeger(L, -1) : r->function_count++;
  lua_pop(L, 1);
  if (known) return number_of;
  lua_pushvalue(L, -1);
  lua_rawseti(L, r->function_list, (lua_Integer)number_of + 1);
  lua_pushvalue(L, -1);
  lua_pushinteger(L, (lua_Integer)number_of);
  lua_rawset(L, r->function_numbers);
  return number_of;
}

uint32_t tdm_read_function(tdm_reader *r, const char *key) {
  size_t mark = tdm_read_open(r, key);
  uint32_t function = tdm_read_present(r) ? tdm_read_function_here(r) : TDM_NO_INDEX;
  tdm_read_close(r, mark);
  return function;
}

uint32_t tdm_name_find(char *const *names, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(names[i], name) == 0) return (uint32_t)i;
  return TDM_NO_INDEX;
}

uint32_t tdm_read_choice(tdm_reader *r, const char *key, const char *const *words, uint32_t count) {
  const char *word = tdm_read_word(r, key);
  for (uint32_t i = 0; word != NULL && i < count; i++)
    if (strcmp(words[i], word) == 0) return i;
  if (word != NULL) tdm_read_fail(r, "%s: \"%s\" is unknown", key, word);
  return 0;
}
