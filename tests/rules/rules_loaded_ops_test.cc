// SPDX-License-Identifier: Apache-2.0
// jvp, grad and vmap of loaded programs: collectives, topk, and ops that are lowered to others.
#include <gtest/gtest.h>

#include <sstream>

#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"
#include "tests/support/loaded_function.h"

namespace hilo {
namespace {

const std::string kX = "  x = f32[3] parameter(0)\n";
const std::string kAdd = "add { p = f32[] parameter(0)\n q = f32[] parameter(1)\n ROOT s = f32[] add(p, q) }\n";

std::string text_of(const Array& x) {
  std::ostringstream out;
  out << x;
  return out.str();
}

struct Case {
  std::string name, body, computations, gradient;  // the gradient of sum(f(x) * (1, 2, 3)) at (1, 2, 3)
};

const Case kCases[] = {
    {"all_reduce", kX + "  ROOT r = f32[3] all-reduce(x), replica_groups={}, to_apply=add", kAdd, "[1. 2. 3.]"},
    {"all_reduce_pair",
     kX + "  s = f32[3] all-reduce-start(x), replica_groups={}, to_apply=add\n  ROOT r = f32[3] all-reduce-done(s)",
     kAdd, "[1. 2. 3.]"},
    {"all_gather", kX + "  ROOT r = f32[3] all-gather(x), replica_groups={}, dimensions={0}", "", "[1. 2. 3.]"},
    {"reduce_scatter", kX + "  ROOT r = f32[3] reduce-scatter(x), replica_groups={}, dimensions={0}, to_apply=add",
     kAdd, "[1. 2. 3.]"},
    {"all_to_all", kX + "  ROOT r = f32[3] all-to-all(x), replica_groups={{0}}, dimensions={0}", "", "[1. 2. 3.]"},
    {"collective_permute", kX + "  ROOT r = f32[3] collective-permute(x), source_target_pairs={{0,0}}", "",
     "[1. 2. 3.]"},
    {"fusion", kX + "  ROOT r = f32[3] fusion(x), kind=kLoop, calls=square",
     "square { p = f32[3] parameter(0)\n ROOT s = f32[3] multiply(p, p) }\n", "[ 2.  8. 18.]"},
    {"async", kX + "  s = ((f32[3]), f32[3], u32[]) async-start(x), calls=square\n  ROOT r = f32[3] async-done(s)",
     "square { p = f32[3] parameter(0)\n ROOT s = f32[3] multiply(p, p) }\n", "[ 2.  8. 18.]"},
    {"dot_to_integers",
     kX + "  d = s32[] dot(x, x), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n  f = f32[] convert(d)\n"
          "  b = f32[3] broadcast(f), dimensions={}\n  ROOT r = f32[3] multiply(b, x)",
     "", "[14. 28. 42.]"},
    {"map", kX + "  ROOT r = f32[3] map(x), dimensions={0}, to_apply=square",
     "square { p = f32[] parameter(0)\n ROOT s = f32[] multiply(p, p) }\n", "[ 2.  8. 18.]"},
    {"topk", kX + "  t = (f32[3], s32[3]) topk(x), k=3, largest=true\n  ROOT r = f32[3] get-tuple-element(t), index=0",
     "", "[3. 2. 1.]"},
    {"scan",
     kX + "  z = f32[] constant(0)\n  t = (f32[3], f32[]) scan(x, z), dimensions={0}, num_carries=1, to_apply=step\n"
          "  ROOT r = f32[3] get-tuple-element(t), index=0",
     "step { p = f32[] parameter(0)\n c = f32[] parameter(1)\n s = f32[] add(p, c)\n ROOT t = (f32[], f32[]) tuple(s, "
     "s) }\n",
     "[6. 5. 3.]"},
};

TEST(LoadedOps, HaveGradients) {
  for (const Case& c : kCases) {
    const auto f = loaded_function(c.body, c.computations);
    const auto total = [f](Array x) { return numpy::sum(f(x) * numpy::array({1.0, 2.0, 3.0})); };
    EXPECT_EQ(text_of(grad(total)(numpy::array({1.0, 2.0, 3.0}))), c.gradient) << c.name;
    EXPECT_EQ(text_of(jit(grad(total))(numpy::array({1.0, 2.0, 3.0}))), c.gradient) << c.name;
  }
}

TEST(LoadedOps, BatchAsALoopWould) {
  const Array batch = numpy::array({{1.0, 2.0, 3.0}, {5.0, -1.0, 4.0}});
  for (const Case& c : kCases) {
    const auto f = loaded_function(c.body, c.computations);
    const Array together = vmap(f)(batch);
    for (int64_t row = 0; row < 2; ++row)
      EXPECT_EQ(text_of(numpy::take(together, row, 0)), text_of(f(numpy::take(batch, row, 0)))) << c.name;
  }
}

}  // namespace
}  // namespace hilo
