/* The dependency graph behind the critical path: random ones with many ties, held against plain
 * loops over what the header says of order, tight edges, lags and replays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>

#include "analysis/path/dag.h"
#include "analysis/path/factors.h"
#include "analysis/path/joints.h"
#include "base/rng.h"

enum { POINTS = 60, EDGES = 150, FEW_EDGES = 12, ROUNDS = 200 };

typedef struct {
  tdm_dag dag;
  int64_t time_ns[POINTS];
  tdm_edge given[EDGES];
  int64_t typical_ns[TDM_EDGE_KINDS];
  size_t dropped;
} made;

static tdm_rng rng = {41};

static int64_t below(uint64_t n) {
  return (int64_t)tdm_index_below(tdm_rng_bits(&rng), n);
}

static const tdm_table no_rows;

/* Whether a point comes before another: by time, by role, by number. */
static bool comes_before(const made *m, uint32_t a, uint32_t b) {
  const tdm_dag *d = &m->dag;
  if (m->time_ns[a] != m->time_ns[b]) return m->time_ns[a] < m->time_ns[b];
  int x = d->marks[a] & TDM_POINT_ROLE, y = d->marks[b] & TDM_POINT_ROLE;
  return x != y ? x < y : a < b;
}

static void make_with(made *m, int edges) {
  tdm_dag *d = &m->dag;
  assert_int_equal(tdm_dag_open(d, POINTS, &no_rows, &no_rows, NULL), TDM_OK);
  for (uint32_t p = 0; p < POINTS; p++) {
    m->time_ns[p] = below(40) - 5;
    d->marks[p] = (uint8_t)below(3);
    assert_true(tdm_dag_tell(d, p, m->time_ns[p]));
    assert_true(tdm_dag_add_row(d, TDM_NO_ROW));
  }
  for (uint32_t p = 0; p < POINTS; p++) {
    if (p > 0 && below(4) > 0 && comes_before(m, p - 1, p)) d->marks[p] |= TDM_POINT_FOLLOWS;
  }
  for (int e = 0; e < edges; e++) {
    tdm_edge *edge = &m->given[e];
    *edge = (tdm_edge){.from = (uint32_t)below(POINTS),
                       .to = (uint32_t)below(POINTS / 2),
                       .kind = (tdm_edge_kind)below(TDM_EDGE_KINDS)};
    assert_true(tdm_dag_edge(d, edge->from, edge->to, edge->kind));
  }
  for (int k = 0; k < TDM_EDGE_KINDS; k++) m->typical_ns[k] = below(6);
  assert_int_equal(tdm_dag_tighten(d, m->typical_ns, &m->dropped, NULL), TDM_OK);
  assert_int_equal(tdm_dag_sort(d, NULL), TDM_OK);
}

static void make(made *m) {
  make_with(m, EDGES);
}

static int64_t delay_of(const made *m, const tdm_edge *e) {
  return m->time_ns[e->to] - m->time_ns[e->from];
}

static int64_t usual_of(const made *m, const tdm_edge *e) {
  int64_t delay = delay_of(m, e), usual = m->typical_ns[e->kind];
  return usual < delay ? usual : delay;
}

/* Of edges of one point: no two different sets of a few are likely to have one sum. */
static int64_t sum_of(const tdm_edge *e) {
  return (int64_t)1 << 40 | (int64_t)(e->from * 7919 + e->kind * 104729) * (e->from + 31);
}

static void points_are_in_order_and_edges_run_with_it(void **state) {
  (void)state;
  for (int round = 0; round < ROUNDS; round++) {
    made m;
    make(&m);
    const tdm_dag *d = &m.dag;
    for (size_t i = 1; i < POINTS; i++) assert_true(comes_before(&m, d->order[i - 1], d->order[i]));
    size_t kept = 0, seen = 0;
    for (int e = 0; e < EDGES; e++) kept += comes_before(&m, m.given[e].from, m.given[e].to);
    assert_int_equal(d->edges, kept);
    assert_int_equal(m.dropped, EDGES - kept);
    for (uint32_t p = 0; p < POINTS; p++) {
      size_t at = tdm_dag_edges_to(d, p), end = at;
      int64_t given = 0, found = 0; /* those that were given, in any order */
      while (tdm_dag_leads(d, end, p)) end++;
      assert_true(end == at || at == 0 || d->edge[at - 1].to != p);
      for (int e = 0; e < EDGES; e++)
        if (m.given[e].to == p && comes_before(&m, m.given[e].from, p))
          given += sum_of(&m.given[e]);
      for (size_t e = at; e < end; e++) found += sum_of(&d->edge[e]);
      assert_int_equal(found, given);
      seen += end - at;
    }
    assert_int_equal(seen, kept);
    tdm_dag_close(&m.dag);
  }
}

