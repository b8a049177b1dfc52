/* See http.h. */
#include "upload/http.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD_MOST = 1 << 16 };

struct tdm_http {
  CURL *curl;
  char words[CURL_ERROR_SIZE];
};

typedef struct {
  const tdm_http_request *request;
  tdm_http_answer *answer;
  FILE *file;
  int64_t left; /* of the file's range */
  int too_long;
} exchange;

tdm_http *tdm_http_new(void) {
  tdm_http *http = calloc(1, sizeof *http);
  if (http != NULL) http->curl = curl_easy_init();
  if (http == NULL || http->curl != NULL) return http;
  free(http);
  return NULL;
}

void tdm_http_free(tdm_http *http) {
  if (http == NULL) return;
  curl_easy_cleanup(http->curl);
  free(http);
}

void tdm_http_answer_free(tdm_http_answer *answer) {
  free(answer->head);
  free(answer->body);
  *answer = (tdm_http_answer){0};
}

/* ---- what libcurl calls ---- */

/* Appends to a text that stays below `most`; 0: it does not. */
static int append(char **text, size_t *used, size_t *room, size_t most, const char *data,
                  size_t count) {
  if (count > most - *used) return 0;
  if (*used + count > *room) {
    size_t wanted = *room < 4096 ? 4096 : *room * 2;
    if (wanted < *used + count) wanted = *used + count;
    char *grown = realloc(*text, wanted);
    if (grown == NULL) return 0;
    *text = grown;
    *room = wanted;
  }
  memcpy(*text + *used, data, count);
  *used += count;
  return 1;
}

static size_t take_body(char *data, size_t size, size_t count, void *context) {
  exchange *e = context;
  tdm_http_answer *a = e->answer;
  if (append(&a->body, &a->body_bytes, &a->body_room, e->request->most_bytes, data, size * count))
    return size * count;
  e->too_long = 1;
  return 0;
}

static size_t take_header(char *data, size_t size, size_t count, void *context) {
  exchange *e = context;
  tdm_http_answer *a = e->answer;
  size_t bytes = size * count;
  if (bytes > 5 && memcmp(data, "HTTP/", 5) == 0) a->head_bytes = 0; /* after a 100, a proxy's */
  if (append(&a->head, &a->head_bytes, &a->head_room, HEAD_MOST, data, bytes)) return bytes;
  e->too_long = 1;
  return 0;
}

static size_t give_file(char *data, size_t size, size_t count, void *context) {
  exchange *e = context;
  size_t room = size * count;
  if ((uint64_t)e->left < room) room = (size_t)e->left;
  size_t given = fread(data, 1, room, e->file);
  if (given < room) return CURL_READFUNC_ABORT; /* the file has become shorter */
  e->left -= (int64_t)given;
  return given;
}

static int seek_file(void *context, curl_off_t offset, int origin) {
  exchange *e = context;
  if (origin != SEEK_SET || offset < 0 || offset > e->request->file_bytes)
    return CURL_SEEKFUNC_CANTSEEK;
  if (fseeko(e->file, (off_t)(e->request->file_from + offset), SEEK_SET) != 0)
    return CURL_SEEKFUNC_FAIL;
  e->left = e->request->file_bytes - offset;
  return CURL_SEEKFUNC_OK;
}

static int look(void *context, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d) {
  (void)a, (void)b, (void)c, (void)d;
  const exchange *e = context;
  return e->request->stopped != NULL && e->request->stopped(e->request->context);
}

/* ---- one request ---- */

static void set_body(CURL *curl, exchange *e) {
  const tdm_http_request *r = e->request;
  if (r->body != NULL) {
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->body_bytes);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, r->body);
  } else if (e->file != NULL) {
    curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(curl, CURLOPT_INFILESIZE_LARGE, (curl_off_t)r->file_bytes);
    curl_easy_setopt(curl, CURLOPT_READFUNCTION, give_file);
    curl_easy_setopt(curl, CURLOPT_READDATA, e);
    curl_easy_setopt(curl, CURLOPT_SEEKFUNCTION, seek_file);
    curl_easy_setopt(curl, CURLOPT_SEEKDATA, e);
  } else if (strcmp(r->method, "HEAD") == 0) {
    curl_easy_setopt(curl, CURLOPT_NOBODY, 1L);
  }
  curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, r->method);
}

