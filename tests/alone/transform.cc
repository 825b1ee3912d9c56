// SPDX-License-Identifier: Apache-2.0
// tests/alone/transform.cc -- transformations without lax, rules and numpy: linked with transform/ and the folders
// below it only.
#include "hilo/trace/ops.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"
#include "tests/alone/check.h"

using namespace hilo;

int main() {
  const auto square = [](const Array& a) { return ops::mul(a, a); };
  const Array x = Array::from_vector<float>({1, 2, 3}, {3});
  CHECK(jit(square)(x).to_vector<int>() == std::vector<int>({1, 4, 9}));
  CHECK(jit(square).hlo_text(x).find("multiply(") != std::string::npos);
  CHECK_THROWS(vmap(square)(x), Error);  // without rules/ the tables are empty
  CHECK_THROWS(grad(square)(Array(2.0f)), Error);
  return failures;
}
