/* The words of Kineto and Chrome traces, and tandem's for them: categories and argument keys.
 *
 * One row a spelling; of several spellings of one word the one that today's Kineto writes comes
 * first, for writers that go the other way. Owns no state. Called by the reader "kineto". */
#ifndef TDM_READ_KINETO_KINETO_H
#define TDM_READ_KINETO_KINETO_H

#include <stdbool.h>
#include <stddef.h>

#include "trace/record.h"

/* Whose events these are: a GPU's process is the device, its thread the stream. */
typedef enum {
  TDM_KINETO_HOST,
  TDM_KINETO_GPU,
  TDM_KINETO_GPU_IF_TOLD /* when the arguments name a device */
} tdm_kineto_side;

typedef struct {
  const char *spelling; /* "gpu_memcpy" */
  const char *category; /* "memcpy" */
  tdm_kineto_side side;
  unsigned without; /* TDM_READ_NO_…: left out when the caller said so */
} tdm_kineto_category;

/* What is done with an argument. */
typedef enum {
  TDM_KINETO_PLAIN,
  TDM_KINETO_DEVICE, /* these three are of the track where the category is the GPU's */
  TDM_KINETO_CONTEXT,
  TDM_KINETO_STREAM,
  TDM_KINETO_GRID, /* [x, y, z]: three arguments */
  TDM_KINETO_BLOCK
} tdm_kineto_use;

typedef struct {
  const char *spelling; /* "registers per thread" */
  const char *key;      /* "registers_per_thread" */
  tdm_arg_type type;    /* what it is when its text allows; INT and REAL also for numbers as text */
  tdm_kineto_use use;
} tdm_kineto_key;

/* NULL: as spelt. */
const tdm_kineto_category *tdm_kineto_category_of(const char *spelling);
/* Whether an operator of this name is an annotation: today they have a category of their own. */
bool tdm_kineto_is_annotation(const char *name);
const tdm_kineto_key *tdm_kineto_key_of(const char *spelling);

#endif
