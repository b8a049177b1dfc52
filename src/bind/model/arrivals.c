/* Reads arrival processes, by their fields as model/arrivals.c lists them. Owns the spelling of
 * what all of them have. */
#include "bind/model/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bind/model/value.h"

/* Attribute columns go by slot, whatever order the table has them in. */
static void read_columns(tdm_reader *r, tdm_request_rows *rows) {
  const tdm_model *model = r->model;
  size_t mark = tdm_read_open(r, "attrs");
  if (tdm_read_present(r) && tdm_read_table(r)) {
    rows->columns = tdm_array_new(model->attr_count, sizeof *rows->columns);
    if (tdm_read_allocated(r, rows->columns, "columns")) rows->column_count = model->attr_count;
    tdm_read_names(r, model->attrs, model->attr_count, "request attribute");
    for (size_t slot = 0; slot < rows->column_count && r->status == TDM_OK; slot++) {
      size_t count = rows->count;
      if (!tdm_read_has(r, model->attrs[slot])) continue;
      rows->columns[slot] = tdm_read_numbers(r, model->attrs[slot], &count);
      if (rows->count == 0) rows->count = count;
      if (count != rows->count)
        tdm_read_fail(r, "\"%s\" has %zu values for %zu rows", model->attrs[slot], count,
                      rows->count);
    }
  }
  tdm_read_close(r, mark);
}

/* A list of whole numbers from 0, the caller's to free. NULL after a problem. */
static uint32_t *read_wholes(tdm_reader *r, const char *key, size_t *count) {
  double *numbers = tdm_read_numbers(r, key, count);
  uint32_t *wholes = numbers != NULL ? tdm_array_new(*count, sizeof *wholes) : NULL;
  if (numbers != NULL) tdm_read_allocated(r, wholes, "recorded rows");
  for (size_t i = 0; wholes != NULL && i < *count; i++) {
    if (numbers[i] >= 0 && numbers[i] <= UINT32_MAX && numbers[i] == floor(numbers[i]))
      wholes[i] = (uint32_t)numbers[i];
    else
      tdm_read_fail(r, "%s: item %zu is not a whole number from 0", key, i + 1);
  }
  free(numbers);
  return wholes;
}

/* Runs of ids, as first, count, …: the ids, the caller's to free. NULL after a problem. */
static uint32_t *read_runs(tdm_reader *r, const char *key, size_t *count) {
  size_t numbers = 0, total = 0, at = 0;
  uint32_t *runs = read_wholes(r, key, &numbers);
  if (runs != NULL && numbers % 2 != 0) tdm_read_fail(r, "%s wants pairs of numbers", key);
  for (size_t i = 0; runs != NULL && i + 1 < numbers; i += 2) {
    if (runs[i + 1] > UINT32_MAX - runs[i]) tdm_read_fail(r, "%s: too large an id", key);
    total += runs[i + 1];
  }
  uint32_t *ids = runs != NULL && r->status == TDM_OK ? tdm_array_new(total, sizeof *ids) : NULL;
  if (runs != NULL && r->status == TDM_OK) tdm_read_allocated(r, ids, "recorded prompts");
  for (size_t i = 0; ids != NULL && i + 1 < numbers; i += 2)
    for (uint32_t k = 0; k < runs[i + 1]; k++) ids[at++] = runs[i] + k;
  free(runs);
  *count = at;
  return ids;
}

/* { tokens, runs, ends }: how many ids there are up to each row's last. */
static void read_blocks(tdm_reader *r, tdm_request_rows *rows) {
  size_t mark = tdm_read_open(r, "blocks"), ids = 0, count = 0;
  if (tdm_read_present(r) && tdm_read_table(r)) {
    double tokens = tdm_read_number(r, "tokens");
    if (!(tokens >= 1 && tokens <= 1 << 30)) tdm_read_fail(r, "tokens is not a number from 1");
    rows->block_ids = read_runs(r, "runs", &ids);
    double *ends = tdm_read_numbers(r, "ends", &count);
    if (count != rows->count) tdm_read_fail(r, "%zu ends for %zu rows", count, rows->count);
    rows->block_ends = tdm_array_new(count, sizeof *rows->block_ends);
    if (!tdm_read_allocated(r, rows->block_ends, "recorded rows")) count = 0;
    for (size_t i = 0; ends != NULL && i < count; i++) {
      if (!(ends[i] >= 0 && ends[i] <= (double)ids))
        tdm_read_fail(r, "end %zu is not an id", i + 1);
      if (r->status == TDM_OK) rows->block_ends[i] = (uint64_t)ends[i];
    }
    free(ends);
    if (r->status == TDM_OK) rows->block_tokens = (int64_t)tokens;
  }
  tdm_read_close(r, mark);
}

/* { roots, begun, joins }: conversations that others begin: pairs of a row and who is begun there.
 */
static void read_agents(tdm_reader *r, tdm_request_rows *rows) {
  size_t numbers = 0;
  if (!tdm_read_has(r, "roots")) return;
  rows->roots = read_wholes(r, "roots", &rows->root_count);
  uint32_t *pairs = read_wholes(r, "begun", &numbers);
  rows->begins = tdm_array_new(numbers / 2, sizeof *rows->begins);
  if (tdm_read_allocated(r, rows->begins, "recorded rows") && pairs != NULL)
    for (; rows->begin_count < numbers / 2; rows->begin_count++) {
      const uint32_t *pair = pairs + 2 * rows->begin_count;
      rows->begins[rows->begin_count] = (tdm_row_begins){.row = pair[0], .unit = pair[1]};
    }
  free(pairs);
  if (tdm_read_has(r, "joins")) rows->joins = read_wholes(r, "joins", &rows->join_count);
}

