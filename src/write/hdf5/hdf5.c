/* The writer of HDF5 files: a group a category, a dataset a column, sorted by start. The layout is
 * described in hdf5/layout.h; read/hdf5/tandem.c reads it back. The file is made in memory by
 * hdf5.so and then written at once. */
#include "write/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/module.h"
#include "base/order.h"
#include "trace/outfile.h"
#include "trace/utf8.h"
#include "write/hdf5/inside.h"

static const tdm_hdf5_group_name group_names[] = {TDM_HDF5_GROUP_NAMES};
static const tdm_hdf5_column_name column_names[] = {TDM_HDF5_COLUMN_NAMES};

enum { GROUP_NAMES = sizeof group_names / sizeof *group_names, OWN_NAME = GROUP_NAMES };

/* ---- integers */

static tdm_hdf5_cell cell_for(tdm_hdf5_cell least, const int64_t *values, size_t count,
                              int *absent) {
  uint64_t all = 0, negative = 0;
  *absent = 0;
  for (size_t i = 0; i < count; i++) {
    if (values[i] == TDM_NONE) {
      *absent = 1;
      continue;
    }
    negative |= (uint64_t)values[i] >> 63;
    all |= (uint64_t)values[i] + 1; /* the largest value of a cell means absent */
  }
  if (negative != 0 || all > UINT32_MAX) return TDM_HDF5_I64;
  if (least <= TDM_HDF5_U8 && all <= UINT8_MAX) return TDM_HDF5_U8;
  return least <= TDM_HDF5_U16 && all <= UINT16_MAX ? TDM_HDF5_U16 : TDM_HDF5_U32;
}

#define NARROW(type)                                                                               \
  for (size_t i = 0; i < count; i++)                                                               \
    ((type *)out->cells)[i] = values[i] == TDM_NONE ? (type)-1 : (type)values[i];

void tdm_hdf5_put_integers(tdm_hdf5_out *out, const char *path, tdm_hdf5_cell least,
                           const int64_t *values, size_t count) {
  int absent;
  tdm_hdf5_cell cell = cell_for(least, values, count, &absent);
  const void *cells = values;
  if (cell != TDM_HDF5_I64) {
    if (!tdm_array_grow(&out->cells, &out->cells_room, count, sizeof(uint32_t))) {
      out->no_memory = 1;
      return;
    }
    cells = out->cells;
    if (cell == TDM_HDF5_U8) NARROW(uint8_t)
    if (cell == TDM_HDF5_U16) NARROW(uint16_t)
    if (cell == TDM_HDF5_U32) NARROW(uint32_t)
  }
  out->module->numbers(out->writer, path, cell, cells, count);
  if (!absent) return;
  static const int64_t none = TDM_NONE;
  static const uint64_t largest = UINT64_MAX;
  out->module->note_number(out->writer, path, TDM_HDF5_ABSENT, cell,
                           cell == TDM_HDF5_I64 ? (const void *)&none : (const void *)&largest);
}

/* ---- one group of rows */

typedef struct {
  uint64_t start; /* since the zero of the file */
  size_t row;
} row_in_time;

typedef struct {
  tdm_hdf5_out *out;
  const tdm_layout *layout;
  const tdm_kept_rows *rows;
  const row_in_time *order;
  size_t count;
  char path[TDM_HDF5_PATH / 4], names[TDM_HDF5_PATH / 4];
  int64_t *values; /* [count] */
  uint32_t *local; /* by name id: + 1; 0: not in the present column's names */
  const char **texts;
} group;

static int is_span(tdm_shape shape) {
  return shape != TDM_SHAPE_EDGE && shape != TDM_SHAPE_SAMPLE;
}

static void column_path(const group *g, const char *column, char path[TDM_HDF5_PATH]) {
  snprintf(path, TDM_HDF5_PATH, "%s/%s", g->path, column);
}

/* Of the i-th row in order of time. */
static int64_t value_of(const group *g, uint32_t column, size_t i) {
  return tdm_kept(g->rows, column, g->order[i].row);
}

static void put_times(const group *g) {
  char path[TDM_HDF5_PATH];
  int negative = 0;
  for (size_t i = 0; i < g->count; i++) g->values[i] = (int64_t)g->order[i].start;
  column_path(g, "start_ns", path);
  g->out->module->numbers(g->out->writer, path, TDM_HDF5_U64, g->values, g->count);
  for (size_t i = 0; i < g->count; i++) {
    g->values[i] = value_of(g, TDM_DUR, i);
    if (g->values[i] < 0) negative = 1;
  }
  column_path(g, "duration_ns", path);
  g->out->module->numbers(g->out->writer, path, negative ? TDM_HDF5_I64 : TDM_HDF5_U64, g->values,
                          g->count);
}

