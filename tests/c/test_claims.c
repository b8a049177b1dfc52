/* Claims on the time of a critical path: made-up causes, held against plain sums of what the header
 * says of order, of what is left, and of who is part of whom. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "analysis/path/claims.h"
#include "base/rng.h"

enum { NODES = 5, STEPS = 100, ROUNDS = 200 };

static const tdm_cause cause_of[NODES] = {TDM_CAUSE_LOADER, TDM_CAUSE_HOST, TDM_CAUSE_HOST,
                                          TDM_CAUSE_COPY, TDM_CAUSE_KERNEL};
static const char *const name_of[NODES] = {"load", "a", "b", "HtoD, pinned", "k"};

typedef struct {
  tdm_path path;
  tdm_causes causes;
  tdm_cause_node node[NODES];
  tdm_step step[STEPS];
} made;

static tdm_rng rng = {23};

static int64_t below(uint64_t n) {
  return (int64_t)tdm_index_below(tdm_rng_bits(&rng), n);
}

static void add_step(made *m, uint32_t node, int64_t ns) {
  size_t i = m->path.steps.count++;
  int64_t from_ns = i == 0 ? 0 : m->step[i - 1].to_ns;
  m->step[i] = (tdm_step){.from_ns = from_ns, .to_ns = from_ns + ns};
  assert_true(tdm_kept_rows_append(&m->causes.node_of, node));
  tdm_cause_node *n = &m->node[node];
  if (n->longest == TDM_NO_ROW || ns > m->step[n->longest].to_ns - m->step[n->longest].from_ns)
    n->longest = (uint32_t)i;
  n->ns += ns;
  n->steps++;
  m->path.total_ns += ns;
}

static void begin(made *m) {
  memset(m, 0, sizeof *m);
  for (uint32_t n = 0; n < NODES; n++)
    m->node[n] = (tdm_cause_node){.cause = cause_of[n], .name = name_of[n], .longest = TDM_NO_ROW};
  m->causes.node = m->node;
  m->causes.nodes = NODES;
  assert_true(tdm_kept_rows_open(&m->causes.node_of, 0, 1));
  m->path.steps.step = m->step;
  m->causes.path = &m->path;
}

static void end(made *m) {
  tdm_kept_rows_close(&m->causes.node_of);
}

/* Of nodes 0 … 4: 400, 100, 50, 200, 250. */
static void make(made *m) {
  begin(m);
  add_step(m, 0, 100);
  add_step(m, 1, 100);
  add_step(m, 0, 300);
  add_step(m, 3, 200);
  add_step(m, 2, 50);
  add_step(m, 4, 250);
}

static void open_claims(made *m, const char *text, tdm_claims *all) {
  tdm_error error;
  if (tdm_claims_open(&m->causes, text, all, &error) != TDM_OK) fail_msg("%s", error.message);
  for (size_t i = 0; i < all->claims; i++)
    assert_int_equal(tdm_claims_take(all, i, &error), TDM_OK);
}

static void holds_what_its_terms_name(void **state) {
  (void)state;
  made m;
  tdm_claims all;
  make(&m);
  open_claims(&m, "1\t1\t0\thost\ta\t2\t4\n1\t1\t0\tkernel\t\t1\t5\n", &all);
  assert_int_equal(all.claims, 1);
  assert_int_equal(all.claim[0].held_ns, 350);
  assert_int_equal(all.claim[0].left_ns, 350);
  assert_int_equal(all.claim[0].steps, 2);
  assert_int_equal(all.claim[0].longest, 5);
  /* 100 (1 - (1/2 + 1/4) / 2) + 250 (1 - (1 + 1/5) / 2) */
  assert_true(all.claim[0].likely_ns > 162.49 && all.claim[0].likely_ns < 162.51);
  assert_true(all.left[1] == 0.25 && all.left[2] == 1 && all.left[4] == 0.2);
  assert_ptr_equal(tdm_claim_term(&all, &all.claim[0], &m.node[4]), &all.term[1]);
  assert_null(tdm_claim_term(&all, &all.claim[0], &m.node[2]));
  tdm_claims_close(&all);
  end(&m);
}

static void larger_ones_come_first_and_causes_before_symptoms(void **state) {
  (void)state;
  made m;
  tdm_claims all;
  make(&m);
  open_claims(&m,
              "7\t2\t0\tloader\t\t1e9\t1e9\n8\t1\t0\thost\tb\t1e9\t1e9\n"
              "9\t1\t0\tkernel\t\t2\t2\n10\t1\t0\thost\tb\t1e9\t1e9\n",
              &all);
  assert_int_equal(all.claim[0].id, 9); /* 125 of 250 */
  assert_int_equal(all.claim[1].id, 8); /* as much as 10, and came before it */
  assert_int_equal(all.claim[2].id, 10);
  assert_int_equal(all.claim[3].id, 7);
  assert_int_equal(all.claim[2].part_of, 8);
  assert_int_equal(all.claim[2].left_ns, 0);
  assert_int_equal(all.claim[3].part_of, TDM_NONE);
  tdm_claims_close(&all);
  end(&m);
}

/* Of 200 a first claim takes half: 100 are left, half of them, which is no small rest. Then three
 * quarters of what is left go, and a third claim has an eighth: it is part of the first. */
static void shares_what_is_left(void **state) {
  (void)state;
  made m;
  tdm_claims all;
  make(&m);
  open_claims(&m,
              "1\t1\t0\tcopy\t\t2\t2\n2\t2\t0\tcopy\tHtoD, pinned\t1\t4\n"
              "3\t3\t0\tcopy\tHtoD, pinned\t1\t1\n",
              &all);
  assert_int_equal(all.claim[1].left_ns, 100);
  assert_int_equal(all.claim[1].part_of, TDM_NONE);
  assert_int_equal(all.claim[2].left_ns, 25);
  assert_int_equal(all.claim[2].part_of, 1);
  tdm_claims_close(&all);
  end(&m);
}

