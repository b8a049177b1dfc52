/* Reads the HDF5 layout that tandem writes, and what others write in it; see hdf5/layout.h.
 *
 * A file may hold several sources. Records are made one source after the other, each from the rows
 * on its own tracks, so that a file of many sources is gone through as often. */
#include "read/hdf5/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "hdf5/layout.h"
#include "read/hdf5/hdf5.h"

enum { BLOCK_ROWS = 65536 };

static const tdm_hdf5_group_name group_names[] = {TDM_HDF5_GROUP_NAMES};
static const tdm_hdf5_column_name column_names[] = {TDM_HDF5_COLUMN_NAMES};

/* A dataset on its way into a column of a layout. */
typedef struct {
  const tdm_hdf5_table *table; /* NULL: a constant */
  const char *key;
  tdm_arg_type type;
  uint32_t position;
  int64_t absent;  /* a value that means none; the constant */
  uint32_t *names; /* name ids by index; NULL: its values are no indices */
  size_t name_count;
  int are_tracks;
  tdm_hdf5_block block;
} column;

/* The columns before the arguments. */
enum { START, DURATION, TRACK, NAME, BASE };

typedef struct {
  const char *path; /* "cuda_kernel", "edges/edge" */
  tdm_shape shape;
  const char *category, *kind; /* kind: of all its rows; NULL: as a column says */
  int native;                  /* written by tandem: has tracks */
  uint64_t rows;
  column *columns; /* BASE, then arguments */
  size_t count;
  int64_t order; /* among the groups as they were written */
  uint32_t layout;
} group;

typedef struct {
  tdm_hdf5_import import;
  const tdm_read_options *options;
  int64_t zero_ns;
  group *groups;
  size_t group_count, group_room;
  uint64_t rows_total, rows_done;
  uint32_t *pick; /* [BLOCK_ROWS] rows of the block that are wanted */
  /* Of files from elsewhere: the track of the stream seen last. */
  int64_t last_stream;
  const group *last_group;
  uint32_t last_track;
} reading;

bool tdm_tandem_hdf5_is(const tdm_hdf5_file *file) {
  return tdm_hdf5_note(file, "meta", "tandem_format") != NULL ||
         tdm_hdf5_find(file, "meta/categories") != NULL;
}

/* ---- groups and their columns */

static const char *note_text(const tdm_hdf5_file *file, const char *owner, const char *name) {
  const tdm_hdf5_attribute *note = tdm_hdf5_note(file, owner, name);
  return note != NULL ? note->text : NULL;
}

static tdm_status misfit(const reading *r, const tdm_hdf5_table *table, const char *what) {
  return tdm_error_set(r->import.error, TDM_INVALID, "%s: damaged HDF5 file: %s %s", r->import.path,
                       table->path, what);
}

/* The ids of the texts at names/WHERE. */
static tdm_status load_names(reading *r, const char *where, column *into) {
  char path[1024];
  snprintf(path, sizeof path, "names/%s", where);
  const tdm_hdf5_table *table = tdm_hdf5_find(r->import.file, path);
  if (table == NULL || table->column[0].kind != TDM_HDF5_TEXT)
    return tdm_error_set(r->import.error, TDM_INVALID,
                         "%s: damaged HDF5 file: it has no texts at %.200s", r->import.path, path);
  tdm_hdf5_texts texts;
  tdm_status status = tdm_hdf5_load_texts(r->import.file, table, &texts, r->import.error);
  if (status != TDM_OK) return status;
  into->names = tdm_array_new(texts.count, sizeof *into->names);
  if (into->names == NULL) status = tdm_error_memory(r->import.error, "names", texts.count);
  for (size_t i = 0; status == TDM_OK && i < texts.count; i++)
    into->names[i] = tdm_record_text(r->import.recorder, tdm_hdf5_text_at(&texts, i));
  into->name_count = texts.count;
  tdm_hdf5_texts_free(&texts);
  return status;
}

