/* An inference process by its API calls: initialization, weights, input, execution, retrieval,
 * cleanup; where it idles and how often it changes between host and GPU.
 *
 * Calls of a process in order of time go through a small machine: each begins a phase or belongs to
 * the one that is. Only the end of loading the weights needs a look ahead. */
#include "analysis/process/process.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/process/inside.h"
#include "analysis/run_view/gpu_work.h"
#include "analysis/run_view/run_view.h"
#include "base/memory.h"

typedef enum {
  PHASE_INIT,
  PHASE_LOAD,
  PHASE_INPUT,
  PHASE_EXECUTE,
  PHASE_RETRIEVE,
  PHASE_CLEANUP,
  PHASES
} phase;

static const char *const phase_names[PHASES] = {"init",    "weight_load", "input",
                                                "execute", "retrieve",    "cleanup"};

enum { LOAD_BYTES = 16 << 20 }; /* as much is weights, even where no memory is allocated */
static const double LOAD_SHARE = 0.99;

static const char *const sched_categories[] = {"sched", NULL};
static const tdm_wanted wanted_sched = {.categories = sched_categories};

static const tdm_field phase_fields[] = {{"process", TDM_FIELD_TEXT},
                                         {"phase", TDM_FIELD_TEXT},
                                         {"total_ns", TDM_FIELD_INT},
                                         {"share", TDM_FIELD_REAL},
                                         {"times", TDM_FIELD_INT},
                                         {"calls", TDM_FIELD_INT},
                                         {"call_ns", TDM_FIELD_INT},
                                         {"to_gpu_bytes", TDM_FIELD_INT},
                                         {"from_gpu_bytes", TDM_FIELD_INT},
                                         {"copied_bytes", TDM_FIELD_INT},
                                         {"allocated_bytes", TDM_FIELD_INT},
                                         {"launches", TDM_FIELD_INT},
                                         {"to_gpu_bytes_per_s", TDM_FIELD_REAL}};
enum {
  PH_PROCESS,
  PH_PHASE,
  PH_TOTAL,
  PH_SHARE,
  PH_TIMES,
  PH_CALLS,
  PH_CALL,
  PH_TO_GPU,
  PH_FROM_GPU,
  PH_COPIED,
  PH_ALLOCATED,
  PH_LAUNCHES,
  PH_SPEED,
  PH_FIELDS
};

static const tdm_field step_fields[] = {
    {"at_ns", TDM_FIELD_INT},          {"dur_ns", TDM_FIELD_INT},  {"process", TDM_FIELD_TEXT},
    {"phase", TDM_FIELD_TEXT},         {"calls", TDM_FIELD_INT},   {"to_gpu_bytes", TDM_FIELD_INT},
    {"from_gpu_bytes", TDM_FIELD_INT}, {"launches", TDM_FIELD_INT}};

static const tdm_field idle_fields[] = {{"at_ns", TDM_FIELD_INT},
                                        {"dur_ns", TDM_FIELD_INT},
                                        {"process", TDM_FIELD_TEXT},
                                        {"after", TDM_FIELD_TEXT},
                                        {"before", TDM_FIELD_TEXT}};

static const tdm_field switch_fields[] = {
    {"process", TDM_FIELD_TEXT},    {"host_gpu_switches", TDM_FIELD_INT},
    {"wait_ns", TDM_FIELD_INT},     {"wait_share", TDM_FIELD_REAL},
    {"os_switches", TDM_FIELD_INT}, {"off_cpu_ns", TDM_FIELD_INT}};

/* A stretch in one phase. */
typedef struct {
  phase phase;
  int64_t start_ns, end_ns; /* until the next begins */
  int64_t last_ns;          /* the end of its last call */
  int64_t calls, call_ns, to_gpu, from_gpu, copied, allocated, launches;
  int64_t timed, timed_ns; /* bytes to the GPU whose copies' time is known, and that */
} stretch;

