/* What the words of CUDA-API tracers mean: names of functions and probes, types and sources of
 * records, directions of copies.
 *
 * A name is looked at once and remembered. Probes are stripped to the function that they are on.
 * Called by read/cuda_api/record. */
#ifndef TDM_READ_CUDA_API_WORDS_H
#define TDM_READ_CUDA_API_WORDS_H

#include <stdbool.h>

#include "trace/intern.h"
#include "trace/recorder.h"

/* What a function does with its arguments. */
enum {
  TDM_API_LAUNCHES = 1 << 0,
  TDM_API_COPIES = 1 << 1,
  TDM_API_ALLOCATES = 1 << 2,
  TDM_API_FREES = 1 << 3,
  TDM_API_UNNAMED = 1 << 4 /* the record says no name */
};

/* What a record's "type" or "source" says. */
typedef enum {
  TDM_API_PLAIN, /* nothing: the name decides */
  TDM_API_KERNEL_SPACE,
  TDM_API_MEMORY,
  TDM_API_TRANSFER,
  TDM_API_SCHEDULER,
  TDM_API_CUDA,
  TDM_API_DRIVER,
  TDM_API_HOST, /* of the host's kernel: sched_switch, process_fork */
  TDM_API_NET,
  TDM_API_IO,
  TDM_API_PRINTF, /* bpftrace -f json: the record is a text in "data" */
  TDM_API_MAP,    /* its maps, statistics and notes */
  TDM_API_OTHER
} tdm_api_source;

typedef struct {
  uint32_t name;        /* in the recorder: the function alone */
  const char *category; /* by the name alone; NULL: it does not say */
  uint8_t does;         /* TDM_API_LAUNCHES | … */
  char phase;           /* by the probe: 'B', 'E' or 0 */
  const char *kind;     /* of a copy, by the name: "HtoD", or NULL */
} tdm_api_word;

typedef struct {
  tdm_intern names;
  tdm_api_word *words;
  size_t room;
} tdm_api_words;

void tdm_api_words_clear(tdm_api_words *words);

/* NULL: out of memory. Good until the next call. */
const tdm_api_word *tdm_api_words_find(tdm_api_words *words, tdm_recorder *recorder,
                                       const char *text, size_t length);

tdm_api_source tdm_api_source_of(const char *text, size_t length);

/* "H2D", "host_to_device", "cudaMemcpyHostToDevice" → "HtoD". NULL: no direction. */
const char *tdm_api_direction(const char *text);
/* By cudaMemcpyKind, which the tracers' own numbers agree with; 0 and 4 say nothing sure: NULL. */
const char *tdm_api_direction_number(int64_t number);

/* 'B', 'E', 'X' or 'I'; 0: none of the words for a phase. */
char tdm_api_phase(const char *text);

#endif
