/* Categories of GPU work by rules: how long each took, which rule said so, and the time in which
 * the GPU had nothing to do.
 *
 * Two times stand side by side. `total_ns` sums durations; work that overlaps counts each.
 * `elapsed_ns` counts each nanosecond of a device once, for the work that began first: what a row
 * adds to the time that its device was already covered. Devices are swept apart. Options: rules (an
 * object, tdm_rule_set; without it nothing is matched), elapsed (ns of wall clock; by default
 * the recorded time), each = "device" (default), "rank", "all".
 *
 * Names, rules, and the sweep over the rows. */
#include "analysis/analysis.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/rules/inside.h"
#include "analysis/run_view/gpu_work.h"
#include "base/memory.h"

enum { SUBJECT_CATEGORY, SUBJECT_NAME, SUBJECT_KEYS };

static tdm_status out_of_memory(tdm_error *error) {
  return tdm_error_memory(error, "categories", 0);
}

/* ---- names ---- */

/* Copies are called as Nsight Systems calls them, whatever the source: rules are written so. */
static const char *copy_words(const char *kind) {
  static const char *const words[][2] = {{"HtoD", "Host-to-Device"},   {"DtoH", "Device-to-Host"},
                                         {"DtoD", "Device-to-Device"}, {"HtoH", "Host-to-Host"},
                                         {"PtoP", "Peer-to-Peer"},     {"HtoA", "Host-to-Array"},
                                         {"AtoH", "Array-to-Host"},    {"AtoA", "Array-to-Array"},
                                         {"AtoD", "Array-to-Device"},  {"DtoA", "Device-to-Array"}};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(words[i][0], kind) == 0) return words[i][1];
  return kind;
}

static const char *copy_name(tdm_categories *c, tdm_subject *s, int64_t kind) {
  if (kind == TDM_NONE) return "[CUDA memcpy]";
  const char *words = copy_words(tdm_run_view_name(c->view, kind));
  size_t room = strlen(words) + sizeof "[CUDA memcpy ]";
  s->made = malloc(room);
  if (s->made != NULL) snprintf(s->made, room, "[CUDA memcpy %s]", words);
  return s->made;
}

static int set_category(tdm_categories *c, tdm_subject *s, const char *text) {
  uint32_t id = tdm_intern_put(&c->texts, text, strlen(text), NULL);
  s->category = id;
  return id != TDM_INTERN_FAILED;
}

static tdm_status name_subject(tdm_categories *c, size_t index, tdm_error *error) {
  tdm_subject *s = &c->subject[index];
  const int64_t *key = c->subjects.key + index * SUBJECT_KEYS;
  s->category = TDM_UNMATCHED;
  switch (key[SUBJECT_CATEGORY]) {
  case TDM_WORK_MEMCPY: s->name = copy_name(c, s, key[SUBJECT_NAME]); break;
  case TDM_WORK_MEMSET: s->name = "[CUDA memset]"; break;
  default: s->name = tdm_run_view_name(c->view, key[SUBJECT_NAME]);
  }
  if (s->name == NULL) return out_of_memory(error);
  if (c->rules != NULL) s->labels = tdm_rule_set_match(c->rules, s->name, strlen(s->name));
  const char *text = s->labels.label[TDM_LABEL_CATEGORY];
  if (text == NULL && key[SUBJECT_CATEGORY] == TDM_WORK_STAGE) {
    text = s->name; /* a simulated stage is named by what it does */
    s->own_rule = "(stage)";
  } else if (text == NULL && key[SUBJECT_CATEGORY] == TDM_WORK_GRAPH) {
    text = "cuda_graph"; /* recorded as a whole: what it ran is not known */
    s->own_rule = "(graph)";
  }
  return text == NULL || set_category(c, s, text) ? TDM_OK : out_of_memory(error);
}

/* ---- counting ---- */

