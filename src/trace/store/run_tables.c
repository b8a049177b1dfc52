/* The small tables of one stored run, in memory: layouts, tracks, clocks of sources; names on
 * demand; see scan.h. */
#include "trace/store/scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "trace/intern.h"
#include "trace/store/pages.h"

typedef struct {
  const char *text;
  size_t length;
} known_name;

struct tdm_run_tables {
  sqlite3 *database;
  int64_t run;
  tdm_intern strings;
  tdm_layout **layouts;
  size_t layout_count, layout_room;
  tdm_track **tracks;
  size_t track_count, track_room;
  tdm_source **sources;
  size_t source_count, source_room;
  int64_t (*chunks)[2]; /* by source: first and last id; NULL: not asked yet */
  known_name *names;
  size_t name_room;
  sqlite3_stmt *find_name;
  char failure[256]; /* of reading names; "" so far none */
};

enum { IDS_MAX = 1 << 28 }; /* a damaged file must not make us allocate without end */

static const char *keep(tdm_run_tables *tables, const void *text) {
  const char *bytes = text != NULL ? text : "";
  uint32_t id = tdm_intern_put(&tables->strings, bytes, strlen(bytes), NULL);
  return id == TDM_INTERN_FAILED ? NULL : tables->strings.entries[id].bytes;
}

static int64_t number_or_none(sqlite3_stmt *row, int column) {
  return sqlite3_column_type(row, column) == SQLITE_NULL ? TDM_NONE
                                                         : sqlite3_column_int64(row, column);
}

/* The index of `text` among what `name` gives for 0 … count - 1; the last when it is none. */
static int index_of(const void *text, const char *(*name)(int), int count) {
  for (int i = 0; i < count - 1; i++)
    if (text != NULL && strcmp(text, name(i)) == 0) return i;
  return count - 1;
}
static const char *lane_at(int i) {
  return tdm_lane_name((tdm_lane)i);
}
static const char *kind_at(int i) {
  return tdm_track_kind_name((tdm_track_kind)i);
}

/* A zeroed item at `id` of an array of pointers; NULL: out of memory, or no sensible id. */
static void *item_at(void *items, size_t *count, size_t *room, int64_t id, size_t size) {
  if (id < 0 || id > IDS_MAX || !tdm_array_grow(items, room, (size_t)id + 1, sizeof(void *)))
    return NULL;
  void **array;
  memcpy(&array, items, sizeof array);
  for (; *count <= (size_t)id; ++*count) array[*count] = NULL;
  free(array[id]);
  return array[id] = tdm_array_new(1, size);
}

static int take_track(tdm_run_tables *tables, sqlite3_stmt *row) {
  tdm_track *track = item_at(&tables->tracks, &tables->track_count, &tables->track_room,
                             sqlite3_column_int64(row, 0), sizeof *track);
  if (track == NULL) return 0;
  *track = (tdm_track){
      .process = keep(tables, sqlite3_column_text(row, 1)),
      .name = keep(tables, sqlite3_column_text(row, 2)),
      .kind = (tdm_track_kind)index_of(sqlite3_column_text(row, 3), kind_at, TDM_TRACK_KINDS),
      .lane = (tdm_lane)index_of(sqlite3_column_text(row, 4), lane_at, TDM_LANES),
      .capacity = number_or_none(row, 5),
      .pid = number_or_none(row, 6),
      .tid = number_or_none(row, 7),
      .device = number_or_none(row, 8),
      .context = number_or_none(row, 9),
      .stream = number_or_none(row, 10),
      .source = (uint32_t)sqlite3_column_int64(row, 11)};
  return track->process != NULL && track->name != NULL;
}

