// SPDX-License-Identifier: Apache-2.0
// The rows of [contractions] in tests/golden/numpy_cases.txt.
#include "tests/numpy/golden_rows.h"

namespace hilo {
namespace {

TEST(Contractions, GivesWhatJaxGives) {
#include "tests/numpy/golden_inputs.inc"

#include "tests/numpy/contractions_golden.inc"  // after its inputs
}

}  // namespace
}  // namespace hilo
