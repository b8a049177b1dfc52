/* NVIDIA's libcupti, found and opened while the traced program runs.
 *
 * Which libcupti fits is known only there: that of the program's own toolkit or Python packages, or
 * one of the machine's. Owns the table of its functions, valid until the process ends; called by
 * cupti.c alone. Errors are texts in static storage of the caller. */
#ifndef TDM_CAPTURE_CUPTI_LIBRARY_H
#define TDM_CAPTURE_CUPTI_LIBRARY_H

#include <cupti.h>
#include <stdbool.h>
#include <stddef.h>

/* Functions that every libcupti since CUDA 10 has. */
#define TDM_CUPTI_NEEDED(X)                                                                        \
  X(cuptiGetVersion)                                                                               \
  X(cuptiGetResultString)                                                                          \
  X(cuptiGetTimestamp)                                                                             \
  X(cuptiGetCallbackName)                                                                          \
  X(cuptiSubscribe)                                                                                \
  X(cuptiUnsubscribe)                                                                              \
  X(cuptiEnableCallback)                                                                           \
  X(cuptiActivityRegisterCallbacks)                                                                \
  X(cuptiActivityEnable)                                                                           \
  X(cuptiActivityDisable)                                                                          \
  X(cuptiActivityFlushAll)                                                                         \
  X(cuptiActivityGetNextRecord)                                                                    \
  X(cuptiActivityGetNumDroppedRecords)

typedef struct {
#define TDM_CUPTI_MEMBER(name) __typeof__(name) *name;
  TDM_CUPTI_NEEDED(TDM_CUPTI_MEMBER)
#undef TDM_CUPTI_MEMBER
  /* Later ones, which old headers do not declare; NULL where absent. */
  CUptiResult (*register_timestamp)(uint64_t (*clock)(void)); /* CUDA 11.6 */
  CUptiResult (*set_thread_id_type)(int type);                /* 11.1 */
  uint32_t version;                                           /* what cuptiGetVersion says */
  char path[640];                                             /* the file that was opened */
} tdm_cupti_library;

/* Opens the libcupti that fits the program. False with one sentence in `why` if there is none that
 * can be used. */
bool tdm_cupti_open(tdm_cupti_library *library, char *why, size_t size);

#endif
