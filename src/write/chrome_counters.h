/* The counters of a Chrome trace: the sources' samples, and for simulations how many requests are
 * queued and how many GPU, transfer and CPU servers are busy. Called by the Chrome writer. */
#ifndef TDM_WRITE_CHROME_COUNTERS_H
#define TDM_WRITE_CHROME_COUNTERS_H

#include "write/chrome_places.h"
#include "write/texts.h"

/* Each event after *separator. */
tdm_status tdm_chrome_counters_put(const tdm_recording *recording, const tdm_chrome_places *places,
                                   tdm_texts *texts, tdm_outfile *file, const char **separator,
                                   tdm_error *error);

#endif
