/* Dispatches, copies and calls as records. See inside.h. */
#include "read/rocprof/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static const tdm_arg kernel_args[] = {{"correlation", TDM_ARG_INT},
                                      {"grid_x", TDM_ARG_INT},
                                      {"grid_y", TDM_ARG_INT},
                                      {"grid_z", TDM_ARG_INT},
                                      {"block_x", TDM_ARG_INT},
                                      {"block_y", TDM_ARG_INT},
                                      {"block_z", TDM_ARG_INT},
                                      {"static_shared_bytes", TDM_ARG_INT},
                                      {"local_bytes_per_thread", TDM_ARG_INT},
                                      {"registers_per_thread", TDM_ARG_INT},
                                      {"scalar_registers", TDM_ARG_INT},
                                      {"queue", TDM_ARG_INT},
                                      {"dispatch", TDM_ARG_INT}};
static const tdm_arg copy_args[] = {
    {"correlation", TDM_ARG_INT}, {"bytes", TDM_ARG_INT}, {"kind", TDM_ARG_TEXT}};

static const tdm_arg allocation_args[] = {{"correlation", TDM_ARG_INT},
                                          {"bytes", TDM_ARG_INT},
                                          {"address", TDM_ARG_INT},
                                          {"memory_kind", TDM_ARG_TEXT}};

enum {
  ALLOCATION_ARGS = sizeof allocation_args / sizeof *allocation_args,
  KERNEL_ARGS = sizeof kernel_args / sizeof *kernel_args,
  COPY_ARGS = sizeof copy_args / sizeof *copy_args
};

void tdm_rocprof_open(tdm_rocprof *rocprof, tdm_recorder *recorder,
                      const tdm_read_options *options) {
  *rocprof = (tdm_rocprof){.recorder = recorder, .dropped = options->dropped};
  rocprof->kernels =
      tdm_record_layout(recorder, "kernel", TDM_SHAPE_SPAN, kernel_args, KERNEL_ARGS);
  rocprof->copies = tdm_record_layout(recorder, "memcpy", TDM_SHAPE_SPAN, copy_args, COPY_ARGS);
  rocprof->allocations =
      tdm_record_layout(recorder, "memory", TDM_SHAPE_INSTANT, allocation_args, ALLOCATION_ARGS);
}

void tdm_rocprof_close(tdm_rocprof *rocprof) {
  tdm_intern_clear(&rocprof->addresses);
  free(rocprof->blocks);
  rocprof->blocks = NULL;
}

/* False: it has no times. An end before the start is mended, and counted. */
static bool duration(tdm_rocprof *rocprof, const tdm_rocprof_time *time, int64_t *dur_ns) {
  if (time->start_ns == TDM_NONE || time->end_ns == TDM_NONE) {
    tdm_record_problem(rocprof->recorder, "records without times (left out)", 1);
    return false;
  }
  if (time->end_ns < time->start_ns) {
    tdm_record_problem(rocprof->recorder, "records that end before they begin (made 0 long)", 1);
    *dur_ns = 0;
  } else if (__builtin_sub_overflow(time->end_ns, time->start_ns, dur_ns)) {
    tdm_record_problem(rocprof->recorder, "records over more than 64 bits of nanoseconds (cut)", 1);
    *dur_ns = INT64_MAX;
  }
  return true;
}

static uint32_t gpu_track(tdm_rocprof *rocprof, const tdm_rocprof_place *place) {
  char name[48];
  tdm_track track = TDM_TRACK_PLAIN;
  int64_t stream = place->stream != TDM_NONE ? place->stream : place->queue;
  track.process = place->gpu;
  track.lane = TDM_LANE_GPU;
  track.pid = place->pid;
  track.device = place->device;
  if (stream != TDM_NONE) {
    snprintf(name, sizeof name, "%s %lld", place->stream != TDM_NONE ? "stream" : "queue",
             (long long)stream);
    track.name = name;
    track.kind = TDM_TRACK_STREAM;
    track.stream = stream;
  } else {
    track.name = "copies";
    track.kind = TDM_TRACK_STREAM;
  }
  return tdm_record_track(rocprof->recorder, &track);
}

/* Blocks from work-items. */
static int64_t blocks(int64_t items, int64_t block) {
  if (items == TDM_NONE || block == TDM_NONE || block <= 0 || items < 0) return TDM_NONE;
  return items / block + (items % block != 0);
}

