/* The server among many who ask at once: those who send or read a byte now and then are cut and
 * hold nobody up, a slow analysis does not delay a quick answer, and the end comes in order while
 * all of them go on asking. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>

#include "serve_fixture.h"

enum { SLOW = 40, CLIENTS = 8 };

#define DEMO(requests)                                                                             \
  "{\"scenario_id\":\"demo\",\"requests\":" #requests ",\"spans\":\"all\",\"replications\":1}"

static served server;

static int leave(void **state) {
  (void)state;
  serve_remove(&server);
  return 0;
}

/* ---- slow ones */

/* A connection of one of four manners: says nothing, a head byte by byte, a body byte by byte, asks
 * for much and reads nothing. */
static int slow_one(size_t manner) {
  static const char body[] = "POST /v1/runs HTTP/1.1\r\nHost: localhost\r\n"
                             "Content-Length: 5000\r\n\r\n";
  static const char much[] = "GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n";
  int connection = dial(&server), little = 4096;
  assert_true(connection >= 0);
  if (manner == 2) assert_true(say(connection, body, strlen(body)));
  if (manner != 3) return connection;
  setsockopt(connection, SOL_SOCKET, SO_RCVBUF, &little, sizeof little);
  for (int i = 0; i < 400; i++)
    if (send(connection, much, strlen(much), MSG_NOSIGNAL | MSG_DONTWAIT) <= 0) break;
  return connection;
}

static void call_slowly(int connections[SLOW]) {
  for (size_t i = 0; i < SLOW; i++) connections[i] = slow_one(i % 4);
}

static void hang_up_all(const int *connections, size_t count) {
  for (size_t i = 0; i < count; i++) close(connections[i]);
}

static void hang_up(const int connections[SLOW]) {
  hang_up_all(connections, SLOW);
}

static int cut_so_far(void) {
  const char *metrics;
  assert_int_equal(ask(&server, "GET", "/metrics", "", &metrics, PATIENT_S), 200);
  const char *cut = strstr(metrics, "\ntandem_connections_cut_total ");
  assert_non_null(cut);
  return atoi(cut + 30);
}

static void test_slow_senders_and_readers_hold_nobody_up(void **state) {
  (void)state;
  static const char *const options[] = {"--patience", "100000", NULL};
  if (!serve_start(&server, options)) skip();
  int connections[SLOW];
  call_slowly(connections);
  for (int i = 0; i < 20; i++)
    assert_int_equal(ask(&server, "GET", "/healthz", "", NULL, PATIENT_S), 200);
  assert_int_equal(cut_so_far(), 0); /* all of them were there all the time */
  hang_up(connections);
}

