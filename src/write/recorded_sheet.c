/* See recorded_sheet.h. */
#include "write/recorded_sheet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "write/by_start.h"

/* Columns of spans that every row has, or its track. */
typedef enum {
  SOURCE,
  SHAPE,
  START,
  DUR,
  PROCESS,
  TRACK,
  LANE,
  CATEGORY,
  NAME,
  TRACK_KIND,
  TRACK_LANE,
  PID,
  TID,
  DEVICE,
  CONTEXT,
  STREAM,
  RANK,
  OF_ROWS
} row_column;

static const tdm_sheet_column row_columns[OF_ROWS] = {
    [SOURCE] = {"source", TDM_COLUMN_INT, false},
    [SHAPE] = {"shape", TDM_COLUMN_TEXT, false},
    [START] = {"start_ns", TDM_COLUMN_INT, false},
    [DUR] = {"dur_ns", TDM_COLUMN_INT, false},
    [PROCESS] = {"process", TDM_COLUMN_TEXT, false},
    [TRACK] = {"track", TDM_COLUMN_TEXT, false},
    [LANE] = {"lane", TDM_COLUMN_TEXT, false},
    [CATEGORY] = {"category", TDM_COLUMN_TEXT, false},
    [NAME] = {"name", TDM_COLUMN_TEXT, true},
    [TRACK_KIND] = {"track_kind", TDM_COLUMN_TEXT, false},
    [TRACK_LANE] = {"track_lane", TDM_COLUMN_TEXT, false},
    [PID] = {"pid", TDM_COLUMN_INT, true},
    [TID] = {"tid", TDM_COLUMN_INT, true},
    [DEVICE] = {"device", TDM_COLUMN_INT, true},
    [CONTEXT] = {"context", TDM_COLUMN_INT, true},
    [STREAM] = {"stream", TDM_COLUMN_INT, true},
    [RANK] = {"rank", TDM_COLUMN_INT, true},
};

/* Arguments that have a meaning of their own (trace/record.h), and those of samples and edges: a
 * column each where a layout has them, before those of others, by their names. */
enum { TO_PROCESS = 22, TO_TRACK };
static const tdm_sheet_column arg_columns[] = {
    {"correlation", TDM_COLUMN_INT, true},
    {"bytes", TDM_COLUMN_INT, true},
    {"request", TDM_COLUMN_INT, true},
    {"kind", TDM_COLUMN_TEXT, true},
    {"src_kind", TDM_COLUMN_TEXT, true},
    {"dst_kind", TDM_COLUMN_TEXT, true},
    {"grid_x", TDM_COLUMN_INT, true},
    {"grid_y", TDM_COLUMN_INT, true},
    {"grid_z", TDM_COLUMN_INT, true},
    {"block_x", TDM_COLUMN_INT, true},
    {"block_y", TDM_COLUMN_INT, true},
    {"block_z", TDM_COLUMN_INT, true},
    {"registers_per_thread", TDM_COLUMN_INT, true},
    {"static_shared_bytes", TDM_COLUMN_INT, true},
    {"dynamic_shared_bytes", TDM_COLUMN_INT, true},
    {"graph_node", TDM_COLUMN_INT, true},
    {"graph_id", TDM_COLUMN_INT, true},
    {"external_id", TDM_COLUMN_INT, true},
    {"domain", TDM_COLUMN_TEXT, true},
    {"value", TDM_COLUMN_REAL, true},
    {"unit", TDM_COLUMN_TEXT, true},
    {"id", TDM_COLUMN_INT, true},
    [TO_PROCESS] = {"to_process", TDM_COLUMN_TEXT, true},
    [TO_TRACK] = {"to_track", TDM_COLUMN_TEXT, true},
};
enum {
  ARG_COLUMNS = sizeof arg_columns / sizeof *arg_columns,
  MOST_ARGS = 256,
  REQUEST_COLUMNS = 6
};