static tdm_arg_type type_named(const char *name) {
  for (int type = 0; name != NULL && type < TDM_ARG_TYPES; type++)
    if (strcmp(tdm_arg_type_name((tdm_arg_type)type), name) == 0) return (tdm_arg_type)type;
  return TDM_ARG_INT;
}

static tdm_shape shape_named(const char *name) {
  for (int shape = 0; name != NULL && shape < TDM_SHAPES; shape++)
    if (strcmp(tdm_shape_name((tdm_shape)shape), name) == 0) return (tdm_shape)shape;
  return TDM_SHAPE_SPAN;
}

static const char *key_of(const tdm_hdf5_file *file, const tdm_hdf5_table *table,
                          const char *name) {
  const char *key = note_text(file, table->path, "key");
  if (key != NULL) return key;
  for (size_t i = 0; i < sizeof column_names / sizeof *column_names; i++)
    if (strcmp(column_names[i].column, name) == 0) return column_names[i].key;
  return name;
}

/* The BASE column that a dataset is; BASE: an argument. */
static int base_of(const group *g, const char *name) {
  if (strcmp(name, "start_ns") == 0) return START;
  if (strcmp(name, "duration_ns") == 0) return DURATION;
  if (strcmp(name, "name_idx") == 0) return NAME;
  return strcmp(name, g->native ? "track" : "stream") == 0 ? TRACK : BASE;
}

static tdm_status describe_argument(reading *r, const group *g, const tdm_hdf5_table *table,
                                    const char *name, column *out) {
  tdm_hdf5_file *file = r->import.file;
  const tdm_hdf5_attribute *position = tdm_hdf5_note(file, table->path, "position");
  out->key = key_of(file, table, name);
  out->type = type_named(note_text(file, table->path, "type"));
  out->position = position != NULL ? (uint32_t)position->integer : (uint32_t)g->count;
  int is_text = out->type == TDM_ARG_TEXT || out->type == TDM_ARG_JSON;
  if (table->column[0].kind == TDM_HDF5_REAL) {
    out->type = TDM_ARG_REAL;
  } else if (table->column[0].kind == TDM_HDF5_TEXT) {
    if (!is_text) out->type = TDM_ARG_TEXT;
  } else if (is_text) {
    char where[800];
    snprintf(where, sizeof where, "%.300s.%.300s", g->path, name);
    return load_names(r, where, out);
  } else if (out->type == TDM_ARG_REAL) {
    out->type = TDM_ARG_INT;
  }
  out->are_tracks =
      g->shape == TDM_SHAPE_EDGE && out->type == TDM_ARG_INT && strcmp(out->key, "to_track") == 0;
  return TDM_OK;
}

static tdm_status describe_column(reading *r, group *g, const tdm_hdf5_table *table) {
  const char *name = table->path + strlen(g->path) + 1;
  if (strchr(name, '/') != NULL || table->column[0].kind == TDM_HDF5_OTHER) return TDM_OK;
  if (table->columns != 1 || table->column[0].name[0] != 0)
    return misfit(r, table, "is not a single column");
  if (table->rows != g->rows) return misfit(r, table, "is not as long as start_ns beside it");
  int base = base_of(g, name);
  if (base == BASE && g->native && strcmp(name, "stream") == 0)
    return TDM_OK; /* the track has it */
  if (base != BASE && table->column[0].kind != TDM_HDF5_INT)
    return misfit(r, table, "holds no integers");
  column *out = base == BASE ? &g->columns[g->count] : &g->columns[base];
  out->table = table;
  out->absent = tdm_hdf5_absent(r->import.file, table);
  if (base == NAME) return load_names(r, g->path, out);
  if (base != BASE) return TDM_OK;
  g->count++;
  return describe_argument(r, g, table, name, out);
}

