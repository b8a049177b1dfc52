/* zlib and libzstd behind one call. See decoder.h. */
#include "read/decoder.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/memory.h"

struct tdm_decoder {
  const char *path;
  tdm_decoder_source source;
  void *context;
  const unsigned char *bytes; /* compressed, not looked at yet */
  size_t left;
  int drained;        /* the source has no more */
  int inside;         /* a member or frame began and did not end */
  int ended;          /* nothing more will come out */
  ZSTD_DStream *zstd; /* NULL: gzip */
  z_stream gzip;
};

static int is_gzip(const unsigned char *bytes, size_t length) {
  return length >= 3 && bytes[0] == 0x1f && bytes[1] == 0x8b && bytes[2] == 8;
}

static int is_zstd(const unsigned char *bytes, size_t length) {
  if (length < 4) return 0;
  int skippable = (bytes[0] & 0xf0) == 0x50 && memcmp(bytes + 1, "\x2a\x4d\x18", 3) == 0;
  return skippable || memcmp(bytes, "\x28\xb5\x2f\xfd", 4) == 0;
}

int tdm_decoder_knows(const unsigned char *bytes, size_t length) {
  return is_gzip(bytes, length) || is_zstd(bytes, length);
}

tdm_decoder *tdm_decoder_new(const unsigned char *bytes, size_t length, const char *path,
                             tdm_decoder_source source, void *context) {
  tdm_decoder *decoder = tdm_array_new(1, sizeof *decoder);
  if (decoder == NULL) return NULL;
  *decoder = (tdm_decoder){.path = path, .source = source, .context = context};
  if (is_zstd(bytes, length)) {
    decoder->zstd = ZSTD_createDStream();
    if (decoder->zstd != NULL) return decoder;
  } else if (inflateInit2(&decoder->gzip, 15 + 16) == Z_OK) {
    return decoder;
  }
  free(decoder);
  return NULL;
}

void tdm_decoder_free(tdm_decoder *decoder) {
  if (decoder == NULL) return;
  if (decoder->zstd != NULL)
    ZSTD_freeDStream(decoder->zstd);
  else
    inflateEnd(&decoder->gzip);
  free(decoder);
}

static const char *kind(const tdm_decoder *decoder) {
  return decoder->zstd != NULL ? "zstd" : "gzip";
}

static tdm_status damaged(tdm_decoder *decoder, const char *why, tdm_error *error) {
  decoder->ended = 1;
  return tdm_error_set(error, TDM_INVALID, "%s: its %s data is damaged (%s)", decoder->path,
                       kind(decoder), why != NULL ? why : "no reason given");
}

/* Each of these two takes what it can of the input and of `room`, and returns how much it wrote. */

static tdm_status step_gzip(tdm_decoder *decoder, unsigned char *out, size_t room, size_t *written,
                            tdm_error *error) {
  z_stream *z = &decoder->gzip;
  *written = 0;
  if (!decoder->inside) {
    /* Between members: zeros are padding, of tapes; anything else but a member is no gzip. */
    while (decoder->left > 0 && *decoder->bytes == 0) {
      decoder->bytes++;
      decoder->left--;
    }
    if (decoder->left == 0) return TDM_OK;
    if (*decoder->bytes != 0x1f) return damaged(decoder, "other bytes follow its end", error);
    inflateReset(z);
    decoder->inside = 1;
  }
  z->next_in = (Bytef *)decoder->bytes;
  z->avail_in = (uInt)decoder->left;
  z->next_out = out;
  z->avail_out = (uInt)room;
  int code = inflate(z, Z_NO_FLUSH);
  *written = room - z->avail_out;
  decoder->bytes += decoder->left - z->avail_in;
  decoder->left = z->avail_in;
  if (code == Z_STREAM_END) {
    decoder->inside = 0;
  } else if (code == Z_MEM_ERROR) {
    return tdm_error_memory(error, "what is packed", room);
  } else if (code != Z_OK && code != Z_BUF_ERROR) {
    return damaged(decoder, z->msg, error);
  }
  return TDM_OK;
}

static tdm_status step_zstd(tdm_decoder *decoder, unsigned char *out, size_t room, size_t *written,
                            tdm_error *error) {
  ZSTD_inBuffer from = {decoder->bytes, decoder->left, 0};
  ZSTD_outBuffer to = {out, room, 0};
  size_t code = ZSTD_decompressStream(decoder->zstd, &to, &from);
  *written = to.pos;
  if (ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation)
    return tdm_error_memory(error, "what is packed", room);
  if (ZSTD_isError(code)) return damaged(decoder, ZSTD_getErrorName(code), error);
  decoder->bytes += from.pos;
  decoder->left -= from.pos;
  decoder->inside = code != 0;
  return TDM_OK;
}

tdm_status tdm_decoder_read(tdm_decoder *decoder, unsigned char *out, size_t room, size_t *length,
                            tdm_error *error) {
  *length = 0;
  while (*length < room && !decoder->ended) {
    if (decoder->left == 0 && !decoder->drained) {
      tdm_status status = decoder->source(decoder->context, &decoder->bytes, &decoder->left, error);
      if (status != TDM_OK) {
        decoder->ended = 1;
        return status;
      }
      decoder->drained = decoder->left == 0;
    }
    size_t written = 0;
    int may_hold = decoder->left > 0 || decoder->inside; /* the libraries keep some output back */
    tdm_status status = TDM_OK;
    if (may_hold)
      status = (decoder->zstd != NULL ? step_zstd : step_gzip)(decoder, out + *length,
                                                               room - *length, &written, error);
    *length += written;
    if (status != TDM_OK) return status;
    if (decoder->drained && written == 0) {
      decoder->ended = 1;
      if (decoder->inside)
        return tdm_error_set(error, TDM_INVALID, "%s: its %s data ends too early", decoder->path,
                             kind(decoder));
    }
  }
  return TDM_OK;
}
