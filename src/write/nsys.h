/* The writer of Nsight Systems' SQLite layout (schema 3.25), as `nsys export --type sqlite` makes
 * it: what reads those exports reads this file too. */
#ifndef TDM_WRITE_NSYS_H
#define TDM_WRITE_NSYS_H

#include "write/writer.h"

extern const tdm_writer tdm_writer_nsys;

#endif
