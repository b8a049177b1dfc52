/* What is known of a handle of the driver (a function's name, a stream's number): a table of words
 * by word, of fixed size, without locks. When it is full, older ones are forgotten. Owned by
 * whoever declares one; zeros are an empty table. Called by interpose.c and contexts.c. */
#ifndef TDM_CAPTURE_HANDLES_H
#define TDM_CAPTURE_HANDLES_H

#include <stdatomic.h>
#include <stdint.h>

typedef struct {
  _Atomic uint64_t key, value;
} tdm_handle;

typedef struct {
  tdm_handle *slots;
  uint32_t size; /* a power of two */
} tdm_handles;

/* 0: nothing is known. */
uint64_t tdm_handles_get(const tdm_handles *table, uint64_t key);
void tdm_handles_set(const tdm_handles *table, uint64_t key, uint64_t value);
/* Forgets all: nothing is known of any handle. */
void tdm_handles_clear(const tdm_handles *table);

#endif