static int take_source(tdm_run_tables *tables, sqlite3_stmt *row) {
  tdm_source *source = item_at(&tables->sources, &tables->source_count, &tables->source_room,
                               sqlite3_column_int64(row, 0), sizeof *source);
  if (source == NULL) return 0;
  *source = (tdm_source){.path = keep(tables, sqlite3_column_text(row, 1)),
                         .format = keep(tables, sqlite3_column_text(row, 2)),
                         .detail = keep(tables, sqlite3_column_text(row, 3)),
                         .rank = number_or_none(row, 4),
                         .utc_ns = number_or_none(row, 5),
                         .offset_ns = sqlite3_column_int64(row, 6),
                         .first_ns = number_or_none(row, 7),
                         .last_ns = number_or_none(row, 8),
                         .rows = (uint64_t)sqlite3_column_int64(row, 9)};
  return source->path != NULL && source->format != NULL && source->detail != NULL;
}

static int take_layout(tdm_run_tables *tables, sqlite3_stmt *row) {
  tdm_layout *layout = item_at(&tables->layouts, &tables->layout_count, &tables->layout_room,
                               sqlite3_column_int64(row, 0), sizeof *layout);
  if (layout == NULL) return 0;
  const char *shape = (const char *)sqlite3_column_text(row, 2);
  layout->category = keep(tables, sqlite3_column_text(row, 1));
  for (int i = 0; i < TDM_SHAPES; i++)
    if (shape != NULL && strcmp(shape, tdm_shape_name((tdm_shape)i)) == 0)
      layout->shape = (tdm_shape)i;
  return layout->category != NULL;
}

/* Arguments come in order of layout and position. */
static int take_arg(tdm_run_tables *tables, sqlite3_stmt *row) {
  int64_t id = sqlite3_column_int64(row, 0);
  if (id < 0 || (size_t)id >= tables->layout_count || tables->layouts[id] == NULL) return 1;
  tdm_layout *layout = tables->layouts[id];
  if (layout->args >= TDM_LAYOUT_ARGS) return 1;
  tdm_arg *args = realloc((void *)layout->arg, (layout->args + 1) * sizeof *args);
  if (args == NULL) return 0;
  layout->arg = args;
  const char *type = (const char *)sqlite3_column_text(row, 2);
  tdm_arg arg = {.key = keep(tables, sqlite3_column_text(row, 1)), .type = TDM_ARG_INT};
  for (int i = 0; i < TDM_ARG_TYPES; i++)
    if (type != NULL && strcmp(type, tdm_arg_type_name((tdm_arg_type)i)) == 0)
      arg.type = (tdm_arg_type)i;
  if (arg.key == NULL) return 0;
  args[layout->args++] = arg;
  return 1;
}

static tdm_status each_row(tdm_run_tables *tables, const char *sql,
                           int (*take)(tdm_run_tables *, sqlite3_stmt *), tdm_error *error) {
  sqlite3_stmt *rows = NULL;
  int code = sqlite3_prepare_v2(tables->database, sql, -1, &rows, NULL), taken = 1;
  if (code == SQLITE_OK) code = sqlite3_bind_int64(rows, 1, tables->run);
  while (taken && (code = sqlite3_step(rows)) == SQLITE_ROW) taken = take(tables, rows);
  sqlite3_finalize(rows);
  if (!taken) return tdm_error_memory(error, "the tables of a run", 0);
  if (code != SQLITE_DONE)
    return tdm_error_set(error, TDM_IO, "cannot read the store: %s",
                         tdm_pages_reason(tables->database));
  return TDM_OK;
}

static int run_exists(tdm_run_tables *tables, sqlite3_stmt *row) {
  (void)row;
  tables->name_room = 1;
  return 1;
}

/* Sources are counted from 0, so that analyses may have an array of them, or of their pairs; tracks
 * are of one that is there. A stranger's store need not be so. */
static tdm_status check_sources(const tdm_run_tables *tables, tdm_error *error) {
  for (size_t i = 0; i < tables->source_count; i++)
    if (tables->sources[i] == NULL)
      return tdm_error_set(error, TDM_IO,
                           "the run is damaged: it has a source number %zu and no %zu",
                           tables->source_count - 1, i);
  for (size_t i = 0; i < tables->track_count; i++)
    if (tables->tracks[i] != NULL && tables->tracks[i]->source > 0 &&
        tables->tracks[i]->source >= tables->source_count)
      return tdm_error_set(error, TDM_IO,
                           "the run is damaged: track %zu is of source %u, of %zu that it has", i,
                           tables->tracks[i]->source, tables->source_count);
  return TDM_OK;
}

