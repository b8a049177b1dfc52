/* Which cause each record has, and each instant of the path through it. See causes.h. */
#include "analysis/path/causes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/groups.h"
#include "analysis/path/path.h"
#include "analysis/run_view/gpu_work.h"
#include "base/memory.h"

static const char *const names[TDM_CAUSES] = {
    [TDM_CAUSE_LOADER] = "loader",     [TDM_CAUSE_HOST] = "host",
    [TDM_CAUSE_LAUNCH] = "launch",     [TDM_CAUSE_SYNC] = "sync",
    [TDM_CAUSE_ALLOCATE] = "allocate", [TDM_CAUSE_COPY] = "copy",
    [TDM_CAUSE_COMM] = "comm",         [TDM_CAUSE_ATTENTION] = "attention",
    [TDM_CAUSE_KERNEL] = "kernel",     [TDM_CAUSE_GAP] = "gap",
    [TDM_CAUSE_SYSTEM] = "system",     [TDM_CAUSE_HELD] = "held",
    [TDM_CAUSE_NOTHING] = "nothing"};

const char *tdm_cause_name(tdm_cause cause) {
  return names[cause];
}

tdm_cause tdm_cause_named(const char *name) {
  int cause = 0;
  while (cause < TDM_CAUSES && strcmp(names[cause], name) != 0) cause++;
  return (tdm_cause)cause;
}

/* Names are told apart by where they come from: the run's, folded ones, calls, leaves of samples,
 * and words of this file. */
enum { OF_RUN, OF_FOLDED, OF_CALLS, OF_LEAVES, OF_WORDS, SOURCES };
enum { KEY_CAUSE, KEY_NAME, KEY_PLACE, KEYS };
#define ON_THREAD ((int64_t)1 << 32) /* places below are devices */
#define NOWHERE   (-1)

/* Copies with what tells them apart; in the order that they have among all work. */
static const char *const copy_categories[] = {"memcpy", NULL};
static const tdm_arg copy_keys[] = {{"kind", TDM_ARG_TEXT},
                                    {"src_kind", TDM_ARG_TEXT},
                                    {"dst_kind", TDM_ARG_TEXT},
                                    {NULL, TDM_ARG_INT}};
static const tdm_wanted wanted_copies = {.categories = copy_categories, .keys = copy_keys};
enum { COPY_KIND, COPY_SOURCE, COPY_TARGET };

typedef struct {
  tdm_causes *causes;
  const tdm_path *path;
  tdm_run_view *view;
  const tdm_table *copies;
  size_t copy; /* the next of them */
  tdm_groups groups;
  uint8_t *attention;    /* by work */
  uint32_t *asks;        /* by host record: the first work it launched, or TDM_NO_ROW */
  unsigned char *within; /* by host record: it is an operator or lies in one */
  tdm_name_marks calls, ranges;
} splitting;

static int64_t named(int source, int64_t id) {
  return id * SOURCES + source;
}

static int64_t word(splitting *s, const char *text) {
  return named(OF_WORDS, tdm_intern_put(&s->causes->words, text, strlen(text), NULL));
}

static int64_t folded(splitting *s, int64_t name) {
  return named(OF_FOLDED, tdm_base_names_id(&s->causes->folded, s->view, name));
}

static bool put(splitting *s, tdm_cause cause, int64_t name, int64_t place) {
  const int64_t key[KEYS] = {cause, name, place};
  uint32_t node = tdm_groups_of(&s->groups, key);
  return node != UINT32_MAX && tdm_kept_rows_append(&s->causes->node_of, node);
}

static int64_t on_device(const splitting *s, uint32_t work) {
  uint32_t device = tdm_run_view_device_of(s->view, tdm_table_track(s->path->work, work));
  return device == TDM_NO_DEVICE ? NOWHERE : (int64_t)device;
}

/* ---- work ---- */

/* "HtoD, pinned": the direction and what the host's memory is. */
static int64_t copy_name(splitting *s, size_t copy) {
  const tdm_table *t = s->copies;
  int64_t kind = copy < t->count ? tdm_table_arg(t, COPY_KIND, copy) : TDM_NONE;
  const char *way = kind == TDM_NONE ? "copies" : tdm_run_view_name(s->view, kind);
  int64_t side = strncmp(way, "HtoD", 4) == 0   ? tdm_table_arg(t, COPY_SOURCE, copy)
                 : strncmp(way, "DtoH", 4) == 0 ? tdm_table_arg(t, COPY_TARGET, copy)
                                                : TDM_NONE;
  char text[96];
  snprintf(text, sizeof text, "%.40s%s%.40s", way, side == TDM_NONE ? "" : ", ",
           side == TDM_NONE ? "" : tdm_run_view_name(s->view, side));
  return word(s, text);
}

