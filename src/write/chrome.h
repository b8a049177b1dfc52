/* The writer of Chrome trace JSON, which Perfetto and chrome://tracing open. */
#ifndef TDM_WRITE_CHROME_H
#define TDM_WRITE_CHROME_H

#include "write/writer.h"

extern const tdm_writer tdm_writer_chrome;

#endif
