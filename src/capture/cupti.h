/* What cupti.c stands on: the library as it was found, its activities as records, what happens when
 * the program is killed. */
#ifndef TDM_CAPTURE_CUPTI_H
#define TDM_CAPTURE_CUPTI_H

#include <cupti.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- cupti_library.c */

/* NVIDIA's libcupti, found and opened while the traced program runs.
 *
 * Which libcupti fits is known only there: that of the program's own toolkit or Python packages, or
 * one of the machine's. Owns the table of its functions, valid until the process ends; called by
 * cupti.c alone. Errors are texts in static storage of the caller. */

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

/* ---- cupti_records.c */

/* CUPTI's activities as records of the capture file.
 *
 * Reads only fields that lie where they always lay: structures have grown at their ends since CUDA
 * 10, so that one build reads what any libcupti writes. Owns the names of calls; called by cupti.c,
 * one buffer at a time. */

typedef struct {
  const tdm_cupti_library *library;
  int64_t to_monotonic_ns; /* is added to CUPTI's times */
  uint64_t untimed;        /* activities that came without their times */
  int64_t overhead_ns;     /* what CUPTI says that it took of the program's threads */
} tdm_cupti_records;

/* Puts what a buffer holds into the capture file. */
void tdm_cupti_put(tdm_cupti_records *records, uint8_t *buffer, size_t bytes);

/* ---- cupti_signals.c */

/* A program that is killed by a signal still hands over what CUPTI holds.
 *
 * Handlers stand in for the default action only: of signals that the program handles or ignores
 * nothing is changed, and what it sets later replaces ours. A handler calls nothing but what
 * signals allow: it wakes the thread of cupti.c, waits a moment for it, and dies as it would have.
 * Called by cupti.c. */

typedef struct {
  sem_t wake;              /* of the thread that flushes */
  _Atomic bool dying;      /* it shall flush by force, */
  _Atomic bool flushed;    /* and has */
  _Atomic uint32_t thread; /* its number, which waits for nobody */
  _Atomic int32_t pid;     /* the process that it is in; children of fork have none */
} tdm_cupti_watch;

/* Handles the signals whose default is to end the program. `watch` lives as long as the process. */
void tdm_cupti_watch_signals(tdm_cupti_watch *watch);

#endif
