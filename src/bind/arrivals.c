/* Reads arrival processes. Owns the spelling of their kinds and keys; what they mean is
 * model/arrivals.c's. */
#include "bind/arrivals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bind/formula.h"

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
static void read_columns(tdm_reader *r, tdm_arrivals *a) {
  const tdm_model *model = r->model;
  size_t mark = tdm_read_open(r, "attrs");
  if (tdm_read_present(r) && tdm_read_table(r)) {
    a->columns = tdm_array_new(model->attr_count, sizeof *a->columns);
    if (tdm_read_allocated(r, a->columns, "columns")) a->column_count = model->attr_count;
    tdm_read_names(r, model->attrs, model->attr_count, "request attribute");
    for (size_t slot = 0; slot < a->column_count && r->status == TDM_OK; slot++) {
      size_t count = a->count;
      if (!tdm_read_has(r, model->attrs[slot])) continue;
      a->columns[slot] = tdm_read_numbers(r, model->attrs[slot], &count);
      if (count != a->count)
        tdm_read_fail(r, "\"%s\" has %zu values for %zu times", model->attrs[slot], count,
                      a->count);
    }
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
  read_columns(r, a);
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
  a->batch = tdm_read_dist(r, "batch");
  a->start_ns = tdm_read_ns_or(r, "start", 0);
  a->end_ns = tdm_read_ns_or(r, "duration", 0);
  a->limit = tdm_read_requests(r);
  tdm_read_close(r, mark);
  if (r->status == TDM_OK) return a;
  tdm_arrivals_free(a);
  return NULL;
}
