/* One HTTP request through libcurl: method, headers, a body from memory or from a range of a file,
 * and what came back, up to a limit. Certificates are verified, the environment's proxies used,
 * redirects not followed (a token is for one host). Whether to ask again is the caller's.
 *
 * tdm_http owns the connection, which is kept for the next request. Knows no Lua. Called by
 * module.c, in the same shared object. */
#ifndef TDM_UPLOAD_HTTP_H
#define TDM_UPLOAD_HTTP_H

#include <stddef.h>
#include <stdint.h>

typedef struct tdm_http tdm_http;

typedef enum {
  TDM_HTTP_ANSWERED,  /* with whatever status */
  TDM_HTTP_TIMEOUT,   /* nothing moved for so long, or the connection took so long */
  TDM_HTTP_CUT,       /* the connection broke on the way */
  TDM_HTTP_UNREACHED, /* no such host, nobody listens, no network */
  TDM_HTTP_UNTRUSTED, /* TLS: the certificate is not to be trusted */
  TDM_HTTP_UNSECURED, /* TLS: none comes about, or the connection broke before it did */
  TDM_HTTP_UNUSABLE,  /* the request cannot be made, or the answer not taken */
  TDM_HTTP_STOPPED    /* the caller said so */
} tdm_http_outcome;

typedef struct {
  const char *method, *url;
  const char *const *headers; /* "Name: value" */
  size_t headers_count;
  const char *body; /* NULL: from the file, if there is one */
  size_t body_bytes;
  const char *file;
  int64_t file_from, file_bytes;
  double connect_s, stall_s; /* time-outs: to be connected; without a byte moving */
  const char *authorities;   /* a file of certificates to trust; NULL: the system's */
  size_t most_bytes;         /* of the answer's body */
  int (*stopped)(void *context);
  void *context;
} tdm_http_request;

typedef struct {
  long status;
  char *head; /* header lines as they came, of the last answer */
  size_t head_bytes, head_room;
  char *body;
  size_t body_bytes, body_room;
  char message[256]; /* what went wrong, in one line */
} tdm_http_answer;

tdm_http *tdm_http_new(void); /* NULL: no memory */
void tdm_http_free(tdm_http *http);

tdm_http_outcome tdm_http_ask(tdm_http *http, const tdm_http_request *request,
                              tdm_http_answer *answer);
void tdm_http_answer_free(tdm_http_answer *answer);

#endif
