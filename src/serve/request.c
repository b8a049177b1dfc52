/* See request.h. */
#include "serve/request.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "serve/patience.h"

enum {
  IN_MEMORY = 64 * 1024, /* a longer body goes to a file */
  FORM_BUFFER = 64 * 1024,
  PARTS_MOST = 64,
  LABEL_MOST = 255 /* of a field's or a file's name */
};

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- bodies */

static void body_drop(tdm_body *body) {
  if (body->path != NULL) {
    close(body->file);
    unlink(body->path);
    free(body->path);
  }
  free(body->text);
}

static bool write_all(int file, const char *bytes, size_t count) {
  while (count > 0) {
    ssize_t wrote = write(file, bytes, count);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    bytes += wrote;
    count -= (size_t)wrote;
  }
  return true;
}

static bool body_spill(tdm_body *body, const char *spool) {
  char *path = NULL;
  if (asprintf(&path, "%s/body-XXXXXX", spool) < 0) return false;
  int file = mkostemp(path, O_CLOEXEC); /* 0600 */
  if (file < 0) {
    free(path);
    return false;
  }
  body->path = path;
  body->file = file;
  return write_all(file, body->text, body->length);
}

static bool body_add(tdm_body *body, const char *spool, const char *bytes, size_t count) {
  body->bytes += count;
  if (body->path == NULL && body->length + count <= IN_MEMORY) {
    if (!tdm_array_grow(&body->text, &body->room, body->length + count + 1, 1)) return false;
    memcpy(body->text + body->length, bytes, count);
    body->length += count;
    return true;
  }
  if (body->path == NULL && !body_spill(body, spool)) return false;
  return write_all(body->file, bytes, count);
}

/* ---- forms */

static char *label(const char *text) {
  char *copy = strndup(text, LABEL_MOST);
  for (char *c = copy; copy != NULL && *c != '\0'; c++)
    if (iscntrl((unsigned char)*c)) *c = ' ';
  return copy;
}

/* A label of a file is what follows the last slash of either kind. */
static char *file_label(const char *name) {
  const char *last = name;
  for (const char *c = name; *c != '\0'; c++)
    if (*c == '/' || *c == '\\') last = c + 1;
  return label(last);
}

static tdm_part *part_new(tdm_request *request, const char *name, const char *filename) {
  if (request->part_count == PARTS_MOST ||
      !tdm_array_grow(&request->parts, &request->part_room, request->part_count + 1,
                      sizeof *request->parts))
    return NULL;
  tdm_part *part = &request->parts[request->part_count];
  *part = (tdm_part){.name = label(name != NULL ? name : ""),
                     .filename = filename != NULL ? file_label(filename) : NULL};
  if (part->name == NULL || (filename != NULL && part->filename == NULL)) {
    free(part->name);
    free(part->filename);
    return NULL;
  }
  request->part_count++;
  return part;
}

static enum MHD_Result take_part(void *context, enum MHD_ValueKind kind, const char *name,
                                 const char *filename, const char *type, const char *encoding,
                                 const char *bytes, uint64_t offset, size_t count) {
  tdm_request *request = context;
  (void)kind, (void)type, (void)encoding;
  if (request->answer != NULL) return MHD_NO;
  tdm_part *part = NULL;
  if (offset > 0 && request->part_count > 0)
    part = &request->parts[request->part_count - 1];
  else
    part = part_new(request, name, filename);
  if (part == NULL) {
    request->answer = tdm_answer_problem(400, "bad_form", "The form has too many parts.", NULL);
    return MHD_NO;
  }
  if (!body_add(&part->body, request->settings->spool, bytes, count)) {
    request->answer = tdm_answer_problem(507, "no_space", "The body could not be kept.", NULL);
    return MHD_NO;
  }
  return MHD_YES;
}

/* ---- the request */

