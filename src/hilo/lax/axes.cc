// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/axes.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/array/error.h"

namespace hilo::lax {

int64_t canonical_axis(const char* function, int64_t axis, int64_t rank) {
  const int64_t at = axis < 0 ? axis + rank : axis;
  if (at < 0 || at >= rank)
    or_throw(invalid_argument(
        fmt::format("{}: axis {} is out of range for {} dimensions", at_user_line(function), axis, rank)));
  return at;
}

std::vector<int64_t> canonical_axes(const char* function, std::span<const int64_t> axes, int64_t rank) {
  std::vector<int64_t> plain;
  for (int64_t axis : axes) {
    plain.push_back(canonical_axis(function, axis, rank));
    if (std::count(plain.begin(), plain.end(), plain.back()) > 1)
      or_throw(invalid_argument(fmt::format("{}: axis {} stands twice", at_user_line(function), axis)));
  }
  return plain;
}

}  // namespace hilo::lax
