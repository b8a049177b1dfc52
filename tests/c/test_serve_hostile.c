/* The server and a thousand requests that no honest client sends: fuzzed heads, paths, bodies,
 * forms and chunks, many in one, cut into pieces, broken off. It neither ends nor hangs, and keeps
 * neither descriptors, memory, files nor processes of them. Runs under the sanitizers like every C
 * test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/sanitizer.h"
#include "serve_fixture.h"

enum {
  WARM_UP = 200, /* requests before the first look: every worker has opened what it keeps */
  REQUESTS = 1000,
  TOGETHER = 100, /* on as many connections at once */
  LONGEST = 100000
};
#define PATIENCE_S "1"
#define ENOUGH_S   ((double)PATIENT_S) /* the patience, or the wait for a job, and a busy machine */

static served server;

/* ---- random bytes, the same ones in every run */

static uint64_t luck = 88172645463325252;

static uint64_t draw(uint64_t below) {
  luck ^= luck << 13;
  luck ^= luck >> 7;
  luck ^= luck << 17;
  return (luck >> 11) % below;
}

static const char *one_of(const char *const *list, size_t count) {
  return list[draw(count)];
}
#define ONE_OF(list) one_of(list, sizeof list / sizeof *list)

/* ---- a request under construction */

typedef struct {
  char bytes[LONGEST + 1];
  size_t length;
} message;

static void put_bytes(message *m, const char *bytes, size_t count) {
  if (count > LONGEST - m->length) count = LONGEST - m->length;
  memcpy(m->bytes + m->length, bytes, count);
  m->length += count;
}

__attribute__((format(printf, 2, 3))) static void put(message *m, const char *format, ...) {
  va_list list;
  va_start(list, format);
  int length = vsnprintf(m->bytes + m->length, LONGEST + 1 - m->length, format, list);
  va_end(list);
  m->length += (size_t)length < LONGEST - m->length ? (size_t)length : LONGEST - m->length;
}

static void put_noise(message *m, size_t count) {
  for (size_t i = 0; i < count; i++) put_bytes(m, &(char){(char)draw(256)}, 1);
}

static void put_run(message *m, char byte, size_t count) {
  for (size_t i = 0; i < count; i++) put_bytes(m, &byte, 1);
}

/* Some bytes from `from` on are other ones, are gone, or are there twice. */
static void mutate(message *m, size_t from) {
  for (uint64_t left = draw(6); left > 0 && m->length > from; left--) {
    size_t at = from + draw(m->length - from);
    switch (draw(4)) {
    case 0: m->bytes[at] = (char)draw(256); break;
    case 1: m->bytes[at] = "\"{}[]:,\\\r\n -%0"[draw(14)]; break;
    case 2:
      memmove(m->bytes + at, m->bytes + at + 1, m->length - at - 1);
      m->length--;
      break;
    default: m->length = draw(3) == 0 ? at : m->length;
    }
  }
}

static const char *const methods[] = {"GET",     "GET",       "HEAD",  "POST",
                                      "PUT",     "DELETE",    "PATCH", "OPTIONS",
                                      "CONNECT", "PROPFIND_", "get",   "\x80\xff"};
static const char *const paths[] = {"/",
                                    "/healthz",
                                    "/metrics",
                                    "/openapi.json",
                                    "/v1/runs",
                                    "/v1/runs/last",
                                    "/v1/runs/last/breakdown?limit=3",
                                    "/v1/runs/last/trace",
                                    "/v1/runs/last/compare?with=last",
                                    "/v1/scenarios",
                                    "/v1/scenarios/demo",
                                    "/v1/jobs",
                                    "/v1/jobs/0123456789abcdef/events",
                                    "/v1/jobs/0/result",
                                    "/v1/realtraces",
                                    "/v1/realtraces/ffff/kernels",
                                    "/v1/uploads/0123456789abcdef0123456789abcdef",
                                    "/v1/uploads/..%2f..%2fetc/finish",
                                    "/api/profiling/sessions?limit=1",
                                    "/api/profiling/timeline/last.h5",
                                    "/api/profiler/flame?run=last",
                                    "/../../../etc/passwd",
                                    "/%2e%2e/%2e%2e/etc/passwd",
                                    "/v1//runs",
                                    "//",
                                    "/%00",
                                    "/v1/runs/%27%20OR%201=1;--",
                                    "/v1/runs?limit=-1",
                                    "/v1/runs?limit=9e999",
                                    "/v1/runs?name=%ff%fe&tag=%00",
                                    "/v1/runs?&&&=&=&%",
                                    "/v1/runs/\xf0\x9f\x92\xa9",
                                    "*",
                                    "http://localhost/v1/runs",
                                    "http://evil.example/",
                                    "/ui/../v1",
                                    "no-slash",
                                    ""};
