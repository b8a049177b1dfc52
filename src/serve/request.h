/* One HTTP request while it is read and answered: its head, its body in memory while that is short
 * and else in a spool file, the parts of a multipart form likewise. Owns all of that, the spool
 * files included: what a handler wants to keep it renames. One thread at a time has it: first the
 * daemon's, then a worker's, then the daemon's again. */
#ifndef TDM_SERVE_REQUEST_H
#define TDM_SERVE_REQUEST_H

#include <microhttpd.h>
#include <netinet/in.h>
#include <stdbool.h>

#include "serve/answer.h"
#include "serve/settings.h"

enum { TDM_JOB_ID = 16 };

/* What a body becomes: `text` while it is short, then the file `path`. */
typedef struct {
  char *text;
  size_t length, room;
  char *path;
  int file;
  uint64_t bytes;
} tdm_body;

typedef struct {
  char *name;
  char *filename; /* what the sender calls it, a label; NULL: a plain field */
  tdm_body body;
} tdm_part;

typedef struct tdm_request {
  struct tdm_request *next; /* of a queue that it stands in */
  const tdm_settings *settings;
  struct MHD_Connection *connection;
  char *method, *path;
  char *authority;               /* of a target in absolute form; NULL: it is a path alone */
  bool old;                      /* HTTP/1.0, which knows no transfer codings */
  char sender[INET6_ADDRSTRLEN]; /* tdm_sender_of its address */
  bool handed;                   /* to the pool, once */
  const char *malformed;         /* what is wrong with its head's letters; NULL: nothing */
  bool ambiguous; /* where its body ends is not sure: nothing after its head is read */
  tdm_pairs headers, query;
  tdm_body body;
  tdm_part *parts;
  size_t part_count, part_room;
  struct MHD_PostProcessor *form;
  uint64_t limit_bytes, received_bytes;
  int64_t began_ns;
  char job[TDM_JOB_ID + 1]; /* that it waited for; "": none yet */
  int64_t wait_until_ns;
  tdm_answer *answer;
} tdm_request;

/* NULL: out of memory. */
tdm_request *tdm_request_new(const tdm_settings *settings, struct MHD_Connection *connection,
                             const char *method, const char *target, const char *version);
void tdm_request_free(tdm_request *request);

/* Takes the escapes out of a path, or of a part of a query, in place; its new length. "%00" stays,
 * since what follows a zero byte would be lost: nothing goes by such a name. For
 * MHD_OPTION_UNESCAPE_CALLBACK. */
size_t tdm_request_unescape(void *context, struct MHD_Connection *connection, char *text);

/* Headers (in small letters) and query, from the connection. False: out of memory. */
bool tdm_request_read_head(tdm_request *request);

/* The next bytes of the body. Sets request->answer when they are too many or cannot be kept. */
void tdm_request_add_body(tdm_request *request, const char *bytes, size_t count);

/* The body is complete. */
void tdm_request_end_body(tdm_request *request);

/* NULL: no such header. `name` in small letters. */
const char *tdm_request_header(const tdm_request *request, const char *name);

#endif