static bool put_work(splitting *s, uint32_t work) {
  int64_t name = named(OF_RUN, tdm_table_name(s->path->work, work)), place = on_device(s, work);
  size_t copy = tdm_table_category(s->path->work, work) == TDM_WORK_MEMCPY ? s->copy++ : SIZE_MAX;
  switch (s->path->work_class[work]) {
  case TDM_CLASS_COPY: return put(s, TDM_CAUSE_COPY, copy_name(s, copy), place);
  case TDM_CLASS_COMM: return put(s, TDM_CAUSE_COMM, name, place);
  default: break;
  }
  if (s->attention[work]) return put(s, TDM_CAUSE_ATTENTION, word(s, "attention"), place);
  return put(s, TDM_CAUSE_KERNEL, name, place);
}

/* ---- the host's records ---- */

enum { CALL_OTHER, CALL_LAUNCHES, CALL_WAITS, CALL_ALLOCATES };

static uint8_t call_of(const char *name) {
  static const char *const allocates[] = {"Malloc",    "Free",   "HostAlloc",    "MemAlloc",
                                          "MemCreate", "MemMap", "HostRegister", NULL};
  if (tdm_api_waits_for(name) != TDM_WAITS_NOT) return CALL_WAITS;
  for (const char *const *one = allocates; *one != NULL; one++)
    if (strstr(name, *one) != NULL) return CALL_ALLOCATES;
  return strstr(name, "Launch") != NULL ? CALL_LAUNCHES : CALL_OTHER;
}

/* Operators have names of their namespace, also as ranges of NVTX. */
enum { RANGE_OTHER, RANGE_LOADS, RANGE_OPERATOR, RANGE_STEP };

static uint8_t range_of(const char *name) {
  if (strstr(name, "DataLoader") != NULL) return RANGE_LOADS;
  if (strncmp(name, "ProfilerStep", 12) == 0) return RANGE_STEP;
  return strncmp(name, "aten::", 6) == 0 ? RANGE_OPERATOR : RANGE_OTHER;
}

static bool put_like(splitting *s, uint32_t row) {
  return tdm_kept_rows_append(&s->causes->node_of, tdm_causes_of_row(s->causes, row));
}

static tdm_cause cause_of_row(const splitting *s, uint32_t row) {
  return (tdm_cause)s->groups.key[(size_t)tdm_causes_of_row(s->causes, row) * KEYS + KEY_CAUSE];
}

static bool put_call(splitting *s, uint32_t host) {
  const tdm_path *path = s->path;
  int64_t name = tdm_table_name(path->host, host),
          place = ON_THREAD + tdm_table_track(path->host, host);
  uint32_t asks = s->asks[host];
  int64_t call = named(OF_CALLS, tdm_base_names_id(&s->causes->calls, s->view, name));
  if (asks != TDM_NO_ROW && path->work_class[asks] == TDM_CLASS_COPY) return put_like(s, asks);
  /* A call that sets memory which the host shares waits for it. */
  if (asks != TDM_NO_ROW && path->work_class[asks] == TDM_CLASS_MEMSET &&
      tdm_table_end_ns(path->work, asks) <= tdm_table_end_ns(path->host, host))
    return put(s, TDM_CAUSE_SYNC, call, place);
  if (asks != TDM_NO_ROW) return put(s, TDM_CAUSE_LAUNCH, call, place);
  switch (tdm_name_mark(&s->calls, s->view, name, call_of)) {
  case CALL_LAUNCHES: return put(s, TDM_CAUSE_LAUNCH, call, place);
  case CALL_WAITS: return put(s, TDM_CAUSE_SYNC, call, place);
  case CALL_ALLOCATES: return put(s, TDM_CAUSE_ALLOCATE, call, place);
  default: return put(s, TDM_CAUSE_HOST, call, place);
  }
}