static const char *const versions[] = {"HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.0",
                                       "HTTP/2.0", "HTTP/9.9", "HTTP",     ""};
static const char *const headers[] = {"Host: localhost",
                                      "Host: evil.example",
                                      "Host:",
                                      "Host: [::1",
                                      "Host: a\r\nHost: b",
                                      "Content-Length: -1",
                                      "Content-Length: 99999999999999999999",
                                      "Content-Length: 12x",
                                      "Content-Length: 4\r\nContent-Length: 5",
                                      "Transfer-Encoding: chunked",
                                      "Transfer-Encoding: gzip, chunked",
                                      "Transfer-Encoding: chunked\r\nContent-Length: 3",
                                      "Expect: 100-continue",
                                      "Upgrade: websocket\r\nConnection: Upgrade",
                                      "Connection: close",
                                      "Connection: keep-alive",
                                      "Origin: null",
                                      "Origin: http://localhost",
                                      "Accept-Encoding: gzip",
                                      "Authorization: Bearer \xff",
                                      "Prefer: respond-async",
                                      "Range: bytes=0-",
                                      "Upload-Offset: -5",
                                      "Upload-Offset: 9223372036854775807",
                                      "Content-Type: multipart/form-data",
                                      "Content-Type: multipart/form-data; boundary=",
                                      "Content-Type: application/json",
                                      "Cookie: a=b; c",
                                      " folded",
                                      ": no name",
                                      "No colon",
                                      "X\x01: y",
                                      "X: \x7f\x80\xff"};
static const char *const posts[] = {
    "/v1/scenarios", "/v1/runs",    "/v1/overlays",
    "/v1/plans",     "/v1/uploads", "/v1/uploads/0123456789abcdef0123456789abcdef/finish",
    "/v1/realtraces"};
static const char *const texts[] = {
    "{\"scenario_id\":\"demo\",\"requests\":50,\"seed\":1}",
    "{\"scenario_id\":\"demo\",\"seed\":\"1\",\"set\":{\"workload.rps\":[]}}",
    "{\"scenario\":{\"name\":\"x\",\"workload\":{\"rps\":5},\"target\":{},\"pipeline\":[{}]}}",
    "{\"script\":\"while true do end\"}",
    "{\"script\":\"return string.rep('x', 1e9)\"}",
    "{\"real\":\"last\",\"sim\":\"last\",\"map\":\"os.exit()\"}",
    "{\"key\":\"00\",\"bytes\":-1,\"sha256\":null,\"media_type\":{}}",
    "{\"name\":\"x\",\"workload\":{\"rps\":1e308,\"duration_s\":1e308}}",
    "[]",
    "null",
    "\"\\ud800\"",
    "{\"a\":1,\"a\":2}",
    "\xef\xbb\xbf{}",
    "{\"scenario_id\":\"../../etc/passwd\"}",
    "{\"scenario_id\":\"--store=/etc/passwd\",\"engine\":\"--help\"}"};

static void put_head(message *m, const char *method, const char *path) {
  put(m, "%s %s HTTP/1.1\r\nHost: localhost\r\n", method, path);
}

/* ---- kinds of requests */

static void noise(message *m) {
  put_noise(m, 1 + draw(600));
}

static void odd_head(message *m) {
  put(m, "%s %s %s\r\n", ONE_OF(methods), ONE_OF(paths), ONE_OF(versions));
  if (draw(2) == 0) put(m, "Host: localhost\r\n");
  for (uint64_t left = draw(8); left > 0; left--) put(m, "%s\r\n", ONE_OF(headers));
  put(m, "\r\n");
  if (draw(3) == 0) put_noise(m, draw(100));
}

static void long_head(message *m) {
  put(m, "GET /");
  if (draw(2) == 0) put_run(m, "a%/?&"[draw(5)], draw(70000));
  put(m, " HTTP/1.1\r\nHost: localhost\r\n");
  if (draw(2) == 0)
    for (uint64_t i = draw(3000); i > 0; i--) put(m, "X-%u: y\r\n", (unsigned)i);
  else
    put_run(m, 'x', draw(50000));
  put(m, "\r\n\r\n");
}

