/* Files into the store and runs out of it, for Lua: core.import, core.export, core.formats,
 * core.recognize. Queries are database.c's; runs of the engine come through keep.c. */
#include <lauxlib.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "bind/bind.h"
#include "bind/database.h"
#include "read/reader.h"
#include "trace/relay.h"
#include "trace/simulated/simulated.h"
#include "trace/store/scan.h"
#include "trace/store/store.h"
#include "write/writer.h"

/* ---- what the caller gave ---- */

static const char *text_field(lua_State *L, const char *key) {
  lua_getfield(L, 1, key);
  return lua_isnil(L, -1) ? NULL : luaL_checkstring(L, -1); /* kept on the stack */
}

static const char *wanted_field(lua_State *L, const char *key) {
  const char *text = text_field(L, key);
  if (text == NULL) luaL_error(L, "'%s' is missing", key);
  return text;
}

static int64_t number_field(lua_State *L, const char *key, int64_t otherwise) {
  int64_t value = otherwise;
  if (lua_getfield(L, 1, key) != LUA_TNIL) value = luaL_checkinteger(L, -1);
  lua_pop(L, 1);
  return value;
}

/* The strings of list `key`, which stays on the stack and owns them. */
static const char **list_field(lua_State *L, const char *key, size_t *count) {
  if (lua_getfield(L, 1, key) != LUA_TTABLE) luaL_error(L, "'%s' is not a list", key);
  int list = lua_gettop(L);
  *count = (size_t)luaL_len(L, list);
  const char **texts = lua_newuserdatauv(L, (*count + 1) * sizeof *texts, 0);
  for (size_t i = 0; i < *count; i++) {
    lua_rawgeti(L, list, (lua_Integer)i + 1);
    texts[i] = luaL_checkstring(L, -1);
    lua_pop(L, 1);
  }
  return texts;
}

static uint64_t dropped_kinds(lua_State *L) {
  static const char *const names[] = {"api", "nvtx", "osrt", "cpu", "gpu", NULL};
  uint64_t kinds = 0;
  if (lua_getfield(L, 1, "without") == LUA_TTABLE) {
    for (lua_Integer i = 1; i <= luaL_len(L, -1); i++) {
      lua_rawgeti(L, -1, i);
      kinds |= UINT64_C(1) << luaL_checkoption(L, -1, NULL, names);
      lua_pop(L, 1);
    }
  }
  lua_pop(L, 1);
  return kinds;
}

static tdm_time_unit time_unit(lua_State *L) {
  static const char *const names[] = {"auto", "ns", "us", "ms", "s", NULL};
  lua_getfield(L, 1, "time_unit");
  int unit = luaL_checkoption(L, -1, "auto", names);
  lua_pop(L, 1);
  return (tdm_time_unit)unit;
}

/* ---- import ---- */

typedef struct {
  lua_State *L;
  atomic_int *flag;
  const char *const *paths;
  int function; /* stack index of the progress function; 0: none */
  int complete; /* of the function that completes the run; 0: none */
  int failed;   /* one of them raised; its error is on the stack's top */
  int refused;  /* the second returned nil, message, code; they are on the stack's top */
} watch;

static int was_stopped(void *context) {
  watch *w = context;
  return w->failed || (w->flag != NULL && atomic_load_explicit(w->flag, memory_order_relaxed) != 0);
}

/* Calls progress(fraction, path); a true answer, an error and Ctrl-C stop the import. */
static int look(void *context, size_t index, double fraction) {
  watch *w = context;
  if (was_stopped(w)) return 1;
  if (w->function == 0) return 0;
  lua_pushvalue(w->L, w->function);
  lua_pushnumber(w->L, fraction);
  lua_pushstring(w->L, w->paths[index]);
  if (lua_pcall(w->L, 2, 1, 0) != LUA_OK) return w->failed = 1;
  int stop = lua_toboolean(w->L, -1);
  lua_pop(w->L, 1);
  return stop;
}

