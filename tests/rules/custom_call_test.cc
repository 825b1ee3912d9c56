// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <sstream>

#include "hilo/hlo/ops/custom_call_registry.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"
#include "tests/support/error_of.h"
#include "tests/support/loaded_function.h"

namespace hilo {
namespace {

std::string text_of(const Array& x) {
  std::ostringstream out;
  out << x;
  return out.str();
}

const std::string kDoubled =
    "  x = f32[3] parameter(0)\n"
    "  ROOT r = f32[3] custom-call(x), custom_call_target=\"test.doubles\"";

Status doubles(const CustomCallFrame& frame) {
  const auto* x = static_cast<const float*>(frame.operands[0].data);
  auto* y = static_cast<float*>(frame.results[0].data);
  for (int64_t i = 0; i < frame.operands[0].element_count(); ++i) y[i] = 2 * x[i];
  return ok_status();
}

TEST(CustomCall, RunsOnceAnExampleUnderVmap) {
  ASSERT_TRUE(register_custom_call("test.doubles", doubles).ok());
  const Array batch = numpy::reshape(numpy::array({1.0, 2.0, 3.0, 4.0, 5.0, 6.0}), {1, 2, 3});
  EXPECT_EQ(text_of(jit(vmap(vmap(loaded_function(kDoubled))))(batch)), "[[[ 2.  4.  6.]\n  [ 8. 10. 12.]]]");
}

TEST(CustomCall, HasNoDerivativeOfItsOwn) {
  const auto total = [](Array x) { return numpy::sum(loaded_function(kDoubled)(x)); };
  const std::string text = error_of([&] { grad(total)(numpy::array({1.0, 2.0, 3.0})); }, StatusCode::kUnimplemented);
  EXPECT_NE(text.find("hilo doesn't know what the handler computes. Hint: give the call a derivative with custom_vjp"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace hilo