static int by_position(const void *a, const void *b) {
  const column *x = a, *y = b;
  return x->position < y->position ? -1 : x->position > y->position;
}

/* What a group of a file from elsewhere is, by its name. */
static void classify(group *g) {
  g->category = g->path;
  for (size_t i = 0; i < sizeof group_names / sizeof *group_names; i++)
    if (strcmp(group_names[i].group, g->path) == 0) {
      g->category = group_names[i].category;
      g->kind = group_names[i].kind;
    }
}

static tdm_status describe_group(reading *r, group *g, size_t first_table) {
  tdm_hdf5_file *file = r->import.file;
  size_t length = strlen(g->path), tables = 0;
  const tdm_hdf5_table *table;
  const char *category = note_text(file, g->path, "category");
  const tdm_hdf5_attribute *order = tdm_hdf5_note(file, g->path, "layout");
  g->order = order != NULL ? order->integer : INT64_MAX;
  g->native = category != NULL;
  g->shape = shape_named(note_text(file, g->path, "shape"));
  g->category = category;
  if (!g->native) classify(g);
  for (; (table = tdm_hdf5_table_at(file, first_table + tables)) != NULL; tables++)
    if (strncmp(table->path, g->path, length) != 0 || table->path[length] != '/') break;
  g->columns = tdm_array_new(BASE + tables + 1, sizeof *g->columns);
  if (g->columns == NULL) return tdm_error_memory(r->import.error, "columns", tables);
  g->count = BASE;
  for (size_t i = 0; i < tables; i++) {
    tdm_status status = describe_column(r, g, tdm_hdf5_table_at(file, first_table + i));
    if (status != TDM_OK) return status;
  }
  for (int base = 0; base < BASE; base++)
    if (g->columns[base].table == NULL && (base != TRACK || g->native))
      return tdm_error_set(r->import.error, TDM_INVALID,
                           "%s: damaged HDF5 file: %s lacks one of start_ns, duration_ns, "
                           "name_idx, %s",
                           r->import.path, g->path, g->native ? "track" : "stream");
  if (g->kind != NULL)
    g->columns[g->count++] = (column){.key = "kind",
                                      .type = TDM_ARG_TEXT,
                                      .position = UINT32_MAX,
                                      .absent = tdm_record_text(r->import.recorder, g->kind)};
  qsort(g->columns + BASE, g->count - BASE, sizeof *g->columns, by_position);
  if ((g->shape == TDM_SHAPE_EDGE && (g->count == BASE || !g->columns[BASE].are_tracks)) ||
      (g->shape == TDM_SHAPE_SAMPLE &&
       (g->count == BASE || strcmp(g->columns[BASE].key, "value") != 0)))
    return misfit(r, g->columns[START].table, "has no column for what its rows are");
  if (g->count - BASE <= TDM_LAYOUT_ARGS) return TDM_OK;
  return tdm_error_set(r->import.error, TDM_LIMIT, "%s: %s has more than %d columns",
                       r->import.path, g->path, TDM_LAYOUT_ARGS);
}

/* The layout is made when the first source has begun. */
static void make_layout(reading *r, group *g) {
  tdm_arg args[TDM_LAYOUT_ARGS];
  uint32_t count = 0;
  for (size_t i = BASE; i < g->count; i++)
    args[count++] = (tdm_arg){g->columns[i].key, g->columns[i].type};
  g->layout = tdm_record_layout(r->import.recorder, g->category, g->shape, args, count);
}

static int by_order(const void *a, const void *b) {
  const group *x = a, *y = b;
  if (x->order != y->order) return x->order < y->order ? -1 : 1;
  return strcmp(x->path, y->path);
}

