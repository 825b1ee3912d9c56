// SPDX-License-Identifier: Apache-2.0
// tests/support/ints.h -- a vector of integers as an array.
#pragma once

#include <vector>

#include "hilo/array/array.h"

namespace hilo {

inline Array ints(const std::vector<int32_t>& values) {
  return Array::from_vector(values, {static_cast<int64_t>(values.size())});
}

}  // namespace hilo
