// SPDX-License-Identifier: Apache-2.0
// jax.scipy's functions beside JAX's values.
#include <gtest/gtest.h>

#include "hilo/scipy/scipy.h"
#include "tests/support/near.h"

namespace hilo::scipy {
namespace {

TEST(Golden, ValuesAndDerivativesAreThoseOfJax) {
#include "golden.inc"
}

}  // namespace
}  // namespace hilo::scipy
