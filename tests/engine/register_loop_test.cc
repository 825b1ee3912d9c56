// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/register_loop.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "hilo/hlo/ops/control_flow.h"
#include "tests/engine/plan_case.h"

namespace hilo::engine {
namespace {

Shape f32(std::initializer_list<int64_t> dimensions) { return Shape::array(ElementType::kF32, dimensions); }

TEST(RegisterLoop, TakesTheLongestDimensionForTheBatch) {
  const Shape counter = Shape::scalar(ElementType::kS32);
  EXPECT_EQ(loop_batch(std::vector{counter, f32({777, 3})}), 777);
  EXPECT_EQ(loop_batch(std::vector{counter, f32({3, 777}), f32({777}), f32({2})}), 777);
  EXPECT_EQ(loop_batch(std::vector{counter, f32({3})}), 1) << "few elements need no batch";
  EXPECT_EQ(loop_batch(std::vector{counter, f32({3, 3})}), 1) << "there is no one batch";
  EXPECT_EQ(loop_batch(std::vector{counter, f32({100, 17})}), 1) << "too many elements beside it";
  EXPECT_EQ(loop_batch(std::vector{Shape::token(), f32({777})}), 1);
}

TEST(RegisterLoop, CountsElementsBesideTheBatch) {
  EXPECT_EQ(extents_per_index(f32({2, 777, 3}), 777), (std::vector<int64_t>{2, 1, 3}));
  EXPECT_EQ(elements_per_index(f32({2, 777, 3}), 777), 6);
  EXPECT_EQ(elements_per_index(Shape::tuple({f32({777}), f32({5})}), 777), 6);
  EXPECT_EQ(elements_per_index(f32({2, 3}), 1), 6);
  EXPECT_EQ(batch_dimension(f32({2, 777, 3}), 777), size_t{1});
  EXPECT_EQ(batch_dimension(f32({2, 3}), 777), std::nullopt);
  EXPECT_EQ(batch_dimension(f32({1, 1}), 1), std::nullopt);
}

/// The work of a loop over (s32[], `type`) whose body computes y from x.
std::optional<int64_t> work_of_body(const std::string& type, const std::string& body, const std::string& others = "") {
  const hlo::Module module = parsed(fmt::format(R"(HloModule loop
sum {{ a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }}
{2}
body {{
  p = (s32[], {0}) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = {0} get-tuple-element(p), index=1
  zero = f32[] constant(0)
  {1}
  ROOT t = (s32[], {0}) tuple(i, y)
}}
condition {{
  p = (s32[], {0}) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(5)
  ROOT c = pred[] compare(i, n), direction=LT
}}
ENTRY main {{
  init = (s32[], {0}) parameter(0)
  ROOT w = (s32[], {0}) while(init), condition=condition, body=body
}}
)",
                                                type, body, others));
  if (module.entry == nullptr) return std::nullopt;
  const auto& loop = hlo::attributes_of<hlo::WhileAttributes>(module.entry->root());
  const auto form = register_loop_form(*loop.condition, *loop.body);
  return form ? std::optional(form->work.operations) : std::nullopt;
}

TEST(RegisterLoop, WeighsWhatATurnDoes) {
  const auto cheap = work_of_body("f32[100,3]", "y = f32[100,3] add(x, x)"),
             dear = work_of_body("f32[100,3]", "y = f32[100,3] tanh(x)");
  ASSERT_TRUE(cheap && dear);
  EXPECT_LT(*cheap, *dear);
  std::string many = "y0 = f32[100,3] tanh(x)\n";
  for (int k = 1; k < 60; ++k) many += fmt::format("  y{} = f32[100,3] tanh(y{})\n", k, k - 1);
  EXPECT_FALSE(work_of_body("f32[100,3]", many + "  y = f32[100,3] tanh(y59)")) << "too much for one function";
}

TEST(RegisterLoop, TakesOpsWhoseIndicesOfTheBatchDontMeet) {
  EXPECT_TRUE(work_of_body("f32[4]", "y = f32[4] reverse(x), dimensions={0}"));
  EXPECT_TRUE(work_of_body("f32[100,4]", "y = f32[100,4] reverse(x), dimensions={1}"));
  EXPECT_FALSE(work_of_body("f32[100,4]", "y = f32[100,4] reverse(x), dimensions={0}"));
  EXPECT_TRUE(work_of_body("f32[100,4]",
                           "r = f32[100] reduce(x, zero), dimensions={1}, to_apply=sum\n"
                           "  y = f32[100,4] broadcast(r), dimensions={0}"));
  EXPECT_FALSE(work_of_body("f32[100,4]",
                            "r = f32[4] reduce(x, zero), dimensions={0}, to_apply=sum\n"
                            "  y = f32[100,4] broadcast(r), dimensions={1}"));
  EXPECT_TRUE(work_of_body("f32[100,4]",
                           "z = f32[4,100] transpose(x), dimensions={1,0}\n"
                           "  y = f32[100,4] transpose(z), dimensions={1,0}"));
  EXPECT_FALSE(work_of_body("f32[100,4]",
                            "z = f32[4,100] reshape(x)\n"
                            "  y = f32[100,4] transpose(z), dimensions={1,0}"));
  EXPECT_FALSE(work_of_body("f32[100,4]", "z = f32[400] reshape(x)\n  y = f32[100,4] reshape(z)"));
  EXPECT_FALSE(work_of_body("f32[100]",
                            "z = f32[99] slice(x), slice={[1:100]}\n  e = f32[1] slice(x), slice={[0:1]}\n"
                            "  y = f32[100] concatenate(z, e), dimensions={0}"));
  EXPECT_FALSE(work_of_body("f32[100]", "y = f32[100] pad(x, zero), padding=1_-1"));
  EXPECT_FALSE(work_of_body("f32[100]",
                            "z = f32[1] dynamic-slice(x, i), dynamic_slice_sizes={1}\n"
                            "  e = f32[] reshape(z)\n  y = f32[100] broadcast(e), dimensions={}"));
  EXPECT_FALSE(work_of_body("f32[0]", "y = f32[0] add(x, x)"));
  EXPECT_FALSE(work_of_body("f32[100]", "y = f32[100] sort(x), dimensions={0}, to_apply=less",
                            "less { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = pred[] compare(a, b), "
                            "direction=LT }"));
}

}  // namespace
}  // namespace hilo::engine
