/* How many bytes a call moves, fills or takes, from its arguments as the driver lays them out.
 * Pure. Called by interpose.c. */
#ifndef TDM_CAPTURE_AMOUNTS_H
#define TDM_CAPTURE_AMOUNTS_H

#include "capture/driver.h"

/* `direction`: for copies, where from and to (tdm_capture_direction); else untouched. Of memory
 * by rows the pitch is known only after the call. */
uint64_t tdm_amount_of(const tdm_driver_call *call, const tdm_word *arguments, uint8_t *direction);

#endif
