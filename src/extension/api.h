/* Makes every sqlite3_… of this shared object the loading program's. The compiler is told to
 * include it before each of its files (Makefile); src/trace itself knows nothing of it. */
#ifndef TDM_EXTENSION_API_H
#define TDM_EXTENSION_API_H

#include <sqlite3ext.h>

SQLITE_EXTENSION_INIT3

#endif
