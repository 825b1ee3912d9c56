// SPDX-License-Identifier: Apache-2.0
// The rows of [lax/dot] in tests/golden/lax_cases.txt.
#include "hilo/hilo.h"
#include "tests/numpy/golden_rows.h"

namespace hilo {
namespace {

TEST(LaxDot, GivesWhatJaxGives) {
  // clang-format off: the inputs come first
#include "tests/numpy/golden_inputs.inc"
#include "tests/lax/dot_golden.inc"
  // clang-format on
}

}  // namespace
}  // namespace hilo
