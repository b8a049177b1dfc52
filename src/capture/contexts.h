/* The program's contexts: their numbers and devices, and the calls that may end one, after which a
 * new one may have the same handle.
 *
 * A release of a device's primary context mostly only gives back one of many uses: whether it was
 * the last is known after it. Until then nothing is asked about the context's events; only if it is
 * gone are they forgotten. Owns the numbers; called by interpose.c. */
#ifndef TDM_CAPTURE_CONTEXTS_H
#define TDM_CAPTURE_CONTEXTS_H

#include "capture/driver.h"
#include "capture/format.h"

/* What is kept between the two sides of such a call. */
typedef struct {
  tdm_word context; /* that may end; 0: any */
  bool paused;      /* its work goes untimed meanwhile */
  unsigned retained;
} tdm_ending;

/* Around calls that retain, release, reset or destroy a context; others are none of theirs. */
void tdm_contexts_before(tdm_ending *ending, const tdm_driver_call *known,
                         const tdm_word *arguments);
void tdm_contexts_after(const tdm_ending *ending, const tdm_driver_call *known,
                        const tdm_word *arguments, int result);

/* Sets the record's context and device to the current ones; leaves it alone without a context. */
void tdm_contexts_tell(tdm_capture_record *record);

#endif
