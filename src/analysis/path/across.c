/* The path across ranks; see path.h.
 *
 * Where ranks meet is matched first (process.h). Of each collective only the rank that came last is
 * followed, from the beginning of its part back to the collective before it on its path: a leg.
 * Legs are found file by file, each graph opened once and closed; then they are put together from
 * the end of the run back. */
#include <stdlib.h>
#include <string.h>

#include "analysis/path/path.h"
#include "analysis/process/process.h"
#include "base/memory.h"

/* What a step's row is, apart from its graph. */
typedef struct {
  int32_t name, track, category;
  bool is_work;
} row_about;

typedef struct {
  size_t first, count; /* steps */
  uint32_t stop;       /* position of the part in which it began; TDM_NO_ROW: at the beginning */
} leg;

typedef struct {
  tdm_run_view *view;
  const tdm_path *end; /* the graph that ends last */
  int64_t from_ns;     /* when the path begins */
  tdm_collectives met;
  uint32_t *collective; /* by part; TDM_NO_ROW: ranks do not meet there */
  uint32_t *last;       /* by collective: the part that came last; TDM_NO_ROW: see `collective` */
  size_t *first;        /* by file: where its parts begin in `of`, by nth */
  uint32_t *of;
  leg *from; /* by collective */
  leg to_end;
  tdm_steps steps; /* of all legs; rows are positions in `about` */
  row_about *about;
  size_t abouts, about_room;
  tdm_base_names leaves;
} crossing;

static tdm_status no_memory(tdm_error *error) {
  return tdm_error_memory(error, "the path across ranks", 0);
}

/* ---- where ranks meet ---- */

/* Clocks allow a meeting when all ranks had come before any had left. */
static void choose(crossing *c, size_t collective) {
  const tdm_collectives *met = &c->met;
  int64_t late_ns = INT64_MIN, left_ns = INT64_MAX;
  uint32_t last = TDM_NO_ROW;
  for (size_t i = met->first[collective]; i < met->first[collective + 1]; i++) {
    const tdm_collective_part *part = &met->part[met->of[i]];
    if (part->start_ns > late_ns) late_ns = part->start_ns, last = met->of[i];
    if (part->end_ns < left_ns) left_ns = part->end_ns;
  }
  bool meet = tdm_collectives_meet(met, collective) && late_ns < left_ns;
  c->last[collective] = meet ? last : TDM_NO_ROW;
  for (size_t i = met->first[collective]; i < met->first[collective + 1]; i++)
    c->collective[met->of[i]] = meet ? (uint32_t)collective : TDM_NO_ROW;
}

static tdm_status match(crossing *c, size_t *meetings, tdm_error *error) {
  uint32_t sources = tdm_run_tables_sources(tdm_run_view_tables(c->view));
  tdm_status status = tdm_collectives_open(c->view, &c->met, error);
  if (status != TDM_OK) return status;
  c->collective = tdm_array_new(c->met.parts + 1, sizeof *c->collective);
  c->last = tdm_array_new(c->met.count + 1, sizeof *c->last);
  c->from = tdm_array_new(c->met.count + 1, sizeof *c->from);
  c->first = tdm_array_new((size_t)sources + 1, sizeof *c->first);
  c->of = tdm_array_new(c->met.parts + 1, sizeof *c->of);
  if (c->collective == NULL || c->last == NULL || c->from == NULL || c->first == NULL ||
      c->of == NULL)
    return no_memory(error);
  *meetings = 0;
  for (size_t k = 0; k < c->met.count; k++) {
    choose(c, k);
    *meetings += c->last[k] != TDM_NO_ROW;
  }
  for (size_t i = 0; i < c->met.parts; i++) c->first[c->met.part[i].source + 1]++;
  for (uint32_t s = 0; s < sources; s++) c->first[s + 1] += c->first[s];
  for (uint32_t i = 0; i < c->met.parts; i++)
    c->of[c->first[c->met.part[i].source] + c->met.part[i].nth] = i;
  return TDM_OK;
}

/* ---- legs ---- */