static void test_slow_senders_and_readers_are_cut(void **state) {
  (void)state;
  static const char *const options[] = {"--patience", "1", NULL};
  if (!serve_start(&server, options)) skip();
  size_t files = descriptors(&server);
  int connections[SLOW];
  call_slowly(connections);
  double until = now_s() + PATIENT_S;
  do { /* who does not read does not see that it was cut: the server's descriptors tell */
    for (size_t i = 0; i < SLOW; i++)
      if (i % 4 == 1 || i % 4 == 2) send(connections[i], "x", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    pause_s(0.1);
  } while (descriptors(&server) > files + 4 && now_s() < until);
  assert_in_range(descriptors(&server), 0, files + 4);
  hang_up(connections);
  assert_true(cut_so_far() >= SLOW / 2);
}

/* Connections that say half a head, from one address or from one each: more than the server has. */
static void test_half_open_connections_keep_nobody_out(void **state) {
  (void)state;
  enum { HALF = 1200 };
  static const char *const options[] = {"--patience", "100000", NULL};
  static const char half[] = "GET /healthz HTTP/1.1\r\nHost: local";
  static int connections[2 * HALF];
  struct rlimit files = {2 * HALF + 100, 2 * HALF + 100};
  if (setrlimit(RLIMIT_NOFILE, &files) != 0 || !serve_start(&server, options)) skip();
  for (int many = 0; many < 2; many++) {
    for (int i = 0; i < HALF; i++) {
      int *connection = &connections[many * HALF + i];
      *connection = many ? dial_from(&server, 0x7f010001u + (uint32_t)i) : dial(&server);
      assert_true(*connection >= 0);
      send(*connection, half, strlen(half), MSG_NOSIGNAL);
      if (i % 100 == 99)
        assert_int_equal(ask(&server, "GET", "/healthz", "", NULL, PATIENT_S), 200);
    }
    assert_true(cut_so_far() >= (many ? 2 * HALF - 1024 : HALF - 256));
  }
  hang_up_all(connections, 2 * (size_t)HALF);
}

/* Whoever is being answered is not cut for new ones; when nobody waits, they are. */
static void test_new_connections_do_not_cut_answers(void **state) {
  (void)state;
  enum { EVENTS = 256 };
  static const char *const options[] = {"--patience", "100000", NULL};
  static const char body[] = "POST /v1/runs HTTP/1.1\r\nHost: localhost\r\n"
                             "Expect: 100-continue\r\nContent-Length: 50\r\n\r\n";
  static int connections[EVENTS];
  char answer[2000];
  if (!serve_start(&server, options)) skip();
  double begun_s = now_s();
  for (int i = 0; i < EVENTS; i++) { /* the server has read their heads and wants their bodies */
    connections[i] = dial(&server);
    assert_true(say(connections[i], body, strlen(body)));
    assert_true(recv(connections[i], answer, sizeof answer, 0) > 12);
    assert_memory_equal(answer, "HTTP/1.1 100", 12);
  }
  int status = ask(&server, "GET", "/healthz", "", NULL, PATIENT_S);
  /* On a slow machine the first has said nothing for a second: that one goes. */
  assert_true(status == 0 || (status == 200 && now_s() - begun_s > 1));
  int other = dial_from(&server, 0x7f020001u);
  static const char all[] = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
  assert_true(say(other, all, strlen(all)));
  assert_true(hear(other, answer, sizeof answer, PATIENT_S, PATIENT_S));
  assert_non_null(strstr(answer, " 200 "));
  close(other);
  static const char rest[50] = "                                                 ";
  assert_true(say(connections[EVENTS - 1], rest, sizeof rest));
  assert_true(hear(connections[EVENTS - 1], answer, sizeof answer, 1, PATIENT_S));
  assert_non_null(strstr(answer, " 400 "));
  hang_up_all(connections, EVENTS);
}

/* 50 KB a second for six seconds. */
static void test_a_steady_sender_may_take_longer_than_the_patience(void **state) {
  (void)state;
  static const char *const options[] = {"--patience", "4", NULL};
  if (!serve_start(&server, options)) skip();
  static const char head[] = "POST /v1/runs HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                             "Content-Length: 300000\r\n\r\n";
  static char piece[5000], answer[2000];
  memset(piece, 'x', sizeof piece);
  int connection = dial(&server);
  assert_true(say(connection, head, strlen(head)));
  for (int i = 0; i < 60; i++, pause_s(0.1)) assert_true(say(connection, piece, sizeof piece));
  assert_true(hear(connection, answer, sizeof answer, PATIENT_S, PATIENT_S));
  assert_non_null(strstr(answer, " 400 "));
  close(connection);
}

/* ---- slow analyses */

static void *analyse(void *result) {
  const char path[] = "GET /api/profiler/flame?run=last HTTP/1.1\r\nHost: localhost\r\n"
                      "Connection: close\r\n\r\n";
  char answer[64] = "";
  int connection = dial(&server);
  if (connection >= 0 && say(connection, path, strlen(path)))
    hear(connection, answer, sizeof answer, PATIENT_S, PATIENT_S);
  close(connection);
  *(int *)result = strlen(answer) > 9 ? atoi(answer + 9) : 0;
  return NULL;
}

/* How many of the server's jobs are in that state. */
static size_t jobs_that_are(const char *state) {
  const char *jobs;
  size_t count = 0;
  assert_int_equal(ask(&server, "GET", "/v1/jobs", "", &jobs, PATIENT_S), 200);
  for (const char *at = strstr(jobs, state); at != NULL; at = strstr(at + 1, state)) count++;
  return count;
}

/* Analyses that cannot go on: before them in line is a run without an end. */
static void test_slow_analyses_do_not_delay_quick_answers(void **state) {
  (void)state;
  static const char *const options[] = {"--jobs", "1", NULL};
  if (!serve_start(&server, options)) skip();
  assert_true(run_demo(&server, DEMO(300)));
  const char *answer;
  char path[128] = "";
  ask(&server, "POST", "/v1/runs", "{\"scenario_id\":\"demo\",\"duration\":\"3000000s\"}", &answer,
      PATIENT_S);
  const char *id = strstr(answer, "\"job_id\":\"");
  assert_non_null(id);
  snprintf(path, sizeof path, "/v1/jobs/%.*s", (int)strcspn(id + 10, "\""), id + 10);
  pthread_t threads[CLIENTS];
  int statuses[CLIENTS];
  for (size_t i = 0; i < CLIENTS; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, analyse, &statuses[i]), 0);
  for (double until = now_s() + PATIENT_S; now_s() < until; pause_s(0.05))
    if (jobs_that_are("\"queued\"") == CLIENTS) break;
  for (int i = 0; i < 50; i++)
    assert_int_equal(ask(&server, "GET", "/healthz", "", NULL, PATIENT_S), 200);
  assert_int_equal(jobs_that_are("\"queued\""), CLIENTS);
  assert_int_equal(ask(&server, "DELETE", path, "", NULL, PATIENT_S), 200);
  for (size_t i = 0; i < CLIENTS; i++) {
    pthread_join(threads[i], NULL);
    assert_true(statuses[i] == 200 || statuses[i] == 202);
  }
}

/* ---- who asks whether it lives */

enum { WAITING = 60 };