/* What lies in an operator is the operator's; of operators in operators it is the outermost. */
static bool put_host(splitting *s, uint32_t host) {
  const tdm_path *path = s->path;
  uint32_t parent = path->parent[host], works = (uint32_t)path->work->count;
  int64_t category = tdm_table_category(path->host, host), name = tdm_table_name(path->host, host);
  int64_t place = ON_THREAD + tdm_table_track(path->host, host);
  bool inside = parent != TDM_NO_ROW;
  s->within[host] = inside && s->within[parent];
  if (inside && cause_of_row(s, works + parent) == TDM_CAUSE_LOADER)
    return put_like(s, works + parent);
  switch (category) {
  case TDM_HOST_RUNTIME:
  case TDM_HOST_DRIVER:
    if (inside && tdm_table_category(path->host, parent) <= TDM_HOST_DRIVER)
      return put_like(s, works + parent);
    return put_call(s, host);
  case TDM_HOST_MPI: return put(s, TDM_CAUSE_COMM, named(OF_RUN, name), place);
  case TDM_HOST_OSRT:
    return put(s,
               tdm_path_waits(tdm_run_view_name(s->view, name)) ? TDM_CAUSE_SYSTEM : TDM_CAUSE_HOST,
               named(OF_RUN, name), place);
  default: break;
  }
  uint8_t range = tdm_name_mark(&s->ranges, s->view, name, range_of);
  if (range == RANGE_LOADS && category != TDM_HOST_PYTHON)
    return put(s, TDM_CAUSE_LOADER, folded(s, name), place);
  if (range ==
      RANGE_STEP) /* a mark around all there is: of time in nothing else it tells nothing */
    return put(s, TDM_CAUSE_NOTHING, word(s, "(nothing recorded)"), NOWHERE);
  if (s->within[host] && tdm_table_category(path->host, parent) > TDM_HOST_DRIVER)
    return put_like(s, works + parent);
  s->within[host] = category == TDM_HOST_OP || range == RANGE_OPERATOR;
  return put(s, TDM_CAUSE_HOST, folded(s, name), place);
}

/* ---- steps of the path ---- */

static bool put_step(splitting *s, const tdm_step *step) {
  bool is_work = step->row < s->path->work->count;
  if (step->row == TDM_NO_ROW) {
    if (step->inferred) return put(s, TDM_CAUSE_NOTHING, word(s, "(a thread takes over)"), NOWHERE);
    if (step->what == TDM_NOTHING)
      return put(s, TDM_CAUSE_NOTHING, word(s, "(nothing recorded)"), NOWHERE);
    if (step->what == TDM_HELD_UP)
      return put(s, TDM_CAUSE_HELD, word(s, "(asked for, not begun)"), NOWHERE);
    if (step->what == TDM_OFF_CPU)
      return put(s, TDM_CAUSE_SYSTEM, word(s, "(off the CPU)"), NOWHERE);
    if (step->what == TDM_ON_CPU)
      return put(s, TDM_CAUSE_HOST, word(s, "(on a CPU, by scheduling)"), NOWHERE);
    return put(s, TDM_CAUSE_HOST, named(OF_LEAVES, step->what), NOWHERE);
  }
  if (is_work && step->bound == TDM_BOUND_LAUNCH)
    return put(s, TDM_CAUSE_LAUNCH, word(s, "(on the way to the GPU)"), on_device(s, step->row));
  if (is_work && step->bound == TDM_BOUND_KERNEL_GAP)
    return put(s, TDM_CAUSE_GAP, word(s, "(between pieces of work)"), on_device(s, step->row));
  return put_like(s, step->row);
}

/* ---- nodes ---- */

static const char *text_of(const splitting *s, int64_t name) {
  int64_t id = name / SOURCES;
  switch (name % SOURCES) {
  case OF_FOLDED: return tdm_base_names_text(&s->causes->folded, id);
  case OF_CALLS: return tdm_base_names_text(&s->causes->calls, id);
  case OF_LEAVES: return tdm_path_leaf(s->path, id);
  case OF_WORDS: return s->causes->words.entries[id].bytes;
  default: return tdm_run_view_name(s->view, id);
  }
}

static int64_t length_of(const tdm_causes *causes, uint32_t step) {
  return causes->path->steps.step[step].to_ns - causes->path->steps.step[step].from_ns;
}

static tdm_status make_nodes(splitting *s, tdm_error *error) {
  tdm_causes *causes = s->causes;
  causes->node = tdm_array_new(s->groups.count + 1, sizeof *causes->node);
  if (causes->node == NULL)
    return tdm_error_memory(error, "causes", s->groups.count * sizeof *causes->node);
  causes->nodes = s->groups.count;
  for (size_t n = 0; n < causes->nodes; n++) {
    const int64_t *key = s->groups.key + n * KEYS;
    bool is_thread = key[KEY_PLACE] >= ON_THREAD;
    causes->node[n] = (tdm_cause_node){
        .cause = (tdm_cause)key[KEY_CAUSE],
        .name = text_of(s, key[KEY_NAME]),
        .device = is_thread || key[KEY_PLACE] < 0 ? TDM_NO_DEVICE : (uint32_t)key[KEY_PLACE],
        .track = is_thread ? (uint32_t)(key[KEY_PLACE] - ON_THREAD) : TDM_NO_ROW,
        .longest = TDM_NO_ROW};
  }
  for (uint32_t i = 0; i < causes->path->steps.count; i++) {
    tdm_cause_node *node = &causes->node[tdm_causes_of_step(causes, i)];
    node->ns += length_of(causes, i);
    node->steps++;
    if (node->longest == TDM_NO_ROW || length_of(causes, i) > length_of(causes, node->longest))
      node->longest = i;
  }
  return TDM_OK;
}