tdm_status tdm_run_tables_open(sqlite3 *database, int64_t run, tdm_run_tables **out,
                               tdm_error *error) {
  *out = NULL;
  tdm_run_tables *tables = tdm_array_new(1, sizeof *tables);
  if (tables == NULL) return tdm_error_memory(error, "the tables of a run", sizeof *tables);
  tables->database = database;
  tables->run = run;
  tdm_status status = each_row(tables, "SELECT 1 FROM run WHERE number = ?1", run_exists, error);
  if (status == TDM_OK && tables->name_room == 0)
    status = tdm_error_set(error, TDM_INVALID, "no run number %lld", (long long)run);
  tables->name_room = 0;
  if (status == TDM_OK)
    status = each_row(tables,
                      "SELECT id, process, name, kind, lane, capacity, pid, tid, device, context,"
                      " stream, source FROM track WHERE run = ?1 ORDER BY id",
                      take_track, error);
  if (status == TDM_OK)
    status = each_row(tables,
                      "SELECT id, path, format, detail, rank, utc_ns, offset_ns, first_ns,"
                      " last_ns, rows FROM source WHERE run = ?1 ORDER BY id",
                      take_source, error);
  if (status == TDM_OK) status = check_sources(tables, error);
  if (status == TDM_OK)
    status = each_row(tables, "SELECT id, category, shape FROM layout WHERE run = ?1 ORDER BY id",
                      take_layout, error);
  if (status == TDM_OK)
    status = each_row(tables,
                      "SELECT layout, key, type FROM layout_arg WHERE run = ?1"
                      " ORDER BY layout, position",
                      take_arg, error);
  if (status == TDM_OK &&
      sqlite3_prepare_v3(database,
                         "SELECT id, name FROM name WHERE run = ?1 AND id BETWEEN ?2 AND ?3", -1,
                         SQLITE_PREPARE_PERSISTENT, &tables->find_name, NULL) != SQLITE_OK)
    status = tdm_error_set(error, TDM_IO, "cannot read the store: %s", tdm_pages_reason(database));
  if (status == TDM_OK)
    *out = tables;
  else
    tdm_run_tables_close(tables);
  return status;
}

void tdm_run_tables_close(tdm_run_tables *tables) {
  if (tables == NULL) return;
  sqlite3_finalize(tables->find_name);
  for (size_t i = 0; i < tables->layout_count; i++) {
    if (tables->layouts[i] != NULL) free((void *)tables->layouts[i]->arg);
    free(tables->layouts[i]);
  }
  for (size_t i = 0; i < tables->track_count; i++) free(tables->tracks[i]);
  for (size_t i = 0; i < tables->source_count; i++) free(tables->sources[i]);
  free(tables->layouts);
  free(tables->tracks);
  free(tables->sources);
  free(tables->chunks);
  free(tables->names);
  tdm_intern_clear(&tables->strings);
  free(tables);
}

int64_t tdm_run_tables_run(const tdm_run_tables *tables) {
  return tables->run;
}
uint32_t tdm_run_tables_layouts(const tdm_run_tables *tables) {
  return (uint32_t)tables->layout_count;
}
uint32_t tdm_run_tables_tracks(const tdm_run_tables *tables) {
  return (uint32_t)tables->track_count;
}
uint32_t tdm_run_tables_sources(const tdm_run_tables *tables) {
  return (uint32_t)tables->source_count;
}

const tdm_layout *tdm_run_tables_layout(const tdm_run_tables *tables, int64_t id) {
  return id >= 0 && (size_t)id < tables->layout_count ? tables->layouts[id] : NULL;
}
const tdm_track *tdm_run_tables_track(const tdm_run_tables *tables, int64_t id) {
  return id >= 0 && (size_t)id < tables->track_count ? tables->tracks[id] : NULL;
}
const tdm_source *tdm_run_tables_source(const tdm_run_tables *tables, int64_t id) {
  return id >= 0 && (size_t)id < tables->source_count ? tables->sources[id] : NULL;
}

