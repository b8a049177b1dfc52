/* A JSON text that grows in memory. Failures stick; NULL at the end: out of memory. Owns the text.
 * Called by the files of this room. */
#ifndef TDM_WRITE_TIMELINE_META_H
#define TDM_WRITE_TIMELINE_META_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed is empty. */
typedef struct {
  char *text;
  size_t length, room;
  bool failed;
} tdm_meta;

void tdm_meta_put(tdm_meta *meta, const char *text);
void tdm_meta_integer(tdm_meta *meta, int64_t value);
void tdm_meta_real(tdm_meta *meta, double value);       /* finite; six digits */
void tdm_meta_string(tdm_meta *meta, const char *text); /* quoted */
/* `,` unless an object or a list has just begun; what follows is its next part. */
void tdm_meta_next(tdm_meta *meta);
void tdm_meta_key(tdm_meta *meta, const char *key); /* next, "key": */

#endif