/* The files into an open run, packed in a thread of its own while the next rows are read. */
static tdm_status fill(tdm_store_run *run, const char *const *files, size_t count,
                       const tdm_import_options *options, tdm_error *error) {
  tdm_record_sink store, sink;
  tdm_relay *relay;
  tdm_store_run_sink(run, &store);
  tdm_status status = tdm_relay_open(&store, &relay, error);
  if (status != TDM_OK) return status;
  tdm_relay_sink(relay, &sink);
  status = tdm_import(files, count, options, &sink, error);
  if (status == TDM_OK) status = tdm_relay_finish(relay, error);
  tdm_relay_close(relay);
  return status;
}

/* Calls complete(db, number) within the run's transaction: what it writes comes with the run or not
 * at all. Its object, closed so far, stands above it on the stack. */
static tdm_status complete(watch *w, tdm_store *store, tdm_store_run *run, const char *path,
                           tdm_error *error) {
  lua_State *L = w->L;
  if (w->complete == 0) return TDM_OK;
  tdm_database *database = lua_touserdata(L, w->complete + 1);
  tdm_status status =
      tdm_bind_database_lend(database, tdm_store_database(store), path, w->flag, error);
  if (status != TDM_OK) return status;
  lua_pushvalue(L, w->complete);
  lua_pushvalue(L, w->complete + 1);
  lua_pushinteger(L, tdm_store_run_number(run));
  w->failed = lua_pcall(L, 2, 3, 0) != LUA_OK;
  w->refused = !w->failed && !lua_toboolean(L, -3);
  tdm_bind_database_take_back(database);
  if (w->failed || w->refused) return tdm_error_set(error, TDM_INVALID, "the run was refused");
  lua_pop(L, 3);
  return TDM_OK;
}

/* core.import { store, files, name?, version?, created_utc_ns?, time_unit?, without?, progress?,
 * complete? } → the run's id | nil, message, code. All files, or nothing is stored: complete(db,
 * number), which is called when all is read, may add to the run and must return true, or nil,
 * message, code. */
static int import(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  const char *store_path = wanted_field(L, "store");
  size_t count;
  const char **files = list_field(L, "files", &count);
  if (count == 0) return luaL_error(L, "'files' is empty");
  tdm_run_info info = {.measured = 1,
                       .name = text_field(L, "name"),
                       .version = text_field(L, "version"),
                       .created_utc_ns = number_field(L, "created_utc_ns", TDM_NONE)};
  if (info.name == NULL) info.name = files[0];
  watch w = {.L = L, .flag = tdm_bind_interrupt(L), .paths = files};
  tdm_import_options options = {
      .time_unit = time_unit(L), .dropped = dropped_kinds(L), .progress = look, .context = &w};
  if (lua_getfield(L, 1, "progress") != LUA_TNIL) w.function = lua_gettop(L);
  if (lua_getfield(L, 1, "complete") != LUA_TNIL) {
    w.complete = lua_gettop(L);
    tdm_bind_database_new(L);
  }
  luaL_checkstack(L, 8, "import");
  tdm_store *store;
  tdm_error error;
  char id[TDM_STORE_ID_LENGTH + 1];
  tdm_status status = tdm_store_open(store_path, was_stopped, &w, &store, &error);
  tdm_store_run *run = NULL;
  if (status == TDM_OK) status = tdm_store_begin_run(store, &info, &run, &error);
  if (status == TDM_OK) {
    memcpy(id, tdm_store_run_id(run), sizeof id);
    status = fill(run, files, count, &options, &error);
    if (status == TDM_OK) status = complete(&w, store, run, store_path, &error);
    if (status == TDM_OK)
      status = tdm_store_commit_run(run, NULL, &error);
    else
      tdm_store_discard_run(run);
  }
  tdm_store_close(store);
  if (w.failed) return lua_error(L);
  if (w.refused) return 3;
  if (status != TDM_OK) return tdm_bind_failure(L, &error);
  lua_pushstring(L, id);
  return 1;
}

/* ---- export ---- */

