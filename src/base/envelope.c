/* See envelope.h. */
#include "base/envelope.h"

#include <nettle/base16.h>
#include <nettle/hmac.h>
#include <nettle/memops.h>
#include <string.h>

static bool is_delimiter(tdm_frame frame) {
  return frame.bytes == sizeof TDM_ENVELOPE_DELIMITER - 1 &&
         memcmp(frame.text, TDM_ENVELOPE_DELIMITER, frame.bytes) == 0;
}

void tdm_envelope_sign(const tdm_frame parts[TDM_ENVELOPE_PARTS], tdm_frame key,
                       char hex[TDM_ENVELOPE_HEX + 1]) {
  hex[0] = 0;
  if (key.bytes == 0) return;
  struct hmac_sha256_ctx hmac;
  uint8_t digest[SHA256_DIGEST_SIZE];
  hmac_sha256_set_key(&hmac, key.bytes, (const uint8_t *)key.text);
  for (int i = 0; i < TDM_ENVELOPE_PARTS; i++)
    if (parts[i].bytes > 0)
      hmac_sha256_update(&hmac, parts[i].bytes, (const uint8_t *)parts[i].text);
  hmac_sha256_digest(&hmac, sizeof digest, digest);
  base16_encode_update(hex, sizeof digest, digest);
  hex[TDM_ENVELOPE_HEX] = 0;
}

tdm_status tdm_envelope_open(const tdm_frame *frames, size_t count, tdm_frame key,
                             tdm_envelope *out, tdm_error *error) {
  size_t at = 0;
  while (at < count && !is_delimiter(frames[at])) at++;
  if (at == count)
    return tdm_error_set(error, TDM_INVALID, "no frame of %zu is the delimiter %s", count,
                         TDM_ENVELOPE_DELIMITER);
  size_t after = count - at - 1, wanted = 1 + TDM_ENVELOPE_PARTS;
  if (after < wanted)
    return tdm_error_set(error, TDM_INVALID, "%zu frames follow the delimiter, not %zu", after,
                         wanted);
  *out = (tdm_envelope){.identities = at, .signature = frames[at + 1]};
  memcpy(out->parts, frames + at + 2, sizeof out->parts);
  out->buffers = at + 1 + wanted;
  char hex[TDM_ENVELOPE_HEX + 1];
  tdm_envelope_sign(out->parts, key, hex);
  if (key.bytes > 0 && (out->signature.bytes != TDM_ENVELOPE_HEX ||
                        !memeql_sec(out->signature.text, hex, TDM_ENVELOPE_HEX)))
    return tdm_error_set(error, TDM_INVALID, "its signature is not the key's");
  return TDM_OK;
}

static size_t skip_space(tdm_frame text, size_t at) {
  while (at < text.bytes && strchr(" \t\r\n", text.text[at]) != NULL && text.text[at] != 0) at++;
  return at;
}

/* Quotes inside JSON texts are escaped, so that the quoted key stands nowhere but where it is a
 * key, or a value, which no colon follows. */
bool tdm_envelope_is(const tdm_envelope *envelope, const char *type) {
  static const char key[] = "\"msg_type\"";
  tdm_frame header = envelope->parts[0];
  size_t key_bytes = sizeof key - 1, type_bytes = strlen(type);
  for (size_t at = 0; at + key_bytes <= header.bytes; at++) {
    if (memcmp(header.text + at, key, key_bytes) != 0) continue;
    size_t from = skip_space(header, at + key_bytes);
    if (from >= header.bytes || header.text[from] != ':') continue;
    from = skip_space(header, from + 1);
    return from + type_bytes + 2 <= header.bytes && header.text[from] == '"' &&
           memcmp(header.text + from + 1, type, type_bytes) == 0 &&
           header.text[from + 1 + type_bytes] == '"';
  }
  return false;
}
