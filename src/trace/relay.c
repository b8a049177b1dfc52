/* See relay.h. A message is one block of memory: its head, then copies of all it points to. */
#include "trace/relay.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

typedef enum {
  MESSAGE_NAME,
  MESSAGE_TRACK,
  MESSAGE_LAYOUT,
  MESSAGE_ROWS,
  MESSAGE_SOURCE,
  MESSAGE_FACT,
  MESSAGE_PROBLEM,
  MESSAGE_METRIC,
  MESSAGE_ARTIFACT,
  MESSAGE_REQUESTS,
  MESSAGE_CLASS
} message_kind;

typedef struct message {
  struct message *next;
  size_t bytes;
  message_kind kind;
  uint32_t id;
  size_t count;
  const void *data;
  const char *text, *other;
  union {
    tdm_track track;
    tdm_layout layout;
    tdm_rows rows;
    tdm_source source;
    tdm_metric metric;
  } of;
} message;

struct tdm_relay {
  tdm_record_sink inner;
  pthread_t thread;
  int threaded;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  message *first, **last;
  size_t waiting; /* bytes */
  int ending, dropping;
  tdm_status status;
  tdm_error error;
  uint32_t *columns; /* of each layout */
  size_t layouts, room;
};

/* ---- the thread's side ---- */

static tdm_status deliver(tdm_relay *relay, const message *m) {
  const tdm_record_sink *to = &relay->inner;
  tdm_error *error = &relay->error;
  switch (m->kind) {
  case MESSAGE_NAME: return to->name(to->context, m->id, m->text, m->count, error);
  case MESSAGE_TRACK: return to->track(to->context, m->id, &m->of.track, error);
  case MESSAGE_LAYOUT: return to->layout(to->context, m->id, &m->of.layout, error);
  case MESSAGE_ROWS: return to->rows(to->context, &m->of.rows, error);
  case MESSAGE_SOURCE: return to->source(to->context, m->id, &m->of.source, error);
  case MESSAGE_FACT: return to->fact(to->context, m->id, m->text, m->other, error);
  case MESSAGE_PROBLEM: return to->problem(to->context, m->id, m->text, m->count, error);
  case MESSAGE_METRIC: return to->metric(to->context, &m->of.metric, error);
  case MESSAGE_ARTIFACT:
    return to->artifact(to->context, m->text, m->other, m->data, m->count, error);
  case MESSAGE_REQUESTS: return to->requests(to->context, m->data, m->count, error);
  case MESSAGE_CLASS: return to->request_class(to->context, m->id, m->text, error);
  }
  return TDM_OK;
}

static void *work(void *context) {
  tdm_relay *relay = context;
  pthread_mutex_lock(&relay->lock);
  for (;;) {
    while (relay->first == NULL && !relay->ending) pthread_cond_wait(&relay->changed, &relay->lock);
    message *list = relay->first;
    if (list == NULL) break;
    relay->first = NULL;
    relay->last = &relay->first;
    int stopped = relay->dropping || relay->status != TDM_OK;
    pthread_mutex_unlock(&relay->lock);
    tdm_status status = TDM_OK;
    size_t bytes = 0;
    while (list != NULL) {
      message *next = list->next;
      if (!stopped && status == TDM_OK) status = deliver(relay, list);
      bytes += list->bytes;
      free(list);
      list = next;
    }
    pthread_mutex_lock(&relay->lock);
    relay->waiting -= bytes;
    if (relay->status == TDM_OK) relay->status = status;
    pthread_cond_broadcast(&relay->changed);
  }
  pthread_mutex_unlock(&relay->lock);
  return NULL;
}

/* ---- the pusher's side ---- */

/* A message with room for `extra` bytes behind it; *at is where they begin. */
static message *make(message_kind kind, size_t extra, char **at, tdm_error *error) {
  message *m = malloc(sizeof *m + extra);
  if (m == NULL) {
    tdm_error_memory(error, "a message", sizeof *m + extra);
    return NULL;
  }
  memset(m, 0, sizeof *m);
  m->kind = kind;
  m->bytes = sizeof *m + extra;
  *at = (char *)(m + 1);
  return m;
}

static tdm_status post(tdm_relay *relay, message *m, tdm_error *error) {
  if (!relay->threaded) {
    tdm_status status = deliver(relay, m);
    free(m);
    if (status != TDM_OK && error != NULL) *error = relay->error;
    return status;
  }
  pthread_mutex_lock(&relay->lock);
  while (relay->waiting > TDM_RELAY_BYTES && relay->status == TDM_OK)
    pthread_cond_wait(&relay->changed, &relay->lock);
  tdm_status status = relay->status;
  if (status == TDM_OK) {
    int idle = relay->first == NULL;
    *relay->last = m;
    relay->last = &m->next;
    relay->waiting += m->bytes;
    if (idle) pthread_cond_broadcast(&relay->changed);
  } else if (error != NULL) {
    *error = relay->error;
  }
  pthread_mutex_unlock(&relay->lock);
  if (status != TDM_OK) free(m);
  return status;
}

