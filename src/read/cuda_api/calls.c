/* See calls.h. */
#include "read/cuda_api/calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "read/reader.h"

/* Ends wait for a beginning that comes later in the file; this many at most. */
enum { WAITING_ENDS = 512, NEAR = 16 };

/* BCC's tracer writes numbers for types, and no names. */
enum { BCC_ENTER = 1, BCC_EXIT, BCC_LAUNCH, BCC_ALLOC, BCC_COPY, BCC_IOCTL, BCC_IOCTL_EXIT };

struct tdm_api_calls {
  tdm_recorder *recorder;
  uint64_t dropped;
  tdm_api_layouts layouts;
  tdm_api_threads threads;
  tdm_api_pairs pairs;
  int64_t first_ns, last_ns;                 /* TDM_NONE: no time yet */
  uint32_t unnamed, ioctl, allocated, bytes; /* names */
  bool failed;
};

tdm_api_calls *tdm_api_calls_new(tdm_recorder *recorder, const char *const *own, uint64_t dropped) {
  tdm_api_calls *calls = tdm_array_new(1, sizeof *calls);
  if (calls == NULL) return NULL;
  calls->recorder = recorder;
  calls->dropped = dropped;
  calls->layouts.own = own;
  calls->first_ns = calls->last_ns = TDM_NONE;
  tdm_api_pairs_init(&calls->pairs);
  calls->unnamed = tdm_record_text(recorder, "CUDA call");
  calls->ioctl = tdm_record_text(recorder, "nvidia_ioctl");
  calls->allocated = tdm_record_text(recorder, "allocated bytes");
  calls->bytes = tdm_record_text(recorder, "bytes");
  return calls;
}

void tdm_api_calls_free(tdm_api_calls *calls) {
  if (calls == NULL) return;
  tdm_api_pairs_clear(&calls->pairs);
  tdm_api_threads_clear(&calls->threads);
  tdm_api_layouts_clear(&calls->layouts);
  free(calls);
}

/* ---- rows ---- */

static void note_time(tdm_api_calls *calls, int64_t ns) {
  if (calls->first_ns == TDM_NONE || ns < calls->first_ns) calls->first_ns = ns;
  if (calls->last_ns == TDM_NONE || ns > calls->last_ns) calls->last_ns = ns;
}

static void merge(tdm_api_calls *calls, tdm_api_args *args, const tdm_api_args *more) {
  if (!tdm_api_args_merge(args, more))
    tdm_record_problem(calls->recorder, "arguments beyond the 32nd of a record (left out)", 1);
}

/* bytes / duration of a copy: tracers' own figures are in wrong units. */
static void add_bandwidth(tdm_api_args *args, int64_t dur_ns) {
  const int64_t *bytes = tdm_api_args_get(args, TDM_API_BYTES, TDM_ARG_INT);
  if (bytes == NULL || *bytes <= 0 || dur_ns <= 0) return;
  double speed = (double)*bytes * 1e9 / (double)dur_ns;
  tdm_api_args_put(args, TDM_API_BANDWIDTH, TDM_ARG_REAL, tdm_record_real(speed));
}

static void write_row(tdm_api_calls *calls, const tdm_api_thread *thread, const char *category,
                      tdm_shape shape, int64_t start_ns, int64_t dur_ns, uint32_t name,
                      const tdm_api_args *args) {
  /* Without threads calls overlap as they like. */
  if (shape == TDM_SHAPE_SPAN && thread->tid == TDM_NONE) shape = TDM_SHAPE_ASYNC;
  if (!tdm_api_args_write(&calls->layouts, calls->recorder, category, shape, start_ns, dur_ns,
                          thread->track, name, args))
    calls->failed = true;
}

