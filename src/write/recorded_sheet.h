/* A recording as one sheet: spans (everything that has a time, by start) or requests.
 *
 * Texts are names of the recording first, then those of tracks, categories and their kind. Owns
 * that list and the order of the rows. Used by arrow.c and parquet.c. */
#ifndef TDM_WRITE_RECORDED_SHEET_H
#define TDM_WRITE_RECORDED_SHEET_H

#include "write/sheet.h"
#include "write/writer.h"

typedef tdm_status (*tdm_sheet_write)(const tdm_sheet *sheet, const char *path, tdm_error *error);

/* Writes the table that the options name, "spans" (NULL) or "requests", and notes which arguments
 * have no column. TDM_INVALID: there is no such table, or it has no rows. */
tdm_status tdm_recorded_sheet_write(const tdm_recording *recording, const char *path,
                                    const tdm_write_options *options, tdm_sheet_write write,
                                    tdm_error *error);

#endif