static size_t length_of(const char *text) {
  return text != NULL ? strlen(text) + 1 : 0;
}

/* Copies a text behind the message; NULL stays NULL. */
static const char *copy_text(char **at, const char *text) {
  if (text == NULL) return NULL;
  size_t length = strlen(text) + 1;
  char *copy = *at;
  memcpy(copy, text, length);
  *at += length;
  return copy;
}

static tdm_status push_name(void *context, uint32_t id, const char *text, size_t length,
                            tdm_error *error) {
  char *at;
  message *m = make(MESSAGE_NAME, length + 1, &at, error);
  if (m == NULL) return TDM_MEMORY;
  memcpy(at, text, length);
  at[length] = 0;
  m->text = at;
  m->count = length;
  m->id = id;
  return post(context, m, error);
}

static tdm_status push_track(void *context, uint32_t id, const tdm_track *track, tdm_error *error) {
  char *at;
  message *m = make(MESSAGE_TRACK, length_of(track->process) + length_of(track->name), &at, error);
  if (m == NULL) return TDM_MEMORY;
  m->id = id;
  m->of.track = *track;
  m->of.track.process = copy_text(&at, track->process);
  m->of.track.name = copy_text(&at, track->name);
  return post(context, m, error);
}

static tdm_status push_layout(void *context, uint32_t id, const tdm_layout *layout,
                              tdm_error *error) {
  tdm_relay *relay = context;
  if (!tdm_array_grow(&relay->columns, &relay->room, (size_t)id + 1, sizeof *relay->columns))
    return tdm_error_memory(error, "a layout", id);
  for (; relay->layouts <= id; relay->layouts++) relay->columns[relay->layouts] = 0;
  relay->columns[id] = TDM_ARGS + layout->args;
  size_t extra = layout->args * sizeof(tdm_arg) + length_of(layout->category);
  for (uint32_t i = 0; i < layout->args; i++) extra += length_of(layout->arg[i].key);
  char *at;
  message *m = make(MESSAGE_LAYOUT, extra, &at, error);
  if (m == NULL) return TDM_MEMORY;
  tdm_arg *args = (tdm_arg *)(void *)at;
  at += layout->args * sizeof *args;
  m->id = id;
  m->of.layout = *layout;
  m->of.layout.arg = args;
  m->of.layout.category = copy_text(&at, layout->category);
  for (uint32_t i = 0; i < layout->args; i++)
    args[i] = (tdm_arg){.key = copy_text(&at, layout->arg[i].key), .type = layout->arg[i].type};
  return post(relay, m, error);
}

static tdm_status push_rows(void *context, const tdm_rows *rows, tdm_error *error) {
  tdm_relay *relay = context;
  if (rows->layout >= relay->layouts)
    return tdm_error_set(error, TDM_BUG, "relay: rows of unknown layout %u", rows->layout);
  uint32_t columns = relay->columns[rows->layout];
  char *at;
  message *m =
      make(MESSAGE_ROWS, columns * (sizeof(int64_t *) + rows->count * sizeof(int64_t)), &at, error);
  if (m == NULL) return TDM_MEMORY;
  int64_t **column = (int64_t **)(void *)at;
  int64_t *values = (int64_t *)(void *)(at + columns * sizeof *column);
  for (uint32_t c = 0; c < columns; c++) {
    column[c] = values + c * rows->count;
    memcpy(column[c], rows->column[c], rows->count * sizeof *values);
  }
  m->of.rows = *rows;
  m->of.rows.column = column;
  return post(relay, m, error);
}

static tdm_status push_source(void *context, uint32_t id, const tdm_source *source,
                              tdm_error *error) {
  char *at;
  message *m = make(MESSAGE_SOURCE,
                    length_of(source->path) + length_of(source->format) + length_of(source->detail),
                    &at, error);
  if (m == NULL) return TDM_MEMORY;
  m->id = id;
  m->of.source = *source;
  m->of.source.path = copy_text(&at, source->path);
  m->of.source.format = copy_text(&at, source->format);
  m->of.source.detail = copy_text(&at, source->detail);
  return post(context, m, error);
}

static tdm_status push_texts(tdm_relay *relay, message_kind kind, uint32_t id, uint64_t count,
                             const char *text, const char *other, tdm_error *error) {
  char *at;
  message *m = make(kind, length_of(text) + length_of(other), &at, error);
  if (m == NULL) return TDM_MEMORY;
  m->id = id;
  m->count = count;
  m->text = copy_text(&at, text);
  m->other = copy_text(&at, other);
  return post(relay, m, error);
}