static int64_t name_key(const tdm_table *table, size_t row) {
  if (tdm_table_category(table, row) == TDM_WORK_MEMCPY)
    return tdm_table_arg(table, TDM_WORK_COPY_KIND, row);
  return tdm_table_category(table, row) == TDM_WORK_MEMSET ? 0 : tdm_table_name(table, row);
}

/* The part that a track belongs to. UINT32_MAX: out of memory. */
static uint32_t part_of(tdm_categories *c, int64_t track) {
  if (c->part_of[track] == UINT32_MAX) {
    c->part_of[track] = tdm_groups_add(&c->parts, &c->split_of[track]);
  }
  return c->part_of[track];
}

/* The groups of a row; lines grow with theirs. */
static tdm_status categorize_row(tdm_categories *c, size_t row, uint32_t *line, uint32_t *into,
                                 tdm_error *error) {
  const tdm_table *table = c->table;
  size_t lines = c->lines.count;
  *into = part_of(c, tdm_table_track(table, row));
  int64_t key[TDM_LINE_KEYS] = {*into, tdm_table_category(table, row), name_key(table, row)};
  *line = tdm_groups_add(&c->lines, key);
  if (*into == UINT32_MAX || *line == UINT32_MAX) return out_of_memory(error);
  if (c->lines.count == lines) return TDM_OK;
  if (!tdm_array_grow(&c->line, &c->line_room, lines + 1, sizeof *c->line))
    return out_of_memory(error);
  c->line[lines] = (tdm_busy_sums){0};
  return TDM_OK;
}

/* What covers its own time: each device, and what has none, each file. */
static size_t device_slot(const tdm_categories *c, int64_t track) {
  uint32_t device = tdm_run_view_device_of(c->view, track);
  if (device != TDM_NO_DEVICE) return device;
  const tdm_track *about = tdm_run_view_track(c->view, track);
  uint32_t sources = tdm_run_tables_sources(tdm_run_view_tables(c->view));
  uint32_t source = about != NULL && about->source < sources ? about->source : sources;
  return (size_t)tdm_run_view_devices(c->view) + source;
}

/* Rows come in order of start: what one adds to its device is what lies behind all ends so far. */
static tdm_status sweep(tdm_categories *c, int64_t *covered_ns, tdm_error *error) {
  const tdm_table *table = c->table;
  for (size_t i = 0; i < table->count; i++) {
    uint32_t line, into;
    tdm_status status = categorize_row(c, i, &line, &into, error);
    if (status != TDM_OK) return status;
    int64_t *covered = &covered_ns[device_slot(c, tdm_table_track(table, i))];
    if (*covered == INT64_MIN) c->part[into].devices++;
    int64_t from_ns =
        tdm_table_start_ns(table, i) > *covered ? tdm_table_start_ns(table, i) : *covered;
    int64_t own_ns = 0;
    if (tdm_table_end_ns(table, i) > from_ns)
      own_ns =
          tdm_intervals_within_ns(tdm_run_view_times(c->view), from_ns, tdm_table_end_ns(table, i));
    if (tdm_table_end_ns(table, i) > *covered) *covered = tdm_table_end_ns(table, i);
    int64_t dur_ns = tdm_table_end_ns(table, i) - tdm_table_start_ns(table, i);
    tdm_busy_sums_add(&c->line[line], own_ns, dur_ns, 1);
    tdm_busy_sums_add(&c->part[into].busy, own_ns, dur_ns, 1);
  }
  return TDM_OK;
}