static int take_chunks(tdm_run_tables *tables, sqlite3_stmt *row) {
  int64_t source = sqlite3_column_int64(row, 0);
  if (source < 0 || (size_t)source >= tables->source_count) return 1;
  tables->chunks[source][0] = sqlite3_column_int64(row, 1);
  tables->chunks[source][1] = sqlite3_column_int64(row, 2);
  return 1;
}

tdm_status tdm_run_tables_chunks(tdm_run_tables *tables, int64_t source, int64_t *first,
                                 int64_t *last, tdm_error *error) {
  tdm_status status = TDM_OK;
  *first = 1;
  *last = 0;
  if (tables->chunks == NULL) {
    tables->chunks = tdm_array_new(tables->source_count + 1, sizeof *tables->chunks);
    if (tables->chunks == NULL)
      return tdm_error_memory(error, "the tables of a run", tables->source_count * 16);
    for (size_t s = 0; s < tables->source_count; s++) tables->chunks[s][0] = 1;
    status = each_row(tables,
                      "SELECT source, min(id), max(id) FROM chunk WHERE run = ?1 GROUP BY source",
                      take_chunks, error);
  }
  if (status == TDM_OK && source >= 0 && (size_t)source < tables->source_count) {
    *first = tables->chunks[source][0];
    *last = tables->chunks[source][1];
  }
  return status;
}

/* A name is read with those that follow it: they are of the same kind and are wanted next. */
enum { NAMES_AT_ONCE = 32 };

static void lose_name(tdm_run_tables *tables, const char *why) {
  if (tables->failure[0] == 0) snprintf(tables->failure, sizeof tables->failure, "%s", why);
}

static void read_names(tdm_run_tables *tables, int64_t id) {
  sqlite3_stmt *row = tables->find_name;
  sqlite3_bind_int64(row, 1, tables->run);
  sqlite3_bind_int64(row, 2, id);
  sqlite3_bind_int64(row, 3, id + NAMES_AT_ONCE - 1);
  int code;
  while ((code = sqlite3_step(row)) == SQLITE_ROW) {
    known_name *name = &tables->names[sqlite3_column_int64(row, 0)];
    const char *text = (const char *)sqlite3_column_text(row, 1);
    size_t bytes = (size_t)sqlite3_column_bytes(row, 1);
    if (text == NULL) lose_name(tables, "out of memory"); /* none is stored as NULL */
    if (name->text != NULL || text == NULL) continue;
    uint32_t kept = tdm_intern_put(&tables->strings, text, bytes, NULL);
    if (kept != TDM_INTERN_FAILED)
      *name = (known_name){tables->strings.entries[kept].bytes, bytes};
    else
      lose_name(tables, "out of memory");
  }
  if (code != SQLITE_DONE) lose_name(tables, tdm_pages_reason(tables->database));
  sqlite3_reset(row);
}

tdm_status tdm_run_tables_sound(const tdm_run_tables *tables, tdm_error *error) {
  if (tables->failure[0] == 0) return TDM_OK;
  return tdm_error_set(error, TDM_IO, "cannot read the store: %s", tables->failure);
}

const char *tdm_run_tables_name(tdm_run_tables *tables, int64_t id, size_t *length) {
  if (id < 0 || id > IDS_MAX) return NULL;
  size_t old = tables->name_room, need = (size_t)id + NAMES_AT_ONCE;
  if (need > old) {
    if (!tdm_array_grow(&tables->names, &tables->name_room, need, sizeof *tables->names)) {
      lose_name(tables, "out of memory");
      return NULL;
    }
    memset(tables->names + old, 0, (tables->name_room - old) * sizeof *tables->names);
  }
  known_name *name = &tables->names[id];
  if (name->text == NULL) read_names(tables, id);
  if (length != NULL) *length = name->length;
  return name->text;
}
