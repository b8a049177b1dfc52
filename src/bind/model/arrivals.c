/* Reads arrival processes. Owns the spelling of their kinds and keys; what they mean is
 * model/arrivals.c's. */
#include "bind/model/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bind/model/value.h"

static void read_constant(tdm_reader *r, tdm_arrivals *a) {
  a->kind = TDM_ARRIVE_CONSTANT;
  double rps = tdm_read_number(r, "rps");
  if (rps > 0)
    a->gap_s = 1 / rps;
  else
    tdm_read_fail(r, "rps must be above 0, not %.14g", rps);
}

static void read_renewal(tdm_reader *r, tdm_arrivals *a) {
  a->kind = TDM_ARRIVE_RENEWAL;
  a->gap = tdm_read_dist(r, "gap");
  if (a->gap == NULL) tdm_read_fail(r, "gap is missing");
}

static void read_mmpp(tdm_reader *r, tdm_arrivals *a) {
  a->kind = TDM_ARRIVE_MMPP;
  size_t mark = tdm_read_open(r, "states");
  size_t count = tdm_read_length(r);
  if (count == 0) tdm_read_fail(r, "wants at least one state");
  a->rates = tdm_array_new(count, sizeof *a->rates);
  a->sojourns_s = tdm_array_new(count, sizeof *a->sojourns_s);
  if (tdm_read_allocated(r, a->rates, "states") && tdm_read_allocated(r, a->sojourns_s, "states"))
    a->states = count;
  for (size_t i = 0; i < count && r->status == TDM_OK; i++) {
    size_t item = tdm_read_open_item(r, i + 1);
    a->rates[i] = tdm_read_number(r, "rps");
    a->sojourns_s[i] = tdm_read_number(r, "mean_s");
    tdm_read_close(r, item);
  }
  tdm_read_close(r, mark);
}

static void read_curve(tdm_reader *r, tdm_arrivals *a) {
  a->kind = TDM_ARRIVE_CURVE;
  size_t numbers = 0;
  a->curve = tdm_read_numbers(r, "points", &numbers);
  a->points = numbers / 2;
  if (numbers % 2 != 0) tdm_read_fail(r, "points wants pairs t1,rps1,t2,rps2,…");
  a->period_s = tdm_read_number_or(r, "period", 0);
}

static void read_closed(tdm_reader *r, tdm_arrivals *a) {
  a->kind = TDM_ARRIVE_CLOSED;
  a->users = tdm_read_count_or(r, "users", 0);
  if (a->users == TDM_UNLIMITED) tdm_read_fail(r, "users must be finite");
  a->think = tdm_read_dist(r, "think");
  if (a->think == NULL) tdm_read_fail(r, "think is missing");
}

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

/* { tokens, ids, ends }: how many ids there are up to each row's last. */
static void read_blocks(tdm_reader *r, tdm_request_rows *rows) {
  size_t mark = tdm_read_open(r, "blocks"), ids = 0, count = 0;
  if (tdm_read_present(r) && tdm_read_table(r)) {
    double tokens = tdm_read_number(r, "tokens");
    if (!(tokens >= 1 && tokens <= 1 << 30)) tdm_read_fail(r, "tokens is not a number from 1");
    rows->block_ids = read_wholes(r, "ids", &ids);
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

/* { attrs, turns, blocks, random }: rows of a recording; turns are the first rows, from 0, of
 * conversations. */
static void read_rows(tdm_reader *r, tdm_request_rows *rows) {
  size_t mark = tdm_read_open(r, "rows");
  if (tdm_read_present(r) && tdm_read_table(r)) {
    rows->count = tdm_read_count_or(r, "count", 0);
    rows->random = tdm_read_flag(r, "random");
    read_columns(r, rows);
    if (rows->count == 0) tdm_read_fail(r, "has no row");
    if (tdm_read_has(r, "turns")) rows->firsts = read_wholes(r, "turns", &rows->conversations);
    read_blocks(r, rows);
  }
  tdm_read_close(r, mark);
}

static void read_list(tdm_reader *r, tdm_arrivals *a) {
  a->kind = TDM_ARRIVE_LIST;
  double *times_s = tdm_read_numbers(r, "times", &a->count);
  a->times_ns = tdm_array_new(a->count, sizeof *a->times_ns);
  if (tdm_read_allocated(r, a->times_ns, "arrival times"))
    for (size_t i = 0; times_s != NULL && i < a->count; i++) {
      if (!(times_s[i] >= 0)) tdm_read_fail(r, "time %zu is below 0", i + 1);
      a->times_ns[i] = tdm_seconds_to_ns(times_s[i]);
    }
  free(times_s);
  a->repeats = tdm_read_count_or(r, "repeats", 0);
  a->period_ns = tdm_read_ns_or(r, "period", 0);
}

static void read_function(tdm_reader *r, tdm_arrivals *a) {
  a->kind = TDM_ARRIVE_FUNCTION;
  a->function = tdm_read_function(r, "fn");
  if (a->function == TDM_NO_INDEX) tdm_read_fail(r, "fn is missing");
}

static void read_coroutine(tdm_reader *r, tdm_arrivals *a) {
  read_function(r, a);
  a->coroutine = true;
}

static const struct {
  const char *name;
  void (*read)(tdm_reader *r, tdm_arrivals *a);
} kinds[] = {{"constant", read_constant}, {"renewal", read_renewal},    {"mmpp", read_mmpp},
             {"curve", read_curve},       {"closed", read_closed},      {"list", read_list},
             {"lua", read_function},      {"coroutine", read_coroutine}};

static void read_kind(tdm_reader *r, tdm_arrivals *a) {
  const char *kind = tdm_read_word(r, "kind");
  for (size_t i = 0; kind != NULL && i < sizeof kinds / sizeof *kinds; i++) {
    if (strcmp(kinds[i].name, kind) != 0) continue;
    kinds[i].read(r, a);
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
