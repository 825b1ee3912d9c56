// SPDX-License-Identifier: Apache-2.0
// The objectives of ADBench and their gradients equal JAX's.
#include "bench/adbench/objectives.h"

#include <gtest/gtest.h>

#include "tests/support/golden_values.h"
#include "tests/support/x64.h"

namespace hilo {
namespace {

TEST(AdBench, ObjectivesAndGradientsAreThoseOfJax) {
  const X64Scope x64;
  int count = 0;
  adbench::for_each_objective([&](const std::string& name, auto of, const auto& inputs, const auto&) {
    const auto& [parameters, data] = inputs;
    const auto f = jit(value_and_grad(decltype(of)::objective));
    expect_golden("adbench." + name, f(parameters, data), 1e-10);
    ++count;
  });
  EXPECT_EQ(count, 5);
}

}  // namespace
}  // namespace hilo
