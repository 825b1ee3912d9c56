// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/build/lifted_body.h"

#include <gtest/gtest.h>

#include "hilo/hlo/eval/evaluator.h"
#include "hilo/hlo/ops/ext/decomposition.h"
#include "hilo/hlo/text/parser.h"

namespace hilo::hlo {
namespace {

ComputationPtr body_of(std::string_view text) {
  const StatusOr<Module> module =
      parse_module(std::string("HloModule body\nENTRY main {\n") + std::string(text) + "}\n");
  EXPECT_TRUE(module.ok()) << module.status().to_string();
  return module->entry;
}

TEST(LiftedBody, ComputesAllElementsAtOnce) {
  const ComputationPtr body = body_of(R"(  a = f32[] parameter(0)
  b = f32[] parameter(1)
  two = f32[] constant(2)
  c = f32[] multiply(b, two)
  less = pred[] compare(a, c), direction=LT
  d = f32[] select(less, c, a)
  ROOT r = (f32[], pred[]) tuple(d, less)
)");
  ASSERT_TRUE(can_be_lifted(*body));
  const Shape vector = Shape::array(ElementType::kF32, {3}), shapes[] = {vector, vector};
  Decomposition d("lifted", shapes);
  const Exprs results = lifted(*d.operand(0).sink, *body, vector.dimensions(), {d.operand(0), d.operand(1)});
  ASSERT_EQ(results.size(), 2);
  const Expr root = select(results[1], results[0], -results[0]);
  const StatusOr<ComputationPtr> computation = std::move(d).finish(root);
  ASSERT_TRUE(computation.ok()) << computation.status().to_string();
  const Literal x = Literal::array<float>({3}, {1, 9, 4}), y = Literal::array<float>({3}, {2, 3, 2});
  const StatusOr<Literal> value = evaluate(**computation, std::vector<Literal>{x, y});
  ASSERT_TRUE(value.ok()) << value.status().to_string();
  EXPECT_EQ(value->to_string(), "f32[3] {4, -9, -4}");
}

TEST(LiftedBody, OfScalarsOnly) {
  EXPECT_FALSE(can_be_lifted(*body_of(R"(  a = f32[2] parameter(0)
  ROOT b = f32[2] negate(a)
)")));
  EXPECT_FALSE(can_be_lifted(*body_of(R"(  a = f32[] parameter(0)
  b = f32[1] reshape(a)
  ROOT c = f32[] reshape(b)
)")));
}

}  // namespace
}  // namespace hilo::hlo
