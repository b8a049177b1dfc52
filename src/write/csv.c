/* The writer of one table as comma-separated values (RFC 4180), for spreadsheets and data frames.
 *
 * One row a span, instant, edge or counter sample, by start.
 *
 * Columns: source (a number), shape, start_ns and dur_ns on the clock of the run, process, track,
 * lane, category, name, correlation, bytes, request, the other arguments as a JSON object, and what
 * the track is: its kind, its own lane, pid, tid, device, context, stream, and the rank of its
 * source. What is not there is empty. read/tandem_csv.c reads it back. An edge's arguments name
 * where it arrives ("to_process", "to_track"), a sample's hold its value and unit. Cells with
 * commas, quotes or line ends stand in quotes, quotes doubled; a text that a spreadsheet would take
 * for a formula has a ' before it, which the reader takes off. Owns nothing beyond the call. */
#include "write/writer.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "trace/outfile.h"
#include "trace/utf8.h"
#include "write/by_start.h"
#include "write/texts.h"

#define PUT(text) TDM_OUTFILE_LITERAL(job->file, text)

/* Columns of their own. */
enum { CORRELATION, BYTES, REQUEST, OWN };
static const char *const own_keys[OWN] = {"correlation", "bytes", "request"};

typedef struct {
  const tdm_layout *layout;
  const tdm_kept_rows *rows;
  uint32_t own[OWN]; /* 0: the layout has none, or it is no whole number */
  uint32_t kind;     /* of a copy */
  uint32_t to_track; /* of an edge */
  char **keys;       /* quoted as JSON, quotes doubled; NULL: of a column of its own */
} table;

typedef struct {
  const tdm_recording *recording;
  tdm_outfile *file;
  table *tables; /* by layout */
  uint32_t layouts;
} csv_job;

/* ---- cells ---- */

static void put_doubled(tdm_outfile *file, const char *text, size_t length) {
  for (;;) {
    const char *quote = memchr(text, '"', length);
    size_t plain = quote != NULL ? (size_t)(quote - text) + 1 : length;
    tdm_outfile_put(file, text, plain);
    if (quote == NULL) return;
    TDM_OUTFILE_LITERAL(file, "\"");
    text += plain;
    length -= plain;
  }
}

static void put_cell(tdm_outfile *file, const char *text, size_t length) {
  bool guarded = tdm_text_is_formula(text);
  if (strcspn(text, ",\"\r\n") == length) {
    if (guarded) TDM_OUTFILE_LITERAL(file, "'");
    tdm_outfile_put(file, text, length);
    return;
  }
  TDM_OUTFILE_LITERAL(file, "\"");
  if (guarded) TDM_OUTFILE_LITERAL(file, "'");
  put_doubled(file, text, length);
  TDM_OUTFILE_LITERAL(file, "\"");
}

/* A text as JSON inside a quoted cell. */
static void put_inner_text(tdm_outfile *file, const char *text) {
  size_t length;
  char *quoted = tdm_json_quote(text, &length);
  if (quoted != NULL)
    put_doubled(file, quoted, length);
  else if (file->failure == 0)
    file->failure = ENOMEM;
  free(quoted);
}

static const char *name_of(const csv_job *job, int64_t id, size_t *length) {
  const char *text = tdm_recording_name(job->recording, id, length);
  if (text == NULL) *length = 0;
  return text != NULL ? text : "";
}

/* ---- arguments ---- */

static void put_inner_value(const csv_job *job, tdm_arg_type type, int64_t value) {
  size_t length;
  const char *text;
  double real;
  switch (type) {
  case TDM_ARG_REAL:
    memcpy(&real, &value, sizeof real);
    if (isinf(real))
      tdm_outfile_text(job->file, real > 0 ? "\"\"Infinity\"\"" : "\"\"-Infinity\"\"");
    else
      tdm_outfile_double(job->file, real);
    break;
  case TDM_ARG_TEXT: put_inner_text(job->file, name_of(job, value, &length)); break;
  case TDM_ARG_JSON:
    text = name_of(job, value, &length);
    if (tdm_json_is_structure(text, length))
      put_doubled(job->file, text, length);
    else
      put_inner_text(job->file, text);
    break;
  case TDM_ARG_BOOL: tdm_outfile_text(job->file, value != 0 ? "true" : "false"); break;
  default: tdm_outfile_integer(job->file, value); break;
  }
}

