/* See ranges.h. */
#include "capture/ranges.h"

#include <stddef.h>
#include <string.h>

#include "capture/buffer.h"

static void (*_Atomic told)(void);

static void set_recording(bool on) {
  tdm_capture_header *header = tdm_capture_file();
  if (atomic_load(&header->ended)) return;
  atomic_store(&header->recording, on);
  void (*follow)(void) = atomic_load(&told);
  if (follow) follow();
}

void tdm_ranges_tell(void (*follow)(void)) {
  atomic_store(&told, follow);
}

void tdm_ranges_profiler(bool on) {
  if (tdm_capture_file()->wanted & TDM_CAPTURE_WANT_RANGES) set_recording(on);
}

bool tdm_ranges_named(void) {
  return tdm_capture_file()->range[0] != '\0';
}

static bool is_named(uint64_t name) {
  static _Atomic uint64_t wanted;
  if (!name || !tdm_ranges_named()) return false;
  uint64_t id = atomic_load_explicit(&wanted, memory_order_relaxed);
  if (!id) {
    const tdm_capture_header *header = tdm_capture_file();
    id = tdm_capture_hash(header->range, strnlen(header->range, sizeof header->range));
    atomic_store_explicit(&wanted, id, memory_order_relaxed);
  }
  return name == id;
}

void tdm_ranges_enter(uint64_t name) {
  if (is_named(name) && atomic_fetch_add(&tdm_capture_file()->inside, 1) == 0) set_recording(true);
}

void tdm_ranges_leave(uint64_t name) {
  if (!is_named(name)) return;
  _Atomic uint32_t *inside = &tdm_capture_file()->inside;
  uint32_t open = atomic_load(inside);
  while (open > 0 && !atomic_compare_exchange_weak(inside, &open, open - 1)) {
  }
  if (open == 1) set_recording(false);
}