static tdm_status push_fact(void *context, uint32_t source, const char *key, const char *value,
                            tdm_error *error) {
  return push_texts(context, MESSAGE_FACT, source, 0, key, value, error);
}

static tdm_status push_problem(void *context, uint32_t source, const char *kind, uint64_t count,
                               tdm_error *error) {
  return push_texts(context, MESSAGE_PROBLEM, source, count, kind, NULL, error);
}

static tdm_status push_class(void *context, uint32_t index, const char *name, tdm_error *error) {
  return push_texts(context, MESSAGE_CLASS, index, 0, name, NULL, error);
}

static tdm_status push_metric(void *context, const tdm_metric *metric, tdm_error *error) {
  char *at;
  message *m = make(MESSAGE_METRIC,
                    length_of(metric->scope) + length_of(metric->subject) +
                        length_of(metric->name) + length_of(metric->unit) + length_of(metric->text),
                    &at, error);
  if (m == NULL) return TDM_MEMORY;
  m->of.metric = *metric;
  m->of.metric.scope = copy_text(&at, metric->scope);
  m->of.metric.subject = copy_text(&at, metric->subject);
  m->of.metric.name = copy_text(&at, metric->name);
  m->of.metric.unit = copy_text(&at, metric->unit);
  m->of.metric.text = copy_text(&at, metric->text);
  return post(context, m, error);
}

static tdm_status push_artifact(void *context, const char *name, const char *type,
                                const void *bytes, size_t length, tdm_error *error) {
  char *at;
  message *m = make(MESSAGE_ARTIFACT, length_of(name) + length_of(type) + length, &at, error);
  if (m == NULL) return TDM_MEMORY;
  m->text = copy_text(&at, name);
  m->other = copy_text(&at, type);
  if (length > 0) memcpy(at, bytes, length);
  m->data = at;
  m->count = length;
  return post(context, m, error);
}

static tdm_status push_requests(void *context, const tdm_request_record *records, size_t count,
                                tdm_error *error) {
  char *at;
  message *m = make(MESSAGE_REQUESTS, count * sizeof *records, &at, error);
  if (m == NULL) return TDM_MEMORY;
  if (count > 0) memcpy(at, records, count * sizeof *records);
  m->data = at;
  m->count = count;
  return post(context, m, error);
}

void tdm_relay_sink(tdm_relay *relay, tdm_record_sink *out) {
  const tdm_record_sink *to = &relay->inner;
  *out = (tdm_record_sink){.context = relay,
                           .name = to->name ? push_name : NULL,
                           .track = to->track ? push_track : NULL,
                           .layout = to->layout ? push_layout : NULL,
                           .rows = to->rows ? push_rows : NULL,
                           .source = to->source ? push_source : NULL,
                           .fact = to->fact ? push_fact : NULL,
                           .problem = to->problem ? push_problem : NULL,
                           .metric = to->metric ? push_metric : NULL,
                           .artifact = to->artifact ? push_artifact : NULL,
                           .requests = to->requests ? push_requests : NULL,
                           .request_class = to->request_class ? push_class : NULL};
}

/* ---- life ---- */

tdm_status tdm_relay_open(const tdm_record_sink *inner, tdm_relay **out, tdm_error *error) {
  tdm_relay *relay = *out = tdm_array_new(1, sizeof *relay);
  if (relay == NULL) return tdm_error_memory(error, "a relay", sizeof *relay);
  relay->inner = *inner;
  relay->last = &relay->first;
  pthread_mutex_init(&relay->lock, NULL);
  pthread_cond_init(&relay->changed, NULL);
  relay->threaded =
      sysconf(_SC_NPROCESSORS_ONLN) > 1 && pthread_create(&relay->thread, NULL, work, relay) == 0;
  return TDM_OK;
}

static void end_thread(tdm_relay *relay, int dropping) {
  if (!relay->threaded) return;
  pthread_mutex_lock(&relay->lock);
  relay->ending = 1;
  relay->dropping = dropping;
  pthread_cond_broadcast(&relay->changed);
  pthread_mutex_unlock(&relay->lock);
  pthread_join(relay->thread, NULL);
  relay->threaded = 0;
}

tdm_status tdm_relay_finish(tdm_relay *relay, tdm_error *error) {
  end_thread(relay, 0);
  if (relay->status != TDM_OK && error != NULL) *error = relay->error;
  return relay->status;
}

void tdm_relay_close(tdm_relay *relay) {
  if (relay == NULL) return;
  end_thread(relay, 1);
  pthread_cond_destroy(&relay->changed);
  pthread_mutex_destroy(&relay->lock);
  free(relay->columns);
  free(relay);
}