typedef struct {
  tdm_run_view *view;
  const tdm_table *call, *work, *sched;
  const uint32_t *process; /* by track */
  uint32_t processes;
  tdm_api_use use;
  int64_t idle_ns; /* the shortest idle period that is told */
  tdm_frame *phases, *steps, *idle, *switches;
  tdm_execution execution;
  tdm_phases *list; /* NULL: nobody wants one */
} telling;

/* ---- where loading ends, where cleaning up begins ---- */

/* The calls of one process: positions in the table. */
typedef struct {
  const uint32_t *call;
  size_t count;
} calls_of;

/* The position after the last call that loads weights; 0: none does. Before the first result comes
 * back, the copies to the GPU that bring all but the last hundredth of the bytes are weights:
 * inputs are small beside them. */
static size_t load_end(const telling *t, const calls_of *of) {
  size_t result = of->count, end = 0;
  bool launched = false, allocated = false;
  double total = 0, sum = 0;
  for (size_t i = 0; i < of->count; i++) {
    uint32_t c = of->call[i];
    if (t->use.action[c] == TDM_ACTION_LAUNCH) launched = true;
    if (t->use.action[c] == TDM_ACTION_FROM_GPU && launched) {
      result = i;
      break;
    }
    if (t->use.action[c] == TDM_ACTION_TO_GPU)
      total += t->use.bytes[c] != TDM_NONE ? (double)t->use.bytes[c] : 1;
  }
  for (size_t i = 0; i < result && sum < LOAD_SHARE * total; i++) {
    uint32_t c = of->call[i];
    if (t->use.action[c] == TDM_ACTION_ALLOC) allocated = true;
    if (t->use.action[c] != TDM_ACTION_TO_GPU) continue;
    sum += t->use.bytes[c] != TDM_NONE ? (double)t->use.bytes[c] : 1;
    end = i + 1;
  }
  return allocated || total >= LOAD_BYTES ? end : 0;
}

/* The position of the first call that frees after the last launch or copy; count: none does. */
static size_t cleanup_start(const telling *t, const calls_of *of) {
  size_t start = of->count;
  for (size_t i = of->count; i-- > 0;) {
    tdm_api_action action = (tdm_api_action)t->use.action[of->call[i]];
    if (action == TDM_ACTION_FREE) start = i;
    if (action >= TDM_ACTION_TO_GPU && action <= TDM_ACTION_LAUNCH) break;
  }
  return start;
}

static phase next_phase(phase now, tdm_api_action action, bool loads, bool frees) {
  if (frees) return PHASE_CLEANUP;
  switch (action) {
  case TDM_ACTION_ALLOC: /* while it executes: working memory */
    return loads ? PHASE_LOAD : now == PHASE_EXECUTE ? now : PHASE_INPUT;
  case TDM_ACTION_TO_GPU: return loads ? PHASE_LOAD : PHASE_INPUT;
  case TDM_ACTION_LAUNCH:
  case TDM_ACTION_COPY: return loads && now == PHASE_LOAD ? now : PHASE_EXECUTE;
  case TDM_ACTION_FROM_GPU: return loads && now == PHASE_LOAD ? now : PHASE_RETRIEVE;
  default: return now == PHASE_LOAD && !loads ? PHASE_EXECUTE : now;
  }
}

/* ---- one process ---- */

/* Of a copy to the GPU: on the GPU where that was recorded, else as long as its call waited. */
static void add_speed(const telling *t, stretch *s, uint32_t c, int64_t bytes) {
  int64_t ns = t->use.copy_ns[c];
  if (ns == 0 && t->use.stops[c])
    ns = tdm_length_ns(tdm_table_start_ns(t->call, c), tdm_table_end_ns(t->call, c));
  if (ns == 0) return;
  s->timed += bytes;
  s->timed_ns = tdm_sum_ns(s->timed_ns, ns);
}