/* What a run is exported from: its recording, or one of the capture that it could have been. */
static tdm_status as_captured(tdm_recording **recording, const tdm_writer *writer,
                              tdm_error *error) {
  tdm_captured_manner manner =
      writer == &tdm_writer_chrome ? TDM_CAPTURED_KINETO : TDM_CAPTURED_NVTX;
  tdm_recording *captured = tdm_recording_new();
  if (captured == NULL) return tdm_error_memory(error, "a trace", 0);
  tdm_record_sink sink;
  tdm_recording_sink(captured, &sink);
  tdm_status status = tdm_captured(*recording, manner, &sink, error);
  tdm_recording_free(*recording);
  *recording = captured;
  return status;
}

/* A part of a run's time without records is mostly a slip; a run without any may be what it is. */
static tdm_status check_part(const tdm_recording *recording, int64_t from_ns, int64_t to_ns,
                             tdm_error *error) {
  if (from_ns == INT64_MIN && to_ns == INT64_MAX) return TDM_OK;
  for (uint32_t i = 0; i < tdm_recording_layouts(recording); i++) {
    const tdm_kept_rows *rows = tdm_recording_rows(recording, i);
    if (rows != NULL && rows->count > 0) return TDM_OK;
  }
  return tdm_error_set(error, TDM_INVALID, "no record of the run lies in this part of its time");
}

static tdm_status export_run(tdm_store *store, const char *text, const tdm_writer *writer,
                             const char *path, int64_t from_ns, int64_t to_ns, bool captured,
                             const tdm_write_options *options, tdm_error *error) {
  int64_t number;
  struct sqlite3 *database = tdm_store_database(store);
  tdm_status status = tdm_store_number(database, text, &number, NULL, error);
  if (status != TDM_OK) return status;
  tdm_recording *recording = tdm_recording_new();
  if (recording == NULL) return tdm_error_memory(error, "a trace", 0);
  tdm_record_sink sink;
  tdm_recording_sink(recording, &sink);
  status = tdm_store_load(database, number, from_ns, to_ns, &sink, error);
  if (status == TDM_OK) status = check_part(recording, from_ns, to_ns, error);
  if (status == TDM_OK && captured) status = as_captured(&recording, writer, error);
  if (status == TDM_OK) status = writer->write(recording, path, options, error);
  tdm_recording_free(recording);
  return status;
}

/* Lines, each with its end: what a writer notes while Lua must not raise. */
typedef struct {
  char *text;
  size_t length, room;
} note_list;

static void take_note(void *context, const char *text) {
  note_list *notes = context;
  size_t length = strlen(text) + 1;
  if (!tdm_array_grow(&notes->text, &notes->room, notes->length + length, 1)) return;
  memcpy(notes->text + notes->length, text, length);
  notes->length += length;
}

static void push_notes(lua_State *L, const note_list *notes) {
  lua_newtable(L);
  lua_Integer count = 0;
  for (size_t at = 0; at < notes->length; at += strlen(notes->text + at) + 1) {
    lua_pushstring(L, notes->text + at);
    lua_rawseti(L, -2, ++count);
  }
}

/* core.export { store, run, format, path, from_ns?, to_ns?, captured?, table?, name?, version? } →
 * what the format could not express, a list of lines | nil, message, code. `run` is an id's
 * beginning or "last"; a format that is not there raises. */
static int export_file(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  const char *store_path = wanted_field(L, "store"), *text = wanted_field(L, "run");
  const char *format = wanted_field(L, "format"), *path = wanted_field(L, "path");
  tdm_write_options options = {
      .run_id = text, .run_name = text_field(L, "name"), .version = text_field(L, "version")};
  options.table = text_field(L, "table");
  int64_t from_ns = number_field(L, "from_ns", INT64_MIN);
  int64_t to_ns = number_field(L, "to_ns", INT64_MAX);
  const tdm_writer *writer = tdm_writer_named(format);
  if (writer == NULL) return luaL_error(L, "no format '%s'", format);
  lua_getfield(L, 1, "captured");
  bool captured = lua_toboolean(L, -1);
  watch w = {.L = L, .flag = tdm_bind_interrupt(L)};
  tdm_store *store;
  tdm_error error;
  note_list notes = {0};
  options.note = take_note;
  options.note_context = &notes;
  tdm_status status = tdm_store_open(store_path, was_stopped, &w, &store, &error);
  if (status == TDM_OK)
    status = export_run(store, text, writer, path, from_ns, to_ns, captured, &options, &error);
  tdm_store_close(store);
  if (status == TDM_OK) push_notes(L, &notes);
  free(notes.text);
  return status == TDM_OK ? 1 : tdm_bind_failure(L, &error);
}