static const tdm_sheet_column request_columns[REQUEST_COLUMNS] = {
    {"id", TDM_COLUMN_INT, false},         {"class", TDM_COLUMN_TEXT, true},
    {"arrival_ns", TDM_COLUMN_INT, false}, {"end_ns", TDM_COLUMN_INT, true},
    {"gpu", TDM_COLUMN_INT, true},         {"outcome", TDM_COLUMN_TEXT, false},
};

typedef struct {
  tdm_sheet sheet; /* of this, for writers */
  const tdm_recording *recording;
  const tdm_request_record *requests; /* NULL: of spans */
  tdm_row_place *places;
  tdm_sheet_column columns[OF_ROWS + MOST_ARGS];
  uint32_t *args; /* [layouts][MOST_ARGS]: the column of a layout's rows; 0: none */
  uint32_t layouts;
  const char **texts; /* behind the recording's names */
  uint32_t names, text_count, text_room;
  uint32_t processes, tracks, categories, lanes, shapes, kinds, classes, outcomes; /* where begun */
  char left_out[512];
} recorded;

/* ---- texts */

static bool add_text(recorded *sheet, const char *text) {
  size_t room = sheet->text_room;
  if (!tdm_array_grow(&sheet->texts, &room, (size_t)sheet->text_count + 1, sizeof *sheet->texts))
    return false;
  sheet->text_room = (uint32_t)room;
  sheet->texts[sheet->text_count++] = text;
  return true;
}

static uint32_t next_text(const recorded *sheet) {
  return sheet->names + sheet->text_count;
}

static bool add_texts(recorded *sheet) {
  const tdm_recording *r = sheet->recording;
  bool fits = true;
  sheet->names = tdm_recording_names(r);
  sheet->processes = next_text(sheet);
  for (uint32_t i = 0; fits && i < tdm_recording_tracks(r); i++)
    fits = add_text(sheet, tdm_recording_track(r, i)->process);
  sheet->tracks = next_text(sheet);
  for (uint32_t i = 0; fits && i < tdm_recording_tracks(r); i++)
    fits = add_text(sheet, tdm_recording_track(r, i)->name);
  sheet->categories = next_text(sheet);
  for (uint32_t i = 0; fits && i < sheet->layouts; i++) {
    const tdm_layout *layout = tdm_recording_layout(r, i);
    fits = add_text(sheet, layout != NULL ? layout->category : "");
  }
  sheet->lanes = next_text(sheet);
  for (int i = 0; fits && i < TDM_LANES; i++) fits = add_text(sheet, tdm_lane_name((tdm_lane)i));
  sheet->shapes = next_text(sheet);
  for (int i = 0; fits && i < TDM_SHAPES; i++) fits = add_text(sheet, tdm_shape_name((tdm_shape)i));
  sheet->kinds = next_text(sheet);
  for (int i = 0; fits && i < TDM_TRACK_KINDS; i++)
    fits = add_text(sheet, tdm_track_kind_name((tdm_track_kind)i));
  sheet->classes = next_text(sheet);
  for (uint32_t i = 0; fits && i < tdm_recording_request_classes(r); i++)
    fits = add_text(sheet, tdm_recording_request_class(r, i));
  sheet->outcomes = next_text(sheet);
  for (int i = 0; fits && i < TDM_OUTCOMES; i++)
    fits = add_text(sheet, tdm_outcome_name((tdm_outcome)i));
  return fits;
}

static const char *text_of(const void *of, uint32_t number, size_t *length) {
  const recorded *sheet = of;
  const char *text;
  if (number < sheet->names) {
    text = tdm_recording_name(sheet->recording, number, length);
  } else {
    text = sheet->texts[number - sheet->names];
    if (text != NULL) *length = strlen(text);
  }
  if (text == NULL) *length = 0;
  return text != NULL ? text : "";
}

/* ---- columns of arguments */

static bool goes_into(tdm_arg_type type, tdm_column_type column) {
  switch (column) {
  case TDM_COLUMN_INT: return type == TDM_ARG_INT || type == TDM_ARG_BOOL;
  case TDM_COLUMN_REAL: return type == TDM_ARG_REAL || type == TDM_ARG_INT;
  default: return type == TDM_ARG_TEXT || type == TDM_ARG_JSON;
  }
}

