// SPDX-License-Identifier: Apache-2.0
// The rows of [indexing] in tests/golden/numpy_cases.txt.
#include "tests/numpy/golden_rows.h"

namespace hilo {
namespace {

TEST(GoldenIndexing, GivesWhatJaxGives) {
#include "tests/numpy/golden_inputs.inc"
#include "tests/numpy/indexing_golden.inc"
}

}  // namespace
}  // namespace hilo