static int64_t track_number(const tdm_hdf5_out *out, int64_t id) {
  if (id < 0 || id >= tdm_recording_tracks(out->recording)) return TDM_NONE;
  uint32_t number = out->track_number[id];
  return number == UINT32_MAX ? TDM_NONE : (int64_t)number;
}

static void put_tracks(const group *g) {
  char path[TDM_HDF5_PATH];
  if (is_span(g->layout->shape)) {
    for (size_t i = 0; i < g->count; i++) {
      const tdm_track *about = tdm_recording_track(g->out->recording, value_of(g, TDM_TRACK, i));
      g->values[i] = about != NULL && about->stream != TDM_NONE ? about->stream : 0;
    }
    column_path(g, "stream", path);
    tdm_hdf5_put_integers(g->out, path, TDM_HDF5_U8, g->values, g->count);
  }
  for (size_t i = 0; i < g->count; i++)
    g->values[i] = track_number(g->out, value_of(g, TDM_TRACK, i));
  column_path(g, "track", path);
  tdm_hdf5_put_integers(g->out, path, TDM_HDF5_U32, g->values, g->count);
}

/* A column of name ids as indices into a table of its own at `names`. */
static void put_names(const group *g, const char *path, const char *names, tdm_hdf5_cell least,
                      uint32_t column) {
  const tdm_recording *recording = g->out->recording;
  uint32_t known = tdm_recording_names(recording), used = 0;
  memset(g->local, 0, known * sizeof *g->local);
  for (size_t i = 0; i < g->count; i++) {
    int64_t id = value_of(g, column, i);
    const char *text = tdm_recording_name(recording, id, NULL);
    g->values[i] = TDM_NONE;
    if (text == NULL) continue;
    if (g->local[id] == 0) {
      g->texts[used++] = text;
      g->local[id] = used;
    }
    g->values[i] = g->local[id] - 1;
  }
  tdm_hdf5_put_integers(g->out, path, least, g->values, g->count);
  g->out->module->texts(g->out->writer, names, g->texts, used);
}

static void put_reals(const group *g, const char *path, uint32_t column) {
  for (size_t i = 0; i < g->count; i++) g->values[i] = value_of(g, column, i);
  g->out->module->numbers(g->out->writer, path, TDM_HDF5_F64, g->values, g->count);
}

static void put_integers(const group *g, const char *path, tdm_hdf5_cell least, uint32_t column,
                         int are_tracks) {
  for (size_t i = 0; i < g->count; i++) {
    int64_t value = value_of(g, column, i);
    g->values[i] = are_tracks ? track_number(g->out, value) : value;
  }
  tdm_hdf5_put_integers(g->out, path, least, g->values, g->count);
}

/* The dataset of an argument: its key, as far as HDF5 and the columns before it let it. */
static void choose_column_name(const tdm_layout *layout, uint32_t index,
                               char (*chosen)[TDM_HDF5_PATH / 4]) {
  static const char *const reserved[] = {"start_ns", "duration_ns", "stream", "track", "name_idx"};
  const char *key = layout->arg[index].key;
  for (size_t i = 0; i < sizeof column_names / sizeof *column_names; i++)
    if (strcmp(column_names[i].key, key) == 0) key = column_names[i].column;
  char *name = chosen[index];
  size_t length = 0;
  for (; key[length] != 0 && length < 80; length++)
    name[length] = key[length] == '/' ? '_' : key[length];
  length = tdm_utf8_valid(name, length); /* the cut may have halved a character */
  name[length] = 0;
  for (unsigned n = 2;; n++) {
    int taken = name[0] == 0 || strcmp(name, ".") == 0;
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
      if (strcmp(name, reserved[i]) == 0) taken = 1;
    for (uint32_t i = 0; i < index && !taken; i++) taken = strcmp(name, chosen[i]) == 0;
    if (!taken) return;
    snprintf(name + length, 16, "_%u", n);
  }
}

