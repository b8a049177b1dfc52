/* Names of kernels as their programmers wrote them: C++ names undone, each but once.
 *
 * The demangler is the C++ runtime's, which every program with such names has or can load; without
 * one the names stay as they are. Owns a small table; may be called by any thread, not by signal
 * handlers. Called by CUPTI's records and whoever else knows kernels by their symbols. */
#ifndef TDM_CAPTURE_KERNEL_NAME_H
#define TDM_CAPTURE_KERNEL_NAME_H

#include <stdint.h>

/* The id of the text (buffer.h) that a symbol stands for; NULL has id 0. */
uint64_t tdm_capture_kernel_name(const char *symbol);

#endif
