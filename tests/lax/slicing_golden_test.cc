// SPDX-License-Identifier: Apache-2.0
// The rows of [lax/slicing] in tests/golden/lax_cases.txt.
#include "hilo/hilo.h"
#include "tests/numpy/golden_rows.h"

namespace hilo {
namespace {

TEST(LaxSlicing, GivesWhatJaxGives) {
#include "tests/lax/slicing_golden.inc"
#include "tests/numpy/golden_inputs.inc"
}

}  // namespace
}  // namespace hilo
