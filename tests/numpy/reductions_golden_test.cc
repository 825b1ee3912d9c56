// SPDX-License-Identifier: Apache-2.0
// The rows of [reductions] in tests/golden/numpy_cases.txt.
#include "tests/numpy/golden_rows.h"

namespace hilo {
namespace {

TEST(Reductions, GivesWhatJaxGives) {
#include "tests/numpy/golden_inputs.inc"
#include "tests/numpy/reductions_golden.inc"
}

}  // namespace
}  // namespace hilo