/* Writes the thread's last call, of which nothing more can come. */
static void write_done(tdm_api_calls *calls, tdm_api_thread *thread) {
  tdm_api_done *done = &thread->done;
  if (!done->there) return;
  done->there = false;
  if ((done->does & TDM_API_COPIES) && done->shape == TDM_SHAPE_SPAN)
    add_bandwidth(&done->args, done->dur_ns);
  write_row(calls, thread, done->category, done->shape, done->start_ns, done->dur_ns, done->name,
            &done->args);
}

/* A launch whose call never came. */
static void write_promise(tdm_api_calls *calls, tdm_api_thread *thread) {
  if (!thread->promised) return;
  thread->promised = false;
  tdm_record_problem(calls->recorder, "launches without a call (kept as instants)", 1);
  write_row(calls, thread, "driver", TDM_SHAPE_INSTANT, thread->promised_ns, 0,
            tdm_record_text(calls->recorder, "cuLaunchKernel"), &thread->promise);
}

/* ---- halves ---- */

static void close_call(tdm_api_calls *calls, uint32_t id, int64_t end_ns,
                       const tdm_api_args *more) {
  tdm_api_half *half = &calls->pairs.halves[id];
  tdm_api_thread *thread = calls->threads.threads[half->thread];
  write_done(calls, thread);
  tdm_api_done *done = &thread->done;
  done->there = true;
  done->detailed = half->detailed;
  done->category = half->category;
  done->shape = TDM_SHAPE_SPAN;
  done->does = half->does;
  done->name = half->name;
  done->start_ns = half->time_ns;
  if (__builtin_sub_overflow(end_ns, half->time_ns, &done->dur_ns)) done->dur_ns = INT64_MAX;
  done->args.count = 0;
  if (half->args != NULL) done->args = *half->args;
  if (more != NULL) merge(calls, &done->args, more);
  tdm_api_pairs_drop(&calls->pairs, thread, id);
}

/* An end whose beginning never came: its duration, where it says one, gives the beginning. */
static void give_up_end(tdm_api_calls *calls, uint32_t id) {
  static const tdm_api_args none = {0};
  tdm_api_half *half = &calls->pairs.halves[id];
  tdm_api_thread *thread = calls->threads.threads[half->thread];
  int64_t start;
  if (half->dur_ns == TDM_NONE || __builtin_sub_overflow(half->time_ns, half->dur_ns, &start)) {
    tdm_record_problem(calls->recorder, "ends without a beginning (left out)", 1);
  } else {
    tdm_record_problem(calls->recorder, "ends without a beginning (begun by their duration)", 1);
    note_time(calls, start);
    write_row(calls, thread, half->category, TDM_SHAPE_SPAN, start, half->dur_ns, half->name,
              half->args != NULL ? half->args : &none);
  }
  tdm_api_pairs_drop(&calls->pairs, thread, id);
}

static void begin(tdm_api_calls *calls, uint32_t at, tdm_api_half *half, tdm_api_args *args,
                  bool by_id) {
  tdm_api_thread *thread = calls->threads.threads[at];
  if (thread->promised && (half->does & (TDM_API_LAUNCHES | TDM_API_UNNAMED))) {
    merge(calls, args, &thread->promise);
    thread->promised = false;
    half->detailed = true;
    if (half->does & TDM_API_UNNAMED) {
      half->does = TDM_API_LAUNCHES;
      half->name = tdm_record_text(calls->recorder, "cuLaunchKernel");
    }
  }
  uint32_t end =
      calls->pairs.ends > 0 ? tdm_api_pairs_match(&calls->pairs, half, by_id) : TDM_API_NO_CALL;
  uint32_t id = tdm_api_pairs_put(&calls->pairs, thread, half, args);
  if (id == TDM_API_NO_CALL) {
    calls->failed = true;
  } else if (end != TDM_API_NO_CALL) {
    tdm_api_half *early = &calls->pairs.halves[end];
    tdm_api_thread *owner = calls->threads.threads[early->thread];
    close_call(calls, id, early->time_ns, early->args);
    tdm_api_pairs_drop(&calls->pairs, owner, end);
  }
}

