/* Checksums of a store's pages, so that damage is never taken for data.
 *
 * A layer between SQLite and the operating system (an SQLite VFS). Of a store, the last 8 bytes of
 * each page are set aside: when a page is written to the file they become the XXH3 of the rest and
 * of the page's number, and whenever it is read they are compared. So every table, index and chunk
 * is covered, whichever way it is read; a page that lies in another's place is noticed, too. Files
 * that are not stores, stores of version 3 (which have no such bytes), logs and temporary files
 * pass through unchanged. A log's frames have SQLite's own checksums (log.h says what of a damaged
 * one is known), and no mark of ours: a page whose mark is 0 was carried from the log into the file
 * by a program that does not know of all this.
 *
 * The format is SQLite's own: any program reads a store. None but ours may write to one, since its
 * pages would lack the checksum; the header says so (its write version is 3), SQLite obeys.
 *
 * Called by store.c and the binding's database; scans ask whether anything was damaged. Owns the
 * registration. Any thread. */
#ifndef TDM_TRACE_STORE_PAGES_H
#define TDM_TRACE_STORE_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct sqlite3;

/* As sqlite3_open_v2, never without this layer: `database` is NULL where there was no memory. */
int tdm_pages_open(const char *path, int flags, struct sqlite3 **database);

/* The file, which must be empty, will have checksums. */
int tdm_pages_begin(struct sqlite3 *database);

/* Whether the main file has them. */
bool tdm_pages_checked(struct sqlite3 *database);

/* Pages without a mark are taken as they are: for repairs, which check what they say by other
 * means. */
void tdm_pages_trust_unmarked(struct sqlite3 *database);

/* TDM_IO once a page of the connection's main file was damaged: for readers to whom what could not
 * be read looks like what is not there. */
tdm_status tdm_pages_sound(struct sqlite3 *database, tdm_error *error);

/* The same of every connection that the process ever had, the first one's words; `forget`: from now
 * on. */
tdm_status tdm_pages_met_damage(bool forget, tdm_error *error);

/* How often the disk did not give what was asked of the main file or of its log: no damage, though
 * what SQLite says afterwards may look like it. */
int64_t tdm_pages_failed_reads(struct sqlite3 *database);

/* What went wrong in the last call of SQLite, in words: its own, unless a page was damaged. Good
 * until the thread's next call. */
const char *tdm_pages_reason(struct sqlite3 *database);

/* Every page of the main file, read again. `tell` gets the numbers of those that are damaged;
 * unmarked ones are told as such. A page that nobody has written yet (all zero) is neither. */
tdm_status tdm_pages_look(struct sqlite3 *database,
                          void (*tell)(void *context, int64_t page, bool unmarked), void *context,
                          int64_t *pages, tdm_error *error);

#endif