static void put_argument(const group *g, uint32_t index, const char *name) {
  char path[TDM_HDF5_PATH], names[TDM_HDF5_PATH];
  const tdm_arg *arg = &g->layout->arg[index];
  uint32_t column = TDM_ARGS + index;
  column_path(g, name, path);
  int to_track = g->layout->shape == TDM_SHAPE_EDGE && index == 0;
  switch (arg->type) {
  case TDM_ARG_REAL: put_reals(g, path, column); break;
  case TDM_ARG_TEXT:
  case TDM_ARG_JSON:
    snprintf(names, sizeof names, "%s.%s", g->names, name);
    put_names(g, path, names, TDM_HDF5_U16, column);
    break;
  default:
    put_integers(g, path, arg->type == TDM_ARG_BOOL ? TDM_HDF5_U8 : TDM_HDF5_U32, column, to_track);
  }
  uint32_t position = index;
  const tdm_hdf5_module_table *module = g->out->module;
  module->note_text(g->out->writer, path, "key", arg->key);
  module->note_text(g->out->writer, path, "type", tdm_arg_type_name(arg->type));
  module->note_number(g->out->writer, path, "position", TDM_HDF5_U32, &position);
}

static void put_group(group *g) {
  tdm_hdf5_out *out = g->out;
  char path[TDM_HDF5_PATH];
  char(*columns)[TDM_HDF5_PATH / 4] = tdm_array_new(g->layout->args, sizeof *columns);
  g->values = tdm_array_new(g->count, sizeof *g->values);
  g->texts = tdm_array_new(tdm_recording_names(out->recording), sizeof *g->texts);
  g->local = tdm_array_new(tdm_recording_names(out->recording), sizeof *g->local);
  if (columns != NULL && g->values != NULL && g->texts != NULL && g->local != NULL) {
    out->module->group(out->writer, g->path);
    out->module->note_text(out->writer, g->path, "category", g->layout->category);
    out->module->note_text(out->writer, g->path, "shape", tdm_shape_name(g->layout->shape));
    out->module->note_number(out->writer, g->path, "layout", TDM_HDF5_U32, &g->rows->layout);
    put_times(g);
    put_tracks(g);
    column_path(g, "name_idx", path);
    put_names(g, path, g->names, TDM_HDF5_U16, TDM_NAME);
    for (uint32_t i = 0; i < g->layout->args; i++) {
      choose_column_name(g->layout, i, columns);
      put_argument(g, i, columns[i]);
    }
  } else {
    out->no_memory = 1;
  }
  free(columns);
  free(g->values);
  free(g->texts);
  free(g->local);
}

/* ---- which rows make a group */

/* Paths no other group has; '.' is for the names of columns. */
static void choose_path(group *g, const char *name) {
  static const char *const reserved[] = {"meta", "names", "edges", "counters"};
  tdm_shape shape = g->layout->shape;
  const char *above = shape == TDM_SHAPE_EDGE     ? "/edges"
                      : shape == TDM_SHAPE_SAMPLE ? "/counters"
                                                  : "";
  char word[64];
  size_t length = 0;
  for (; name[length] != 0 && length < sizeof word - 1; length++)
    word[length] = strchr("/.", name[length]) != NULL ? '_' : name[length];
  length = tdm_utf8_valid(word, length);
  word[length] = 0;
  int fresh = length > 0;
  for (size_t i = 0; i < sizeof reserved / sizeof *reserved && above[0] == 0; i++)
    if (strcmp(word, reserved[i]) == 0) fresh = 0;
  int wrote = snprintf(g->path, sizeof g->path, "%s/%s", above, word);
  if (fresh) tdm_intern_put(&g->out->paths, g->path, (size_t)wrote, &fresh);
  for (unsigned n = 2; !fresh; n++) {
    wrote = snprintf(g->path, sizeof g->path, "%s/%s_%u", above, word, n);
    if (tdm_intern_put(&g->out->paths, g->path, (size_t)wrote, &fresh) == TDM_INTERN_FAILED) {
      g->out->no_memory = 1;
      return;
    }
  }
  snprintf(g->names, sizeof g->names, "/names%.*s", wrote, g->path);
}

static int by_time(const void *a, const void *b) {
  const row_in_time *x = a, *y = b;
  if (x->start != y->start) return TDM_ORDER(x->start, y->start);
  return TDM_ORDER(x->row, y->row);
}

