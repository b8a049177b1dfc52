/* The arrows of a Chrome trace: edges, launches, requests.
 *
 * Edges are flows of their own kind. Where a source has no "ac2g" edges, arrows go from each API
 * call to the GPU work of the same process and correlation. The spans of a simulated request are
 * joined in the order of time, for the first so many requests of each class. Ids are those of the
 * source where no other flow of the kind has them. Owns its tables. Called by the Chrome writer. */
#ifndef TDM_WRITE_CHROME_FLOWS_H
#define TDM_WRITE_CHROME_FLOWS_H

#include "write/chrome_places.h"
#include "write/texts.h"

#define TDM_CHROME_FLOW_REQUESTS 10000

/* Which step of its request's flow each laid span is: 's' the first, 't' in between, 'f' the last,
 * 0 none (the request's only span, or a request beyond the first ones). */
tdm_status tdm_chrome_requests_mark(const tdm_recording *recording, const tdm_lanes *lanes,
                                    uint64_t requests, char *mark, tdm_error *error);

/* Writes the edges and the launches, each event after *separator. */
tdm_status tdm_chrome_flows_put(const tdm_recording *recording, const tdm_lanes *lanes,
                                const tdm_chrome_places *places, tdm_texts *texts,
                                tdm_outfile *file, const char **separator, tdm_error *error);

#endif
