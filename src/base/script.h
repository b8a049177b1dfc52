/* How the core asks a user's Lua function for a number without knowing Lua.
 * The binding fills one of these for each Lua state; samplers and expressions receive it per call.
 * Owns nothing. Called by base/dist and model/expr, implemented in bind/. */
#ifndef TDM_BASE_SCRIPT_H
#define TDM_BASE_SCRIPT_H

#include <stddef.h>
#include <stdint.h>

/* `call` runs function number `function` on `count` numbers. It never unwinds into the core: a
 * failure returns NaN and is remembered by the context, whose owner looks after the batch. */
typedef struct tdm_script {
  void *context;
  double (*call)(void *context, uint32_t function, const double *arguments, size_t count);
} tdm_script;

#endif
