/* What records of a capture need of others, wherever in the file these are. See inside.h. */
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "read/capture/inside.h"

enum { RANGE_OPEN, RANGE_ENDED };

/* Equal for the beginning of a range and for the whole of it. */
static uint64_t range_key(const tdm_capture_owner *owner, const tdm_capture_record *record) {
  bool pushed = (record->flags & TDM_CAPTURE_PUSHED) != 0;
  uint64_t key = tdm_mix(tdm_mix(owner->pid) ^ (uint64_t)record->start_ns);
  return tdm_mix(tdm_mix(key ^ record->name) ^ (pushed ? owner->tid : record->nvtx.range));
}

static void put(tdm_capture_reading *reading, tdm_id_map *map, uint64_t key, uint32_t value) {
  if (!tdm_id_map_put(map, key, value)) reading->failed = true;
}

static void gather_name(tdm_capture_reading *reading, const tdm_capture_record *record) {
  tdm_capture_name name;
  memcpy(&name, record, sizeof name);
  if (tdm_id_map_get(&reading->names, name.id) != TDM_ID_NONE) return;
  const char *text = (const char *)record + offsetof(tdm_capture_name, text);
  put(reading, &reading->names, name.id, tdm_record_name(reading->recorder, text, name.length));
}

static void gather_range(tdm_capture_reading *reading, const tdm_capture_owner *owner,
                         const tdm_capture_record *record) {
  uint64_t key = range_key(owner, record);
  if (record->kind == TDM_CAPTURE_RANGE)
    put(reading, &reading->ranges, key, RANGE_ENDED);
  else if (tdm_id_map_get(&reading->ranges, key) == TDM_ID_NONE)
    put(reading, &reading->ranges, key, RANGE_OPEN);
}

static uint64_t call_key(uint32_t pid, uint32_t correlation) {
  return (uint64_t)pid << 32 | correlation;
}

static void gather_allocation(tdm_capture_reading *reading, const tdm_capture_owner *owner,
                              const tdm_capture_record *record) {
  if (record->correlation == 0 || (record->flags & TDM_CAPTURE_FREED) != 0 || record->amount == 0 ||
      record->amount > INT64_MAX)
    return;
  if (!tdm_array_grow(&reading->bytes, &reading->bytes_room, reading->bytes_count + 1,
                      sizeof *reading->bytes)) {
    reading->failed = true;
    return;
  }
  reading->bytes[reading->bytes_count] = (int64_t)record->amount;
  put(reading, &reading->allocated, call_key(owner->pid, record->correlation),
      (uint32_t)reading->bytes_count++);
}

static uint64_t context_key(const tdm_capture_owner *owner, uint16_t context) {
  return (uint64_t)owner->pid << 16 | context;
}

static void gather_context(tdm_capture_reading *reading, const tdm_capture_owner *owner,
                           uint16_t context, uint16_t device) {
  if (device != TDM_CAPTURE_NO_DEVICE)
    put(reading, &reading->devices, context_key(owner, context), device);
}

void tdm_capture_gather(tdm_capture_reading *reading, const tdm_capture_owner *owner,
                        const tdm_capture_record *record, size_t slots) {
  (void)slots;
  if (tdm_id_map_get(&reading->programs, owner->pid) == TDM_ID_NONE && owner->program[0] != 0)
    put(reading, &reading->programs, owner->pid,
        tdm_record_text(reading->recorder, owner->program));
  switch (record->kind) {
  case TDM_CAPTURE_NAME: gather_name(reading, record); return;
  case TDM_CAPTURE_OPEN:
  case TDM_CAPTURE_RANGE: gather_range(reading, owner, record); break;
  case TDM_CAPTURE_MEMORY: gather_allocation(reading, owner, record); break;
  case TDM_CAPTURE_KERNEL:
    gather_context(reading, owner, record->ran.context_id, record->ran.device_id);
    break;
  case TDM_CAPTURE_COPY:
  case TDM_CAPTURE_FILL: gather_context(reading, owner, record->context, record->device); break;
  case TDM_CAPTURE_DEVICE:
    if (record->device < TDM_CAPTURE_DEVICES) reading->device_name[record->device] = record->name;
    return;
  case TDM_CAPTURE_NOTHING:
  case TDM_CAPTURE_MESSAGE:
  case TDM_CAPTURE_CAUGHT: return;
  default: break;
  }
  if (record->kind > TDM_CAPTURE_CAUGHT || !tdm_capture_timely(reading, record)) return;
  int64_t last_ns = record->end_ns > record->start_ns ? record->end_ns : record->start_ns;
  if (reading->last_ns == TDM_NONE || last_ns > reading->last_ns) reading->last_ns = last_ns;
}

uint32_t tdm_capture_name_of(tdm_capture_reading *reading, uint64_t id, const char *otherwise) {
  uint32_t name = id != 0 ? tdm_id_map_get(&reading->names, id) : TDM_ID_NONE;
  if (name != TDM_ID_NONE) return name;
  if (id != 0) tdm_record_problem(reading->recorder, "names that the file does not have", 1);
  return tdm_record_text(reading->recorder, otherwise);
}

bool tdm_capture_ended(const tdm_capture_reading *reading, const tdm_capture_owner *owner,
                       const tdm_capture_record *record) {
  return tdm_id_map_get(&reading->ranges, range_key(owner, record)) == RANGE_ENDED;
}

int64_t tdm_capture_device_of(const tdm_capture_reading *reading, const tdm_capture_owner *owner,
                              const tdm_capture_record *record) {
  if (record->device != TDM_CAPTURE_NO_DEVICE) return record->device;
  uint32_t device = tdm_id_map_get(&reading->devices, context_key(owner, record->context));
  return device != TDM_ID_NONE ? device : 0;
}

int64_t tdm_capture_allocated(const tdm_capture_reading *reading, uint32_t pid,
                              uint32_t correlation) {
  if (correlation == 0) return 0;
  uint32_t index = tdm_id_map_get(&reading->allocated, call_key(pid, correlation));
  return index != TDM_ID_NONE ? reading->bytes[index] : 0;
}