/* Whether `a` explains a point better than `b`: it could have allowed it later; or it was left
 * later; or its kind stands earlier. */
static bool explains_better(const made *m, const tdm_edge *a, const tdm_edge *b) {
  int64_t a_left = m->time_ns[a->from], b_left = m->time_ns[b->from];
  int64_t a_ready = a_left + usual_of(m, a), b_ready = b_left + usual_of(m, b);
  if (a_ready != b_ready) return a_ready > b_ready;
  return a_left != b_left ? a_left > b_left : a->kind < b->kind;
}

static void one_edge_is_tight_and_the_others_allow(void **state) {
  (void)state;
  for (int round = 0; round < ROUNDS; round++) {
    made m;
    make(&m);
    const tdm_dag *d = &m.dag;
    for (uint32_t p = 0; p < POINTS; p++) {
      bool follows = tdm_dag_before(d, p) != TDM_NO_POINT;
      int64_t own = follows ? m.time_ns[p] - m.time_ns[p - 1] : 0;
      const tdm_edge *tight = tdm_dag_tight(d, p);
      assert_int_equal(tight == NULL, !tdm_dag_leads(d, tdm_dag_edges_to(d, p), p));
      for (size_t e = tdm_dag_edges_to(d, p); tdm_dag_leads(d, e, p); e++) {
        const tdm_edge *edge = &d->edge[e];
        assert_int_equal(tdm_dag_edge_ns(d, edge),
                         edge == tight ? delay_of(&m, edge) : usual_of(&m, edge));
        if (edge != tight) assert_false(explains_better(&m, edge, tight));
      }
      if (tight != NULL && follows) {
        assert_int_equal(tight->to, p);
        int64_t back = tight->kind == TDM_EDGE_HANDOFF ? 0 : delay_of(&m, tight);
        if (back < own) own = back;
      }
      assert_int_equal(tdm_dag_lag_ns(d, p), own);
    }
    tdm_dag_close(&m.dag);
  }
}

/* ---- replays ---- */

static int64_t stretch(void *context, uint32_t point) {
  return tdm_dag_lag_ns(&((const made *)context)->dag, point) / 2;
}

static int64_t edge_cost(void *context, const tdm_edge *edge) {
  const made *m = context;
  return edge->kind == TDM_EDGE_LAUNCH ? 0 : tdm_dag_edge_ns(&m->dag, edge) + 1;
}

static int64_t later(int64_t a, int64_t b) {
  return a > b ? a : b;
}

static void replays_reach_what_the_costs_say(void **state) {
  (void)state;
  for (int round = 0; round < ROUNDS; round++) {
    made m;
    int64_t at_ns[POINTS], want_ns[POINTS];
    make(&m);
    const tdm_dag *d = &m.dag;
    const tdm_dag_costs costs = {stretch, edge_cost, &m, NULL};
    for (int64_t from_ns = -7; from_ns < 37; from_ns++) {
      size_t last = POINTS;
      for (size_t i = 0; i < POINTS; i++)
        if (m.time_ns[d->order[i]] <= from_ns) last = i;
      assert_int_equal(tdm_dag_at(d, from_ns), last);
      last = (size_t)below(POINTS);
      int64_t recorded_ns = 0, changed_ns = 0;
      for (size_t i = 0; i <= last; i++) {
        uint32_t p = d->order[i], before = tdm_dag_before(d, p);
        size_t e = tdm_dag_edges_to(d, p);
        want_ns[p] = m.time_ns[p] - from_ns;
        if (m.time_ns[p] < from_ns) continue;
        recorded_ns = later(recorded_ns, want_ns[p]);
        if (before != TDM_NO_POINT || e < d->edges) want_ns[p] = INT64_MIN;
        if (before != TDM_NO_POINT) want_ns[p] = want_ns[before] + stretch(&m, p);
        for (; tdm_dag_leads(d, e, p); e++)
          want_ns[p] = later(want_ns[p], want_ns[d->edge[e].from] + edge_cost(&m, &d->edge[e]));
        changed_ns = later(changed_ns, want_ns[p]);
      }
      assert_int_equal(tdm_dag_replay(d, from_ns, last, NULL, at_ns), recorded_ns);
      for (size_t i = 0; i <= last; i++)
        if (m.time_ns[d->order[i]] >= from_ns)
          assert_int_equal(at_ns[d->order[i]], m.time_ns[d->order[i]] - from_ns);
      assert_int_equal(tdm_dag_replay(d, from_ns, last, &costs, at_ns), changed_ns);
      for (size_t i = 0; i <= last; i++)
        if (m.time_ns[d->order[i]] >= from_ns)
          assert_int_equal(at_ns[d->order[i]], want_ns[d->order[i]]);
    }
    assert_int_equal(tdm_dag_replay(d, 0, POINTS, NULL, at_ns), 0);
    tdm_dag_close(&m.dag);
  }
}
/* ---- joints ---- */