static tdm_status count(tdm_categories *c, tdm_error *error) {
  const tdm_run_tables *tables = tdm_run_view_tables(c->view);
  size_t slots = (size_t)tdm_run_view_devices(c->view) + tdm_run_tables_sources(tables) + 1;
  size_t tracks = (size_t)tdm_run_tables_tracks(tables) + 1;
  tdm_status status = tdm_groups_open(&c->lines, TDM_LINE_KEYS, c->table->count, error);
  if (status == TDM_OK) status = tdm_groups_open(&c->parts, 1, tracks, error);
  int64_t *covered_ns = tdm_array_new(slots, sizeof *covered_ns);
  c->split_of = tdm_split_keys(c->view, c->split);
  c->part_of = tdm_array_new(tracks, sizeof *c->part_of);
  c->part = tdm_array_new(tracks, sizeof *c->part);
  if (status == TDM_OK &&
      (covered_ns == NULL || c->split_of == NULL || c->part_of == NULL || c->part == NULL))
    status = out_of_memory(error);
  if (status == TDM_OK) {
    for (size_t s = 0; s < slots; s++) covered_ns[s] = INT64_MIN;
    for (size_t t = 0; t < tracks; t++) c->part_of[t] = UINT32_MAX;
    status = sweep(c, covered_ns, error);
  }
  free(covered_ns);
  return status;
}

/* Lines of the same name on several parts share a subject. */
static tdm_status match(tdm_categories *c, tdm_error *error) {
  tdm_status status = tdm_groups_open(&c->subjects, SUBJECT_KEYS, c->lines.count, error);
  for (size_t l = 0; status == TDM_OK && l < c->lines.count; l++)
    if (tdm_groups_add(&c->subjects, c->lines.key + l * TDM_LINE_KEYS + TDM_LINE_SUBJECT) ==
        UINT32_MAX)
      status = out_of_memory(error);
  if (status != TDM_OK) return status;
  if (c->rules != NULL) tdm_rule_set_forget(c->rules);
  c->subject = tdm_array_new(c->subjects.count + 1, sizeof *c->subject);
  if (c->subject == NULL) return out_of_memory(error);
  for (size_t s = 0; status == TDM_OK && s < c->subjects.count; s++)
    status = name_subject(c, s, error);
  for (size_t l = 0; status == TDM_OK && l < c->lines.count; l++)
    if (tdm_subject_of(c, l)->category == TDM_UNMATCHED)
      c->part[c->lines.key[l * TDM_LINE_KEYS + TDM_LINE_PART]].unmatched_ns +=
          c->line[l].elapsed_ns;
  return status;
}

static tdm_status read_options(tdm_categories *c, const tdm_options *options, bool *given,
                               tdm_error *error) {
  const char *each = tdm_option_text(options, "each", "device");
  if (strcmp(each, "device") == 0)
    c->split = TDM_SPLIT_DEVICE;
  else if (strcmp(each, "rank") == 0)
    c->split = TDM_SPLIT_RANK;
  else if (strcmp(each, "all") != 0)
    return tdm_error_set(error, TDM_INVALID, "'each' cannot be '%s'; it can be device, rank, all",
                         each);
  double elapsed_ns = tdm_option_number(options, "elapsed", 0);
  if (!(elapsed_ns >= 0 && elapsed_ns < 9e15))
    return tdm_error_set(error, TDM_INVALID, "'elapsed' is not a time that a run may take");
  *given = elapsed_ns > 0;
  c->wall_ns = *given ? (int64_t)elapsed_ns : tdm_intervals_total_ns(tdm_run_view_times(c->view));
  c->rules = tdm_option_object(options, "rules");
  return TDM_OK;
}

tdm_status tdm_answer_categories(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                                 tdm_error *error) {
  tdm_categories c = {.view = view};
  bool given = false;
  tdm_status status = read_options(&c, options, &given, error);
  if (status == TDM_OK) status = tdm_run_view_table(view, &tdm_gpu_work, &c.table, error);
  if (status == TDM_OK) status = count(&c, error);
  if (status == TDM_OK) status = match(&c, error);
  if (status == TDM_OK) status = tdm_categories_tell(&c, given, out, error);
  for (size_t s = 0; c.subject != NULL && s < c.subjects.count; s++) free(c.subject[s].made);
  free(c.subject);
  free(c.line);
  free(c.part);
  free(c.part_of);
  free(c.split_of);
  tdm_intern_clear(&c.texts);
  tdm_groups_close(&c.subjects);
  tdm_groups_close(&c.lines);
  tdm_groups_close(&c.parts);
  return status;
}