/* Rows of the steps from `first` on become what they are. */
static bool keep_rows(crossing *c, const tdm_path *path, size_t first) {
  for (size_t i = first; i < c->steps.count; i++) {
    uint32_t row = c->steps.step[i].row;
    if (row == TDM_NO_ROW) continue;
    if (!tdm_array_grow(&c->about, &c->about_room, c->abouts + 1, sizeof *c->about)) return false;
    bool is_work = row < path->work->count;
    const tdm_table *table = is_work ? path->work : path->host;
    if (!is_work) row -= (uint32_t)path->work->count;
    c->about[c->abouts] = (row_about){tdm_table_name(table, row), tdm_table_track(table, row),
                                      tdm_table_category(table, row), is_work};
    c->steps.step[i].row = (uint32_t)c->abouts++;
  }
  return true;
}

/* `part`: by work, the position of the part that it is. */
static tdm_status add_leg(crossing *c, const tdm_path *path, int64_t from_ns, uint32_t point,
                          const uint8_t *stops, const uint32_t *part, leg *out, tdm_error *error) {
  uint32_t stopped;
  out->first = c->steps.count;
  tdm_status status = tdm_path_walk(path, from_ns, point, stops, &stopped, &c->steps, error);
  out->count = c->steps.count - out->first;
  out->stop = stopped == TDM_NO_ROW ? TDM_NO_ROW : part[stopped];
  return status == TDM_OK && !keep_rows(c, path, out->first) ? no_memory(error) : status;
}

static tdm_status add_legs(crossing *c, const tdm_path *path, uint32_t source, tdm_error *error) {
  size_t works = path->work->count, nth = 0;
  uint8_t *stops = tdm_array_new(works + 1, 1);
  uint32_t *part = tdm_array_new(works + 1, sizeof *part), point;
  int64_t from_ns;
  tdm_status status = stops != NULL && part != NULL ? TDM_OK : no_memory(error);
  size_t parts = c->first[source + 1] - c->first[source];
  for (size_t w = 0; status == TDM_OK && w < works; w++) {
    if (path->work_class[w] != TDM_CLASS_COMM || nth >= parts) continue;
    part[w] = c->of[c->first[source] + nth++];
    stops[w] = c->collective[part[w]] != TDM_NO_ROW;
  }
  if (status == TDM_OK && source == c->end->source && tdm_path_ends(path, &from_ns, &point))
    status = add_leg(c, path, from_ns, point, stops, part, &c->to_end, error);
  for (size_t w = 0; status == TDM_OK && w < works; w++) {
    if (!stops[w] || c->last[c->collective[part[w]]] != part[w]) continue;
    leg *from = &c->from[c->collective[part[w]]];
    status = add_leg(c, path, c->from_ns, (uint32_t)(2 * w), stops, part, from, error);
  }
  free(stops);
  free(part);
  return status;
}

static bool is_followed(const crossing *c, uint32_t source) {
  if (source == c->end->source) return true;
  for (size_t i = c->first[source]; i < c->first[source + 1]; i++) {
    uint32_t part = c->of[i], collective = c->collective[part];
    if (collective != TDM_NO_ROW && c->last[collective] == part) return true;
  }
  return false;
}

static tdm_status follow(crossing *c, uint32_t source, tdm_error *error) {
  tdm_run_view *of_source = NULL;
  tdm_path path = {.source = source, .begins_ns = c->end->begins_ns, .leaves = c->leaves};
  c->leaves = (tdm_base_names){0};
  tdm_status status = tdm_run_view_of_source(c->view, source, &of_source, error);
  if (status == TDM_OK) status = tdm_path_open(of_source, &path, error);
  if (status == TDM_OK) status = add_legs(c, &path, source, error);
  c->leaves = path.leaves;
  path.leaves = (tdm_base_names){0};
  tdm_path_close(&path);
  tdm_run_view_close(of_source);
  return status;
}

/* ---- together ---- */

/* The stretch of a collective after the last rank came, on the rank from which the path comes. */
static tdm_step meeting(crossing *c, const tdm_collective_part *part, int64_t late_ns) {
  c->about[c->abouts] =
      (row_about){(int32_t)part->name, (int32_t)part->track, TDM_WORK_KERNEL, true};
  return (tdm_step){.from_ns = late_ns,
                    .to_ns = part->end_ns,
                    .what = TDM_NOTHING,
                    .row = (uint32_t)c->abouts++,
                    .bound = TDM_BOUND_COMM};
}