static void find_sender(tdm_request *request) {
  const union MHD_ConnectionInfo *from =
      MHD_get_connection_info(request->connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  struct in6_addr sender = tdm_sender_of(from != NULL ? from->client_addr : NULL);
  inet_ntop(AF_INET6, &sender, request->sender, sizeof request->sender);
}

/* "http://host:80/v1/runs" is what a proxy is sent, and what every server must take, too: its host
 * and its path. */
static bool take_target(tdm_request *request, const char *target) {
  static const char scheme[] = "http://";
  if (strncasecmp(target, scheme, strlen(scheme)) != 0) {
    request->path = tdm_string_copy(target);
    return request->path != NULL;
  }
  request->authority = tdm_string_copy(target + strlen(scheme));
  if (request->authority == NULL) return false;
  char *path = strchr(request->authority, '/');
  request->path = tdm_string_copy(path != NULL ? path : "/");
  if (path != NULL) *path = '\0';
  return request->path != NULL;
}

tdm_request *tdm_request_new(const tdm_settings *settings, struct MHD_Connection *connection,
                             const char *method, const char *target, const char *version) {
  tdm_request *request = calloc(1, sizeof *request);
  if (request == NULL) return NULL;
  request->settings = settings;
  request->connection = connection;
  request->began_ns = now_ns();
  find_sender(request);
  request->method = tdm_string_copy(method);
  request->old = strcmp(version, "HTTP/1.0") == 0;
  if (take_target(request, target) && request->method != NULL) return request;
  tdm_request_free(request);
  return NULL;
}

void tdm_request_free(tdm_request *request) {
  if (request == NULL) return;
  if (request->form != NULL) MHD_destroy_post_processor(request->form);
  for (size_t i = 0; i < request->part_count; i++) {
    free(request->parts[i].name);
    free(request->parts[i].filename);
    body_drop(&request->parts[i].body);
  }
  free(request->parts);
  body_drop(&request->body);
  tdm_pairs_free(&request->headers);
  tdm_pairs_free(&request->query);
  tdm_answer_free(request->answer);
  free(request->method);
  free(request->authority);
  free(request->path);
  free(request);
}

const char *tdm_request_header(const tdm_request *request, const char *name) {
  return tdm_pairs_get(&request->headers, name);
}

/* A token of RFC 9110, which names of headers are: others are read differently by others. */
static bool is_token(const char *text) {
  const char *end = text;
  while (isalnum((unsigned char)*end) || (*end != '\0' && strchr("!#$%&'*+-.^_`|~", *end) != NULL))
    end++;
  return end > text && *end == '\0';
}

static const char *malformation(const char *key, const char *value) {
  if (!is_token(key)) return "A header's name has a character that names have not.";
  return strchr(value, '\r') != NULL ? "A header has a carriage return without a line feed." : NULL;
}

static enum MHD_Result take_pair(void *context, enum MHD_ValueKind kind, const char *key,
                                 const char *value) {
  tdm_request *request = context;
  tdm_pairs *list = kind == MHD_HEADER_KIND ? &request->headers : &request->query;
  if (value == NULL) value = "";
  if (!tdm_pairs_add(list, key, value)) return MHD_NO;
  if (kind != MHD_HEADER_KIND) return MHD_YES;
  const char *wrong = malformation(key, value);
  if (wrong != NULL) request->malformed = wrong;
  for (char *k = list->items[list->count - 1].key; *k != '\0'; k++)
    *k = (char)tolower((unsigned char)*k);
  return MHD_YES;
}

static int digit_of(char c) {
  static const char digits[] = "0123456789abcdef";
  const char *at = c != '\0' ? strchr(digits, tolower((unsigned char)c)) : NULL;
  return at != NULL ? (int)(at - digits) : -1;
}

size_t tdm_request_unescape(void *context, struct MHD_Connection *connection, char *text) {
  (void)context, (void)connection;
  char *to = text;
  for (const char *from = text; *from != '\0'; to++) {
    int high = *from == '%' ? digit_of(from[1]) : -1;
    int low = high >= 0 ? digit_of(from[2]) : -1;
    bool escaped = low >= 0 && high + low > 0;
    *to = escaped ? (char)(high * 16 + low) : *from;
    from += escaped ? 3 : 1;
  }
  *to = '\0';
  return (size_t)(to - text);
}

static bool is_form(const tdm_request *request) {
  const char *type = tdm_request_header(request, "content-type");
  return type != NULL && strncasecmp(type, "multipart/form-data", 19) == 0;
}

/* What RFC 9112 wants refused, because two parties could read it differently; NULL: nothing. */
static const char *ambiguity(const tdm_request *request) {
  const char *length = NULL, *host = NULL;
  bool chunked = false;
  if (request->malformed != NULL) return request->malformed;
  for (size_t i = 0; i < request->headers.count; i++) {
    const char *key = request->headers.items[i].key, *value = request->headers.items[i].value;
    if (strcmp(key, "content-length") == 0) {
      if (*value == '\0' || value[strspn(value, "0123456789")] != '\0')
        return "Content-Length is not a number.";
      if (length != NULL && strcmp(length, value) != 0) return "Content-Length is there twice.";
      length = value;
    } else if (strcmp(key, "host") == 0) {
      if (host != NULL) return "Host is there twice.";
      host = value;
    } else if (strcmp(key, "transfer-encoding") == 0) {
      if (chunked || strcasecmp(value, "chunked") != 0)
        return "Transfer-Encoding can be chunked, once, and nothing else.";
      if (request->old) return "HTTP/1.0 has no Transfer-Encoding.";
      chunked = true;
    }
  }
  if (request->authority != NULL && (host == NULL || strcasecmp(host, request->authority) != 0))
    return "Host is not the host of the address.";
  return chunked && length != NULL ? "Content-Length and Transfer-Encoding exclude each other."
                                   : NULL;
}

bool tdm_request_read_head(tdm_request *request) {
  const tdm_settings *settings = request->settings;
  int given =
      MHD_get_connection_values(request->connection, MHD_HEADER_KIND, take_pair, request) +
      MHD_get_connection_values(request->connection, MHD_GET_ARGUMENT_KIND, take_pair, request);
  if ((size_t)given > request->headers.count + request->query.count) return false;
  const char *wrong = ambiguity(request);
  if (wrong != NULL) {
    request->answer = tdm_answer_problem(400, "bad_head", wrong, NULL);
    request->ambiguous = true;
    return request->answer != NULL &&
           tdm_pairs_add(&request->answer->headers, "Connection", "close");
  }
  request->limit_bytes = settings->body_bytes;
  for (const char **large = settings->large; *large != NULL; large++)
    if (strncmp(request->path, *large, strlen(*large)) == 0)
      request->limit_bytes = settings->upload_bytes;
  if (is_form(request)) {
    request->form = MHD_create_post_processor(request->connection, FORM_BUFFER, take_part, request);
    if (request->form == NULL)
      request->answer =
          tdm_answer_problem(400, "bad_form", "The form's boundary is missing.", "content-type");
  }
  return true;
}

void tdm_request_add_body(tdm_request *request, const char *bytes, size_t count) {
  request->received_bytes += count;
  if (request->answer != NULL) return;
  if (request->received_bytes > request->limit_bytes) {
    request->answer = tdm_answer_too_large(request->limit_bytes);
  } else if (request->form != NULL) {
    if (MHD_post_process(request->form, bytes, count) != MHD_YES && request->answer == NULL)
      request->answer = tdm_answer_problem(400, "bad_form", "The form is damaged.", NULL);
  } else if (!body_add(&request->body, request->settings->spool, bytes, count)) {
    request->answer = tdm_answer_problem(507, "no_space", "The body could not be kept.", NULL);
  }
}

void tdm_request_end_body(tdm_request *request) {
  if (request->form == NULL) return;
  enum MHD_Result whole = MHD_destroy_post_processor(request->form);
  request->form = NULL;
  if (whole != MHD_YES && request->answer == NULL)
    request->answer = tdm_answer_problem(400, "bad_form", "The form ends too early.", NULL);
}