/* One worker, and in line before the question what takes it a while. */
static void test_whether_it_lives_is_asked_before_what_waits(void **state) {
  (void)state;
  static const char *const options[] = {"--workers", "1", NULL};
  static const char request[] = "GET /v1/catalogue HTTP/1.1\r\nHost: localhost\r\n\r\n";
  if (!serve_start(&server, options)) skip();
  int waiting[WAITING], answered = 0;
  for (int i = 0; i < WAITING; i++) {
    waiting[i] = dial(&server);
    assert_true(waiting[i] >= 0 && say(waiting[i], request, strlen(request)));
  }
  pause_s(0.05);
  assert_int_equal(ask(&server, "GET", "/healthz", "", NULL, PATIENT_S), 200);
  for (int i = 0; i < WAITING; i++) {
    char first;
    answered += recv(waiting[i], &first, 1, MSG_DONTWAIT) == 1;
    close(waiting[i]);
  }
  assert_true(answered < WAITING);
}

/* ---- the end */

typedef struct {
  unsigned number, broken;
  atomic_uint answers;
} client;

static atomic_bool enough;

/* Whether an answer is all there: its head, and as many bytes as that says. */
static bool is_whole(const char *answer, size_t length) {
  const char *head = strstr(answer, "\r\n\r\n");
  const char *said = strstr(answer, "Content-Length: ");
  return head != NULL && said != NULL &&
         length == (size_t)(head + 4 - answer) + strtoull(said + 16, NULL, 10);
}

/* Asks until nobody listens any more. No answer at all is one, half of one is not. */
static void *keep_asking(void *argument) {
  client *c = argument;
  const char *bodies[] = {"", DEMO(2000), "", "{\"scenario_id\":\"demo\",\"duration\":\"3000s\"}"};
  const char *body = bodies[c->number % 4];
  char request[512];
  char *answer = malloc(ANSWER_ROOM);
  int length = snprintf(request, sizeof request,
                        "%s /v1/runs HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n%s"
                        "Content-Length: %zu\r\n\r\n%s",
                        *body != '\0' ? "POST" : "GET",
                        c->number % 4 == 3 ? "Prefer: respond-async\r\n" : "", strlen(body), body);
  while (!atomic_load(&enough)) {
    int connection = dial(&server);
    if (connection < 0) break;
    answer[0] = '\0';
    if (say(connection, request, (size_t)length)) {
      hear(connection, answer, ANSWER_ROOM, PATIENT_S, PATIENT_S);
      if (is_whole(answer, strlen(answer)))
        atomic_fetch_add(&c->answers, 1);
      else if (answer[0] != '\0')
        c->broken++;
    }
    close(connection);
  }
  free(answer);
  return NULL;
}

static unsigned answers_of(client clients[CLIENTS]) {
  unsigned count = 0;
  for (size_t i = 0; i < CLIENTS; i++) count += atomic_load(&clients[i].answers);
  return count;
}

static void test_the_end_comes_in_order_under_load(void **state) {
  (void)state;
  if (!serve_start(&server, NULL)) skip();
  pthread_t threads[CLIENTS];
  client clients[CLIENTS] = {0};
  for (unsigned i = 0; i < CLIENTS; i++) {
    clients[i].number = i;
    assert_int_equal(pthread_create(&threads[i], NULL, keep_asking, &clients[i]), 0);
  }
  /* Until enough was answered and a finished run is in the store, which the end must keep. */
  for (double until = now_s() + PATIENT_S; now_s() < until;) {
    if (answers_of(clients) > 40 &&
        ask(&server, "GET", "/v1/runs/last", "", NULL, PATIENT_S) == 200)
      break;
    pause_s(0.05);
  }
  int code = serve_stop(&server, SIGTERM, PATIENT_S);
  atomic_store(&enough, true);
  unsigned broken = 0;
  for (unsigned i = 0; i < CLIENTS; i++) {
    pthread_join(threads[i], NULL);
    broken += clients[i].broken;
  }
  if (code != 0) fail_msg("ended with %d and said: %s", code, told(&server, "log"));
  assert_true(answers_of(clients) > 40);
  assert_int_equal(broken, 0);
  assert_int_equal(spooled(&server, "body-"), 0);
  assert_non_null(strstr(sql(&server, "PRAGMA integrity_check"), "ok"));
  assert_non_null(
      strstr(sql(&server, "SELECT count(*) AS unfinished FROM run WHERE state IS NULL"), "0"));
  assert_true(serve_start(&server, NULL));
  assert_int_equal(ask(&server, "GET", "/v1/runs/last", "", NULL, PATIENT_S), 200);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(test_slow_senders_and_readers_hold_nobody_up, leave),
      cmocka_unit_test_teardown(test_slow_senders_and_readers_are_cut, leave),
      cmocka_unit_test_teardown(test_half_open_connections_keep_nobody_out, leave),
      cmocka_unit_test_teardown(test_new_connections_do_not_cut_answers, leave),
      cmocka_unit_test_teardown(test_a_steady_sender_may_take_longer_than_the_patience, leave),
      cmocka_unit_test_teardown(test_slow_analyses_do_not_delay_quick_answers, leave),
      cmocka_unit_test_teardown(test_whether_it_lives_is_asked_before_what_waits, leave),
      cmocka_unit_test_teardown(test_the_end_comes_in_order_under_load, leave),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