/* A group that is wanted: it has a start_ns and lies neither in /meta nor in /names. */
static tdm_status find_groups(reading *r) {
  static const char ending[] = "/start_ns";
  tdm_hdf5_file *file = r->import.file;
  size_t first = 0, above = 0;
  const char *last = "";
  for (size_t i = 0; i < tdm_hdf5_tables(file); i++) {
    const tdm_hdf5_table *table = tdm_hdf5_table_at(file, i);
    const char *slash = strrchr(table->path, '/');
    size_t length = slash != NULL ? (size_t)(slash - table->path) : 0;
    if (length != above || strncmp(table->path, last, length) != 0) {
      first = i;
      above = length;
      last = table->path;
    }
    if (slash == NULL || strcmp(slash, ending) != 0 || strncmp(table->path, "meta/", 5) == 0 ||
        strncmp(table->path, "names/", 6) == 0)
      continue;
    if (!tdm_array_grow(&r->groups, &r->group_room, r->group_count + 1, sizeof *r->groups))
      return tdm_error_memory(r->import.error, "groups", r->group_count);
    char *path = tdm_string_copy(table->path);
    if (path == NULL) return tdm_error_memory(r->import.error, "a path", length);
    path[length] = 0;
    group *g = &r->groups[r->group_count++];
    *g = (group){.path = path, .rows = table->rows};
    r->rows_total += table->rows;
    tdm_status status = describe_group(r, g, first);
    if (status != TDM_OK) return status;
  }
  if (r->group_count > 0) qsort(r->groups, r->group_count, sizeof *r->groups, by_order);
  return TDM_OK;
}

static void free_groups(reading *r) {
  for (size_t i = 0; i < r->group_count; i++) {
    group *g = &r->groups[i];
    for (size_t c = 0; g->columns != NULL && c < g->count; c++) {
      free(g->columns[c].names);
      tdm_hdf5_block_free(&g->columns[c].block);
    }
    free(g->columns);
    free((void *)g->path);
  }
  free(r->groups);
  free(r->pick);
}

/* ---- rows */

static tdm_status load(reading *r, column *c, uint64_t first) {
  if (c->table == NULL) return TDM_OK;
  return tdm_hdf5_rows(r->import.file, c->table, &(uint32_t){0}, 1, first, BLOCK_ROWS, &c->block,
                       r->import.error);
}

static int64_t number_at(const column *c, size_t row) {
  int64_t value = c->block.column[0].integer[row];
  return value == c->absent ? TDM_NONE : value;
}

/* Picks the rows of this source; counts those that lie nowhere with the first source. */
static size_t pick_rows(reading *r, const group *g, size_t source) {
  const column *track = &g->columns[TRACK];
  size_t picked = 0;
  uint64_t lost = 0;
  for (size_t i = 0; i < track->block.count; i++) {
    int64_t number = number_at(track, i);
    if (number < 0 || (uint64_t)number >= r->import.tracks)
      lost++;
    else if ((size_t)r->import.track_source[number] == source)
      r->pick[picked++] = (uint32_t)i;
  }
  if (source == 0)
    tdm_record_problem(r->import.recorder, "rows on tracks that do not exist (left out)", lost);
  return picked;
}

/* Leaves out edges that arrive in a source that comes later: its tracks are not known yet. */
static size_t drop_edges_ahead(reading *r, const column *to, size_t picked) {
  size_t left = 0;
  for (size_t i = 0; i < picked; i++) {
    int64_t number = number_at(to, r->pick[i]);
    if (number != TDM_NONE && (number < 0 || (uint64_t)number >= r->import.tracks ||
                               r->import.track_id[number] == TDM_HDF5_NO_TRACK))
      continue;
    r->pick[left++] = r->pick[i];
  }
  tdm_record_problem(r->import.recorder, "edges to tracks of a later source (left out)",
                     picked - left);
  return left;
}

