/* Allocation with overflow checks and alignment. NULL means out of memory; nothing is printed.
 * Growable arrays live with their owners; this only guards the arithmetic. Used by every layer. */
#ifndef TDM_BASE_MEMORY_H
#define TDM_BASE_MEMORY_H

#include <stddef.h>

/* Zeroed array of count items of `size` bytes; free with free(). */
void *tdm_array_new(size_t count, size_t size);

/* The same, not zeroed. */
void *tdm_array_raw(size_t count, size_t size);

/* Grows *items (may be NULL) to hold at least `need` items, doubling *capacity. False: out of
 * memory, *items untouched. New items are not zeroed. */
int tdm_array_grow(void *items, size_t *capacity, size_t need, size_t size);

/* Zeroed, 64-byte aligned (a cache line, an AVX-512 vector); free with free(). */
void *tdm_aligned_new(size_t count, size_t size);

/* For what is begun anew all the time. A compiler that knows the size of a memset takes string
 * instructions, whose start costs more than storing some hundred bytes by the C library does. */
void tdm_memory_zero(void *memory, size_t size);

/* Gives what was freed back to the system, after much was: the C library keeps blocks of some
 * megabytes that lie between others. */
void tdm_memory_return(void);

char *tdm_string_copy(const char *text);

#endif
