// SPDX-License-Identifier: Apache-2.0
// tests/numpy/golden_rows.h -- helpers for the rows of *_golden.inc.
#pragma once

#include <gtest/gtest.h>

#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/vmap.h"
#include "tests/support/golden.h"

namespace hilo {

/// The tangent of f at x.
template <typename F>
Array jvp_of(const F& f, const Array& x, const Array& tangent) {
  return jvp(f, std::tuple(x), std::tuple(tangent)).second;
}
inline Array refused_part(const Array& array) { return array; }
inline Array refused_part(const std::vector<Array>& arrays) { return arrays.at(0); }

}  // namespace hilo