static void begin_arg(const csv_job *job, int *any) {
  tdm_outfile_text(job->file, *any ? "," : "\"{");
  *any = 1;
}

static void put_arrival(const csv_job *job, int64_t track, int *any) {
  const tdm_track *about = tdm_recording_track(job->recording, track);
  if (about == NULL) return;
  begin_arg(job, any);
  PUT("\"\"to_process\"\":");
  put_inner_text(job->file, about->process);
  PUT(",\"\"to_track\"\":");
  put_inner_text(job->file, about->name);
}

static void put_args(const csv_job *job, const table *from, size_t row) {
  int any = 0;
  for (uint32_t i = 0; i < from->layout->args; i++) {
    int64_t value = tdm_kept(from->rows, TDM_ARGS + i, row);
    if (from->keys[i] == NULL || !tdm_texts_has(from->layout->arg[i].type, value)) continue;
    if (from->to_track == TDM_ARGS + i) {
      put_arrival(job, value, &any);
      continue;
    }
    begin_arg(job, &any);
    tdm_outfile_text(job->file, from->keys[i]);
    PUT(":");
    put_inner_value(job, from->layout->arg[i].type, value);
  }
  if (any) PUT("}\"");
}

/* ---- rows ---- */

static void put_own(const csv_job *job, const table *from, size_t row) {
  for (int i = 0; i < OWN; i++) {
    int64_t value = from->own[i] != 0 ? tdm_kept(from->rows, from->own[i], row) : TDM_NONE;
    PUT(",");
    if (value != TDM_NONE) tdm_outfile_integer(job->file, value);
  }
  PUT(",");
}

static void put_track(const csv_job *job, const tdm_track *track) {
  const tdm_source *source = tdm_recording_source(job->recording, track->source);
  const int64_t numbers[] = {track->pid,    track->tid,
                             track->device, track->context,
                             track->stream, source != NULL ? source->rank : TDM_NONE};
  PUT(",");
  tdm_outfile_text(job->file, tdm_track_kind_name(track->kind));
  PUT(",");
  tdm_outfile_text(job->file, tdm_lane_name(track->lane));
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    PUT(",");
    if (numbers[i] != TDM_NONE) tdm_outfile_integer(job->file, numbers[i]);
  }
}

static tdm_status put_row(const csv_job *job, const table *from, size_t row, tdm_error *error) {
  const tdm_track *track =
      tdm_recording_track(job->recording, tdm_kept(from->rows, TDM_TRACK, row));
  if (track == NULL)
    return tdm_error_set(error, TDM_BUG, "csv: a row lies on a track that is not there");
  const tdm_source *source = tdm_recording_source(job->recording, track->source);
  int64_t start_ns = tdm_kept(from->rows, TDM_START, row), time_ns;
  if (source == NULL || __builtin_add_overflow(start_ns, source->offset_ns, &time_ns))
    time_ns = start_ns;
  size_t length, kind_length;
  const char *name = name_of(job, tdm_kept(from->rows, TDM_NAME, row), &length);
  const char *kind = NULL;
  if (from->kind != 0 && tdm_kept(from->rows, from->kind, row) != TDM_NONE)
    kind = name_of(job, tdm_kept(from->rows, from->kind, row), &kind_length);
  tdm_lane lane = tdm_record_lane(from->layout->category, kind, name, track->lane);
  tdm_outfile_unsigned(job->file, track->source);
  PUT(",");
  tdm_outfile_text(job->file, tdm_shape_name(from->layout->shape));
  PUT(",");
  tdm_outfile_integer(job->file, time_ns);
  PUT(",");
  tdm_outfile_integer(job->file, tdm_kept(from->rows, TDM_DUR, row));
  PUT(",");
  put_cell(job->file, track->process, strlen(track->process));
  PUT(",");
  put_cell(job->file, track->name, strlen(track->name));
  PUT(",");
  tdm_outfile_text(job->file, tdm_lane_name(lane));
  PUT(",");
  put_cell(job->file, from->layout->category, strlen(from->layout->category));
  PUT(",");
  put_cell(job->file, name, length);
  put_own(job, from, row);
  put_args(job, from, row);
  put_track(job, track);
  PUT("\n");
  return TDM_OK;
}