static void leave_out(recorded *sheet, const char *key) {
  size_t used = strlen(sheet->left_out);
  char known[sizeof sheet->left_out + 4], wanted[sizeof sheet->left_out];
  snprintf(known, sizeof known, ", %s,", sheet->left_out);
  snprintf(wanted, sizeof wanted, ", %s,", key);
  if (strstr(known, wanted) != NULL || used + strlen(key) + 8 > sizeof sheet->left_out) return;
  snprintf(sheet->left_out + used, sizeof sheet->left_out - used, "%s%s", used > 0 ? ", " : "",
           key);
}

static bool is_taken(const char *key) {
  int c = 0;
  while (c < OF_ROWS && strcmp(row_columns[c].name, key) != 0) c++;
  return c < OF_ROWS;
}

/* The column of a layout's argument, a new one where none has its name; MOST_ARGS: it gets none, as
 * its name is taken or there are too many. */
static uint32_t column_of(const tdm_layout *layout, uint32_t argument, tdm_sheet_column *all,
                          uint32_t *count) {
  const tdm_arg *arg = &layout->arg[argument];
  if (layout->shape == TDM_SHAPE_EDGE && strcmp(arg->key, "to_track") == 0) return TO_TRACK;
  uint32_t c = 0;
  while (c < *count && strcmp(all[c].name, arg->key) != 0) c++;
  if (c < *count)
    return goes_into(arg->type, all[c].type) && c != TO_TRACK && c != TO_PROCESS ? c : MOST_ARGS;
  if (c == MOST_ARGS || is_taken(arg->key)) return MOST_ARGS;
  all[(*count)++] = (tdm_sheet_column){.name = arg->key,
                                       .type = goes_into(arg->type, TDM_COLUMN_INT) ? TDM_COLUMN_INT
                                               : arg->type == TDM_ARG_REAL ? TDM_COLUMN_REAL
                                                                           : TDM_COLUMN_TEXT,
                                       .optional = true};
  return c;
}

/* Which arguments the layouts have, as columns; false: out of memory. */
static bool find_arguments(recorded *sheet) {
  tdm_sheet_column all[MOST_ARGS];
  bool there[MOST_ARGS] = {false};
  uint32_t count = ARG_COLUMNS, kept = 0;
  memcpy(all, arg_columns, sizeof arg_columns);
  sheet->args = tdm_array_new((size_t)sheet->layouts * MOST_ARGS + 1, sizeof *sheet->args);
  if (sheet->args == NULL) return false;
  for (uint32_t i = 0; i < sheet->layouts; i++) {
    const tdm_layout *layout = tdm_recording_layout(sheet->recording, i);
    const tdm_kept_rows *rows = tdm_recording_rows(sheet->recording, i);
    bool used = layout != NULL && rows != NULL && rows->count > 0;
    for (uint32_t a = 0; used && a < layout->args; a++) {
      uint32_t c = column_of(layout, a, all, &count);
      if (c == MOST_ARGS) {
        leave_out(sheet, layout->arg[a].key);
        continue;
      }
      there[c] = true;
      sheet->args[i * MOST_ARGS + c] = TDM_ARGS + a;
      if (c != TO_TRACK) continue;
      there[TO_PROCESS] = true;
      sheet->args[i * MOST_ARGS + TO_PROCESS] = TDM_ARGS + a;
    }
  }
  /* Only those that are there, in place: the table of arguments keeps its width. */
  for (uint32_t c = 0; c < count; c++) {
    if (!there[c]) continue;
    for (uint32_t i = 0; i < sheet->layouts; i++)
      sheet->args[i * MOST_ARGS + kept] = sheet->args[i * MOST_ARGS + c];
    sheet->columns[OF_ROWS + kept++] = all[c];
  }
  sheet->sheet.column_count = OF_ROWS + kept;
  return true;
}

/* ---- opening */