/* The track of a stream in a file that has no tracks. */
static int64_t stream_track(reading *r, const group *g, int64_t stream) {
  if (r->last_group == g && r->last_stream == stream) return r->last_track;
  char name[40];
  tdm_track track = TDM_TRACK_PLAIN;
  int on_gpu = strncmp(g->path, "cuda_", 5) == 0;
  snprintf(name, sizeof name, "stream %lld", (long long)stream);
  track.process = on_gpu ? "GPU" : "host";
  track.name = on_gpu && stream != TDM_NONE ? name : g->path;
  track.kind = on_gpu ? TDM_TRACK_STREAM : TDM_TRACK_THREAD;
  track.lane = on_gpu ? TDM_LANE_GPU : TDM_LANE_CPU;
  if (on_gpu) track.stream = stream;
  r->last_track = tdm_record_track(r->import.recorder, &track);
  r->last_group = g;
  r->last_stream = stream;
  return r->last_track;
}

static int64_t name_at(const column *c, size_t row) {
  int64_t index = number_at(c, row);
  return index >= 0 && (uint64_t)index < c->name_count ? (int64_t)c->names[index] : TDM_NONE;
}

static int64_t argument_at(reading *r, const column *c, size_t row) {
  if (c->table == NULL) return c->absent;
  if (c->names != NULL) return name_at(c, row);
  if (c->type == TDM_ARG_REAL) return tdm_record_real(c->block.column[0].real[row]);
  if (c->type == TDM_ARG_TEXT || c->type == TDM_ARG_JSON) {
    const tdm_hdf5_text *text = &c->block.column[0].text[row];
    return tdm_record_name(r->import.recorder, text->bytes, text->length);
  }
  int64_t value = number_at(c, row);
  if (c->are_tracks && value != TDM_NONE) return r->import.track_id[value];
  return c->type == TDM_ARG_BOOL && value != TDM_NONE ? value != 0 : value;
}

static int64_t track_at(reading *r, const group *g, size_t row) {
  const column *c = &g->columns[TRACK];
  if (!g->native) return stream_track(r, g, c->table != NULL ? number_at(c, row) : TDM_NONE);
  return r->import.track_id[number_at(c, row)];
}

/* A row whose name is missing is called "". */
static int64_t row_name(reading *r, const column *c, size_t row) {
  int64_t name = name_at(c, row);
  if (name != TDM_NONE) return name;
  tdm_record_problem(r->import.recorder, "rows without a name", 1);
  return tdm_record_text(r->import.recorder, "");
}

static void record_rows(reading *r, const group *g, size_t picked, int64_t shift_ns) {
  const uint32_t *pick = r->pick;
  for (size_t at = 0; at < picked;) {
    tdm_row_buffer *rows = tdm_record_rows(r->import.recorder, g->layout);
    if (rows == NULL) return;
    size_t n = rows->room - rows->count, from = rows->count;
    if (n > picked - at) n = picked - at;
    const int64_t *start = g->columns[START].block.column[0].integer;
    for (size_t i = 0; i < n; i++)
      rows->column[TDM_START][from + i] =
          (int64_t)((uint64_t)start[pick[at + i]] + (uint64_t)shift_ns);
    const int64_t *duration = g->columns[DURATION].block.column[0].integer;
    for (size_t i = 0; i < n; i++) rows->column[TDM_DUR][from + i] = duration[pick[at + i]];
    for (size_t i = 0; i < n; i++) rows->column[TDM_TRACK][from + i] = track_at(r, g, pick[at + i]);
    for (size_t i = 0; i < n; i++)
      rows->column[TDM_NAME][from + i] = row_name(r, &g->columns[NAME], pick[at + i]);
    for (size_t c = BASE; c < g->count; c++)
      for (size_t i = 0; i < n; i++)
        rows->column[TDM_ARGS + c - BASE][from + i] = argument_at(r, &g->columns[c], pick[at + i]);
    rows->count += n;
    at += n;
  }
}

