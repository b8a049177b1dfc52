/* What tests may ask of the fake libcupti (fake_cupti.c): to record, lose and refuse. */
#ifndef TDM_TESTS_FAKE_CUPTI_H
#define TDM_TESTS_FAKE_CUPTI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  /* An activity, as NVIDIA's library would note it; false if its kind is not enabled. */
  bool (*note)(const void *activity, size_t bytes);
  bool (*enabled)(uint32_t kind);
  void (*lose)(size_t records); /* reported with the next buffer */
  /* A call that the subscriber may have asked to hear of. */
  void (*call)(int domain, uint32_t number);
  uint64_t (*now)(void); /* by the clock that it uses */
  unsigned (*forced_flushes)(void);
  bool (*unsubscribed)(void);
} tdm_fake_cupti;

#endif
