/* Spans that have begun (phases B and b) and wait for their ends (E and e).
 *
 * Owns the waiting ones with their arguments. Called by the reader "kineto". */
#ifndef TDM_READ_KINETO_OPEN_H
#define TDM_READ_KINETO_OPEN_H

#include "read/kineto/args.h"

typedef struct tdm_kineto_open tdm_kineto_open;

/* Whose ends: those of one thread's stack (a track), or of one asynchronous id. */
typedef struct {
  uint32_t async;  /* 0: a stack; else the category's number + 1 */
  int64_t id;      /* the track, or the id */
  int64_t process; /* ids are its own; TDM_NONE: the whole trace's */
} tdm_kineto_owner;

typedef struct {
  int64_t start_ns;
  uint32_t track, category;
  uint32_t name; /* a name id; TDM_KINETO_NAMELESS */
  const tdm_kineto_arg *args;
  uint32_t arg_count;
} tdm_kineto_begun;

#define TDM_KINETO_NAMELESS UINT32_MAX

tdm_kineto_open *tdm_kineto_open_new(void); /* NULL: out of memory */
void tdm_kineto_open_free(tdm_kineto_open *open);

/* Copies the arguments. False: out of memory. */
bool tdm_kineto_open_begin(tdm_kineto_open *open, const tdm_kineto_owner *owner,
                           const tdm_kineto_begun *begun);

/* The last one that began and has this name (any: NAMELESS on either side); good until the next
 * call. *inner: others that began after it are still open. NULL: there is none. */
const tdm_kineto_begun *tdm_kineto_open_end(tdm_kineto_open *open, const tdm_kineto_owner *owner,
                                            uint32_t name, bool *inner);

/* Takes out whatever is still open, in the order of no one; NULL: nothing. */
const tdm_kineto_begun *tdm_kineto_open_take(tdm_kineto_open *open);

#endif
