// SPDX-License-Identifier: Apache-2.0
// The rows of [lax/reductions] in tests/golden/lax_cases.txt.
#include "hilo/hilo.h"
#include "tests/numpy/golden_rows.h"

namespace hilo {
namespace {

TEST(LaxReductions, GivesWhatJaxGives) {
#include "tests/lax/reductions_golden.inc"
#include "tests/numpy/golden_inputs.inc"
}

}  // namespace
}  // namespace hilo
