/* Processes and threads of a CUDA-API trace: their tracks, and the calls that are open on them.
 *
 * Called by read/cuda_api/calls. */
#ifndef TDM_READ_CUDA_API_THREADS_H
#define TDM_READ_CUDA_API_THREADS_H

#include "read/cuda_api/record.h"

#define TDM_API_NO_CALL UINT32_MAX

/* A call whose end has come, kept until the next one of its thread: what a tracer says of its
 * arguments may follow it. */
typedef struct {
  bool there, detailed;
  const char *category;
  tdm_shape shape;
  uint8_t does;
  uint32_t name;
  int64_t start_ns, dur_ns;
  tdm_api_args args;
} tdm_api_done;

typedef struct {
  int64_t pid, tid;
  uint32_t track;
  char heading[96]; /* of its process */
  uint32_t newest;  /* open call; TDM_API_NO_CALL */
  tdm_api_done done;
  bool promised; /* arguments of a launch that has not begun yet */
  int64_t promised_ns;
  tdm_api_args promise;
} tdm_api_thread;

typedef struct {
  tdm_intern ids, processes;
  tdm_api_thread **threads; /* [ids.count] */
  size_t room;
  const char **process_names; /* [processes.count]; may be NULL */
  size_t process_room;
  uint32_t latest; /* the thread of the last record */
} tdm_api_threads;

void tdm_api_threads_clear(tdm_api_threads *threads);

/* The number of the record's thread, made when it is new. UINT32_MAX: out of memory. */
uint32_t tdm_api_threads_find(tdm_api_threads *threads, tdm_recorder *recorder,
                              const tdm_api_record *record);

/* The track of what belongs to the thread's process as a whole. */
uint32_t tdm_api_thread_process(const tdm_api_thread *thread, tdm_recorder *recorder);

#endif