static void close_sheet(recorded *sheet) {
  if (sheet == NULL) return;
  free(sheet->places);
  free(sheet->args);
  free(sheet->texts);
  free(sheet);
}

static tdm_status open_spans(recorded *sheet, tdm_error *error) {
  memcpy(sheet->columns, row_columns, sizeof row_columns);
  sheet->places = tdm_rows_by_start(sheet->recording, &sheet->sheet.row_count);
  if (sheet->places == NULL || !find_arguments(sheet))
    return tdm_error_memory(error, "the rows of a trace", sheet->sheet.row_count);
  for (size_t i = 0; i < sheet->sheet.row_count; i++) {
    const tdm_kept_rows *rows = tdm_recording_rows(sheet->recording, sheet->places[i].layout);
    if (tdm_recording_track(sheet->recording, tdm_kept(rows, TDM_TRACK, sheet->places[i].row)) ==
        NULL)
      return tdm_error_set(error, TDM_BUG, "a row lies on a track that is not there");
  }
  return TDM_OK;
}

/* ---- values */

static int64_t of_row(const recorded *sheet, row_column column, const tdm_row_place *place) {
  const tdm_recording *r = sheet->recording;
  const tdm_kept_rows *rows = tdm_recording_rows(r, place->layout);
  const tdm_layout *layout = tdm_recording_layout(r, place->layout);
  int64_t at = tdm_kept(rows, TDM_TRACK, place->row);
  const tdm_track *track = tdm_recording_track(r, at);
  const tdm_source *source;
  const char *kind = NULL, *name;
  uint32_t of_kind;
  size_t length;
  int64_t id = tdm_kept(rows, TDM_NAME, place->row);
  switch (column) {
  case SOURCE: return track->source;
  case SHAPE: return sheet->shapes + (uint32_t)layout->shape;
  case START: return place->start_ns;
  case DUR: return tdm_kept(rows, TDM_DUR, place->row);
  case PROCESS: return sheet->processes + at;
  case TRACK: return sheet->tracks + at;
  case LANE:
    of_kind = tdm_layout_column(layout, "kind");
    if (of_kind != 0 && layout->arg[of_kind - TDM_ARGS].type == TDM_ARG_TEXT)
      kind = tdm_recording_name(r, tdm_kept(rows, of_kind, place->row), &length);
    name = tdm_recording_name(r, id, &length);
    return sheet->lanes +
           tdm_record_lane(layout->category, kind, name != NULL ? name : "", track->lane);
  case CATEGORY: return sheet->categories + place->layout;
  case NAME: return id >= 0 && id < sheet->names ? id : TDM_NONE;
  case TRACK_KIND: return sheet->kinds + (uint32_t)track->kind;
  case TRACK_LANE: return sheet->lanes + (uint32_t)track->lane;
  case PID: return track->pid;
  case TID: return track->tid;
  case DEVICE: return track->device;
  case CONTEXT: return track->context;
  case STREAM: return track->stream;
  case RANK:
    source = tdm_recording_source(r, track->source);
    return source != NULL ? source->rank : TDM_NONE;
  default: return TDM_NONE;
  }
}

static int64_t of_argument(const recorded *sheet, uint32_t column, const tdm_row_place *place) {
  uint32_t at = sheet->args[place->layout * MOST_ARGS + (column - OF_ROWS)];
  if (at == 0) return TDM_NONE;
  int64_t value = tdm_kept(tdm_recording_rows(sheet->recording, place->layout), at, place->row);
  tdm_arg_type type =
      tdm_recording_layout(sheet->recording, place->layout)->arg[at - TDM_ARGS].type;
  double real;
  switch (sheet->columns[column].type) {
  case TDM_COLUMN_TEXT:
    if (type == TDM_ARG_INT) /* a track's number, of which names are told */
      return value < 0 || value >= tdm_recording_tracks(sheet->recording) ? TDM_NONE
             : strcmp(sheet->columns[column].name, "to_track") == 0       ? sheet->tracks + value
                                                                    : sheet->processes + value;
    return value >= 0 && value < sheet->names ? value : TDM_NONE;
  case TDM_COLUMN_REAL:
    if (type == TDM_ARG_INT) {
      if (value == TDM_NONE) return TDM_NONE;
      real = (double)value;
      memcpy(&value, &real, sizeof value);
    } else {
      memcpy(&real, &value, sizeof real);
      if (isnan(real)) return TDM_NONE;
    }
    return value;
  default: return value;
  }
}