/* Steps from the last to the first. */
static tdm_status put_together(crossing *c, tdm_across *out, tdm_error *error) {
  tdm_steps *steps = &out->shown.steps;
  for (const leg *now = &c->to_end;;) {
    if (!tdm_array_grow(&steps->step, &steps->room, steps->count + now->count + 1,
                        sizeof *steps->step) ||
        !tdm_array_grow(&c->about, &c->about_room, c->abouts + 1, sizeof *c->about))
      return no_memory(error);
    for (size_t i = now->count; i-- > 0;)
      steps->step[steps->count++] = c->steps.step[now->first + i];
    if (now->stop == TDM_NO_ROW) return TDM_OK;
    uint32_t collective = c->collective[now->stop];
    const tdm_collective_part *part = &c->met.part[now->stop];
    const tdm_collective_part *last = &c->met.part[c->last[collective]];
    steps->step[steps->count++] = meeting(c, part, last->start_ns);
    out->met++;
    out->elsewhere += last->process != part->process;
    now = &c->from[collective];
  }
}

enum { ABOUTS = 3 };

static tdm_table table_of(const tdm_kept_rows *rows) {
  return (tdm_table){.count = rows->count,
                     .name = rows->column[0],
                     .track = rows->column[1],
                     .category = rows->column[2]};
}

/* Tables of the rows of the steps alone, work before the rest as in graphs. */
static tdm_status make_tables(crossing *c, tdm_across *out, tdm_error *error) {
  tdm_steps *steps = &out->shown.steps;
  for (size_t i = 0; i < steps->count / 2; i++) {
    tdm_step other = steps->step[i];
    steps->step[i] = steps->step[steps->count - 1 - i];
    steps->step[steps->count - 1 - i] = other;
  }
  for (size_t t = 0; t < 2; t++)
    if (!tdm_kept_rows_open(&out->rows[t], 0, ABOUTS)) return no_memory(error);
  for (size_t i = 0; i < steps->count; i++) {
    if (steps->step[i].row == TDM_NO_ROW) continue;
    const row_about *about = &c->about[steps->step[i].row];
    int64_t value[ABOUTS] = {about->name, about->track, about->category};
    int64_t *const column[ABOUTS] = {value, value + 1, value + 2};
    const tdm_rows row = {.count = 1, .column = column};
    if (!tdm_kept_rows_add(&out->rows[about->is_work], &row)) return no_memory(error);
  }
  out->host = table_of(&out->rows[0]);
  out->work = table_of(&out->rows[1]);
  size_t at[2] = {out->work.count, 0};
  for (size_t i = 0; i < steps->count; i++)
    if (steps->step[i].row != TDM_NO_ROW)
      steps->step[i].row = (uint32_t)at[c->about[steps->step[i].row].is_work]++;
  return TDM_OK;
}

static void close(crossing *c) {
  tdm_collectives_close(&c->met);
  free(c->collective);
  free(c->last);
  free(c->first);
  free(c->of);
  free(c->from);
  free(c->steps.step);
  free(c->about);
  tdm_base_names_close(&c->leaves);
}

tdm_status tdm_across_open(tdm_run_view *view, const tdm_path *end, tdm_across *out,
                           tdm_error *error) {
  crossing c = {.view = view, .end = end};
  uint32_t point;
  size_t meetings = 0;
  *out = (tdm_across){0};
  if (end->source == TDM_NONE || end->own == NULL || !tdm_path_ends(end, &c.from_ns, &point))
    return TDM_OK;
  tdm_status status = match(&c, &meetings, error);
  uint32_t sources = meetings > 0 ? tdm_run_tables_sources(tdm_run_view_tables(view)) : 0;
  for (uint32_t s = 0; status == TDM_OK && s < sources; s++)
    if (is_followed(&c, s)) status = follow(&c, s, error);
  if (status == TDM_OK && meetings > 0) status = put_together(&c, out, error);
  if (status == TDM_OK && meetings > 0) status = make_tables(&c, out, error);
  out->shown.view = view;
  out->shown.work = &out->work;
  out->shown.host = &out->host;
  out->shown.process = end->process;
  out->shown.total_ns = end->total_ns;
  out->shown.leaves = c.leaves;
  c.leaves = (tdm_base_names){0};
  close(&c);
  return status;
}

void tdm_across_close(tdm_across *across) {
  for (size_t t = 0; t < 2; t++) tdm_kept_rows_close(&across->rows[t]);
  tdm_path_close(&across->shown);
  *across = (tdm_across){0};
}
