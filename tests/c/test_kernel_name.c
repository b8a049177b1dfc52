/* Names of kernels and calls as people know them, by what a compiler or a driver writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "analysis/run_view/run_view.h"

static void a_kernel_is_the_last_name_before_its_parameters(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"gemm", "gemm"},
      {"gemm(float *, int)", "gemm"},
      {"void gemm<float>(float *)", "gemm"},
      {"void at::native::gemm<float, 4>(int, std::array<char *, (unsigned long)2>)", "gemm"},
      {"void at::native::(anonymous namespace)::sum<(int)512>(long)", "sum"},
      {"<unnamed>::sum(int)", "sum"},
      {"void k<a::b<(c)1>>(d<e>)", "k"},
      {"std::enable_if<true, void>::type cutlass::Kernel2<a>(b)", "Kernel2"},
      {"k$1@x<int>()", "k$1@x"},
      {"k<int>", "k"},
      {"Memcpy HtoD (Pageable -> Device)", "Memcpy HtoD (Pageable -> Device)"},
      {"a-b.c(x)", "a-b.c(x)"},
      {"void gemm", "void gemm"},
      {"unfinished<int", "unfinished<int"},
      {"unfinished(int", "unfinished"},
      {"", ""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char out[128];
    tdm_kernel_base(cases[i][0], out, sizeof out);
    assert_string_equal(out, cases[i][1]);
  }
}

static void a_call_is_named_without_the_version_behind_it(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"cudaLaunchKernel_v7000", "cudaLaunchKernel"},
      {"cudaMallocAsync_v11020", "cudaMallocAsync"},
      {"cudaMemcpy_ptsz_v7000", "cudaMemcpy_ptsz"},
      {"cuMemAlloc_v2", "cuMemAlloc_v2"}, /* of the name itself */
      {"cuCtxCreate_v3020", "cuCtxCreate"},
      {"cuCtxCreate_v302", "cuCtxCreate_v302"},
      {"x_v1000", "x"},
      {"_v1000", "_v1000"}, /* nothing would be left */
      {"x_w1000", "x_w1000"},
      {"xv1000", "xv1000"},
      {"1000", "1000"},
      {"cudaFree", "cudaFree"},
      {"", ""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char out[128];
    tdm_call_base(cases[i][0], out, sizeof out);
    assert_string_equal(out, cases[i][1]);
  }
}

/* Into as much room as there is, with its end; kernels are cut between characters. */
static void long_names_are_cut(void **state) {
  (void)state;
  char out[6];
  tdm_kernel_base("void abcdefgh(int)", out, sizeof out);
  assert_string_equal(out, "abcde");
  tdm_kernel_base("abcde(int)", out, sizeof out);
  assert_string_equal(out, "abcde");
  tdm_kernel_base("abcd\xc3\xa9\xc3\xa9", out, sizeof out);
  assert_string_equal(out, "abcd");
  tdm_kernel_base("abc\xc3\xa9\xc3\xa9", out, sizeof out);
  assert_string_equal(out, "abc\xc3\xa9");
  tdm_call_base("abcdefgh_v7000", out, sizeof out);
  assert_string_equal(out, "abcde");
  tdm_call_base("abcde_v7000", out, sizeof out);
  assert_string_equal(out, "abcde");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_kernel_is_the_last_name_before_its_parameters),
      cmocka_unit_test(a_call_is_named_without_the_version_behind_it),
      cmocka_unit_test(long_names_are_cut),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