/* { attrs, turns, roots, begun, joins, blocks, random }: rows of a recording; turns are the first
 * rows, from 0, of conversations. */
static void read_rows(tdm_reader *r, tdm_request_rows *rows) {
  size_t mark = tdm_read_open(r, "rows");
  if (tdm_read_present(r) && tdm_read_table(r)) {
    rows->count = tdm_read_count_or(r, "count", 0);
    rows->random = tdm_read_flag(r, "random");
    read_columns(r, rows);
    if (rows->count == 0) tdm_read_fail(r, "has no row");
    if (tdm_read_has(r, "turns")) rows->firsts = read_wholes(r, "turns", &rows->conversations);
    read_agents(r, rows);
    read_blocks(r, rows);
    tdm_error error;
    if (r->status == TDM_OK && tdm_rows_check(rows, &error) == TDM_OK)
      tdm_read_allocated(r, tdm_rows_join_blocks(rows, &error) == TDM_OK ? rows : NULL,
                         "recorded prompts");
  }
  tdm_read_close(r, mark);
}

/* A list of seconds as times in ns. */
static int64_t *read_times(tdm_reader *r, const char *key, size_t *count) {
  double *times_s = tdm_read_numbers(r, key, count);
  int64_t *times_ns = tdm_array_new(*count, sizeof *times_ns);
  if (tdm_read_allocated(r, times_ns, "arrival times"))
    for (size_t i = 0; times_s != NULL && i < *count; i++) {
      if (!(times_s[i] >= 0)) tdm_read_fail(r, "time %zu is below 0", i + 1);
      times_ns[i] = tdm_seconds_to_ns(times_s[i]);
    }
  free(times_s);
  return times_ns;
}

static void read_pairs(tdm_reader *r, const char *key, double **pairs, size_t *count) {
  size_t numbers = 0;
  *pairs = tdm_read_numbers(r, key, &numbers);
  *count = numbers / 2;
  if (numbers % 2 != 0) tdm_read_fail(r, "%s wants pairs of numbers", key);
}

static void read_field(tdm_reader *r, const tdm_arrival_field *f, tdm_arrivals *a) {
  void *at = (char *)a + f->offset, *count = (char *)a + f->count;
  switch (f->sort) {
  case TDM_ARRIVAL_POSITIVE: {
    double number = *(double *)at = tdm_read_number(r, f->name);
    if (!(number > 0)) tdm_read_fail(r, "%s must be above 0, not %.14g", f->name, number);
    break;
  }
  case TDM_ARRIVAL_SECONDS: *(double *)at = tdm_read_number_or(r, f->name, 0); break;
  case TDM_ARRIVAL_NS: *(int64_t *)at = tdm_read_ns_or(r, f->name, 0); break;
  case TDM_ARRIVAL_COUNT: {
    uint32_t whole = *(uint32_t *)at = tdm_read_count_or(r, f->name, 0);
    if (whole == TDM_UNLIMITED) tdm_read_fail(r, "%s must be finite", f->name);
    break;
  }
  case TDM_ARRIVAL_FLAG: *(bool *)at = tdm_read_flag(r, f->name); break;
  case TDM_ARRIVAL_DIST: {
    tdm_dist *dist = *(tdm_dist **)at = tdm_read_dist(r, f->name);
    if (dist == NULL) tdm_read_fail(r, "%s is missing", f->name);
    break;
  }
  case TDM_ARRIVAL_PAIRS: read_pairs(r, f->name, at, count); break;
  case TDM_ARRIVAL_TIMES: *(int64_t **)at = read_times(r, f->name, count); break;
  case TDM_ARRIVAL_FUNCTION: {
    uint32_t function = *(uint32_t *)at = tdm_read_function(r, f->name);
    if (function == TDM_NO_INDEX) tdm_read_fail(r, "%s is missing", f->name);
    break;
  }
  }
}

static void read_kind(tdm_reader *r, tdm_arrivals *a) {
  const char *kind = tdm_read_word(r, "kind");
  for (int i = 0; kind != NULL && tdm_arrival_processes[i].name != NULL; i++) {
    const tdm_arrival_process *process = &tdm_arrival_processes[i];
    if (strcmp(process->name, kind) != 0) continue;
    a->kind = (tdm_arrival_kind)i;
    for (const tdm_arrival_field *f = process->fields; f->name != NULL; f++) read_field(r, f, a);
    return;
  }
  tdm_read_fail(r, "there is no arrival process of the kind \"%s\"", kind != NULL ? kind : "");
}

uint64_t tdm_read_requests(tdm_reader *r) {
  double requests = tdm_read_number_or(r, "requests", 0);
  if (requests == 0) return 0;
  if (requests >= 1 && requests <= 0x1p53 && requests == floor(requests)) return (uint64_t)requests;
  tdm_read_fail(r, "requests must be a whole number from 1, not %.14g", requests);
  return 0;
}

tdm_arrivals *tdm_bind_arrivals(tdm_reader *r, const char *key) {
  tdm_arrivals *a = tdm_array_new(1, sizeof *a);
  if (!tdm_read_allocated(r, a, "an arrival process")) return NULL;
  size_t mark = tdm_read_open(r, key);
  if (tdm_read_table(r)) read_kind(r, a);
  read_rows(r, &a->rows);
  a->batch = tdm_read_dist(r, "batch");
  a->start_ns = tdm_read_ns_or(r, "start", 0);
  a->end_ns = tdm_read_ns_or(r, "duration", 0);
  a->limit = tdm_read_requests(r);
  tdm_read_close(r, mark);
  if (r->status == TDM_OK) return a;
  tdm_arrivals_free(a);
  return NULL;
}