static void add_call(const telling *t, stretch *s, uint32_t c) {
  int64_t bytes = t->use.bytes[c] != TDM_NONE ? t->use.bytes[c] : 0;
  s->calls++;
  if (s->calls == 1 || tdm_table_end_ns(t->call, c) > s->last_ns)
    s->last_ns = tdm_table_end_ns(t->call, c);
  s->call_ns = tdm_sum_ns(
      s->call_ns, tdm_length_ns(tdm_table_start_ns(t->call, c), tdm_table_end_ns(t->call, c)));
  switch ((tdm_api_action)t->use.action[c]) {
  case TDM_ACTION_ALLOC: s->allocated += bytes; break;
  case TDM_ACTION_TO_GPU:
    s->to_gpu += bytes;
    add_speed(t, s, c, bytes);
    break;
  case TDM_ACTION_FROM_GPU: s->from_gpu += bytes; break;
  case TDM_ACTION_COPY: s->copied += bytes; break;
  case TDM_ACTION_LAUNCH: s->launches++; break;
  default: break;
  }
}

static const char *process_name(const telling *t, uint32_t call) {
  const tdm_track *track = tdm_run_view_track(t->view, tdm_table_track(t->call, call));
  return track != NULL ? track->process : "";
}

static int list_step(telling *t, const stretch *s, uint32_t first_call) {
  tdm_phases *list = t->list;
  if (list == NULL || s->calls == 0) return 1;
  if (!tdm_array_grow(&list->phase, &list->room, list->count + 1, sizeof *list->phase)) return 0;
  uint32_t track = (uint32_t)tdm_table_track(t->call, first_call);
  list->phase[list->count++] =
      (tdm_phase){.process = t->process[track],
                  .track = track,
                  .phase = phase_names[s->phase],
                  .start_ns = s->start_ns,
                  .end_ns = s->last_ns,
                  .bytes = t->use.known_bytes ? s->to_gpu + s->from_gpu : TDM_NONE};
  return 1;
}

static void put_step(telling *t, const stretch *s, const char *process) {
  tdm_frame_row(t->steps);
  tdm_frame_int(t->steps, 0, tdm_length_ns(tdm_run_view_origin(t->view), s->start_ns));
  tdm_frame_int(t->steps, 1, tdm_length_ns(s->start_ns, s->end_ns));
  tdm_frame_name(t->steps, 2, process);
  tdm_frame_name(t->steps, 3, phase_names[s->phase]);
  tdm_frame_int(t->steps, 4, s->calls);
  tdm_frame_int(t->steps, 5, s->to_gpu);
  tdm_frame_int(t->steps, 6, s->from_gpu);
  tdm_frame_int(t->steps, 7, s->launches);
}

static void put_phase(telling *t, const stretch *s, int64_t times, int64_t all_ns,
                      const char *process) {
  tdm_frame *frame = t->phases;
  tdm_frame_row(frame);
  tdm_frame_name(frame, PH_PROCESS, process);
  tdm_frame_name(frame, PH_PHASE, phase_names[s->phase]);
  tdm_frame_int(frame, PH_TOTAL, s->end_ns);
  tdm_frame_real(frame, PH_SHARE, all_ns > 0 ? (double)s->end_ns / (double)all_ns : 0);
  tdm_frame_int(frame, PH_TIMES, times);
  tdm_frame_int(frame, PH_CALLS, s->calls);
  tdm_frame_int(frame, PH_CALL, s->call_ns);
  tdm_frame_int(frame, PH_LAUNCHES, s->launches);
  if (!t->use.known_bytes) return;
  tdm_frame_int(frame, PH_TO_GPU, s->to_gpu);
  tdm_frame_int(frame, PH_FROM_GPU, s->from_gpu);
  if (s->timed > 0) tdm_frame_real(frame, PH_SPEED, (double)s->timed * 1e9 / (double)s->timed_ns);
  if (s->copied > 0) tdm_frame_int(frame, PH_COPIED, s->copied);
  if (s->allocated > 0) tdm_frame_int(frame, PH_ALLOCATED, s->allocated);
}

