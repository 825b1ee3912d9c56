// SPDX-License-Identifier: Apache-2.0
// The types that JAX's promotion lattice assigns to calls with weakly typed arguments, with and without x64.
#include <gtest/gtest.h>

#include "hilo/hilo.h"

namespace hilo {
namespace {

std::string type_text(const Array& a) { return std::string(element_type_name(a.dtype())) + (a.weak_type() ? "*" : ""); }

/// Checks that every call has its recorded type.
void expect_recorded_types(bool x64) {
  ASSERT_TRUE(config().update("jax_enable_x64", x64).ok());
  const Array wf = 0.5, wi = 3, h = numpy::ones({2}, bfloat16), k = numpy::ones({2}, int8), m = k > 0,
              ids = numpy::zeros({2}, int32);
#define WEAK(plain, wide, call) EXPECT_EQ(type_text(call), x64 ? wide : plain) << #call << (x64 ? " with x64" : "");
#include "tests/numpy/weak_types_golden.inc"
#undef WEAK
  ASSERT_TRUE(config().clear("jax_enable_x64").ok());
}

TEST(WeakTypes, FollowJaxsLattice) { expect_recorded_types(false); }
TEST(WeakTypes, FollowJaxsLatticeWithX64) { expect_recorded_types(true); }

}  // namespace
}  // namespace hilo