static uint64_t aligned_start(const tdm_recording *recording, const tdm_kept_rows *rows,
                              size_t row) {
  const tdm_track *track = tdm_recording_track(recording, tdm_kept(rows, TDM_TRACK, row));
  const tdm_source *source = track != NULL ? tdm_recording_source(recording, track->source) : NULL;
  uint64_t start = (uint64_t)tdm_kept(rows, TDM_START, row);
  return source != NULL ? start + (uint64_t)source->offset_ns : start;
}

/* The group a row belongs to, among group_names, or OWN_NAME: that of its category. */
static unsigned group_of(const group *g, uint32_t kind_column, size_t row) {
  const char *kind = NULL;
  if (kind_column != 0)
    kind = tdm_recording_name(g->out->recording, tdm_kept(g->rows, kind_column, row), NULL);
  for (unsigned i = 0; i < GROUP_NAMES; i++)
    if (strcmp(group_names[i].category, g->layout->category) == 0 &&
        (group_names[i].kind == NULL || (kind != NULL && strcmp(group_names[i].kind, kind) == 0)))
      return i;
  return OWN_NAME;
}

static uint32_t kind_column(const tdm_layout *layout) {
  if (!is_span(layout->shape) || strcmp(layout->category, "memcpy") != 0) return 0;
  uint32_t column = tdm_layout_column(layout, "kind");
  return column != 0 && layout->arg[column - TDM_ARGS].type == TDM_ARG_TEXT ? column : 0;
}

static void put_layout(tdm_hdf5_out *out, uint32_t id) {
  group g = {.out = out,
             .layout = tdm_recording_layout(out->recording, id),
             .rows = tdm_recording_rows(out->recording, id)};
  size_t all = g.rows != NULL ? g.rows->count : 0;
  if (all == 0) return;
  row_in_time *order = tdm_array_new(all, sizeof *order);
  unsigned char *part = tdm_array_new(all, 1);
  if (order == NULL || part == NULL) out->no_memory = 1;
  size_t of_part[OWN_NAME + 1] = {0};
  uint32_t kind = kind_column(g.layout);
  for (size_t i = 0; i < all && !out->no_memory; i++) {
    part[i] = i > 0 && kind == 0 ? part[0] : (unsigned char)group_of(&g, kind, i);
    of_part[part[i]]++;
  }
  for (unsigned p = 0; p <= OWN_NAME && !out->no_memory; p++) {
    if (of_part[p] == 0) continue;
    int sorted = 1;
    g.count = 0;
    for (size_t i = 0; i < all; i++) {
      if (part[i] != p) continue;
      uint64_t start = aligned_start(out->recording, g.rows, i) - (uint64_t)out->zero_ns;
      if (g.count > 0 && order[g.count - 1].start > start) sorted = 0;
      order[g.count++] = (row_in_time){start, i};
    }
    if (!sorted) qsort(order, g.count, sizeof *order, by_time);
    g.order = order;
    choose_path(&g, p == OWN_NAME || !is_span(g.layout->shape) ? g.layout->category
                                                               : group_names[p].group);
    if (!out->no_memory) put_group(&g);
  }
  free(order);
  free(part);
}

/* ---- the whole */

/* The first start and last end of all rows, aligned; how many spans there are. */
static void measure(tdm_hdf5_out *out, uint64_t *duration_ns, uint64_t *spans) {
  int64_t first = INT64_MAX, last = INT64_MIN;
  *spans = 0;
  for (uint32_t id = 0; id < tdm_recording_layouts(out->recording); id++) {
    const tdm_layout *layout = tdm_recording_layout(out->recording, id);
    const tdm_kept_rows *rows = layout != NULL ? tdm_recording_rows(out->recording, id) : NULL;
    for (size_t i = 0; rows != NULL && i < rows->count; i++) {
      int64_t start = (int64_t)aligned_start(out->recording, rows, i), end;
      if (layout->shape == TDM_SHAPE_EDGE ||
          __builtin_add_overflow(start, tdm_kept(rows, TDM_DUR, i), &end) || end < start)
        end = start;
      if (start < first) first = start;
      if (end > last) last = end;
    }
    if (rows != NULL && is_span(layout->shape)) *spans += rows->count;
  }
  out->zero_ns = last >= first ? first : 0;
  *duration_ns = last >= first ? (uint64_t)last - (uint64_t)first : 0;
}

