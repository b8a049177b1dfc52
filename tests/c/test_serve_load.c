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

#include "serve_fixture.h"

enum { SLOW = 40, CLIENTS = 8, SAMPLES_MOST = 20000 };

#define DEMO(requests)                                                                             \
  "{\"scenario_id\":\"demo\",\"requests\":" #requests ",\"spans\":\"all\",\"replications\":1}"

static served server;

static int leave(void **state) {
  (void)state;
  serve_remove(&server);
  return 0;
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
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

static void test_slow_senders_and_readers_are_cut(void **state) {
  (void)state;
  static const char *const options[] = {"--patience", "1", NULL};
  if (!serve_start(&server, options)) skip();
  size_t files = descriptors(&server);
  int connections[SLOW];
  for (size_t i = 0; i < SLOW; i++) connections[i] = slow_one(i % 4);
  double began = now_s(), longest = 0;
  do { /* who does not read does not see that it was cut: the server's descriptors tell */
    for (size_t i = 0; i < SLOW; i++)
      if (i % 4 == 1 || i % 4 == 2) send(connections[i], "x", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    double asked = now_s();
    assert_int_equal(ask(&server, "GET", "/healthz", "", NULL, 10), 200);
    if (now_s() - asked > longest) longest = now_s() - asked;
    pause_s(0.1);
  } while (descriptors(&server) > files + 4 && now_s() < began + 15);
  print_message("%d slow connections: cut after %.1f s, others waited %.3f s at most\n", SLOW,
                now_s() - began, longest);
  assert_in_range(descriptors(&server), 0, files + 4);
  assert_true(longest < 1);
  for (size_t i = 0; i < SLOW; i++) close(connections[i]);
  const char *metrics;
  assert_int_equal(ask(&server, "GET", "/metrics", "", &metrics, 10), 200);
  const char *cut = strstr(metrics, "\ntandem_connections_cut_total ");
  assert_non_null(cut);
  assert_true(atoi(cut + 30) >= SLOW / 2);
}

static void test_a_steady_sender_may_take_longer_than_the_patience(void **state) {
  (void)state;
  static const char *const options[] = {"--patience", "1", NULL};
  if (!serve_start(&server, options)) skip();
  static const char head[] = "POST /v1/runs HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                             "Content-Length: 150000\r\n\r\n";
  static char piece[5000], answer[2000];
  memset(piece, 'x', sizeof piece);
  int connection = dial(&server);
  assert_true(say(connection, head, strlen(head)));
  for (int i = 0; i < 30; i++, pause_s(0.1)) assert_true(say(connection, piece, sizeof piece));
  assert_true(hear(connection, answer, sizeof answer, 10, 10));
  assert_non_null(strstr(answer, " 400 "));
  close(connection);
}

/* ---- a slow analysis */

static void *analyse(void *result) {
  const char path[] = "GET /api/profiler/flame?run=last HTTP/1.1\r\nHost: localhost\r\n"
                      "Connection: close\r\n\r\n";
  char answer[64] = "";
  int connection = dial(&server);
  if (connection >= 0 && say(connection, path, strlen(path)))
    hear(connection, answer, sizeof answer, 120, 120);
  close(connection);
  *(int *)result = strlen(answer) > 9 ? atoi(answer + 9) : 0;
  return NULL;
}

static void test_a_slow_analysis_does_not_delay_quick_answers(void **state) {
  (void)state;
  static const char *const options[] = {"--jobs", "1", NULL};
  if (!serve_start(&server, options)) skip();
  assert_int_equal(ask(&server, "POST", "/v1/runs", DEMO(30000), NULL, 120), 201);
  pthread_t threads[CLIENTS];
  int statuses[CLIENTS];
  for (size_t i = 0; i < CLIENTS; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, analyse, &statuses[i]), 0);
  static double took[SAMPLES_MOST];
  size_t count = 0;
  const char *jobs = "";
  double began = now_s();
  pause_s(0.1);
  do {
    for (int i = 0; i < 50 && count < SAMPLES_MOST; i++, pause_s(0.002)) {
      double asked = now_s();
      assert_int_equal(ask(&server, "GET", "/healthz", "", NULL, 10), 200);
      took[count++] = now_s() - asked;
    }
    assert_int_equal(ask(&server, "GET", "/v1/jobs", "", &jobs, 10), 200);
  } while (strstr(jobs, "\"queued\"") != NULL && now_s() < began + 120);
  for (size_t i = 0; i < CLIENTS; i++) {
    pthread_join(threads[i], NULL);
    assert_true(statuses[i] == 200 || statuses[i] == 202);
  }
  qsort(took, count, sizeof *took, by_size);
  print_message("beside %d analyses: %zu answers, median %.2f ms, p99 %.2f ms\n", CLIENTS, count,
                took[count / 2] * 1e3, took[count * 99 / 100] * 1e3);
  assert_true(took[count * 99 / 100] < 0.5);
}

/* ---- the end */

typedef struct {
  unsigned number, answers, broken;
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
      hear(connection, answer, ANSWER_ROOM, 60, 60);
      if (is_whole(answer, strlen(answer)))
        c->answers++;
      else if (answer[0] != '\0')
        c->broken++;
    }
    close(connection);
  }
  free(answer);
  return NULL;
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
  pause_s(2);
  double began = now_s();
  int code = serve_stop(&server, SIGTERM, 60);
  double took = now_s() - began;
  atomic_store(&enough, true);
  unsigned answers = 0, broken = 0;
  for (unsigned i = 0; i < CLIENTS; i++) {
    pthread_join(threads[i], NULL);
    answers += clients[i].answers;
    broken += clients[i].broken;
  }
  print_message("ended within %.1f s after %u answers\n", took, answers);
  if (code != 0) fail_msg("ended with %d and said: %s", code, told(&server, "log"));
  assert_true(took < 30);
  assert_true(answers > 10);
  assert_int_equal(broken, 0);
  assert_int_equal(spooled(&server, "body-"), 0);
  assert_non_null(strstr(sql(&server, "PRAGMA integrity_check"), "ok"));
  assert_non_null(
      strstr(sql(&server, "SELECT count(*) AS unfinished FROM run WHERE state IS NULL"), "0"));
  assert_true(serve_start(&server, NULL));
  assert_int_equal(ask(&server, "GET", "/v1/runs/last", "", NULL, 10), 200);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(test_slow_senders_and_readers_are_cut, leave),
      cmocka_unit_test_teardown(test_a_steady_sender_may_take_longer_than_the_patience, leave),
      cmocka_unit_test_teardown(test_a_slow_analysis_does_not_delay_quick_answers, leave),
      cmocka_unit_test_teardown(test_the_end_comes_in_order_under_load, leave),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