static void end(tdm_api_calls *calls, uint32_t at, const tdm_api_half *half,
                const tdm_api_args *args, bool by_id) {
  uint32_t id = tdm_api_pairs_match(&calls->pairs, half, by_id);
  if (id != TDM_API_NO_CALL) {
    close_call(calls, id, half->time_ns, args);
    return;
  }
  if (tdm_api_pairs_put(&calls->pairs, calls->threads.threads[at], half, args) == TDM_API_NO_CALL)
    calls->failed = true;
  if (calls->pairs.ends > WAITING_ENDS) give_up_end(calls, calls->pairs.oldest_end);
}

/* ---- details: records that say something of a call ---- */

static const char *driver_name(uint8_t does, const tdm_api_calls *calls, const tdm_api_args *args) {
  if (does & TDM_API_LAUNCHES) return "cuLaunchKernel";
  if (does & TDM_API_ALLOCATES) return "cuMemAlloc";
  if (does & TDM_API_FREES) return "cuMemFree";
  const int64_t *kind = tdm_api_args_get(args, TDM_API_KIND, TDM_ARG_TEXT);
  const char *name = kind != NULL ? tdm_recorder_name(calls->recorder, (uint32_t)*kind, NULL) : "";
  return name == NULL                ? "cuMemcpy"
         : strcmp(name, "HtoD") == 0 ? "cuMemcpyHtoD"
         : strcmp(name, "DtoH") == 0 ? "cuMemcpyDtoH"
         : strcmp(name, "DtoD") == 0 ? "cuMemcpyDtoD"
                                     : "cuMemcpy";
}

/* Gives the details to the innermost open call that does this, or to the last one done. */
static bool attach(tdm_api_calls *calls, tdm_api_thread *thread, uint8_t does,
                   const tdm_api_args *args) {
  uint32_t at = thread->newest;
  for (int i = 0; at != TDM_API_NO_CALL && i < NEAR; i++, at = calls->pairs.halves[at].below) {
    tdm_api_half *half = &calls->pairs.halves[at];
    if (half->detailed || !(half->does & (does | TDM_API_UNNAMED))) continue;
    if (half->args == NULL) half->args = tdm_array_new(1, sizeof *half->args);
    if (half->args == NULL) {
      calls->failed = true;
      return true;
    }
    merge(calls, half->args, args);
    half->detailed = true;
    if (half->does & TDM_API_UNNAMED) {
      half->does = does;
      half->name = tdm_record_text(calls->recorder, driver_name(does, calls, args));
    }
    return true;
  }
  tdm_api_done *done = &thread->done;
  if (!done->there || done->detailed || !(done->does & does)) return false;
  merge(calls, &done->args, args);
  return done->detailed = true;
}

static void detail(tdm_api_calls *calls, tdm_api_thread *thread, uint8_t does,
                   const tdm_api_record *record, int64_t time_ns, int64_t dur_ns) {
  if (record->total_allocated != TDM_NONE)
    tdm_record_sample(calls->recorder, time_ns, tdm_api_thread_process(thread, calls->recorder),
                      calls->allocated, (double)record->total_allocated, calls->bytes);
  /* BCC announces a launch before its call begins. */
  if (record->type != BCC_LAUNCH && attach(calls, thread, does, &record->args)) return;
  if (does & TDM_API_LAUNCHES) {
    write_promise(calls, thread);
    thread->promised = true;
    thread->promised_ns = time_ns;
    thread->promise = record->args;
    return;
  }
  tdm_api_args args = record->args;
  int64_t start;
  bool known = dur_ns != TDM_NONE && dur_ns > 0 &&
               !__builtin_sub_overflow(time_ns, dur_ns, &start) && start >= calls->first_ns;
  if (known && (does & TDM_API_COPIES)) add_bandwidth(&args, dur_ns);
  if (dur_ns > 0 && !known)
    tdm_record_problem(calls->recorder, "durations that begin before the trace (left out)", 1);
  tdm_record_problem(calls->recorder, "copies and allocations without a call (kept)", 1);
  write_row(calls, thread, "driver", known ? TDM_SHAPE_SPAN : TDM_SHAPE_INSTANT,
            known ? start : time_ns, known ? dur_ns : 0,
            tdm_record_text(calls->recorder, driver_name(does, calls, &args)), &args);
}

