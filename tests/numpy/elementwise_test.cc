// SPDX-License-Identifier: Apache-2.0
// The rows of [elementwise] in tests/golden/numpy_cases.txt.
#include "tests/numpy/golden_rows.h"

namespace hilo {
namespace {

TEST(Elementwise, GivesWhatJaxGives) {
#include "tests/numpy/golden_inputs.inc"

#include "tests/numpy/elementwise_golden.inc"  // after its inputs
}

}  // namespace
}  // namespace hilo
