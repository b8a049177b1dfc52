/* One page of recorded series a replication. Owns copies of names and values. */
#include "bind/worker/worker.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

typedef struct {
  char *name;
  tdm_recorded facts;
  double *values;
} entry;

typedef struct {
  entry *entries;
  size_t count, capacity;
  bool failed; /* out of memory */
} page;

struct tdm_recorded_book {
  uint32_t count;
  page *pages;
};

tdm_status tdm_recorded_book_new(uint32_t replications, tdm_recorded_book **out, tdm_error *error) {
  tdm_recorded_book *book = tdm_array_new(1, sizeof *book);
  *out = book;
  if (book != NULL) {
    book->count = replications;
    book->pages = tdm_array_new(replications, sizeof *book->pages);
    if (book->pages != NULL) return TDM_OK;
  }
  free(book);
  *out = NULL;
  return tdm_error_memory(error, "recorded values", replications * sizeof(page));
}

void tdm_recorded_book_free(tdm_recorded_book *book) {
  if (book == NULL) return;
  for (uint32_t r = 0; r < book->count; r++) {
    for (size_t i = 0; i < book->pages[r].count; i++) {
      free(book->pages[r].entries[i].name);
      free(book->pages[r].entries[i].values);
    }
    free(book->pages[r].entries);
  }
  free(book->pages);
  free(book);
}

static void copy_series(void *context, const tdm_recorded *recorded) {
  page *p = context;
  if (!tdm_array_grow(&p->entries, &p->capacity, p->count + 1, sizeof *p->entries)) {
    p->failed = true;
    return;
  }
  entry *e = &p->entries[p->count];
  e->facts = *recorded;
  e->name = tdm_string_copy(recorded->name);
  e->values = tdm_array_new(recorded->kept, sizeof *e->values);
  p->count++;
  p->failed |= e->name == NULL || e->values == NULL;
  if (e->values != NULL && recorded->kept > 0)
    memcpy(e->values, recorded->values, recorded->kept * sizeof *e->values);
}

tdm_status tdm_recorded_book_add(tdm_recorded_book *book, uint32_t replication,
                                 const tdm_worker *worker, tdm_error *error) {
  page *p = &book->pages[replication];
  tdm_worker_recorded(worker, copy_series, p);
  return p->failed ? tdm_error_memory(error, "recorded values", p->count) : TDM_OK;
}

static void set_number(lua_State *L, const char *key, double value) {
  lua_pushnumber(L, value);
  lua_setfield(L, -2, key);
}

static double get_number(lua_State *L, const char *key) {
  lua_getfield(L, -1, key);
  double value = lua_tonumber(L, -1);
  lua_pop(L, 1);
  return value;
}

/* Merges one entry into the table of its name; `recorded` is on top. */
static void push_entry(lua_State *L, const entry *e) {
  if (lua_getfield(L, -1, e->name) == LUA_TNIL) {
    lua_pop(L, 1);
    lua_createtable(L, 0, 6);
    set_number(L, "count", 0);
    set_number(L, "sum", 0);
    set_number(L, "min", e->facts.min);
    set_number(L, "max", e->facts.max);
    lua_newtable(L);
    lua_setfield(L, -2, "values");
    lua_pushvalue(L, -1);
    lua_setfield(L, -3, e->name);
  }
  double count = get_number(L, "count") + (double)e->facts.count;
  double sum = get_number(L, "sum") + e->facts.sum;
  double least = get_number(L, "min"), most = get_number(L, "max");
  lua_pushinteger(L, (lua_Integer)count);
  lua_setfield(L, -2, "count");
  set_number(L, "sum", sum);
  set_number(L, "mean", count > 0 ? sum / count : 0);
  set_number(L, "min", e->facts.min < least ? e->facts.min : least);
  set_number(L, "max", e->facts.max > most ? e->facts.max : most);
  lua_getfield(L, -1, "values");
  lua_Integer at = (lua_Integer)lua_rawlen(L, -1);
  for (size_t i = 0; i < e->facts.kept; i++) {
    lua_pushnumber(L, e->values[i]);
    lua_rawseti(L, -2, ++at);
  }
  lua_pop(L, 2);
}

void tdm_recorded_book_push(lua_State *L, const tdm_recorded_book *book) {
  bool any = false;
  for (uint32_t r = 0; r < book->count; r++) any |= book->pages[r].count > 0;
  if (!any) return;
  lua_newtable(L);
  for (uint32_t r = 0; r < book->count; r++)
    for (size_t i = 0; i < book->pages[r].count; i++) push_entry(L, &book->pages[r].entries[i]);
  lua_setfield(L, -2, "recorded");
}