static void json(message *m) {
  static message body;
  body.length = 0;
  if (draw(8) == 0)
    put_run(&body, "[{\"-"[draw(4)], draw(60000));
  else
    put(&body, "%s", ONE_OF(texts));
  if (draw(3) > 0) mutate(&body, 0);
  put_head(m, "POST", ONE_OF(posts));
  put(m, "Content-Type: %s\r\n", draw(4) == 0 ? "text/x-lua" : "application/json");
  put(m, "Content-Length: %zu\r\n\r\n", draw(6) == 0 ? (size_t)draw(2000) : body.length);
  put_bytes(m, body.bytes, body.length);
}

static void form(message *m) {
  static message body;
  body.length = 0;
  const char *boundary = draw(4) == 0 ? "" : "xyz";
  for (uint64_t parts = draw(12) == 0 ? 80 : draw(5); parts > 0; parts--) {
    put(&body, "--%s\r\nContent-Disposition: form-data; name=\"%s\"%s\r\n\r\n", boundary,
        draw(3) == 0 ? "name" : "file",
        draw(2) == 0   ? "; filename=\"../../../tmp/x\""
        : draw(2) == 0 ? "; filename=\"\""
                       : "");
    put_noise(&body, draw(300));
    put(&body, "\r\n");
  }
  put(&body, "--%s--\r\n", boundary);
  if (draw(2) == 0) mutate(&body, 0);
  put_head(m, "POST", "/v1/realtraces");
  put(m, "Content-Type: multipart/form-data; boundary=%s%s\r\n", boundary,
      draw(6) == 0 ? "\"" : "");
  put(m, "Content-Length: %zu\r\n\r\n", draw(6) == 0 ? body.length + 50 : body.length);
  put_bytes(m, body.bytes, body.length);
}

static void chunks(message *m) {
  static const char *const sizes[] = {"ffffffffffffffff",
                                      "-1",
                                      "zz",
                                      "1;name=value",
                                      "00000005",
                                      "7fffffffffffffff",
                                      " 3",
                                      "0x10",
                                      "",
                                      "5",
                                      "5",
                                      "5",
                                      "5\n5"};
  put_head(m, "POST", ONE_OF(posts));
  put(m, "Transfer-Encoding: chunked\r\n\r\n");
  size_t from = m->length;
  for (uint64_t left = draw(6); left > 0; left--) put(m, "%s\r\nhello\r\n", ONE_OF(sizes));
  put(m, "0\r\n%s\r\n", draw(3) == 0 ? "Trailer: x\r\n" : "");
  if (draw(2) == 0) mutate(m, from);
}

