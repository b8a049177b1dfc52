/* Beginnings and ends of CUDA-API calls joined to spans, with the arguments that tracers give.
 *
 * By op_id where there is one, else by thread, function and depth; in any order of the file. What
 * stays unmatched is kept or counted, never lost. Owns threads and open calls. Called by
 * read/cuda_api. */
#ifndef TDM_READ_CUDA_API_CALLS_H
#define TDM_READ_CUDA_API_CALLS_H

#include "base/hash_map.h"
#include "read/cuda_api/record.h"

/* Processes and threads of a CUDA-API trace: their tracks, and the calls that are open on them.
 *
 * Called by read/cuda_api/calls. */

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

/* Calls that have begun and ends that have come early, found by key and by thread.
 *
 * Owns them and their arguments. Called by read/cuda_api/calls. */

typedef struct {
  uint64_t a, b; /* process and op_id, or thread and function */
} tdm_api_pair_key;

typedef struct {
  tdm_api_pair_key key;
  int64_t time_ns, dur_ns; /* dur_ns: of an end that says it, or TDM_NONE */
  int64_t depth;
  const char *category;
  tdm_api_args *args; /* NULL: none */
  uint32_t name, thread;
  uint32_t older;        /* + 1: of the same key, or free; 0: none */
  uint32_t below, above; /* of the thread (beginnings), or of all ends; TDM_API_NO_CALL */
  uint8_t does;
  bool is_end, detailed;
} tdm_api_half;

typedef struct {
  tdm_api_half *halves;
  size_t count, room;
  uint32_t free;                   /* half + 1 */
  tdm_hash_map newest;             /* halves by key */
  uint32_t oldest_end, newest_end; /* TDM_API_NO_CALL */
  uint32_t ends;
} tdm_api_pairs;

void tdm_api_pairs_init(tdm_api_pairs *pairs);
void tdm_api_pairs_clear(tdm_api_pairs *pairs);

/* Puts a half in; its args are copied. Beginnings go on their thread's stack. TDM_API_NO_CALL: out
 * of memory. */
uint32_t tdm_api_pairs_put(tdm_api_pairs *pairs, tdm_api_thread *thread, const tdm_api_half *half,
                           const tdm_api_args *args);
void tdm_api_pairs_drop(tdm_api_pairs *pairs, tdm_api_thread *thread, uint32_t half);

/* The other half of `half`, by its key, time and depth. TDM_API_NO_CALL: it is not there. */
uint32_t tdm_api_pairs_match(const tdm_api_pairs *pairs, const tdm_api_half *half, bool by_id);

typedef struct tdm_api_calls tdm_api_calls;

/* `own` as of tdm_api_parser_own; dropped: TDM_READ_NO_…. NULL: out of memory. */
tdm_api_calls *tdm_api_calls_new(tdm_recorder *recorder, const char *const *own, uint64_t dropped);
void tdm_api_calls_free(tdm_api_calls *calls);

/* A record at a time; end_ns and dur_ns are TDM_NONE where it does not say them. What the record
 * leaves out may be filled in. False: out of memory. */
bool tdm_api_calls_take(tdm_api_calls *calls, tdm_api_record *record, int64_t time_ns,
                        int64_t end_ns, int64_t dur_ns);

/* Everything that is still open. Once, at the end. False: out of memory. */
bool tdm_api_calls_finish(tdm_api_calls *calls);

#endif
