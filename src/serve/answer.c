/* See answer.h. */
#include "serve/answer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/memory.h"

enum { WORTH_IT = 1024, BUFFER = 256 * 1024, GZIP_WINDOW = 15 + 16, LEVEL = 1 };

/* ---- pairs */

bool tdm_pairs_add(tdm_pairs *pairs, const char *key, const char *value) {
  if (!tdm_array_grow(&pairs->items, &pairs->room, pairs->count + 1, sizeof *pairs->items))
    return false;
  tdm_pair pair = {tdm_string_copy(key), tdm_string_copy(value)};
  if (pair.key == NULL || pair.value == NULL) {
    free(pair.key);
    free(pair.value);
    return false;
  }
  pairs->items[pairs->count++] = pair;
  return true;
}

const char *tdm_pairs_get(const tdm_pairs *pairs, const char *key) {
  for (size_t i = 0; i < pairs->count; i++)
    if (strcmp(pairs->items[i].key, key) == 0) return pairs->items[i].value;
  return NULL;
}

void tdm_pairs_free(tdm_pairs *pairs) {
  for (size_t i = 0; i < pairs->count; i++) {
    free(pairs->items[i].key);
    free(pairs->items[i].value);
  }
  free(pairs->items);
  *pairs = (tdm_pairs){0};
}

/* ---- answers */

tdm_answer *tdm_answer_new(unsigned status) {
  tdm_answer *answer = calloc(1, sizeof *answer);
  if (answer == NULL) return NULL;
  answer->status = status;
  answer->file = -1;
  return answer;
}

void tdm_answer_free(tdm_answer *answer) {
  if (answer == NULL) return;
  if (answer->file >= 0) close(answer->file);
  tdm_pairs_free(&answer->headers);
  free(answer->text);
  free(answer);
}

tdm_answer *tdm_answer_problem(unsigned status, const char *code, const char *message,
                               const char *path) {
  tdm_answer *answer = tdm_answer_new(status);
  if (answer == NULL) return NULL;
  int length = asprintf(&answer->text, "{\"error\":{\"code\":\"%s\",\"message\":\"%s\"%s%s%s}}\n",
                        code, message, path != NULL ? ",\"path\":\"" : "", path != NULL ? path : "",
                        path != NULL ? "\"" : "");
  if (length < 0) answer->text = NULL;
  answer->length = length < 0 ? 0 : (size_t)length;
  if (length < 0 || !tdm_pairs_add(&answer->headers, "Content-Type", "application/json")) {
    tdm_answer_free(answer);
    return NULL;
  }
  return answer;
}

tdm_answer *tdm_answer_too_large(uint64_t limit_bytes) {
  char message[96];
  snprintf(message, sizeof message, "The body is longer than the limit of %llu bytes.",
           (unsigned long long)limit_bytes);
  return tdm_answer_problem(413, "too_large", message, NULL);
}

/* ---- compression */

static bool shrinks(const tdm_answer *answer) {
  const char *type = tdm_pairs_get(&answer->headers, "Content-Type");
  if (type == NULL || tdm_pairs_get(&answer->headers, "Content-Encoding") != NULL) return false;
  return strncmp(type, "text/", 5) == 0 || strstr(type, "json") != NULL ||
         strstr(type, "javascript") != NULL || strstr(type, "svg") != NULL;
}

static bool compress_text(tdm_answer *answer, z_stream *z) {
  uLong room = deflateBound(z, (uLong)answer->length);
  char *packed = malloc(room);
  if (packed == NULL) return false;
  z->next_in = (Bytef *)answer->text;
  z->avail_in = (uInt)answer->length;
  z->next_out = (Bytef *)packed;
  z->avail_out = (uInt)room;
  if (deflate(z, Z_FINISH) != Z_STREAM_END) {
    free(packed);
    return false;
  }
  free(answer->text);
  answer->text = packed;
  answer->length = z->total_out;
  return true;
}

static bool drain(z_stream *z, int flush, Bytef *buffer, int out) {
  do {
    z->next_out = buffer;
    z->avail_out = BUFFER;
    if (deflate(z, flush) == Z_STREAM_ERROR) return false;
    size_t count = BUFFER - z->avail_out;
    if (count > 0 && write(out, buffer, count) != (ssize_t)count) return false;
  } while (z->avail_out == 0);
  return true;
}

static bool pack(z_stream *z, int in, int out) {
  Bytef *buffers = malloc(2 * (size_t)BUFFER);
  bool done = buffers != NULL;
  ssize_t got = 1;
  for (off_t at = 0; done && got > 0; at += got) {
    got = pread(in, buffers, BUFFER, at);
    z->next_in = buffers;
    z->avail_in = got > 0 ? (uInt)got : 0;
    done = got >= 0 && drain(z, got > 0 ? Z_NO_FLUSH : Z_FINISH, buffers + BUFFER, out);
  }
  free(buffers);
  return done;
}

static bool compress_file(tdm_answer *answer, z_stream *z, const char *spool) {
  char *path = NULL;
  if (asprintf(&path, "%s/packed-XXXXXX", spool) < 0) return false;
  int out = mkostemp(path, O_CLOEXEC);
  if (out >= 0) unlink(path);
  free(path);
  if (out < 0) return false;
  if (!pack(z, answer->file, out)) {
    close(out);
    return false;
  }
  close(answer->file);
  answer->file = out;
  answer->bytes = z->total_out;
  return true;
}

void tdm_answer_compress(tdm_answer *answer, const char *spool) {
  uint64_t length = answer->file >= 0 ? answer->bytes : answer->length;
  z_stream z = {0};
  if (length < WORTH_IT || (answer->file < 0 && length > UINT32_MAX / 2) || !shrinks(answer) ||
      deflateInit2(&z, LEVEL, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    return;
  /* The header first: a body must not be packed without saying so. */
  if (tdm_pairs_add(&answer->headers, "Content-Encoding", "gzip")) {
    bool done = answer->file >= 0 ? compress_file(answer, &z, spool) : compress_text(answer, &z);
    if (!done) {
      tdm_pair *last = &answer->headers.items[--answer->headers.count];
      free(last->key);
      free(last->value);
    }
  }
  deflateEnd(&z);
}

/* ---- responses */

void tdm_answer_add_headers(const tdm_answer *answer, struct MHD_Response *response) {
  static const tdm_pair always[] = {
      {"X-Content-Type-Options", "nosniff"},
      {"X-Frame-Options", "DENY"},
      {"Referrer-Policy", "no-referrer"},
      {"Cross-Origin-Resource-Policy", "same-origin"},
      {"Cross-Origin-Opener-Policy", "same-origin"},
      {"Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"},
      {"Cache-Control", "no-store"},
      {"Vary", "Accept-Encoding"}};
  for (size_t i = 0; i < sizeof always / sizeof *always; i++)
    if (tdm_pairs_get(&answer->headers, always[i].key) == NULL)
      MHD_add_response_header(response, always[i].key, always[i].value);
  for (size_t i = 0; i < answer->headers.count; i++)
    MHD_add_response_header(response, answer->headers.items[i].key, answer->headers.items[i].value);
}

struct MHD_Response *tdm_answer_response(tdm_answer *answer) {
  struct MHD_Response *response;
  if (answer->file >= 0) {
    response = MHD_create_response_from_fd64(answer->bytes, answer->file);
    if (response != NULL) answer->file = -1;
  } else {
    response = MHD_create_response_from_buffer(answer->length, answer->text, MHD_RESPMEM_MUST_FREE);
    if (response != NULL) answer->text = NULL;
  }
  if (response != NULL) tdm_answer_add_headers(answer, response);
  return response;
}
