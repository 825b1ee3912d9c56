// SPDX-License-Identifier: Apache-2.0
// tests/alone/trace.cc -- traces without meshes, rules and transformations: linked with trace/ and the folders below it
// only.
#include "hilo/trace/ops.h"
#include "hilo/trace/rules.h"
#include "hilo/trace/staging_trace.h"
#include "tests/alone/check.h"

using namespace hilo;

int main() {
  const Array x = Array::from_vector<float>({1, 2, 3}, {3});
  CHECK(ops::add(x, x).to_vector<int>() == std::vector<int>({2, 4, 6}));  // eager
  std::string text;
  const FlatFunction square = [&](std::span<const Array> a) {
    text = a[0].to_string();
    CHECK_THROWS(a[0].to_literal(), ConcretizationError);
    return std::vector{ops::mul(a[0], a[0])};
  };
  const std::vector<Aval> arguments = {x.aval()};
  const StagedFunction staged = stage(square, arguments, "jit", "square");
  CHECK(text == "Traced<f32[3]>" && staged.captures.empty());
  const std::vector<Array> called = ops::call(staged.computation, {x});
  CHECK(called[0].to_vector<int>() == std::vector<int>({1, 4, 9}));
  CHECK(run_computation(*staged.computation, {&x, 1})[0].to_literal().identical(called[0].to_literal()));
  CHECK_THROWS(rules_of(hlo::Opcode::kAdd), Error);  // without rules/ the tables are empty
  return failures;
}