static void join(const telling *t, stretch *to, const stretch *from) {
  /* Of a sum: how long, of what the filter leaves. */
  to->end_ns = tdm_sum_ns(to->end_ns, tdm_intervals_within_ns(tdm_run_view_times(t->view),
                                                              from->start_ns, from->end_ns));
  to->calls += from->calls;
  to->call_ns = tdm_sum_ns(to->call_ns, from->call_ns);
  to->to_gpu += from->to_gpu;
  to->from_gpu += from->from_gpu;
  to->copied += from->copied;
  to->allocated += from->allocated;
  to->launches += from->launches;
  to->timed += from->timed;
  to->timed_ns = tdm_sum_ns(to->timed_ns, from->timed_ns);
}

static int tell_phases(telling *t, const calls_of *of) {
  size_t loaded = load_end(t, of), freed = cleanup_start(t, of);
  stretch sum[PHASES] = {{0}}, now = {.phase = PHASE_INIT};
  int64_t times[PHASES] = {0}, last_ns = INT64_MIN;
  const char *process = process_name(t, of->call[0]);
  now.start_ns = tdm_table_start_ns(t->call, of->call[0]);
  int64_t first_ns = now.start_ns;
  for (size_t i = 0; i < of->count; i++) {
    uint32_t c = of->call[i];
    if (tdm_table_end_ns(t->call, c) > last_ns) last_ns = tdm_table_end_ns(t->call, c);
    phase next = next_phase(now.phase, (tdm_api_action)t->use.action[c], i < loaded, i >= freed);
    if (next != now.phase) {
      now.end_ns = tdm_table_start_ns(t->call, c);
      if (now.calls > 0) {
        if (!list_step(t, &now, of->call[0])) return 0;
        put_step(t, &now, process);
        join(t, &sum[now.phase], &now);
        times[now.phase]++;
      }
      now = (stretch){.phase = next, .start_ns = tdm_table_start_ns(t->call, c)};
    }
    add_call(t, &now, c);
  }
  now.end_ns = last_ns > now.start_ns ? last_ns : now.start_ns;
  if (!list_step(t, &now, of->call[0])) return 0;
  put_step(t, &now, process);
  join(t, &sum[now.phase], &now);
  times[now.phase]++;
  for (int p = 0; p < PHASES; p++) {
    sum[p].phase = (phase)p;
    if (times[p] > 0)
      put_phase(t, &sum[p], times[p],
                tdm_intervals_within_ns(tdm_run_view_times(t->view), first_ns, now.end_ns),
                process);
  }
  return 1;
}

/* ---- idle periods ---- */

/* Whether a time is a period to tell. What lies between windows of the filter is not loaded. */
static bool is_idle(const telling *t, int64_t from_ns, int64_t to_ns) {
  return from_ns != INT64_MIN && tdm_length_ns(from_ns, to_ns) >= t->idle_ns &&
         tdm_intervals_within_ns(tdm_run_view_times(t->view), from_ns, to_ns) ==
             tdm_length_ns(from_ns, to_ns);
}

/* Times in which the process had neither a call nor work on a GPU. Both lists are by start. */
static void tell_idle(telling *t, const calls_of *of, const uint32_t *work, size_t works) {
  size_t i = 0, w = 0;
  int64_t until_ns = INT64_MIN;
  const char *after = NULL, *process = process_name(t, of->call[0]);
  while (i < of->count || w < works) {
    bool is_call = i < of->count && (w >= works || tdm_table_start_ns(t->call, of->call[i]) <=
                                                       tdm_table_start_ns(t->work, work[w]));
    const tdm_table *table = is_call ? t->call : t->work;
    uint32_t row = is_call ? of->call[i++] : work[w++];
    const char *name = tdm_run_view_name(t->view, tdm_table_name(table, row));
    if (is_idle(t, until_ns, tdm_table_start_ns(table, row))) {
      tdm_frame_row(t->idle);
      tdm_frame_int(t->idle, 0, tdm_length_ns(tdm_run_view_origin(t->view), until_ns));
      tdm_frame_int(t->idle, 1, tdm_table_start_ns(table, row) - until_ns);
      tdm_frame_name(t->idle, 2, process);
      tdm_frame_name(t->idle, 3, after);
      tdm_frame_name(t->idle, 4, name);
    }
    if (tdm_table_end_ns(table, row) < until_ns) continue;
    until_ns = tdm_table_end_ns(table, row);
    after = name;
  }
}