static void number_all(tdm_hdf5_out *out) {
  uint32_t tracks = tdm_recording_tracks(out->recording);
  uint32_t sources = tdm_recording_sources(out->recording);
  out->track_number = tdm_array_new(tracks, sizeof *out->track_number);
  out->source_number = tdm_array_new(sources, sizeof *out->source_number);
  if (out->track_number == NULL || out->source_number == NULL) {
    out->no_memory = 1;
    return;
  }
  for (uint32_t id = 0; id < tracks; id++)
    out->track_number[id] =
        tdm_recording_track(out->recording, id) != NULL ? out->tracks++ : UINT32_MAX;
  for (uint32_t id = 0; id < sources; id++)
    out->source_number[id] =
        tdm_recording_source(out->recording, id) != NULL ? out->sources++ : UINT32_MAX;
}

static void put_head(tdm_hdf5_out *out, const tdm_write_options *options, uint64_t duration_ns,
                     uint64_t spans) {
  const tdm_hdf5_module_table *module = out->module;
  const uint32_t format = TDM_HDF5_FORMAT;
  const uint32_t events = spans < UINT32_MAX ? (uint32_t)spans : UINT32_MAX;
  module->group(out->writer, "/meta");
  module->note_number(out->writer, "/meta", "tandem_format", TDM_HDF5_U32, &format);
  module->note_text(out->writer, "/meta", "session_id",
                    options != NULL && options->run_id != NULL ? options->run_id : "");
  module->note_number(out->writer, "/meta", "total_duration_ns", TDM_HDF5_U64, &duration_ns);
  module->note_number(out->writer, "/meta", "total_events", TDM_HDF5_U32, &events);
  module->note_number(out->writer, "/meta", "time_zero_ns", TDM_HDF5_I64, &out->zero_ns);
}

static void put_categories(tdm_hdf5_out *out) {
  const char **names = tdm_array_new(out->paths.count, sizeof *names);
  size_t count = 0;
  if (names == NULL) {
    out->no_memory = 1;
    return;
  }
  for (size_t i = 0; i < out->paths.count; i++) {
    const char *path = out->paths.entries[i].bytes + 1;
    if (strchr(path, '/') == NULL) names[count++] = path;
  }
  out->module->texts(out->writer, "/meta/categories", names, count);
  free(names);
}

static tdm_status make_file(tdm_hdf5_out *out, const tdm_write_options *options, void **bytes,
                            size_t *length, tdm_error *error) {
  out->writer = out->module->create();
  if (out->writer == NULL) return tdm_error_memory(error, "an HDF5 file", 0);
  uint64_t duration_ns, spans;
  number_all(out);
  measure(out, &duration_ns, &spans);
  put_head(out, options, duration_ns, spans);
  for (uint32_t id = 0; id < tdm_recording_layouts(out->recording) && !out->no_memory; id++)
    put_layout(out, id);
  if (!out->no_memory) put_categories(out);
  if (!out->no_memory) tdm_hdf5_put_meta(out, options);
  tdm_status status = out->module->finish(out->writer, bytes, length, error);
  if (status == TDM_OK && out->no_memory) {
    free(*bytes);
    status = tdm_error_memory(error, "an HDF5 file", 0);
  }
  return status;
}

static tdm_status write_hdf5(const tdm_recording *recording, const char *path,
                             const tdm_write_options *options, tdm_error *error) {
  void *symbol, *bytes;
  size_t length;
  tdm_status status =
      tdm_module_symbol("hdf5.so", TDM_HDF5_MODULE, TDM_HDF5_MISSING, &symbol, error);
  if (status != TDM_OK) return status;
  tdm_hdf5_out out = {.module = symbol, .recording = recording};
  if (out.module->bytes != sizeof *out.module)
    return tdm_error_set(error, TDM_IO, TDM_HDF5_OTHER_BUILD);
  tdm_outfile *file = tdm_array_new(1, sizeof *file);
  if (file == NULL) return tdm_error_memory(error, "an HDF5 file", sizeof *file);
  status = tdm_outfile_open(file, path, error);
  if (status == TDM_OK) {
    status = make_file(&out, options, &bytes, &length, error);
    if (status == TDM_OK) {
      tdm_outfile_put_long(file, bytes, length);
      free(bytes);
      status = tdm_outfile_commit(file, error);
    } else {
      tdm_outfile_abort(file);
    }
  }
  tdm_intern_clear(&out.paths);
  free(out.track_number);
  free(out.source_number);
  free(out.cells);
  free(file);
  return status;
}

const tdm_writer tdm_writer_hdf5 = {
    .name = "hdf5", .title = "HDF5, a column a dataset", .ending = ".h5", .write = write_hdf5};
