/* Numbers of contexts, and whether a call has ended one. See contexts.h. */
#include "capture/contexts.h"

#include <stdatomic.h>
#include <stddef.h>

#include "capture/event_times.h"
#include "capture/handles.h"

enum { CONTEXTS = 1 << 8, DEVICES = 64 };

/* A device's primary context, as far as its calls were seen. */
typedef struct {
  _Atomic uint64_t context; /* 0: unknown */
  _Atomic int uses;
  _Atomic unsigned retaining, retained; /* calls that have begun, and ended */
} primary;

static primary primaries[DEVICES];
static tdm_handle slots[CONTEXTS];
/* A number, and in the lower half the device, both from 1. */
static const tdm_handles contexts = {slots, CONTEXTS};
static _Atomic uint32_t contexts_seen;

void tdm_contexts_tell(tdm_capture_record *record) {
  tdm_word handle = 0;
  int device = 0;
  int (*current)(tdm_word *) = TDM_REAL(cuCtxGetCurrent, tdm_word *);
  int (*device_of)(int *) = TDM_REAL(cuCtxGetDevice, int *);
  if (!current || !device_of || current(&handle) || !handle) return;
  uint64_t known = tdm_handles_get(&contexts, handle);
  if (!known) {
    if (device_of(&device)) return;
    known = ((uint64_t)atomic_fetch_add(&contexts_seen, 1) + 1) << 32 | ((uint32_t)device + 1);
    tdm_handles_set(&contexts, handle, known);
  }
  record->context = (uint16_t)(known >> 32);
  record->device = (uint16_t)(known - 1);
}

/* Of a number that is no device's, one that none has: the call will fail. */
static primary *primary_of(tdm_word device) {
  return &primaries[(uint32_t)device < DEVICES ? (uint32_t)device : DEVICES - 1];
}

/* Whether there are other uses, by what was seen. */
static bool drop_use(primary *of) {
  int uses = atomic_load(&of->uses);
  while (uses > 0 && !atomic_compare_exchange_weak(&of->uses, &uses, uses - 1)) {
  }
  return uses > 1;
}

static bool is_active(tdm_word device) {
  unsigned flags = 0;
  int active = 0;
  int (*state)(int, unsigned *, int *) =
      TDM_REAL(cuDevicePrimaryCtxGetState, int, unsigned *, int *);
  return state && !state((int)device, &flags, &active) && active;
}

void tdm_contexts_before(tdm_ending *ending, const tdm_driver_call *known,
                         const tdm_word *arguments) {
  *ending = (tdm_ending){0};
  switch (known->does) {
  case RETAIN: atomic_fetch_add(&primary_of(arguments[1])->retaining, 1); return;
  case RELEASE:
  case RESET: {
    primary *of = primary_of(arguments[0]);
    ending->retained = atomic_load(&of->retained);
    ending->context = (tdm_word)atomic_load(&of->context);
    ending->paused = known->does == RESET || !drop_use(of);
    break;
  }
  case DESTROY:
    ending->context = arguments[0];
    ending->paused = ending->context != 0;
    break;
  default: return;
  }
  if (ending->paused) tdm_event_times_pause(ending->context);
}

/* One that is active may be a new one at the place of the old, if it was retained meanwhile. */
static bool is_gone(const tdm_ending *ending, const tdm_driver_call *known,
                    const tdm_word *arguments) {
  if (known->does != RELEASE) return true;
  bool retained = atomic_load(&primary_of(arguments[0])->retaining) != ending->retained;
  return (ending->paused && retained) || !is_active(arguments[0]);
}

static void forget(tdm_word context) {
  if (context)
    tdm_handles_set(&contexts, context, 0);
  else
    tdm_handles_clear(&contexts);
  tdm_event_times_forget(context);
}

void tdm_contexts_after(const tdm_ending *ending, const tdm_driver_call *known,
                        const tdm_word *arguments, int result) {
  if (known->does == RETAIN) {
    primary *of = primary_of(arguments[1]);
    if (!result) {
      atomic_store(&of->context, *(const tdm_word *)arguments[0]);
      atomic_fetch_add(&of->uses, 1);
    }
    atomic_fetch_add(&of->retained, 1);
    return;
  }
  if (known->does != RELEASE && known->does != RESET && known->does != DESTROY) return;
  if (result || !is_gone(ending, known, arguments)) {
    if (ending->paused) tdm_event_times_resume(ending->context);
    return;
  }
  if (known->does != DESTROY) {
    primary *of = primary_of(arguments[0]);
    uint64_t context = ending->context;
    if (atomic_compare_exchange_strong(&of->context, &context, 0)) atomic_store(&of->uses, 0);
  }
  forget(ending->context);
}