void tdm_rocprof_kernel(tdm_rocprof *rocprof, const tdm_rocprof_dispatch *dispatch) {
  const tdm_rocprof_dispatch *d = dispatch;
  int64_t dur_ns;
  if ((rocprof->dropped & TDM_READ_NO_GPU) != 0 || !duration(rocprof, &d->time, &dur_ns)) return;
  const int64_t args[KERNEL_ARGS] = {d->time.correlation,
                                     blocks(d->grid[0], d->block[0]),
                                     blocks(d->grid[1], d->block[1]),
                                     blocks(d->grid[2], d->block[2]),
                                     d->block[0],
                                     d->block[1],
                                     d->block[2],
                                     d->shared_bytes,
                                     d->scratch_bytes,
                                     d->vgpr,
                                     d->sgpr,
                                     d->place.queue,
                                     d->dispatch};
  uint32_t name = tdm_record_name(rocprof->recorder, d->name, d->name_length);
  tdm_record_row(rocprof->recorder, rocprof->kernels, d->time.start_ns, dur_ns,
                 gpu_track(rocprof, &d->place), name, args, KERNEL_ARGS);
  rocprof->records++;
}

void tdm_rocprof_copy(tdm_rocprof *rocprof, const tdm_rocprof_place *place,
                      const tdm_rocprof_time *time, const char *direction, int64_t bytes) {
  static const struct {
    const char *end, *kind, *name;
  } kinds[] = {{"HOST_TO_DEVICE", "HtoD", "Memcpy HtoD"},
               {"DEVICE_TO_HOST", "DtoH", "Memcpy DtoH"},
               {"DEVICE_TO_DEVICE", "DtoD", "Memcpy DtoD"},
               {"HOST_TO_HOST", "HtoH", "Memcpy HtoH"}};
  static const char prefix[] = "MEMORY_COPY_";
  int64_t dur_ns;
  if ((rocprof->dropped & TDM_READ_NO_GPU) != 0 || !duration(rocprof, time, &dur_ns)) return;
  const char *kind = NULL, *name = direction;
  const char *end = strncmp(direction, prefix, sizeof prefix - 1) == 0
                        ? direction + sizeof prefix - 1
                        : direction;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds && kind == NULL; i++)
    if (strcmp(end, kinds[i].end) == 0) {
      kind = kinds[i].kind;
      name = kinds[i].name;
    }
  const int64_t args[COPY_ARGS] = {time->correlation, bytes,
                                   kind != NULL ? (int64_t)tdm_record_text(rocprof->recorder, kind)
                                                : TDM_NONE};
  tdm_record_row(rocprof->recorder, rocprof->copies, time->start_ns, dur_ns,
                 gpu_track(rocprof, place), tdm_record_text(rocprof->recorder, name), args,
                 COPY_ARGS);
  rocprof->records++;
}

static uint32_t memory_track(const tdm_rocprof *rocprof, const tdm_rocprof_allocation *allocation) {
  char process[48];
  tdm_track track = TDM_TRACK_PLAIN;
  const tdm_rocprof_place *place = &allocation->place;
  snprintf(process, sizeof process, "process %lld",
           (long long)(place->pid != TDM_NONE ? place->pid : 0));
  track.process = allocation->host ? process : place->gpu;
  track.name = "memory";
  track.kind = allocation->host ? TDM_TRACK_PROCESS : TDM_TRACK_DEVICE;
  track.lane = allocation->host ? TDM_LANE_CPU : TDM_LANE_GPU;
  track.pid = place->pid;
  track.device = allocation->host ? TDM_NONE : place->device;
  return tdm_record_track(rocprof->recorder, &track);
}

/* Frees say an address alone: they lie where it was allocated, and are of that size. */
static bool find_block(tdm_rocprof *rocprof, const tdm_rocprof_allocation *allocation, bool frees,
                       struct tdm_rocprof_block *block) {
  uint32_t id = tdm_intern_find(&rocprof->addresses, &allocation->address, sizeof(int64_t));
  bool seen =
      id != TDM_INTERN_FAILED && id < rocprof->block_room && allocation->address != TDM_NONE;
  *block = seen ? rocprof->blocks[id] : (struct tdm_rocprof_block){0, TDM_NONE};
  if (allocation->known) block->track = memory_track(rocprof, allocation);
  if (frees) {
    if (allocation->bytes > 0) block->bytes = allocation->bytes;
    return seen || allocation->known;
  }
  if (!allocation->known) block->track = memory_track(rocprof, allocation);
  block->bytes = allocation->bytes;
  if (allocation->address == TDM_NONE) return true;
  if (!seen) id = tdm_intern_put(&rocprof->addresses, &allocation->address, sizeof(int64_t), NULL);
  if (id != TDM_INTERN_FAILED && tdm_array_grow(&rocprof->blocks, &rocprof->block_room,
                                                (size_t)id + 1, sizeof *rocprof->blocks)) {
    rocprof->blocks[id] = *block;
  } else {
    tdm_error error;
    tdm_error_memory(&error, "an allocation", sizeof *rocprof->blocks);
    tdm_recorder_fail(rocprof->recorder, &error);
  }
  return true;
}