/* A replay from joint to joint, as joints.h says it. */
static int64_t replay_joints(const made *m, const tdm_joints *j, const tdm_dag_costs *costs,
                             int64_t at_ns[POINTS]) {
  const tdm_dag *d = &m->dag;
  int64_t from_ns = m->time_ns[d->order[0]], end_ns = 0;
  for (size_t i = 0; i < j->count; i++) {
    uint32_t p = j->point[i];
    size_t e = tdm_dag_edges_to(d, p);
    bool follows = j->before[i] != TDM_NO_POINT || e < d->edges;
    at_ns[i] = follows ? INT64_MIN : m->time_ns[p] - from_ns;
    if (j->before[i] != TDM_NO_POINT) {
      at_ns[i] = at_ns[j->before[i]];
      for (uint32_t s = p; s > j->point[j->before[i]]; s--)
        at_ns[i] += costs->stretch_ns(costs->context, s);
    }
    for (; tdm_dag_leads(d, e, p); e++)
      at_ns[i] = later(at_ns[i], at_ns[j->from[e]] + costs->edge_ns(costs->context, &d->edge[e]));
    end_ns = later(end_ns, at_ns[i]);
  }
  return end_ns;
}

static int64_t rows_stretch(void *context, uint32_t point) {
  const made *m = context;
  return tdm_dag_row(&m->dag, point) == TDM_NO_ROW ? tdm_dag_lag_ns(&m->dag, point)
                                                   : tdm_dag_lag_ns(&m->dag, point) / 2;
}

static void joints_replay_like_the_graph(void **state) {
  (void)state;
  size_t left_out = 0;
  for (int round = 0; round < ROUNDS; round++) {
    made m;
    tdm_joints j;
    int64_t at_ns[POINTS], joint_ns[POINTS];
    make_with(&m, FEW_EDGES);
    tdm_dag *d = &m.dag;
    const tdm_dag_costs costs = {rows_stretch, edge_cost, &m, NULL};
    tdm_kept_rows_close(&d->rows);
    assert_true(tdm_kept_rows_open(&d->rows, 0, 1));
    for (uint32_t p = 0; p < POINTS; p++)
      assert_true(tdm_dag_add_row(d, below(3) == 0 ? TDM_NO_ROW : p));
    size_t last = (size_t)below(POINTS);
    assert_int_equal(tdm_joints_open(d, d->order[last], &j, NULL), TDM_OK);
    assert_true(j.count > 0 && j.count <= last + 1);
    left_out += last + 1 - j.count;
    assert_int_equal(replay_joints(&m, &j, &costs, joint_ns),
                     tdm_dag_replay(d, m.time_ns[d->order[0]], last, &costs, at_ns));
    for (size_t i = 0; i < j.count; i++) assert_int_equal(joint_ns[i], at_ns[j.point[i]]);
    tdm_joints_close(&j);
    uint32_t p = d->order[last];
    if (tdm_dag_before(d, p) != TDM_NO_POINT) { /* no sum of these is later than its parts */
      d->told[p - 1].time_ns = m.time_ns[p] + 1;
      assert_int_equal(tdm_joints_open(d, d->order[last], &j, NULL), TDM_OK);
      assert_int_equal(j.count, 0);
    }
    tdm_dag_close(&m.dag);
  }
  assert_true(left_out > ROUNDS);
}

/* ---- times ---- */

/* A thread of records that nest, after a piece of work: times are those of the rows, but for ends
 * that are told to be earlier. */
static void points_have_the_times_of_their_records(void **state) {
  (void)state;
  enum { ROWS = 40 };
  for (int round = 0; round < ROUNDS; round++) {
    int64_t start_ns[ROWS], end_ns[ROWS], want_ns[2 * ROWS + 2];
    const int64_t work_start_ns = below(1000), work_end_ns = work_start_ns + below(50);
    uint32_t open[ROWS];
    tdm_dag d;
    const tdm_kept_block work_start = tdm_kept_plain(&work_start_ns),
                         work_end = tdm_kept_plain(&work_end_ns);
    const tdm_kept_block host_start = tdm_kept_plain(start_ns), host_end = tdm_kept_plain(end_ns);
    const tdm_table work = {.count = 1, .start = &work_start, .end = &work_end};
    const tdm_table host = {.count = ROWS, .start = &host_start, .end = &host_end};
    assert_int_equal(tdm_dag_open(&d, 2 * ROWS + 2, &work, &host, NULL), TDM_OK);
    d.marks[0] = TDM_POINT_OPENS;
    d.marks[1] = TDM_POINT_FOLLOWS;
    want_ns[0] = work_start_ns;
    want_ns[1] = work_end_ns;
    uint32_t p = 2, depth = 0, row = 0;
    for (int64_t now_ns = 0; row < ROWS || depth > 0; now_ns += below(3), p++) {
      bool opens = row < ROWS && (depth == 0 || below(2) == 0);
      assert_true(tdm_dag_add_row(&d, depth > 0 ? 1 + open[depth - 1] : TDM_NO_ROW));
      d.marks[p] = (uint8_t)(TDM_POINT_PROGRAM | (opens ? TDM_POINT_OPENS : 0));
      want_ns[p] = now_ns;
      if (opens) {
        start_ns[row] = now_ns;
        open[depth++] = row++;
        continue;
      }
      int64_t cut_ns = below(4) == 0 ? 1 + below(9) : 0;
      end_ns[open[--depth]] = now_ns + cut_ns;
      if (cut_ns > 0) assert_true(tdm_dag_tell(&d, p, now_ns));
    }
    assert_int_equal(p, 2 * ROWS + 2);
    for (p = 0; p < 2 * ROWS + 2; p++) assert_int_equal(tdm_dag_time_ns(&d, p), want_ns[p]);
    tdm_dag_close(&d);
  }
}

