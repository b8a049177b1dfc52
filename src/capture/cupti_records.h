/* CUPTI's activities as records of the capture file.
 *
 * Reads only fields that lie where they always lay: structures have grown at their ends since CUDA
 * 10, so that one build reads what any libcupti writes. Owns the names of calls; called by cupti.c,
 * one buffer at a time. */
#ifndef TDM_CAPTURE_CUPTI_RECORDS_H
#define TDM_CAPTURE_CUPTI_RECORDS_H

#include <stddef.h>
#include <stdint.h>

#include "capture/cupti_library.h"

typedef struct {
  const tdm_cupti_library *library;
  int64_t to_monotonic_ns; /* is added to CUPTI's times */
  uint64_t untimed;        /* activities that came without their times */
  int64_t overhead_ns;     /* what CUPTI says that it took of the program's threads */
} tdm_cupti_records;

/* Puts what a buffer holds into the capture file. */
void tdm_cupti_put(tdm_cupti_records *records, uint8_t *buffer, size_t bytes);

#endif