/* What a record says of a call, 0 when it is a record of its own. */
static uint8_t detail_of(const tdm_api_record *record) {
  if (record->type == BCC_LAUNCH) return TDM_API_LAUNCHES;
  if (record->type == BCC_ALLOC) return TDM_API_ALLOCATES;
  if (record->type == BCC_COPY) return TDM_API_COPIES;
  if (record->phase != 0) return 0;
  bool bare = record->word.category == NULL;
  if (record->source == TDM_API_TRANSFER && bare) return TDM_API_COPIES;
  if (record->source == TDM_API_MEMORY && bare)
    return record->word.does & TDM_API_FREES ? TDM_API_FREES : TDM_API_ALLOCATES;
  if (record->source == TDM_API_KERNEL_SPACE && bare && (record->word.does & TDM_API_LAUNCHES))
    return TDM_API_LAUNCHES;
  return 0;
}

/* ---- records ---- */

static const char *category_of(const tdm_api_record *record) {
  const char *named = record->word.category;
  bool sched = named != NULL && strcmp(named, "sched") == 0;
  switch (record->source) {
  case TDM_API_DRIVER: return "driver";
  case TDM_API_CUDA: return "runtime";
  case TDM_API_HOST: return sched ? "sched" : "osrt";
  case TDM_API_NET:
  case TDM_API_IO: return "osrt";
  case TDM_API_SCHEDULER: return "sched";
  case TDM_API_KERNEL_SPACE: return named != NULL ? named : "osrt";
  default: break;
  }
  if (named != NULL) return named;
  if (record->word.does & TDM_API_UNNAMED) return "driver";
  return record->category != NULL && record->category[0] != 0 ? record->category : "other";
}

/* A record that is whole in itself: its time is where it begins or where it ends. */
static void whole(tdm_api_calls *calls, tdm_api_thread *thread, const tdm_api_record *record,
                  const char *category, int64_t time_ns, int64_t end_ns, int64_t dur_ns) {
  tdm_api_args args = record->args;
  int64_t start = time_ns;
  if (record->source == TDM_API_HOST && (record->word.does & TDM_API_ALLOCATES)) {
    /* mm_page_alloc: the tracer has its size where durations are. */
    if (dur_ns != TDM_NONE) tdm_api_args_put(&args, TDM_API_BYTES, TDM_ARG_INT, dur_ns);
    dur_ns = TDM_NONE;
  }
  if (end_ns != TDM_NONE && end_ns >= time_ns) {
    if (__builtin_sub_overflow(end_ns, time_ns, &dur_ns)) dur_ns = INT64_MAX;
  } else if (dur_ns != TDM_NONE && record->timed_at_end && record->phase != 'X') {
    if (__builtin_sub_overflow(time_ns, dur_ns, &start)) start = time_ns;
  }
  if (record->source == TDM_API_HOST && dur_ns == 0) dur_ns = TDM_NONE; /* process_fork */
  if (end_ns != TDM_NONE && end_ns < time_ns)
    tdm_record_problem(calls->recorder, "ends before their beginning (left out)", 1);
  int64_t last = start;
  if (dur_ns != TDM_NONE && __builtin_add_overflow(start, dur_ns, &last)) last = INT64_MAX;
  note_time(calls, start);
  note_time(calls, last);
  if (record->phase == 'I' || dur_ns == TDM_NONE) {
    write_row(calls, thread, category, TDM_SHAPE_INSTANT, start, 0, record->word.name, &args);
    return;
  }
  if (record->word.does & TDM_API_COPIES) add_bandwidth(&args, dur_ns);
  write_row(calls, thread, category, TDM_SHAPE_SPAN, start, dur_ns, record->word.name, &args);
}

