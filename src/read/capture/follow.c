/* See follow.h. */
#include "read/capture/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/id_map.h"
#include "base/memory.h"
#include "capture/format.h"

enum { DEVICES = 256, LONGEST_NAME = 400 };

typedef struct {
  int64_t bytes;
  uint32_t device;
} block;

struct tdm_capture_follower {
  int file;
  const char *path;
  tdm_capture_header header;
  uint32_t *seen; /* by chunk: its slots that are in the sums */
  size_t seen_room, chunks;
  char *slots; /* of one chunk */

  tdm_id_map texts; /* names of the file → index of `text` */
  char **text;
  size_t text_count, text_room;
  tdm_id_map sums; /* name and sort → index of `names` */
  tdm_follow_name *names;
  size_t name_count, name_room;
  tdm_id_map processes;
  tdm_id_map blocks; /* process and address → index of `block` */
  block *block;
  size_t block_count, block_room;
  tdm_follow_device devices[DEVICES];
  uint64_t device_name[DEVICES];
  size_t device_count;
  uint64_t records, calls;
  int64_t last_ns;
  bool failed;
};

static tdm_status io_error(const tdm_capture_follower *f, tdm_error *error) {
  return tdm_error_set(error, TDM_IO, "%s: %s", f->path, strerror(errno));
}

/* ---- names ---- */

static void add_text(tdm_capture_follower *f, const tdm_capture_record *record, size_t left) {
  tdm_capture_name name;
  memcpy(&name, record, sizeof name);
  size_t room = sizeof name.text + (left - 1) * TDM_CAPTURE_RECORD_BYTES, length = name.length;
  if (tdm_id_map_get(&f->texts, name.id) != TDM_ID_NONE || length > room) return;
  if (length > LONGEST_NAME) length = LONGEST_NAME;
  char *text = malloc(length + 1);
  if (text == NULL ||
      !tdm_array_grow(&f->text, &f->text_room, f->text_count + 1, sizeof *f->text)) {
    free(text);
    f->failed = true;
    return;
  }
  memcpy(text, (const char *)record + offsetof(tdm_capture_name, text), length);
  text[length] = 0;
  f->text[f->text_count] = text;
  f->failed |= !tdm_id_map_put(&f->texts, name.id, (uint32_t)f->text_count++);
}

static const char *text_of(const tdm_capture_follower *f, uint64_t id) {
  uint32_t index = tdm_id_map_get(&f->texts, id);
  return index != TDM_ID_NONE ? f->text[index] : NULL;
}

static void add(tdm_capture_follower *f, int sort, uint64_t id, int64_t ns, uint64_t bytes) {
  uint64_t key = id * 4 + (uint64_t)sort;
  uint32_t index = tdm_id_map_get(&f->sums, key);
  if (index == TDM_ID_NONE) {
    index = (uint32_t)f->name_count;
    if (!tdm_array_grow(&f->names, &f->name_room, f->name_count + 1, sizeof *f->names) ||
        !tdm_id_map_put(&f->sums, key, index)) {
      f->failed = true;
      return;
    }
    f->names[f->name_count++] = (tdm_follow_name){.sort = sort, .id = id};
  }
  tdm_follow_name *sum = &f->names[index];
  sum->count++;
  sum->bytes += bytes;
  if (ns > 0 && __builtin_add_overflow(sum->ns, ns, &sum->ns)) sum->ns = INT64_MAX;
}

/* ---- devices ---- */

static tdm_follow_device *device_of(tdm_capture_follower *f, uint32_t number) {
  if (number >= DEVICES) return NULL;
  for (size_t i = f->device_count; i <= number; i++)
    f->devices[i] = (tdm_follow_device){.number = (uint32_t)i, .last_ns = INT64_MIN};
  if (number >= f->device_count) f->device_count = number + 1;
  return &f->devices[number];
}

/* Work comes roughly in order of time: what is earlier than the last end counts no second time. */
static void add_work(tdm_capture_follower *f, uint32_t number, const tdm_capture_record *record) {
  tdm_follow_device *device = device_of(f, number);
  if (device == NULL || record->end_ns <= device->last_ns) return;
  int64_t from = record->start_ns > device->last_ns ? record->start_ns : device->last_ns, length;
  if (!__builtin_sub_overflow(record->end_ns, from, &length) && length > 0 &&
      __builtin_add_overflow(device->busy_ns, length, &device->busy_ns))
    device->busy_ns = INT64_MAX;
  device->last_ns = record->end_ns;
}

static void add_held(tdm_capture_follower *f, uint32_t number, int64_t bytes) {
  tdm_follow_device *device = device_of(f, number);
  if (device == NULL || __builtin_add_overflow(device->held, bytes, &device->held)) return;
  if (device->held > device->peak) device->peak = device->held;
}