static void set_up(tdm_http *http, exchange *e, struct curl_slist *headers) {
  const tdm_http_request *r = e->request;
  CURL *curl = http->curl;
  curl_easy_reset(curl); /* keeps the connection */
  http->words[0] = 0;
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, http->words);
  curl_easy_setopt(curl, CURLOPT_URL, r->url);
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, (long)(r->connect_s * 1000));
  curl_easy_setopt(curl, CURLOPT_TCP_KEEPALIVE, 1L); /* who is gone is noticed before stall_s */
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, (long)(r->stall_s < 1 ? 1 : r->stall_s));
  curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 1L);
  curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 2L);
  curl_easy_setopt(curl, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
  if (r->authorities != NULL) curl_easy_setopt(curl, CURLOPT_CAINFO, r->authorities);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, e);
  curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, take_header);
  curl_easy_setopt(curl, CURLOPT_HEADERDATA, e);
  curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, look);
  curl_easy_setopt(curl, CURLOPT_XFERINFODATA, e);
  set_body(curl, e);
}

static tdm_http_outcome outcome_of(CURLcode code) {
  switch (code) {
  case CURLE_OK: return TDM_HTTP_ANSWERED;
  case CURLE_OPERATION_TIMEDOUT: return TDM_HTTP_TIMEOUT;
  case CURLE_SEND_ERROR:
  case CURLE_RECV_ERROR:
  case CURLE_GOT_NOTHING:
  case CURLE_PARTIAL_FILE:
  case CURLE_WEIRD_SERVER_REPLY: return TDM_HTTP_CUT;
  case CURLE_COULDNT_CONNECT:
  case CURLE_COULDNT_RESOLVE_HOST:
  case CURLE_COULDNT_RESOLVE_PROXY: return TDM_HTTP_UNREACHED;
  case CURLE_SSL_CONNECT_ERROR: return TDM_HTTP_UNSECURED;
  case CURLE_PEER_FAILED_VERIFICATION:
  case CURLE_SSL_ISSUER_ERROR:
  case CURLE_SSL_INVALIDCERTSTATUS: return TDM_HTTP_UNTRUSTED;
  case CURLE_ABORTED_BY_CALLBACK: return TDM_HTTP_STOPPED;
  default: return TDM_HTTP_UNUSABLE;
  }
}

static void say(tdm_http_answer *answer, const char *text) {
  snprintf(answer->message, sizeof answer->message, "%s", text);
  for (char *c = answer->message; *c != 0; c++)
    if (*c == '\n' || *c == '\r') *c = ' ';
}

/* libcurl takes a head that breaks off for a whole one: its last line has to be empty. */
static int is_complete(const tdm_http_answer *answer) {
  size_t size = answer->head_bytes;
  return size >= 2 && memcmp(answer->head + size - 2, "\r\n", 2) == 0 &&
         (size == 2 || answer->head[size - 3] == '\n');
}

static tdm_http_outcome perform(tdm_http *http, exchange *e, struct curl_slist *headers) {
  set_up(http, e, headers);
  CURLcode code = curl_easy_perform(http->curl);
  curl_easy_getinfo(http->curl, CURLINFO_RESPONSE_CODE, &e->answer->status);
  tdm_http_outcome outcome = outcome_of(code);
  if (outcome == TDM_HTTP_ANSWERED && is_complete(e->answer)) return outcome;
  if (outcome == TDM_HTTP_ANSWERED) {
    say(e->answer, "the connection broke inside the head of the answer");
    return TDM_HTTP_CUT;
  }
  say(e->answer, http->words[0] != 0 ? http->words : curl_easy_strerror(code));
  if (e->too_long) say(e->answer, "the answer is longer than it may be");
  if (outcome == TDM_HTTP_STOPPED && !look(e, 0, 0, 0, 0)) { /* give_file's refusal */
    say(e->answer, "the file became shorter while it was sent");
    return TDM_HTTP_UNUSABLE;
  }
  return outcome;
}

tdm_http_outcome tdm_http_ask(tdm_http *http, const tdm_http_request *request,
                              tdm_http_answer *answer) {
  exchange e = {.request = request, .answer = answer, .left = request->file_bytes};
  tdm_http_outcome outcome = TDM_HTTP_UNUSABLE;
  struct curl_slist *headers = curl_slist_append(NULL, "Expect:"); /* no waiting for a 100 */
  int complete = headers != NULL;
  *answer = (tdm_http_answer){0};
  for (size_t i = 0; complete && i < request->headers_count; i++) {
    struct curl_slist *longer = curl_slist_append(headers, request->headers[i]);
    complete = longer != NULL;
    if (complete) headers = longer;
  }
  if (request->file != NULL) e.file = fopen(request->file, "rbe");
  if (!complete)
    say(answer, "not enough memory");
  else if (request->file != NULL &&
           (e.file == NULL || fseeko(e.file, (off_t)request->file_from, SEEK_SET) != 0))
    snprintf(answer->message, sizeof answer->message, "%s: %s", request->file, strerror(errno));
  else
    outcome = perform(http, &e, headers);
  if (e.file != NULL) fclose(e.file);
  curl_slist_free_all(headers);
  return outcome;
}
