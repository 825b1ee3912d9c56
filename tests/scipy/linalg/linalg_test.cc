// SPDX-License-Identifier: Apache-2.0
// jax.scipy.linalg and hypergeometric functions, compared with JAX's values.
#include <gtest/gtest.h>

#include "hilo/scipy/linalg/linalg.h"
#include "hilo/scipy/special/hypergeometric.h"
#include "tests/support/near.h"

namespace hilo::scipy::linalg {
namespace {

Array parts_of(const Array& z) { return numpy::stack({numpy::real(z), numpy::imag(z)}); }

TEST(LinalgGolden, ValuesAndDerivativesAreThoseOfJax) {
#include "golden.inc"
}

}  // namespace
}  // namespace hilo::scipy::linalg