static void add_memory(tdm_capture_follower *f, uint32_t pid, const tdm_capture_record *record) {
  if (record->result != 0 || record->detail == TDM_CAPTURE_MEMORY_PINNED) return;
  uint64_t key = record->address ^ (uint64_t)pid << 48;
  uint32_t index = tdm_id_map_get(&f->blocks, key);
  if (index != TDM_ID_NONE && f->block[index].bytes > 0) {
    add_held(f, f->block[index].device, -f->block[index].bytes);
    f->block[index].bytes = 0;
  }
  if ((record->flags & TDM_CAPTURE_FREED) != 0 || record->amount > INT64_MAX) return;
  if (index == TDM_ID_NONE) {
    index = (uint32_t)f->block_count;
    if (!tdm_array_grow(&f->block, &f->block_room, f->block_count + 1, sizeof *f->block) ||
        !tdm_id_map_put(&f->blocks, key, index)) {
      f->failed = true;
      return;
    }
    f->block_count++;
  }
  f->block[index] = (block){.bytes = (int64_t)record->amount, .device = record->device};
  add_held(f, record->device, (int64_t)record->amount);
}

/* ---- records ---- */

static void add_record(tdm_capture_follower *f, uint32_t pid, const tdm_capture_record *record) {
  int64_t ns = 0;
  if (__builtin_sub_overflow(record->end_ns, record->start_ns, &ns)) return;
  if (record->kind >= TDM_CAPTURE_CALL && record->kind <= TDM_CAPTURE_MARK) {
    f->records++;
    if (record->end_ns > f->last_ns) f->last_ns = record->end_ns;
  }
  switch (record->kind) {
  case TDM_CAPTURE_CALL:
    f->calls++;
    add(f, TDM_FOLLOW_CALLS, record->name, ns, record->amount);
    break;
  case TDM_CAPTURE_KERNEL:
    add(f, TDM_FOLLOW_KERNELS, record->name, ns, 0);
    add_work(f, record->ran.device_id, record);
    break;
  case TDM_CAPTURE_COPY:
    add(f, TDM_FOLLOW_COPIES, record->detail, ns, record->amount);
    add_work(f, record->device, record);
    break;
  case TDM_CAPTURE_FILL:
  case TDM_CAPTURE_GRAPH: add_work(f, record->device, record); break;
  case TDM_CAPTURE_MEMORY: add_memory(f, pid, record); break;
  case TDM_CAPTURE_RANGE: add(f, TDM_FOLLOW_RANGES, record->name, ns, 0); break;
  case TDM_CAPTURE_DEVICE:
    if (device_of(f, record->device) != NULL) f->device_name[record->device] = record->name;
    break;
  default: break;
  }
}

static void add_slots(tdm_capture_follower *f, uint32_t pid, size_t count) {
  const tdm_capture_record *records = (const tdm_capture_record *)(void *)f->slots;
  for (size_t i = 0; i < count;) {
    size_t slots = 1;
    if (records[i].kind == TDM_CAPTURE_NAME) {
      tdm_capture_name name;
      memcpy(&name, &records[i], sizeof name);
      if (name.slots > 0 && name.slots <= count - i) {
        slots = name.slots;
        add_text(f, &records[i], slots);
      }
    } else {
      add_record(f, pid, &records[i]);
    }
    i += slots;
  }
}

static void look_at(tdm_capture_follower *f, size_t index) {
  off_t at = (off_t)(TDM_CAPTURE_HEADER_BYTES + index * (size_t)TDM_CAPTURE_CHUNK_BYTES);
  tdm_capture_chunk chunk;
  uint32_t seen = f->seen[index];
  if (seen >= TDM_CAPTURE_CHUNK_RECORDS) return;
  if (pread(f->file, &chunk, sizeof chunk, at) != (ssize_t)sizeof chunk || chunk.pid == 0) return;
  uint32_t records = chunk.records;
  if (records > TDM_CAPTURE_CHUNK_RECORDS) records = TDM_CAPTURE_CHUNK_RECORDS;
  if (records <= seen) return;
  size_t bytes = (size_t)(records - seen) * TDM_CAPTURE_RECORD_BYTES;
  ssize_t got = pread(f->file, f->slots, bytes, at + (off_t)(1 + seen) * TDM_CAPTURE_RECORD_BYTES);
  if (got != (ssize_t)bytes) return;
  f->failed |= !tdm_id_map_put(&f->processes, chunk.pid, 1);
  add_slots(f, chunk.pid, records - seen);
  f->seen[index] = records;
}

/* ---- the whole ---- */

