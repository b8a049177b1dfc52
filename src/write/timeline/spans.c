/* Spans in chunks of TDM_CHUNK_ROWS by number, and apart from them their arguments: by chunk and
 * layout, since only a span that somebody looks at needs them. See inside.h. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "write/timeline/inside.h"

enum { GAP, DUR, NAME, LAYOUT, REQUEST, COLUMNS };

typedef struct {
  tdm_timeline_run *run;
  uint32_t *request_column; /* [layouts] 0: spans of this layout belong to no request */
  uint32_t *in_layout;      /* [rows of a chunk] rows of the recording, by layout */
  size_t *count;            /* [layouts] of the chunk's spans */
  int64_t *column[TDM_ARGS + TDM_LAYOUT_ARGS];
  int beyond[TDM_LAYOUT_ARGS]; /* see find_beyond */
} job;

static void put_chunk(job *j, size_t first, size_t rows) {
  const tdm_frame *f = j->run->frame;
  int64_t before_ns = 0, last = 0;
  for (size_t i = 0; i < rows; i++) {
    tdm_frame_span span = tdm_frame_span_at(f, tdm_thinning_number(j->run, first + i));
    uint32_t column = j->request_column[span.layout];
    int64_t request = TDM_NONE;
    if (column > 0)
      request = tdm_kept(tdm_recording_rows(f->recording, span.layout), column, span.row);
    j->column[GAP][i] = tdm_timeline_gap(span.start_ns, before_ns);
    before_ns = span.end_ns;
    j->column[DUR][i] = span.end_ns - span.start_ns;
    j->column[NAME][i] = span.name;
    j->column[LAYOUT][i] = span.layout;
    int64_t row = tdm_timeline_request_row(j->run, request);
    j->column[REQUEST][i] = row != TDM_NONE ? row - last : TDM_NONE;
    if (row != TDM_NONE) last = row;
  }
  tdm_meta_next(j->run->meta);
  tdm_meta_integer(j->run->meta,
                   (int64_t)tdm_blocks_columns(j->run->blocks, j->column, COLUMNS, 0, rows));
}

/* Whether all values of a column are as far from those of another; 0 is no distance. */
static bool is_beyond(const int64_t *column, const int64_t *other, size_t count) {
  uint64_t distance = (uint64_t)column[0] - (uint64_t)other[0];
  for (size_t i = 0; i < count; i++)
    if (column[i] == TDM_NONE || other[i] == TDM_NONE ||
        (uint64_t)column[i] - (uint64_t)other[i] != distance)
      return false;
  return true;
}

/* Profilers tell one number under several keys, counted from here and from there: of these the
 * first is written, of the others how far they are from it. */
static void find_beyond(job *j, const tdm_layout *layout, size_t count) {
  for (uint32_t a = layout->args; a-- > 0;) {
    j->beyond[a] = -1;
    for (uint32_t other = 0; other < a && j->beyond[a] < 0; other++)
      if (layout->arg[a].type != TDM_ARG_REAL && layout->arg[other].type != TDM_ARG_REAL &&
          is_beyond(j->column[a], j->column[other], count))
        j->beyond[a] = (int)other;
    for (size_t i = 0; j->beyond[a] >= 0 && i < count; i++)
      j->column[a][i] = tdm_timeline_gap(j->column[a][i], j->column[j->beyond[a]][i]);
  }
}

static void put_beyond(const job *j, const tdm_layout *layout) {
  tdm_meta *meta = j->run->meta;
  tdm_meta_put(meta, ",[");
  for (uint32_t a = 0; a < layout->args; a++) {
    tdm_meta_next(meta);
    tdm_meta_integer(meta, j->beyond[a]);
  }
  tdm_meta_put(meta, "]");
}

static const tdm_laid_span *laid(const job *j, size_t i) {
  const tdm_frame *f = j->run->frame;
  return &f->lanes.span[f->order[tdm_thinning_number(j->run, i)]];
}

static void put_layout_args(job *j, uint32_t id, size_t first, size_t rows) {
  const tdm_frame *f = j->run->frame;
  const tdm_layout *layout = tdm_recording_layout(f->recording, id);
  const tdm_kept_rows *table = tdm_recording_rows(f->recording, id);
  size_t count = 0;
  for (size_t i = 0; i < rows; i++) {
    const tdm_laid_span *at = laid(j, first + i);
    if (at->layout == id) j->in_layout[count++] = at->row;
  }
  for (uint32_t a = 0; a < layout->args; a++)
    for (size_t i = 0; i < count; i++)
      j->column[a][i] = TDM_ARGS + a == j->request_column[id]
                            ? TDM_NONE /* the chunk has it */
                            : tdm_kept(table, TDM_ARGS + a, j->in_layout[i]);
  tdm_meta_next(j->run->meta);
  tdm_meta_put(j->run->meta, "[");
  tdm_meta_integer(j->run->meta, id);
  tdm_meta_put(j->run->meta, ",");
  find_beyond(j, layout, count);
  tdm_meta_integer(j->run->meta,
                   (int64_t)tdm_blocks_columns(j->run->blocks, j->column, layout->args, 0, count));
  put_beyond(j, layout);
  tdm_meta_put(j->run->meta, "]");
}

