/* The chunks of a capture file and the records in them. See inside.h. Nothing of a file is
 * believed: counts are cut to what is there. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "read/capture/inside.h"

/* Clocks of devices are mapped onto the host's and may begin a little before it. */
static const int64_t BEFORE_NS = 60 * INT64_C(1000000000);
static const int64_t AFTER_NS = INT64_C(1000000000) * 86400 * 3650;

bool tdm_capture_timely(const tdm_capture_reading *reading, const tdm_capture_record *record) {
  int64_t from, length;
  return !__builtin_sub_overflow(record->start_ns, reading->header.start_ns, &from) &&
         from >= -BEFORE_NS && from <= AFTER_NS &&
         !__builtin_sub_overflow(record->end_ns, record->start_ns, &length) &&
         length >= -AFTER_NS && length <= AFTER_NS;
}

static size_t slots_of(const tdm_capture_record *record, size_t left) {
  if (record->kind != TDM_CAPTURE_NAME) return 1;
  tdm_capture_name name;
  memcpy(&name, record, sizeof name);
  size_t bytes = sizeof name.text + ((size_t)name.slots - 1) * TDM_CAPTURE_RECORD_BYTES;
  return name.slots > 0 && name.slots <= left && name.length <= bytes ? name.slots : 0;
}

static void change_thread(tdm_capture_reading *reading, tdm_capture_owner *owner,
                          const tdm_capture_record *record, bool tell) {
  if (record->address > 0 && record->address <= INT32_MAX)
    owner->tid = (uint32_t)record->address;
  else if (tell)
    tdm_record_problem(reading->recorder, "damaged numbers of threads (left out)", 1);
}

static void walk_records(tdm_capture_reading *reading, tdm_capture_each each,
                         tdm_capture_owner *owner, const tdm_capture_record *records, size_t count,
                         bool tell) {
  for (size_t i = 0; i < count;) {
    size_t slots = slots_of(&records[i], count - i);
    if (records[i].kind == TDM_CAPTURE_THREAD)
      change_thread(reading, owner, &records[i], tell);
    else if (slots > 0)
      each(reading, owner, &records[i], slots);
    else if (tell)
      tdm_record_problem(reading->recorder, "damaged names (left out)", 1);
    i += slots > 0 ? slots : 1;
  }
}

static void walk_chunk(tdm_capture_reading *reading, tdm_capture_each each, const char *bytes,
                       size_t length, bool tell) {
  tdm_capture_chunk chunk;
  if (length < sizeof chunk) return;
  memcpy(&chunk, bytes, sizeof chunk);
  size_t count = chunk.records, there = length / TDM_CAPTURE_RECORD_BYTES - 1;
  if (tell && count > TDM_CAPTURE_CHUNK_RECORDS)
    tdm_record_problem(reading->recorder, "chunks with a damaged count of records", 1);
  if (count > TDM_CAPTURE_CHUNK_RECORDS) count = TDM_CAPTURE_CHUNK_RECORDS;
  if (count > there) {
    if (tell) tdm_record_problem(reading->recorder, "records behind the file's end", count - there);
    count = there;
  }
  if (chunk.pid == 0 || chunk.pid > INT32_MAX || chunk.tid > INT32_MAX) {
    if (tell && count > 0)
      tdm_record_problem(reading->recorder, "records of no process (left out)", count);
    return;
  }
  tdm_capture_owner owner = {.pid = chunk.pid, .tid = chunk.tid};
  memcpy(owner.program, chunk.program, sizeof owner.program - 1);
  walk_records(reading, each, &owner, (const tdm_capture_record *)bytes + 1, count, tell);
}

static void tell_unreachable(tdm_capture_reading *reading) {
  static const char sentence[] = "Records are missing: a process lost its way to the capture file";
  uint32_t reason = reading->header.unreachable;
  if (reason == 0) return;
  char text[sizeof sentence + 80];
  snprintf(text, sizeof text, "%s (%.70s)", sentence, strerror((int)reason));
  /* The recorder keeps names as long as it lives. */
  const char *kept =
      tdm_recorder_name(reading->recorder, tdm_record_text(reading->recorder, text), NULL);
  if (kept != NULL) tdm_record_problem(reading->recorder, kept, 1);
}

static off_t offset_of(uint64_t chunk) {
  return (off_t)(TDM_CAPTURE_HEADER_BYTES + chunk * TDM_CAPTURE_CHUNK_BYTES);
}

/* The first chunk from this one on of which the file has anything. Holes are chunks that nobody
 * opened, and may be of any size. */
static uint64_t behind_hole(const tdm_capture_reading *reading, uint64_t chunk) {
  off_t data = lseek(fileno(reading->file), offset_of(chunk), SEEK_DATA);
  if (data < 0) return errno == ENXIO ? reading->chunks : chunk;
  uint64_t next = ((uint64_t)data - TDM_CAPTURE_HEADER_BYTES) / TDM_CAPTURE_CHUNK_BYTES;
  return next < reading->chunks ? next : reading->chunks;
}

/* How many bytes there are of it. */
static size_t read_chunk(const tdm_capture_reading *reading, uint64_t chunk, char *bytes) {
  size_t there = 0;
  while (there < TDM_CAPTURE_CHUNK_BYTES) {
    ssize_t got = pread(fileno(reading->file), bytes + there, TDM_CAPTURE_CHUNK_BYTES - there,
                        offset_of(chunk) + (off_t)there);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    there += (size_t)got;
  }
  return there;
}

tdm_status tdm_capture_walk(tdm_capture_reading *reading, tdm_capture_each each, bool tell,
                            tdm_error *error) {
  char *bytes = tdm_aligned_new(1, TDM_CAPTURE_CHUNK_BYTES);
  if (bytes == NULL) return tdm_error_memory(error, "a capture", TDM_CAPTURE_CHUNK_BYTES);
  tdm_status status = TDM_OK;
  uint64_t before = reading->walked;
  for (uint64_t i = behind_hole(reading, 0); status == TDM_OK && i < reading->chunks;
       i = behind_hole(reading, i + 1)) {
    walk_chunk(reading, each, bytes, read_chunk(reading, i, bytes), tell);
    const tdm_read_options *options = reading->options;
    reading->walked = before + i + 1;
    if (options->progress != NULL &&
        options->progress(options->context, reading->walked, 2 * reading->chunks) != 0)
      status = tdm_error_set(error, TDM_INTERRUPTED, "stopped");
    if (tdm_recorder_failed(reading->recorder)) break;
    if (reading->failed)
      status = tdm_error_memory(error, "records of a capture", TDM_CAPTURE_CHUNK_BYTES);
  }
  reading->walked = before + reading->chunks;
  if (tell) tell_unreachable(reading);
  free(bytes);
  return status;
}
