// SPDX-License-Identifier: Apache-2.0
// The rows of [image/resize] in tests/golden/lax_cases.txt.
#include "hilo/hilo.h"
#include "tests/numpy/golden_rows.h"

namespace hilo {
namespace {

TEST(ImageResize, GivesWhatJaxGives) {
#include "tests/image/resize_golden.inc"
#include "tests/numpy/golden_inputs.inc"
}

}  // namespace
}  // namespace hilo
