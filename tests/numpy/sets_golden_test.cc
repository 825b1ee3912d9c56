// SPDX-License-Identifier: Apache-2.0
// The rows of [sets] in tests/golden/numpy_cases.txt.
#include "tests/numpy/golden_rows.h"

namespace hilo {
namespace {

TEST(Sets, GivesWhatJaxGives) {
#include "tests/numpy/golden_inputs.inc"
#include "tests/numpy/sets_golden.inc"
}

}  // namespace
}  // namespace hilo
