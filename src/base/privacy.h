/* Who may read what the program writes: its user alone, unless $TANDEM_UMASK says otherwise.
 *
 * Traces tell what a company runs and where. Files are made with the user's own mask and no access
 * for others on top of it; programs that we start for the user keep the user's mask. Called by main
 * before there is a thread, and by what starts programs. A Lua that loads tandem as a module is
 * left as it is. */
#ifndef TDM_BASE_PRIVACY_H
#define TDM_BASE_PRIVACY_H

#include <stdbool.h>
#include <sys/types.h>

/* `told`: octal digits as umask takes them, or NULL. False: it is no mask, nothing changed. */
bool tdm_privacy_begin(const char *told);

/* With what mask the user's programs begin. */
mode_t tdm_privacy_mask_of_user(void);

#endif
