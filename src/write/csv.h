/* The writer of one table as comma-separated values (RFC 4180), for spreadsheets and data frames.
 */
#ifndef TDM_WRITE_CSV_H
#define TDM_WRITE_CSV_H

#include "write/writer.h"

extern const tdm_writer tdm_writer_csv;

#endif