/* ---- factors ---- */

/* Groups and single rows raised at random, told apart or written out half-way. */
static void factors_are_the_largest_of_all(void **state) {
  (void)state;
  enum { ROWS = 50, GROUPS = 6, STEPS = 8 };
  for (int round = 0; round < ROUNDS; round++) {
    tdm_factors f = {0};
    int64_t group_of[ROWS];
    const tdm_kept_block groups = tdm_kept_plain(group_of);
    float want[ROWS];
    for (int i = 0; i < ROWS; i++) {
      group_of[i] = below(GROUPS);
      want[i] = 1;
    }
    assert_false(tdm_factors_any(&f));
    int64_t written = below(2 * STEPS);
    for (int step = 0; step < STEPS; step++) {
      if (step == written) assert_true(tdm_factors_write_out(&f, ROWS));
      if (below(2) == 0) {
        float factor[GROUPS];
        for (int g = 0; g < GROUPS; g++) factor[g] = (float)below(9) / 2;
        assert_true(tdm_factors_raise_groups(&f, ROWS, &groups, factor, GROUPS));
        for (int i = 0; i < ROWS; i++)
          if (want[i] < factor[group_of[i]]) want[i] = factor[group_of[i]];
      } else {
        tdm_row_factor row[ROWS];
        size_t count = 0;
        for (uint32_t i = 0; i < ROWS; i++) {
          if (below(5) > 0) continue;
          row[count++] = (tdm_row_factor){i, (float)below(9) / 2};
          if (want[i] < row[count - 1].factor) want[i] = row[count - 1].factor;
        }
        assert_true(tdm_factors_raise_rows(&f, ROWS, row, count));
      }
      for (uint32_t i = 0; i < ROWS; i++)
        assert_memory_equal(&(float){tdm_factor_of(&f, i)}, &want[i], sizeof(float));
    }
    assert_true(tdm_factors_any(&f));
    tdm_factors_close(&f);
  }
}

/* Marked rows, told by their marks at first, then written out; single ones raised between. */
static void factors_are_scaled_one_after_the_other(void **state) {
  (void)state;
  enum { ROWS = 50, STEPS = 4 };
  for (int round = 0; round < ROUNDS; round++) {
    tdm_factors f = {0};
    float want[ROWS];
    for (int i = 0; i < ROWS; i++) want[i] = 1;
    for (int step = 0; step < STEPS; step++) {
      tdm_kept_rows marks;
      float times = (float)below(9) / 4;
      assert_true(tdm_kept_rows_open(&marks, 0, 1));
      for (int i = 0; i < ROWS; i++) {
        int64_t is = below(2);
        assert_true(tdm_kept_rows_append(&marks, is));
        if (is) want[i] *= times;
      }
      assert_true(tdm_factors_scale(&f, ROWS, &marks, times));
      assert_true(tdm_factors_any(&f));
      const tdm_row_factor own = {(uint32_t)below(ROWS), 2};
      if (below(2) == 0) {
        assert_true(tdm_factors_raise_rows(&f, ROWS, &own, 1));
        if (want[own.row] < own.factor) want[own.row] = own.factor;
      }
      for (uint32_t i = 0; i < ROWS; i++) assert_true(tdm_factor_of(&f, i) == want[i]);
    }
    tdm_factors_close(&f);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points_are_in_order_and_edges_run_with_it),
      cmocka_unit_test(one_edge_is_tight_and_the_others_allow),
      cmocka_unit_test(replays_reach_what_the_costs_say),
      cmocka_unit_test(joints_replay_like_the_graph),
      cmocka_unit_test(points_have_the_times_of_their_records),
      cmocka_unit_test(factors_are_scaled_one_after_the_other),
      cmocka_unit_test(factors_are_the_largest_of_all),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
