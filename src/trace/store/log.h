/* A store's log (FILE-wal) that a killed process left: whether what was committed to it can be
 * read.
 *
 * SQLite takes a log up to the first frame whose checksum is wrong and drops the rest without a
 * word: its rule for a writer that the power left. Damage looks the same, and a log that was cut,
 * lost or exchanged is not even looked at. But a process that was killed leaves the log's index,
 * too (FILE-shm), which says how many frames were committed and what their checksum was; what
 * was committed is in the log by then. Where both are there, nothing is lost without a word.
 * Without an index (it does not outlive a power cut) a damaged frame is known as such only while
 * commits stand behind it and no page of it is one that the disk never wrote.
 *
 * Only while nobody has the store open: SQLite makes the index anew with the first who opens it.
 * Called by pages.c before it opens a file, and by the binding for tandem verify. Owns nothing. */
#ifndef TDM_TRACE_STORE_LOG_H
#define TDM_TRACE_STORE_LOG_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
  bool damaged;
  bool unread;    /* whether it is damaged is not known: the disk fails, or memory is short */
  int64_t frames; /* that were committed, as far as is known */
  int64_t whole;  /* of these, up to the last commit that can be read */
  int64_t keep;   /* bytes of the log that hold what is to be taken from it; 0: nothing */
  char text[160]; /* what is wrong */
} tdm_log_state;

/* The process must not have the store open: closing the index would drop SQLite's locks. Where
 * somebody else has it open, or we may not read the files, nothing is found. */
void tdm_log_look(const char *path, tdm_log_state *state);

/* Cuts the log to `keep` bytes and removes its index. 0, or the system's error number. */
int tdm_log_cut(const char *path, int64_t keep);

#endif
