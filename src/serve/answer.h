/* What a request is answered with: a status, headers, and a text, a file or a job's events. Owns
 * its texts and its file. Made by a worker or by the daemon, turned into a response by the daemon;
 * compression is done before that, in the worker, since the daemon's thread serves everybody. */
#ifndef TDM_SERVE_ANSWER_H
#define TDM_SERVE_ANSWER_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
  char *key, *value;
} tdm_pair;

typedef struct {
  tdm_pair *items;
  size_t count, room;
} tdm_pairs;

/* Copies both texts. False: out of memory. */
bool tdm_pairs_add(tdm_pairs *pairs, const char *key, const char *value);
/* The first value of that key; NULL: none. */
const char *tdm_pairs_get(const tdm_pairs *pairs, const char *key);
void tdm_pairs_free(tdm_pairs *pairs);

typedef struct {
  unsigned status;
  tdm_pairs headers;
  char *text; /* malloc'ed */
  size_t length;
  int file; /* open for reading; -1: the text is the body */
  uint64_t bytes;
  char events[17]; /* the job whose events are the body; "": no such */
} tdm_answer;

/* NULL: out of memory; then the connection is closed without an answer. */
tdm_answer *tdm_answer_new(unsigned status);
void tdm_answer_free(tdm_answer *answer);

/* {"error": {code, message, path?}}. The three need no escapes. */
tdm_answer *tdm_answer_problem(unsigned status, const char *code, const char *message,
                               const char *path);
tdm_answer *tdm_answer_too_large(uint64_t limit_bytes);

/* gzip, where the body is worth it and its type is one that shrinks. A file is packed into one of
 * the spool that has no name any more. What fails leaves the body as it was. */
void tdm_answer_compress(tdm_answer *answer, const char *spool);

/* A response with the security headers that the answer does not set itself; takes text and file
 * out of the answer. NULL: out of memory. */
struct MHD_Response *tdm_answer_response(tdm_answer *answer);
void tdm_answer_add_headers(const tdm_answer *answer, struct MHD_Response *response);

#endif