static tdm_status find_asked(splitting *s, tdm_error *error) {
  const tdm_path *path = s->path;
  s->attention = tdm_path_attention(path);
  s->asks = tdm_array_raw(path->host->count + 1, sizeof *s->asks);
  s->within = tdm_array_new(path->host->count + 1, 1);
  if (s->attention == NULL || s->asks == NULL || s->within == NULL)
    return tdm_error_memory(error, "causes", path->host->count * 5);
  for (size_t h = 0; h < path->host->count; h++) s->asks[h] = TDM_NO_ROW;
  for (size_t w = path->work->count; w-- > 0;)
    if (path->launch[w] != TDM_NO_ROW) s->asks[path->launch[w]] = (uint32_t)w;
  return TDM_OK;
}

static tdm_status split(splitting *s, tdm_error *error) {
  const tdm_path *path = s->path;
  size_t works = path->work->count, rows = works + path->host->count;
  tdm_status status = find_asked(s, error);
  if (status == TDM_OK) status = tdm_run_view_table(s->view, &wanted_copies, &s->copies, error);
  if (status == TDM_OK) status = tdm_groups_open(&s->groups, KEYS, 0, error);
  s->causes->rows = rows;
  bool fine = tdm_kept_rows_open(&s->causes->node_of, 0, 1);
  for (uint32_t w = 0; status == TDM_OK && fine && w < works; w++) fine = put_work(s, w);
  for (uint32_t h = 0; status == TDM_OK && fine && h < path->host->count; h++)
    fine = put_host(s, h);
  for (size_t i = 0; status == TDM_OK && fine && i < s->causes->path->steps.count; i++)
    fine = put_step(s, &s->causes->path->steps.step[i]);
  if (!fine) status = tdm_error_memory(error, "causes", rows * 24);
  return status == TDM_OK ? make_nodes(s, error) : status;
}

tdm_status tdm_causes_open(const tdm_path *path, tdm_causes *causes, tdm_error *error) {
  *causes = (tdm_causes){
      .path = path, .folded = {.base_of = tdm_name_fold}, .calls = {.base_of = tdm_call_base}};
  splitting s = {.causes = causes, .path = path, .view = path->view};
  if (path->too_long) return TDM_OK;
  tdm_status status = split(&s, error);
  tdm_groups_close(&s.groups);
  tdm_name_marks_close(&s.calls);
  tdm_name_marks_close(&s.ranges);
  free(s.attention);
  free(s.asks);
  free(s.within);
  tdm_path_tidy(path);
  return status;
}

void tdm_causes_close(tdm_causes *causes) {
  tdm_kept_rows_close(&causes->node_of);
  free(causes->node);
  tdm_base_names_close(&causes->folded);
  tdm_base_names_close(&causes->calls);
  tdm_intern_clear(&causes->words);
  *causes = (tdm_causes){0};
}

static void destroy(void *object) {
  tdm_causes_close(object);
  free(object);
}

tdm_status tdm_causes_of(tdm_run_view *view, const tdm_causes **out, tdm_error *error) {
  const tdm_path *path;
  *out = tdm_run_view_kept(view, &wanted_copies);
  if (*out != NULL) return TDM_OK;
  tdm_status status = tdm_path_of(view, &path, error);
  if (status != TDM_OK) return status;
  tdm_causes *causes = tdm_array_new(1, sizeof *causes);
  if (causes == NULL) return tdm_error_memory(error, "causes", sizeof *causes);
  status = tdm_causes_open(path, causes, error);
  if (status != TDM_OK) {
    destroy(causes);
    return status;
  }
  *out = causes;
  return tdm_run_view_keep_apart(view, &wanted_copies, causes, destroy, error);
}

void tdm_causes_forget(tdm_run_view *view) {
  const tdm_causes *causes = tdm_run_view_kept(view, &wanted_copies);
  if (causes == NULL) return;
  const tdm_path *path = causes->path;
  tdm_run_view_forget(view, &wanted_copies);
  tdm_path_tidy(path);
}
