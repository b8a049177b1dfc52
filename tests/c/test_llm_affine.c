/* Affine step models against arithmetic done by hand and step by step. */
#include "model/llm/affine.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/rng.h"

static tdm_llm_step *made(const tdm_llm_affine_piece *pieces, size_t count, double floor_s) {
  tdm_llm_step *model = NULL;
  assert_int_equal(tdm_llm_affine_new(pieces, count, floor_s, &model, NULL), TDM_OK);
  return model;
}

static void sums_of_a_batch_are_what_its_sequences_say(void **state) {
  (void)state;
  tdm_llm_batch batch = {0};
  tdm_llm_batch_add_prefill(&batch, 3, 10, 0); /* attends to 11 + 12 + 13 keys */
  tdm_llm_batch_add_prefill(&batch, 2, 0, 1);  /* 1 + 2 */
  tdm_llm_batch_add_decode(&batch, 7);
  tdm_llm_batch_add_decode(&batch, 5);
  assert_int_equal(batch.prefill_seqs, 2);
  assert_int_equal(batch.prefill_tokens, 5);
  assert_true(batch.prefill_context == 10);
  assert_true(batch.prefill_attention == 36 + 3);
  assert_true(batch.prefill_squares == 13);
  assert_int_equal(batch.decode_seqs, 2);
  assert_true(batch.decode_context == 12);
  assert_int_equal(batch.decode_context_max, 7);
  assert_int_equal(batch.sampled, 3);
}

static void every_term_counts_once(void **state) {
  (void)state;
  tdm_llm_affine_piece piece = {INFINITY, 1, 10, 100, 2, 3, 5, 7, 11, 13, 17, 19, 23};
  tdm_llm_step *model = made(&piece, 1, 0);
  tdm_llm_batch batch = {0};
  assert_true(tdm_llm_step_s(model, &batch) == 0);
  tdm_llm_batch_add_prefill(&batch, 4, 6, 1); /* 4·6 + 4·5/2 = 34 pairs */
  assert_true(tdm_llm_step_s(model, &batch) == 1 + 10 + 2 + 3 * 4 + 5 * 6 + 7 * 34 + 11 * 16 + 23);
  tdm_llm_batch_add_decode(&batch, 9);
  assert_true(tdm_llm_step_s(model, &batch) ==
              1 + 10 + 2 + 3 * 4 + 5 * 6 + 7 * 34 + 11 * 16 + 100 + 13 + 17 * 9 + 19 * 9 + 23 * 2);
  tdm_llm_step_free(model);
}

static void pieces_change_with_the_number_of_decoding_sequences(void **state) {
  (void)state;
  tdm_llm_affine_piece pieces[] = {{.decode_seqs_max = 2, .step = 1},
                                   {.decode_seqs_max = INFINITY, .step = 2}};
  tdm_llm_step *model = made(pieces, 2, 0);
  tdm_llm_batch batch = {.decode_seqs = 2, .decode_context = 8, .sampled = 2};
  assert_true(tdm_llm_step_s(model, &batch) == 1);
  batch.decode_seqs = 3;
  assert_true(tdm_llm_step_s(model, &batch) == 2);
  tdm_llm_step_free(model);
}

static double one_by_one(const tdm_llm_step *model, tdm_llm_batch batch, int64_t k) {
  double sum = 0;
  for (int64_t i = 0; i < k; i++) {
    sum += tdm_llm_step_s(model, &batch);
    batch.decode_context += (double)batch.decode_seqs;
    batch.decode_context_max++;
  }
  return sum;
}

static void a_run_is_the_sum_of_its_steps_and_never_shrinks(void **state) {
  (void)state;
  tdm_rng rng = {42};
  for (int trial = 0; trial < 300; trial++) {
    tdm_llm_affine_piece piece = {.decode_seqs_max = INFINITY,
                                  .step = 1e-3 * (tdm_rng_unit(&rng) - 0.5),
                                  .decode_seqs = 1e-5 * tdm_rng_unit(&rng),
                                  .decode_context = 1e-7 * tdm_rng_unit(&rng),
                                  .decode_context_max = trial % 3 == 0 ? 0 : 1e-7};
    tdm_llm_step *model = made(&piece, 1, trial % 2 == 0 ? 0 : 4e-4);
    int64_t seqs = 1 + (int64_t)tdm_index_below(tdm_rng_bits(&rng), 64);
    int64_t context = 1 + (int64_t)tdm_index_below(tdm_rng_bits(&rng), 4000);
    tdm_llm_batch batch = {.decode_seqs = seqs,
                           .decode_context = (double)(seqs * context),
                           .decode_context_max = context + 5,
                           .sampled = seqs};
    double before = 0;
    for (int64_t k = 0; k < 300; k++) {
      double run = tdm_llm_decode_run_s(model, &batch, k);
      assert_true(run >= before);
      assert_true(fabs(run - one_by_one(model, batch, k)) <= 1e-12 * (double)(k + 1));
      before = run;
    }
    tdm_llm_step_free(model);
  }
}

static void coefficients_that_make_no_sense_are_refused(void **state) {
  (void)state;
  tdm_llm_step *model;
  tdm_error error;
  tdm_llm_affine_piece falling = {.decode_seqs_max = INFINITY, .decode_context = -1e-9};
  assert_int_equal(tdm_llm_affine_new(&falling, 1, 0, &model, &error), TDM_INVALID);
  assert_null(model);
  tdm_llm_affine_piece nan_piece = {.decode_seqs_max = INFINITY, .step = NAN};
  assert_int_equal(tdm_llm_affine_new(&nan_piece, 1, 0, &model, &error), TDM_INVALID);
  tdm_llm_affine_piece bounded = {.decode_seqs_max = 95};
  assert_int_equal(tdm_llm_affine_new(&bounded, 1, 0, &model, &error), TDM_INVALID);
  tdm_llm_affine_piece same[] = {bounded, bounded, {.decode_seqs_max = INFINITY}};
  assert_int_equal(tdm_llm_affine_new(same, 3, 0, &model, &error), TDM_INVALID);
  tdm_llm_affine_piece fine = {.decode_seqs_max = INFINITY};
  assert_int_equal(tdm_llm_affine_new(&fine, 1, -1, &model, &error), TDM_INVALID);
  assert_int_equal(tdm_llm_affine_new(&fine, 0, 0, &model, &error), TDM_INVALID);
  tdm_llm_step_free(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sums_of_a_batch_are_what_its_sequences_say),
      cmocka_unit_test(every_term_counts_once),
      cmocka_unit_test(pieces_change_with_the_number_of_decoding_sequences),
      cmocka_unit_test(a_run_is_the_sum_of_its_steps_and_never_shrinks),
      cmocka_unit_test(coefficients_that_make_no_sense_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
