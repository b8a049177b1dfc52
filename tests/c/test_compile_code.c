/* Texts of torch.compile: what counts as an operator of a graph and as a call of generated code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/compile/inside.h"

static void operators_are_calls_of_torch_ops(void **state) {
  (void)state;
  static const char graph[] =
      "class <lambda>(torch.nn.Module):\n"
      "    def forward(self, arg0_1: \"f32[4]\"):\n"
      "         # File: a.py:3 in f, code: out = torch.ops.test.baz(out)\n"
      "        mul: \"f32[4]\" = torch.ops.aten.mul.Tensor(arg0_1, 2);  arg0_1 = None\n"
      "        split = torch.ops.aten.split.Tensor(mul, 2);  mul = None\n"
      "        getitem: \"f32[2]\" = split[0];  split = None\n"
      "        score0 = self.score0\n"
      "        return (getitem,)\n";
  assert_int_equal(tdm_graph_operators(graph, strlen(graph)), 2);
  assert_int_equal(tdm_graph_operators("", 0), 0);
  assert_int_equal(tdm_graph_operators(" = torch.ops.", 13), 0); /* the line begins behind blanks */
}

static tdm_code_calls counted(const char *text) {
  return tdm_code_count(text, strlen(text));
}

static void calls_are_those_of_call(void **state) {
  (void)state;
  tdm_code_calls calls = counted("triton_poi_fused_0 = async_compile.triton('k', '''\n"
                                 "def triton_poi_fused_0(in_ptr0):\n"
                                 "    helper.run(in_ptr0)\n"
                                 "''')\n"
                                 "def call(args):\n"
                                 "    arg0_1, = args\n"
                                 "    # triton_poi_fused_0.run(nothing)\n"
                                 "    with torch.cuda._DeviceGuard(0):\n"
                                 "        buf0 = empty_strided_cuda((1, ), (1, ), torch.int64)\n"
                                 "        aten.randint.low_out(0, 9, [1], out=buf0)\n"
                                 "\n"
                                 "        triton_poi_fused_0.run(buf0, grid=grid(1))\n"
                                 "        extern_kernels.mm(buf0, arg0_1, out=buf1)\n"
                                 "        buf3 = torch.ops.test.baz.default(buf2)\n"
                                 "        buf4, buf5 = torch.ops.aten.sort.default(buf2)\n"
                                 "        cpp_fused_add_1(buf3.data_ptr())\n"
                                 "        del buf0\n"
                                 "    return (buf4, )\n"
                                 "def benchmark_compiled_module(times=10):\n"
                                 "    triton_poi_fused_0.run(buf0)\n");
  assert_int_equal(calls.triton, 1);
  assert_int_equal(calls.extern_kernels, 1);
  assert_int_equal(calls.cpp, 1);
  assert_int_equal(calls.fallback, 3);
}

static void parts_and_methods_count_too(void **state) {
  (void)state;
  tdm_code_calls calls = counted("def partition_0(args):\n"
                                 "    triton_red_fused_0.run(a)\n"
                                 "class Runner:\n"
                                 "    def call(self, args):\n"
                                 "        extern_kernels.addmm(a, b, c)\n"
                                 "        return 1\n"
                                 "    def recursively_apply_fns(self, fns):\n"
                                 "        triton_red_fused_0.run(a)\n");
  assert_int_equal(calls.triton, 1);
  assert_int_equal(calls.extern_kernels, 1);
}

static void hints_are_one_line(void **state) {
  (void)state;
  const char *hint;
  static const char text[] = "Graph Break Reason: x\n  Hint: do y. \n  Hint: or z\n";
  size_t length = tdm_break_hint(text, strlen(text), &hint);
  assert_int_equal(length, 5);
  assert_memory_equal(hint, "do y.", 5);
  assert_int_equal(tdm_break_hint("no", 2, &hint), 0);
  assert_int_equal(tdm_break_hint("Hint:", 5, &hint), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(operators_are_calls_of_torch_ops), cmocka_unit_test(calls_are_those_of_call),
      cmocka_unit_test(parts_and_methods_count_too), cmocka_unit_test(hints_are_one_line)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
