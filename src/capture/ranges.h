/* Ranges of the program that switch recording on and off: its profiler's (cuProfilerStart and
 * Stop), or its NVTX ranges of one name, whichever tandem was told of. Called by interpose and
 * nvtx. */
#ifndef TDM_CAPTURE_RANGES_H
#define TDM_CAPTURE_RANGES_H

#include <stdbool.h>
#include <stdint.h>

void tdm_ranges_profiler(bool on);

/* A range of this name begins, has ended. Recording goes on as long as one is open, anywhere in
 * the program. */
void tdm_ranges_enter(uint64_t name);
void tdm_ranges_leave(uint64_t name);
/* Whether such a name was told. */
bool tdm_ranges_named(void);

/* Who records instead, and has to be told when recording is switched. */
void tdm_ranges_tell(void (*follow)(void));

#endif
