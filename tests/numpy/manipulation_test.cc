// SPDX-License-Identifier: Apache-2.0
// The rows of [manipulation] in tests/golden/numpy_cases.txt.
#include "tests/numpy/golden_rows.h"

namespace hilo {
namespace {

TEST(Manipulation, GivesWhatJaxGives) {
#include "tests/numpy/golden_inputs.inc"
#include "tests/numpy/manipulation_golden.inc"
}

}  // namespace
}  // namespace hilo
