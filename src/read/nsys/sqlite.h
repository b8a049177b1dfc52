/* An SQLite export by path: what the readers of .sqlite and of .nsys-rep have in common. */
#ifndef TDM_READ_NSYS_SQLITE_H
#define TDM_READ_NSYS_SQLITE_H

#include "read/nsys/source.h"

/* `where` is opened; messages speak of `path`. */
tdm_status tdm_nsys_sqlite_read(const char *where, const char *path,
                                const tdm_read_options *options, tdm_recorder *recorder,
                                tdm_error *error);

#endif
