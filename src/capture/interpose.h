/* Recording a call of the driver: before it and after it. Called by the wrappers in wrappers.c. */
#ifndef TDM_CAPTURE_INTERPOSE_H
#define TDM_CAPTURE_INTERPOSE_H

#include "capture/contexts.h"
#include "capture/driver.h"
#include "capture/event_times.h"

typedef struct {
  int64_t start_ns;
  bool recorded, captured; /* wanted; only put into a graph */
  bool works;              /* the device, on what is to be timed */
  tdm_timed *timed;
  tdm_ending ending;
} tdm_call;

/* Whether the call is to be heard of again. */
bool tdm_interpose_before(tdm_call *call, unsigned number, const tdm_word *arguments);
void tdm_interpose_after(const tdm_call *call, unsigned number, const tdm_word *arguments,
                         int result);

#endif