/* ---- the whole ---- */

/* A key as JSON inside a quoted cell. */
static char *double_key(const char *key) {
  size_t length, used = 0;
  char *quoted = tdm_json_quote(key, &length), *out = NULL;
  if (quoted != NULL) out = malloc(2 * length + 1);
  for (size_t i = 0; out != NULL && i < length; i++) {
    if (quoted[i] == '"') out[used++] = '"';
    out[used++] = quoted[i];
  }
  if (out != NULL) out[used] = 0;
  free(quoted);
  return out;
}

static int fill_table(table *fresh, const tdm_recording *recording, uint32_t id) {
  const tdm_layout *layout = tdm_recording_layout(recording, id);
  if (layout == NULL) return 1;
  fresh->layout = layout;
  fresh->rows = tdm_recording_rows(recording, id);
  fresh->kind = tdm_layout_column(layout, "kind");
  if (fresh->kind != 0 && layout->arg[fresh->kind - TDM_ARGS].type != TDM_ARG_TEXT) fresh->kind = 0;
  if (layout->shape == TDM_SHAPE_EDGE) fresh->to_track = tdm_layout_column(layout, "to_track");
  for (int i = 0; i < OWN; i++) {
    fresh->own[i] = tdm_layout_column(layout, own_keys[i]);
    if (fresh->own[i] != 0 && layout->arg[fresh->own[i] - TDM_ARGS].type != TDM_ARG_INT)
      fresh->own[i] = 0;
  }
  fresh->keys = tdm_array_new(layout->args, sizeof *fresh->keys);
  if (fresh->keys == NULL) return 0;
  for (uint32_t i = 0; i < layout->args; i++) {
    uint32_t column = TDM_ARGS + i;
    if (column == fresh->own[CORRELATION] || column == fresh->own[BYTES] ||
        column == fresh->own[REQUEST])
      continue;
    fresh->keys[i] = double_key(layout->arg[i].key);
    if (fresh->keys[i] == NULL) return 0;
  }
  return 1;
}

static tdm_status put_all(csv_job *job, tdm_error *error) {
  size_t count;
  tdm_row_place *places = tdm_rows_by_start(job->recording, &count);
  if (places == NULL) return tdm_error_memory(error, "the rows of a trace", sizeof *places);
  PUT("source,shape,start_ns,dur_ns,process,track,lane,category,name,correlation,bytes,request,"
      "args,track_kind,track_lane,pid,tid,device,context,stream,rank\n");
  tdm_status status = TDM_OK;
  for (size_t i = 0; i < count && status == TDM_OK && job->file->failure == 0; i++)
    status = put_row(job, &job->tables[places[i].layout], places[i].row, error);
  free(places);
  return status;
}

static void free_tables(csv_job *job) {
  for (uint32_t i = 0; job->tables != NULL && i < job->layouts; i++) {
    for (uint32_t k = 0; job->tables[i].keys != NULL && k < job->tables[i].layout->args; k++)
      free(job->tables[i].keys[k]);
    free(job->tables[i].keys);
  }
  free(job->tables);
}

static tdm_status write_csv(const tdm_recording *recording, const char *path,
                            const tdm_write_options *options, tdm_error *error) {
  (void)options;
  csv_job job = {.recording = recording,
                 .file = malloc(sizeof *job.file),
                 .layouts = tdm_recording_layouts(recording)};
  job.tables = tdm_array_new(job.layouts, sizeof *job.tables);
  int fits = job.file != NULL && job.tables != NULL;
  for (uint32_t i = 0; fits && i < job.layouts; i++)
    fits = fill_table(&job.tables[i], recording, i);
  tdm_status status = fits ? tdm_outfile_open(job.file, path, error)
                           : tdm_error_memory(error, "writing a trace", sizeof *job.file);
  if (status == TDM_OK) {
    status = put_all(&job, error);
    if (status == TDM_OK)
      status = tdm_outfile_commit(job.file, error);
    else
      tdm_outfile_abort(job.file);
  }
  free_tables(&job);
  free(job.file);
  return status;
}

const tdm_writer tdm_writer_csv = {
    .name = "csv", .title = "comma-separated values", .ending = ".csv", .write = write_csv};