static void put_args(job *j, size_t first, size_t rows) {
  const tdm_frame *f = j->run->frame;
  uint32_t layouts = tdm_recording_layouts(f->recording);
  memset(j->count, 0, layouts * sizeof *j->count);
  for (size_t i = 0; i < rows; i++) j->count[laid(j, first + i)->layout]++;
  tdm_meta_next(j->run->meta);
  tdm_meta_put(j->run->meta, "[");
  for (uint32_t id = 0; id < layouts; id++)
    if (j->count[id] > 0 && tdm_recording_layout(f->recording, id)->args > 0)
      put_layout_args(j, id, first, rows);
  tdm_meta_put(j->run->meta, "]");
}

static void put_all(job *j) {
  size_t count = tdm_thinning_spans(j->run);
  tdm_meta_key(j->run->meta, "spans");
  tdm_meta_integer(j->run->meta, (int64_t)j->run->frame->lanes.count);
  tdm_meta_key(j->run->meta, "chunks");
  tdm_meta_put(j->run->meta, "[");
  for (size_t first = 0; first < count; first += TDM_CHUNK_ROWS)
    put_chunk(j, first, count - first < TDM_CHUNK_ROWS ? count - first : TDM_CHUNK_ROWS);
  tdm_meta_put(j->run->meta, "]");
  tdm_meta_key(j->run->meta, "args");
  tdm_meta_put(j->run->meta, "[");
  for (size_t first = 0; first < count; first += TDM_CHUNK_ROWS)
    put_args(j, first, count - first < TDM_CHUNK_ROWS ? count - first : TDM_CHUNK_ROWS);
  tdm_meta_put(j->run->meta, "]");
}

/* Arguments of spans are most of a capture, and only these are looked at after them. */
static void forget_args(const job *j, uint32_t id) {
  static const char *const used[] = {"request", "correlation", "kind", NULL};
  const tdm_layout *layout = tdm_recording_layout(j->run->recording, id);
  if (layout == NULL || !(TDM_LANES_ALL >> layout->shape & 1)) return;
  for (uint32_t a = 0; a < layout->args; a++) {
    const char *const *one = used;
    while (*one != NULL && strcmp(*one, layout->arg[a].key) != 0) one++;
    if (*one == NULL) tdm_recording_forget(j->run->recording, id, TDM_ARGS + a);
  }
}

/* Steps of LLM servers have no request, whatever stands in the column. */
static void find_request_columns(job *j) {
  const tdm_recording *recording = j->run->frame->recording;
  for (uint32_t i = 0; i < tdm_recording_layouts(recording); i++) {
    const tdm_layout *layout = tdm_recording_layout(recording, i);
    if (layout != NULL && j->run->requests > 0)
      j->request_column[i] = tdm_layout_column(layout, "request");
  }
}

tdm_status tdm_timeline_spans(tdm_timeline_run *run, tdm_error *error) {
  uint32_t layouts = tdm_recording_layouts(run->frame->recording);
  job *j = tdm_array_new(1, sizeof *j);
  int64_t *cells =
      tdm_array_new((size_t)TDM_CHUNK_ROWS * (TDM_ARGS + TDM_LAYOUT_ARGS), sizeof *cells);
  tdm_status status = TDM_OK;
  if (j != NULL) {
    j->run = run;
    j->request_column = tdm_array_new(layouts, sizeof *j->request_column);
    j->in_layout = tdm_array_new(TDM_CHUNK_ROWS, sizeof *j->in_layout);
    j->count = tdm_array_new(layouts, sizeof *j->count);
  }
  if (j == NULL || cells == NULL || j->request_column == NULL || j->in_layout == NULL ||
      j->count == NULL) {
    status = tdm_error_memory(error, "a timeline", TDM_CHUNK_ROWS * sizeof *cells);
  } else {
    for (size_t i = 0; i < TDM_ARGS + TDM_LAYOUT_ARGS; i++)
      j->column[i] = cells + i * TDM_CHUNK_ROWS;
    find_request_columns(j);
    put_all(j);
    for (uint32_t id = 0; id < layouts; id++) forget_args(j, id);
  }
  if (j != NULL) {
    free(j->request_column);
    free(j->in_layout);
    free(j->count);
  }
  free(cells);
  free(j);
  return status;
}