/* ---- what is read ---- */

static const char watching_key[] = "tandem.reading";

/* Within a scan, hence nothing may be raised: who raises is not told again. */
static void tell_reader(void *context, int64_t run, size_t rows) {
  lua_State *L = context;
  if (!lua_checkstack(L, 4)) return;
  lua_getfield(L, LUA_REGISTRYINDEX, watching_key);
  lua_pushinteger(L, run);
  lua_pushinteger(L, (lua_Integer)rows);
  if (lua_pcall(L, 2, 0, 0) == LUA_OK) return;
  lua_pop(L, 1);
  tdm_scan_watch(NULL, NULL);
}

/* core.reading(tell | nil): tell(run, rows) is called after each chunk of rows that is read from a
 * store here, from now on; in the coroutine that asks. */
static int reading(lua_State *L) {
  lua_settop(L, 1);
  bool told = !lua_isnil(L, 1);
  if (told) luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_setfield(L, LUA_REGISTRYINDEX, watching_key);
  tdm_scan_watch(told ? tell_reader : NULL, L);
  return 0;
}

/* ---- formats ---- */

static void put_text(lua_State *L, const char *key, const char *text) {
  lua_pushstring(L, text);
  lua_setfield(L, -2, key);
}

/* core.formats() → { readers = {{ name, title, accepts }}, writers = {{ name, title, ending }} } */
static int formats(lua_State *L) {
  lua_createtable(L, 0, 2);
  lua_newtable(L);
  for (size_t i = 0; tdm_readers[i] != NULL; i++) {
    lua_createtable(L, 0, 3);
    put_text(L, "name", tdm_readers[i]->name);
    put_text(L, "title", tdm_readers[i]->title);
    put_text(L, "accepts", tdm_readers[i]->accepts);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_setfield(L, -2, "readers");
  lua_newtable(L);
  for (size_t i = 0; tdm_writers[i] != NULL; i++) {
    lua_createtable(L, 0, 3);
    put_text(L, "name", tdm_writers[i]->name);
    put_text(L, "title", tdm_writers[i]->title);
    put_text(L, "ending", tdm_writers[i]->ending);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_setfield(L, -2, "writers");
  return 1;
}

/* core.recognize(path) → the first bytes of a regular file, unpacked, and the title of the trace
 * format that they are in, or nil | nil, message, code. Nothing else can be looked at without
 * taking it from who reads it. */
static int recognize(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  tdm_error error = {0};
  tdm_input *input;
  const unsigned char *head;
  size_t length;
  const tdm_reader *reader;
  struct stat about;
  if (stat(path, &about) != 0 || !S_ISREG(about.st_mode)) {
    tdm_error_set(&error, TDM_IO, "cannot look into %s: it is not a file", path);
    return tdm_bind_failure(L, &error);
  }
  tdm_status status = tdm_input_open(path, &input, &error);
  if (status != TDM_OK) return tdm_bind_failure(L, &error);
  status = tdm_input_head(input, &head, &length, &error);
  if (status == TDM_OK) {
    lua_pushlstring(L, (const char *)head, length);
    if (tdm_reader_find(input, &reader, &error) == TDM_OK)
      lua_pushstring(L, reader->title);
    else
      lua_pushnil(L);
  }
  tdm_input_close(input);
  return status == TDM_OK ? 2 : tdm_bind_failure(L, &error);
}

void tdm_bind_open_store(lua_State *L) {
  static const luaL_Reg functions[] = {{"import", import},       {"export", export_file},
                                       {"reading", reading},     {"formats", formats},
                                       {"recognize", recognize}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