static void pipelined(message *m) {
  for (uint64_t left = 2 + draw(18); left > 0; left--) {
    if (draw(8) == 0)
      odd_head(m);
    else
      put(m, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", draw(2) == 0 ? "/healthz" : "/v1/runs");
  }
}

static void piece(message *m) {
  put_head(m, draw(3) == 0 ? "HEAD" : "PATCH", "/v1/uploads/0123456789abcdef0123456789abcdef");
  put(m, "Content-Type: application/offset+octet-stream\r\nUpload-Offset: %lld\r\n",
      (long long)draw(5) - 2);
  size_t count = draw(LONGEST / 2);
  put(m, "Content-Length: %zu\r\n\r\n", count);
  put_noise(m, draw(3) == 0 ? draw(count + 1) : count);
}

static void compose(message *m) {
  static void (*const kinds[])(message *) = {noise, odd_head, odd_head, long_head, json,
                                             json,  form,     chunks,   pipelined, piece};
  m->length = 0;
  kinds[draw(sizeof kinds / sizeof *kinds)](m);
  if (draw(5) == 0) mutate(m, 0);
}

/* ---- sending */

typedef struct {
  int connection;
  message message;
  size_t sent, until; /* it is broken off there */
  size_t most;        /* of a piece */
  bool rude;          /* closes without reading, by a reset */
} attack;

static void begin(attack *a) {
  static const size_t sizes[] = {LONGEST, LONGEST, 4000, 100, 7};
  compose(&a->message);
  a->connection = dial(&server);
  assert_true(a->connection >= 0);
  a->sent = 0;
  a->until = draw(5) == 0 ? draw(a->message.length + 1) : a->message.length;
  a->most = sizes[draw(sizeof sizes / sizeof *sizes)];
  if (a->most < a->until / 300) a->most = a->until / 300;
  a->rude = draw(4) == 0;
}

/* The next piece; false: there is none. */
static bool go_on(attack *a) {
  size_t count = a->until - a->sent;
  if (count > a->most) count = 1 + draw(a->most);
  if (count == 0 || !say(a->connection, a->message.bytes + a->sent, count)) return false;
  a->sent += count;
  return true;
}

static void finish(attack *a) {
  if (a->rude) {
    struct linger reset = {.l_onoff = 1, .l_linger = 0};
    setsockopt(a->connection, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
  } else {
    if (draw(3) > 0) shutdown(a->connection, SHUT_WR);
    if (!hear(a->connection, NULL, 0, 0.05, ENOUGH_S))
      fail_msg("a connection hangs after these %zu bytes: %.200s", a->sent, a->message.bytes);
  }
  close(a->connection);
}

static void assault(size_t count) {
  static attack attacks[TOGETHER];
  for (size_t done = 0; done < count; done += TOGETHER) {
    bool going[TOGETHER];
    for (size_t i = 0; i < TOGETHER; i++) begin(&attacks[i]), going[i] = true;
    for (size_t left = TOGETHER; left > 0;) {
      size_t i = draw(TOGETHER);
      if (going[i] && !(going[i] = go_on(&attacks[i]))) left--;
    }
    for (size_t i = 0; i < TOGETHER; i++) finish(&attacks[i]);
    assert_int_equal(ask(&server, "GET", "/healthz", "", NULL, PATIENT_S), 200);
  }
}

/* Until no job is left, no request but ours, and no more descriptors than those (0: as many as may
 * be, which do not become fewer any more). */
static void settle(size_t files) {
  const char *jobs = "";
  for (double until = now_s() + PATIENT_S; now_s() < until; pause_s(0.2)) {
    assert_int_equal(ask(&server, "GET", "/v1/jobs", "", &jobs, PATIENT_S), 200);
    if (strstr(jobs, "\"queued\"") == NULL && strstr(jobs, "\"running\"") == NULL) break;
  }
  assert_null(strstr(jobs, "a signal ended it"));
  assert_int_equal(children(&server), 0);
  /* Closed connections are cleaned up a moment later. */
  size_t before = SIZE_MAX, now = descriptors(&server);
  for (double until = now_s() + PATIENT_S; now_s() < until;
       before = now, now = descriptors(&server)) {
    if (files > 0 ? now <= files : now == before) break;
    pause_s(1);
  }
}

/* ---- the test */

#define DEMO "{\"scenario_id\":\"demo\",\"requests\":50}"

static void test_hostile_requests_leave_nothing_behind(void **state) {
  (void)state;
  static const char *const options[] = {"--patience", PATIENCE_S, "--job-time", "60", NULL};
  if (!serve_start(&server, options)) skip();
  assert_true(run_demo(&server, DEMO));
  assault(WARM_UP);
  settle(0);
  size_t files = descriptors(&server);
  double memory = memory_mb(&server);
  double began = now_s();
  assault(REQUESTS);
  settle(files + 4);
  print_message("%d requests in %.1f s: descriptors %zu → %zu, memory %.1f → %.1f MB\n", REQUESTS,
                now_s() - began, files, descriptors(&server), memory, memory_mb(&server));
  assert_in_range(descriptors(&server), 0, files + 4);
  assert_true(memory_mb(&server) < memory + (TDM_SHADOWED ? 150 : 48));
  assert_int_equal(spooled(&server, "body-"), 0);
  assert_int_equal(spooled(&server, "packed-"), 0);
  assert_true(
      run_demo(&server, DEMO)); /* among the attacks is DELETE /v1/runs/last: none may be left */
  assert_int_equal(ask(&server, "GET", "/v1/runs/last", "", NULL, PATIENT_S), 200);
  int code = serve_stop(&server, SIGTERM, PATIENT_S);
  if (code != 0 || strstr(told(&server, "log"), "bug:") != NULL)
    fail_msg("ended with %d and said: %s", code, told(&server, "log"));
  assert_non_null(strstr(sql(&server, "PRAGMA integrity_check"), "ok"));
}

static int leave(void **state) {
  (void)state;
  serve_remove(&server);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(test_hostile_requests_leave_nothing_behind, leave),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