static void a_time_holds_the_hosts_part_of_it(void **state) {
  (void)state;
  made m;
  tdm_claims all;
  make(&m);
  /* Steps: load 0-100, a 100-200, load 200-500, copy 500-700, b 700-750, k 750-1000. */
  open_claims(&m,
              "1\t1\t0\tloader\t\t1e9\t1e9\n2\t2\t0\twithin\t\t50\t350\n"
              "3\t2\t0\twithin\t\t450\t720\n4\t3\t0\twithin\t\t710\t900\n",
              &all);
  assert_int_equal(all.claim[1].held_ns, 300);
  assert_int_equal(all.claim[1].left_ns, 100);
  assert_int_equal(all.claim[1].part_of, TDM_NONE); /* a third is left */
  assert_int_equal(all.claim[2].held_ns, 70);       /* 50 of a load, 20 of b */
  assert_int_equal(all.claim[2].left_ns, 20);
  assert_int_equal(all.claim[2].part_of, 2); /* the load's step is the other time's */
  assert_int_equal(all.claim[3].held_ns, 40);
  assert_int_equal(all.claim[3].left_ns, 0);
  assert_int_equal(all.claim[3].part_of, 3);
  assert_int_equal(all.claim[3].longest, 4);
  tdm_claims_close(&all);
  end(&m);
}

static void one_claim_may_have_many_times_of_one_step(void **state) {
  (void)state;
  made m;
  tdm_claims all;
  make(&m);
  open_claims(&m, "1\t1\t0\twithin\t\t0\t10\n1\t1\t0\twithin\t\t10\t30\n", &all);
  assert_int_equal(all.claims, 1);
  assert_int_equal(all.claim[0].held_ns, 30);
  assert_int_equal(all.claim[0].left_ns, 30);
  assert_int_equal(all.claim[0].part_of, TDM_NONE);
  tdm_claims_close(&all);
  end(&m);
}

/* Whatever is claimed, what claims take of a node is no more than it has. */
static void nothing_is_taken_twice(void **state) {
  (void)state;
  for (int round = 0; round < ROUNDS; round++) {
    made m;
    tdm_claims all;
    char text[2048] = "";
    size_t used = 0;
    begin(&m);
    for (int i = 0; i < STEPS; i++) add_step(&m, (uint32_t)below(NODES), 1 + below(50));
    for (int c = 0; c < 8; c++) {
      int64_t node = below(NODES), factor = 1 + below(9);
      used += (size_t)snprintf(text + used, sizeof text - used, "%d\t1\t0\t%s\t%s\t1\t%lld\n", c,
                               tdm_cause_name(cause_of[node]), below(2) ? name_of[node] : "",
                               (long long)factor);
    }
    open_claims(&m, text, &all);
    double taken[NODES] = {0}, left[NODES] = {1, 1, 1, 1, 1};
    for (size_t i = 0; i < all.claims; i++) {
      double sum_left = 0;
      for (size_t n = 0; n < NODES; n++) {
        const tdm_term *t = tdm_claim_term(&all, &all.claim[i], &m.node[n]);
        if (t == NULL || m.node[n].ns == 0) continue;
        double ns = (double)m.node[n].ns * left[n];
        sum_left += ns;
        taken[n] += ns * (1 - 1 / t->factor[TDM_CLAIM_HIGH]);
        left[n] /= t->factor[TDM_CLAIM_HIGH];
      }
      double told = (double)all.claim[i].left_ns;
      assert_true(told > sum_left - 0.51 && told < sum_left + 0.51);
      if (i > 0) assert_true(all.claim[i - 1].likely_ns >= all.claim[i].likely_ns);
    }
    for (size_t n = 0; n < NODES; n++) {
      assert_true(taken[n] <= (double)m.node[n].ns + 1e-6);
      assert_true(all.left[n] > left[n] - 1e-9 && all.left[n] < left[n] + 1e-9);
    }
    tdm_claims_close(&all);
    end(&m);
  }
}

static void what_is_no_claim_is_refused(void **state) {
  (void)state;
  static const char *const wrong[] = {"1\t1\t0\thost\ta\t2",         "1\t1\t0\tnobody\t\t1\t2",
                                      "1\t1\t0\thost\t\t0.5\t2",     "1\t1\t0\thost\t\t3\t2",
                                      "1\t1\t0\thost\t\tx\t2",       "1\t1\t0\twithin\t\t5\t4",
                                      "1\t1\t0\tkernel\t\t1\tnan\n", "words"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    made m;
    tdm_claims all;
    tdm_error error;
    make(&m);
    assert_int_equal(tdm_claims_open(&m.causes, wrong[i], &all, &error), TDM_INVALID);
    assert_memory_equal(error.message, "a claim is not", 14);
    tdm_claims_close(&all);
    end(&m);
  }
}

static void causes_have_names(void **state) {
  (void)state;
  for (int c = 0; c < TDM_CAUSES; c++)
    assert_int_equal(tdm_cause_named(tdm_cause_name((tdm_cause)c)), c);
  assert_int_equal(tdm_cause_named("weather"), TDM_CAUSES);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(holds_what_its_terms_name),
      cmocka_unit_test(larger_ones_come_first_and_causes_before_symptoms),
      cmocka_unit_test(shares_what_is_left),
      cmocka_unit_test(a_time_holds_the_hosts_part_of_it),
      cmocka_unit_test(one_claim_may_have_many_times_of_one_step),
      cmocka_unit_test(nothing_is_taken_twice),
      cmocka_unit_test(what_is_no_claim_is_refused),
      cmocka_unit_test(causes_have_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
