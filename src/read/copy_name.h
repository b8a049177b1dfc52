/* What the name of a GPU copy or memset says: "Memcpy HtoD (Pageable -> Device)", "MemcpyH2D",
 * "CopyDeviceToDevice".
 *
 * Owns no state. Called by readers whose copies say it in no other way. */
#ifndef TDM_READ_COPY_NAME_H
#define TDM_READ_COPY_NAME_H

/* Words of trace/record.h's vocabulary; NULL where the name does not say. */
typedef struct {
  const char *kind, *from, *to;
} tdm_copy_name;

tdm_copy_name tdm_copy_name_of(const char *name);
const char *tdm_copy_name_memset(const char *name); /* the kind of memory */

#endif