void tdm_rocprof_allocate(tdm_rocprof *rocprof, const tdm_rocprof_allocation *allocation) {
  static const char prefix[] = "MEMORY_ALLOCATION_";
  struct tdm_rocprof_block block;
  const char *operation = allocation->operation;
  if (strncmp(operation, prefix, sizeof prefix - 1) == 0) operation += sizeof prefix - 1;
  bool frees = strstr(operation, "FREE") != NULL;
  if ((rocprof->dropped & TDM_READ_NO_GPU) != 0) return;
  if (allocation->time.start_ns == TDM_NONE) {
    tdm_record_problem(rocprof->recorder, "records without times (left out)", 1);
    return;
  }
  if (!frees && strstr(operation, "ALLOC") == NULL) {
    tdm_record_problem(rocprof->recorder, "records of other kinds (left out)", 1);
    return;
  }
  if (!find_block(rocprof, allocation, frees, &block)) {
    tdm_record_problem(rocprof->recorder, "frees of what was not seen allocated (left out)", 1);
    return;
  }
  const int64_t args[ALLOCATION_ARGS] = {
      allocation->time.correlation, block.bytes, allocation->address,
      allocation->host ? (int64_t)tdm_record_text(rocprof->recorder, "pinned") : TDM_NONE};
  tdm_record_row(rocprof->recorder, rocprof->allocations, allocation->time.start_ns, 0, block.track,
                 tdm_record_text(rocprof->recorder, frees ? "deallocation" : "allocation"), args,
                 ALLOCATION_ARGS);
  rocprof->records++;
}

static const char *category_of(const char *domain) {
  static const struct {
    const char *begins, *category;
  } domains[] = {{"HIP", "runtime"}, {"HSA", "driver"}, {"MARKER", "nvtx"}, {"RCCL", "nccl"}};
  for (size_t i = 0; i < sizeof domains / sizeof *domains; i++)
    if (strncmp(domain, domains[i].begins, strlen(domains[i].begins)) == 0)
      return domains[i].category;
  return "runtime"; /* decoders of video and pictures */
}

/* A marker of no thread is a range of the process, which may overlap others. */
static tdm_shape shape_of(const char *category, int64_t tid, int64_t dur_ns) {
  if (strcmp(category, "nvtx") != 0) return TDM_SHAPE_SPAN;
  if (dur_ns == 0) return TDM_SHAPE_INSTANT;
  return tid == 0 ? TDM_SHAPE_ASYNC : TDM_SHAPE_SPAN;
}

void tdm_rocprof_call(tdm_rocprof *rocprof, const char *domain, const char *name, int64_t pid,
                      int64_t tid, const tdm_rocprof_time *time) {
  static const tdm_arg args[] = {{"correlation", TDM_ARG_INT}};
  char process[48], thread[48];
  tdm_track track = TDM_TRACK_PLAIN;
  const char *category = category_of(domain);
  int64_t dur_ns;
  if ((rocprof->dropped & tdm_read_kind(category)) != 0 || !duration(rocprof, time, &dur_ns))
    return;
  snprintf(process, sizeof process, "process %lld", (long long)(pid != TDM_NONE ? pid : 0));
  snprintf(thread, sizeof thread, "thread %lld", (long long)(tid != TDM_NONE ? tid : 0));
  track.process = process;
  track.name = thread;
  track.kind = TDM_TRACK_THREAD;
  track.lane = TDM_LANE_CPU;
  track.pid = pid;
  track.tid = tid;
  uint32_t layout =
      tdm_record_layout(rocprof->recorder, category, shape_of(category, tid, dur_ns), args, 1);
  tdm_record_row(rocprof->recorder, layout, time->start_ns, dur_ns,
                 tdm_record_track(rocprof->recorder, &track),
                 tdm_record_text(rocprof->recorder, name), &time->correlation, 1);
  rocprof->records++;
}
