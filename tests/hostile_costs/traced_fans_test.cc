// SPDX-License-Identifier: Apache-2.0
// Functions that each call the one before twice: traced, differentiated and batched once each, whatever their number.
#include <gtest/gtest.h>

#include <functional>

#include "hilo/hilo.h"

namespace hilo {
namespace {

using Function = std::function<Array(Array)>;

/// x -> x sin(x) under `levels` levels, each of which applies the one below twice.
Function fan(int levels) {
  Function f = jit([](Array x) { return x * numpy::sin(x); });
  for (int k = 0; k < levels; ++k) f = jit([f](Array x) { return f(f(x)); });
  return f;
}

Function gradient_of(const Function& f) { return grad(f); }
Function batched(const Function& f) { return vmap(f); }

StatusCode code_of(const Function& f, const Array& x) {
  try {
    (void)f(x);
  } catch (const Error& error) {
    return error.code();
  }
  return StatusCode::kOk;
}

TEST(TracedFans, OfFewLevelsRun) {
  const Array x(0.5f);
  EXPECT_FLOAT_EQ(fan(2)(x).item<float>(), fan(0)(fan(0)(fan(0)(fan(0)(x)))).item<float>());
  EXPECT_EQ(code_of(gradient_of(fan(3)), x), StatusCode::kOk);
}

TEST(TracedFans, OfManyLevelsAreRejectedOnceTraced) {
  const Array x(0.5f);
  EXPECT_EQ(code_of(fan(40), x), StatusCode::kResourceExhausted);
  EXPECT_EQ(code_of(gradient_of(fan(40)), x), StatusCode::kResourceExhausted);
  EXPECT_EQ(code_of(gradient_of(gradient_of(fan(30))), x), StatusCode::kResourceExhausted);
  EXPECT_EQ(code_of(batched(fan(40)), numpy::ones({3})), StatusCode::kResourceExhausted);
  EXPECT_EQ(code_of(batched(gradient_of(fan(40))), numpy::ones({3})), StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace hilo
