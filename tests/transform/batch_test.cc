// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/batch.h"

#include <gtest/gtest.h>

#include "hilo/base/caches.h"
#include "hilo/hlo/build/builder.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/lax/collective.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"

namespace hilo {
namespace {

/// x -> x + x for f32[2]; the root is a tuple.
hlo::ComputationPtr doubled() {
  hlo::Builder b("doubled");
  const hlo::InstructionId x = b.parameter(Shape::array(ElementType::kF32, {2}));
  return *std::move(b).build(b.tuple(std::vector{*b.add(hlo::Opcode::kAdd, {x, x})}));
}

TEST(BatchComputation, IsRememberedBySizeAndNameOfTheAxis) {
  const auto batch = [](int64_t size, const std::string& name) {
    return batch_computation(doubled(), {true}, {}, {.axis_size = size, .axis_name = name}).computation;
  };
  const hlo::ComputationPtr three = batch(3, "");
  EXPECT_EQ(three->result_shape().to_string(), "(f32[3,2])");
  EXPECT_EQ(batch(3, ""), three);
  EXPECT_NE(batch(3, "i"), three);
  EXPECT_EQ(batch(3, "i"), batch(3, "i"));
  EXPECT_EQ(batch(0, "i")->result_shape().to_string(), "(f32[0,2])");
  clear_caches();
  EXPECT_NE(batch(3, ""), three);
}

TEST(BatchTrace, RulesInsideOfOneAnotherGetTheirOwnAxis) {
  // The inner vmap has no name. A psum over "i" refers to the outer vmap, also inside a computation.
  const auto sum_over_i = jit([](Array x) { return lax::psum(x, "i"); });
  const auto f = [&](Array row) { return vmap([&](Array x) { return sum_over_i(x) + x; })(row); };
  const Array x = numpy::array({{1.0f, 2.0f}, {10.0f, 20.0f}, {100.0f, 200.0f}});
  const Array y = vmap(f, {0}, {0}, "i")(x);
  EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{112, 224, 121, 242, 211, 422}));
}

}  // namespace
}  // namespace hilo