static tdm_status read_block(reading *r, group *g, size_t source, uint64_t first) {
  size_t picked = 0;
  tdm_status status = load(r, &g->columns[TRACK], first);
  if (status != TDM_OK) return status;
  if (g->native) {
    picked = pick_rows(r, g, source);
    if (picked == 0) return TDM_OK;
  }
  for (size_t c = 0; c < g->count && status == TDM_OK; c++)
    if (c != TRACK) status = load(r, &g->columns[c], first);
  if (status != TDM_OK) return status;
  if (!g->native)
    for (; picked < g->columns[START].block.count; picked++) r->pick[picked] = (uint32_t)picked;
  if (g->count > BASE && g->columns[BASE].are_tracks)
    picked = drop_edges_ahead(r, &g->columns[BASE], picked);
  int64_t offset = source < r->import.sources ? r->import.offset_ns[source] : 0;
  record_rows(r, g, picked, (int64_t)((uint64_t)r->zero_ns - (uint64_t)offset));
  return TDM_OK;
}

static tdm_status read_group(reading *r, group *g, size_t source) {
  const tdm_read_options *options = r->options;
  for (uint64_t first = 0; first < g->rows; first += BLOCK_ROWS) {
    tdm_status status = read_block(r, g, source, first);
    if (status != TDM_OK) return status;
    if (tdm_recorder_failed(r->import.recorder)) return TDM_OK;
    r->rows_done += g->rows - first < BLOCK_ROWS ? g->rows - first : BLOCK_ROWS;
    if (options->progress != NULL &&
        options->progress(options->context, r->rows_done, r->rows_total))
      return tdm_error_set(r->import.error, TDM_INTERRUPTED, "%s: interrupted", r->import.path);
  }
  for (size_t c = 0; c < g->count; c++) tdm_hdf5_block_free(&g->columns[c].block);
  return TDM_OK;
}

static tdm_status read_sources(reading *r) {
  size_t sources = r->import.sources > 0 ? r->import.sources : 1;
  r->rows_total *= sources;
  tdm_status status = TDM_OK;
  for (size_t source = 0; source < sources && status == TDM_OK; source++) {
    status = tdm_hdf5_import_source(&r->import, source);
    for (size_t i = 0; source == 0 && i < r->group_count; i++) make_layout(r, &r->groups[i]);
    for (size_t i = 0; status == TDM_OK && i < r->group_count; i++)
      if ((tdm_read_kind(r->groups[i].category) & r->options->dropped) == 0 &&
          !tdm_recorder_failed(r->import.recorder))
        status = read_group(r, &r->groups[i], source);
  }
  return status == TDM_OK ? tdm_hdf5_import_rest(&r->import) : status;
}

tdm_status tdm_tandem_hdf5_read(tdm_hdf5_file *file, const char *path,
                                const tdm_read_options *options, tdm_recorder *recorder,
                                tdm_error *error) {
  reading r = {.import = {.file = file, .path = path, .recorder = recorder, .error = error},
               .options = options,
               .pick = malloc(BLOCK_ROWS * sizeof *r.pick)};
  const tdm_hdf5_attribute *zero = tdm_hdf5_note(file, "meta", "time_zero_ns");
  const tdm_hdf5_attribute *format = tdm_hdf5_note(file, "meta", "tandem_format");
  r.zero_ns = zero != NULL ? zero->integer : 0;
  tdm_status status = r.pick != NULL ? TDM_OK : tdm_error_memory(error, "rows", BLOCK_ROWS);
  if (format != NULL && format->integer > TDM_HDF5_FORMAT)
    status = tdm_error_set(error, TDM_INVALID,
                           "%s was written by a newer tandem: layout %lld, this one knows %d", path,
                           (long long)format->integer, TDM_HDF5_FORMAT);
  if (status == TDM_OK) status = tdm_hdf5_import_begin(&r.import);
  if (status == TDM_OK) status = find_groups(&r);
  if (status == TDM_OK) status = read_sources(&r);
  free_groups(&r);
  tdm_hdf5_import_free(&r.import);
  return status;
}
