/* Stores where nobody here can write: read-only media, a colleague's folder, an image.
 *
 * SQLite wants to write beside a file even where it only reads it (the log's index). Where the
 * folder cannot be written, a store without a log is read as it lies, and each read sees whether
 * somebody who can write has changed it meanwhile; with a log that nobody follows, a copy is read
 * into which the log was taken.
 *
 * Whoever can write may come or go between the look at the files and their opening: openers try
 * again then.
 *
 * Called by pages.c when it opens a file, and by those who open a store. Owns the copy until it is
 * opened, then nothing. */
#ifndef TDM_TRACE_STORE_STILL_H
#define TDM_TRACE_STORE_STILL_H

#include <stdbool.h>
#include <sys/stat.h>

typedef enum {
  TDM_STILL_NOT,  /* open it as any other file */
  TDM_STILL_LIES, /* nothing but reading, no locks; *as_it_was tells whether it changes */
  TDM_STILL_COPY  /* *copy is read instead; the caller frees the name and removes the file */
} tdm_still;

tdm_still tdm_still_how(const char *path, struct stat *as_it_was, const char **copy);
void tdm_still_forget(const char *copy); /* the file and its folder go; the name stays */

/* Whether a store that could not be opened is worth another try: it lies still or is followed, and
 * *tries, 0 at first, are not used up. Waits a moment. */
bool tdm_still_again(const char *path, int *tries);

/* Whether the file at `path` is another than it was. */
bool tdm_still_changed(const char *path, const struct stat *as_it_was);

#endif
