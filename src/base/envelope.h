/* Messages of the Jupyter protocol as frames: identities, the delimiter, a signature, four JSON
 * texts (header, parent header, metadata, content) and raw buffers. Owns nothing: an opened
 * envelope points into the caller's frames. Knows no socket and no JSON but a header's type. Called
 * by bind/envelope and, in a thread that has no Lua, by jupyter/. */
#ifndef TDM_BASE_ENVELOPE_H
#define TDM_BASE_ENVELOPE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum { TDM_ENVELOPE_PARTS = 4, TDM_ENVELOPE_HEX = 64 /* digits of a signature */ };
#define TDM_ENVELOPE_DELIMITER "<IDS|MSG>"

typedef struct {
  const char *text; /* not ended by a zero */
  size_t bytes;
} tdm_frame;

typedef struct {
  size_t identities;                   /* frames in front of the delimiter */
  tdm_frame signature;                 /* hexadecimal digits; empty where the key is */
  tdm_frame parts[TDM_ENVELOPE_PARTS]; /* header, parent header, metadata, content */
  size_t buffers;                      /* the first frame after the parts; may be `count` */
} tdm_envelope;

/* Opens the envelope that `count` frames are. An empty key: signatures are not looked at.
 * TDM_INVALID: it is none, or its signature is not the key's. */
tdm_status tdm_envelope_open(const tdm_frame *frames, size_t count, tdm_frame key,
                             tdm_envelope *out, tdm_error *error);

/* The signature of the four parts (HMAC-SHA256); "" for an empty key. */
void tdm_envelope_sign(const tdm_frame parts[TDM_ENVELOPE_PARTS], tdm_frame key,
                       char hex[TDM_ENVELOPE_HEX + 1]);

/* Does the header of an opened envelope say that it is a message of this type? */
bool tdm_envelope_is(const tdm_envelope *envelope, const char *type);

#endif
