/* The CUDA driver inside a traced program: its calls that are known, where they are, and whatever
 * way a program has of asking for them, which gives it the wrappers in interpose.c.
 *
 * Programs hardly ever link to the driver: the CUDA runtime, inside them or shared, opens it and
 * asks it for each call by name and version. So dlsym and cuGetProcAddress are wrapped as well.
 * Arguments are machine words, as all of these calls take integers and pointers only and the
 * calling conventions of x86-64 and AArch64 pass each in a slot of its own.
 *
 * What stays unseen: calls between the runtime and the driver by their private tables, libraries
 * that were opened with RTLD_DEEPBIND (they have a dlsym of their own), programs linked statically.
 * Owns the pointers. */
#ifndef TDM_CAPTURE_DRIVER_H
#define TDM_CAPTURE_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

typedef uintptr_t tdm_word;

/* What a call does, as far as recording it is concerned. */
typedef enum {
  PLAIN,
  ASK,     /* for another call */
  START,   /* of the driver */
  RETAIN,  /* a device's primary context */
  RELEASE, /* it: its end, perhaps */
  RESET,   /* it: its end */
  DESTROY, /* a context */
  WAIT,    /* until the device is done */
  NAMES,   /* a kernel: `handle` gets it, `name` is its name */
  RENAMES,
  LAUNCH,
  LAUNCH_EX,
  GRAPH,
  CAPTURE, /* of a stream into a graph */
  CAPTURED,
  COPY,
  COPY_2D,
  COPY_3D,
  COPY_BATCH,
  FILL,
  FILL_2D,
  ALLOCATE,
  ALLOCATE_PITCH,
  REGISTER,
  FREE,
  STREAM,
  RANGE_BEGINS,
  RANGE_ENDS
} tdm_driver_deed;

typedef struct {
  const char *symbol;
  void *wrapper; /* NULL: it has none */
  uint16_t since;
  bool async, per_thread;
  uint8_t does, arguments;
  uint8_t how, width;                  /* of copies, of memory; bytes of an element */
  uint8_t stream, bytes, handle, name; /* which argument, from 1 */
} tdm_driver_call;

enum {
#define CALL(symbol, ...) TDM_CALL_##symbol,
#define HELPER(symbol)    TDM_CALL_##symbol,
#include "capture/driver_calls.def"
  TDM_DRIVER_CALLS
};

extern const tdm_driver_call tdm_driver_calls[TDM_DRIVER_CALLS];

/* The driver's own call; NULL without a driver, or if it is older than the call. */
void *tdm_driver_real(unsigned call);
#define TDM_REAL(symbol, ...) ((int (*)(__VA_ARGS__))tdm_driver_real(TDM_CALL_##symbol))

/* What a program gets that asked for a call of that name: the wrapper, if `given` is one of the
 * driver's calls that are known, else `given`. */
void *tdm_driver_wrapper(const char *name, void *given, int version, uint64_t flags);

/* ---- call_bytes.c */

/* How many bytes a call moves, fills or takes, from its arguments as the driver lays them out.
 * Pure. Called by interpose.c. */

/* `direction`: for copies, where from and to (tdm_capture_direction); else untouched. Of memory
 * by rows the pitch is known only after the call. */
uint64_t tdm_call_bytes(const tdm_driver_call *call, const tdm_word *arguments, uint8_t *direction);

#endif
