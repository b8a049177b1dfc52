/* Numbers as ncu prints them: by the locale, with separators of thousands. Called by read/ncu. */
#ifndef TDM_READ_NCU_NUMBER_H
#define TDM_READ_NCU_NUMBER_H

#include <stddef.h>

/* How many bytes of the text are a number ("1,234.5", "1.234,5", "-3e-05"), 0 when it begins with
 * none; *value is that number. Of a lone separator before three digits a comma is one of thousands
 * and a point is not. */
size_t tdm_ncu_number(const char *text, double *value);

#endif