static int64_t of_request(const recorded *sheet, uint32_t column, const tdm_request_record *one) {
  switch (column) {
  case 0: return (int64_t)one->request;
  case 1:
    return one->class_index < tdm_recording_request_classes(sheet->recording)
               ? sheet->classes + one->class_index
               : TDM_NONE;
  case 2: return one->arrival_ns;
  case 3: return one->outcome == TDM_OUTCOME_OPEN ? TDM_NONE : one->end_ns;
  case 4: return one->gpu >= 0 ? one->gpu : TDM_NONE;
  default: return sheet->outcomes + (uint32_t)one->outcome;
  }
}

static void fill(const void *of, uint32_t column, size_t first, size_t count, int64_t *out) {
  const recorded *sheet = of;
  for (size_t i = 0; i < count; i++) {
    size_t row = first + i;
    if (sheet->requests != NULL)
      out[i] = of_request(sheet, column, &sheet->requests[row]);
    else if (column < OF_ROWS)
      out[i] = of_row(sheet, (row_column)column, &sheet->places[row]);
    else
      out[i] = of_argument(sheet, column, &sheet->places[row]);
  }
}

/* ---- the whole */

static tdm_status open_sheet(const tdm_recording *recording, const char *table, recorded **out,
                             tdm_error *error) {
  recorded *sheet = calloc(1, sizeof *sheet);
  if (sheet == NULL) return tdm_error_memory(error, "a table", sizeof *sheet);
  sheet->recording = recording;
  sheet->layouts = tdm_recording_layouts(recording);
  tdm_status status = TDM_OK;
  if (table == NULL || strcmp(table, "spans") == 0) {
    status = open_spans(sheet, error);
  } else if (strcmp(table, "requests") == 0) {
    sheet->requests = tdm_recording_requests(recording, &sheet->sheet.row_count);
    sheet->sheet.column_count = REQUEST_COLUMNS;
    memcpy(sheet->columns, request_columns, sizeof request_columns);
    if (sheet->sheet.row_count == 0)
      status = tdm_error_set(error, TDM_INVALID, "this run keeps no requests: simulated runs do");
  } else {
    status = tdm_error_set(error, TDM_INVALID, "there is no table '%s'; spans or requests", table);
  }
  if (status == TDM_OK && !add_texts(sheet))
    status = tdm_error_memory(error, "the texts of a table", sheet->text_count);
  if (status != TDM_OK) {
    close_sheet(sheet);
    return status;
  }
  sheet->sheet.of = sheet;
  sheet->sheet.columns = sheet->columns;
  sheet->sheet.text_count = sheet->names + sheet->text_count;
  sheet->sheet.text = text_of;
  sheet->sheet.fill = fill;
  *out = sheet;
  return TDM_OK;
}

static void tell_left_out(const recorded *sheet, const tdm_write_options *options) {
  char text[sizeof sheet->left_out + 64];
  if (sheet->left_out[0] == '\0' || options == NULL || options->note == NULL) return;
  snprintf(text, sizeof text, "arguments without a column are not in it: %s", sheet->left_out);
  options->note(options->note_context, text);
}

tdm_status tdm_recorded_sheet_write(const tdm_recording *recording, const char *path,
                                    const tdm_write_options *options, tdm_sheet_write write,
                                    tdm_error *error) {
  recorded *sheet = NULL;
  tdm_status status = open_sheet(recording, options != NULL ? options->table : NULL, &sheet, error);
  if (status != TDM_OK) return status;
  status = write(&sheet->sheet, path, error);
  if (status == TDM_OK) tell_left_out(sheet, options);
  close_sheet(sheet);
  return status;
}
