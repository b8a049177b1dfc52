/* What a Chrome trace says of itself before its events: the time of its zero, the devices, and the
 * facts of its source, where Kineto has them: "distributedInfo.rank" is the member rank of the
 * object distributedInfo. Called by the Chrome writer. */
#ifndef TDM_WRITE_CHROME_NOTES_H
#define TDM_WRITE_CHROME_NOTES_H

#include "write/chrome_places.h"
#include "write/writer.h"

/* From the file's first character to the beginning of its events. `flow_requests`: requests of each
 * class whose spans are joined; 0: none are. */
void tdm_chrome_notes_put(const tdm_recording *recording, const tdm_chrome_places *places,
                          const tdm_write_options *options, size_t spans, uint64_t flow_requests,
                          tdm_outfile *file);

#endif
