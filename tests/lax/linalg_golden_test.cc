// SPDX-License-Identifier: Apache-2.0
// jax.lax.linalg and special functions of jax.lax, compared with JAX's values.
#include <gtest/gtest.h>

#include "hilo/lax/decompositions.h"
#include "hilo/lax/incomplete_beta.h"
#include "hilo/lax/incomplete_gamma.h"
#include "hilo/lax/linalg.h"
#include "hilo/lax/qdwh.h"
#include "hilo/lax/tridiagonal_solve.h"
#include "tests/support/near.h"

namespace hilo::lax::linalg {
namespace {

TEST(LinalgGolden, ValuesAndDerivativesAreThoseOfJax) {
#include "linalg_golden.inc"
}

}  // namespace
}  // namespace hilo::lax::linalg
