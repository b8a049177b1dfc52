/* Shared objects of tandem's own: heavy libraries that the program loads only when a command needs
 * them (hdf5.so). They lie beside the program, in the folder above it (programs under build/test),
 * or where `make install` puts them. Stays loaded. Owns no state. Called by read/, write/
 * and bind/. */
#ifndef TDM_BASE_MODULE_H
#define TDM_BASE_MODULE_H

#include <limits.h>

#include "base/error.h"

/* Where the shared object `file` lies. 0: nowhere. */
int tdm_module_path(const char *file, char path[PATH_MAX]);

/* The address of `symbol` in the shared object `file`. TDM_IO: it is not there (*error says
 * `missing`) or cannot be loaded. */
tdm_status tdm_module_symbol(const char *file, const char *symbol, const char *missing, void **out,
                             tdm_error *error);

#endif