static tdm_status read_header(tdm_capture_follower *f, tdm_error *error) {
  ssize_t got = pread(f->file, &f->header, sizeof f->header, 0);
  if (got < 0) return io_error(f, error);
  if (got != (ssize_t)sizeof f->header ||
      memcmp(f->header.magic, TDM_CAPTURE_MAGIC, sizeof f->header.magic) != 0)
    return tdm_error_set(error, TDM_INVALID, "%s is not a capture file", f->path);
  if (f->header.version < 1 || f->header.version > TDM_CAPTURE_VERSION)
    return tdm_error_set(error, TDM_INVALID,
                         "%s is a capture of version %u; this tandem reads versions up to %d",
                         f->path, f->header.version, TDM_CAPTURE_VERSION);
  f->header.command[sizeof f->header.command - 1] = 0;
  return TDM_OK;
}

tdm_status tdm_capture_follow_open(const char *path, tdm_capture_follower **out, tdm_error *error) {
  tdm_capture_follower *f = tdm_array_new(1, sizeof *f);
  *out = NULL;
  if (f == NULL) return tdm_error_memory(error, "a capture", sizeof *f);
  f->path = path;
  f->file = open(path, O_RDONLY | O_CLOEXEC);
  tdm_status status = f->file < 0 ? io_error(f, error) : read_header(f, error);
  char *copy = tdm_string_copy(path);
  f->path = copy;
  f->slots = tdm_aligned_new(1, TDM_CAPTURE_CHUNK_BYTES);
  if (status == TDM_OK && (copy == NULL || f->slots == NULL))
    status = tdm_error_memory(error, "a capture", TDM_CAPTURE_CHUNK_BYTES);
  if (status == TDM_OK)
    *out = f;
  else
    tdm_capture_follow_close(f);
  return status;
}

void tdm_capture_follow_close(tdm_capture_follower *f) {
  if (f == NULL) return;
  if (f->file >= 0) close(f->file);
  for (size_t i = 0; i < f->text_count; i++) free(f->text[i]);
  free(f->text);
  free(f->names);
  free(f->block);
  free(f->seen);
  free(f->slots);
  tdm_id_map_free(&f->texts);
  tdm_id_map_free(&f->sums);
  tdm_id_map_free(&f->processes);
  tdm_id_map_free(&f->blocks);
  free((char *)(uintptr_t)f->path);
  free(f);
}

static const char *way_of(uint64_t way) {
  static const char *const ways[] = {"unknown", "HtoD", "DtoH", "DtoD", "HtoH", "PtoP"};
  return way < sizeof ways / sizeof *ways ? ways[way] : ways[0];
}

static void name_all(tdm_capture_follower *f) {
  for (size_t i = 0; i < f->name_count; i++) {
    tdm_follow_name *sum = &f->names[i];
    if (sum->name == NULL)
      sum->name = sum->sort == TDM_FOLLOW_COPIES ? way_of(sum->id) : text_of(f, sum->id);
  }
  for (size_t i = 0; i < f->device_count; i++) f->devices[i].name = text_of(f, f->device_name[i]);
}

tdm_status tdm_capture_follow_look(tdm_capture_follower *f, tdm_follow_sums *sums,
                                   tdm_error *error) {
  struct stat about;
  tdm_status status = read_header(f, error);
  if (status != TDM_OK) return status;
  if (fstat(f->file, &about) != 0) return io_error(f, error);
  uint64_t body = about.st_size > TDM_CAPTURE_HEADER_BYTES
                      ? (uint64_t)about.st_size - TDM_CAPTURE_HEADER_BYTES
                      : 0;
  uint64_t there = (body + TDM_CAPTURE_CHUNK_BYTES - 1) / TDM_CAPTURE_CHUNK_BYTES;
  size_t chunks = (size_t)(f->header.chunks < there ? f->header.chunks : there);
  size_t room = f->seen_room;
  if (!tdm_array_grow(&f->seen, &f->seen_room, chunks, sizeof *f->seen))
    return tdm_error_memory(error, "a capture", chunks * sizeof *f->seen);
  if (f->seen_room > room) memset(f->seen + room, 0, (f->seen_room - room) * sizeof *f->seen);
  for (size_t i = 0; i < chunks && !f->failed; i++) look_at(f, i);
  if (f->failed) return tdm_error_memory(error, "a capture", 0);
  name_all(f);
  *sums = (tdm_follow_sums){.records = f->records,
                            .calls = f->calls,
                            .lost = f->header.lost,
                            .bytes = (uint64_t)about.st_size,
                            .processes = (uint32_t)f->processes.count,
                            .start_ns = f->header.start_ns,
                            .last_ns = f->last_ns,
                            .recording = f->header.recording != 0,
                            .ended = f->header.ended != 0,
                            .command = f->header.command,
                            .names = f->names,
                            .name_count = f->name_count,
                            .devices = f->devices,
                            .device_count = f->device_count};
  return TDM_OK;
}
