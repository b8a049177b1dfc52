/* Where the libraries inside a traced program put their records: the capture file, mapped.
 *
 * Each thread fills chunks of its own, so that a record costs neither a lock nor a system call; one
 * call in four thousand opens the next chunk. Loaded into programs of strangers: asks nothing of
 * src/base, allocates nothing, prints nothing, keeps errno, and may be entered again by a signal
 * handler (whose record is then counted as lost). Owns the mappings and one descriptor of a high
 * number, for programs that lose their way to the file; the file is tandem's. A child of fork fills
 * chunks of its own. Called by the interposer, NVTX and CUPTI. */
#ifndef TDM_CAPTURE_BUFFER_H
#define TDM_CAPTURE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/format.h"

/* The header of the file that $TANDEM_CAPTURE_FILE names, mapped when the library is loaded;
 * without one, a header that wants nothing and never records. Never NULL. */
tdm_capture_header *tdm_capture_file(void);

/* Whether records of that kind (TDM_CAPTURE_WANT_…, any of them) are wanted now. */
bool tdm_capture_wants(uint32_t what);
/* From now on only records of those kinds are wanted of this process, if any. */
void tdm_capture_only(uint32_t what);

/* CLOCK_MONOTONIC. */
int64_t tdm_capture_now_ns(void);

/* The calling thread's number, as the kernel counts. */
uint32_t tdm_capture_thread(void);

/* A number, unique in the process, that joins a call with what it caused. */
uint32_t tdm_capture_correlation(void);

/* Puts a record into the calling thread's chunk; without room it is counted as lost. Asks not
 * whether it is wanted. */
void tdm_capture_put(const tdm_capture_record *record);
/* Puts a record that is no thread's (what ran on a device); briefly locks. */
void tdm_capture_put_shared(const tdm_capture_record *record);

/* The id of a text, which is written to the file unless this process lately has. Of texts longer
 * than 65 535 bytes the beginning; NULL and "" have id 0. */
uint64_t tdm_capture_text(const char *text);
uint64_t tdm_capture_text_bytes(const char *text, size_t length);
/* The id alone, and the writing alone: for names that are used often. */
uint64_t tdm_capture_hash(const char *text, size_t length);
void tdm_capture_announce(uint64_t id, const char *text, size_t length);

/* Puts a sentence for the user. */
void tdm_capture_say(const char *sentence);
/* Counts records that somebody else lost. */
void tdm_capture_add_lost(uint64_t records);

/* ---- kernel_name.c */

/* Names of kernels as their programmers wrote them: C++ names undone, each but once.
 *
 * The demangler is the C++ runtime's, which every program with such names has or can load; without
 * one the names stay as they are. Owns a small table; may be called by any thread, not by signal
 * handlers. Called by CUPTI's records and whoever else knows kernels by their symbols. */

/* The id of the text (buffer.h) that a symbol stands for; NULL has id 0. */
uint64_t tdm_capture_kernel_name(const char *symbol);

#endif
