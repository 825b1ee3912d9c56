// SPDX-License-Identifier: Apache-2.0
// lax/broadcasting.h -- brings operands of elementwise jax.lax functions to one shape. Not for users.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "hilo/trace/ops.h"

namespace hilo::lax {

/// Returns the common shape of arrays of one rank, in which dimensions of size 1 are repeated; scalars fit any shape.
/// Errors     INVALID_ARGUMENT
std::vector<int64_t> common_shape(const char* name, std::initializer_list<const Array*> arrays);
/// Broadcasts `x` to a shape that it fits.
Array over(const std::vector<int64_t>& shape, const Array& x);

/// Calls f with both operands in their common shape.
template <typename F>
Array spread(const char* name, const Array& x, const Array& y, F f) {
  if (std::ranges::equal(x.shape(), y.shape())) return f(x, y);
  const std::vector<int64_t> shape = common_shape(name, {&x, &y});
  return f(over(shape, x), over(shape, y));
}

}  // namespace hilo::lax
