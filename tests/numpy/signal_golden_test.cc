// SPDX-License-Identifier: Apache-2.0
// The rows of [signal] in tests/golden/numpy_cases.txt.
#include "tests/numpy/golden_rows.h"

namespace hilo {
namespace {

TEST(Signal, GivesWhatJaxGives) {
#include "tests/numpy/golden_inputs.inc"
#include "tests/numpy/signal_golden.inc"
}

}  // namespace
}  // namespace hilo