/* The record's name where it has none; false: nothing says what it is. */
static bool name_record(tdm_api_calls *calls, tdm_api_record *record) {
  if (!(record->word.does & TDM_API_UNNAMED)) return true;
  if (record->type == BCC_IOCTL || record->type == BCC_IOCTL_EXIT) {
    record->word.name = calls->ioctl;
    record->word.category = "osrt";
    record->word.does = 0;
  } else if (record->phase == 'B' || record->phase == 'E') {
    record->word.name = calls->unnamed;
  } else if (record->category != NULL && record->category[0] != 0) {
    record->word.name = tdm_record_text(calls->recorder, record->category);
    record->word.does = 0;
  } else {
    tdm_record_problem(calls->recorder, "records without a name (left out)", 1);
    return false;
  }
  return true;
}

bool tdm_api_calls_take(tdm_api_calls *calls, tdm_api_record *record, int64_t time_ns,
                        int64_t end_ns, int64_t dur_ns) {
  if (record->phase == 0 && (record->type == BCC_ENTER || record->type == BCC_IOCTL))
    record->phase = 'B';
  if (record->phase == 0 && (record->type == BCC_EXIT || record->type == BCC_IOCTL_EXIT))
    record->phase = 'E';
  uint32_t at = tdm_api_threads_find(&calls->threads, calls->recorder, record);
  if (at == UINT32_MAX) return false;
  tdm_api_thread *thread = calls->threads.threads[at];
  uint8_t says = detail_of(record);
  if (says != 0) {
    note_time(calls, time_ns);
    if (!(calls->dropped & TDM_READ_NO_API)) detail(calls, thread, says, record, time_ns, dur_ns);
    return !calls->failed;
  }
  if (!name_record(calls, record)) return true;
  const char *category = category_of(record);
  if ((tdm_read_kind(category) & calls->dropped) != 0) return true;
  if (record->phase != 'B' && record->phase != 'E') {
    whole(calls, thread, record, category, time_ns, end_ns, dur_ns);
    return !calls->failed;
  }
  note_time(calls, time_ns);
  bool by_id = record->op_id != TDM_NONE;
  tdm_api_half half = {.time_ns = time_ns,
                       .dur_ns = dur_ns,
                       .depth = record->depth,
                       .category = category,
                       .name = record->word.name,
                       .thread = at,
                       .does = record->word.does,
                       .is_end = record->phase == 'E'};
  half.key.a = by_id ? (uint64_t)record->pid * 2 + 1 : (uint64_t)at * 2;
  half.key.b = by_id ? (uint64_t)record->op_id : record->word.name;
  if (record->phase == 'E')
    end(calls, at, &half, &record->args, by_id);
  else
    begin(calls, at, &half, &record->args, by_id);
  return !calls->failed;
}

bool tdm_api_calls_finish(tdm_api_calls *calls) {
  static const tdm_api_args none = {0};
  while (calls->pairs.oldest_end != TDM_API_NO_CALL && !calls->failed)
    give_up_end(calls, calls->pairs.oldest_end);
  for (size_t i = 0; i < calls->threads.ids.count && !calls->failed; i++) {
    tdm_api_thread *thread = calls->threads.threads[i];
    write_done(calls, thread);
    write_promise(calls, thread);
    uint32_t at = thread->newest;
    for (; at != TDM_API_NO_CALL; at = calls->pairs.halves[at].below) {
      const tdm_api_half *half = &calls->pairs.halves[at];
      int64_t dur_ns;
      if (__builtin_sub_overflow(calls->last_ns, half->time_ns, &dur_ns)) dur_ns = INT64_MAX;
      tdm_record_problem(calls->recorder, "beginnings without an end (kept as open)", 1);
      write_row(calls, thread, half->category, TDM_SHAPE_OPEN, half->time_ns, dur_ns, half->name,
                half->args != NULL ? half->args : &none);
    }
  }
  return !calls->failed;
}