/* ---- switches ---- */

static void tell_switches(telling *t, const calls_of *of, uint32_t process) {
  int64_t switches = 0, wait_ns = 0, os = 0, off_ns = 0;
  int64_t first_ns = tdm_table_start_ns(t->call, of->call[0]), last_ns = first_ns;
  for (size_t i = 0; i < of->count; i++) {
    uint32_t c = of->call[i];
    if (tdm_table_end_ns(t->call, c) > last_ns) last_ns = tdm_table_end_ns(t->call, c);
    if (!t->use.stops[c]) continue;
    switches++;
    wait_ns = tdm_sum_ns(
        wait_ns, tdm_length_ns(tdm_table_start_ns(t->call, c), tdm_table_end_ns(t->call, c)));
  }
  for (size_t s = 0; s < t->sched->count; s++) {
    if (t->process[tdm_table_track(t->sched, s)] != process) continue;
    os++;
    off_ns = tdm_sum_ns(
        off_ns, tdm_length_ns(tdm_table_start_ns(t->sched, s), tdm_table_end_ns(t->sched, s)));
  }
  tdm_frame_row(t->switches);
  tdm_frame_name(t->switches, 0, process_name(t, of->call[0]));
  tdm_frame_int(t->switches, 1, switches);
  tdm_frame_int(t->switches, 2, wait_ns);
  if (last_ns > first_ns)
    tdm_frame_real(t->switches, 3, (double)wait_ns / (double)tdm_length_ns(first_ns, last_ns));
  if (!tdm_run_view_has(t->view, "sched")) return;
  tdm_frame_int(t->switches, 4, os);
  tdm_frame_int(t->switches, 5, off_ns);
}

/* ---- all ---- */

static tdm_status tell_all(telling *t, tdm_error *error) {
  size_t calls = t->call->count, works = t->work->count;
  uint32_t *call = tdm_array_raw(calls + 1, sizeof *call),
           *work = tdm_array_raw(works + 1, sizeof *work);
  size_t *first_call = calloc((size_t)t->processes + 2, sizeof *first_call);
  size_t *first_work = calloc((size_t)t->processes + 2, sizeof *first_work);
  tdm_status status = TDM_OK;
  if (call == NULL || work == NULL || first_call == NULL || first_work == NULL)
    status = tdm_error_memory(error, "phases", calls * 4);
  if (status == TDM_OK) {
    for (size_t c = 0; c < calls; c++)
      if (!t->use.inner[c]) first_call[t->process[tdm_table_track(t->call, c)] + 1]++;
    for (size_t w = 0; w < works; w++) first_work[t->process[tdm_table_track(t->work, w)] + 1]++;
    for (uint32_t p = 0; p < t->processes; p++) {
      first_call[p + 1] += first_call[p];
      first_work[p + 1] += first_work[p];
    }
    for (size_t c = 0; c < calls; c++)
      if (!t->use.inner[c])
        call[first_call[t->process[tdm_table_track(t->call, c)]]++] = (uint32_t)c;
    for (size_t w = 0; w < works; w++)
      work[first_work[t->process[tdm_table_track(t->work, w)]]++] = (uint32_t)w;
  }
  for (uint32_t p = 0; status == TDM_OK && p < t->processes; p++) {
    size_t from = p > 0 ? first_call[p - 1] : 0, work_from = p > 0 ? first_work[p - 1] : 0;
    const calls_of of = {call + from, first_call[p] - from};
    if (of.count == 0) continue;
    if (!tell_phases(t, &of)) status = tdm_error_memory(error, "phases", 0);
    tell_idle(t, &of, work + work_from, first_work[p] - work_from);
    tell_switches(t, &of, p);
    const tdm_execution_of executed = {.process = process_name(t, of.call[0]),
                                       .use = &t->use,
                                       .call = of.call,
                                       .calls = of.count,
                                       .table = t->work,
                                       .work = work + work_from,
                                       .works = first_work[p] - work_from,
                                       .origin_ns = tdm_run_view_origin(t->view)};
    if (status == TDM_OK) status = tdm_execution_tell(&t->execution, &executed, error);
  }
  free(call);
  free(work);
  free(first_call);
  free(first_work);
  return status;
}

