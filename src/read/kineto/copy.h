/* What the name of a GPU copy or memset says: "Memcpy HtoD (Pageable -> Device)". Owns no state.
 * Called by the reader "kineto". */
#ifndef TDM_READ_KINETO_COPY_H
#define TDM_READ_KINETO_COPY_H

/* Words of record.h's vocabulary; NULL where the name does not say. */
typedef struct {
  const char *kind, *from, *to;
} tdm_kineto_copy;

tdm_kineto_copy tdm_kineto_copy_of(const char *name);
const char *tdm_kineto_memset_of(const char *name); /* the kind of memory */

#endif
