/* Temporary files go, or it is told that one stays.
 *
 * Whoever is done with a file that nobody else knows of discards it here. What the disk does not
 * let go is tried again when the program ends, and named then. Owns the list of such files. Any
 * thread; the end is main's. */
#ifndef TDM_BASE_TEMPORARY_H
#define TDM_BASE_TEMPORARY_H

/* Removes a file, or an empty folder. Nothing happens where there is none. */
void tdm_temporary_discard(const char *path);

/* Tries again what could not be removed; `tell` gets each file that stays, and why. */
void tdm_temporary_end(void (*tell)(const char *path, int reason));

#endif
