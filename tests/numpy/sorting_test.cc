// SPDX-License-Identifier: Apache-2.0
// The rows of [sorting] in tests/golden/numpy_cases.txt.
#include "tests/numpy/golden_rows.h"

namespace hilo {
namespace {

TEST(Sorting, GivesWhatJaxGives) {
#include "tests/numpy/golden_inputs.inc"
#include "tests/numpy/sorting_golden.inc"
}

}  // namespace
}  // namespace hilo
