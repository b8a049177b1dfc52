/* See ranges.h. */
#include "capture/ranges.h"

#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "capture/buffer.h"

static void (*_Atomic told)(void);
/* Ranges of the name that this process has open: a process that exits takes them along. One that is
 * killed leaves recording on. */
static _Atomic uint32_t open_here;
static _Atomic pid_t here; /* a child of fork has none of its parent's */

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

/* Takes up to `count` of what is counted there; how many there were. */
static uint32_t take(_Atomic uint32_t *from, uint32_t count) {
  uint32_t there = atomic_load(from);
  while (!atomic_compare_exchange_weak(from, &there, there > count ? there - count : 0)) {
  }
  return there;
}

static void leave(uint32_t count) {
  uint32_t there = take(&tdm_capture_file()->inside, count);
  if (there > 0 && there <= count) set_recording(false);
}

void tdm_ranges_enter(uint64_t name) {
  if (!is_named(name)) return;
  pid_t pid = getpid();
  if (atomic_exchange(&here, pid) != pid) atomic_store(&open_here, 0);
  atomic_fetch_add(&open_here, 1);
  if (atomic_fetch_add(&tdm_capture_file()->inside, 1) == 0) set_recording(true);
}

void tdm_ranges_leave(uint64_t name) {
  if (!is_named(name)) return;
  take(&open_here, 1);
  leave(1);
}

__attribute__((destructor)) static void leave_all(void) {
  if (!tdm_ranges_named() || atomic_load(&here) != getpid()) return;
  uint32_t open = atomic_exchange(&open_here, 0);
  if (open > 0) leave(open);
}
