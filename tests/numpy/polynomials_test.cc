// SPDX-License-Identifier: Apache-2.0
// The rows of [polynomials] in tests/golden/numpy_cases.txt.
#include "tests/numpy/golden_rows.h"

namespace hilo {
namespace {

TEST(Polynomials, GivesWhatJaxGives) {
#include "tests/numpy/golden_inputs.inc"
#include "tests/numpy/polynomials_golden.inc"
}

}  // namespace
}  // namespace hilo
