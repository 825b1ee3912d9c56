// SPDX-License-Identifier: Apache-2.0
// The rows of [ufunc] in tests/golden/numpy_cases.txt.
#include "tests/numpy/golden_rows.h"

namespace hilo {
namespace {

TEST(Ufunc, GivesWhatJaxGives) {
#include "tests/numpy/golden_inputs.inc"
#include "tests/numpy/ufunc_golden.inc"
}

}  // namespace
}  // namespace hilo