static void say(const telling *t, tdm_answer *out) {
  if (t->call->count == 0) {
    tdm_answer_cannot(out, "%s no calls of a GPU's API (no rows of category runtime or driver)",
                      tdm_run_view_lacking(t->view, &tdm_api_calls));
    return;
  }
  if (!t->use.known_bytes)
    tdm_answer_cannot(out, "bytes: neither calls nor copies have the argument bytes");
  if (t->use.unknown_copies)
    tdm_answer_cannot(out, "the direction of some copies: neither their call nor a row of category "
                           "memcpy has the argument kind; they count as execution");
  if (!tdm_run_view_has(t->view, "sched"))
    tdm_answer_cannot(out, "switches of the operating system: the run has no rows of category "
                           "sched");
  tdm_answer_basis(out,
                   "total: a phase lasts until the next begins, so that all of a process add "
                   "up to the time from its first call to its last, which is what shares are of");
  tdm_answer_basis(out,
                   "weight load: from the first allocation or copy to the GPU until the copies "
                   "before the first result have brought 99 %% of their bytes; not told apart "
                   "where nothing was allocated and they are less than 16 MiB. input: copies "
                   "to the GPU and allocations after it; execute: launches and waits; "
                   "retrieve: copies to the host; cleanup: from the first call that frees "
                   "after the last launch or copy");
  tdm_answer_basis(out, "a burst is launches with neither a copy nor a wait between them; medians; "
                        "the GPU's share is of the time from the first launch's work to the last; "
                        "speeds are bytes over the times of copies on the GPU, else of the calls "
                        "that wait for them");
  tdm_answer_basis(out,
                   "host to GPU: calls in which the host stops until the GPU is done "
                   "(synchronization, copies that are not Async); idle: neither a call nor "
                   "GPU work of the process for %s or more",
                   tdm_answer_time((double)t->idle_ns).text);
}

static tdm_status tell(tdm_run_view *view, int64_t idle_ns, tdm_phases *list, tdm_answer *out,
                       tdm_error *error) {
  telling t = {.view = view,
               .idle_ns = idle_ns,
               .list = list,
               .phases = tdm_answer_frame(out, "phases", phase_fields, PH_FIELDS),
               .switches = tdm_answer_frame(out, "switches", switch_fields, 6),
               .idle = tdm_answer_frame(out, "idle", idle_fields, 5),
               .steps = tdm_answer_frame(out, "timeline", step_fields, 8)};
  tdm_execution_open(&t.execution, out);
  const tdm_processes *processes = NULL;
  tdm_status status = tdm_run_view_table(view, &tdm_gpu_work, &t.work, error);
  if (status == TDM_OK) status = tdm_run_view_table(view, &wanted_sched, &t.sched, error);
  if (status == TDM_OK) status = tdm_processes_of(view, &processes, error);
  if (status == TDM_OK) {
    t.process = processes->of;
    t.processes = processes->count;
    status = tdm_api_use_open(&t.use, view, error);
  }
  t.call = t.use.call;
  if (status == TDM_OK) status = tell_all(&t, error);
  if (status == TDM_OK) say(&t, out);
  tdm_api_use_close(&t.use);
  return status;
}

tdm_status tdm_answer_phases(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                             tdm_error *error) {
  return tell(view, (int64_t)tdm_option_number(options, "idle", 1000000), NULL, out, error);
}

tdm_status tdm_process_phases(tdm_run_view *view, tdm_phases *out, tdm_error *error) {
  tdm_answer *answer = tdm_answer_new();
  if (answer == NULL) return tdm_error_memory(error, "phases", 0);
  tdm_status status = tell(view, INT64_MAX, out, answer, error);
  tdm_answer_free(answer);
  return status;
}
